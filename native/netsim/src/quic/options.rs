use std::num::NonZeroU64;

use super::Profile;
use super::packet::MIN_MTU_BYTES;

/// What a connection's end is opened with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    pub profile: Profile,
    /// Of a client, and of no effect on a server: it remembers the server, so that it may write before the handshake is
    /// done.
    pub zero_rtt: bool,
    pub scheduler: Scheduler,
    /// Bytes written and not acknowledged, of all streams, at most; 1 KiB–1 GiB.
    pub send_buffer_bytes: u64,
    /// [`crate::endpoint::Event::Writable`] is told when the send buffer falls to this.
    pub low_water_bytes: u64,
    /// How far ahead of the congestion window the application keeps it: [`crate::endpoint::Event::Room`] is told.
    pub ahead_bytes: Option<NonZeroU64>,
}

/// Which of the streams of one priority is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scheduler {
    /// Packet by packet in turn.
    RoundRobin,
    /// One after the other, in the order of their first bytes; what is retransmitted of an earlier one goes first.
    FirstCome,
}

impl Options {
    /// Buffers of 4 MiB, which hold a whole page (PAPERS §3), as TCP's here.
    pub fn new(profile: Profile) -> Self {
        Options {
            profile,
            zero_rtt: false,
            scheduler: Scheduler::RoundRobin,
            send_buffer_bytes: BUFFER_BYTES,
            low_water_bytes: BUFFER_BYTES / 2,
            ahead_bytes: None,
        }
    }

    /// # Errors
    /// A setting outside its limits.
    pub fn validate(&self) -> Result<(), OptionsError> {
        let bytes = self.send_buffer_bytes;
        if (1024..=1 << 30).contains(&bytes) { Ok(()) } else { Err(OptionsError::SendBuffer { bytes }) }
    }
}

const BUFFER_BYTES: u64 = 4 << 20;

/// Why a connection cannot be opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OptionsError {
    #[error("invalid sendBufferBytes: {bytes} (must be 1024–2^30)")]
    SendBuffer { bytes: u64 },
    #[error(
        "invalid mtuBytes: {mtu_bytes} (must be {MIN_MTU_BYTES} or more for QUIC: 1200 in a UDP datagram, RFC 9000 §14)"
    )]
    Mtu { mtu_bytes: u16 },
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_buffer_outside_its_limits_is_refused_with_its_name() {
        let options = Options::new(Profile::Modern);
        for send_buffer_bytes in [1024, 1 << 30] {
            assert_eq!(Options { send_buffer_bytes, ..options }.validate(), Ok(()));
        }
        for bytes in [0, 1023, (1 << 30) + 1] {
            let refused = Options { send_buffer_bytes: bytes, ..options }.validate().unwrap_err();
            assert_eq!(refused.to_string(), format!("invalid sendBufferBytes: {bytes} (must be 1024–2^30)"));
        }
    }
}
