use std::num::NonZeroU64;

use super::chunk::{DATA_HEADER_BYTES, I_DATA_HEADER_BYTES};
use super::{DcsctpStack, Profile, SchedulerPolicy, StackKind};

/// The options of one end of an association.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    pub profile: Profile,
    pub stack: StackKind,
    /// Streams in each direction, at least 1. The client requests this number in INIT and the server offers its own in
    /// INIT ACK; the smaller one counts (RFC 9260 §5.1.1).
    pub streams: u16,
    /// How this end as a sender chooses among its streams.
    pub scheduler: SchedulerPolicy,
    /// Whether this end offers I-DATA (RFC 8260). If both do, messages that span packets interleave.
    pub idata: bool,
    /// Whether this end as a receiver hands on messages that interleave in pieces, as soon as these are in order (RFC
    /// 9260 §6.9). Otherwise it hands them on whole.
    pub partial_delivery: bool,
    /// The most bytes of messages that may be written and not acknowledged, 1024–2^30.
    pub send_buffer_bytes: u64,
    /// The receive window that this end offers, 1024–2^30; `None` means the profile's. Messages that it sends are at
    /// most half as large.
    pub receive_buffer_bytes: Option<usize>,
    /// [`crate::endpoint::Event::Writable`] comes when the number of buffered bytes falls to this. At most
    /// `send_buffer_bytes`.
    pub low_water_bytes: u64,
    /// How many unsent bytes the application wants to have ahead of the congestion window. If this is set,
    /// [`crate::endpoint::Event::Room`] reports when to write more.
    pub ahead_bytes: Option<NonZeroU64>,
}

/// A setting outside its limits.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("invalid {name}: {value} (must be {limit})")]
pub struct OptionsError {
    pub name: &'static str,
    pub value: u64,
    pub limit: &'static str,
}

impl Options {
    /// The defaults: dcSCTP, round-robin, no I-DATA, a send buffer of 4 MiB, and a low-water mark at half of that.
    pub fn new(profile: Profile, streams: u16) -> Self {
        Options {
            profile,
            stack: DcsctpStack::KIND,
            streams,
            scheduler: SchedulerPolicy::RoundRobin,
            idata: false,
            partial_delivery: true,
            send_buffer_bytes: DEFAULT_SEND_BUFFER_BYTES,
            receive_buffer_bytes: None,
            low_water_bytes: DEFAULT_SEND_BUFFER_BYTES / 2,
            ahead_bytes: None,
        }
    }

    /// The size of the data chunks' header. With `idata` it is that of I-DATA, even if the peer supports only DATA.
    pub(super) fn data_header_bytes(&self) -> usize {
        if self.idata { I_DATA_HEADER_BYTES } else { DATA_HEADER_BYTES }
    }

    /// # Errors
    /// The first setting outside its limits.
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

/// As for TCP: the buffer holds a whole page, as in the papers.
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
