use std::panic::{AssertUnwindSafe, catch_unwind};

use binding::Code;

use crate::error::Result;

/// The Rust value that a JavaScript object owns until it is freed. A panic in a call becomes an error, and the value
/// cannot be used afterwards.
pub struct Guarded<T> {
    /// The name of the value in errors.
    name: &'static str,
    state: State<T>,
}

enum State<T> {
    Open(Box<T>),
    Freed,
    /// A call panicked, so the value may be inconsistent.
    Broken,
}

impl<T> Guarded<T> {
    pub fn new(name: &'static str, held: T) -> Self {
        Guarded { name, state: State::Open(Box::new(held)) }
    }

    pub fn call<R>(&mut self, call: impl FnOnce(&mut T) -> Result<R>) -> Result<R> {
        let Guarded { name, state } = self;
        let held = match state {
            State::Open(held) => held,
            State::Freed => return Err(napi::Error::new(Code::Freed, format!("the {name} was freed"))),
            State::Broken => return Err(broken(name)),
        };
        catch_unwind(AssertUnwindSafe(|| call(held))).unwrap_or_else(|_| {
            *state = State::Broken;
            Err(broken(name))
        })
    }

    /// Releases the value's memory now. Every later call fails.
    pub fn free(&mut self) -> Result<()> {
        self.call(|_| Ok(()))?;
        self.state = State::Freed;
        Ok(())
    }
}

fn broken(name: &str) -> napi::Error<Code> {
    napi::Error::new(Code::Internal, format!("netsim panicked; this {name} cannot be used any more"))
}
