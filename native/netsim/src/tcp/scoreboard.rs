use std::collections::VecDeque;
use std::time::Duration;

use crate::congestion::AtSending;
use crate::time::SimTime;

/// The segments that were sent and are not yet cumulatively acknowledged (RFC 6675 §3). Sequence numbers are unwrapped
/// ([`super::sequence::SequenceSpace`]).
#[derive(Debug, Default)]
pub struct Scoreboard {
    segments: VecDeque<SentSegment>,
    /// The sequence number at which the next segment starts: SND.NXT.
    next: u64,
    sacked_bytes: u64,
    sacked_segments: u64,
    lost_bytes: u64,
    lost_segments: u64,
    retransmitted_bytes: u64,
    retransmitted_segments: u64,
    /// No lost segment below this sequence number waits for its retransmission.
    lost_from: u64,
    /// The highest sequence number that was selectively acknowledged, 0 if none was.
    highest_sacked: u64,
    /// Without SACK: how many segments have left the network, according to duplicate acknowledgements (RFC 6582).
    duplicates: u64,
}

/// A segment that was sent and is not yet cumulatively acknowledged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SentSegment {
    pub seq: u64,
    /// One past the segment's last sequence number. A FIN occupies one number.
    pub end: u64,
    /// When the segment was last sent.
    pub sent_at: SimTime,
    /// How often the segment was sent.
    pub sends: u32,
    pub sacked: bool,
    /// Whether the segment is deemed lost.
    pub lost: bool,
    /// Whether the segment was retransmitted and the retransmission is not deemed lost.
    pub retransmitted: bool,
    /// The state of the delivery rate estimate when the segment was last sent.
    pub at_sending: AtSending,
}

impl SentSegment {
    pub fn len(&self) -> u64 {
        self.end - self.seq
    }

    /// Whether the segment is lost and waits for its retransmission.
    pub fn waits_for_repetition(&self) -> bool {
        self.lost && !self.retransmitted
    }
}

/// The data that an acknowledgement newly reports as delivered.
#[derive(Clone, Debug, Default)]
pub struct Delivery {
    /// Bytes that are newly acknowledged, cumulatively or selectively. Without SACK, a duplicate acknowledgement counts
    /// as one full-sized segment.
    pub bytes: u64,
    /// The part of `bytes` that is acknowledged selectively.
    pub sacked_bytes: u64,
    /// Without SACK: the estimated number of newly delivered segments. A duplicate acknowledgement counts one segment.
    /// A segment that a duplicate has counted is not counted again when it is cumulatively acknowledged.
    pub counted_segments: u64,
    /// The number of segments that the cumulative acknowledgement covers. Segments that were selectively acknowledged
    /// before also count.
    pub acked_segments: u64,
    /// Whether one of the cumulatively acknowledged segments was retransmitted.
    pub acked_retransmission: bool,
    /// The send time of the first segment in `segments` that is cumulatively acknowledged and was sent only once.
    pub first_once: Option<SimTime>,
    /// The send time of the last segment in `segments` that is cumulatively acknowledged and was sent only once.
    pub last_once: Option<SimTime>,
    /// The send time of the first segment in `segments` that is selectively acknowledged and was sent only once.
    pub sacked_once: Option<SimTime>,
    /// The send time of the last segment in `segments` that is selectively acknowledged and was sent only once.
    pub sacked_once_last: Option<SimTime>,
    /// Bytes that were in flight before the acknowledgement; `None` if there was no acknowledgement.
    pub prior_in_flight: Option<u64>,
    /// The RTT that the timestamp echo gives; `None` if SND.UNA does not advance or there is no echo.
    pub echo_rtt: Option<Duration>,
    /// All newly delivered segments, for RACK (RFC 8985 §6.2).
    pub segments: Vec<SentSegment>,
}

impl Scoreboard {
    /// `next` is the first sequence number to be sent.
    pub fn new(next: u64) -> Self {
        Scoreboard { next, ..Default::default() }
    }

    pub fn is_empty(&self) -> bool {
        self.segments.is_empty()
    }

    pub fn len(&self) -> usize {
        self.segments.len()
    }

    pub fn segments(&self) -> impl DoubleEndedIterator<Item = &SentSegment> {
        self.segments.iter()
    }

    pub fn get(&self, index: usize) -> Option<&SentSegment> {
        self.segments.get(index)
    }

    pub fn first(&self) -> Option<&SentSegment> {
        self.segments.front()
    }

    pub fn last_index(&self) -> Option<usize> {
        self.segments.len().checked_sub(1)
    }

    /// Bytes that were sent and are not cumulatively acknowledged: FlightSize (RFC 5681 §2).
    pub fn outstanding_bytes(&self) -> u64 {
        self.segments.front().map_or(0, |first| self.next - first.seq)
    }

    /// Bytes estimated to be in the network: `pipe` (RFC 6675 §4, SetPipe).
    pub fn pipe_bytes(&self, mss: u64) -> u64 {
        let there = self.outstanding_bytes() + self.retransmitted_bytes;
        there.saturating_sub(self.sacked_bytes + self.lost_bytes + self.duplicates * mss)
    }

    /// Segments estimated to be in the network, as Linux counts them (`tcp_packets_in_flight`).
    pub fn pipe_segments(&self) -> u64 {
        let there = self.segments.len() as u64 + self.retransmitted_segments;
        there.saturating_sub(self.sacked_segments + self.lost_segments + self.duplicates)
    }

    pub fn sacked_bytes(&self) -> u64 {
        self.sacked_bytes
    }

    pub fn sacked_segments(&self) -> u64 {
        self.sacked_segments
    }

    /// Whether there is a segment that is deemed lost and not acknowledged.
    pub fn has_lost(&self) -> bool {
        self.lost_bytes > 0
    }

    pub fn has_retransmissions(&self) -> bool {
        self.retransmitted_bytes > 0
    }

    pub fn duplicates(&self) -> u64 {
        self.duplicates
    }

    /// Notes that a segment was sent for the first time.
    pub fn push(&mut self, now: SimTime, end: u64, at_sending: AtSending) {
        let fresh = SentSegment {
            seq: self.next,
            end,
            sent_at: now,
            sends: 1,
            sacked: false,
            lost: false,
            retransmitted: false,
            at_sending,
        };
        self.next = end;
        self.segments.push_back(fresh);
    }

    /// Notes that the segment at `index` was retransmitted.
    pub fn retransmitted(&mut self, now: SimTime, index: usize, at_sending: AtSending) {
        let was_next = self.next_lost() == Some(index);
        let segment = &mut self.segments[index];
        if was_next {
            self.lost_from = segment.end;
        }
        (segment.sent_at, segment.at_sending) = (now, at_sending);
        segment.sends += 1;
        if !segment.retransmitted {
            segment.retransmitted = true;
            self.retransmitted_bytes += segment.len();
            self.retransmitted_segments += 1;
        }
    }

    /// Handles the cumulative acknowledgement of everything below `una`.
    pub fn acknowledge(&mut self, una: u64, delivery: &mut Delivery) {
        while let Some(segment) = self.segments.front_mut() {
            if segment.seq >= una {
                break;
            }
            if segment.end > una {
                let part = una - segment.seq;
                self.sacked_bytes -= if segment.sacked { part } else { 0 };
                self.lost_bytes -= if segment.lost { part } else { 0 };
                self.retransmitted_bytes -= if segment.retransmitted { part } else { 0 };
                delivery.bytes += if segment.sacked { 0 } else { part };
                segment.seq = una;
                break;
            }
            let segment = *segment;
            self.segments.pop_front();
            self.forget(&segment);
            delivery.acked_segments += 1;
            delivery.acked_retransmission |= segment.sends > 1;
            if segment.sends == 1 && !segment.sacked {
                delivery.first_once.get_or_insert(segment.sent_at);
                delivery.last_once = Some(segment.sent_at);
            }
            if !segment.sacked {
                delivery.bytes += segment.len();
                delivery.segments.push(segment);
            }
        }
        // RFC 6582: the duplicate acknowledgements had counted each of these segments except the first, so the count
        // falls by the number of these segments minus one
        self.duplicates = self.duplicates.saturating_sub(delivery.acked_segments.saturating_sub(1));
        if self.segments.is_empty() {
            self.duplicates = 0;
        }
    }

    /// Applies the blocks of one acknowledgement. Blocks at or below SND.UNA report duplicates (RFC 2883 §4), and
    /// blocks beyond SND.NXT are forged. Both are ignored. The segments are added to `delivery` in the order of their
    /// sequence numbers (Linux: `tcp_sacktag_write_queue`).
    pub fn apply_sack(&mut self, blocks: &[(u64, u64)], delivery: &mut Delivery) {
        let mut blocks: Vec<(u64, u64)> = blocks.to_vec();
        blocks.sort_unstable();
        for (from, to) in blocks {
            if from >= to || to > self.next {
                continue;
            }
            let start = self.segments.partition_point(|segment| segment.seq < from);
            for segment in self.segments.range_mut(start..) {
                if segment.end > to {
                    break;
                }
                if segment.sacked {
                    continue;
                }
                segment.sacked = true;
                self.sacked_segments += 1;
                self.sacked_bytes += segment.len();
                delivery.bytes += segment.len();
                delivery.sacked_bytes += segment.len();
                if segment.sends == 1 {
                    delivery.sacked_once.get_or_insert(segment.sent_at);
                    delivery.sacked_once_last = Some(segment.sent_at);
                }
                delivery.segments.push(*segment);
                if std::mem::take(&mut segment.lost) {
                    self.lost_bytes -= segment.len();
                    self.lost_segments -= 1;
                }
                if std::mem::take(&mut segment.retransmitted) {
                    self.retransmitted_bytes -= segment.len();
                    self.retransmitted_segments -= 1;
                }
                self.highest_sacked = self.highest_sacked.max(segment.end);
            }
        }
    }

    /// Counts a duplicate acknowledgement without SACK: one more segment has left the network.
    pub fn count_duplicate(&mut self) {
        let limit = (self.segments.len() as u64).saturating_sub(1);
        self.duplicates = (self.duplicates + 1).min(limit);
    }

    pub fn forget_duplicates(&mut self) {
        self.duplicates = 0;
    }

    /// Marks as lost each segment that was sent once and for which at least three later segments were selectively
    /// acknowledged (RFC 6675 §4, IsLost). The RFC also counts bytes, which gives the same result if the segments are
    /// full-sized. Returns what is newly marked.
    pub fn mark_lost_by_sack(&mut self) -> Lost {
        let mut above = 0;
        let mut found = Lost::default();
        for segment in self.segments.iter_mut().rev() {
            if segment.sacked {
                above += 1;
            } else if above >= DUP_THRESH && !segment.lost && segment.sends == 1 {
                segment.lost = true;
                self.lost_bytes += segment.len();
                self.lost_segments += 1;
                self.lost_from = self.lost_from.min(segment.seq);
                found.note(segment);
            }
        }
        found
    }

    /// Marks the first segment as lost, unless it was selectively acknowledged. Returns true if the segment was not
    /// marked before, or if its retransmission is newly marked.
    pub fn mark_first_lost(&mut self) -> bool {
        match self.segments.front() {
            Some(first) if !first.sacked => self.mark_lost(0),
            _ => false,
        }
    }

    /// Marks the segment and its retransmission as lost. Returns true if at least one of them was not marked before.
    pub fn mark_lost(&mut self, index: usize) -> bool {
        let segment = &mut self.segments[index];
        let is_new = !segment.lost || segment.retransmitted;
        self.lost_from = self.lost_from.min(segment.seq);
        if !segment.lost {
            segment.lost = true;
            self.lost_bytes += segment.len();
            self.lost_segments += 1;
        }
        if std::mem::take(&mut segment.retransmitted) {
            self.retransmitted_bytes -= segment.len();
            self.retransmitted_segments -= 1;
        }
        is_new
    }

    /// Discards all selective acknowledgements, because the receiver has reneged (RFC 2018 §8).
    pub fn forget_sacked(&mut self) {
        self.segments.iter_mut().for_each(|segment| segment.sacked = false);
        (self.sacked_bytes, self.sacked_segments, self.highest_sacked) = (0, 0, 0);
    }

    /// After a timeout, marks as lost every segment that was not selectively acknowledged (RFC 6675 §5.1), except the
    /// segments for which `is_recent` returns true.
    pub fn mark_lost_after_timeout(&mut self, is_recent: impl Fn(&SentSegment) -> bool) {
        self.duplicates = 0;
        for index in 0..self.segments.len() {
            let segment = &self.segments[index];
            if !segment.sacked && !is_recent(segment) {
                self.mark_lost(index);
            }
        }
    }

    /// Deems no segment lost any more, because the timeout was spurious (RFC 5682).
    pub fn unmark_lost(&mut self) {
        for segment in &mut self.segments {
            if std::mem::take(&mut segment.lost) {
                self.lost_bytes -= segment.len();
                self.lost_segments -= 1;
            }
        }
    }

    /// The first lost segment that waits for its retransmission (RFC 6675 §4, NextSeg rule 1).
    pub fn next_lost(&self) -> Option<usize> {
        if self.lost_bytes == 0 {
            return None;
        }
        let start = self.segments.partition_point(|segment| segment.seq < self.lost_from);
        self.segments.range(start..).position(SentSegment::waits_for_repetition).map(|index| start + index)
    }

    /// The first segment that may be lost (RFC 6675 §4, NextSeg rule 3): it is below the highest SACK, was sent once,
    /// and is neither acknowledged nor marked as lost.
    pub fn next_in_doubt(&self) -> Option<usize> {
        let below = |segment: &SentSegment| segment.end <= self.highest_sacked;
        self.segments
            .iter()
            .position(|segment| !segment.sacked && !segment.lost && segment.sends == 1 && below(segment))
    }

    fn forget(&mut self, segment: &SentSegment) {
        self.sacked_bytes -= if segment.sacked { segment.len() } else { 0 };
        self.sacked_segments -= u64::from(segment.sacked);
        self.lost_bytes -= if segment.lost { segment.len() } else { 0 };
        self.lost_segments -= u64::from(segment.lost);
        self.retransmitted_bytes -= if segment.retransmitted { segment.len() } else { 0 };
        self.retransmitted_segments -= u64::from(segment.retransmitted);
    }
}

/// The result of loss detection.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Lost {
    pub any: bool,
    /// The number of segments that are newly deemed lost.
    pub segments: u64,
    /// Whether one of the lost transmissions was a retransmission.
    pub retransmission: bool,
    /// One past the highest sequence number of the lost segments that were sent once.
    pub end: u64,
}

impl Lost {
    /// Notes that `segment` is deemed lost. Call this before the segment's field `retransmitted` changes.
    pub fn note(&mut self, segment: &SentSegment) {
        self.any = true;
        self.segments += 1;
        self.retransmission |= segment.retransmitted;
        if segment.sends == 1 {
            self.end = self.end.max(segment.end);
        }
    }
}

/// DupThresh, in segments (RFC 6675 §2, RFC 5681 §3.2).
pub const DUP_THRESH: u64 = 3;

#[cfg(test)]
#[path = "scoreboard_test.rs"]
mod tests;
