use super::chunk::{self, Chunk};
use crate::ip::{self, Flow};
use crate::packet::TypedPacket;

/// An SCTP packet that is sent to another endpoint of the simulation. The sender has already parsed its chunks.
#[derive(Debug)]
pub struct SctpPacket {
    /// The flow as the sender sees it.
    pub flow: Flow,
    /// The identification of the IP packet.
    pub identification: u16,
    /// Common header and chunks (RFC 9260 §3). The receiver does not verify the checksum, so the sender must have made
    /// it correct.
    pub bytes: Vec<u8>,
    /// The chunks in `bytes`; `None` if the packet is malformed.
    chunks: Option<Vec<Chunk>>,
}

impl SctpPacket {
    /// `room` is memory for the chunks; its contents are replaced.
    pub fn new(flow: Flow, identification: u16, bytes: Vec<u8>, mut room: Vec<Chunk>) -> Self {
        let chunks = chunk::read(&bytes, &mut room).then_some(room);
        SctpPacket { flow, identification, bytes, chunks }
    }

    /// The chunks of the packet; empty if the packet is malformed.
    pub fn chunks(&self) -> &[Chunk] {
        self.chunks.as_deref().unwrap_or_default()
    }

    pub fn is_well_formed(&self) -> bool {
        self.chunks.is_some()
    }

    /// Returns the memory of the packet's chunks, which can be reused.
    pub fn into_room(self) -> Vec<Chunk> {
        self.chunks.unwrap_or_default()
    }
}

impl TypedPacket for SctpPacket {
    fn wire_bytes(&self) -> usize {
        ip::HEADER_BYTES + self.bytes.len()
    }

    fn to_wire(&self) -> Vec<u8> {
        ip::packet(&self.flow, ip::SCTP, self.identification, &self.bytes)
    }
}
