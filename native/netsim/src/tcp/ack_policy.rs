use std::time::Duration;

use super::receiver::Arrival;
use crate::time::SimTime;

/// Decides when the receiver acknowledges (RFC 9293 §3.8.6.3, RFC 5681 §4.2).
#[derive(Debug)]
pub struct AckPolicy {
    rules: DelayedAck,
    mss: u64,
    /// Bytes that have arrived in order since the last acknowledgement.
    unacknowledged: u64,
    due: bool,
    deadline: Option<SimTime>,
    quick_left: u32,
    last_data_at: Option<SimTime>,
}

/// A profile's rules for delayed acknowledgements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DelayedAck {
    /// The longest delay of an acknowledgement. It must be at most 500 ms (RFC 9293 §3.8.6.3).
    pub delay: Duration,
    /// How many segments are acknowledged without delay, at the start and again after each duplicate. Only later
    /// acknowledgements are delayed. The RFCs have no such number. Linux uses 16, until the application answers within
    /// `delay`.
    pub quick_acks: u32,
}

impl AckPolicy {
    pub fn new(rules: DelayedAck, mss: u64) -> Self {
        AckPolicy {
            rules,
            mss,
            unacknowledged: 0,
            due: false,
            deadline: None,
            quick_left: rules.quick_acks,
            last_data_at: None,
        }
    }

    /// Handles a segment that arrived with `bytes` of data or a FIN.
    pub fn handle_segment(&mut self, now: SimTime, bytes: u64, arrival: Arrival) {
        self.last_data_at = Some(now);
        self.unacknowledged += bytes;
        match arrival {
            // RFC 5681 §4.2: a segment that is out of order or fills a gap is acknowledged at once
            Arrival::OutOfOrder | Arrival::FilledGap => self.due = true,
            Arrival::Duplicate => {
                self.due = true;
                self.quick_left = self.rules.quick_acks;
            }
            Arrival::InOrder if self.quick_left > 0 => self.due = true,
            // RFC 5681 §4.2: at least every second full-sized segment is acknowledged
            Arrival::InOrder if self.unacknowledged >= 2 * self.mss => self.due = true,
            Arrival::InOrder => {
                self.deadline.get_or_insert(now + self.rules.delay);
            }
        }
    }

    /// Requests an acknowledgement at once.
    pub fn acknowledge_now(&mut self) {
        self.due = true;
    }

    /// Notes that the application sent data, which carries the acknowledgement. Data that is sent within `delay` after
    /// the last arrival ends the quick acknowledgements.
    pub fn data_sent(&mut self, now: SimTime) {
        if self.last_data_at.is_some_and(|at| now.saturating_since(at) < self.rules.delay) {
            self.quick_left = 0;
        }
    }

    /// Notes that an acknowledgement is sent, with data or without.
    pub fn sent(&mut self) {
        self.due = false;
        self.deadline = None;
        self.unacknowledged = 0;
        self.quick_left = self.quick_left.saturating_sub(1);
    }

    pub fn is_due(&self, now: SimTime) -> bool {
        self.due || self.deadline.is_some_and(|deadline| deadline <= now)
    }

    pub fn poll_timeout(&self) -> Option<SimTime> {
        self.deadline
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MSS: u64 = 1000;

    fn policy(quick_acks: u32) -> AckPolicy {
        AckPolicy::new(DelayedAck { delay: Duration::from_millis(200), quick_acks }, MSS)
    }

    fn at(ms: u64) -> SimTime {
        SimTime::from_ms(ms)
    }

    // RFC 9293 §3.8.6.3
    #[test]
    fn a_single_segment_waits_for_the_timer() {
        let mut acks = policy(0);
        acks.handle_segment(at(10), MSS, Arrival::InOrder);
        assert!(!acks.is_due(at(209)));
        assert_eq!(acks.poll_timeout(), Some(at(210)));
        assert!(acks.is_due(at(210)));
    }

    // RFC 5681 §4.2
    #[test]
    fn the_second_full_segment_is_acknowledged_at_once() {
        let mut acks = policy(0);
        acks.handle_segment(at(0), MSS, Arrival::InOrder);
        acks.handle_segment(at(1), MSS, Arrival::InOrder);
        assert!(acks.is_due(at(1)));
        acks.sent();
        assert!(!acks.is_due(at(1)));
        assert_eq!(acks.poll_timeout(), None);
    }

    // RFC 5681 §4.2
    #[test]
    fn out_of_order_gap_filling_and_duplicate_segments_are_acknowledged_at_once() {
        for arrival in [Arrival::OutOfOrder, Arrival::FilledGap, Arrival::Duplicate] {
            let mut acks = policy(0);
            acks.handle_segment(at(0), MSS, arrival);
            assert!(acks.is_due(at(0)), "{arrival:?}");
        }
    }

    #[test]
    fn quick_acknowledgements_end_after_the_given_number_or_when_data_is_sent() {
        let mut acks = policy(2);
        for _ in 0..2 {
            acks.handle_segment(at(0), MSS, Arrival::InOrder);
            assert!(acks.is_due(at(0)));
            acks.sent();
        }
        acks.handle_segment(at(0), MSS, Arrival::InOrder);
        assert!(!acks.is_due(at(0)));

        let mut acks = policy(16);
        acks.handle_segment(at(0), MSS, Arrival::InOrder);
        acks.data_sent(at(1));
        acks.sent();
        acks.handle_segment(at(2), MSS, Arrival::InOrder);
        assert!(!acks.is_due(at(2)));
    }
}
