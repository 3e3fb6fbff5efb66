use std::any::Any;
use std::fmt::Display;

use bytes::Bytes;

use crate::endpoint::Endpoint;
use crate::ip::Flow;

/// One end of a transport as its application sees it. A call that the transport does not support returns an error that
/// says so.
///
/// To add a transport, implement this trait and write a function `open` that makes both [`Ends`] from a [`Place`].
pub trait Transport: Endpoint + Any {
    /// The transport's name in errors, for example `TCP`.
    fn name(&self) -> &'static str;

    /// Starts a client's handshake.
    ///
    /// # Errors
    /// The transport has no handshake, or it cannot be started now.
    fn connect(&mut self) -> Result<(), CallError> {
        Err(self.lacks("handshake"))
    }

    /// Writes to a byte stream. Takes what fits the send buffer and returns the number of bytes taken.
    ///
    /// # Errors
    /// There is no such stream, or it is closed for writing.
    fn write(&mut self, _stream: u32, _bytes: &[u8]) -> Result<usize, CallError> {
        Err(self.lacks("streams of bytes"))
    }

    /// Everything that arrived in order on a byte stream and was not read yet.
    ///
    /// # Errors
    /// There is no such stream.
    fn read(&mut self, _stream: u32) -> Result<Bytes, CallError> {
        Err(self.lacks("streams of bytes"))
    }

    /// Ends the stream after what was written.
    ///
    /// # Errors
    /// There is no such stream, or it can only end with its connection.
    fn finish(&mut self, _stream: u32) -> Result<(), CallError> {
        Err(self.lacks("streams that end"))
    }

    /// Gives the stream up in both directions.
    ///
    /// # Errors
    /// There is no such stream, or it can only end with its connection.
    fn reset(&mut self, _stream: u32, _code: u32) -> Result<(), CallError> {
        Err(self.lacks("streams that end"))
    }

    /// Sets the stream's priority, 0 by default. Streams with a higher priority are sent first.
    ///
    /// # Errors
    /// There is no such stream, or the transport has no priorities.
    fn set_priority(&mut self, _stream: u32, _priority: i32) -> Result<(), CallError> {
        Err(self.lacks("priorities"))
    }

    /// Takes a whole message. Returns false if the send buffer has no room for it now.
    ///
    /// # Errors
    /// There is no such stream, it is closed for sending, or a message of this size can never be sent.
    fn send(&mut self, _stream: u32, _message: &[u8]) -> Result<bool, CallError> {
        Err(self.lacks("messages"))
    }

    /// Makes both ends start the stream anew. [`crate::endpoint::Event::Renewed`] reports when that is done.
    ///
    /// # Errors
    /// There is no such stream, or it cannot be reset now.
    fn renew(&mut self, _stream: u32) -> Result<(), CallError> {
        Err(self.lacks("streams to reset"))
    }

    /// The largest message that travels as one chunk in one packet, bytes.
    ///
    /// # Errors
    /// The transport has no messages.
    fn max_message_in_packet_bytes(&self) -> Result<usize, CallError> {
        Err(self.lacks("messages"))
    }

    /// Bytes that were taken and are not acknowledged.
    fn buffered_bytes(&self) -> u64;

    /// Closes this end for sending, once everything that was taken is sent.
    fn close(&mut self);

    /// Ends the connection now.
    fn abort(&mut self);

    /// The error of a call that this transport does not support.
    fn lacks(&self, what: &'static str) -> CallError {
        CallError::Lacks { transport: self.name(), what }
    }

    /// Checks the stream of a transport that has only stream 0.
    ///
    /// # Errors
    /// The stream is not 0.
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
    /// The argument is wrong at any time.
    #[error("{0}")]
    Argument(String),
    /// The call comes too early, too late or a second time.
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

/// Where both ends of a transport are opened.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    /// The flow as the client sees it.
    pub flow: Flow,
    /// The largest IP packet.
    pub mtu_bytes: u16,
    /// The seed of the run.
    pub seed: u64,
    /// How many transports the run opened before.
    pub number: usize,
}

impl Place {
    /// The same place with another server port.
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
