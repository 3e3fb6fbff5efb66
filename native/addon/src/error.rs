use std::fmt::Display;

use netsim::link::LinkError;
use netsim::sim::OpenError;
use netsim::transport::CallError;

/// The `code` of an error that JavaScript sees.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Code {
    InvalidArgument,
    UnknownEndpoint,
    WrongTransport,
    InvalidState,
    Freed,
    /// A bug in the addon. The object cannot be used any more.
    Internal,
}

impl AsRef<str> for Code {
    fn as_ref(&self) -> &str {
        match self {
            Code::InvalidArgument => "INVALID_ARGUMENT",
            Code::UnknownEndpoint => "UNKNOWN_ENDPOINT",
            Code::WrongTransport => "WRONG_TRANSPORT",
            Code::InvalidState => "INVALID_STATE",
            Code::Freed => "FREED",
            Code::Internal => "INTERNAL",
        }
    }
}

pub type Result<T> = std::result::Result<T, napi::Error<Code>>;

pub fn invalid(message: impl Display) -> napi::Error<Code> {
    napi::Error::new(Code::InvalidArgument, message.to_string())
}

pub fn invalid_state(message: impl Display) -> napi::Error<Code> {
    napi::Error::new(Code::InvalidState, message.to_string())
}

/// Converts an error of Node-API that occurred while a result was made.
pub fn internal(error: napi::Error) -> napi::Error<Code> {
    napi::Error::new(Code::Internal, error.reason.clone())
}

pub fn link(error: LinkError) -> napi::Error<Code> {
    invalid(error)
}

pub fn open(error: OpenError) -> napi::Error<Code> {
    let code = match error {
        OpenError::Unknown(_) => Code::UnknownEndpoint,
        OpenError::UnknownPath(_) => Code::InvalidArgument,
        OpenError::WrongTransport(..) => Code::WrongTransport,
    };
    napi::Error::new(code, error.to_string())
}

pub fn refused(error: CallError) -> napi::Error<Code> {
    let code = match error {
        CallError::Lacks { .. } => Code::WrongTransport,
        CallError::OnlyStream { .. } | CallError::Argument(_) => Code::InvalidArgument,
        CallError::State(_) => Code::InvalidState,
    };
    napi::Error::new(code, error.to_string())
}
