use std::collections::BTreeMap;
use std::time::Duration;

use bytes::Bytes;

use super::window_tuning::{Received, WindowTuning};
use crate::time::SimTime;
use crate::trace::BlockedLog;

/// The receiving half: reassembly (RFC 9293 §3.10.7.4), the window, and SACK blocks (RFC 2018, RFC 2883).
/// Sequence numbers are unwrapped ([`super::sequence::SequenceSpace`]).
#[derive(Debug)]
pub struct Receiver {
    /// RCV.NXT.
    next: u64,
    /// The bytes that have arrived in order and were not read yet.
    readable: Vec<Bytes>,
    readable_bytes: u64,
    /// Data beyond a gap, keyed by the sequence number of its first byte. The ranges are disjoint.
    pending: BTreeMap<u64, Pending>,
    pending_bytes: u64,
    /// The sequence number of the peer's FIN.
    fin: Option<u64>,
    capacity: u64,
    /// The growth of the window; `None` if the whole buffer is offered from the start.
    tuning: Option<WindowTuning>,
    mss: u64,
    /// The right edge of the window that was last advertised.
    right_edge: u64,
    /// The size of that window.
    advertised: u64,
    /// The blocks of data beyond the gap. The block with the latest arrival comes first (RFC 2018 §4).
    sack_blocks: Vec<(u64, u64)>,
    /// The range that the latest segment repeated (RFC 2883 §4).
    duplicate: Option<(u64, u64)>,
    blocked: BlockedLog,
}

#[derive(Debug)]
struct Pending {
    bytes: Bytes,
    blocked_row: usize,
}

/// How a segment relates to what was received before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arrival {
    /// The segment has the next bytes, and no data was waiting.
    InOrder,
    /// The segment has the next bytes, and data was waiting behind a gap.
    FilledGap,
    /// The segment has bytes beyond a gap.
    OutOfOrder,
    /// The segment has no new bytes, or no bytes within the window.
    Duplicate,
}

impl Receiver {
    /// `capacity` is the size of the receive buffer in bytes. `tuning` is the growth of the window, if it starts small.
    /// Data starts at sequence number 1.
    pub fn new(capacity: u64, tuning: Option<WindowTuning>, mss: u64) -> Self {
        let window = tuning.as_ref().map_or(capacity, |tuning| tuning.window(0));
        Receiver {
            next: 1,
            readable: Vec::new(),
            readable_bytes: 0,
            pending: BTreeMap::new(),
            pending_bytes: 0,
            fin: None,
            capacity,
            tuning,
            mss,
            right_edge: 1 + window,
            advertised: window,
            sack_blocks: Vec::new(),
            duplicate: None,
            blocked: BlockedLog::default(),
        }
    }

    /// The cumulative acknowledgement, RCV.NXT. It is one past the FIN once everything has arrived.
    pub fn next(&self) -> u64 {
        self.next + u64::from(self.is_finished())
    }

    /// Whether the FIN and everything before it have arrived.
    pub fn is_finished(&self) -> bool {
        self.fin == Some(self.next)
    }

    pub fn has_gap(&self) -> bool {
        !self.pending.is_empty()
    }

    pub fn readable_bytes(&self) -> u64 {
        self.readable_bytes
    }

    pub fn blocked(&self) -> &BlockedLog {
        &self.blocked
    }

    /// Whether the windows offered so far cover everything before `end`. A peer that respects these windows sends
    /// nothing beyond them.
    pub fn has_offered(&self, end: u64) -> bool {
        end <= self.right_edge
    }

    /// Whether a segment of `length` sequence numbers from `seq` is at least partly in the window (RFC 9293 §3.10.7.4).
    pub fn accepts(&self, seq: u64, length: u64) -> bool {
        let (first, last) = (seq, seq + length.saturating_sub(1));
        // once the FIN and everything before it have arrived, `next` is past the FIN, so a repeated FIN counts as old
        let next = self.next();
        let in_window = |at: u64| at >= next && at < self.right_edge;
        match length {
            // RFC 9293 §3.10.7.4 does not accept a segment at the right edge. We accept it if it is empty, as Linux
            // does, because a peer that has filled the window sends its acknowledgements with this number. If neither
            // end accepted such acknowledgements, both would answer them endlessly.
            0 => first == next || in_window(first) || first == self.right_edge,
            _ => in_window(first) || in_window(last) || (first < next && last >= self.right_edge),
        }
    }

    /// Stores a segment's bytes. Bytes outside of the window are dropped.
    pub fn handle_segment(&mut self, now: SimTime, seq: u64, bytes: &Bytes, fin: bool) -> Arrival {
        let end = seq + bytes.len() as u64;
        if fin && self.fin.is_none() && end >= self.next && end <= self.right_edge {
            self.fin = Some(end);
        }
        let limit = self.fin.unwrap_or(u64::MAX).min(self.right_edge);
        let (first, last) = (seq.max(self.next), end.min(limit));
        self.duplicate = (seq < self.next.min(end)).then_some((seq, end.min(self.next)));
        if first >= last {
            return if bytes.is_empty() { self.finish_arrival() } else { Arrival::Duplicate };
        }
        let new = bytes.slice((first - seq) as usize..(last - seq) as usize);
        if first > self.next {
            return self.keep(now, first, &new);
        }
        let had_gap = self.has_gap();
        self.deliver(new);
        self.deliver_pending(now);
        if had_gap { Arrival::FilledGap } else { Arrival::InOrder }
    }

    /// Notes that the connection is established.
    pub fn handle_established(&mut self, now: SimTime) {
        if let Some(tuning) = &mut self.tuning {
            tuning.handle_established(now);
        }
    }

    /// Lets the window grow, and returns whether it has grown. Call this for each segment with data, before
    /// [`Self::handle_segment`]. `segment` is the segment's sequence number and its number of bytes. `echo` is the
    /// timestamp that the segment echoes, and the time since this timestamp was sent. If the connection does not use
    /// SACK (`has_sack` is false), a segment beyond a gap does not let the window grow.
    pub fn tune(&mut self, at: SimTime, segment: (u64, u64), echo: Option<(u32, Duration)>, has_sack: bool) -> bool {
        let (seq, bytes) = segment;
        let (window, held) = (self.advertised, self.held());
        let Some(tuning) = &mut self.tuning else { return false };
        let is_next = seq <= self.next;
        let next = is_next.then_some(self.next.max(seq + bytes));
        tuning.handle_segment(&Received { at, bytes, echo, may_grow: has_sack || is_next, next, window, held })
    }

    /// Whether more than half of the buffer is in use. Always false if the whole buffer is offered from the start.
    pub fn is_half_full(&self) -> bool {
        self.tuning.as_ref().is_some_and(|tuning| tuning.is_half_full(self.held()))
    }

    /// Notes a segment that is not accepted. Its old bytes are then reported as a duplicate (RFC 2883 §4).
    pub fn note_duplicate(&mut self, seq: u64, length: u64) {
        self.duplicate = (seq < self.next).then_some((seq, (seq + length).min(self.next)));
    }

    /// Returns and removes all bytes that are in order so far.
    pub fn read(&mut self) -> Bytes {
        if let Some(tuning) = &mut self.tuning {
            let mut unread = self.readable_bytes;
            for bytes in &self.readable {
                unread -= bytes.len() as u64;
                tuning.handle_read(bytes.len() as u64, unread);
            }
        }
        self.readable_bytes = 0;
        let read = if self.readable.len() == 1 { self.readable.pop() } else { None };
        read.unwrap_or_else(|| {
            let joined = self.readable.concat();
            self.readable.clear();
            joined.into()
        })
    }

    /// The window to advertise, in bytes. The right edge of the window never moves left (RFC 9293 §3.8.6). It moves
    /// right by at least a segment, or half of the buffer if that is less (§3.8.6.2.2).
    pub fn window(&mut self) -> u64 {
        let right_edge = self.next + self.free();
        if right_edge >= self.right_edge + self.mss.min(self.capacity / 2) {
            self.right_edge = right_edge;
        }
        self.advertised = self.right_edge.saturating_sub(self.next);
        self.advertised
    }

    /// Whether the window has grown so much since it was last advertised that a window update is due.
    pub fn window_update_due(&self) -> bool {
        if self.is_finished() {
            return false;
        }
        let advertised = self.right_edge.saturating_sub(self.next);
        let free = self.free();
        if let Some(tuning) = &self.tuning
            && advertised >= self.mss
        {
            return tuning.update_due(advertised, self.held());
        }
        // An update is due when the window can grow by half of the buffer, and by at least a segment. RFC 9293
        // §3.8.6.2.2 asks only for the smaller of the two, which is enough here, too, if less than a segment is
        // advertised. Without such limits, an application that reads byte by byte would flood the peer with updates.
        free >= advertised + (self.capacity / 2).max(self.mss.min(self.capacity))
            || (advertised < self.mss && free >= self.mss.min(self.capacity / 2) + advertised)
    }

    /// Returns at most `limit` SACK blocks for the next acknowledgement. A duplicate comes first (RFC 2883 §4).
    pub fn sack_blocks(&mut self, limit: usize) -> Vec<(u64, u64)> {
        let duplicate = if limit > 0 { self.duplicate.take() } else { None };
        duplicate.into_iter().chain(self.sack_blocks.iter().copied()).take(limit).collect()
    }

    /// The index of the SACK block that data from `first` to `end` would enlarge. If the data would start a new block,
    /// this is the number of blocks.
    pub fn block_place(&self, first: u64, end: u64) -> usize {
        let touches = |(from, to): &(u64, u64)| *to >= first && *from <= end;
        self.sack_blocks.iter().position(touches).unwrap_or(self.sack_blocks.len())
    }

    /// How many bytes after RCV.NXT may be offered.
    fn free(&self) -> u64 {
        match &self.tuning {
            Some(tuning) => tuning.window(self.held()),
            None => self.capacity - self.readable_bytes.min(self.capacity),
        }
    }

    /// The bytes in the buffer, including those beyond a gap.
    fn held(&self) -> u64 {
        self.readable_bytes + self.pending_bytes
    }

    /// Returns how a FIN without bytes arrived: in order if no byte before the FIN is missing.
    fn finish_arrival(&self) -> Arrival {
        if self.is_finished() { Arrival::InOrder } else { Arrival::OutOfOrder }
    }

    /// Stores bytes beyond a gap.
    fn keep(&mut self, now: SimTime, first: u64, bytes: &Bytes) -> Arrival {
        let end = first + bytes.len() as u64;
        let mut at = first;
        let mut new = false;
        // find the holes between the ranges, starting with the last range that begins at or before `first`
        let mut holes = Vec::new();
        let start = self.pending.range(..=first).next_back().map_or(first, |(seq, _)| *seq);
        for (seq, pending) in self.pending.range(start..end) {
            if *seq > at {
                holes.push((at, *seq));
            }
            at = at.max(seq + pending.bytes.len() as u64);
        }
        if at < end {
            holes.push((at, end));
        }
        for (from, to) in holes {
            let part = bytes.slice((from - first) as usize..(to - first) as usize);
            let blocked_row = self.blocked.wait(now, 0, from - 1, part.len() as u32);
            self.pending_bytes += part.len() as u64;
            self.pending.insert(from, Pending { bytes: part, blocked_row });
            new = true;
        }
        if !new {
            self.duplicate = Some((first, end));
        }
        self.note_block(first, end);
        if new { Arrival::OutOfOrder } else { Arrival::Duplicate }
    }

    /// Merges a range into the SACK blocks and moves the merged block to the front (RFC 2018 §4).
    fn note_block(&mut self, mut first: u64, mut end: u64) {
        self.sack_blocks.retain(|(from, to)| {
            let apart = *to < first || *from > end;
            if !apart {
                (first, end) = (first.min(*from), end.max(*to));
            }
            apart
        });
        self.sack_blocks.insert(0, (first, end));
    }

    fn deliver(&mut self, bytes: Bytes) {
        self.next += bytes.len() as u64;
        self.readable_bytes += bytes.len() as u64;
        self.readable.push(bytes);
    }

    fn deliver_pending(&mut self, now: SimTime) {
        while let Some(entry) = self.pending.first_entry() {
            if *entry.key() > self.next {
                break;
            }
            let (seq, pending) = entry.remove_entry();
            self.pending_bytes -= pending.bytes.len() as u64;
            self.blocked.deliver(now, pending.blocked_row);
            let known = (self.next - seq).min(pending.bytes.len() as u64) as usize;
            self.deliver(pending.bytes.slice(known..));
        }
        let next = self.next;
        self.sack_blocks.retain(|(_, end)| *end > next);
    }
}

#[cfg(test)]
#[path = "receiver_test.rs"]
mod tests;
