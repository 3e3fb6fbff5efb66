//! Reads the QUIC packets of a simulation, which have neither encryption nor header protection (RFC 9000 §17).

use super::wire::Reader;
use crate::ip::{self, Flow};
use crate::packet::{self, Ecn, TypedPacket};
use crate::udp;

/// The encryption level of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    Initial,
    ZeroRtt,
    Handshake,
    OneRtt,
}

/// A QUIC packet. A datagram has one or more packets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QuicPacket<'a> {
    pub level: Level,
    /// Size of the packet in bytes, header and tag included.
    pub bytes: usize,
    /// The packet number as on the wire, truncated to `number_bytes`.
    pub number: u64,
    pub number_bytes: usize,
    /// The bytes of the frames, without the tag.
    pub payload: &'a [u8],
}

impl QuicPacket<'_> {
    /// Returns the whole packet number. `expected` is one past the largest packet number so far (RFC 9000 §A.3).
    pub fn whole_number(&self, expected: u64) -> u64 {
        let window = 1u64 << (8 * self.number_bytes);
        let candidate = (expected & !(window - 1)) | self.number;
        if candidate + window / 2 <= expected {
            candidate + window
        } else if candidate > expected + window / 2 && candidate >= window {
            candidate - window
        } else {
            candidate
        }
    }
}

/// Iterates over the packets of a datagram, up to the first packet that is malformed or has no frames, such as Retry
/// and Version Negotiation.
#[derive(Clone, Debug)]
pub struct Packets<'a> {
    rest: Reader<'a>,
}

impl<'a> Packets<'a> {
    pub fn new(datagram: &'a [u8]) -> Self {
        Packets { rest: Reader::new(datagram) }
    }
}

impl<'a> Iterator for Packets<'a> {
    type Item = QuicPacket<'a>;

    fn next(&mut self) -> Option<QuicPacket<'a>> {
        let packet = read(&mut self.rest);
        if packet.is_none() {
            self.rest = Reader::new(&[]);
        }
        packet
    }
}

fn read<'a>(rest: &mut Reader<'a>) -> Option<QuicPacket<'a>> {
    let before = rest.len();
    let first = rest.byte()?;
    if first & FIXED_BIT == 0 {
        return None;
    }
    let number_bytes = usize::from(first & 0x03) + 1;
    let (level, mut body) = if first & LONG_HEADER == 0 {
        rest.take(CONNECTION_ID_BYTES)?;
        (Level::OneRtt, Reader::new(rest.rest()))
    } else {
        read_long(rest, first)?
    };
    let number = body.number(number_bytes)?;
    let payload_bytes = body.len().checked_sub(TAG_BYTES)?;
    Some(QuicPacket { level, bytes: before - rest.len(), number, number_bytes, payload: body.take(payload_bytes)? })
}

/// Reads a long header from its second byte up to the packet number (RFC 9000 §17.2).
fn read_long<'a>(rest: &mut Reader<'a>, first: u8) -> Option<(Level, Reader<'a>)> {
    if rest.number(4)? != VERSION {
        return None;
    }
    for _ in 0..2 {
        let id_bytes = rest.byte()?;
        rest.take(usize::from(id_bytes))?;
    }
    let level = match first >> 4 & 0x03 {
        0 => Level::Initial,
        1 => Level::ZeroRtt,
        2 => Level::Handshake,
        _ => return None,
    };
    if level == Level::Initial {
        rest.sized()?; // the token
    }
    Some((level, Reader::new(rest.sized()?)))
}

/// A QUIC datagram that is sent, with what its IP and UDP headers need. Another endpoint of the simulation gets it in
/// this form.
#[derive(Debug)]
pub struct Datagram {
    /// The flow as the sender sees it.
    pub flow: Flow,
    /// The identification of the IP packet.
    pub identification: u16,
    /// The codepoint in the header of the IP packet.
    pub ecn: Ecn,
    pub bytes: Vec<u8>,
}

impl TypedPacket for Datagram {
    fn wire_bytes(&self) -> usize {
        udp::HEADERS_BYTES + self.bytes.len()
    }

    fn to_wire(&self) -> Vec<u8> {
        let mut packet = udp::packet(&self.flow, self.identification, &self.bytes);
        if self.ecn != Ecn::NotEct {
            packet::set_codepoint(&mut packet, self.ecn);
        }
        packet
    }

    fn ecn(&self) -> Ecn {
        self.ecn
    }

    fn mark(&mut self) {
        self.ecn = Ecn::Ce;
    }
}

/// QUIC version 1.
const VERSION: u64 = 1;
const LONG_HEADER: u8 = 0x80;
const FIXED_BIT: u8 = 0x40;
/// Length of both ends' connection ids, in bytes. Most servers on the web use the same length.
pub const CONNECTION_ID_BYTES: usize = 8;
/// Size of the tags of AEAD_AES_128_GCM and AEAD_CHACHA20_POLY1305, in bytes (RFC 9001 §5.3).
pub const TAG_BYTES: usize = 16;
/// Size of an IP packet with a datagram of 1200 bytes (RFC 9000 §14).
pub const MIN_MTU_BYTES: u16 = 1200 + (ip::HEADER_BYTES + 8) as u16;
