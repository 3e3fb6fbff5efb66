use crate::link::{Direction, Drop};
use crate::packet::Ecn;
use crate::time::SimTime;

/// The purpose of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum PacketKind {
    /// The packet belongs to the handshake and has no data. TCP: SYN. SCTP: INIT, INIT ACK, COOKIE ECHO, COOKIE ACK.
    /// QUIC: Initial, Handshake.
    Setup = 0,
    /// The packet carries data, and possibly also anything else.
    Data = 1,
    /// The packet only acknowledges.
    Ack = 2,
    /// The packet closes the connection and has no data. TCP: FIN. SCTP: SHUTDOWN, SHUTDOWN ACK, SHUTDOWN COMPLETE.
    /// QUIC: CONNECTION_CLOSE without an error.
    Close = 3,
    /// The packet aborts the connection. TCP: RST. SCTP: ABORT. QUIC: CONNECTION_CLOSE with an error.
    Abort = 4,
    /// Any other packet without data. TCP: window probe. SCTP: HEARTBEAT, HEARTBEAT ACK. QUIC: PING, flow control.
    Control = 5,
}

/// The fate of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Fate {
    /// When the run ended, the packet was in the queue, or its serialisation had not ended. After the serialisation,
    /// the packet has another fate, even if it arrives only after the run's end.
    InFlight = 0,
    Delivered = 1,
    /// The loss model or the list of drops lost the packet.
    Lost = 2,
    /// The packet was dropped because the queue was full.
    QueueFull = 3,
    /// The queue was not full, but its discipline dropped the packet to signal congestion.
    Early = 4,
    /// The token bucket of the link did not have enough tokens for the packet.
    Policed = 5,
    /// The client left the path (`Simulation::hand_over`) before the packet was sent, while the packet was in a queue,
    /// or while it was on its way to the client. Packets to the server that had already left their queue still arrive.
    HandedOver = 6,
}

impl From<Drop> for Fate {
    fn from(reason: Drop) -> Self {
        match reason {
            Drop::Loss => Fate::Lost,
            Drop::QueueFull => Fate::QueueFull,
            Drop::Early => Fate::Early,
            Drop::Policed => Fate::Policed,
        }
    }
}

/// One range of data in a packet: a TCP segment's bytes, an SCTP DATA chunk, or a QUIC STREAM frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DataChunk {
    /// Identifies the data. TCP and QUIC: the offset of the first byte in the stream. SCTP: TSN − initial TSN. UDP: the
    /// number of the datagram.
    pub first: u64,
    /// Bytes of user data.
    pub bytes: u32,
    /// The stream; 0 for TCP and UDP.
    pub stream: u32,
    /// The number of the message. SCTP: SSN or MID, unwrapped. UDP: the number of the datagram. TCP and QUIC: 0.
    pub message: u32,
    pub retransmission: bool,
}

/// The data in one packet, in the order in which the packet has it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DataChunks {
    /// Most packets have at most one chunk, which is held here without an allocation.
    first: Option<DataChunk>,
    others: Vec<DataChunk>,
}

impl DataChunks {
    pub fn push(&mut self, chunk: DataChunk) {
        match self.first {
            None => self.first = Some(chunk),
            Some(_) => self.others.push(chunk),
        }
    }

    pub fn iter(&self) -> impl Iterator<Item = &DataChunk> {
        self.first.iter().chain(&self.others)
    }

    pub fn iter_mut(&mut self) -> impl Iterator<Item = &mut DataChunk> {
        self.first.iter_mut().chain(&mut self.others)
    }
}

impl From<DataChunk> for DataChunks {
    fn from(chunk: DataChunk) -> Self {
        DataChunks { first: Some(chunk), others: Vec::new() }
    }
}

/// A packet that is offered to the path.
pub(crate) struct Offered<'a> {
    /// The sending endpoint.
    pub endpoint: u32,
    pub direction: Direction,
    /// Size of the IP packet in bytes, header included.
    pub bytes: u32,
    pub ecn: Ecn,
    pub kind: PacketKind,
    pub cumulative_ack: Option<u64>,
    pub chunks: &'a DataChunks,
}

/// Every packet that an endpoint offered to the path, in the order of sending. The packets of other traffic are in
/// [`super::TrafficColumns`].
#[derive(Clone, Debug, Default)]
pub struct PacketLog {
    pub packets: PacketColumns,
    pub chunks: ChunkColumns,
    /// The bytes of each packet, if they are recorded.
    pub bytes: Vec<Vec<u8>>,
}

/// Columns of packets. Times are ns since the simulation's start, which may be before the run's start
/// ([`super::Trace::start`]).
#[derive(Clone, Debug, Default)]
pub struct PacketColumns {
    /// The sending endpoint.
    pub endpoint: Vec<u32>,
    /// The [`Direction`] as a number: 0 is down, 1 is up.
    pub direction: Vec<u8>,
    /// Size of the IP packet in bytes, header included.
    pub bytes: Vec<u32>,
    pub sent_ns: Vec<u64>,
    /// When the packet left the queue: its serialisation ended, or it was dropped after the queue had accepted it.
    /// `u64::MAX` if neither happened, or if this is not known.
    pub left_ns: Vec<u64>,
    /// The [`Fate`] as a number.
    pub fate: Vec<u8>,
    /// When the packet arrives or was dropped; `u64::MAX` with [`Fate::InFlight`].
    pub fate_ns: Vec<u64>,
    /// When the copy of the packet arrives; `u64::MAX` if the link made no copy.
    pub copy_ns: Vec<u64>,
    /// The [`Ecn`] codepoint with which the packet was sent, as a number.
    pub ecn: Vec<u8>,
    /// 1 if a queue marked the packet ([`Ecn::Ce`]), otherwise 0.
    pub marked: Vec<u8>,
    /// The [`PacketKind`] as a number.
    pub kind: Vec<u8>,
    /// The cumulative acknowledgement. TCP: the next expected byte, from 0. SCTP: the number of chunks received without
    /// a gap. QUIC: one past the largest acknowledged number of 0-RTT and 1-RTT packets. `u64::MAX` if the packet has
    /// no such acknowledgement.
    pub cumulative_ack: Vec<u64>,
}

/// Columns of the data ranges in packets, in the order of sending.
#[derive(Clone, Debug, Default)]
pub struct ChunkColumns {
    /// The row of the packet that has the data.
    pub packet: Vec<u32>,
    pub first: Vec<u64>,
    pub bytes: Vec<u32>,
    pub stream: Vec<u32>,
    pub message: Vec<u32>,
    /// 1 if the data was sent before, otherwise 0.
    pub retransmission: Vec<u8>,
}

impl PacketLog {
    /// Adds a packet that is offered to the path at `now`. Returns its row.
    pub(crate) fn push(&mut self, now: SimTime, offered: &Offered<'_>) -> u32 {
        let row = self.packets.sent_ns.len() as u32;
        let columns = &mut self.packets;
        columns.make_room();
        columns.endpoint.push(offered.endpoint);
        columns.direction.push(offered.direction as u8);
        columns.bytes.push(offered.bytes);
        columns.sent_ns.push(now.as_ns());
        columns.left_ns.push(u64::MAX);
        columns.fate.push(Fate::InFlight as u8);
        columns.fate_ns.push(u64::MAX);
        columns.copy_ns.push(u64::MAX);
        columns.ecn.push(offered.ecn as u8);
        columns.marked.push(0);
        columns.kind.push(offered.kind as u8);
        columns.cumulative_ack.push(offered.cumulative_ack.unwrap_or(u64::MAX));
        for chunk in offered.chunks.iter() {
            self.chunks.make_room();
            self.chunks.packet.push(row);
            self.chunks.first.push(chunk.first);
            self.chunks.bytes.push(chunk.bytes);
            self.chunks.stream.push(chunk.stream);
            self.chunks.message.push(chunk.message);
            self.chunks.retransmission.push(u8::from(chunk.retransmission));
        }
        row
    }

    pub(crate) fn left(&mut self, row: u32, at: SimTime) {
        self.packets.left_ns[row as usize] = at.as_ns();
    }

    pub(crate) fn marked(&mut self, row: u32) {
        self.packets.marked[row as usize] = 1;
    }

    pub(crate) fn copied(&mut self, row: u32, at: SimTime) {
        self.packets.copy_ns[row as usize] = at.as_ns();
    }

    pub(crate) fn delivered(&mut self, row: u32, at: SimTime) {
        self.set_fate(row, at, Fate::Delivered);
    }

    pub(crate) fn set_fate(&mut self, row: u32, at: SimTime, fate: Fate) {
        self.packets.fate[row as usize] = fate as u8;
        self.packets.fate_ns[row as usize] = at.as_ns();
    }

    /// Returns all columns except `left_ns`, and all bytes, as one byte string, for the tests of determinism.
    pub fn to_bytes(&self) -> Vec<u8> {
        let (packets, chunks) = (&self.packets, &self.chunks);
        let mut out = Vec::new();
        for row in 0..packets.sent_ns.len() {
            out.extend(packets.endpoint[row].to_le_bytes());
            out.extend([packets.direction[row], packets.fate[row], packets.kind[row]]);
            out.extend(packets.bytes[row].to_le_bytes());
            out.extend(packets.sent_ns[row].to_le_bytes());
            out.extend(packets.fate_ns[row].to_le_bytes());
            out.extend(packets.cumulative_ack[row].to_le_bytes());
            // `ecn`, `marked` and `copy_ns` are left out of rows without ECN, marks and copies. The bytes of runs that
            // have none of them are therefore the same as before these columns existed.
            if packets.ecn[row] != 0 || packets.marked[row] != 0 || packets.copy_ns[row] != u64::MAX {
                out.extend([packets.ecn[row], packets.marked[row]]);
                out.extend(packets.copy_ns[row].to_le_bytes());
            }
        }
        for row in 0..chunks.packet.len() {
            out.extend(chunks.packet[row].to_le_bytes());
            out.extend(chunks.first[row].to_le_bytes());
            out.extend(chunks.bytes[row].to_le_bytes());
            extend_stream(&mut out, chunks.stream[row]);
            out.extend(chunks.message[row].to_le_bytes());
            out.push(chunks.retransmission[row]);
        }
        for bytes in &self.bytes {
            out.extend_from_slice(bytes);
        }
        out
    }
}

impl PacketColumns {
    /// Reserves memory for at least one more row; see [`room_for`].
    fn make_room(&mut self) {
        if self.sent_ns.len() < self.sent_ns.capacity() {
            return;
        }
        let rows = room_for(self.sent_ns.len());
        self.endpoint.reserve_exact(rows);
        self.direction.reserve_exact(rows);
        self.bytes.reserve_exact(rows);
        self.sent_ns.reserve_exact(rows);
        self.left_ns.reserve_exact(rows);
        self.fate.reserve_exact(rows);
        self.fate_ns.reserve_exact(rows);
        self.copy_ns.reserve_exact(rows);
        self.ecn.reserve_exact(rows);
        self.marked.reserve_exact(rows);
        self.kind.reserve_exact(rows);
        self.cumulative_ack.reserve_exact(rows);
    }
}

impl ChunkColumns {
    /// Reserves memory for at least one more row; see [`room_for`].
    fn make_room(&mut self) {
        if self.first.len() < self.first.capacity() {
            return;
        }
        let rows = room_for(self.first.len());
        self.packet.reserve_exact(rows);
        self.first.reserve_exact(rows);
        self.bytes.reserve_exact(rows);
        self.stream.reserve_exact(rows);
        self.message.reserve_exact(rows);
        self.retransmission.reserve_exact(rows);
    }
}

/// Returns how many more rows to allocate at a time, so that a page load grows its columns only a few times.
pub(super) fn room_for(rows: usize) -> usize {
    rows.max(256)
}

/// Writes a stream number: in two bytes if it is below 65535, as it always is with TCP, SCTP and UDP, and in six bytes
/// otherwise.
fn extend_stream(out: &mut Vec<u8>, stream: u32) {
    match u16::try_from(stream) {
        Ok(narrow) if narrow < u16::MAX => out.extend(narrow.to_le_bytes()),
        _ => {
            out.extend(u16::MAX.to_le_bytes());
            out.extend(stream.to_le_bytes());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stream_numbers_have_distinct_encodings_and_small_numbers_take_two_bytes() {
        let bytes = |stream| {
            let mut out = Vec::new();
            extend_stream(&mut out, stream);
            out
        };
        assert_eq!((bytes(0), bytes(65_534)), (vec![0, 0], vec![0xfe, 0xff]));
        assert_eq!(bytes(65_535), [0xff, 0xff, 0xff, 0xff, 0, 0]);
        assert_eq!(bytes(65_536), [0xff, 0xff, 0, 0, 1, 0]);
        assert_eq!(bytes(u32::MAX), [0xff; 6]);
    }

    #[test]
    fn the_chunks_of_a_packet_keep_their_order() {
        let chunk = |first| DataChunk { first, bytes: 1, stream: 70_000, message: 0, retransmission: false };
        let mut chunks = DataChunks::default();
        assert_eq!(chunks.iter().count(), 0);
        (0..3).for_each(|first| chunks.push(chunk(first)));
        assert_eq!(chunks.iter().copied().collect::<Vec<_>>(), [chunk(0), chunk(1), chunk(2)]);
        let mut log = PacketLog::default();
        for endpoint in 0..600 {
            let direction = Direction::Up;
            let (bytes, kind, cumulative_ack) = (60, PacketKind::Data, None);
            let offered =
                Offered { endpoint, direction, bytes, ecn: Ecn::NotEct, kind, cumulative_ack, chunks: &chunks };
            assert_eq!(log.push(SimTime::ZERO, &offered), endpoint);
        }
        assert_eq!((log.chunks.stream.len(), log.chunks.stream[1799], log.chunks.packet[1799]), (1800, 70_000, 599));
        assert_eq!(log.packets.endpoint, (0..600).collect::<Vec<_>>());
    }
}
