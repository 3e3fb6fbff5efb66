use std::any::Any;
use std::fmt;

/// The ECN codepoint in the header of an IP packet, with its bits as value (RFC 3168 §5).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(u8)]
pub enum Ecn {
    /// The transport does not use ECN, so a queue can only drop the packet.
    #[default]
    NotEct = 0,
    /// The transport uses ECN with a scalable congestion control (L4S, RFC 9331 §4.1).
    Ect1 = 1,
    /// The transport uses ECN.
    Ect0 = 2,
    /// A queue on the path has marked the packet: the packet experienced congestion.
    Ce = 3,
}

/// How an end uses ECN. BBR does not react to marks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum EcnMode {
    /// Queues can only drop the packets of this end.
    #[default]
    Off,
    /// Packets are sent with ECT(0), and a mark counts like a loss (RFC 3168).
    Classic,
    /// Packets are sent with ECT(1), and the window falls in proportion to the share of marked packets (RFC 9331).
    L4s,
}

impl EcnMode {
    pub const ALL: [EcnMode; 3] = [EcnMode::Off, EcnMode::Classic, EcnMode::L4s];

    /// The name in the API of the addon.
    pub fn name(self) -> &'static str {
        match self {
            EcnMode::Off => "off",
            EcnMode::Classic => "classic",
            EcnMode::L4s => "l4s",
        }
    }

    /// The codepoint of packets with data.
    pub fn codepoint(self) -> Ecn {
        match self {
            EcnMode::Off => Ecn::NotEct,
            EcnMode::Classic => Ecn::Ect0,
            EcnMode::L4s => Ecn::Ect1,
        }
    }
}

impl Ecn {
    /// The codepoint of an IPv4 packet. A packet of less than two bytes is regarded as a packet without ECN.
    pub fn of_packet(packet: &[u8]) -> Ecn {
        match packet.get(1).map(|byte| byte & ECN_BITS) {
            Some(1) => Ecn::Ect1,
            Some(2) => Ecn::Ect0,
            Some(3) => Ecn::Ce,
            _ => Ecn::NotEct,
        }
    }
}

/// Sets the ECN codepoint of an IPv4 packet, and corrects the header's checksum (RFC 1624 §3). A packet that is shorter
/// than a header stays as it is.
pub fn set_codepoint(packet: &mut [u8], ecn: Ecn) {
    let Some(header) = packet.get_mut(..MIN_HEADER_BYTES) else { return };
    let before = u16::from_be_bytes([header[0], header[1]]);
    header[1] = header[1] & !ECN_BITS | ecn as u8;
    let after = u16::from_be_bytes([header[0], header[1]]);
    let checksum = u16::from_be_bytes([header[10], header[11]]);
    let mut sum = u32::from(!checksum) + u32::from(!before) + u32::from(after);
    while sum > 0xffff {
        sum = (sum & 0xffff) + (sum >> 16);
    }
    header[10..12].copy_from_slice(&(!(sum as u16)).to_be_bytes());
}

/// The ECN field in the second byte of an IPv4 header (RFC 3168 §5).
const ECN_BITS: u8 = 0b11;
/// Size of an IPv4 header without options (RFC 791 §3.1).
const MIN_HEADER_BYTES: usize = 20;

/// An IPv4 packet: either its bytes, or the value from which an endpoint of the simulation would make them.
///
/// Making the bytes costs headers, checksums and a copy of the data, and parsing them costs the same again. Between two
/// endpoints of a simulation the bytes are therefore made only for captures, and if the link duplicates the packet.
#[derive(Debug)]
pub enum Packet {
    Wire(Vec<u8>),
    Typed(Box<dyn TypedPacket>),
}

/// A packet in its sender's own representation. The receiver recognizes the packet by its type (`downcast` of [`Any`]).
pub trait TypedPacket: Any + fmt::Debug {
    /// Size in bytes of the IP packet that [`TypedPacket::to_wire`] makes, header included.
    fn wire_bytes(&self) -> usize;

    fn to_wire(&self) -> Vec<u8>;

    /// The ECN codepoint in the packet's IP header.
    fn ecn(&self) -> Ecn {
        Ecn::NotEct
    }

    /// Sets the ECN codepoint to [`Ecn::Ce`]. It is only called if the codepoint is not [`Ecn::NotEct`].
    fn mark(&mut self) {}
}

impl Packet {
    /// Size of the IP packet in bytes, header included.
    pub fn wire_bytes(&self) -> usize {
        match self {
            Packet::Wire(bytes) => bytes.len(),
            Packet::Typed(packet) => packet.wire_bytes(),
        }
    }

    pub fn to_wire(&self) -> Vec<u8> {
        match self {
            Packet::Wire(bytes) => bytes.clone(),
            Packet::Typed(packet) => packet.to_wire(),
        }
    }

    /// The ECN codepoint in the IP header.
    pub fn ecn(&self) -> Ecn {
        match self {
            Packet::Wire(bytes) => Ecn::of_packet(bytes),
            Packet::Typed(packet) => packet.ecn(),
        }
    }

    /// Sets the ECN codepoint to [`Ecn::Ce`] if the transport uses ECN (RFC 3168 §5).
    pub fn mark(&mut self) {
        if self.ecn() == Ecn::NotEct {
            return;
        }
        match self {
            Packet::Wire(bytes) => set_codepoint(bytes, Ecn::Ce),
            Packet::Typed(packet) => packet.mark(),
        }
    }

    /// Returns a second packet with the same bytes.
    pub fn copied(&self) -> Packet {
        Packet::Wire(self.to_wire())
    }

    pub fn into_wire(self) -> Vec<u8> {
        match self {
            Packet::Wire(bytes) => bytes,
            Packet::Typed(packet) => packet.to_wire(),
        }
    }
}

impl From<Vec<u8>> for Packet {
    fn from(bytes: Vec<u8>) -> Self {
        Packet::Wire(bytes)
    }
}

/// Packets are equal if their bytes are.
impl PartialEq for Packet {
    fn eq(&self, other: &Self) -> bool {
        self.to_wire() == other.to_wire()
    }
}

impl Eq for Packet {}

#[cfg(test)]
mod tests {
    use std::net::{Ipv4Addr, SocketAddrV4};

    use super::*;
    use crate::ip::{self, Flow};

    #[test]
    fn a_marked_packet_has_the_codepoint_ce_and_a_right_checksum() {
        let end = |last, port| SocketAddrV4::new(Ipv4Addr::new(10, 0, 0, last), port);
        let flow = Flow { local: end(1, 1), remote: end(2, 2) };
        for (bits, is_capable) in [(0, false), (1, true), (2, true), (3, true)] {
            for identification in 0..=u16::MAX {
                let mut bytes = ip::packet(&flow, ip::TCP, identification, b"data");
                bytes[1] |= bits;
                bytes[10..12].copy_from_slice(&[0, 0]);
                let header = etherparse::Ipv4Header::from_slice(&bytes).unwrap().0;
                bytes[10..12].copy_from_slice(&header.calc_header_checksum().to_be_bytes());
                let mut packet = Packet::from(bytes.clone());
                packet.mark();
                let marked = packet.into_wire();
                assert!(ip::parse(&flow.reversed(), ip::TCP, &marked).is_some(), "the checksum is right");
                let expected = if is_capable { Ecn::Ce } else { Ecn::NotEct };
                assert_eq!(Ecn::of_packet(&marked), expected);
                assert_eq!(marked[2..10], bytes[2..10], "nothing else changes");
                if identification > 500 && bits != 2 {
                    break;
                }
            }
        }
        let mut cut = Packet::from(vec![0x45, 1]);
        cut.mark();
        assert_eq!(cut.into_wire(), [0x45, 1]);
    }
}
