use std::time::Duration;

use super::chunk::COMMON_HEADER_BYTES;

/// Which stack an end imitates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Profile {
    /// A stack of 2007, as N07 and N08 describe theirs (FreeBSD 6.1): RFC 4960's window and timers, delayed SACK of
    /// 200 ms, appropriate byte counting with L = 1.
    Classic,
    /// A stack of today by RFC 9260: a first window of ten packets, short timers, and immediate SACKs while the window
    /// is small.
    ///
    /// Differs: the `modern` TCP has CUBIC and RACK-TLP; dcsctp has neither.
    Modern,
    /// FreeBSD's stack (usrsctp) as `fixtures/reference` measured it, for validation only: `classic` with L = 2.
    ReferenceFreebsd,
}

/// A profile's constants on a path with a given MTU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProfileSettings {
    /// The largest SCTP packet, in bytes: the MTU without the IP header, rounded down to a multiple of 4 because chunks
    /// are padded.
    pub packet_bytes: usize,
    pub initial_cwnd_packets: usize,
    /// Packets of new data that one event may release (RFC 9260 §6.1 D).
    pub max_burst_packets: u16,
    /// L of appropriate byte counting: in slow start a SACK opens the window by at most this many packets (RFC 9260
    /// §7.2.1, RFC 3465).
    pub abc_limit_packets: usize,
    pub rto_initial: Duration,
    pub rto_min: Duration,
    pub rto_max: Duration,
    /// The lower limit of 4 · RTTVAR.
    pub min_variation: Duration,
    pub delayed_sack: Duration,
    /// While cwnd is below this many packets, data asks for an immediate SACK (RFC 7053).
    pub immediate_sack_under_packets: usize,
    pub max_retransmissions: u32,
    pub max_init_retransmissions: u32,
    /// The receive buffer, which a_rwnd advertises, in bytes.
    pub receive_buffer_bytes: usize,
}

impl Profile {
    pub const ALL: [Profile; 3] = [Profile::Classic, Profile::Modern, Profile::ReferenceFreebsd];

    /// The name at the addon's boundary.
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

    /// `ip_payload_bytes` is the MTU without the IP header.
    pub fn settings(self, ip_payload_bytes: usize) -> ProfileSettings {
        let packet_bytes = ip_payload_bytes / 4 * 4;
        let classic = ProfileSettings {
            packet_bytes,
            initial_cwnd_packets: initial_cwnd_bytes(packet_bytes).div_ceil(packet_bytes),
            // RFC 9260 §16, Max.Burst; also the default of FreeBSD's stack
            max_burst_packets: 4,
            // N07 §5.2; R02 §3 also names about one MTU per SACK. RFC 9260 §7.2.1: SHOULD be 1, MAY be larger.
            abc_limit_packets: 1,
            // RFC 9260 §16, RTO.Initial, RTO.Min and RTO.Max; N07 §5 names 3 s and 1 s (RFC 4960 §15)
            rto_initial: Duration::from_secs(3),
            rto_min: Duration::from_secs(1),
            rto_max: Duration::from_secs(60),
            min_variation: Duration::ZERO,
            // N07 §5; RFC 9260 §6.2 allows 500 ms and recommends 200 ms
            delayed_sack: Duration::from_millis(200),
            // RFC 7053 dates from 2013
            immediate_sack_under_packets: 0,
            // RFC 9260 §16, Association.Max.Retrans and Max.Init.Retransmits
            max_retransmissions: 10,
            max_init_retransmissions: 8,
            // the same as for TCP
            receive_buffer_bytes: 4 << 20,
        };
        match self {
            Profile::Classic => classic,
            // SCTPCTL_ABC_L_VAR_DEFAULT in later versions of FreeBSD, and in usrsctp
            Profile::ReferenceFreebsd => ProfileSettings { abc_limit_packets: 2, ..classic },
            Profile::Modern => ProfileSettings {
                // As in today's FreeBSD; RFC 3465 §2.3 argues for 2. The modern TCP has no such limit.
                abc_limit_packets: 2,
                // RFC 6928 §2, as in the modern TCP; RFC 9260 §7.2.1 has about 3
                initial_cwnd_packets: 10,
                max_burst_packets: 10,
                // RFC 9260 §16
                rto_initial: Duration::from_secs(1),
                // As in the modern TCP (Linux's TCP_RTO_MIN). Differs: RFC 9260 §16 has 1 s.
                rto_min: Duration::from_millis(200),
                // As in Linux's TCP, whose RTO is SRTT + max(4 · RTTVAR, 200 ms). A SACK may be delayed by 200 ms, and
                // without this limit the RTO of a steady path would fall to its RTT.
                min_variation: Duration::from_millis(200),
                // dcsctp's default
                immediate_sack_under_packets: 10,
                ..classic
            },
        }
    }
}

impl ProfileSettings {
    /// The largest message that fits in one chunk in one packet, in bytes, if the chunk has a header of `header_bytes`.
    pub fn max_message_in_packet_bytes(&self, header_bytes: usize) -> usize {
        self.packet_bytes - COMMON_HEADER_BYTES - header_bytes
    }

    /// How much new data a packet, a timeout or a write may release, in bytes (RFC 9260 §6.1 D).
    pub fn burst_bytes(&self) -> usize {
        usize::from(self.max_burst_packets) * self.packet_bytes
    }
}

/// The first window: min(4 · MTU, max(2 · MTU, 4380 bytes)) (RFC 4960 §7.2.1, and RFC 3390 for TCP).
fn initial_cwnd_bytes(packet_bytes: usize) -> usize {
    (4 * packet_bytes).min((2 * packet_bytes).max(4380))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sctp::chunk::{DATA_HEADER_BYTES, I_DATA_HEADER_BYTES};

    #[test]
    fn a_packet_of_the_mtu_holds_one_message() {
        let settings = Profile::Classic.settings(1480);
        assert_eq!(settings.max_message_in_packet_bytes(DATA_HEADER_BYTES), 1500 - 20 - 12 - 16);
        assert_eq!(settings.max_message_in_packet_bytes(I_DATA_HEADER_BYTES), 1500 - 20 - 12 - 20);
        // 1481 is no multiple of 4: chunks are padded
        assert_eq!(Profile::Classic.settings(1481), settings);
    }

    #[test]
    fn classic_starts_with_the_window_of_rfc_4960() {
        let packets = |ip_payload_bytes| Profile::Classic.settings(ip_payload_bytes).initial_cwnd_packets;
        assert_eq!([556, 1480, 8980].map(packets), [4, 3, 2]);
    }

    #[test]
    fn modern_asks_for_sacks_at_once_and_starts_with_a_second() {
        let (classic, modern) = (Profile::Classic.settings(1480), Profile::Modern.settings(1480));
        assert_eq!((classic.immediate_sack_under_packets, modern.immediate_sack_under_packets), (0, 10));
        assert_eq!((classic.rto_initial, modern.rto_initial), (Duration::from_secs(3), Duration::from_secs(1)));
    }

    // N07 §5.2 has L = 1; the usrsctp of fixtures/reference has 2
    #[test]
    fn the_reference_differs_from_classic_in_its_byte_counting_alone() {
        let [classic, modern, reference] = Profile::ALL.map(|profile| profile.settings(1480));
        assert_eq!([classic, modern, reference].map(|settings| settings.abc_limit_packets), [1, 2, 2]);
        assert_eq!(ProfileSettings { abc_limit_packets: 1, ..reference }, classic);
    }

    #[test]
    fn profiles_are_found_by_name() {
        assert_eq!(Profile::ALL.map(|profile| Profile::from_name(profile.name())), Profile::ALL.map(Some));
        assert_eq!(Profile::from_name("reno"), None);
    }
}
