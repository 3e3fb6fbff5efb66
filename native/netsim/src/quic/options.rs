use std::num::NonZeroU64;
use std::time::Duration;

use super::Profile;
use super::packet::MIN_MTU_BYTES;
use super::profile::{ProfileSettings, RTTVAR_FACTOR};
use crate::congestion::{CongestionRules, Kind};
use crate::packet::EcnMode;

/// The options of one end of a QUIC connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    pub profile: Profile,
    /// The congestion control; `None` means the congestion control of the profile.
    pub congestion: Option<Kind>,
    /// How this end uses ECN (RFC 9000 §13.4). The end stops using it if the peer does not report the codepoints.
    pub ecn: EcnMode,
    /// Whether a client resumes an earlier session. This has no effect on a server.
    pub resumes: bool,
    /// Whether a client that resumes a session may write before the handshake is done (0-RTT).
    pub early_data: bool,
    /// Whether a server of `modern` compresses its certificate (RFC 8879).
    pub compresses_certificate: bool,
    /// Whether a server of `modern` has no post-quantum key exchange.
    pub lacks_hybrid_share: bool,
    /// Size of the largest UDP payload that this end sends at first, 1200–65,507 bytes; `None` means the size of the
    /// profile. No datagram is larger than the path allows.
    pub first_datagram_bytes: Option<u16>,
    /// Whether the end searches for larger datagrams, up to 1452 bytes (DPLPMTUD, RFC 9000 §14.3).
    pub searches_mtu: bool,
    /// The size of the initial window in packets, 2–1000; `None` means the size of the profile.
    pub first_window_packets: Option<u16>,
    /// The factor of the RTT's variation in a probe timeout, 1–4. RFC 9002 §6.2.1 has 4. Only a patched quinn has this
    /// setting. Without the patches the factor is 4.
    pub rttvar_factor: u8,
    /// Whether this end acknowledges as QUICHE does. From packet number 100 on, it acknowledges every tenth packet
    /// without delay, and the others after a quarter of the smallest RTT, at most 25 ms (`MaybeUpdateAckFrequency`,
    /// `GetMaxAckDelay`). It acknowledges the first four packets after a gap without delay (`HasNewMissingPackets`).
    /// Otherwise it acknowledges every second packet, and every packet out of order, without delay. Only a patched quinn
    /// has this setting.
    pub decimates_acks: bool,
    /// The probe timeout before the RTT is known, 10–10,000 ms; `None` means the timeout of the profile (RFC 9002
    /// §6.2.2).
    pub first_timeout: Option<Duration>,
    /// Whether each datagram is paced by itself, as in quic-go. If not, quinn paces in bursts of at least ten
    /// datagrams. A congestion control that has a rate of its own (BBR, or any with L4S) always paces by this rate.
    pub paces_each: bool,
    /// Whether a server lets its client change its address (RFC 9000 §9). If not, the server says so in its handshake.
    /// This has no effect on a client.
    pub migration: bool,
    pub scheduler: Scheduler,
    /// The most bytes, over all streams, that may be written but not yet acknowledged, 1 KiB–1 GiB.
    pub send_buffer_bytes: u64,
    /// [`crate::endpoint::Event::Writable`] is reported when the number of buffered bytes falls to this number.
    pub low_water_bytes: u64,
    /// How many unsent bytes the application wants to keep beyond the congestion window. If this is set,
    /// [`crate::endpoint::Event::Room`] reports when to write more.
    pub ahead_bytes: Option<NonZeroU64>,
}

/// How an end chooses among streams of the same priority.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scheduler {
    /// The streams take turns, with one packet each.
    RoundRobin,
    /// The streams are sent one after the other, in the order of their first bytes. Retransmissions of earlier streams
    /// are sent before later streams.
    FirstCome,
}

impl Options {
    /// Options with a send buffer of 4 MiB. The buffer holds a whole page, like TCP's buffer and like the buffers in
    /// the papers that this project reproduces.
    pub fn new(profile: Profile) -> Self {
        Options {
            profile,
            congestion: None,
            ecn: EcnMode::Off,
            resumes: false,
            early_data: false,
            compresses_certificate: false,
            lacks_hybrid_share: false,
            first_datagram_bytes: None,
            searches_mtu: true,
            first_window_packets: None,
            rttvar_factor: RTTVAR_FACTOR,
            decimates_acks: false,
            first_timeout: None,
            paces_each: false,
            migration: false,
            scheduler: Scheduler::RoundRobin,
            send_buffer_bytes: BUFFER_BYTES,
            low_water_bytes: BUFFER_BYTES / 2,
            ahead_bytes: None,
        }
    }

    /// The constants of the profile on a path with this MTU, with the chosen congestion control.
    pub(super) fn settings(&self, mtu_bytes: u16) -> ProfileSettings {
        let settings = self.profile.settings(mtu_bytes);
        let kind = self.congestion.unwrap_or(settings.congestion.kind);
        let scalable = self.ecn == EcnMode::L4s;
        ProfileSettings { congestion: CongestionRules { kind, scalable, ..settings.congestion }, ..settings }
    }

    /// # Errors
    /// A setting is outside its limits.
    pub fn validate(&self) -> Result<(), OptionsError> {
        let bytes = self.send_buffer_bytes;
        if !(1024..=1 << 30).contains(&bytes) {
            return Err(OptionsError::SendBuffer { bytes });
        }
        if let Some(bytes) = self.first_datagram_bytes.filter(|bytes| !DATAGRAM_BYTES.contains(bytes)) {
            return Err(OptionsError::Datagram { bytes });
        }
        if let Some(packets) = self.first_window_packets.filter(|packets| !FIRST_WINDOW_PACKETS.contains(packets)) {
            return Err(OptionsError::FirstWindow { packets });
        }
        if !RTTVAR_FACTORS.contains(&self.rttvar_factor) {
            return Err(OptionsError::RttvarFactor { factor: self.rttvar_factor });
        }
        if let Some(timeout) = self.first_timeout.filter(|timeout| !FIRST_TIMEOUTS.contains(timeout)) {
            return Err(OptionsError::FirstTimeout { timeout });
        }
        Ok(())
    }
}

const BUFFER_BYTES: u64 = 4 << 20;
/// Every path must carry datagrams of the smallest size (RFC 9000 §14). The largest size is that of the largest UDP
/// payload.
const DATAGRAM_BYTES: std::ops::RangeInclusive<u16> = 1200..=65_507;
const FIRST_WINDOW_PACKETS: std::ops::RangeInclusive<u16> = 2..=1000;
const RTTVAR_FACTORS: std::ops::RangeInclusive<u8> = 1..=RTTVAR_FACTOR;
const FIRST_TIMEOUTS: std::ops::RangeInclusive<Duration> = Duration::from_millis(10)..=Duration::from_secs(10);

/// Why a connection cannot be opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OptionsError {
    #[error("invalid sendBufferBytes: {bytes} (must be 1024–2^30)")]
    SendBuffer { bytes: u64 },
    #[error("invalid firstDatagramBytes: {bytes} (must be 1200–65507)")]
    Datagram { bytes: u16 },
    #[error("invalid firstWindowPackets: {packets} (must be 2–1000)")]
    FirstWindow { packets: u16 },
    #[error("invalid rttvarFactor: {factor} (must be 1–{RTTVAR_FACTOR})")]
    RttvarFactor { factor: u8 },
    #[error("invalid firstTimeoutMs: {} (must be 10–10000)", timeout.as_millis())]
    FirstTimeout { timeout: Duration },
    #[error(
        "invalid mtuBytes: {mtu_bytes} (must be {MIN_MTU_BYTES} or more for QUIC, whose UDP datagrams must be able to \
         carry 1200 bytes, RFC 9000 §14)"
    )]
    Mtu { mtu_bytes: u16 },
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_and_factors_outside_their_limits_are_refused_with_their_names() {
        let options = Options::new(Profile::Modern);
        let refused = |options: Options| options.validate().unwrap_err().to_string();
        for bytes in [1199, 65_508] {
            let expected = format!("invalid firstDatagramBytes: {bytes} (must be 1200–65507)");
            assert_eq!(refused(Options { first_datagram_bytes: Some(bytes), ..options }), expected);
        }
        for packets in [1, 1001] {
            let expected = format!("invalid firstWindowPackets: {packets} (must be 2–1000)");
            assert_eq!(refused(Options { first_window_packets: Some(packets), ..options }), expected);
        }
        for factor in [0, 5] {
            let expected = format!("invalid rttvarFactor: {factor} (must be 1–4)");
            assert_eq!(refused(Options { rttvar_factor: factor, ..options }), expected);
        }
        for ms in [9, 10_001] {
            let expected = format!("invalid firstTimeoutMs: {ms} (must be 10–10000)");
            let first_timeout = Some(Duration::from_millis(ms));
            assert_eq!(refused(Options { first_timeout, ..options }), expected);
        }
        let largest = Options { first_window_packets: Some(1000), first_datagram_bytes: Some(65_507), ..options };
        assert_eq!(largest.validate(), Ok(()));
    }

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
