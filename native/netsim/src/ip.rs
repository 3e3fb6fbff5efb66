//! IPv4 packets that carry the transports' segments (RFC 791).

use std::net::{Ipv4Addr, SocketAddrV4};

use etherparse::checksum::Sum16BitWords;
use etherparse::{IpNumber, Ipv4Header};

/// Size of an IPv4 header without options, in bytes.
pub const HEADER_BYTES: usize = Ipv4Header::MIN_LEN;

// IP protocol numbers.
pub const TCP: u8 = 6;
pub const UDP: u8 = 17;
pub const SCTP: u8 = 132;

/// The port of a server with TLS, over TCP (RFC 9110 §4.2.2) or over QUIC (RFC 9114 §3.1).
pub const HTTPS_PORT: u16 = 443;

/// A client's address on the path with this number, after this many hand-overs.
pub fn client_address(hand_overs: u8, path: u32) -> Ipv4Addr {
    Ipv4Addr::new(10, hand_overs, path as u8, 1)
}

/// The number of hand-overs after which a client got this address.
pub fn hand_overs_before(address: Ipv4Addr) -> u8 {
    address.octets()[1]
}

/// The address that a client had before its first hand-over.
pub fn home_address(address: Ipv4Addr) -> Ipv4Addr {
    client_address(0, address.octets()[2].into())
}

/// The addresses and ports of a flow, from the view of one end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Flow {
    pub local: SocketAddrV4,
    pub remote: SocketAddrV4,
}

impl Flow {
    /// Returns the same flow from the view of the other end.
    pub fn reversed(self) -> Flow {
        Flow { local: self.remote, remote: self.local }
    }
}

/// Puts `payload` in an IPv4 packet with "don't fragment" set. `identification` counts the packets of the sender.
///
/// Panics if the packet would be larger than 65535 bytes, which cannot happen while the transports keep to their MTU.
pub fn packet(flow: &Flow, protocol: u8, identification: u16, payload: &[u8]) -> Vec<u8> {
    let payload_bytes = u16::try_from(payload.len()).unwrap_or(u16::MAX);
    let (source, destination) = (flow.local.ip().octets(), flow.remote.ip().octets());
    let Ok(mut header) = Ipv4Header::new(payload_bytes, 64, IpNumber(protocol), source, destination) else {
        unreachable!("payload of {} bytes is too large for IPv4", payload.len());
    };
    header.identification = identification;
    header.header_checksum = header.calc_header_checksum();
    let mut packet = Vec::with_capacity(HEADER_BYTES + payload.len());
    packet.extend_from_slice(&header.to_bytes());
    packet.extend_from_slice(payload);
    packet
}

/// Returns the header and payload of an IPv4 packet of `protocol` that the remote end of `flow` sent to the local end.
/// Returns `None` if the packet is truncated, is a fragment, has other addresses or another protocol, or has a wrong
/// header checksum.
pub fn parse<'a>(flow: &Flow, protocol: u8, packet: &'a [u8]) -> Option<(Ipv4Header, &'a [u8])> {
    let (header, rest) = Ipv4Header::from_slice(packet).ok()?;
    // the checksum is computed over the received bytes, because the parsed header no longer has the reserved bits
    let checksum = Sum16BitWords::new().add_slice(packet.get(..header.header_len())?).ones_complement();
    let payload = rest.get(..usize::from(header.payload_len().ok()?))?;
    let for_us = header.source == flow.remote.ip().octets() && header.destination == flow.local.ip().octets();
    (for_us && checksum == 0 && !header.is_fragmenting_payload() && header.protocol == IpNumber(protocol))
        .then_some((header, payload))
}

/// The checksum over IPv4's pseudo header (RFC 9293 §3.1) and `segment`. It is 0 if the segment is intact.
pub fn transport_checksum(header: &Ipv4Header, segment: &[u8]) -> u16 {
    Sum16BitWords::new()
        .add_4bytes(header.source)
        .add_4bytes(header.destination)
        .add_2bytes([0, header.protocol.0])
        .add_2bytes((segment.len() as u16).to_be_bytes())
        .add_slice(segment)
        .ones_complement()
}
