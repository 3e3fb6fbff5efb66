//! Finds the IP packet in a packet of a link layer (tcpdump.org/linktypes.html).

/// What a packet of a link layer carries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Carried {
    /// An IP packet that begins at this offset.
    Ip(usize),
    /// Another protocol, or a header that is truncated.
    Other,
    /// The link layer is not known.
    Unknown,
}

/// Finds the IP packet in a packet of a link layer. `link` is the LINKTYPE number of this link layer.
pub fn carried_packet(link: u32, data: &[u8]) -> Carried {
    let at = match link {
        ETHERNET => by_type(data, 12),
        LINUX_COOKED => by_type(data, 14),
        // the type comes first here, and an address of up to 8 bytes last
        LINUX_COOKED_2 => is_ip_type(word(data, 0)).then_some(20),
        NULL | LOOP => Some(4),
        RAW | RAW_BSD | RAW_OPENBSD | IPV4 | IPV6 => Some(0),
        PPP => ppp(data),
        _ => return Carried::Unknown,
    };
    // the version of IP decides, because the numbers of protocol families in loopback headers differ between systems
    match at.filter(|at| data.get(*at).is_some_and(|first| matches!(first >> 4, 4 | 6))) {
        Some(at) => Carried::Ip(at),
        None => Carried::Other,
    }
}

/// Which way a packet went, as seen from the host that recorded it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Way {
    Unknown,
    Received,
    Sent,
}

/// Returns which way a packet went. Only the headers that Linux makes for captures of all its interfaces say this
/// (tcpdump.org/linktypes/LINKTYPE_LINUX_SLL.html). The way of packets to other hosts or to groups is unknown, because
/// this host may only have overheard them.
pub fn way_of(link: u32, data: &[u8]) -> Way {
    let kind = match link {
        LINUX_COOKED => word(data, 0),
        LINUX_COOKED_2 => data.get(10).copied().map(u16::from),
        _ => None,
    };
    match kind {
        Some(PACKET_HOST) => Way::Received,
        Some(PACKET_OUTGOING) => Way::Sent,
        _ => Way::Unknown,
    }
}

/// Returns where the IP packet begins, after tags of virtual networks (IEEE 802.1Q) or the header of a PPPoE session
/// (RFC 2516 §4). `at` is the offset of the payload's type. `None` if there is no IP packet.
fn by_type(data: &[u8], mut at: usize) -> Option<usize> {
    while matches!(word(data, at), Some(0x8100 | 0x88a8 | 0x9100)) {
        at += 4;
    }
    match word(data, at) {
        Some(PPPOE_SESSION) => ppp(data.get(at + 8..)?).map(|inner| at + 8 + inner),
        kind => is_ip_type(kind).then_some(at + 2),
    }
}

/// Finds the packet in a frame of PPP (RFC 1662 §3.1), with or without address and control bytes.
fn ppp(data: &[u8]) -> Option<usize> {
    let at = if data.starts_with(&[0xff, 0x03]) { 2 } else { 0 };
    matches!(word(data, at), Some(0x0021 | 0x0057)).then_some(at + 2)
}

fn is_ip_type(kind: Option<u16>) -> bool {
    matches!(kind, Some(0x0800 | 0x86dd))
}

fn word(data: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_be_bytes(*data.get(at..)?.first_chunk::<2>()?))
}

const NULL: u32 = 0;
const ETHERNET: u32 = 1;
const PPP: u32 = 9;
const RAW_BSD: u32 = 12;
const RAW_OPENBSD: u32 = 14;
const RAW: u32 = 101;
const LOOP: u32 = 108;
const LINUX_COOKED: u32 = 113;
const IPV4: u32 = 228;
const IPV6: u32 = 229;
const LINUX_COOKED_2: u32 = 276;
const PPPOE_SESSION: u16 = 0x8864;
const PACKET_HOST: u16 = 0;
const PACKET_OUTGOING: u16 = 4;

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a packet with these bytes before IPv4's first byte.
    fn behind(header: &[u8]) -> Vec<u8> {
        [header, &[0x45, 0, 0, 20]].concat()
    }

    #[test]
    fn finds_ip_behind_each_link_layer() {
        let ethernet = [&[0; 12][..], &[8, 0]].concat();
        let tagged = [&[0; 12][..], &[0x88, 0xa8, 0, 1, 0x81, 0, 0, 2, 8, 0]].concat();
        let session = [&[0; 12][..], &[0x88, 0x64, 0x11, 0, 0, 1, 0, 30, 0, 0x21]].concat();
        let cooked = [&[0; 14][..], &[8, 0]].concat();
        let cooked_2 = [&[8, 0][..], &[0; 18]].concat();
        let of: [(u32, &[u8]); 12] = [
            (ETHERNET, &ethernet),
            (ETHERNET, &tagged),
            (ETHERNET, &session),
            (LINUX_COOKED, &cooked),
            (LINUX_COOKED_2, &cooked_2),
            (NULL, &[2, 0, 0, 0]),
            (LOOP, &[0, 0, 0, 2]),
            (PPP, &[0xff, 3, 0, 0x21]),
            (PPP, &[0, 0x21]),
            (RAW, &[]),
            (RAW_BSD, &[]),
            (IPV4, &[]),
        ];
        for (link, header) in of {
            assert_eq!(carried_packet(link, &behind(header)), Carried::Ip(header.len()), "link type {link}");
            for end in 0..=header.len() {
                assert_eq!(carried_packet(link, &behind(header)[..end]), Carried::Other, "{link} cut at {end}");
            }
        }
    }

    #[test]
    fn headers_of_linux_say_which_way_a_packet_went() {
        for (kind, way) in [(0, Way::Received), (1, Way::Unknown), (3, Way::Unknown), (4, Way::Sent), (5, Way::Unknown)]
        {
            let cooked = [&[0, kind][..], &[0; 12], &[8, 0]].concat();
            let cooked_2 = [&[8, 0, 0, 0, 0, 0, 0, 2, 0, 1, kind][..], &[0; 9]].concat();
            assert_eq!(way_of(LINUX_COOKED, &behind(&cooked)), way);
            assert_eq!(way_of(LINUX_COOKED_2, &behind(&cooked_2)), way);
            assert_eq!(way_of(ETHERNET, &behind(&cooked)), Way::Unknown);
        }
        assert_eq!(way_of(LINUX_COOKED_2, &[8, 0]), Way::Unknown);
    }

    #[test]
    fn other_protocols_and_unknown_link_layers_are_told_apart() {
        let address_resolution = [&[0; 12][..], &[8, 6, 0, 1]].concat();
        assert_eq!(carried_packet(ETHERNET, &address_resolution), Carried::Other);
        assert_eq!(carried_packet(RAW, &[0x15]), Carried::Other);
        assert_eq!(carried_packet(127, &behind(&[])), Carried::Unknown);
    }
}
