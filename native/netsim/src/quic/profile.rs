use std::time::Duration;

use quinn_proto::Side;

use super::options::Options;
use crate::congestion::{AppLimited, CongestionRules, Counting, Halved, InitialWindow};
use crate::{ip, tcp};

/// The stack that an end imitates. The profiles follow the TCP profiles of the same names as far as QUIC and quinn
/// allow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Profile {
    Classic,
    Modern,
}

/// The constants of one end on a path with a given MTU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProfileSettings {
    /// Size of the largest UDP payload that fits the path, in bytes.
    pub datagram_bytes: u16,
    /// Size of the largest UDP payload that this end sends at first.
    pub first_datagram_bytes: u16,
    /// Size of the largest UDP payload for which this end searches (DPLPMTUD, RFC 9000 §14.3). This end searches only
    /// if this size is larger than `first_datagram_bytes`.
    pub searched_datagram_bytes: u16,
    /// Whether a server sends a token for later connections (NEW_TOKEN, RFC 9000 §8.1.3).
    pub sends_token: bool,
    pub congestion: CongestionRules,
    /// The RTT that is assumed before the first measurement (RFC 9002 §6.2.2). The first probe timeout follows from it.
    pub initial_rtt: Duration,
    /// The factor of the RTT's variation in a probe timeout.
    pub rttvar_factor: u8,
    /// Whether the end, after the first packets, immediately acknowledges only every tenth packet, as Chromium does
    /// ([`Options::decimates_acks`]).
    pub decimates_acks: bool,
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
        let datagram_bytes = mtu_bytes - UDP_HEADERS_BYTES;
        ProfileSettings {
            datagram_bytes,
            first_datagram_bytes: datagram_bytes,
            searched_datagram_bytes: datagram_bytes,
            sends_token: self == Profile::Modern,
            congestion: CongestionRules {
                initial_window: InitialWindow::Segments(initial_packets(tcp.congestion.initial_window, mtu_bytes)),
                // RFC 9002 §7.3.2 reduces cwnd itself; unlike TCP, QUIC has no FlightSize, because it has no cumulative
                // acknowledgements
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
            rttvar_factor: RTTVAR_FACTOR,
            decimates_acks: false,
            ack_delay: tcp.delayed_ack.delay,
        }
    }
}

impl ProfileSettings {
    /// Returns the constants of an end with these options. The options take precedence over the profile.
    pub fn of(options: &Options, side: Side, mtu_bytes: u16) -> ProfileSettings {
        let settings = options.settings(mtu_bytes);
        let largest = settings.datagram_bytes;
        let usual = match options.profile {
            Profile::Classic => largest,
            Profile::Modern => usual_datagram_bytes(side),
        };
        let first_datagram_bytes = options.first_datagram_bytes.unwrap_or(usual).min(largest);
        let searched = if options.searches_mtu { LARGEST_SEARCHED_BYTES.min(largest) } else { 0 };
        let initial_window = match options.first_window_packets {
            Some(packets) => InitialWindow::Segments(packets.into()),
            None => settings.congestion.initial_window,
        };
        ProfileSettings {
            first_datagram_bytes,
            searched_datagram_bytes: searched.max(first_datagram_bytes),
            congestion: CongestionRules { initial_window, ..settings.congestion },
            rttvar_factor: options.rttvar_factor,
            decimates_acks: options.decimates_acks,
            // RTTVAR starts at half of the initial RTT
            initial_rtt: options
                .first_timeout
                .map_or(settings.initial_rtt, |timeout| timeout * 2 / (2 + u32::from(options.rttvar_factor))),
            ..settings
        }
    }
}

/// Size of the first datagrams of today's stacks. Chromium begins with 1250 bytes (`kDefaultMaxPacketSize` of QUICHE),
/// and quic-go, the stack of Caddy, with 1280 (`protocol.InitialPacketSize`).
fn usual_datagram_bytes(side: Side) -> u16 {
    match side {
        Side::Client => 1250,
        Side::Server => 1280,
    }
}

/// The factor of the RTT's variation in a probe timeout (RFC 9002 §6.2.1).
pub(super) const RTTVAR_FACTOR: u8 = 4;

/// Returns the number of whole segments in TCP's initial window.
fn initial_packets(window: InitialWindow, mtu_bytes: u16) -> u64 {
    let mss = u64::from(mtu_bytes) - TCP_HEADERS_BYTES;
    window.bytes(mss) / mss
}

/// Size of the IPv4 and TCP headers without options, in bytes.
const TCP_HEADERS_BYTES: u64 = ip::HEADER_BYTES as u64 + 20;
const UDP_HEADERS_BYTES: u16 = crate::udp::HEADERS_BYTES as u16;
/// The largest datagram for which quinn and quic-go search (`MtuDiscoveryConfig::upper_bound`,
/// `protocol.MaxPacketBufferSize`). It fits Ethernet's MTU with an IPv6 header.
const LARGEST_SEARCHED_BYTES: u16 = 1452;

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
    fn modern_begins_with_small_datagrams_and_classic_with_those_of_the_path() {
        let sizes = |profile, side, mtu_bytes| {
            let settings = ProfileSettings::of(&Options::new(profile), side, mtu_bytes);
            (settings.first_datagram_bytes, settings.searched_datagram_bytes)
        };
        assert_eq!(sizes(Profile::Modern, Side::Client, 1500), (1250, 1452));
        assert_eq!(sizes(Profile::Modern, Side::Server, 9000), (1280, 1452));
        assert_eq!(sizes(Profile::Modern, Side::Server, 1228), (1200, 1200));
        assert_eq!(sizes(Profile::Modern, Side::Server, 1400), (1280, 1372));
        for side in [Side::Client, Side::Server] {
            assert_eq!(sizes(Profile::Classic, side, 1500), (1472, 1472));
        }
    }

    #[test]
    fn options_replace_the_datagrams_and_the_first_window_of_the_profile() {
        let of = |first_datagram_bytes, searches_mtu| {
            let modern = Options::new(Profile::Modern);
            let options = Options { first_datagram_bytes, searches_mtu, first_window_packets: Some(32), ..modern };
            let settings = ProfileSettings::of(&options, Side::Server, 1500);
            assert_eq!(settings.congestion.initial_window, InitialWindow::Segments(32));
            (settings.first_datagram_bytes, settings.searched_datagram_bytes)
        };
        assert_eq!(of(None, false), (1280, 1280));
        assert_eq!(of(Some(1350), false), (1350, 1350));
        assert_eq!(of(Some(1480), true), (1472, 1472), "not larger than the path allows");
        assert_eq!(of(Some(1200), true), (1200, 1452));
        assert_eq!(of(Some(1460), true), (1460, 1460));
    }

    #[test]
    fn profiles_are_found_by_name() {
        assert_eq!(Profile::from_name("modern"), Some(Profile::Modern));
        assert_eq!(Profile::from_name("reno"), None);
    }
}
