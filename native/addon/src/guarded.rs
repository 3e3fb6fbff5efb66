use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::error::{Code, Result};

/// What an object of JavaScript's holds, until it is freed: no panic passes a call, and none leaves something behind
/// that could be used again.
pub struct Guarded<T> {
    /// In errors.
    name: &'static str,
    state: State<T>,
}

enum State<T> {
    Open(Box<T>),
    Freed,
    /// A call panicked, so it can no longer be trusted.
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

    /// Releases its memory now; every later call fails.
    pub fn free(&mut self) -> Result<()> {
        self.call(|_| Ok(()))?;
        self.state = State::Freed;
        Ok(())
    }
}

fn broken(name: &str) -> napi::Error<Code> {
    napi::Error::new(Code::Internal, format!("netsim panicked; this {name} cannot be used any more"))
}
