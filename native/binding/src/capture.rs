//! Reads the packets of capture files: pcapng (draft-ietf-opsawg-pcapng) and pcap (draft-ietf-opsawg-pcap).

use std::collections::BTreeMap;

use pcap_file::pcap::PcapParser;
use pcap_file::pcapng::blocks::enhanced_packet::EnhancedPacketOption;
use pcap_file::pcapng::blocks::interface_description::{InterfaceDescriptionBlock, InterfaceDescriptionOption};
use pcap_file::pcapng::blocks::packet::PacketOption;
use pcap_file::pcapng::blocks::section_header::SectionHeaderOption;
use pcap_file::pcapng::{Block, PcapNgParser, RawBlock};
use pcap_file::{Endianness, PcapError, TsResolution};
use serde_json::json;

use crate::error::{Result, invalid};
use crate::link_layer::{Carried, Way, carried_packet, way_of};

/// The IP packets of a capture file, in order of time. Row i of each column is one packet.
#[derive(Debug, Default)]
pub struct Capture {
    /// Time since the first packet in ns.
    pub at_ns: Vec<u64>,
    /// Size of the IP packet on the wire.
    pub bytes: Vec<u32>,
    /// Where the IP packet begins in the file.
    pub start: Vec<u32>,
    /// How many bytes of the IP packet the file has.
    pub length: Vec<u32>,
    /// Which way the packet went at the host that recorded it: 0 if the file does not say it, 1 if it was received, 2
    /// if it was sent.
    pub way: Vec<u8>,
    /// Index of the interface's name in `texts`.
    pub interface: Vec<u32>,
    /// Index of the comment in `texts`.
    pub comment: Vec<u32>,
    /// JSON with the texts that rows refer to (the first is empty), the program that wrote the file, the key log that
    /// the file contains, and sentences about what could not be read.
    pub texts: Vec<u8>,
}

/// Reads a capture file.
///
/// If the file is truncated, or damaged so that the next packet cannot be found, the packets before this place are
/// returned. A packet whose own block is damaged is left out.
///
/// # Errors
/// The bytes are no capture file, its header is damaged, the file or one of its blocks is too large, the file has too
/// many packets or interfaces or spans too much time, or it has packets of an unknown link layer and no IP packet.
pub fn read_capture(file: &[u8]) -> Result<Capture> {
    if file.len() > MOST_FILE_BYTES {
        return Err(invalid(format!("the capture has {} bytes (at most {MOST_FILE_BYTES})", file.len())));
    }
    let mut reader = Reader { file, ..Reader::default() };
    match file.first_chunk::<4>() {
        Some([0x0a, 0x0d, 0x0d, 0x0a]) => reader.read_pcapng()?,
        Some(
            [0xa1, 0xb2, 0xc3, 0xd4] | [0xd4, 0xc3, 0xb2, 0xa1] | [0xa1, 0xb2, 0x3c, 0x4d] | [0x4d, 0x3c, 0xb2, 0xa1],
        ) => {
            reader.read_pcap()?;
        }
        _ => return Err(invalid("the file is neither pcapng nor pcap, as its first 4 bytes show")),
    }
    reader.finish()
}

#[derive(Default)]
struct Reader<'a> {
    file: &'a [u8],
    rows: Vec<Row>,
    texts: Texts,
    application: String,
    keys: String,
    /// How many packets were left out because they carry no IP packet.
    other: u64,
    /// How many packets were left out because their block is damaged, or names an interface that was not described.
    damaged: u64,
    /// How many packets were left out because their block has no time, or because the interface's ticks are too short.
    timeless: u64,
    /// The number of the last unknown link layer. `None` if all are known.
    unknown_link: Option<u32>,
    /// How many packets were left out because their link layer is unknown.
    unknown: u64,
    /// How many bytes at the end of the file were not read.
    unread: usize,
}

/// One IP packet. `at_ns` is the time that the file states, not yet the time since the first packet.
struct Row {
    at_ns: i128,
    bytes: u32,
    start: u32,
    length: u32,
    way: Way,
    interface: u32,
    comment: u32,
}

/// A packet of the link layer, as the file has it.
struct Packet<'a> {
    at_ns: i128,
    original_bytes: u32,
    data: &'a [u8],
    /// Which way the packet went, as its block says. If the block does not say it, the header of the link layer may.
    way: Way,
    interface: u32,
    comment: u32,
}

struct Interface {
    link: u32,
    name: u32,
    ticks_per_second: Option<u128>,
    offset_s: i64,
}

impl<'a> Reader<'a> {
    fn read_pcap(&mut self) -> Result<()> {
        let (mut rest, parser) = PcapParser::new(self.file).map_err(|error| damaged_at(0, &error))?;
        let header = parser.header();
        // the upper bits say whether packets end with a checksum of the link layer
        let link = u32::from(header.datalink) & 0xffff;
        while !rest.is_empty() {
            let Ok((after, packet)) = parser.next_raw_packet(rest) else { break };
            let from = self.offset_of(after) - packet.incl_len as usize;
            let data = &self.file[from..from + packet.incl_len as usize];
            rest = after;
            let unit_ns = if header.ts_resolution == TsResolution::NanoSecond { 1 } else { 1000 };
            let at_ns = i128::from(packet.ts_sec) * NS_PER_S + i128::from(packet.ts_frac) * unit_ns;
            let way = Way::Unknown;
            self.add(link, Packet { at_ns, original_bytes: packet.orig_len, data, way, interface: 0, comment: 0 })?;
        }
        self.unread = rest.len();
        Ok(())
    }

    fn read_pcapng(&mut self) -> Result<()> {
        check_size(self.file, Endianness::Little)?;
        let (mut rest, mut parser) = PcapNgParser::new(self.file).map_err(|error| damaged_at(0, &error))?;
        let mut interfaces: Vec<Interface> = Vec::new();
        self.note_application(&parser);
        while !rest.is_empty() {
            check_size(rest, parser.section().endianness)?;
            let Ok((after, raw)) = parser.next_raw_block(rest) else { break };
            rest = after;
            let endianness = parser.section().endianness;
            match raw.type_ {
                SECTION_HEADER_BLOCK => {
                    interfaces.clear();
                    self.note_application(&parser);
                }
                INTERFACE_DESCRIPTION_BLOCK => {
                    if interfaces.len() == MOST_INTERFACES {
                        return Err(invalid(format!("the capture has more than {MOST_INTERFACES} interfaces")));
                    }
                    interfaces.extend(parser.interfaces().last().map(|block| self.interface(block)));
                }
                ENHANCED_PACKET_BLOCK | PACKET_BLOCK => self.add_block(raw, endianness, &interfaces)?,
                SIMPLE_PACKET_BLOCK => self.timeless += 1,
                DECRYPTION_SECRETS_BLOCK => self.add_keys(&raw, endianness),
                _ => {}
            }
        }
        self.unread = rest.len();
        Ok(())
    }

    fn note_application(&mut self, parser: &PcapNgParser) {
        for option in &parser.section().options {
            if let SectionHeaderOption::UserApplication(name) = option {
                self.application = name.chars().take(MOST_NAME_CHARACTERS).collect();
            }
        }
    }

    fn interface(&mut self, block: &InterfaceDescriptionBlock<'_>) -> Interface {
        // without the option, times are in microseconds (§4.2 of the draft)
        let (mut name, mut resolution, mut offset_s) = (0, 6, 0);
        for option in &block.options {
            match option {
                InterfaceDescriptionOption::IfName(text) => name = self.texts.index_of(text),
                InterfaceDescriptionOption::IfTsResol(exponent) => resolution = *exponent,
                InterfaceDescriptionOption::IfTsOffset(seconds) => offset_s = seconds.cast_signed(),
                _ => {}
            }
        }
        Interface { link: block.linktype.into(), name, ticks_per_second: ticks_per_second(resolution), offset_s }
    }

    fn add_block(&mut self, raw: RawBlock<'a>, endianness: Endianness, interfaces: &[Interface]) -> Result<()> {
        let block = match endianness {
            Endianness::Big => raw.try_into_block::<byteorder_slice::BigEndian>(),
            Endianness::Little => raw.try_into_block::<byteorder_slice::LittleEndian>(),
        };
        let (number, ticks, original_bytes, data, way, comment) = match &block {
            Ok(Block::EnhancedPacket(packet)) => {
                let comments = packet.options.iter().filter_map(|option| match option {
                    EnhancedPacketOption::Comment(text) => Some(text.as_ref()),
                    _ => None,
                });
                // the parser takes the ticks for nanoseconds, whatever the resolution of the interface is
                let ticks = packet.timestamp.as_nanos();
                let comment = self.texts.index_of(&comments.collect::<Vec<_>>().join("\n"));
                let way = packet.options.iter().find_map(|option| match option {
                    EnhancedPacketOption::Flags(flags) => Some(way_in(*flags)),
                    _ => None,
                });
                (packet.interface_id, ticks, packet.original_len, &packet.data, way.unwrap_or(Way::Unknown), comment)
            }
            Ok(Block::Packet(packet)) => {
                let comments = packet.options.iter().filter_map(|option| match option {
                    PacketOption::Comment(text) => Some(text.as_ref()),
                    _ => None,
                });
                // in both byte orders the upper half of the time comes first, but the parser reads both halves as one
                // number
                let swaps = endianness == Endianness::Little;
                let ticks = if swaps { packet.timestamp.rotate_left(32) } else { packet.timestamp };
                let comment = self.texts.index_of(&comments.collect::<Vec<_>>().join("\n"));
                (packet.interface_id.into(), ticks.into(), packet.original_len, &packet.data, Way::Unknown, comment)
            }
            _ => {
                self.damaged += 1;
                return Ok(());
            }
        };
        let Some(interface) = interfaces.get(number as usize) else {
            self.damaged += 1;
            return Ok(());
        };
        let Some(per_second) = interface.ticks_per_second else {
            self.timeless += 1;
            return Ok(());
        };
        let Some(from) = self.place_of(data) else { return Ok(()) };
        let data = &self.file[from..from + data.len()];
        let at_ns = (ticks * NS_PER_S.unsigned_abs() / per_second) as i128 + i128::from(interface.offset_s) * NS_PER_S;
        self.add(interface.link, Packet { at_ns, original_bytes, data, way, interface: interface.name, comment })
    }

    /// Adds the key log of a Decryption Secrets Block (§4.7 of the draft).
    fn add_keys(&mut self, block: &RawBlock<'_>, endianness: Endianness) {
        let word = |at: usize| {
            let bytes = *block.body.get(at..)?.first_chunk::<4>()?;
            Some(if endianness == Endianness::Big { u32::from_be_bytes(bytes) } else { u32::from_le_bytes(bytes) })
        };
        let (Some(TLS_KEY_LOG), Some(length)) = (word(0), word(4)) else { return };
        let Some(text) = block.body.get(8..).and_then(|body| body.get(..length as usize)) else { return };
        if self.keys.len() + text.len() <= MOST_KEY_BYTES {
            self.keys.push_str(&String::from_utf8_lossy(text));
            self.keys.push('\n');
        }
    }

    fn add(&mut self, link: u32, packet: Packet<'_>) -> Result<()> {
        if self.rows.len() == MOST_PACKETS {
            return Err(invalid(format!("the capture has more than {MOST_PACKETS} packets")));
        }
        let from = match carried_packet(link, packet.data) {
            Carried::Ip(from) => from,
            Carried::Other => {
                self.other += 1;
                return Ok(());
            }
            Carried::Unknown => {
                self.unknown_link = Some(link);
                self.unknown += 1;
                return Ok(());
            }
        };
        let ip = &packet.data[from..];
        let on_wire = (packet.original_bytes as usize).saturating_sub(from).max(ip.len());
        let bytes = packet_bytes(ip).unwrap_or(on_wire);
        let Some(start) = self.place_of(ip) else { return Ok(()) };
        self.rows.push(Row {
            at_ns: packet.at_ns,
            bytes: bytes as u32,
            start: start as u32,
            length: ip.len().min(bytes) as u32,
            way: if packet.way == Way::Unknown { way_of(link, packet.data) } else { packet.way },
            interface: packet.interface,
            comment: packet.comment,
        });
        Ok(())
    }

    /// Returns the offset at which a part of the file begins. `None` if `part` is not a part of the file.
    fn place_of(&self, part: &[u8]) -> Option<usize> {
        let at = (part.as_ptr() as usize).checked_sub(self.file.as_ptr() as usize)?;
        (at + part.len() <= self.file.len()).then_some(at)
    }

    /// Returns the offset at which the unread rest of the file begins.
    fn offset_of(&self, rest: &[u8]) -> usize {
        self.file.len() - rest.len()
    }

    fn finish(mut self) -> Result<Capture> {
        if let (true, Some(link)) = (self.rows.is_empty(), self.unknown_link) {
            return Err(invalid(format!(
                "the capture has packets of link type {link} (must be Ethernet, Linux cooked, PPP, loopback or raw IP)"
            )));
        }
        self.rows.sort_by_key(|row| row.at_ns);
        let first = self.rows.first().map_or(0, |row| row.at_ns);
        let span_ns = self.rows.last().map_or(0, |row| row.at_ns) - first;
        if span_ns > MOST_SPAN_NS {
            return Err(invalid(format!(
                "the times of the capture span {} s (at most {} s)",
                span_ns / NS_PER_S,
                MOST_SPAN_NS / NS_PER_S
            )));
        }
        let notes = self.notes();
        let mut capture = Capture::default();
        for row in self.rows {
            capture.at_ns.push((row.at_ns - first) as u64);
            capture.bytes.push(row.bytes);
            capture.start.push(row.start);
            capture.length.push(row.length);
            capture.way.push(row.way as u8);
            capture.interface.push(row.interface);
            capture.comment.push(row.comment);
        }
        let texts = json!({
            "texts": self.texts.list,
            "application": self.application,
            "keys": self.keys,
            "notes": notes,
        });
        capture.texts = texts.to_string().into_bytes();
        Ok(capture)
    }

    fn notes(&self) -> Vec<String> {
        let left_out = |count: u64, what: &str| match count {
            0 => None,
            1 => Some(format!("1 packet {what} was left out.")),
            _ => Some(format!("{count} packets {what} were left out.")),
        };
        let cut = format!("The file is truncated or damaged: its last {} bytes were not read.", self.unread);
        [
            left_out(self.other, "without IP"),
            left_out(self.unknown, "of an unknown link layer"),
            left_out(self.damaged, "with a damaged block"),
            left_out(self.timeless, "without a time"),
            (self.unread > 0).then_some(cut),
        ]
        .into_iter()
        .flatten()
        .collect()
    }
}

/// Texts and their indices. The first text is empty. Each text is stored once, because most packets have the same
/// comment, or none.
struct Texts {
    list: Vec<String>,
    indices: BTreeMap<String, u32>,
}

impl Default for Texts {
    fn default() -> Self {
        Texts { list: vec![String::new()], indices: BTreeMap::from([(String::new(), 0)]) }
    }
}

impl Texts {
    fn index_of(&mut self, text: &str) -> u32 {
        if let Some(index) = self.indices.get(text) {
            return *index;
        }
        let index = self.list.len() as u32;
        self.list.push(text.to_owned());
        self.indices.insert(text.to_owned(), index);
        index
    }
}

/// Returns an error if the first of these blocks is much larger than its type needs. Call this function before the
/// parser uses memory for the options of the block.
fn check_size(blocks: &[u8], endianness: Endianness) -> Result<()> {
    let Some(header) = blocks.first_chunk::<12>() else { return Ok(()) };
    let word = |at: usize, endianness| {
        let bytes = [header[at], header[at + 1], header[at + 2], header[at + 3]];
        if endianness == Endianness::Big { u32::from_be_bytes(bytes) } else { u32::from_le_bytes(bytes) }
    };
    let kind = word(0, endianness);
    // the header of a section states the byte order of the section
    let is_little = word(8, Endianness::Little) == SECTION_MAGIC;
    let own = if is_little { Endianness::Little } else { Endianness::Big };
    let bytes = word(4, if kind == SECTION_HEADER_BLOCK { own } else { endianness });
    let most = match kind {
        SECTION_HEADER_BLOCK | INTERFACE_DESCRIPTION_BLOCK => MOST_HEADER_BYTES,
        ENHANCED_PACKET_BLOCK | PACKET_BLOCK => MOST_PACKET_BYTES,
        _ => return Ok(()),
    };
    if bytes > most {
        return Err(invalid(format!(
            "a block of the capture has {bytes} bytes (at most {most} in a block of type {kind})"
        )));
    }
    Ok(())
}

/// The number of ticks in a second (`if_tsresol`). `None` if a second has more than 2^64 ticks.
fn ticks_per_second(resolution: u8) -> Option<u128> {
    let exponent = u32::from(resolution & 0x7f);
    let base: u128 = if resolution & 0x80 == 0 { 10 } else { 2 };
    base.checked_pow(exponent).filter(|ticks| *ticks <= 1 << 64)
}

/// Returns the size of an IP packet by its header. `None` if the header is truncated or leaves the size open, as in
/// packets that the network card cuts into segments after they are captured.
fn packet_bytes(ip: &[u8]) -> Option<usize> {
    let word = |at: usize| Some(usize::from(u16::from_be_bytes(*ip.get(at..)?.first_chunk::<2>()?)));
    let bytes =
        if ip.first()? >> 4 == 4 { word(2)? } else { word(4).filter(|payload| *payload > 0)? + IPV6_HEADER_BYTES };
    (bytes > 0).then_some(bytes)
}

/// Reads the direction in a packet's flags (§4.3.1 of the draft).
fn way_in(flags: u32) -> Way {
    match flags & 3 {
        1 => Way::Received,
        2 => Way::Sent,
        _ => Way::Unknown,
    }
}

fn damaged_at(offset: usize, error: &PcapError) -> crate::error::Error {
    invalid(format!("the capture is damaged at byte {offset}: {error}"))
}

const NS_PER_S: i128 = 1_000_000_000;
/// The longest capture, in ns. Doubles are exact up to this number.
const MOST_SPAN_NS: i128 = 1 << 53;
/// The largest file. It is held in memory.
const MOST_FILE_BYTES: usize = 400_000_000;
const MOST_PACKETS: usize = 2_000_000;
const MOST_INTERFACES: usize = 256;
/// Size of the largest block that describes a section or an interface. Each option of 4 bytes can take 56 bytes of
/// memory.
const MOST_HEADER_BYTES: u32 = 16_384;
/// Size of the largest block with a packet. Linux captures at most 262,144 bytes of a packet.
const MOST_PACKET_BYTES: u32 = 1 << 20;
const MOST_KEY_BYTES: usize = 16 << 20;
const MOST_NAME_CHARACTERS: usize = 200;

// Types of blocks (§11.1 of the draft).
const SECTION_HEADER_BLOCK: u32 = 0x0a0d_0d0a;
const INTERFACE_DESCRIPTION_BLOCK: u32 = 1;
const PACKET_BLOCK: u32 = 2;
const SIMPLE_PACKET_BLOCK: u32 = 3;
const ENHANCED_PACKET_BLOCK: u32 = 6;
const DECRYPTION_SECRETS_BLOCK: u32 = 10;

/// The type of secrets that are lines of a key log: `TLSK`.
const TLS_KEY_LOG: u32 = 0x544c_534b;
const SECTION_MAGIC: u32 = 0x1a2b_3c4d;
const IPV6_HEADER_BYTES: usize = 40;

#[cfg(test)]
#[path = "capture_test.rs"]
mod tests;
