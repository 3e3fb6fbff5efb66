use super::chunk::{self, Chunk};
use crate::ip::{self, Flow};
use crate::packet::TypedPacket;

/// An SCTP packet on its way to an end of ours, with its chunks as its sender has read them.
#[derive(Debug)]
pub struct SctpPacket {
    /// The sender's.
    pub flow: Flow,
    /// Of the IP packet.
    pub identification: u16,
    /// Common header and chunks (RFC 9260 §3), the checksum right: it is not looked at again.
    pub bytes: Vec<u8>,
    /// Those of `bytes`; `None` if it is not well formed.
    chunks: Option<Vec<Chunk>>,
}

impl SctpPacket {
    /// `room` is for its chunks, whatever is in it.
    pub fn new(flow: Flow, identification: u16, bytes: Vec<u8>, mut room: Vec<Chunk>) -> Self {
        let chunks = chunk::read(&bytes, &mut room).then_some(room);
        SctpPacket { flow, identification, bytes, chunks }
    }

    /// None of a packet that is not well formed.
    pub fn chunks(&self) -> &[Chunk] {
        self.chunks.as_deref().unwrap_or_default()
    }

    pub fn is_well_formed(&self) -> bool {
        self.chunks.is_some()
    }

    /// The room of its chunks, for the next.
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
