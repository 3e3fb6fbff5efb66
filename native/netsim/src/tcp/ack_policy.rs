use std::time::Duration;

use super::ecn::Urgency;
use super::quick_acks::QuickAcks;
use super::receiver::Arrival;
use super::timer_clock::TimerClock;
use crate::time::SimTime;

/// Decides when the receiver acknowledges (RFC 9293 §3.8.6.3, RFC 5681 §4.2).
#[derive(Debug)]
pub struct AckPolicy {
    rules: DelayedAck,
    clock: TimerClock,
    mss: u64,
    /// Bytes that have arrived in order since the last acknowledgement.
    unacknowledged: u64,
    due: bool,
    /// When a delayed acknowledgement is sent at the latest.
    deadline: Option<SimTime>,
    /// When the acknowledgement of segments beyond a gap is sent at the latest.
    compressed_until: Option<SimTime>,
    /// The number of segments beyond the current gap that were acknowledged one by one.
    beyond_gap: u32,
    /// The number of segments beyond the gap that wait to be acknowledged together.
    compressed: u32,
    quick: QuickAcks,
    sizes: SegmentSizes,
    /// Whether the application has read everything, and an acknowledgement is sent for that reason.
    read: bool,
    last_data_at: Option<SimTime>,
}

/// A profile's rules for delayed acknowledgements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DelayedAck {
    /// The longest delay of an acknowledgement. It must be at most 500 ms (RFC 9293 §3.8.6.3).
    pub delay: Duration,
    pub when: AckWhen,
}

/// Which segments are acknowledged immediately.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AckWhen {
    /// Every second full-sized segment, and every segment that is out of order, fills a gap or is a duplicate (RFC 5681
    /// §4.2).
    Rfc5681,
    /// As in Linux (`__tcp_ack_snd_check`). These segments are acknowledged immediately:
    /// - data in order, as soon as more than one full-sized segment of it is unacknowledged, or when the application
    ///   has read the end of a write of the peer ([`SegmentSizes`])
    /// - every segment that fills a gap or is a duplicate
    /// - the first three segments beyond a gap
    /// - every other segment, in the cases that [`QuickAcks`] names
    ///
    /// Otherwise, the segments after the first three beyond a gap are acknowledged together when 45 of them have
    /// arrived, or 1.1 ms after the first of them at the latest.
    Linux,
}

impl AckPolicy {
    pub fn new(rules: DelayedAck, clock: TimerClock, mss: u64) -> Self {
        AckPolicy {
            rules,
            clock,
            mss,
            unacknowledged: 0,
            due: false,
            deadline: None,
            compressed_until: None,
            beyond_gap: 0,
            compressed: 0,
            quick: QuickAcks::default(),
            sizes: SegmentSizes::new(mss),
            read: false,
            last_data_at: None,
        }
    }

    /// Handles a segment with data or a FIN. The segment moved RCV.NXT by `bytes`, which is 0 if the segment is a
    /// duplicate or beyond a gap. `rtt` is the smoothed RTT, if it is known.
    pub fn handle_segment(&mut self, now: SimTime, bytes: u64, arrival: Arrival, rtt: Option<Duration>) {
        self.last_data_at = Some(now);
        self.unacknowledged += bytes;
        if bytes > 0 {
            self.beyond_gap = 0;
        }
        let is_due = match (self.rules.when, arrival) {
            (AckWhen::Rfc5681, Arrival::InOrder) => self.unacknowledged >= 2 * self.mss,
            (AckWhen::Rfc5681, _) => true,
            (AckWhen::Linux, Arrival::Duplicate) => {
                self.quick.handle_duplicate();
                true
            }
            (AckWhen::Linux, Arrival::InOrder) => self.quick.is_on() || self.unacknowledged > self.sizes.full,
            (AckWhen::Linux, Arrival::FilledGap) => true,
            (AckWhen::Linux, Arrival::OutOfOrder) => self.quick.is_on() || !self.compresses(),
        };
        if is_due || self.rules.delay.is_zero() {
            self.due = true;
        } else if arrival == Arrival::OutOfOrder {
            let delay = rtt.map_or(COMPRESSION, |rtt| COMPRESSION.min(rtt / 20));
            self.compressed_until.get_or_insert(now + delay + COMPRESSION_SLACK);
        } else {
            self.deadline.get_or_insert(self.clock.after(now, self.rules.delay));
        }
    }

    /// Notes the size of a segment with new data in order, and whether it has PSH. Call this before
    /// [`Self::handle_segment`].
    pub fn note_size(&mut self, bytes: u64, push: bool) {
        self.sizes.note(bytes.min(self.mss), push);
    }

    /// Notes that the application has read everything that has arrived in order (`tcp_cleanup_rbuf`).
    pub fn handle_read(&mut self) {
        let ends = if self.quick.is_interactive() { 2 } else { 1 };
        self.read |= self.rules.when == AckWhen::Linux && self.deadline.is_some() && self.sizes.ends >= ends;
    }

    /// Whether an acknowledgement is sent because the application has read everything. It is sent before the data that
    /// the application then writes.
    pub fn is_read(&self) -> bool {
        self.read
    }

    /// Counts a segment beyond a gap. Returns true if its acknowledgement waits for further segments.
    fn compresses(&mut self) -> bool {
        if self.compressed >= MOST_COMPRESSED {
            return false;
        }
        let waits = self.beyond_gap >= FIRST_BEYOND_GAP;
        *(if waits { &mut self.compressed } else { &mut self.beyond_gap }) += 1;
        waits
    }

    /// Whether the segments that wait to be acknowledged together must be acknowledged before the next segment is
    /// handled. `block` is the index of the SACK block that the next segment enlarges, or the number of blocks if the
    /// segment starts a new block. The segment's block becomes the first block, and the blocks before it move back by
    /// one. An acknowledgement may have no room for all blocks. Linux therefore acknowledges before a block moves out
    /// of the first two, so that each block is reported at least once (`tcp_sack_new_ofo_skb`).
    pub fn must_flush(&self, block: usize) -> bool {
        self.compressed > 0 && block >= EXPECTED_BLOCKS
    }

    /// Handles what ECN demands of the acknowledgements. Only the rules of Linux follow [`Urgency::Quick`]
    /// (`__tcp_ecn_check_ce`).
    pub fn handle_ecn(&mut self, urgency: Urgency) {
        match (self.rules.when, urgency) {
            (AckWhen::Linux, Urgency::Quick) => self.quick.hurry(),
            (_, Urgency::Now) => self.due = true,
            (_, Urgency::Quick | Urgency::None) => {}
        }
    }

    /// Notes that the receive window has grown. With the rules of Linux the next segment is then acknowledged
    /// immediately, unless the connection is interactive (`tcp_grow_window`).
    pub fn handle_grown_window(&mut self) {
        self.quick.handle_grown_window();
    }

    /// Notes that more than half of the receive buffer is in use (`__tcp_select_window`).
    pub fn handle_half_full(&mut self) {
        self.quick.handle_half_full();
    }

    /// Requests an immediate acknowledgement.
    pub fn acknowledge_now(&mut self) {
        self.due = true;
    }

    /// Notes that the application sent data, which carries the acknowledgement.
    pub fn data_sent(&mut self, now: SimTime) {
        if self.last_data_at.is_some_and(|at| now.saturating_since(at) < self.rules.delay) {
            self.quick.answered();
        }
    }

    /// Notes that an acknowledgement is sent, with data or without.
    pub fn sent(&mut self) {
        if self.due || self.deadline.is_some() || self.compressed_until.is_some() {
            self.quick.acknowledged();
        }
        (self.due, self.read, self.sizes.ends) = (false, false, 0);
        (self.deadline, self.compressed_until) = (None, None);
        (self.unacknowledged, self.compressed) = (0, 0);
    }

    /// Requests an acknowledgement if a timer has expired.
    pub fn handle_timeout(&mut self, now: SimTime) {
        let is_delayed = self.deadline.take_if(|at| *at <= now).is_some();
        let is_compressed = self.compressed_until.take_if(|at| *at <= now).is_some();
        self.due |= is_delayed || is_compressed;
        if is_delayed {
            self.quick.waited();
        }
    }

    pub fn is_due(&self) -> bool {
        self.due
    }

    pub fn poll_timeout(&self) -> Option<SimTime> {
        [self.deadline, self.compressed_until].into_iter().flatten().min()
    }
}

/// What the sizes of segments say about the peer's writes, as in Linux (`tcp_measure_rcv_mss`). A segment that is not
/// full, or that has PSH, is the end of a write. When the application has read such an end, the peer may be waiting for
/// the acknowledgement, so the acknowledgement is sent immediately. On an interactive connection, two ends are
/// necessary, because the application may be about to answer the first. A full segment with PSH counts only as the
/// first end.
///
/// Linux also takes two equal segments of fewer than 536 bytes as full ones, if they have neither PSH nor FIN. Here they
/// are ends of writes.
#[derive(Debug)]
struct SegmentSizes {
    /// The size of a full segment in bytes, as far as it is known: the size of the largest segment, or a smaller size
    /// that two large segments had. At first it is [`DEFAULT_MSS`], or the MSS if that is smaller.
    full: u64,
    /// The size of the latest segment, if it was large but not full. Otherwise 0.
    last: u64,
    /// The number of ends of writes since the last acknowledgement, at most 2.
    ends: u32,
}

impl SegmentSizes {
    /// At first, a full segment is assumed to be small (`tcp_initialize_rcv_mss`).
    fn new(mss: u64) -> Self {
        SegmentSizes { full: mss.min(DEFAULT_MSS), last: 0, ends: 0 }
    }

    fn note(&mut self, bytes: u64, push: bool) {
        let last = std::mem::take(&mut self.last);
        if bytes >= self.full {
            self.full = bytes;
            if push {
                self.ends = self.ends.max(1);
            }
            return;
        }
        // two large segments of the same size, one after the other, are full segments of a smaller MSS
        if bytes >= DEFAULT_MSS {
            self.last = bytes;
            if last == bytes {
                self.full = bytes;
                return;
            }
        }
        self.ends = (self.ends + 1).min(2);
    }
}

/// TCP_MSS_DEFAULT (RFC 9293 §3.7.1).
const DEFAULT_MSS: u64 = 536;
/// How long acknowledgements of segments beyond a gap wait for further segments. If a twentieth of the RTT is shorter,
/// they wait for that time (`tcp_comp_sack_delay_ns`).
const COMPRESSION: Duration = Duration::from_millis(1);
/// The timer's slack (`tcp_comp_sack_slack_ns`). On an idle host, the timer fires at the end of the slack.
const COMPRESSION_SLACK: Duration = Duration::from_micros(100);
/// How many segments beyond a gap are acknowledged one by one (TCP_FASTRETRANS_THRESH).
const FIRST_BEYOND_GAP: u32 = 3;
/// A SACK block with an index below this number is reported at least once (`TCP_SACK_BLOCKS_EXPECTED`).
const EXPECTED_BLOCKS: usize = 2;
/// The largest number of segments that wait to be acknowledged together (`tcp_comp_sack_nr`).
const MOST_COMPRESSED: u32 = 44;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tcp::timer_clock::TimerRule;

    const MSS: u64 = 1000;

    fn policy(when: AckWhen) -> AckPolicy {
        let clock = TimerClock::new(TimerRule::Exact, 0);
        AckPolicy::new(DelayedAck { delay: Duration::from_millis(200), when }, clock, MSS)
    }

    fn at(ms: u64) -> SimTime {
        SimTime::from_ms(ms)
    }

    /// Handles a segment, and sends its acknowledgement if it is due immediately. Returns whether it was sent.
    fn is_acknowledged(acks: &mut AckPolicy, ms: u64, bytes: u64, arrival: Arrival) -> bool {
        acks.note_size(bytes, false);
        acks.handle_segment(at(ms), bytes, arrival, Some(Duration::from_millis(100)));
        let is_due = acks.is_due();
        if is_due {
            acks.sent();
        }
        is_due
    }

    fn fire(acks: &mut AckPolicy) -> (SimTime, bool) {
        let deadline = acks.poll_timeout().unwrap();
        acks.handle_timeout(deadline);
        let is_due = acks.is_due();
        acks.sent();
        (deadline, is_due)
    }

    /// Returns the policy of a connection that is interactive, because its application has answered: one segment in
    /// order is not acknowledged immediately.
    fn interactive() -> AckPolicy {
        let mut acks = policy(AckWhen::Linux);
        assert!(is_acknowledged(&mut acks, 0, MSS, Arrival::InOrder));
        acks.data_sent(at(199));
        acks
    }

    // RFC 9293 §3.8.6.3
    #[test]
    fn a_single_segment_waits_for_the_timer() {
        let mut acks = policy(AckWhen::Rfc5681);
        assert!(!is_acknowledged(&mut acks, 10, MSS, Arrival::InOrder));
        acks.handle_timeout(at(209));
        assert!(!acks.is_due());
        assert_eq!(fire(&mut acks), (at(210), true));
    }

    // RFC 5681 §4.2
    #[test]
    fn the_second_full_segment_is_acknowledged_at_once() {
        let mut acks = policy(AckWhen::Rfc5681);
        assert!(!is_acknowledged(&mut acks, 0, MSS, Arrival::InOrder));
        assert!(is_acknowledged(&mut acks, 1, MSS, Arrival::InOrder));
        assert_eq!(acks.poll_timeout(), None);
    }

    // RFC 5681 §4.2
    #[test]
    fn out_of_order_gap_filling_and_duplicate_segments_are_acknowledged_at_once() {
        for when in [AckWhen::Rfc5681, AckWhen::Linux] {
            for arrival in [Arrival::OutOfOrder, Arrival::FilledGap, Arrival::Duplicate] {
                assert!(is_acknowledged(&mut policy(when), 0, MSS, arrival), "{when:?} {arrival:?}");
            }
        }
    }

    #[test]
    fn in_linux_each_segment_is_acknowledged_until_the_application_answers() {
        let mut acks = policy(AckWhen::Linux);
        assert!((0..10).all(|ms| is_acknowledged(&mut acks, ms, MSS, Arrival::InOrder)));
        acks.data_sent(at(209));
        assert!(is_acknowledged(&mut acks, 300, MSS, Arrival::InOrder), "the answer came too late");
        acks.data_sent(at(499));
        assert!(!is_acknowledged(&mut acks, 500, MSS, Arrival::InOrder));
        assert!(is_acknowledged(&mut acks, 501, 1, Arrival::InOrder), "more than one full segment");
        assert!(!is_acknowledged(&mut acks, 502, MSS, Arrival::InOrder));
        assert_eq!(fire(&mut acks), (at(702), true));
        assert!(is_acknowledged(&mut acks, 703, MSS, Arrival::InOrder), "the timer has ended the mode");
    }

    // tcp_dec_quickack_mode counts every acknowledgement of data, also an acknowledgement in a segment with data
    #[test]
    fn in_linux_an_acknowledgement_that_data_carries_counts_as_quick() {
        let mut acks = policy(AckWhen::Linux);
        assert!((0..15).all(|ms| is_acknowledged(&mut acks, ms, MSS, Arrival::InOrder)));
        acks.data_sent(at(15));
        acks.handle_segment(at(16), MSS, Arrival::InOrder, None);
        acks.sent();
        acks.quick.waited();
        assert!(!is_acknowledged(&mut acks, 17, MSS, Arrival::InOrder), "the 16th was sent with data");
    }

    #[test]
    fn in_linux_an_acknowledgement_of_no_data_does_not_count_as_quick() {
        let mut acks = policy(AckWhen::Linux);
        (0..20).for_each(|_| acks.sent());
        assert!(is_acknowledged(&mut acks, 0, MSS, Arrival::InOrder));
    }

    // tcp_grow_window, __tcp_select_window
    #[test]
    fn in_linux_a_growing_window_is_acknowledged_at_once_and_a_half_full_buffer_is_not() {
        let mut acks = policy(AckWhen::Linux);
        acks.handle_half_full();
        assert!(!is_acknowledged(&mut acks, 0, MSS, Arrival::InOrder));
        acks.sent();
        acks.handle_grown_window();
        assert!(is_acknowledged(&mut acks, 1, MSS, Arrival::InOrder));
    }

    /// Handles a segment that is not acknowledged immediately. Returns whether it is acknowledged when it has been
    /// read.
    fn is_acknowledged_when_read(acks: &mut AckPolicy, bytes: u64, push: bool) -> bool {
        acks.note_size(bytes, push);
        acks.handle_segment(at(201), bytes, Arrival::InOrder, None);
        assert!(!acks.is_due() && !acks.is_read());
        acks.handle_read();
        acks.is_read()
    }

    // tcp_measure_rcv_mss, tcp_cleanup_rbuf
    #[test]
    fn in_linux_the_end_of_a_second_write_is_acknowledged_when_it_is_read() {
        let mut acks = interactive();
        assert!(!is_acknowledged_when_read(&mut acks, 200, true), "the application may answer");
        assert!(is_acknowledged_when_read(&mut acks, 200, true));
        acks.sent();
        assert!(!acks.is_read());
        assert!(!is_acknowledged_when_read(&mut acks, 200, true), "the count starts from 0 after an acknowledgement");
        let mut acks = interactive();
        assert!(!is_acknowledged_when_read(&mut acks, MSS, true));
        acks.handle_read();
        assert!(!acks.is_read(), "on an interactive connection the PSH of a full segment is not enough");
    }

    #[test]
    fn in_linux_the_end_of_a_write_is_acknowledged_when_it_is_read_if_the_connection_is_not_interactive() {
        let waiting = || {
            let mut acks = interactive();
            acks.handle_half_full();
            acks.quick.waited();
            acks
        };
        assert!(is_acknowledged_when_read(&mut waiting(), 200, false), "not full");
        assert!(is_acknowledged_when_read(&mut waiting(), MSS, true), "PSH");
        assert!(!is_acknowledged_when_read(&mut waiting(), MSS, false));
        assert!(!is_acknowledged_when_read(&mut policy(AckWhen::Rfc5681), 200, true));
    }

    #[test]
    fn in_linux_two_large_segments_of_one_size_are_full_segments() {
        let mut acks = interactive();
        acks.note_size(700, false);
        assert_eq!((acks.sizes.full, acks.sizes.ends), (MSS, 1));
        acks.note_size(700, false);
        assert_eq!((acks.sizes.full, acks.sizes.ends), (700, 1));
        acks.note_size(200, false);
        acks.note_size(200, false);
        assert_eq!((acks.sizes.full, acks.sizes.ends), (700, 2), "small segments do not count");
        assert!(!is_acknowledged(&mut acks, 201, 350, Arrival::InOrder));
        assert!(is_acknowledged(&mut acks, 202, 351, Arrival::InOrder), "more than one full segment");
    }

    // ICSK_ACK_PUSHED and ICSK_ACK_PUSHED2
    #[test]
    fn in_linux_full_segments_with_psh_count_as_one_end_and_take_none_away() {
        let mut acks = interactive();
        assert!(!is_acknowledged_when_read(&mut acks, 200, true));
        acks.note_size(MSS, true);
        acks.handle_read();
        assert!(!acks.is_read(), "a small segment and a full one");
        acks.note_size(200, true);
        acks.note_size(MSS, true);
        acks.handle_read();
        assert!(acks.is_read(), "two small segments and a full one");
    }

    // tcp_measure_rcv_mss forgets last_seg_size at each segment
    #[test]
    fn in_linux_large_segments_of_one_size_are_ends_of_writes_if_another_segment_came_between() {
        for between in [MSS, 200] {
            let mut acks = interactive();
            [700, between, 700].into_iter().for_each(|bytes| acks.note_size(bytes, false));
            assert_eq!((acks.sizes.full, acks.sizes.ends), (MSS, 2), "{between}");
        }
    }

    // tcp_initialize_rcv_mss
    #[test]
    fn in_linux_a_full_segment_of_a_small_mss_is_not_the_end_of_a_write() {
        let rules = DelayedAck { delay: Duration::from_millis(40), when: AckWhen::Linux };
        // the MSS of a path with an MTU of 576 bytes, with timestamps
        let mut acks = AckPolicy::new(rules, TimerClock::new(TimerRule::Exact, 0), 524);
        acks.note_size(524, false);
        assert_eq!((acks.sizes.full, acks.sizes.ends), (524, 0));
    }

    // tcp_measure_rcv_mss: rcv_mss is at most advmss
    #[test]
    fn in_linux_a_full_segment_is_at_most_as_large_as_the_mss() {
        let mut acks = interactive();
        acks.note_size(3 * MSS, false);
        assert!(!is_acknowledged(&mut acks, 201, MSS, Arrival::InOrder));
        assert!(is_acknowledged(&mut acks, 202, 1, Arrival::InOrder), "more than one full segment");
    }

    // tcp_cleanup_rbuf: inet_csk_ack_scheduled
    #[test]
    fn in_linux_reading_causes_no_acknowledgement_if_none_is_delayed() {
        let mut acks = policy(AckWhen::Linux);
        acks.note_size(200, true);
        acks.handle_segment(at(0), 200, Arrival::InOrder, None);
        assert!(acks.is_due(), "a quick acknowledgement");
        acks.handle_read();
        assert!(!acks.is_read(), "data that the application writes may carry the acknowledgement");
    }

    #[test]
    fn in_linux_a_duplicate_ends_the_interactive_mode() {
        let mut acks = interactive();
        assert!(is_acknowledged(&mut acks, 200, 0, Arrival::Duplicate));
        assert!(is_acknowledged(&mut acks, 201, MSS, Arrival::InOrder));
    }

    #[test]
    fn in_linux_acknowledgements_beyond_a_gap_are_compressed_after_the_third() {
        let mut acks = interactive();
        assert!((1..=3).all(|ms| is_acknowledged(&mut acks, ms, 0, Arrival::OutOfOrder)));
        assert!(!acks.must_flush(2), "nothing waits");
        assert!((4..=47).all(|_| !is_acknowledged(&mut acks, 4, 0, Arrival::OutOfOrder)));
        assert!(!acks.must_flush(1) && acks.must_flush(2));
        assert!(is_acknowledged(&mut acks, 4, 0, Arrival::OutOfOrder), "enough were compressed");
        // tcp_event_ack_sent: after each acknowledgement, the number of compressed segments starts from 0 again
        assert!((1..=44).all(|_| !is_acknowledged(&mut acks, 4, 0, Arrival::OutOfOrder)));
        assert!(is_acknowledged(&mut acks, 4, 0, Arrival::OutOfOrder));
        // the timer of compression does not end the interactive mode, and after a filled gap three segments are
        // acknowledged one by one again
        assert!(is_acknowledged(&mut acks, 5, MSS, Arrival::FilledGap));
        assert!((6..=8).all(|ms| is_acknowledged(&mut acks, ms, 0, Arrival::OutOfOrder)));
        assert!(!is_acknowledged(&mut acks, 9, 0, Arrival::OutOfOrder));
        assert_eq!(fire(&mut acks), (at(10) + COMPRESSION_SLACK, true));
        assert!(!is_acknowledged(&mut acks, 11, 0, Arrival::OutOfOrder));
        acks.sent();
        acks.handle_segment(at(12), 0, Arrival::OutOfOrder, Some(Duration::from_millis(10)));
        let twentieth = Duration::from_micros(500);
        assert_eq!(acks.poll_timeout(), Some(at(12) + twentieth + COMPRESSION_SLACK), "a twentieth of the RTT");
    }
}
