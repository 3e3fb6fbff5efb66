//! The state of the module: its simulations and buffers. A WebAssembly instance has one thread.

use std::cell::RefCell;
use std::collections::BTreeMap;

use binding::{Code, Error, Result, whole};

use crate::buffers::Input;
use crate::simulation::Simulation;

#[derive(Default)]
pub struct Module {
    pub input: Input,
    pub output: Vec<u8>,
    simulations: BTreeMap<u32, Simulation>,
    /// How many simulations were made. This is the number of the newest one; the number of a freed simulation is not
    /// used again.
    count: u32,
}

thread_local! {
    static MODULE: RefCell<Module> = RefCell::default();
    /// The message of the first panic.
    static PANIC: RefCell<String> = const { RefCell::new(String::new()) };
}

impl Module {
    pub fn with<T>(use_it: impl FnOnce(&mut Module) -> T) -> T {
        MODULE.with_borrow_mut(use_it)
    }

    pub fn add(&mut self, simulation: Simulation) -> u32 {
        self.count += 1;
        self.simulations.insert(self.count, simulation);
        self.count
    }

    /// Returns a simulation and both buffers.
    pub fn parts(&mut self, number: f64) -> Result<(&mut Simulation, &Input, &mut Vec<u8>)> {
        let simulation = self.simulations.get_mut(&key(number)?).ok_or_else(freed)?;
        Ok((simulation, &self.input, &mut self.output))
    }

    pub fn free(&mut self, number: f64) -> Result<f64> {
        self.simulations.remove(&key(number)?).ok_or_else(freed)?;
        Ok(0.0)
    }
}

/// Makes a call and returns its result. After an error, returns -1, and the output is the error's code, a line break
/// and its message.
pub fn call(call: impl FnOnce(&mut Module) -> Result<f64>) -> f64 {
    Module::with(|module| {
        call(module).unwrap_or_else(|Error { code, message }| {
            module.output = format!("{}\n{message}", code.as_ref()).into_bytes();
            -1.0
        })
    })
}

pub fn keep_panic(message: &str) {
    PANIC.with_borrow_mut(|kept| {
        if kept.is_empty() {
            message.clone_into(kept);
        }
    });
}

/// Returns the address and the size of the message of the first panic.
pub fn panic_message() -> (*const u8, usize) {
    PANIC.with_borrow(|kept| (kept.as_ptr(), kept.len()))
}

fn key(number: f64) -> Result<u32> {
    Ok(whole(number, "simulation", 0.0, f64::from(u32::MAX))? as u32)
}

fn freed() -> Error {
    Error::new(Code::Freed, "the simulation was freed")
}
