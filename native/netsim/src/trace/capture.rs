use std::borrow::Cow;
use std::io;

use etherparse::UdpHeader;
use pcap_file::pcapng::PcapNgWriter;
use pcap_file::pcapng::blocks::enhanced_packet::{EnhancedPacketBlock, EnhancedPacketOption};
use pcap_file::pcapng::blocks::interface_description::{InterfaceDescriptionBlock, InterfaceDescriptionOption};
use pcap_file::pcapng::blocks::section_header::{SectionHeaderBlock, SectionHeaderOption};
use pcap_file::{DataLink, Endianness};

use super::{Fate, PacketLog, Trace};
use crate::ip;
use crate::packet::{self, Ecn};
use crate::time::SimTime;

/// Writes the recorded packets as a pcapng file of raw IPv4 packets with times in nanoseconds. Each direction is an
/// interface of its own.
///
/// The file has no packets of the other flows that share the path (`src/traffic`). Packets are captured at their
/// sender, so lost packets are also in the file. A comment on each lost packet says why it did not arrive. UDP
/// datagrams that carry neither QUIC nor DTLS are not acknowledged. So each of them that arrived has a comment that
/// says how long it was on its way. A packet that a queue marked is written as it arrived, with the codepoint CE, and
/// has a comment. The file has no packets unless the run recorded bytes ([`super::Recording`]). `application` is the
/// name and version of the program that writes the file.
///
/// # Errors
/// Writing to `out` failed.
pub fn write_pcapng<W: io::Write>(trace: &Trace, application: &str, out: W) -> io::Result<W> {
    let (log, start) = (&trace.packets, trace.start);
    let to_io = |error: pcap_file::PcapError| io::Error::other(error.to_string());
    let mut options = vec![SectionHeaderOption::UserApplication(Cow::Owned(application.to_owned()))];
    for comment in [QUIC_COMMENT, DTLS_COMMENT] {
        if log.bytes.iter().any(|packet| plaintext_comment(packet) == Some(comment)) {
            options.push(SectionHeaderOption::Comment(Cow::Borrowed(comment)));
        }
    }
    let section = SectionHeaderBlock { endianness: Endianness::Little, options, ..Default::default() };
    let mut writer = PcapNgWriter::with_section_header(out, section).map_err(to_io)?;
    for name in ["down (server to client)", "up (client to server)"] {
        let options = vec![
            InterfaceDescriptionOption::IfName(Cow::Borrowed(name)),
            // the resolution of times is 10^-9 s
            InterfaceDescriptionOption::IfTsResol(9),
        ];
        let interface = InterfaceDescriptionBlock { linktype: DataLink::IPV4, snaplen: 0, options };
        writer.write_pcapng_block(interface).map_err(to_io)?;
    }
    for (row, bytes) in log.bytes.iter().enumerate() {
        let is_marked = log.packets.marked[row] == 1;
        let mut data = Cow::Borrowed(bytes.as_slice());
        if is_marked {
            packet::set_codepoint(data.to_mut(), Ecn::Ce);
        }
        let packet = EnhancedPacketBlock {
            interface_id: u32::from(log.packets.direction[row]),
            timestamp: SimTime::from_ns(log.packets.sent_ns[row]).saturating_since(start),
            original_len: bytes.len() as u32,
            data,
            options: fate_comment(log.packets.fate[row])
                .or(is_marked.then_some(MARKED_COMMENT))
                .map(Cow::Borrowed)
                .or_else(|| arrival_comment(log, row).map(Cow::Owned))
                .map(EnhancedPacketOption::Comment)
                .into_iter()
                .collect(),
        };
        writer.write_pcapng_block(packet).map_err(to_io)?;
    }
    Ok(writer.into_inner())
}

/// The comment that Wireshark shows beside a packet that never arrived.
fn fate_comment(fate: u8) -> Option<&'static str> {
    match fate {
        fate if fate == Fate::Lost as u8 => Some("dropped: lost on the path"),
        fate if fate == Fate::QueueFull as u8 => Some("dropped: the queue was full"),
        fate if fate == Fate::Early as u8 => Some("dropped: by the queue, to signal congestion"),
        fate if fate == Fate::Policed as u8 => Some("dropped: by the policer of the link"),
        fate if fate == Fate::HandedOver as u8 => Some("dropped: the client had left the path"),
        fate if fate == Fate::InFlight as u8 => Some("on its way when the run ended"),
        _ => None,
    }
}

/// The comment on a UDP datagram that arrived and carries neither QUIC nor DTLS; `None` for any other packet.
fn arrival_comment(log: &PacketLog, row: usize) -> Option<String> {
    let packets = &log.packets;
    if packets.fate[row] != Fate::Delivered as u8 || !is_bare_datagram(&log.bytes[row]) {
        return None;
    }
    let after = |at: u64| at.saturating_sub(packets.sent_ns[row]);
    let arrived = format!("arrived {} ns after it was sent", after(packets.fate_ns[row]));
    Some(match packets.copy_ns[row] {
        u64::MAX => arrived,
        copy => format!("{arrived}, its copy after {} ns", after(copy)),
    })
}

/// Whether this UDP packet carries neither QUIC nor DTLS. Returns false for packets of other protocols.
fn is_bare_datagram(packet: &[u8]) -> bool {
    packet.get(9) == Some(&ip::UDP) && plaintext_comment(packet).is_none()
}

/// The comment for a whole file that contains this packet, if the packet carries QUIC or DTLS from or to the port of
/// HTTPS; `None` for any other packet. On a real network these protocols encrypt all data.
fn plaintext_comment(packet: &[u8]) -> Option<&'static str> {
    let port = |at: usize| packet.get(at..at + 2).map(|bytes| u16::from_be_bytes([bytes[0], bytes[1]]));
    let header = packet.first().map_or(0, |first| usize::from(first & 0x0f) * 4);
    let is_secure = [port(header), port(header + 2)].contains(&Some(ip::HTTPS_PORT));
    let first = packet.get(header + UdpHeader::LEN).filter(|_| packet.get(9) == Some(&ip::UDP) && is_secure)?;
    // QUIC packets have the fixed bit, and DTLS records do not (RFC 9000 §17, RFC 9443)
    Some(if first & 0x40 == 0 { DTLS_COMMENT } else { QUIC_COMMENT })
}

/// The comment on a packet that a queue marked.
const MARKED_COMMENT: &str = "marked: by the queue, to signal congestion; it was sent as ECT";

const QUIC_COMMENT: &str = "The QUIC packets of this capture are not encrypted and their headers are not protected. \
    There are no keys, so dissectors of QUIC version 1 report that they cannot decrypt them. \
    `interleave qlog` writes their frames.";
const DTLS_COMMENT: &str = "The DTLS records of this capture are not encrypted. There are no keys, so dissectors report \
    that they cannot decrypt them. Each record after the handshake contains an SCTP packet, the content type, and \
    zeros in place of the authentication tag. `interleave open` reads them.";
