/// Why a message was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SendError {
    #[error("the association is not established")]
    NotConnected,
    #[error("the association is shutting down")]
    Closing,
    #[error("no stream {stream} (there are {streams})")]
    UnknownStream { stream: u32, streams: u16 },
    /// A DATA chunk must have user data (RFC 9260 §3.3.1).
    #[error("a message has at least one byte")]
    Empty,
    #[error("message too large: {bytes} bytes (at most {limit})")]
    TooLarge { bytes: usize, limit: usize },
    /// [`crate::endpoint::Event::Writable`] reports when to try again.
    #[error("send buffer full: message of {bytes} bytes, room for {room}")]
    BufferFull { bytes: usize, room: usize },
}
