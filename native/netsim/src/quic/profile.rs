use std::time::Duration;

use crate::congestion::{AppLimited, CongestionRules, Counting, Halved, InitialWindow};
use crate::{ip, tcp};

/// The stack that an end imitates. The profiles follow the TCP profiles of the same names as far as QUIC and quinn
/// allow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Profile {
    Classic,
    Modern,
}

/// A profile's constants on a path with a given MTU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProfileSettings {
    /// Size of the largest UDP payload, in bytes.
    pub datagram_bytes: u16,
    pub congestion: CongestionRules,
    /// The RTT that is assumed before the first measurement, a third of the first probe timeout (RFC 9002 §6.2.2).
    pub initial_rtt: Duration,
    /// The longest delay of acknowledgements that this end requests from the peer (draft-ietf-quic-ack-frequency-04
    /// §4).
    pub ack_delay: Duration,
}

impl Profile {
    pub const ALL: [Profile; 2] = [Profile::Classic, Profile::Modern];

    /// The profile's name in the API of the addon.
    pub fn name(self) -> &'static str {
        match self {
            Profile::Classic => "classic",
            Profile::Modern => "modern",
        }
    }

    pub fn from_name(name: &str) -> Option<Profile> {
        Profile::ALL.into_iter().find(|profile| profile.name() == name)
    }

    pub fn settings(self, mtu_bytes: u16) -> ProfileSettings {
        let tcp = match self {
            Profile::Classic => tcp::CLASSIC,
            Profile::Modern => tcp::MODERN,
        };
        ProfileSettings {
            datagram_bytes: mtu_bytes - UDP_HEADERS_BYTES,
            congestion: CongestionRules {
                initial_window: InitialWindow::Segments(initial_packets(tcp.congestion.initial_window, mtu_bytes)),
                // RFC 9002 §7.3.2; QUIC has no FlightSize like TCP, because it has no cumulative acknowledgements
                halved: Halved::Cwnd,
                // RFC 9002 §7 counts bytes
                counting: Counting::Bytes,
                app_limited: AppLimited::HalfWindow,
                // quinn paces
                paced: true,
                ..tcp.congestion
            },
            // RFC 9002 §6.2.1: RTTVAR starts at half of SRTT, so the timeout is SRTT + 4 · SRTT / 2
            initial_rtt: tcp.rto.initial / 3,
            ack_delay: tcp.delayed_ack.delay,
        }
    }
}

/// Returns the number of whole segments in TCP's initial window.
fn initial_packets(window: InitialWindow, mtu_bytes: u16) -> u64 {
    let mss = u64::from(mtu_bytes) - TCP_HEADERS_BYTES;
    window.bytes(mss) / mss
}

/// Size of the IPv4 and TCP headers without options, in bytes.
const TCP_HEADERS_BYTES: u64 = ip::HEADER_BYTES as u64 + 20;
const UDP_HEADERS_BYTES: u16 = crate::udp::HEADERS_BYTES as u16;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_initial_window_has_as_many_packets_as_in_tcp() {
        let packets = |profile: Profile, mtu_bytes| match profile.settings(mtu_bytes).congestion.initial_window {
            InitialWindow::Segments(packets) => packets,
            InitialWindow::Rfc3390 => unreachable!("it depends on the size of a datagram"),
        };
        assert_eq!([1228, 1500, 9000].map(|mtu_bytes| packets(Profile::Classic, mtu_bytes)), [3, 3, 2]);
        assert_eq!([1228, 1500, 9000].map(|mtu_bytes| packets(Profile::Modern, mtu_bytes)), [10, 10, 10]);
    }

    #[test]
    fn the_first_probe_timeout_equals_the_first_rto_of_tcp() {
        for (profile, name) in [(Profile::Classic, "classic"), (Profile::Modern, "modern")] {
            let initial = tcp::Profile::named(name).unwrap().rto.initial;
            let difference = initial.abs_diff(3 * profile.settings(1500).initial_rtt);
            assert!(difference < Duration::from_nanos(3), "{name}: {difference:?}");
        }
    }

    #[test]
    fn profiles_are_found_by_name() {
        assert_eq!(Profile::from_name("modern"), Some(Profile::Modern));
        assert_eq!(Profile::from_name("reno"), None);
    }
}
