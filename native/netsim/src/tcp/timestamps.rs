use std::time::Duration;

use super::segment::Segment;
use crate::time::SimTime;

/// The timestamps option (RFC 7323 §3). The clock's tick is a millisecond.
#[derive(Debug)]
pub struct Timestamps {
    /// Both SYNs had the option.
    pub on: bool,
    offset: u32,
    /// TS.Recent.
    recent: u32,
    /// Last.ACK.sent, unwrapped.
    last_ack_sent: u64,
}

impl Timestamps {
    /// Off. `offset` is where its clock starts (RFC 7323 §7.1 wants it random).
    pub fn new(offset: u32) -> Self {
        Timestamps { on: false, offset, recent: 0, last_ack_sent: 0 }
    }

    /// Takes the peer's SYN.
    pub fn negotiate(&mut self, is_wanted: bool, syn: &Segment) {
        self.on = is_wanted && syn.options.timestamps.is_some();
        self.recent = syn.options.timestamps.map_or(0, |(value, _)| value);
    }

    /// TSval (RFC 7323 §5.4).
    pub fn value(&self, now: SimTime) -> u32 {
        self.offset.wrapping_add((now.as_ns() / 1_000_000) as u32)
    }

    /// TSval and TSecr.
    pub fn option(&self, now: SimTime) -> (u32, u32) {
        (self.value(now), self.recent)
    }

    /// What a segment echoes of ours.
    pub fn echo(&self, segment: &Segment) -> Option<u32> {
        segment.options.timestamps.filter(|_| self.on).map(|(_, echo)| echo)
    }

    /// The time since our `echo` was sent, to the clock's millisecond.
    pub fn since(&self, now: SimTime, echo: u32) -> Duration {
        Duration::from_millis(u64::from(self.value(now).wrapping_sub(echo)).max(1))
    }

    /// RFC 7323 §5.2: a timestamp from before what was seen last (PAWS).
    pub fn is_old_duplicate(&self, segment: &Segment) -> bool {
        let value = segment.options.timestamps.map(|(value, _)| value);
        self.on && !segment.rst && value.is_some_and(|value| (value.wrapping_sub(self.recent) as i32) < 0)
    }

    /// RFC 7323 §4.3. `seq` is the segment's, unwrapped.
    pub fn note(&mut self, segment: &Segment, seq: u64) {
        if let Some((value, _)) = segment.options.timestamps
            && seq <= self.last_ack_sent
        {
            self.recent = value;
        }
    }

    /// A segment came that is not taken and ends at `end`, unwrapped.
    ///
    /// Differs: RFC 7323 §5.3 R2 takes nothing of it. Linux (`tcp_sequence`) and FreeBSD (`tcp_do_segment`) take the
    /// timestamp of one that ends at Last.ACK.sent, what comes again where our acknowledgement was lost: or else the
    /// peer's sample would span its timeouts.
    pub fn note_again(&mut self, segment: &Segment, end: u64) {
        if let Some((value, _)) = segment.options.timestamps
            && end == self.last_ack_sent
            && !self.is_old_duplicate(segment)
        {
            self.recent = value;
        }
    }

    /// An acknowledgement up to `ack`, unwrapped, goes out.
    pub fn acknowledged(&mut self, ack: u64) {
        self.last_ack_sent = ack;
    }
}
