use std::collections::VecDeque;

/// Bytes written and not acknowledged, by sequence number from 1 on.
#[derive(Debug)]
pub struct SendBuffer {
    bytes: VecDeque<u8>,
    /// Sequence number of the first.
    start: u64,
    capacity: u64,
    closed: bool,
}

impl SendBuffer {
    pub fn new(capacity: u64) -> Self {
        SendBuffer { bytes: VecDeque::new(), start: 1, capacity, closed: false }
    }

    pub fn len(&self) -> u64 {
        self.bytes.len() as u64
    }

    /// One past the last byte written; the FIN's number.
    pub fn end(&self) -> u64 {
        self.start + self.len()
    }

    /// A FIN follows the last byte.
    pub fn is_closed(&self) -> bool {
        self.closed
    }

    pub fn close(&mut self) {
        self.closed = true;
    }

    /// Takes what fits; gives how much.
    pub fn write(&mut self, bytes: &[u8]) -> usize {
        let room = self.capacity.saturating_sub(self.len()) as usize;
        let taken = bytes.len().min(room);
        self.bytes.extend(&bytes[..taken]);
        taken
    }

    /// Everything below `una` is acknowledged.
    pub fn release(&mut self, una: u64) {
        let count = (una - self.start).min(self.len());
        self.bytes.drain(..count as usize);
        self.start += count;
    }

    /// `length` bytes from `seq` on, which must be there.
    pub fn copy(&self, seq: u64, length: u64) -> Vec<u8> {
        let (from, to) = ((seq - self.start) as usize, (seq - self.start + length) as usize);
        let (front, back) = self.bytes.as_slices();
        let split = front.len();
        let mut out = Vec::with_capacity(to - from);
        out.extend_from_slice(&front[from.min(split)..to.min(split)]);
        out.extend_from_slice(&back[from.saturating_sub(split)..to.saturating_sub(split)]);
        out
    }
}
