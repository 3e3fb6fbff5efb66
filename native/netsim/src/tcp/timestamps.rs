use std::time::Duration;

use super::segment::Segment;
use crate::time::SimTime;

/// The timestamps option (RFC 7323 §3). Its clock ticks once a millisecond.
#[derive(Debug)]
pub struct Timestamps {
    /// Whether both SYNs had the option.
    pub on: bool,
    offset: u32,
    /// TS.Recent of RFC 7323 §4.3.
    recent: u32,
    /// Last.ACK.sent of RFC 7323 §4.3, unwrapped.
    last_ack_sent: u64,
}

impl Timestamps {
    /// The option is off until [`Self::negotiate`]. `offset` is the clock's first value, which should be random (RFC
    /// 7323 §7.1).
    pub fn new(offset: u32) -> Self {
        Timestamps { on: false, offset, recent: 0, last_ack_sent: 0 }
    }

    /// Turns the option on if `is_wanted` and the peer's SYN has it.
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

    /// Returns our timestamp that the segment echoes.
    pub fn echo(&self, segment: &Segment) -> Option<u32> {
        segment.options.timestamps.filter(|_| self.on).map(|(_, echo)| echo)
    }

    /// The time since our timestamp `echo` was sent, in whole milliseconds and at least one.
    pub fn since(&self, now: SimTime, echo: u32) -> Duration {
        Duration::from_millis(u64::from(self.value(now).wrapping_sub(echo)).max(1))
    }

    /// Whether the segment's timestamp is older than TS.Recent (PAWS, RFC 7323 §5.2).
    pub fn is_old_duplicate(&self, segment: &Segment) -> bool {
        let value = segment.options.timestamps.map(|(value, _)| value);
        self.on && !segment.rst && value.is_some_and(|value| (value.wrapping_sub(self.recent) as i32) < 0)
    }

    /// Notes the timestamp of an accepted segment, unless the segment starts beyond Last.ACK.sent (RFC 7323 §4.3).
    /// `seq` is the segment's unwrapped sequence number.
    pub fn note(&mut self, segment: &Segment, seq: u64) {
        if let Some((value, _)) = segment.options.timestamps
            && seq <= self.last_ack_sent
        {
            self.recent = value;
        }
    }

    /// Notes the timestamp of a segment that is not accepted. `end` is the unwrapped sequence number at which the
    /// segment ends.
    ///
    /// RFC 7323 §5.3 R2 ignores the timestamp of such a segment. We use it if the segment ends at Last.ACK.sent, as
    /// Linux (`tcp_sequence`) and FreeBSD (`tcp_do_segment`) do. Such a segment is a retransmission whose first
    /// acknowledgement was lost. If its timestamp were ignored, the peer's RTT sample would include the peer's
    /// timeouts.
    pub fn note_again(&mut self, segment: &Segment, end: u64) {
        if let Some((value, _)) = segment.options.timestamps
            && end == self.last_ack_sent
            && !self.is_old_duplicate(segment)
        {
            self.recent = value;
        }
    }

    /// Notes that an acknowledgement of everything below the unwrapped number `ack` is sent.
    pub fn acknowledged(&mut self, ack: u64) {
        self.last_ack_sent = ack;
    }
}
