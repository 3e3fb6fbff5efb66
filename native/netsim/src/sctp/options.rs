use std::num::NonZeroU64;

use super::chunk::{DATA_HEADER_BYTES, I_DATA_HEADER_BYTES};
use super::{DcsctpStack, Profile, SchedulerPolicy, StackKind};

/// The options of one end of an association.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    pub profile: Profile,
    pub stack: StackKind,
    /// The number of streams in each direction, at least 1. The client requests its number in the INIT and the server
    /// offers its number in the INIT ACK. The association has the smaller of the two numbers (RFC 9260 §5.1.1).
    pub streams: u16,
    /// How this end chooses among its streams when it sends.
    pub scheduler: SchedulerPolicy,
    /// Whether the association runs over DTLS over UDP (RFC 8261). In a simulation the client's value applies to both
    /// ends.
    pub dtls: bool,
    /// Whether a client sends its first messages together with COOKIE ECHO (RFC 9260 §5.1), as dcSCTP and usrsctp do.
    /// It then reports that it is connected one round trip earlier, before the server does. This has no effect on a
    /// server.
    pub data_with_cookie_echo: bool,
    /// Whether this end offers I-DATA (RFC 8260). If both ends offer it, messages that span packets interleave.
    pub idata: bool,
    /// Whether this end delivers the pieces of interleaved messages as soon as they are in order (RFC 9260 §6.9).
    /// Otherwise it delivers only whole messages.
    pub partial_delivery: bool,
    /// The most bytes of messages that may be written and not acknowledged, 1024–2^30.
    pub send_buffer_bytes: u64,
    /// The receive window that this end offers, 1024–2^30; `None` means the window of the profile. A message that this
    /// end sends is at most half as large as this window, because the receive window of the peer is assumed to have the
    /// same size.
    pub receive_buffer_bytes: Option<usize>,
    /// Whether the congestion window does not limit a page load ([`super::ProfileSettings::with_unlimited_window`]).
    pub unlimited_window: bool,
    /// [`crate::endpoint::Event::Writable`] is reported when the number of buffered bytes falls to this number, which
    /// is at most `send_buffer_bytes`. After a message was refused, the number of buffered bytes must also be so small
    /// that this message fits.
    pub low_water_bytes: u64,
    /// How many unsent bytes the application wants to keep beyond the congestion window. If this is set,
    /// [`crate::endpoint::Event::Room`] reports when to write more.
    pub ahead_bytes: Option<NonZeroU64>,
}

/// The error for a setting that is outside its limits.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("invalid {name}: {value} (must be {limit})")]
pub struct OptionsError {
    pub name: &'static str,
    pub value: u64,
    pub limit: &'static str,
}

impl Options {
    /// Returns the default options: dcSCTP, round-robin, no DTLS, no data with COOKIE ECHO, no I-DATA, a send buffer of
    /// 4 MiB, and a low-water mark of half the send buffer.
    pub fn new(profile: Profile, streams: u16) -> Self {
        Options {
            profile,
            stack: DcsctpStack::KIND,
            streams,
            scheduler: SchedulerPolicy::RoundRobin,
            dtls: false,
            data_with_cookie_echo: false,
            idata: false,
            partial_delivery: true,
            send_buffer_bytes: DEFAULT_SEND_BUFFER_BYTES,
            receive_buffer_bytes: None,
            unlimited_window: false,
            low_water_bytes: DEFAULT_SEND_BUFFER_BYTES / 2,
            ahead_bytes: None,
        }
    }

    /// Size in bytes of the header of a data chunk. With `idata` this is the size for I-DATA, even if the peer supports
    /// only DATA.
    pub(super) fn data_header_bytes(&self) -> usize {
        if self.idata { I_DATA_HEADER_BYTES } else { DATA_HEADER_BYTES }
    }

    /// # Errors
    /// A setting is outside its limits. The error names the first such setting.
    pub fn validate(&self) -> Result<(), OptionsError> {
        check(self.streams >= 1, "streams", self.streams.into(), "1–65535")?;
        if let SchedulerPolicy::Weighted(weights) = &self.scheduler
            && let Some(weight) = weights.iter().find(|weight| **weight == 0)
        {
            return Err(OptionsError { name: "weights", value: (*weight).into(), limit: "1–65535" });
        }
        let buffer = self.send_buffer_bytes;
        check((1024..=1 << 30).contains(&buffer), "sendBufferBytes", buffer, "1024–2^30")?;
        let window = self.receive_buffer_bytes.map_or(1024, |bytes| bytes as u64);
        check((1024..=1 << 30).contains(&window), "receiveBufferBytes", window, "1024–2^30")?;
        check(self.low_water_bytes <= buffer, "lowWaterBytes", self.low_water_bytes, "at most sendBufferBytes")
    }
}

/// The buffer holds a whole page, as with TCP and as in the reproduced papers.
const DEFAULT_SEND_BUFFER_BYTES: u64 = 4 << 20;

fn check(ok: bool, name: &'static str, value: u64, limit: &'static str) -> Result<(), OptionsError> {
    if ok { Ok(()) } else { Err(OptionsError { name, value, limit }) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_setting_outside_its_limits_is_refused_by_name_and_limit() {
        let good = Options::new(Profile::Classic, 1);
        assert_eq!(good.validate(), Ok(()));
        let refused = |options: Options| options.validate().unwrap_err().to_string();
        assert_eq!(refused(Options { streams: 0, ..good.clone() }), "invalid streams: 0 (must be 1–65535)");
        let weighted = SchedulerPolicy::Weighted(vec![3, 0]);
        assert_eq!(refused(Options { scheduler: weighted, ..good.clone() }), "invalid weights: 0 (must be 1–65535)");
        assert_eq!(
            refused(Options { send_buffer_bytes: 1023, ..good.clone() }),
            "invalid sendBufferBytes: 1023 (must be 1024–2^30)"
        );
        assert_eq!(
            refused(Options { receive_buffer_bytes: Some(1023), ..good.clone() }),
            "invalid receiveBufferBytes: 1023 (must be 1024–2^30)"
        );
        assert_eq!(
            refused(Options { low_water_bytes: 5 << 20, ..good }),
            "invalid lowWaterBytes: 5242880 (must be at most sendBufferBytes)"
        );
    }
}
