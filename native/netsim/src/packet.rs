use std::any::Any;
use std::fmt;

/// An IPv4 packet: its bytes, or what an end of ours would make them from.
///
/// Bytes cost: headers, checksums, a copy of the data, and the same again to read them. Between two ends of ours they
/// are made for captures only.
#[derive(Debug)]
pub enum Packet {
    Wire(Vec<u8>),
    Typed(Box<dyn TypedPacket>),
}

/// A packet as its sender has it. The receiver knows it by its type (`downcast` of its [`Any`]).
pub trait TypedPacket: Any + fmt::Debug {
    /// Of [`TypedPacket::to_wire`]: IP packet, header included.
    fn wire_bytes(&self) -> usize;

    fn to_wire(&self) -> Vec<u8>;
}

impl Packet {
    /// IP packet, header included.
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

/// By their bytes.
impl PartialEq for Packet {
    fn eq(&self, other: &Self) -> bool {
        self.to_wire() == other.to_wire()
    }
}

impl Eq for Packet {}
