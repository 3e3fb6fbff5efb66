use std::any::Any;
use std::fmt::Display;

use bytes::Bytes;

use crate::endpoint::Endpoint;
use crate::ip::Flow;

/// One end of a transport as its application calls it. What a transport has not is an error that says so.
///
/// A transport is this, and a function `open` that makes both [`Ends`] of one from a [`Place`].
pub trait Transport: Endpoint + Any {
    /// In errors: `TCP`.
    fn name(&self) -> &'static str;

    /// Starts a client's handshake.
    ///
    /// # Errors
    /// There is none, or not now.
    fn connect(&mut self) -> Result<(), CallError> {
        Err(self.lacks("handshake"))
    }

    /// Takes what fits the send buffer of a stream of bytes; gives the number of bytes taken.
    ///
    /// # Errors
    /// There is no such stream, or it takes no more.
    fn write(&mut self, _stream: u32, _bytes: &[u8]) -> Result<usize, CallError> {
        Err(self.lacks("streams of bytes"))
    }

    /// Everything that came in order on a stream of bytes and was not read yet.
    ///
    /// # Errors
    /// There is no such stream.
    fn read(&mut self, _stream: u32) -> Result<Bytes, CallError> {
        Err(self.lacks("streams of bytes"))
    }

    /// No more is written to the stream.
    ///
    /// # Errors
    /// There is no such stream, or its end is the connection's.
    fn finish(&mut self, _stream: u32) -> Result<(), CallError> {
        Err(self.lacks("streams that end"))
    }

    /// Gives the stream up in both directions.
    ///
    /// # Errors
    /// There is no such stream, or its end is the connection's.
    fn reset(&mut self, _stream: u32, _code: u32) -> Result<(), CallError> {
        Err(self.lacks("streams that end"))
    }

    /// A stream of a higher priority goes first; 0 at first.
    ///
    /// # Errors
    /// There is no such stream, or no priorities.
    fn set_priority(&mut self, _stream: u32, _priority: i32) -> Result<(), CallError> {
        Err(self.lacks("priorities"))
    }

    /// Takes a message whole, or gives false when the send buffer has no room for it.
    ///
    /// # Errors
    /// There is no such stream, it takes no more, or never a message of that size.
    fn send(&mut self, _stream: u32, _message: &[u8]) -> Result<bool, CallError> {
        Err(self.lacks("messages"))
    }

    /// Has both ends begin the stream anew, which [`crate::endpoint::Event::Renewed`] tells.
    ///
    /// # Errors
    /// There is no such stream, or not now.
    fn renew(&mut self, _stream: u32) -> Result<(), CallError> {
        Err(self.lacks("streams to reset"))
    }

    /// The largest message that travels as one chunk in one packet, bytes.
    ///
    /// # Errors
    /// There are no messages.
    fn max_message_in_packet_bytes(&self) -> Result<usize, CallError> {
        Err(self.lacks("messages"))
    }

    /// Bytes taken and not acknowledged.
    fn buffered_bytes(&self) -> u64;

    /// Ends what is sent, once everything taken is.
    fn close(&mut self);

    /// Ends everything now.
    fn abort(&mut self);

    /// The error of a call that this transport has not.
    fn lacks(&self, what: &'static str) -> CallError {
        CallError::Lacks { transport: self.name(), what }
    }

    /// For a transport that has no streams but 0.
    ///
    /// # Errors
    /// It is another.
    fn only_stream(&self, stream: u32) -> Result<(), CallError> {
        if stream == 0 { Ok(()) } else { Err(CallError::OnlyStream { transport: self.name(), stream }) }
    }
}

/// Why a [`Transport`] refused a call.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CallError {
    #[error("{transport} has no {what}")]
    Lacks { transport: &'static str, what: &'static str },
    #[error("invalid stream: {stream} (must be 0 on {transport})")]
    OnlyStream { transport: &'static str, stream: u32 },
    /// The argument is wrong, whenever it comes.
    #[error("{0}")]
    Argument(String),
    /// The call comes too early, too late or twice.
    #[error("{0}")]
    State(String),
}

impl CallError {
    pub fn argument(error: impl Display) -> Self {
        CallError::Argument(error.to_string())
    }

    pub fn state(error: impl Display) -> Self {
        CallError::State(error.to_string())
    }
}

/// Where a pair of ends is opened.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    /// As the client sees it.
    pub flow: Flow,
    /// Largest IP packet.
    pub mtu_bytes: u16,
    /// The run's.
    pub seed: u64,
    /// Pairs that the run opened before.
    pub number: usize,
}

impl Place {
    /// The same, with the server at another port.
    pub fn at_port(mut self, port: u16) -> Place {
        self.flow.remote.set_port(port);
        self
    }
}

/// Both ends of a transport.
pub struct Ends {
    pub client: Box<dyn Transport>,
    pub server: Box<dyn Transport>,
}
