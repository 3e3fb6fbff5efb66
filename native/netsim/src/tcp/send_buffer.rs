use std::collections::VecDeque;

use bytes::Bytes;

/// The bytes that were written and are not acknowledged. The first byte has sequence number 1.
///
/// Bytes are copied when they are written, except with [`Self::write_shared`]. A segment shares the stored bytes,
/// unless it spans several pieces.
#[derive(Debug)]
pub struct SendBuffer {
    /// Each piece with the sequence number of its first byte. A piece stays whole until all of it is acknowledged.
    pieces: VecDeque<(u64, Bytes)>,
    /// The bytes after the pieces: they were written in small writes and were not sent yet.
    tail: Vec<u8>,
    /// Sequence number of the first byte that is not acknowledged.
    start: u64,
    /// How many bytes were written and are not acknowledged.
    length: u64,
    /// The ends of writes that segments must not span, as sequence numbers in rising order.
    ends: VecDeque<u64>,
    capacity: u64,
    closed: bool,
}

impl SendBuffer {
    pub fn new(capacity: u64) -> Self {
        SendBuffer {
            pieces: VecDeque::new(),
            tail: Vec::new(),
            start: 1,
            length: 0,
            ends: VecDeque::new(),
            capacity,
            closed: false,
        }
    }

    pub fn len(&self) -> u64 {
        self.length
    }

    /// One past the last written byte, which is the sequence number of the FIN.
    pub fn end(&self) -> u64 {
        self.start + self.length
    }

    /// Whether a FIN follows the last byte.
    pub fn is_closed(&self) -> bool {
        self.closed
    }

    pub fn close(&mut self) {
        self.closed = true;
    }

    /// Accepts as many bytes as fit and returns their number.
    pub fn write(&mut self, bytes: &[u8]) -> usize {
        let room = self.capacity.saturating_sub(self.length) as usize;
        let taken = bytes.len().min(room);
        if taken >= PIECE_BYTES {
            self.seal_tail();
            self.pieces.push_back((self.end(), Bytes::copy_from_slice(&bytes[..taken])));
        } else {
            if self.tail.len() >= PIECE_BYTES {
                self.seal_tail();
            }
            self.tail.extend_from_slice(&bytes[..taken]);
        }
        self.length += taken as u64;
        taken
    }

    /// Accepts as many bytes as fit and returns their number. The bytes are not copied.
    pub fn write_shared(&mut self, bytes: Bytes) -> usize {
        let room = self.capacity.saturating_sub(self.length) as usize;
        let taken = bytes.len().min(room);
        if taken > 0 {
            self.seal_tail();
            self.pieces.push_back((self.end(), bytes.slice(..taken)));
            self.length += taken as u64;
        }
        taken
    }

    /// Makes the last written byte the end of a segment: bytes that are written later begin a new segment.
    pub fn end_segment(&mut self) {
        if self.ends.back() != Some(&self.end()) {
            self.ends.push_back(self.end());
        }
    }

    /// How many bytes a segment that starts at `seq` may hold, apart from the limit of the MSS. `seq` must not be below
    /// the first byte that is not acknowledged.
    pub fn segment_room(&self, seq: u64) -> u64 {
        let next = self.ends.partition_point(|end| *end <= seq);
        self.ends.get(next).copied().unwrap_or_else(|| self.end()) - seq
    }

    /// How many segments of at most `mss` bytes are needed to send all bytes from `seq` on.
    pub fn segments(&self, mut seq: u64, mss: u64) -> u64 {
        let mut count = 0;
        while seq < self.end() {
            let room = self.segment_room(seq);
            count += room.div_ceil(mss);
            seq += room;
        }
        count
    }

    /// Removes everything below `una`, which is acknowledged.
    pub fn release(&mut self, una: u64) {
        let count = (una - self.start).min(self.length);
        self.start += count;
        self.length -= count;
        while self.pieces.front().is_some_and(|(first, piece)| first + piece.len() as u64 <= self.start) {
            self.pieces.pop_front();
        }
        while self.ends.front().is_some_and(|end| *end <= self.start) {
            self.ends.pop_front();
        }
    }

    /// Returns `length` bytes from `seq` on, which must be in the buffer.
    pub fn share(&mut self, seq: u64, length: u64) -> Bytes {
        if seq + length > self.end() - self.tail.len() as u64 {
            self.seal_tail();
        }
        let index = self.pieces.partition_point(|(first, _)| *first <= seq).saturating_sub(1);
        let Some((first, piece)) = self.pieces.get(index) else { return Bytes::new() };
        let from = (seq - first) as usize;
        let to = from + length as usize;
        if to <= piece.len() {
            return piece.slice(from..to);
        }
        let mut joined = Vec::with_capacity(length as usize);
        joined.extend_from_slice(&piece[from..]);
        for (_, piece) in self.pieces.range(index + 1..) {
            let missing = length as usize - joined.len();
            joined.extend_from_slice(&piece[..missing.min(piece.len())]);
        }
        joined.into()
    }

    /// Turns the tail into a piece, because bytes that segments share cannot grow.
    fn seal_tail(&mut self) {
        if self.tail.is_empty() {
            return;
        }
        let first = self.end() - self.tail.len() as u64;
        self.pieces.push_back((first, std::mem::take(&mut self.tail).into()));
    }
}

/// A write of at least this many bytes becomes a piece of its own, and so does a tail that has grown to this size.
const PIECE_BYTES: usize = 4096;

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[derive(Clone, Debug)]
    enum Step {
        Write(usize),
        WriteShared(usize),
        Share(u64, u64),
        Release(u64),
    }

    fn step() -> impl Strategy<Value = Step> {
        prop_oneof![
            prop_oneof![1usize..50, 1usize..3 * PIECE_BYTES].prop_map(Step::Write),
            (0usize..2 * PIECE_BYTES).prop_map(Step::WriteShared),
            (any::<u64>(), any::<u64>()).prop_map(|(from, length)| Step::Share(from, length)),
            any::<u64>().prop_map(Step::Release),
        ]
    }

    #[test]
    fn segments_share_the_written_bytes() {
        let mut buffer = SendBuffer::new(1 << 20);
        for _ in 0..2 {
            buffer.write(&[7; PIECE_BYTES]);
        }
        let whole = buffer.share(1, PIECE_BYTES as u64);
        assert_eq!(buffer.share(11, 10).as_ptr(), whole[10..].as_ptr());
        let second = 1 + PIECE_BYTES as u64;
        assert_eq!(buffer.share(second, 10).as_ptr(), buffer.share(second, 20).as_ptr());
    }

    #[test]
    fn a_segment_ends_where_a_write_was_ended() {
        let mut buffer = SendBuffer::new(1000);
        let mut ends = |bytes: usize| {
            buffer.write(&vec![0; bytes]);
            buffer.end_segment();
        };
        [10, 20, 0].into_iter().for_each(&mut ends);
        buffer.write(&[0; 5]);
        assert_eq!(buffer.ends.len(), 2, "an empty write ends nothing");
        assert_eq!([8, 20].map(|mss| buffer.segments(1, mss)), [2 + 3 + 1, 3]);
        assert_eq!([1, 10, 11, 30, 31, 36].map(|seq| buffer.segment_room(seq)), [10, 1, 20, 1, 5, 0]);
        buffer.release(11);
        assert_eq!(buffer.segment_room(11), 20);
        buffer.release(36);
        assert!(buffer.ends.is_empty());
    }

    proptest! {
        #[test]
        fn gives_what_was_written(steps in prop::collection::vec(step(), 1..60)) {
            let (capacity, mut written, mut una) = (20_000, Vec::new(), 0);
            let mut buffer = SendBuffer::new(capacity);
            for step in steps {
                match step {
                    Step::Write(bytes) | Step::WriteShared(bytes) => {
                        let new: Vec<u8> = (0..bytes).map(|at| (written.len() + at) as u8 ^ (at >> 8) as u8).collect();
                        let taken = match step {
                            Step::Write(_) => buffer.write(&new),
                            _ => buffer.write_shared(new.clone().into()),
                        };
                        prop_assert_eq!(taken, bytes.min(capacity as usize - (written.len() - una)));
                        written.extend_from_slice(&new[..taken]);
                    }
                    Step::Share(from, length) if una < written.len() => {
                        let from = una + from as usize % (written.len() - una);
                        let length = length as usize % (written.len() - from + 1);
                        prop_assert_eq!(&buffer.share(1 + from as u64, length as u64)[..], &written[from..from + length]);
                    }
                    Step::Release(count) => {
                        // only bytes that were sent can be acknowledged
                        let count = count as usize % (written.len() - una + 1);
                        buffer.share(1 + una as u64, count as u64);
                        una += count;
                        buffer.release(1 + una as u64);
                    }
                    Step::Share(..) => {}
                }
                prop_assert_eq!(buffer.len(), (written.len() - una) as u64);
                prop_assert_eq!(buffer.end(), 1 + written.len() as u64);
                let start = buffer.start;
                let is_needed = |(first, piece): &(u64, Bytes)| first + piece.len() as u64 > start;
                prop_assert!(buffer.pieces.iter().all(is_needed), "released pieces remain");
            }
        }
    }
}
