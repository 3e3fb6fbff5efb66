use std::time::Duration;

use super::chunk::COMMON_HEADER_BYTES;
use crate::endpoint::UNLIMITED_WINDOW_PACKETS;

/// The SCTP stack that an end imitates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Profile {
    /// A stack of 2007, like the stack that the papers N07 and N08 used (FreeBSD 6.1): the initial window and timers of
    /// RFC 4960, SACKs delayed by up to 200 ms, and appropriate byte counting with L = 1.
    Classic,
    /// A current stack by RFC 9260, with an initial window of ten packets, short timers, and immediate SACKs while the
    /// window is small.
    ///
    /// The TCP profile `modern` has CUBIC and RACK-TLP. This profile has neither, because dcSCTP has neither.
    Modern,
    /// The stack of FreeBSD (usrsctp) as measured in `fixtures/reference`: `classic` with L = 2. This profile is for
    /// validation only.
    ReferenceFreebsd,
}

/// A profile's constants on a path with a given MTU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProfileSettings {
    /// The largest SCTP packet, in bytes: the MTU without the IP header, rounded down to a multiple of 4 because chunks
    /// are padded.
    pub packet_bytes: usize,
    pub initial_cwnd_packets: usize,
    /// How many packets of new data a received packet, a timeout or a write may release (RFC 9260 §6.1 D).
    pub max_burst_packets: u16,
    /// L of appropriate byte counting: in slow start a SACK increases the window by at most this many packets (RFC 9260
    /// §7.2.1, RFC 3465).
    pub abc_limit_packets: usize,
    pub rto_initial: Duration,
    pub rto_min: Duration,
    pub rto_max: Duration,
    /// The minimum of 4 · RTTVAR.
    pub min_variation: Duration,
    pub delayed_sack: Duration,
    /// While cwnd is smaller than this many packets, data requests an immediate SACK (RFC 7053).
    pub immediate_sack_under_packets: usize,
    pub max_retransmissions: u32,
    pub max_init_retransmissions: u32,
    /// The receive buffer, which a_rwnd advertises, in bytes.
    pub receive_buffer_bytes: usize,
}

impl Profile {
    pub const ALL: [Profile; 3] = [Profile::Classic, Profile::Modern, Profile::ReferenceFreebsd];

    /// The profile's name in the API of the addon.
    pub fn name(self) -> &'static str {
        match self {
            Profile::Classic => "classic",
            Profile::Modern => "modern",
            Profile::ReferenceFreebsd => "reference-freebsd",
        }
    }

    pub fn from_name(name: &str) -> Option<Profile> {
        Profile::ALL.into_iter().find(|profile| profile.name() == name)
    }

    /// Returns the profile's constants. `ip_payload_bytes` is the MTU without the IP header.
    pub fn settings(self, ip_payload_bytes: usize) -> ProfileSettings {
        let packet_bytes = ip_payload_bytes / 4 * 4;
        let classic = ProfileSettings {
            packet_bytes,
            initial_cwnd_packets: initial_cwnd_bytes(packet_bytes).div_ceil(packet_bytes),
            // RFC 9260 §16, Max.Burst; also the default of FreeBSD's stack
            max_burst_packets: 4,
            // This is the value of N07 (§5.2). According to R02 (§3), too, a SACK increases the window by about one
            // MTU. In RFC 9260 §7.2.1 L SHOULD be 1 and MAY be larger.
            abc_limit_packets: 1,
            // RTO.Initial, RTO.Min and RTO.Max of RFC 4960 §15; N07 (§5) has the same RTO.Initial and RTO.Min. RFC 9260
            // §16 has an RTO.Initial of 1 s
            rto_initial: Duration::from_secs(3),
            rto_min: Duration::from_secs(1),
            rto_max: Duration::from_secs(60),
            min_variation: Duration::ZERO,
            // N07 §5; RFC 9260 §6.2 allows 500 ms and recommends 200 ms
            delayed_sack: Duration::from_millis(200),
            // immediate SACKs are newer than this stack: RFC 7053 was published in 2013
            immediate_sack_under_packets: 0,
            // RFC 9260 §16, Association.Max.Retrans and Max.Init.Retransmits
            max_retransmissions: 10,
            max_init_retransmissions: 8,
            // TCP has the same size
            receive_buffer_bytes: 4 << 20,
        };
        match self {
            Profile::Classic => classic,
            // SCTPCTL_ABC_L_VAR_DEFAULT in later versions of FreeBSD, and in usrsctp
            Profile::ReferenceFreebsd => ProfileSettings { abc_limit_packets: 2, ..classic },
            Profile::Modern => ProfileSettings {
                // The current FreeBSD has this value, and RFC 3465 §2.3 argues for it. The TCP profile `modern` has no
                // such limit.
                abc_limit_packets: 2,
                // RFC 6928 §2, as in the TCP profile `modern`; RFC 9260 §7.2.1 has about 3 packets
                initial_cwnd_packets: 10,
                max_burst_packets: 10,
                // RFC 9260 §16
                rto_initial: Duration::from_secs(1),
                // The TCP profile `modern` has the same value (TCP_RTO_MIN of Linux). RFC 9260 §16 has 1 s.
                rto_min: Duration::from_millis(200),
                // Linux has the same minimum: its RTO is SRTT + max(4 · RTTVAR, 200 ms). A SACK may be delayed by 200
                // ms, and without this minimum the RTO on a path with a constant RTT would fall to the larger of the
                // RTT and RTO.Min.
                min_variation: Duration::from_millis(200),
                // the default of dcsctp
                immediate_sack_under_packets: 10,
                ..classic
            },
        }
    }
}

impl ProfileSettings {
    /// Returns the settings with a congestion window that does not limit a page load: it starts with
    /// [`UNLIMITED_WINDOW_PACKETS`] packets, all of which may be sent in one burst. A loss still reduces this window.
    ///
    /// No real stack has such a window. A load with it shows how much time a usual window costs.
    #[must_use]
    pub fn with_unlimited_window(self) -> ProfileSettings {
        let max_burst_packets = UNLIMITED_WINDOW_PACKETS;
        ProfileSettings { initial_cwnd_packets: max_burst_packets.into(), max_burst_packets, ..self }
    }

    /// Size in bytes of the largest message that fits in one packet as one chunk with a header of `header_bytes`.
    pub fn max_message_in_packet_bytes(&self, header_bytes: usize) -> usize {
        self.packet_bytes - COMMON_HEADER_BYTES - header_bytes
    }

    /// How many bytes of new data a packet, a timeout or a write may release (RFC 9260 §6.1 D).
    pub fn burst_bytes(&self) -> usize {
        usize::from(self.max_burst_packets) * self.packet_bytes
    }
}

/// The initial window in bytes: min(4 · MTU, max(2 · MTU, 4380 bytes)) (RFC 4960 §7.2.1, and RFC 3390 for TCP). Here,
/// the MTU is the size of the largest SCTP packet.
fn initial_cwnd_bytes(packet_bytes: usize) -> usize {
    (4 * packet_bytes).min((2 * packet_bytes).max(4380))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sctp::chunk::{DATA_HEADER_BYTES, I_DATA_HEADER_BYTES};

    #[test]
    fn a_message_of_the_largest_size_fills_a_packet() {
        let settings = Profile::Classic.settings(1480);
        assert_eq!(settings.max_message_in_packet_bytes(DATA_HEADER_BYTES), 1500 - 20 - 12 - 16);
        assert_eq!(settings.max_message_in_packet_bytes(I_DATA_HEADER_BYTES), 1500 - 20 - 12 - 20);
        // 1481 is not a multiple of 4, and chunks are padded
        assert_eq!(Profile::Classic.settings(1481), settings);
    }

    #[test]
    fn classic_has_the_initial_window_of_rfc_4960() {
        let packets = |ip_payload_bytes| Profile::Classic.settings(ip_payload_bytes).initial_cwnd_packets;
        assert_eq!([556, 1480, 8980].map(packets), [4, 3, 2]);
    }

    #[test]
    fn modern_requests_immediate_sacks_and_has_an_initial_rto_of_a_second() {
        let (classic, modern) = (Profile::Classic.settings(1480), Profile::Modern.settings(1480));
        assert_eq!((classic.immediate_sack_under_packets, modern.immediate_sack_under_packets), (0, 10));
        assert_eq!((classic.rto_initial, modern.rto_initial), (Duration::from_secs(3), Duration::from_secs(1)));
    }

    // N07 §5.2 has L = 1; the usrsctp of fixtures/reference has L = 2
    #[test]
    fn the_reference_profile_differs_from_classic_in_byte_counting_only() {
        let [classic, modern, reference] = Profile::ALL.map(|profile| profile.settings(1480));
        assert_eq!([classic, modern, reference].map(|settings| settings.abc_limit_packets), [1, 2, 2]);
        assert_eq!(ProfileSettings { abc_limit_packets: 1, ..reference }, classic);
    }

    #[test]
    fn an_unlimited_window_starts_with_1000_packets_that_may_be_one_burst() {
        for usual in Profile::ALL.map(|profile| profile.settings(1480)) {
            let unlimited = usual.with_unlimited_window();
            assert_eq!((unlimited.initial_cwnd_packets, unlimited.max_burst_packets), (1000, 1000));
            let ProfileSettings { initial_cwnd_packets, max_burst_packets, .. } = usual;
            assert_eq!(ProfileSettings { initial_cwnd_packets, max_burst_packets, ..unlimited }, usual);
        }
    }

    #[test]
    fn profiles_are_found_by_name() {
        assert_eq!(Profile::ALL.map(|profile| Profile::from_name(profile.name())), Profile::ALL.map(Some));
        assert_eq!(Profile::from_name("reno"), None);
    }
}
