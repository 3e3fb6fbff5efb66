use std::any::Any;
use std::fmt::Display;
use std::time::Duration;

use bytes::Bytes;

use crate::endpoint::Endpoint;
use crate::ip::Flow;

/// One end of a transport as its application sees it. A call that the transport does not support returns
/// [`CallError::Lacks`].
///
/// To add a transport, implement this trait and write a function `open` that makes [`Ends`] from a [`Place`].
pub trait Transport: Endpoint + Any {
    /// The transport's name in errors, for example `TCP`.
    fn name(&self) -> &'static str;

    /// Starts a client's handshake.
    ///
    /// # Errors
    /// The transport has no handshake, or the handshake cannot be started now.
    fn connect(&mut self) -> Result<(), CallError> {
        Err(self.lacks("handshake"))
    }

    /// Call this before the handshake if the packets of the handshake take no time on the path. The end then takes
    /// `rtt` as the RTT that the handshake measures.
    ///
    /// # Errors
    /// The transport has no handshake, or its handshake always takes time.
    fn set_up_at_once(&mut self, _rtt: Duration) -> Result<(), CallError> {
        Err(self.lacks("instant handshake"))
    }

    /// Writes to a byte stream. Accepts as many bytes as fit the send buffer and returns their number.
    ///
    /// # Errors
    /// There is no such stream, or the stream is closed for writing.
    fn write(&mut self, _stream: u32, _bytes: &[u8]) -> Result<usize, CallError> {
        Err(self.lacks("byte streams"))
    }

    /// Returns all bytes that have arrived in order on a byte stream and were not read yet.
    ///
    /// # Errors
    /// There is no such stream.
    fn read(&mut self, _stream: u32) -> Result<Bytes, CallError> {
        Err(self.lacks("byte streams"))
    }

    /// Ends the stream after the bytes that were written so far.
    ///
    /// # Errors
    /// There is no such stream, or a stream can only end with its connection.
    fn finish(&mut self, _stream: u32) -> Result<(), CallError> {
        Err(self.lacks("streams that end before their connection"))
    }

    /// Aborts both directions of the stream (RFC 9000 §2.4). `code` is the application's error code.
    ///
    /// # Errors
    /// There is no such stream, or a stream can only end with its connection.
    fn reset(&mut self, _stream: u32, _code: u32) -> Result<(), CallError> {
        Err(self.lacks("streams that end before their connection"))
    }

    /// Sets the stream's priority, 0 by default. Streams with a higher priority are sent first.
    ///
    /// # Errors
    /// There is no such stream, or the transport has no priorities.
    fn set_priority(&mut self, _stream: u32, _priority: i32) -> Result<(), CallError> {
        Err(self.lacks("priorities"))
    }

    /// Sends a whole message. Returns false if the send buffer has no room for the message now.
    ///
    /// # Errors
    /// There is no such stream, the stream is closed for sending, or a message of this size can never be sent.
    fn send(&mut self, _stream: u32, _message: &[u8]) -> Result<bool, CallError> {
        Err(self.lacks("messages"))
    }

    /// Resets the stream, so that both ends number its messages from 0 again (RFC 6525).
    /// [`crate::endpoint::Event::Renewed`] reports when this is done.
    ///
    /// # Errors
    /// There is no such stream, or the stream cannot be reset now.
    fn renew(&mut self, _stream: u32) -> Result<(), CallError> {
        Err(self.lacks("streams to reset"))
    }

    /// Size in bytes of the largest message that fits in one packet as one chunk.
    ///
    /// # Errors
    /// The transport has no messages.
    fn max_message_in_packet_bytes(&self) -> Result<usize, CallError> {
        Err(self.lacks("messages"))
    }

    /// Bytes that were accepted from the application and are not acknowledged. Always 0 if the transport has no
    /// acknowledgements.
    fn buffered_bytes(&self) -> u64;

    /// Closes this end for sending, once all accepted data is sent.
    fn close(&mut self);

    /// Ends the connection now and drops all buffered data.
    fn abort(&mut self);

    /// Returns the error for a call that this transport does not support.
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
    /// The argument is invalid in every state of the transport.
    #[error("{0}")]
    Argument(String),
    /// The call is invalid in the current state, for example before the handshake or after the close.
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

/// The parameters with which both ends of a transport are opened.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    /// The flow from the view of the client.
    pub flow: Flow,
    /// Size of the largest IP packet, in bytes.
    pub mtu_bytes: u16,
    /// The seed of the run.
    pub seed: u64,
    /// The number of transports that the run has opened before this transport.
    pub number: usize,
}

impl Place {
    /// Returns the same parameters with another server address. Its last byte is larger by `number`, but at most 255.
    pub fn at_host(mut self, number: u8) -> Place {
        let [a, b, c, d] = self.flow.remote.ip().octets();
        self.flow.remote.set_ip(std::net::Ipv4Addr::new(a, b, c, d.saturating_add(number)));
        self
    }

    /// Returns the same parameters with another server port.
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
