//! Records of DTLS 1.3 (RFC 9147 §4).

use crate::ip::Flow;
use crate::packet::TypedPacket;
use crate::sctp::packet::SctpPacket;
use crate::udp;

/// The bytes that UDP and DTLS add to a packet of SCTP.
pub const OVERHEAD_BYTES: usize = UDP_HEADER_BYTES + SEALED_BYTES;
/// The bytes that an encrypted record adds: the unified header with a number of 16 bits and a length (RFC 9147 §4), the
/// type of the content, and the tag of AEAD_AES_128_GCM. A record of DTLS 1.2 adds 37 bytes (RFC 5288 §3).
pub const SEALED_BYTES: usize = SEALED_HEADER_BYTES + 1 + TAG_BYTES;
/// Size of the header of a record without encryption, in bytes (RFC 9147 §4).
pub const PLAIN_BYTES: usize = 13;

const UDP_HEADER_BYTES: usize = 8;
const SEALED_HEADER_BYTES: usize = 5;
const TAG_BYTES: usize = 16;
/// The first byte of a unified header with a number of 16 bits and a length. The last two bits, which are 0 here, hold
/// the low bits of the epoch.
const UNIFIED: u8 = 0b0010_1100;
const EPOCH_OF_DATA: u8 = 3;
/// DTLS 1.2, which every plain record of DTLS 1.3 has as its version.
const LEGACY_VERSION: [u8; 2] = [0xfe, 0xfd];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum ContentType {
    Handshake = 22,
    Data = 23,
    Ack = 26,
}

/// A record that was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Record<'a> {
    pub content_type: ContentType,
    pub content: &'a [u8],
}

/// Iterates over the records of a datagram, up to the first that is invalid.
pub fn records(datagram: &[u8]) -> impl Iterator<Item = Record<'_>> {
    let mut rest = datagram;
    std::iter::from_fn(move || {
        let (record, after) = read_record(rest)?;
        rest = after;
        Some(record)
    })
}

fn read_record(bytes: &[u8]) -> Option<(Record<'_>, &[u8])> {
    let first = *bytes.first()?;
    let length = |at: usize| Some(usize::from(u16::from_be_bytes(bytes.get(at..at + 2)?.try_into().ok()?)));
    if first == ContentType::Handshake as u8 {
        let end = PLAIN_BYTES + length(PLAIN_BYTES - 2)?;
        let content = bytes.get(PLAIN_BYTES..end)?;
        return Some((Record { content_type: ContentType::Handshake, content }, &bytes[end..]));
    }
    if first & !EPOCH_OF_DATA != UNIFIED {
        return None;
    }
    let end = SEALED_HEADER_BYTES + length(SEALED_HEADER_BYTES - 2)?;
    let content = bytes.get(SEALED_HEADER_BYTES..end)?;
    let (kind, content) = content.get(..content.len().checked_sub(TAG_BYTES)?)?.split_last()?;
    let content_type = match kind {
        22 => ContentType::Handshake,
        23 => ContentType::Data,
        26 => ContentType::Ack,
        _ => return None,
    };
    Some((Record { content_type, content }, &bytes[end..]))
}

pub fn write_plain(datagram: &mut Vec<u8>, content: &[u8]) {
    datagram.push(ContentType::Handshake as u8);
    datagram.extend_from_slice(&LEGACY_VERSION);
    datagram.extend_from_slice(&[0; 8]); // epoch and number
    datagram.extend_from_slice(&(content.len() as u16).to_be_bytes());
    datagram.extend_from_slice(content);
}

pub fn write_sealed(datagram: &mut Vec<u8>, epoch: u8, content_type: ContentType, content: &[u8]) {
    write_numbered(datagram, epoch, 0, content_type, content);
}

fn write_numbered(datagram: &mut Vec<u8>, epoch: u8, number: u16, content_type: ContentType, content: &[u8]) {
    datagram.push(UNIFIED | epoch);
    datagram.extend_from_slice(&number.to_be_bytes());
    datagram.extend_from_slice(&((content.len() + 1 + TAG_BYTES) as u16).to_be_bytes());
    datagram.extend_from_slice(content);
    datagram.push(content_type as u8);
    datagram.extend_from_slice(&[0; TAG_BYTES]);
}

/// A datagram that is sent to another endpoint of the simulation.
#[derive(Debug)]
pub struct DtlsPacket {
    /// The flow as the sender sees it.
    pub flow: Flow,
    /// The identification of the IP packet.
    pub identification: u16,
    pub content: Content,
}

#[derive(Debug)]
pub enum Content {
    /// The records of a handshake.
    Handshake(Vec<u8>),
    /// A packet of SCTP, which is the content of one record with this number.
    Sctp { packet: Box<SctpPacket>, number: u16 },
}

impl TypedPacket for DtlsPacket {
    fn wire_bytes(&self) -> usize {
        udp::HEADERS_BYTES
            + match &self.content {
                Content::Handshake(datagram) => datagram.len(),
                Content::Sctp { packet, .. } => packet.bytes.len() + SEALED_BYTES,
            }
    }

    fn to_wire(&self) -> Vec<u8> {
        match &self.content {
            Content::Handshake(datagram) => udp::packet(&self.flow, self.identification, datagram),
            Content::Sctp { packet, number } => {
                let mut datagram = Vec::with_capacity(packet.bytes.len() + SEALED_BYTES);
                write_numbered(&mut datagram, EPOCH_OF_DATA, *number, ContentType::Data, &packet.bytes);
                udp::packet(&self.flow, self.identification, &datagram)
            }
        }
    }
}
