use std::fmt::{self, Display, Formatter};

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
    /// A panic in the native core, which is a bug, or an error of Node-API. After a panic the object cannot be used any
    /// more.
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

/// An error that a binding throws in JavaScript.
#[derive(Debug)]
pub struct Error {
    pub code: Code,
    pub message: String,
}

impl Error {
    pub fn new(code: Code, message: impl Display) -> Self {
        Error { code, message: message.to_string() }
    }
}

impl Display for Error {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Error {}

#[cfg(feature = "napi")]
impl From<Error> for napi::Error<Code> {
    fn from(Error { code, message }: Error) -> Self {
        napi::Error::new(code, message)
    }
}

pub type Result<T> = std::result::Result<T, Error>;

pub fn invalid(message: impl Display) -> Error {
    Error::new(Code::InvalidArgument, message)
}

pub fn invalid_state(message: impl Display) -> Error {
    Error::new(Code::InvalidState, message)
}

pub fn link(error: LinkError) -> Error {
    invalid(error)
}

pub fn open(error: OpenError) -> Error {
    let code = match error {
        OpenError::Unknown(_) => Code::UnknownEndpoint,
        OpenError::UnknownPath(_) | OpenError::UnknownPage(_) => Code::InvalidArgument,
        OpenError::WrongTransport(..) => Code::WrongTransport,
    };
    Error::new(code, error)
}

impl From<CallError> for Error {
    fn from(error: CallError) -> Self {
        let code = match error {
            CallError::Lacks { .. } => Code::WrongTransport,
            CallError::OnlyStream { .. } | CallError::Argument(_) => Code::InvalidArgument,
            CallError::State(_) => Code::InvalidState,
        };
        Error::new(code, error)
    }
}
