//! TCP (RFC 9293), sans-IO. It sends and receives real segments.
//!
//! [`Connection`] is one end. It keeps the [`state`] and does the [`handshake`] and the close. It contains two halves
//! that do not use each other. The [`sender`] keeps the sent segments in [`scoreboard`], repairs losses with
//! [`recovery`] and [`rack`], and computes its window with [`crate::congestion`]. The [`receiver`] puts the data of the
//! peer in order. The connection acknowledges this data when [`ack_policy`] decides to.

mod ack_policy;
mod connection;
mod ecn;
mod handshake;
mod profile;
mod quick_acks;
mod rack;
mod receiver;
mod recovery;
mod rtt;
mod scoreboard;
mod segment;
mod send_buffer;
mod sender;
mod sequence;
mod state;
mod timer_clock;
mod timestamps;
mod transport;
mod window_tuning;

use std::num::NonZeroU64;

pub use connection::Connection;
pub use profile::Profile;
pub(crate) use profile::{CLASSIC, MODERN};
pub use segment::{EcnFlags, Segment, SegmentOptions};
pub use transport::{open, open_client, open_server};

use crate::packet::EcnMode;

/// The unsent bytes that the send buffer of Linux holds besides the data in flight, in percent of the congestion
/// window. Measured on Linux 6.18: the size of the buffer is 2 × cwnd × 2304 bytes, with cwnd in segments. Data use
/// 88 % of the buffer, so with an MSS of 1448 bytes the buffer holds 2.8 windows. One of them is in flight.
pub const AHEAD_PERCENT: u64 = 180;

/// The options of one end of a TCP connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    pub profile: Profile,
    /// The ECN mode that this end wants. If the two ends want different modes, the connection uses the weaker one (off,
    /// classic, L4S).
    pub ecn: EcnMode,
    /// The most bytes that may be written and not acknowledged, 1 KiB–1 GiB.
    pub send_buffer_bytes: u64,
    /// The most bytes that may be received and not read, 1 KiB–1 GiB.
    pub receive_buffer_bytes: u64,
    /// [`crate::endpoint::Event::Writable`] is reported when the bytes in the send buffer fall to this number.
    pub low_water_bytes: u64,
    /// How many unsent bytes the application wants to keep beyond the congestion window. If this is set,
    /// [`crate::endpoint::Event::Room`] reports when to write more.
    pub ahead_bytes: Option<NonZeroU64>,
    /// While the congestion window has more bytes than this, the application wants to keep [`AHEAD_PERCENT`] of the
    /// window as unsent bytes, or `ahead_bytes` if that is more. The value is 0 for applications that fill the send
    /// buffer of Linux. With `None`, `ahead_bytes` always applies.
    pub ahead_grows_from_bytes: Option<u64>,
    /// Whether the application writes to a socket with `TCP_NODELAY`: while the window is open, the last segment of a
    /// write is sent immediately, so later writes do not fill it. Data that waits for the window is joined (Linux:
    /// `tcp_sendmsg` appends to a segment that was not sent). Unlike in Linux, data that waits only for pacing is not
    /// joined. With `false`, the writes of one instant are joined.
    pub writes_apart: bool,
}

impl Options {
    /// Returns options with buffers of 4 MiB, which hold a whole page, as in the reproduced papers.
    pub fn new(profile: Profile) -> Self {
        Options {
            profile,
            ecn: EcnMode::Off,
            send_buffer_bytes: BUFFER_BYTES,
            receive_buffer_bytes: BUFFER_BYTES,
            low_water_bytes: BUFFER_BYTES / 2,
            ahead_bytes: None,
            ahead_grows_from_bytes: None,
            writes_apart: false,
        }
    }

    /// # Errors
    /// The size of a buffer is outside its limits.
    pub fn validate(&self) -> Result<(), Error> {
        for (name, bytes) in
            [("sendBufferBytes", self.send_buffer_bytes), ("receiveBufferBytes", self.receive_buffer_bytes)]
        {
            if !(1024..=1 << 30).contains(&bytes) {
                return Err(Error::Buffer { name, bytes });
            }
        }
        Ok(())
    }
}

const BUFFER_BYTES: u64 = 4 << 20;

/// Why a call was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    #[error("invalid {name}: {bytes} (must be 1024–2^30)")]
    Buffer { name: &'static str, bytes: u64 },
    #[error("cannot connect: this end is a server, or its handshake was started before")]
    NotIdle,
    #[error("the connection is closed for writing")]
    Closed,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_buffer_outside_its_limits_is_refused_with_its_name() {
        let options = Options::new(Profile::named("modern").unwrap());
        assert_eq!(options.validate(), Ok(()));
        for bytes in [0, 1023, (1 << 30) + 1] {
            let refused = |name| Err(Error::Buffer { name, bytes });
            assert_eq!(Options { send_buffer_bytes: bytes, ..options }.validate(), refused("sendBufferBytes"));
            assert_eq!(Options { receive_buffer_bytes: bytes, ..options }.validate(), refused("receiveBufferBytes"));
        }
        for bytes in [1024, 1 << 30] {
            let at_limit = Options { send_buffer_bytes: bytes, receive_buffer_bytes: bytes, ..options };
            assert_eq!(at_limit.validate(), Ok(()));
        }
    }
}
