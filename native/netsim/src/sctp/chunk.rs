//! Reads the chunks of SCTP packets, as far as the association needs them, and makes a few kinds of packets (RFC 9260
//! §3, RFC 8260 §2.1).

use crate::trace::PacketKind;

/// A transmission sequence number. TSNs wrap, so they are not ordered (RFC 1982 §3.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tsn(pub u32);

impl Tsn {
    /// Returns how far `self` is after `earlier`, modulo 2^32. The distance is negative if `self` is before `earlier`.
    pub fn distance_from(self, earlier: Tsn) -> i64 {
        i64::from(self.0.wrapping_sub(earlier.0) as i32)
    }
}

/// A chunk with the fields that this crate needs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Chunk {
    Data(Data),
    Sack(Sack),
    Init { initial_tsn: Tsn, forward_tsn: bool },
    InitAck { initial_tsn: Tsn, forward_tsn: bool },
    CookieEcho,
    CookieAck,
    Shutdown { cumulative_tsn: Tsn },
    ShutdownAck,
    ShutdownComplete,
    Abort,
    Reconfigure(Reconfigure),
    Other(u8),
}

/// A RE-CONFIG chunk (RFC 6525 §3.1): the sequence number of the reset request in the chunk, and the sequence number of
/// the request that the chunk answers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Reconfigure {
    pub request: Option<u32>,
    pub answer: Option<u32>,
}

/// A DATA or I-DATA chunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Data {
    pub tsn: Tsn,
    pub stream: u16,
    pub message: MessageNumber,
    pub unordered: bool,
    /// Bytes of user data, without header and padding.
    pub bytes: u32,
    /// Bytes of header, user data and padding together. As in dcSCTP, all these bytes count as in flight.
    pub chunk_bytes: u32,
    /// Whether the chunk is the last fragment of its message (E bit).
    pub ends: bool,
    /// The number of the fragment in its message (FSN, RFC 8260 §2.1). For DATA chunks, which have no such number, this
    /// field is 0.
    pub fragment: u32,
    /// The offset of the user data in the packet.
    pub at: usize,
}

/// The number of a message in its stream. The number wraps, and it restarts from 0 when the stream is reset.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MessageNumber {
    Ssn(u16),
    Mid(u32),
}

impl MessageNumber {
    /// Returns the unwrapped number: the number nearest to `near` whose low bits are this number.
    pub fn unwrapped(self, near: u32) -> u32 {
        match self {
            MessageNumber::Ssn(ssn) => near.wrapping_add_signed(i32::from(ssn.wrapping_sub(near as u16) as i16)),
            MessageNumber::Mid(mid) => mid,
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sack {
    pub cumulative_tsn: Tsn,
    /// The gap ack blocks: their first and last TSNs, as distances from the cumulative TSN.
    pub gaps: Vec<(u16, u16)>,
}

/// Returns the chunks of a packet; `None` if the packet is malformed.
pub fn parse(packet: &[u8]) -> Option<Vec<Chunk>> {
    chunks(packet).collect()
}

/// Replaces the contents of `read` with the chunks of a packet, up to the first malformed one. Returns true if the
/// whole packet is well formed.
pub fn read(packet: &[u8], read: &mut Vec<Chunk>) -> bool {
    read.clear();
    chunks(packet).all(|chunk| chunk.map(|chunk| read.push(chunk)).is_some())
}

/// Iterates over the chunks of a packet. The last item is `None` if the packet is malformed.
fn chunks(packet: &[u8]) -> impl Iterator<Item = Option<Chunk>> {
    let mut rest = Some(COMMON_HEADER_BYTES);
    std::iter::from_fn(move || match rest.take()? {
        at if at == packet.len() => None,
        at => Some(chunk_at(packet, at).map(|(chunk, after)| {
            rest = Some(after);
            chunk
        })),
    })
}

/// Returns the packet without its SHUTDOWN chunk; `None` if it has no other chunk. Like the other packets that this
/// module makes for the stack, the result has no valid checksum.
pub fn without_shutdown(packet: &[u8]) -> Option<Vec<u8>> {
    only(packet, |chunk_type| chunk_type != SHUTDOWN)
}

/// Returns a packet that has only the SHUTDOWN chunk of `packet`; `None` if `packet` has no SHUTDOWN chunk.
pub fn only_shutdown(packet: &[u8]) -> Option<Vec<u8>> {
    only(packet, |chunk_type| chunk_type == SHUTDOWN)
}

/// Whether the first chunk is COOKIE ECHO.
pub fn begins_with_cookie_echo(packet: &[u8]) -> bool {
    packet.get(COMMON_HEADER_BYTES) == Some(&COOKIE_ECHO)
}

/// Returns a packet that has only the COOKIE ECHO of `packet`, whose chunks are `chunks`; `None` unless `packet` begins
/// with COOKIE ECHO and has further chunks.
pub fn only_cookie_echo(packet: &[u8], chunks: &[Chunk]) -> Option<Vec<u8>> {
    let [Chunk::CookieEcho, _, ..] = chunks else { return None };
    only(packet, |chunk_type| chunk_type == COOKIE_ECHO)
}

/// Returns the packet without its COOKIE ECHO; `None` if it has no other chunk.
pub fn without_cookie_echo(packet: &[u8]) -> Option<Vec<u8>> {
    only(packet, |chunk_type| chunk_type != COOKIE_ECHO)
}

/// Returns the size in bytes, including padding, of a chunk that has a header of `header_bytes` bytes and
/// `message_bytes` bytes of user data.
pub fn data_chunk_bytes(header_bytes: usize, message_bytes: usize) -> usize {
    (header_bytes + message_bytes).next_multiple_of(4)
}

/// Returns a copy of the packet with another cumulative TSN. The packet's first chunk must be a SACK.
pub fn with_cumulative_tsn(packet: &[u8], tsn: Tsn) -> Vec<u8> {
    let mut changed = packet.to_vec();
    if let Some(field) = changed.get_mut(COMMON_HEADER_BYTES + 4..COMMON_HEADER_BYTES + 8) {
        field.copy_from_slice(&tsn.0.to_be_bytes());
    }
    changed
}

/// Returns a packet with this header and a FORWARD TSN chunk (RFC 3758 §3.2).
pub fn forward_tsn(header: &[u8; COMMON_HEADER_BYTES], tsn: Tsn) -> Vec<u8> {
    [&header[..], &[FORWARD_TSN, 0, 0, 8], &tsn.0.to_be_bytes()].concat()
}

/// Returns a packet with this header and an I-FORWARD-TSN chunk, which replaces FORWARD TSN if I-DATA is used (RFC 8260
/// §2.3.1).
pub fn i_forward_tsn(header: &[u8; COMMON_HEADER_BYTES], tsn: Tsn) -> Vec<u8> {
    [&header[..], &[I_FORWARD_TSN, 0, 0, 8], &tsn.0.to_be_bytes()].concat()
}

/// Returns a packet with the ports and tag of `packet` and a SACK chunk without gaps (RFC 9260 §3.3.4).
pub fn sack(packet: &[u8], tsn: Tsn, a_rwnd: u32) -> Option<Vec<u8>> {
    let mut sack = packet.get(..COMMON_HEADER_BYTES)?.to_vec();
    sack.extend([SACK, 0, 0, SACK_BYTES as u8]);
    sack.extend(tsn.0.to_be_bytes());
    sack.extend(a_rwnd.to_be_bytes());
    sack.extend([0; 4]);
    Some(sack)
}

/// Returns the ABORT that answers an out-of-the-blue packet; `None` if the packet must not be answered with ABORT (RFC
/// 9260 §8.4).
pub fn abort_for(packet: &[u8], chunks: &[Chunk]) -> Option<Vec<u8>> {
    let silent =
        |chunk: &Chunk| matches!(chunk, Chunk::Abort | Chunk::ShutdownComplete | Chunk::CookieAck | Chunk::Other(9));
    if chunks.is_empty() || chunks.iter().any(silent) {
        return None; // rules 2, 6 and 7; type 9 is ERROR
    }
    // Rule 3: the answer to an INIT has the Initiate Tag. Rule 8: any other answer has the packet's own tag, with the T
    // bit set.
    let (tag, flags) = match chunks[0] {
        Chunk::Init { .. } => (packet.get(16..20)?, 0),
        _ => (packet.get(4..8)?, 1),
    };
    let mut abort = Vec::with_capacity(COMMON_HEADER_BYTES + CHUNK_HEADER_BYTES);
    abort.extend_from_slice(packet.get(2..4)?);
    abort.extend_from_slice(packet.get(0..2)?);
    abort.extend_from_slice(tag);
    abort.extend([0; 4]);
    abort.extend([ABORT, flags, 0, CHUNK_HEADER_BYTES as u8]);
    super::checksum::write_checksum(&mut abort);
    Some(abort)
}

/// Whether an INIT or INIT ACK that is the only chunk of its packet offers partial reliability; `None` for every other
/// packet.
pub fn offer_of_forward_tsn(packet: &[u8]) -> Option<bool> {
    // the type of the first chunk is checked before anything is parsed, because most packets have neither INIT nor INIT
    // ACK
    packet.get(COMMON_HEADER_BYTES).filter(|kind| matches!(**kind, INIT | INIT_ACK))?;
    match parse(packet)?[..] {
        [Chunk::Init { forward_tsn, .. } | Chunk::InitAck { forward_tsn, .. }] => Some(forward_tsn),
        _ => None,
    }
}

/// Returns the kind of a packet with these chunks.
pub fn kind(chunks: &[Chunk]) -> PacketKind {
    let mut chunks = chunks.iter().map(|chunk| match chunk {
        Chunk::Data(_) => PacketKind::Data,
        Chunk::Abort => PacketKind::Abort,
        Chunk::Init { .. } | Chunk::InitAck { .. } | Chunk::CookieEcho | Chunk::CookieAck => PacketKind::Setup,
        Chunk::Shutdown { .. } | Chunk::ShutdownAck | Chunk::ShutdownComplete => PacketKind::Close,
        Chunk::Sack(_) => PacketKind::Ack,
        Chunk::Reconfigure(_) | Chunk::Other(_) => PacketKind::Control,
    });
    let Some(first) = chunks.next() else { return PacketKind::Control };
    let rank = |kind: &PacketKind| BY_RANK.iter().position(|ranked| ranked == kind);
    chunks.fold(first, |kind, other| std::cmp::min_by_key(kind, other, rank))
}

/// The order of precedence: the kind of a packet is the first of these kinds that one of its chunks has. SACKs are last
/// because they are bundled with other chunks.
const BY_RANK: [PacketKind; 6] =
    [PacketKind::Data, PacketKind::Abort, PacketKind::Setup, PacketKind::Close, PacketKind::Control, PacketKind::Ack];

/// Size of the common header in bytes: source port, destination port, verification tag, checksum (RFC 9260 §3.1).
pub const COMMON_HEADER_BYTES: usize = 12;
/// Size of the header of DATA in bytes: type, flags, length, TSN, stream, SSN, payload protocol (RFC 9260 §3.3.1).
pub const DATA_HEADER_BYTES: usize = 16;
/// Size of a SACK without gap ack blocks and duplicates, in bytes (RFC 9260 §3.3.4).
pub const SACK_BYTES: usize = 16;
/// Size of the header of I-DATA in bytes: type, flags, length, TSN, stream, reserved, MID, payload protocol or FSN (RFC
/// 8260 §2.1).
pub const I_DATA_HEADER_BYTES: usize = 20;
const CHUNK_HEADER_BYTES: usize = 4;

// Chunk types (RFC 9260 §3.2, RFC 6525 §3.1, RFC 3758 §3.2, RFC 8260 §2.3.1).
const INIT: u8 = 1;
const INIT_ACK: u8 = 2;
const SACK: u8 = 3;
const ABORT: u8 = 6;
const SHUTDOWN: u8 = 7;
const COOKIE_ECHO: u8 = 10;
const RE_CONFIG: u8 = 130;
const FORWARD_TSN: u8 = 192;
const I_FORWARD_TSN: u8 = 194;
/// The type of the parameter Forward-TSN-Supported (RFC 3758 §3.1).
const FORWARD_TSN_SUPPORTED: u16 = 0xc000;
// The types of the parameters Outgoing SSN Reset Request and Re-configuration Response (RFC 6525 §4.1, §4.4).
const OUTGOING_RESET: u16 = 13;
const RESPONSE: u16 = 16;
/// Size of the fixed part of INIT and INIT ACK, in bytes (RFC 9260 §3.3.2).
const INIT_BYTES: usize = 20;

fn only(packet: &[u8], keep: impl Fn(u8) -> bool) -> Option<Vec<u8>> {
    let mut kept = packet.get(..COMMON_HEADER_BYTES)?.to_vec();
    let mut rest = packet.get(COMMON_HEADER_BYTES..)?;
    while !rest.is_empty() {
        let padded = usize::from(u16_at(rest, 2)?).next_multiple_of(4).min(rest.len());
        let (chunk, after) = rest.split_at_checked(padded).filter(|(chunk, _)| !chunk.is_empty())?;
        if keep(chunk[0]) {
            kept.extend_from_slice(chunk);
        }
        rest = after;
    }
    (kept.len() > COMMON_HEADER_BYTES).then_some(kept)
}

/// Returns the chunk that begins at `at`, and the offset of the next chunk.
fn chunk_at(packet: &[u8], at: usize) -> Option<(Chunk, usize)> {
    let bytes = packet.get(at..)?;
    let length = usize::from(u16_at(bytes, 2)?);
    let body = bytes.get(..length).filter(|body| body.len() >= CHUNK_HEADER_BYTES)?;
    let mut chunk = parse_chunk(body)?;
    if let Chunk::Data(data) = &mut chunk {
        data.at += at;
    }
    // the last chunk's padding may be missing (RFC 9260 §3.2)
    Some((chunk, (at + length.next_multiple_of(4)).min(packet.len())))
}

fn parse_chunk(body: &[u8]) -> Option<Chunk> {
    Some(match body[0] {
        0 => {
            Chunk::Data(Data { message: MessageNumber::Ssn(u16_at(body, 10)?), ..parse_data(body, DATA_HEADER_BYTES)? })
        }
        64 => Chunk::Data(Data {
            message: MessageNumber::Mid(u32_at(body, 12)?),
            // in the first fragment (B bit) this field is the payload protocol
            fragment: if body[1] & 0b010 == 0 { u32_at(body, 16)? } else { 0 },
            ..parse_data(body, I_DATA_HEADER_BYTES)?
        }),
        INIT => Chunk::Init { initial_tsn: Tsn(u32_at(body, 16)?), forward_tsn: offers_forward_tsn(body) },
        INIT_ACK => Chunk::InitAck { initial_tsn: Tsn(u32_at(body, 16)?), forward_tsn: offers_forward_tsn(body) },
        SACK => Chunk::Sack(parse_sack(body)?),
        ABORT => Chunk::Abort,
        SHUTDOWN => Chunk::Shutdown { cumulative_tsn: Tsn(u32_at(body, 4)?) },
        8 => Chunk::ShutdownAck,
        COOKIE_ECHO => Chunk::CookieEcho,
        11 => Chunk::CookieAck,
        14 => Chunk::ShutdownComplete,
        RE_CONFIG => Chunk::Reconfigure(parse_reconfigure(body)),
        other => Chunk::Other(other),
    })
}

/// Whether an INIT or INIT ACK has the parameter that offers partial reliability (RFC 3758 §3.3.1).
fn offers_forward_tsn(body: &[u8]) -> bool {
    parameters(body, INIT_BYTES).any(|(kind, _)| kind == FORWARD_TSN_SUPPORTED)
}

fn parse_reconfigure(body: &[u8]) -> Reconfigure {
    let number = |wanted| parameters(body, CHUNK_HEADER_BYTES).find(|(kind, _)| *kind == wanted);
    let number = |wanted| number(wanted).and_then(|(_, parameter)| u32_at(parameter, 4));
    Reconfigure { request: number(OUTGOING_RESET), answer: number(RESPONSE) }
}

/// Iterates over the parameters of a chunk. The first parameter begins at `at`. Each item is the type of a parameter
/// and the bytes of the chunk from this parameter on.
fn parameters(body: &[u8], at: usize) -> impl Iterator<Item = (u16, &[u8])> {
    let mut rest = body.get(at..).unwrap_or_default();
    std::iter::from_fn(move || {
        let (kind, length) = (u16_at(rest, 0)?, u16_at(rest, 2)?);
        let parameter = rest;
        let padded = usize::from(length).next_multiple_of(4).max(CHUNK_HEADER_BYTES);
        rest = rest.get(padded..).unwrap_or_default();
        Some((kind, parameter))
    })
}

fn parse_data(body: &[u8], header_bytes: usize) -> Option<Data> {
    let bytes = body.len().checked_sub(header_bytes)?;
    Some(Data {
        tsn: Tsn(u32_at(body, 4)?),
        stream: u16_at(body, 8)?,
        message: MessageNumber::Mid(0),
        unordered: body[1] & 0b100 != 0,
        bytes: bytes as u32,
        chunk_bytes: body.len().next_multiple_of(4) as u32,
        ends: body[1] & 0b001 != 0,
        fragment: 0,
        at: header_bytes,
    })
}

fn parse_sack(body: &[u8]) -> Option<Sack> {
    let gaps = usize::from(u16_at(body, 12)?);
    let gaps = (0..gaps).map(|gap| Some((u16_at(body, 16 + 4 * gap)?, u16_at(body, 18 + 4 * gap)?)));
    Some(Sack { cumulative_tsn: Tsn(u32_at(body, 4)?), gaps: gaps.collect::<Option<_>>()? })
}

fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_be_bytes(bytes.get(at..at + 2)?.try_into().ok()?))
}

fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_be_bytes(bytes.get(at..at + 4)?.try_into().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn packet(chunks: &[&[u8]]) -> Vec<u8> {
        let mut packet = vec![0, 80, 192, 0, 1, 2, 3, 4, 0, 0, 0, 0];
        for chunk in chunks {
            packet.extend_from_slice(chunk);
            packet.resize(packet.len().next_multiple_of(4), 0);
        }
        packet
    }

    /// A DATA chunk with TSN 9, stream 3, SSN 7 and five bytes.
    const DATA: &[u8] = &[0, 3, 0, 21, 0, 0, 0, 9, 0, 3, 0, 7, 0, 0, 0, 0, 1, 2, 3, 4, 5];
    /// A SACK with cumulative TSN 8 and one gap ack block, 2–3.
    const SACK_CHUNK: &[u8] = &[3, 0, 0, 20, 0, 0, 0, 8, 0, 1, 0, 0, 0, 1, 0, 0, 0, 2, 0, 3];
    const SHUTDOWN_CHUNK: &[u8] = &[7, 0, 0, 8, 0, 0, 0, 8];

    #[test]
    fn data_and_sack_are_read() {
        let data = Data {
            tsn: Tsn(9),
            stream: 3,
            message: MessageNumber::Ssn(7),
            unordered: false,
            bytes: 5,
            chunk_bytes: 24,
            ends: true,
            fragment: 0,
            at: COMMON_HEADER_BYTES + SACK_CHUNK.len() + DATA_HEADER_BYTES,
        };
        let sack = Sack { cumulative_tsn: Tsn(8), gaps: vec![(2, 3)] };
        assert_eq!(parse(&packet(&[SACK_CHUNK, DATA])), Some(vec![Chunk::Sack(sack), Chunk::Data(data)]));
    }

    #[test]
    fn i_data_has_a_message_identifier() {
        let i_data = [64, 1, 0, 21, 0, 0, 0, 9, 0, 3, 0, 0, 0, 1, 0, 7, 0, 0, 0, 0, 1];
        let Some([Chunk::Data(data)]) =
            parse(&packet(&[&i_data])).as_deref().map(|chunks| <[Chunk; 1]>::try_from(chunks.to_vec()).unwrap())
        else {
            panic!()
        };
        assert_eq!((data.message, data.bytes, data.chunk_bytes), (MessageNumber::Mid(0x1_0007), 1, 24));
    }

    #[test]
    fn the_fragment_number_of_a_first_fragment_is_0() {
        for (flags, fragment) in [(0b010, 0), (0b000, 0x0102_0304), (0b001, 0x0102_0304)] {
            let i_data = [64, flags, 0, 21, 0, 0, 0, 9, 0, 3, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5];
            let [Chunk::Data(data)] = parse(&packet(&[&i_data])).unwrap()[..] else { panic!() };
            assert_eq!(data.fragment, fragment);
        }
    }

    #[test]
    fn the_offset_of_user_data_in_the_packet_is_correct() {
        let i_data = [64, 3, 0, 21, 0, 0, 0, 9, 0, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 7];
        let whole = packet(&[SACK_CHUNK, DATA, &i_data]);
        let data = parse(&whole).unwrap().into_iter().filter_map(|chunk| match chunk {
            Chunk::Data(data) => Some(whole[data.at..data.at + data.bytes as usize].to_vec()),
            _ => None,
        });
        assert!(data.eq([vec![1, 2, 3, 4, 5], vec![7]]));
    }

    #[test]
    fn i_forward_tsn_is_one_chunk_that_skips_nothing() {
        let made = i_forward_tsn(&[1; COMMON_HEADER_BYTES], Tsn(0x0102_0304));
        assert_eq!(made[COMMON_HEADER_BYTES..], [194, 0, 0, 8, 1, 2, 3, 4]);
    }

    #[test]
    fn a_reconfiguration_has_the_numbers_of_its_request_and_of_the_request_that_it_answers() {
        // the request is for stream 1 and has padding
        let request = [0, 13, 0, 18, 0, 0, 0, 7, 0, 0, 0, 9, 0, 0, 0, 8, 0, 1, 0, 0];
        let answer = [0, 16, 0, 12, 0, 0, 0, 5, 0, 0, 0, 1];
        let read = |parameters: &[&[u8]]| {
            let parameters = parameters.concat();
            let chunk = [&[130, 0, 0, 4 + parameters.len() as u8], &parameters[..]].concat();
            parse(&packet(&[&chunk])).unwrap()
        };
        let expected = |request, answer| [Chunk::Reconfigure(Reconfigure { request, answer })];
        assert_eq!(read(&[&request]), expected(Some(7), None));
        assert_eq!(read(&[&answer]), expected(None, Some(5)));
        assert_eq!(read(&[&request, &answer]), expected(Some(7), Some(5)));
        assert_eq!(read(&[]), expected(None, None));
        assert_eq!(kind(&read(&[&request])), PacketKind::Control);
    }

    #[test]
    fn the_last_padding_may_be_missing() {
        let whole = packet(&[DATA]);
        assert_eq!(parse(&whole[..whole.len() - 3]), parse(&whole));
    }

    #[test]
    fn a_packet_that_is_cut_in_its_header_or_in_a_chunk_does_not_parse() {
        let whole = packet(&[SACK_CHUNK, DATA]);
        for bytes in [0, COMMON_HEADER_BYTES - 1, COMMON_HEADER_BYTES + 2, whole.len() - 4] {
            let mut chunks = vec![Chunk::Abort];
            assert_eq!(parse(&whole[..bytes]), None, "{bytes}");
            assert!(!read(&whole[..bytes], &mut chunks), "{bytes}");
        }
        assert_eq!(parse(&whole[..COMMON_HEADER_BYTES]), Some(Vec::new()));
    }

    #[test]
    fn a_packet_is_split_into_its_shutdown_and_the_other_chunks() {
        let stripped = without_shutdown(&packet(&[SACK_CHUNK, SHUTDOWN_CHUNK])).unwrap();
        assert_eq!(parse(&stripped), parse(&packet(&[SACK_CHUNK])));
        let alone = packet(&[SHUTDOWN_CHUNK]);
        assert_eq!(without_shutdown(&alone), None);
        assert_eq!(only_shutdown(&packet(&[SACK_CHUNK, SHUTDOWN_CHUNK])).as_deref().and_then(parse), parse(&alone));
        assert_eq!(only_shutdown(&packet(&[SACK_CHUNK])), None);
    }

    #[test]
    fn an_out_of_the_blue_packet_is_answered_with_an_abort_with_its_own_tag() {
        let data = packet(&[DATA]);
        let abort = abort_for(&data, &parse(&data).unwrap()).unwrap();
        assert_eq!(abort[..8], [192, 0, 0, 80, 1, 2, 3, 4]);
        assert_eq!(abort[12..], [6, 1, 0, 4]);
        let answer = parse(&abort).unwrap();
        assert_eq!(answer, [Chunk::Abort]);
        assert_eq!(abort_for(&abort, &answer), None);
    }

    /// Returns a packet with an INIT that has the Initiate Tag 0x0506_0708, the initial TSN 9 and these parameters.
    fn init(parameters: &[u8]) -> Vec<u8> {
        let mut init = vec![1, 0, 0, 20 + parameters.len() as u8, 5, 6, 7, 8, 0, 1, 0, 0, 0, 1, 0, 1, 0, 0, 0, 9];
        init.extend_from_slice(parameters);
        packet(&[&init])
    }

    #[test]
    fn an_out_of_the_blue_init_is_answered_with_an_abort_with_its_initiate_tag() {
        let init = init(&[]);
        let abort = abort_for(&init, &parse(&init).unwrap()).unwrap();
        assert_eq!(abort[..8], [192, 0, 0, 80, 5, 6, 7, 8]);
        assert_eq!(abort[12..], [6, 0, 0, 4]);
    }

    #[test]
    fn only_the_parameter_forward_tsn_supported_offers_partial_reliability() {
        let cookie_preservative = [0, 9, 0, 8, 0, 0, 0, 0];
        let forward_tsn_supported = [0xc0, 0, 0, 4];
        for (parameters, forward_tsn) in [
            (vec![], false),
            (cookie_preservative.to_vec(), false),
            (forward_tsn_supported.to_vec(), true),
            ([&cookie_preservative[..], &forward_tsn_supported].concat(), true),
        ] {
            assert_eq!(parse(&init(&parameters)), Some(vec![Chunk::Init { initial_tsn: Tsn(9), forward_tsn }]));
        }
    }

    #[test]
    fn only_the_last_fragment_ends_a_message() {
        for (flags, ends, unordered) in [(0b010, false, false), (0b001, true, false), (0b110, false, true)] {
            let fragment = [0, flags, 0, 17, 0, 0, 0, 9, 0, 3, 0, 7, 0, 0, 0, 0, 1];
            let [Chunk::Data(data)] = parse(&packet(&[&fragment])).unwrap()[..] else { panic!() };
            assert_eq!((data.ends, data.unordered), (ends, unordered));
        }
    }

    #[test]
    fn a_packet_is_an_acknowledgement_if_it_has_only_sacks() {
        let kind_of = |chunks: &[&[u8]]| kind(&parse(&packet(chunks)).unwrap());
        let heartbeat: &[u8] = &[4, 0, 0, 4];
        assert_eq!(kind_of(&[SACK_CHUNK]), PacketKind::Ack);
        assert_eq!(kind_of(&[SACK_CHUNK, heartbeat]), PacketKind::Control);
        assert_eq!(kind_of(&[heartbeat]), PacketKind::Control);
        assert_eq!(kind_of(&[]), PacketKind::Control);
        assert_eq!(kind_of(&[SACK_CHUNK, DATA]), PacketKind::Data);
        assert_eq!(kind_of(&[SACK_CHUNK, SHUTDOWN_CHUNK]), PacketKind::Close);
    }

    #[test]
    fn message_numbers_continue_past_their_wrap() {
        assert_eq!(MessageNumber::Ssn(0).unwrapped(65_535), 65_536);
        assert_eq!(MessageNumber::Ssn(65_535).unwrapped(65_536), 65_535);
        assert_eq!(MessageNumber::Ssn(5).unwrapped(131_072), 131_077);
    }

    proptest! {
        #[test]
        fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            let chunks = parse(&bytes);
            if let Some(chunks) = chunks {
                kind(&chunks);
                abort_for(&bytes, &chunks);
            }
            without_shutdown(&bytes);
        }
    }
}
