//! Tracks the data that arrives and how long it waits for earlier data of its stream.

use std::collections::{BTreeMap, BTreeSet};

use super::Message;
use super::chunk::{Data, MessageNumber, Tsn};
use super::interleaved::{Fragment, Interleaved, Passed};
use crate::time::SimTime;
use crate::trace::{BlockedLog, DataChunk};

/// The data that has arrived, including the data that waits for earlier data. The number of a chunk is its TSN minus
/// the initial TSN, and does not wrap.
///
/// Call [`Inbound::arrive`] for each DATA or I-DATA chunk of a packet, then [`Inbound::deliver`] for each message that
/// the stack delivers, and [`Inbound::settle`] at the end of the packet. If messages are delivered in pieces, take the
/// pieces from [`Inbound::poll_piece`] instead of taking messages from the stack.
#[derive(Debug, Default)]
pub struct Inbound {
    initial: Option<Tsn>,
    /// The number of chunks received without a gap.
    cumulative: u64,
    /// The numbers of the chunks received beyond the first gap.
    beyond: BTreeSet<u64>,
    streams: BTreeMap<u16, Stream>,
    /// The ordered chunks of the current packet that are not delivered.
    arrived: Vec<Arrived>,
    blocked: BlockedLog,
    /// Set if messages are delivered in pieces.
    interleaved: Option<Interleaved>,
}

#[derive(Debug, Default)]
struct Stream {
    /// The number of messages delivered so far, which is also the number of the next message.
    delivered: u32,
    /// How many messages were delivered before the last reset of the stream.
    before: u32,
    /// The chunks that wait, keyed by message number and chunk number. The value is the index of the chunk's row in
    /// [`Inbound::blocked`].
    waiting: BTreeMap<(u32, u64), usize>,
}

/// A chunk of a message that is not delivered yet.
#[derive(Debug)]
struct Arrived {
    stream: u16,
    message: u32,
    number: u64,
    bytes: u32,
}

impl Inbound {
    /// Sets the peer's initial TSN, from its INIT or INIT ACK.
    pub fn set_initial(&mut self, initial: Tsn) {
        self.initial = Some(initial);
    }

    /// Whether no data has arrived yet.
    pub fn is_untouched(&self) -> bool {
        self.cumulative == 0 && self.beyond.is_empty()
    }

    /// Delivers messages in pieces from now on. Both ends must have agreed on I-DATA.
    pub fn hand_on_pieces(&mut self) {
        self.interleaved.get_or_insert_default();
    }

    /// Whether messages are delivered in pieces by [`Inbound::poll_piece`].
    pub fn hands_on_pieces(&self) -> bool {
        self.interleaved.is_some()
    }

    /// Handles a data chunk of `packet`.
    pub fn arrive(&mut self, now: SimTime, data: &Data, packet: &[u8]) {
        let Some(number) = self.count(data.tsn) else { return };
        let stream = self.streams.entry(data.stream).or_default();
        let message = stream.before + data.message.unwrapped(stream.delivered - stream.before);
        let Data { stream, bytes, at, .. } = *data;
        if !data.unordered {
            self.arrived.push(Arrived { stream, message, number, bytes });
        }
        if let (Some(interleaved), MessageNumber::Mid(mid)) = (&mut self.interleaved, data.message) {
            let bytes = packet.get(at..at + bytes as usize).unwrap_or_default().to_vec();
            let passed = interleaved.arrive(data, mid, Fragment { number, bytes, ends: data.ends });
            for passed in passed {
                self.pass(now, data.stream, passed);
            }
        }
    }

    /// Returns the next piece of a message.
    pub fn poll_piece(&mut self) -> Option<Message> {
        self.interleaved.as_mut()?.poll_piece()
    }

    /// Notes that the stream's messages are numbered from 0 again on the wire (RFC 6525 §5.2.2). The trace continues
    /// its own numbers.
    pub fn note_reset(&mut self, stream: u16) {
        let numbered = self.streams.entry(stream).or_default();
        numbered.before = numbered.delivered;
        if let Some(interleaved) = &mut self.interleaved {
            interleaved.note_reset(stream);
        }
    }

    /// Counts a chunk and returns its number; `None` if the chunk is a duplicate, or if its TSN has no number.
    fn count(&mut self, tsn: Tsn) -> Option<u64> {
        let number = self.number(tsn)?;
        if number < self.cumulative || self.beyond.contains(&number) {
            return None;
        }
        if number == self.cumulative {
            self.cumulative += 1;
            while self.beyond.remove(&self.cumulative) {
                self.cumulative += 1;
            }
        } else {
            self.beyond.insert(number);
        }
        Some(number)
    }

    /// Notes that a fragment is delivered.
    fn pass(&mut self, now: SimTime, stream: u16, Passed { mid, number, ends }: Passed) {
        self.arrived.retain(|chunk| chunk.number != number);
        let Some(Stream { delivered, before, waiting }) = self.streams.get_mut(&stream) else { return };
        let message = *before + mid;
        *delivered = message + u32::from(ends);
        if let Some(row) = waiting.remove(&(message, number)) {
            self.blocked.deliver(now, row);
        }
    }

    /// Notes that the stack delivers the next message of `stream`.
    pub fn deliver(&mut self, now: SimTime, stream: u16) {
        let Some(Stream { delivered, waiting, .. }) = self.streams.get_mut(&stream) else { return };
        let message = *delivered;
        *delivered += 1;
        self.arrived.retain(|chunk| (chunk.stream, chunk.message) != (stream, message));
        while let Some((key, row)) = waiting.range((message, 0)..=(message, u64::MAX)).next() {
            let key = *key;
            self.blocked.deliver(now, *row);
            waiting.remove(&key);
        }
    }

    /// Ends the current packet. Its chunks that were not delivered wait from `now` on.
    pub fn settle(&mut self, now: SimTime) {
        for Arrived { stream, message, number, bytes } in self.arrived.drain(..) {
            let row = self.blocked.wait(now, stream.into(), number, bytes);
            self.streams.entry(stream).or_default().waiting.insert((message, number), row);
        }
    }

    /// Returns the row of a received chunk for the trace; `None` if the peer's initial TSN is not known yet, or if the
    /// chunk's TSN is before it.
    pub fn row_of(&self, data: &Data) -> Option<DataChunk> {
        let (before, near) = match self.streams.get(&data.stream) {
            Some(stream) => (stream.before, stream.delivered.wrapping_sub(stream.before)),
            None => (0, 0),
        };
        let message = before.wrapping_add(data.message.unwrapped(near));
        let first = self.number(data.tsn)?;
        Some(DataChunk { first, bytes: data.bytes, stream: data.stream.into(), message, retransmission: false })
    }

    /// Returns how many chunks are acknowledged by a cumulative TSN that this end sends.
    pub fn count_at(&self, cumulative_tsn: Tsn) -> Option<u64> {
        self.number(Tsn(cumulative_tsn.0.wrapping_add(1)))
    }

    /// Returns the last TSN received without a gap; `None` before the initial TSN is known. If no data has arrived,
    /// this is the TSN before the initial TSN.
    pub fn cumulative_tsn(&self) -> Option<Tsn> {
        Some(Tsn(self.initial?.0.wrapping_add(self.cumulative as u32).wrapping_sub(1)))
    }

    pub fn blocked(&self) -> &BlockedLog {
        &self.blocked
    }

    /// Returns TSN − initial TSN, as a number that does not wrap; `None` if the initial TSN is unknown or the
    /// difference is negative.
    fn number(&self, tsn: Tsn) -> Option<u64> {
        let next = Tsn(self.initial?.0.wrapping_add(self.cumulative as u32));
        self.cumulative.checked_add_signed(tsn.distance_from(next))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sctp::chunk::MessageNumber;
    use crate::trace::BlockedRow;

    fn inbound() -> Inbound {
        let mut inbound = Inbound::default();
        inbound.set_initial(Tsn(u32::MAX));
        inbound
    }

    fn data(number: u32, stream: u16, ssn: u16) -> Data {
        Data {
            tsn: Tsn(u32::MAX.wrapping_add(number)),
            stream,
            message: MessageNumber::Ssn(ssn),
            unordered: false,
            bytes: 10,
            chunk_bytes: 28,
            ends: true,
            fragment: 0,
            at: 0,
        }
    }

    fn at(ms: u64) -> SimTime {
        SimTime::from_ms(ms)
    }

    #[test]
    fn data_delivered_on_arrival_leaves_no_row() {
        let mut inbound = inbound();
        inbound.arrive(at(0), &data(0, 0, 0), &[]);
        inbound.deliver(at(1), 0);
        inbound.settle(at(1));
        assert_eq!(inbound.blocked().rows(), []);
    }

    #[test]
    fn data_waits_behind_a_gap_of_its_own_stream_only() {
        let mut inbound = inbound();
        // chunk 0, which is message 0 of stream 0, is late
        inbound.arrive(at(0), &data(1, 0, 1), &[]);
        inbound.settle(at(1));
        inbound.arrive(at(0), &data(2, 1, 0), &[]);
        inbound.deliver(at(2), 1);
        inbound.settle(at(2));
        inbound.arrive(at(0), &data(1, 0, 1), &[]); // a duplicate
        inbound.settle(at(3));
        inbound.arrive(at(0), &data(0, 0, 0), &[]);
        inbound.deliver(at(4), 0);
        inbound.deliver(at(4), 0);
        inbound.settle(at(4));
        let row = BlockedRow { stream: 0, first: 1, bytes: 10, start: at(1), end: Some(at(4)) };
        assert_eq!(inbound.blocked().rows(), [row]);
        assert_eq!(inbound.count_at(Tsn(1)), Some(3));
    }

    #[test]
    fn a_piece_waits_for_earlier_pieces_of_its_own_stream_only() {
        let mut inbound = inbound();
        inbound.hand_on_pieces();
        let piece = |number: u32, stream: u16, mid: u32, fragment: u32, ends: bool| {
            let message = MessageNumber::Mid(mid);
            Data { message, fragment, ends, bytes: 1, ..data(number, stream, 0) }
        };
        let mut take = |ms: u64, data: Data| {
            inbound.arrive(at(ms), &data, &[9]);
            let pieces = std::iter::from_fn(|| inbound.poll_piece()).count();
            inbound.settle(at(ms));
            pieces
        };
        assert_eq!(take(1, piece(0, 0, 0, 0, false)), 1);
        // chunk 1, which is fragment 1 of the first message, is late
        assert_eq!(take(2, piece(2, 0, 0, 2, true)), 0);
        assert_eq!(take(3, piece(3, 0, 1, 0, true)), 0);
        assert_eq!(take(4, piece(4, 1, 0, 0, true)), 1);
        assert_eq!(take(5, Data { unordered: true, ..piece(5, 0, 0, 0, true) }), 1);
        assert_eq!(take(6, piece(2, 0, 0, 2, true)), 0);
        assert_eq!(take(7, piece(1, 0, 0, 1, false)), 3);
        let row = |first, start| BlockedRow { stream: 0, first, bytes: 1, start: at(start), end: Some(at(7)) };
        assert_eq!(inbound.blocked().rows(), [row(2, 2), row(3, 3)]);
        inbound.note_reset(0);
        inbound.arrive(at(8), &piece(7, 0, 0, 1, true), &[9]);
        inbound.settle(at(8));
        inbound.arrive(at(9), &piece(6, 0, 0, 0, false), &[9]);
        inbound.settle(at(9));
        let row = BlockedRow { stream: 0, first: 7, bytes: 1, start: at(8), end: Some(at(9)) };
        assert_eq!(inbound.blocked().rows()[2..], [row]);
    }

    #[test]
    fn message_counts_continue_past_a_reset() {
        let mut inbound = inbound();
        for (number, ssn) in [(0, 0), (1, 1)] {
            inbound.arrive(at(1), &data(number, 0, ssn), &[]);
            inbound.deliver(at(1), 0);
            inbound.settle(at(1));
        }
        inbound.note_reset(0);
        inbound.arrive(at(2), &data(3, 0, 1), &[]);
        inbound.settle(at(2));
        inbound.arrive(at(3), &data(2, 0, 0), &[]);
        inbound.deliver(at(3), 0);
        inbound.deliver(at(3), 0);
        inbound.settle(at(3));
        let row = BlockedRow { stream: 0, first: 3, bytes: 10, start: at(2), end: Some(at(3)) };
        assert_eq!(inbound.blocked().rows(), [row]);
    }

    #[test]
    fn message_counts_continue_past_the_wrap_of_the_ssn() {
        let mut inbound = inbound();
        for number in 0..70_000 {
            inbound.arrive(at(0), &data(number, 0, number as u16), &[]);
            inbound.deliver(at(1), 0);
            inbound.settle(at(1));
        }
        assert_eq!(inbound.blocked().rows(), []);
        assert_eq!(inbound.streams[&0].waiting.len(), 0);
    }

    #[test]
    fn the_cumulative_tsn_stops_before_the_first_gap() {
        let mut inbound = inbound();
        assert!(inbound.is_untouched());
        inbound.arrive(at(0), &data(1, 0, 1), &[]);
        assert!(!inbound.is_untouched());
        assert_eq!(inbound.cumulative_tsn(), Some(Tsn(u32::MAX - 1)));
        inbound.arrive(at(0), &data(0, 0, 0), &[]);
        assert_eq!(inbound.cumulative_tsn(), Some(Tsn(0)));
        inbound.arrive(at(0), &data(2, 0, 2), &[]);
        assert_eq!(inbound.cumulative_tsn(), Some(Tsn(1)));
        assert!(!inbound.is_untouched());
    }
}
