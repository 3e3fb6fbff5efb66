use std::fmt::Display;

use binding::Code;
use netsim::link::LinkError;
use netsim::sim::OpenError;
use netsim::transport::CallError;

/// The result of a call from JavaScript. `?` converts the errors of `binding`.
pub type Result<T> = std::result::Result<T, napi::Error<Code>>;

pub fn invalid(message: impl Display) -> napi::Error<Code> {
    binding::invalid(message).into()
}

pub fn invalid_state(message: impl Display) -> napi::Error<Code> {
    binding::invalid_state(message).into()
}

/// Converts an error of Node-API, which has another type of code, to an error with the code `INTERNAL`.
pub fn internal(error: napi::Error) -> napi::Error<Code> {
    napi::Error::new(Code::Internal, error.reason.clone())
}

pub fn link(error: LinkError) -> napi::Error<Code> {
    binding::link(error).into()
}

pub fn open(error: OpenError) -> napi::Error<Code> {
    binding::open(error).into()
}

pub fn refused(error: CallError) -> napi::Error<Code> {
    binding::Error::from(error).into()
}
