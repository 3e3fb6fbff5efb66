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
    /// A queue on the way has marked the packet: it experienced congestion.
    Ce = 3,
}

/// An IPv4 packet: either its bytes, or the value from which an endpoint of the simulation would make them.
///
/// Making the bytes costs headers, checksums and a copy of the data, and parsing them costs the same again. Between two
/// endpoints of a simulation the bytes are therefore made only for captures.
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
