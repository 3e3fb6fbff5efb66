use bytes::Bytes;
use etherparse::{TcpHeader, TcpOptionElement as Element};

use crate::ip::{self, Flow};
use crate::packet::{self, Ecn, TypedPacket};

/// A TCP segment with its fields as on the wire (RFC 9293 §3.1).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Segment {
    pub seq: u32,
    pub ack: Option<u32>,
    /// The window field of the header, not scaled.
    pub window: u16,
    pub syn: bool,
    pub fin: bool,
    pub rst: bool,
    pub psh: bool,
    pub ecn_flags: EcnFlags,
    pub options: SegmentOptions,
    pub payload: Bytes,
}

/// The flags of the TCP header for ECN.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EcnFlags {
    /// AE, the Accurate ECN flag (RFC 9768 §3.1).
    pub ae: bool,
    /// CWR: the sender has reduced its congestion window (RFC 3168 §6.1).
    pub cwr: bool,
    /// ECE: a marked packet has arrived (RFC 3168 §6.1).
    pub ece: bool,
}

impl EcnFlags {
    /// The flags as a number of three bits, with AE first (the ACE field of RFC 9768 §3.2.2).
    pub fn number(self) -> u8 {
        u8::from(self.ae) << 2 | u8::from(self.cwr) << 1 | u8::from(self.ece)
    }

    /// Returns the flags with this number. Only its lowest three bits are used.
    pub fn of_number(number: u8) -> EcnFlags {
        EcnFlags { ae: number & 4 != 0, cwr: number & 2 != 0, ece: number & 1 != 0 }
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SegmentOptions {
    /// Maximum segment size (RFC 9293 §3.7.1).
    pub mss: Option<u16>,
    /// Shift count (RFC 7323 §2).
    pub window_scale: Option<u8>,
    /// SACK-permitted (RFC 2018 §2).
    pub sack_permitted: bool,
    /// TSval and TSecr (RFC 7323 §3).
    pub timestamps: Option<(u32, u32)>,
    /// At most four SACK blocks, or three together with timestamps (RFC 2018 §3).
    pub sack: Vec<(u32, u32)>,
}

/// A segment with the fields of its IP packet. Its bytes are made only when they are needed ([`TypedPacket::to_wire`]).
#[derive(Debug)]
pub struct SegmentPacket {
    /// The flow as the sender sees it.
    pub flow: Flow,
    /// The identification of the IP packet.
    pub identification: u16,
    /// The codepoint in the header of the IP packet.
    pub ecn: Ecn,
    pub segment: Segment,
}

impl TypedPacket for SegmentPacket {
    fn wire_bytes(&self) -> usize {
        let Segment { options, payload, .. } = &self.segment;
        ip::HEADER_BYTES + TcpHeader::MIN_LEN + options.wire_bytes() + payload.len()
    }

    fn to_wire(&self) -> Vec<u8> {
        let mut bytes = self.segment.encode(&self.flow, self.identification);
        if self.ecn != Ecn::NotEct {
            packet::set_codepoint(&mut bytes, self.ecn);
        }
        bytes
    }

    fn ecn(&self) -> Ecn {
        self.ecn
    }

    fn mark(&mut self) {
        self.ecn = Ecn::Ce;
    }
}

impl Segment {
    /// How many sequence numbers the segment occupies: one for each byte, and one each for SYN and FIN.
    pub fn sequence_length(&self) -> u64 {
        self.payload.len() as u64 + u64::from(self.syn) + u64::from(self.fin)
    }

    /// Wraps the segment in an IPv4 packet, with checksums.
    pub fn encode(&self, flow: &Flow, identification: u16) -> Vec<u8> {
        let mut header = TcpHeader::new(flow.local.port(), flow.remote.port(), self.seq, self.window);
        header.ack = self.ack.is_some();
        header.acknowledgment_number = self.ack.unwrap_or(0);
        (header.syn, header.fin, header.rst, header.psh) = (self.syn, self.fin, self.rst, self.psh);
        // AE was called NS before RFC 9768
        (header.ns, header.cwr, header.ece) = (self.ecn_flags.ae, self.ecn_flags.cwr, self.ecn_flags.ece);
        let Ok(()) = header.set_options(&self.options.elements()) else {
            unreachable!("options of {:?} exceed 40 bytes", self.options);
        };
        let (source, destination) = (flow.local.ip().octets(), flow.remote.ip().octets());
        // if the length overflows, this checksum is 0, and `ip::packet` panics below
        header.checksum = header.calc_checksum_ipv4_raw(source, destination, &self.payload).unwrap_or(0);
        let mut bytes = Vec::with_capacity(header.header_len() + self.payload.len());
        bytes.extend_from_slice(&header.to_bytes());
        bytes.extend_from_slice(&self.payload);
        ip::packet(flow, ip::TCP, identification, &bytes)
    }

    /// Parses an IPv4 packet that was sent to the local end of `flow`. Returns the segment in it, or `None` if the packet
    /// is malformed, corrupt, or of another flow.
    pub fn parse(flow: &Flow, packet: &[u8]) -> Option<Segment> {
        let (ip, bytes) = ip::parse(flow, ip::TCP, packet)?;
        let (header, payload) = TcpHeader::from_slice(bytes).ok()?;
        let for_us = header.source_port == flow.remote.port() && header.destination_port == flow.local.port();
        if !for_us || ip::transport_checksum(&ip, bytes) != 0 {
            return None;
        }
        Some(Segment {
            seq: header.sequence_number,
            ack: header.ack.then_some(header.acknowledgment_number),
            window: header.window_size,
            syn: header.syn,
            fin: header.fin,
            rst: header.rst,
            psh: header.psh,
            ecn_flags: EcnFlags { ae: header.ns, cwr: header.cwr, ece: header.ece },
            options: SegmentOptions::parse(header.options.as_slice()),
            payload: Bytes::copy_from_slice(payload),
        })
    }
}

impl SegmentOptions {
    /// Size of the options with their padding, in bytes.
    fn wire_bytes(&self) -> usize {
        let fixed = [
            (self.mss.is_some(), 4),
            (self.window_scale.is_some(), 4),
            (self.sack_permitted, 4),
            (self.timestamps.is_some(), 12),
            (!self.sack.is_empty(), 4 + 8 * self.sack.len()),
        ];
        fixed.iter().filter(|(is_there, _)| *is_there).map(|(_, bytes)| bytes).sum()
    }

    /// Returns the options in the order on the wire, with the padding that keeps 32-bit alignment (RFC 7323 appendix
    /// A).
    fn elements(&self) -> Vec<Element> {
        let mut elements = Vec::new();
        if let Some(mss) = self.mss {
            elements.push(Element::MaximumSegmentSize(mss));
        }
        if let Some(shift) = self.window_scale {
            elements.extend([Element::Noop, Element::WindowScale(shift)]);
        }
        if self.sack_permitted {
            elements.extend([Element::Noop, Element::Noop, Element::SelectiveAcknowledgementPermitted]);
        }
        if let Some((value, echo)) = self.timestamps {
            elements.extend([Element::Noop, Element::Noop, Element::Timestamp(value, echo)]);
        }
        if let Some((first, rest)) = self.sack.split_first() {
            let block = |index: usize| rest.get(index).copied();
            let blocks = Element::SelectiveAcknowledgement(*first, [block(0), block(1), block(2)]);
            elements.extend([Element::Noop, Element::Noop, blocks]);
        }
        elements
    }

    /// Reads the options. Skips unknown options by their length (RFC 9293 §3.1, MUST-6), and stops at an impossible
    /// length (MUST-7).
    fn parse(mut bytes: &[u8]) -> SegmentOptions {
        let mut options = SegmentOptions::default();
        while let Some((kind, rest)) = bytes.split_first() {
            match kind {
                0 => break,
                1 => bytes = rest,
                _ => {
                    let Some(length) = rest.first().map(|length| usize::from(*length)) else { break };
                    let Some(value) = bytes.get(2..length) else { break };
                    options.set(*kind, value);
                    bytes = &bytes[length..];
                }
            }
        }
        options
    }

    fn set(&mut self, kind: u8, value: &[u8]) {
        match (kind, value) {
            (2, [high, low]) => self.mss = Some(u16::from_be_bytes([*high, *low])),
            // a shift count above 14 is treated as 14 (RFC 7323 §2.3)
            (3, [shift]) => self.window_scale = Some((*shift).min(14)),
            (4, []) => self.sack_permitted = true,
            (5, blocks) if blocks.len() % 8 == 0 && blocks.len() <= 32 => {
                self.sack = blocks.chunks_exact(8).map(|block| (word(block), word(&block[4..]))).collect();
            }
            (8, times) if times.len() == 8 => self.timestamps = Some((word(times), word(&times[4..]))),
            _ => {}
        }
    }
}

fn word(bytes: &[u8]) -> u32 {
    u32::from_be_bytes([bytes[0], bytes[1], bytes[2], bytes[3]])
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::net::{Ipv4Addr, SocketAddrV4};

    fn flow() -> Flow {
        let address = |host, port| SocketAddrV4::new(Ipv4Addr::new(10, 0, 0, host), port);
        Flow { local: address(1, 5000), remote: address(2, 80) }
    }

    fn segment() -> impl Strategy<Value = Segment> {
        let options = (
            prop::option::of(536u16..9000),
            prop::option::of(0u8..15),
            any::<bool>(),
            prop::collection::vec((any::<u32>(), any::<u32>()), 0..4),
        );
        let handshake = (any::<bool>(), any::<bool>(), any::<bool>(), any::<bool>());
        (
            any::<u32>(),
            prop::option::of(any::<u32>()),
            any::<u16>(),
            handshake,
            options,
            any::<((u32, u32), u8)>(),
            any::<Vec<u8>>().prop_map(Bytes::from),
        )
            .prop_map(
                |(
                    seq,
                    ack,
                    window,
                    (syn, fin, rst, psh),
                    (mss, window_scale, sack_permitted, sack),
                    (times, ecn_flags),
                    payload,
                )| {
                    // two or more SACK blocks do not fit into the 40 bytes of options together with the options of the
                    // handshake
                    let options = if sack.is_empty() {
                        SegmentOptions { mss, window_scale, sack_permitted, timestamps: Some(times), sack }
                    } else {
                        SegmentOptions { sack, timestamps: Some(times), ..Default::default() }
                    };
                    let ecn_flags = EcnFlags::of_number(ecn_flags);
                    Segment { seq, ack, window, syn, fin, rst, psh, ecn_flags, options, payload }
                },
            )
    }

    proptest! {
        #[test]
        fn an_encoded_segment_parses_to_the_same_segment(segment in segment(), identification: u16) {
            let packet = segment.encode(&flow(), identification);
            prop_assert_eq!(Segment::parse(&flow().reversed(), &packet), Some(segment.clone()));
            let mut typed = SegmentPacket { flow: flow(), identification, ecn: Ecn::NotEct, segment: segment.clone() };
            prop_assert_eq!(typed.wire_bytes(), packet.len());
            prop_assert_eq!(typed.to_wire(), packet);
            for ecn in [Ecn::Ect0, Ecn::Ect1, Ecn::Ce] {
                typed.ecn = ecn;
                let packet = typed.to_wire();
                prop_assert_eq!(Ecn::of_packet(&packet), ecn);
                prop_assert_eq!(Segment::parse(&flow().reversed(), &packet), Some(segment.clone()));
            }
        }

        #[test]
        fn any_single_flipped_bit_is_detected(segment in segment(), at in any::<prop::sample::Index>(), bit in 0u8..8) {
            let mut packet = segment.encode(&flow(), 0);
            let at = at.index(packet.len());
            packet[at] ^= 1 << bit;
            prop_assert_eq!(Segment::parse(&flow().reversed(), &packet), None);
        }

        #[test]
        fn arbitrary_bytes_never_panic(bytes: Vec<u8>, options in prop::collection::vec(any::<u8>(), 0..40)) {
            let _ = Segment::parse(&flow(), &bytes);
            let _ = SegmentOptions::parse(&options);
        }
    }

    #[test]
    fn a_segment_with_other_ports_does_not_parse() {
        let packet = Segment { ack: Some(1), ..Segment::default() }.encode(&flow(), 0);
        let ours = flow().reversed();
        assert!(Segment::parse(&ours, &packet).is_some());
        let (mut local, mut remote) = (ours.local, ours.remote);
        local.set_port(81);
        remote.set_port(5001);
        for other in [Flow { local, ..ours }, Flow { remote, ..ours }, Flow { local, remote }] {
            assert_eq!(Segment::parse(&other, &packet), None);
        }
    }

    #[test]
    fn unknown_options_are_skipped_by_their_length() {
        let bytes = [34, 4, 1, 2, 2, 4, 5, 180, 0];
        assert_eq!(SegmentOptions::parse(&bytes).mss, Some(1460));
    }

    // RFC 2018 §3, RFC 7323 §3.2
    #[test]
    fn an_option_with_a_wrong_length_is_ignored() {
        for bytes in
            [&[5, 14, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12][..], &[8, 9, 1, 2, 3, 4, 5, 6, 7], &[2, 3, 5], &[4, 3, 0]]
        {
            assert_eq!(SegmentOptions::parse(bytes), SegmentOptions::default(), "{bytes:?}");
        }
    }

    #[test]
    fn an_impossible_option_length_ends_the_options() {
        assert_eq!(SegmentOptions::parse(&[34, 0, 2, 4, 5, 180]), SegmentOptions::default());
        assert_eq!(SegmentOptions::parse(&[34, 1, 2, 4, 5, 180]), SegmentOptions::default());
    }
}
