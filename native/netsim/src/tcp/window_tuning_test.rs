use super::*;

const MSS: u64 = 1448;
const OPTIONS: u64 = 12;
const MOST: u64 = 4 << 20;
/// The first size of the buffer: 131,072 × 160/256 bytes.
const FIRST: u64 = 81_920;

/// A receiver of segments that echo timestamps, at a constant RTT of [`RTT_MS`].
struct Transfer {
    tuning: WindowTuning,
    at_ms: u64,
    echo: u32,
    next: u64,
}

const RTT_MS: u64 = 100;

impl Transfer {
    fn new() -> Self {
        Transfer { tuning: WindowTuning::new(MOST, MSS, OPTIONS), at_ms: 1000, echo: 0, next: 1 }
    }

    fn arrive(&mut self, bytes: u64, held: u64, may_grow: bool) {
        let (at, echo) = (SimTime::from_ms(self.at_ms), Some((self.echo, Duration::from_millis(RTT_MS))));
        let (next, window) = (Some(self.next + bytes), self.tuning.window(held));
        self.tuning.handle_segment(&Received { at, bytes, echo, may_grow, next, window, held });
    }

    /// Receives this many segments in one round trip, and reads each at once.
    fn round(&mut self, segments: u64) {
        self.at_ms += RTT_MS;
        self.echo += 1;
        for _ in 0..segments {
            self.arrive(MSS, 0, true);
            self.next += MSS;
            self.tuning.handle_read(MSS, 0);
        }
    }
}

// tcp_select_initial_window: whole segments, not scaled
#[test]
fn the_first_window_is_small_whatever_the_buffer() {
    assert_eq!(WindowTuning::new(MOST, MSS, OPTIONS).window(0), 44 * (MSS + OPTIONS));
    assert_eq!(WindowTuning::new(10_000, MSS, OPTIONS).window(0), 6 * (MSS + OPTIONS));
    assert_eq!(WindowTuning::new(1000, MSS, OPTIONS).window(0), 1000);
}

// tcp_init_buffer_space: half of the memory counts, and a segment's room stays reserved
#[test]
fn a_segment_of_the_first_window_is_reserved_once_the_connection_is_established() {
    let mut tuning = WindowTuning::new(MOST, MSS, OPTIONS);
    tuning.handle_established(SimTime::from_ms(100));
    assert_eq!(tuning.window(0), 65_536 - MSS);
    let mut small = WindowTuning::new(10_000, MSS, OPTIONS);
    small.handle_established(SimTime::from_ms(100));
    assert_eq!(small.window(0), 6 * (MSS + OPTIONS));
}

#[test]
fn the_first_round_trip_is_measured_from_when_the_connection_is_established() {
    let mut transfer = Transfer::new();
    transfer.tuning.handle_established(SimTime::from_ms(1050));
    transfer.round(20);
    assert_eq!(transfer.tuning.measured.read, 20 * MSS, "at 1100 ms the round trip is not over");
}

// __tcp_select_window
#[test]
fn a_buffer_is_half_full_if_less_than_half_of_it_is_free() {
    let tuning = WindowTuning::new(10_000, MSS, OPTIONS);
    assert!(!tuning.is_half_full(5000) && tuning.is_half_full(5001));
}

#[test]
fn each_segment_of_data_raises_the_window_up_to_the_buffer() {
    let first = 44 * (MSS + OPTIONS);
    let mut transfer = Transfer::new();
    transfer.arrive(MSS, 0, true);
    assert_eq!(transfer.tuning.window(0), first + 2 * MSS);
    let mut without_options = Transfer::new();
    without_options.arrive(MSS + OPTIONS, 0, true);
    assert_eq!(without_options.tuning.window(0), first + 2 * (MSS + OPTIONS));
    transfer.arrive(LEAST_GROWING_BYTES - 1, 0, true);
    transfer.arrive(MSS, 0, false);
    assert_eq!(transfer.tuning.window(0), first + 2 * MSS, "neither a tiny segment nor one without SACK behind a gap");
    (0..100).for_each(|_| transfer.arrive(MSS, 0, true));
    assert_eq!(transfer.tuning.window(0), FIRST - MSS, "the segment itself takes room");
    assert_eq!(transfer.tuning.window(50_000), FIRST - 50_000, "data that nobody has read takes room");
}

// tcp_grow_window sets `quick` only if the window has grown
#[test]
fn a_segment_says_whether_it_has_raised_the_window() {
    let mut tuning = WindowTuning::new(MOST, MSS, OPTIONS);
    let mut raises = |bytes, held| {
        let at = SimTime::from_ms(1000);
        tuning.handle_segment(&Received { at, bytes, echo: None, may_grow: true, next: Some(1), window: 0, held })
    };
    assert!(!raises(LEAST_GROWING_BYTES - 1, 0));
    assert!(!raises(MSS, 20_000), "what is held leaves no room");
    assert_eq!((0..100).filter(|_| raises(MSS, 0)).count(), 6, "from 64,240 to 80,472 bytes in steps of 2896");
}

// tcp_rcv_space_adjust: 2 × copied + 16 segments, and twice the relative growth on top
#[test]
fn the_buffer_follows_the_bytes_that_are_read_in_a_round_trip() {
    let mut transfer = Transfer::new();
    transfer.round(10);
    assert_eq!(transfer.tuning.buffer, FIRST, "ten segments were expected");
    transfer.round(11);
    transfer.round(1);
    assert_eq!(transfer.tuning.buffer, FIRST, "eleven need less than the first buffer");
    let mut transfer = Transfer::new();
    transfer.round(10);
    transfer.round(20);
    transfer.round(1);
    // the first segment of each round still counts in the measurement of the round before, and ends this measurement
    let (read, before) = (20 * MSS, 10 * MSS);
    let steady = 2 * read + 16 * MSS;
    assert_eq!(transfer.tuning.buffer, steady + 2 * (steady * (read - before) / before));
    let grown = transfer.tuning.buffer;
    (0..5).for_each(|_| transfer.round(20));
    assert_eq!(transfer.tuning.buffer, grown, "a steady rate needs no more");
    (0..5).for_each(|_| transfer.round(2000));
    assert_eq!(transfer.tuning.buffer, MOST);
}

// tcp_rcv_space_adjust: what waits in the queue is subtracted from what was read in the round trip
#[test]
fn bytes_that_wait_to_be_read_do_not_count_as_read() {
    for (unread, grows) in [(0, true), (100 * MSS, true), (190 * MSS, false), (1000 * MSS, false)] {
        let mut transfer = Transfer::new();
        transfer.round(10);
        transfer.round(200);
        transfer.at_ms += RTT_MS;
        transfer.echo += 1;
        transfer.arrive(MSS, 0, true);
        transfer.tuning.handle_read(MSS, unread);
        assert_eq!(transfer.tuning.buffer > FIRST, grows, "{unread}");
    }
}

// tcp_rcv_rtt_update
#[test]
fn a_smaller_rtt_counts_at_once_and_a_larger_one_by_an_eighth() {
    let mut rtt = ReceiverRtt::default();
    let mut of_segment = |ms, echo, bytes| {
        let echo = Some((echo, Duration::from_millis(ms)));
        let at = SimTime::from_ms(1000);
        rtt.handle_segment(&Received { at, bytes, echo, may_grow: true, next: None, window: 0, held: 0 });
        rtt.eightfold
    };
    let mut after = |ms, echo| of_segment(ms, echo, MSS);
    let ms = |ms| Duration::from_millis(ms);
    assert_eq!(after(100, 1), ms(800));
    assert_eq!(after(180, 2), ms(700 + 180));
    assert_eq!(after(300, 2), ms(880), "each echo counts once");
    assert_eq!(after(90, 3), ms(720));
    assert_eq!(of_segment(50, 4, MSS - 1), ms(720), "a smaller segment may have waited at the sender");
}

#[test]
fn nothing_is_measured_while_a_gap_delays_the_application() {
    let mut transfer = Transfer::new();
    transfer.round(10);
    for k in 0..1000 {
        transfer.at_ms += 10;
        transfer.arrive(MSS, k * MSS, true);
    }
    assert_eq!(transfer.tuning.buffer, FIRST);
}

// tcp_rcv_rtt_measure: without timestamps the time in which a window arrives bounds the RTT
#[test]
fn without_timestamps_a_window_of_data_measures_the_rtt() {
    let mut rtt = ReceiverRtt::default();
    let segment = |at_ms, next| Received {
        at: SimTime::from_ms(at_ms),
        bytes: MSS,
        echo: None,
        may_grow: true,
        next,
        window: 10_000,
        held: 0,
    };
    rtt.handle_segment(&segment(1000, Some(1)));
    rtt.handle_segment(&segment(1100, Some(10_000)));
    rtt.handle_segment(&segment(1120, None));
    assert!(rtt.eightfold.is_zero(), "less than a window, or beyond a gap");
    rtt.handle_segment(&segment(1150, Some(10_001)));
    assert_eq!(rtt.eightfold, Duration::from_millis(8 * 150));
    rtt.handle_segment(&segment(1400, Some(20_001)));
    assert_eq!(rtt.eightfold, Duration::from_millis(8 * 150), "a longer time may include a pause of the sender");
}

#[test]
fn a_read_is_announced_if_it_doubles_a_small_window() {
    let tuning = WindowTuning::new(MOST, MSS, OPTIONS);
    assert!(tuning.update_due(20_000, 0));
    assert!(!tuning.update_due(40_000, 0), "64,240 is not twice as much");
    assert!(!tuning.update_due(20_000, FIRST - 30_000), "nor are 30,000");
}
