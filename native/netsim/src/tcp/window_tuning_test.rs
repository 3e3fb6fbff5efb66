use super::*;

const MSS: u64 = 1460;
const DATA: u64 = 1448;
const MOST: u64 = 4 << 20;
/// 131,072 × 1448/2304.
const FIRST_BUFFER: u64 = 82_375;

/// A receiver whose application reads at once, and whose sender fills what the window allows in each round trip.
struct Transfer {
    tuning: WindowTuning,
    at_ms: u64,
    echo: u32,
    next: u64,
}

const RTT_MS: u64 = 100;

impl Transfer {
    fn new() -> Self {
        Transfer { tuning: WindowTuning::new(MOST, MSS), at_ms: 1000, echo: 0, next: 1 }
    }

    fn arrive(&mut self, bytes: u64, held: u64, may_grow: bool) {
        let (at, echo) = (SimTime::from_ms(self.at_ms), Some((self.echo, Duration::from_millis(RTT_MS))));
        let (next, window) = (self.next, self.tuning.window(held));
        self.tuning.handle_segment(&Received { at, bytes, echo, may_grow, next, window, held });
    }

    /// Receives this many segments in one round trip, and reads each at once.
    fn round(&mut self, segments: u64) {
        self.at_ms += RTT_MS;
        self.echo += 1;
        for _ in 0..segments {
            self.arrive(DATA, 0, true);
            self.next += DATA;
            self.tuning.handle_read(DATA);
        }
    }
}

// tcp_select_initial_window: whole segments, not scaled
#[test]
fn the_first_window_is_small_whatever_the_buffer() {
    assert_eq!(WindowTuning::new(MOST, MSS).window(0), 44 * MSS);
    assert_eq!(WindowTuning::new(10_000, MSS).window(0), 6 * MSS);
    assert_eq!(WindowTuning::new(1000, MSS).window(0), 1000);
}

#[test]
fn each_segment_of_data_raises_the_window_up_to_the_buffer() {
    let mut transfer = Transfer::new();
    transfer.arrive(DATA, 0, true);
    assert_eq!(transfer.tuning.window(0), 46 * MSS);
    transfer.arrive(LEAST_GROWING_BYTES - 1, 0, true);
    transfer.arrive(DATA, 0, false);
    assert_eq!(transfer.tuning.window(0), 46 * MSS, "neither a tiny segment nor one without SACK behind a gap");
    (0..100).for_each(|_| transfer.arrive(DATA, 0, true));
    assert_eq!(transfer.tuning.window(0), FIRST_BUFFER);
    assert_eq!(transfer.tuning.window(50_000), FIRST_BUFFER - 50_000, "data that nobody has read takes room");
}

// tcp_rcv_space_adjust: 2 × copied + 16 segments, and twice the relative growth on top
#[test]
fn the_buffer_follows_the_bytes_that_are_read_in_a_round_trip() {
    let mut transfer = Transfer::new();
    transfer.round(10);
    assert_eq!(transfer.tuning.buffer, FIRST_BUFFER, "ten segments were expected");
    transfer.round(20);
    transfer.round(1);
    // the first segment of each round counts for the round before, whose measurement it ends
    let (read, before) = (20 * DATA, 11 * DATA);
    let steady = 2 * read + 16 * MSS;
    assert_eq!(transfer.tuning.buffer, steady + 2 * (steady * (read - before) / before));
    let grown = transfer.tuning.buffer;
    (0..5).for_each(|_| transfer.round(20));
    assert_eq!(transfer.tuning.buffer, grown, "a steady rate needs no more");
    (0..5).for_each(|_| transfer.round(2000));
    assert_eq!(transfer.tuning.buffer, MOST);
}

#[test]
fn nothing_is_measured_while_a_gap_delays_the_application() {
    let mut transfer = Transfer::new();
    transfer.round(10);
    for k in 0..1000 {
        transfer.at_ms += 10;
        transfer.arrive(DATA, k * DATA, true);
    }
    assert_eq!(transfer.tuning.buffer, FIRST_BUFFER);
}

// without timestamps the time in which a window arrives bounds the RTT
#[test]
fn without_timestamps_a_window_of_data_measures_the_rtt() {
    let mut rtt = ReceiverRtt::default();
    let segment = |at_ms, next| Received {
        at: SimTime::from_ms(at_ms),
        bytes: DATA,
        echo: None,
        may_grow: true,
        next,
        window: 10_000,
        held: 0,
    };
    rtt.handle_segment(&segment(1000, 1));
    rtt.handle_segment(&segment(1100, 10_000));
    assert!(rtt.eightfold.is_zero());
    rtt.handle_segment(&segment(1150, 10_001));
    assert_eq!(rtt.eightfold, Duration::from_millis(8 * 150));
    rtt.handle_segment(&segment(1400, 20_001));
    assert_eq!(rtt.eightfold, Duration::from_millis(8 * 150), "a longer time may include a pause of the sender");
}

#[test]
fn a_read_is_announced_if_it_doubles_a_small_window() {
    let tuning = WindowTuning::new(MOST, MSS);
    assert!(tuning.update_due(20_000, 0));
    assert!(!tuning.update_due(40_000, 0), "64,240 is not twice as much");
    assert!(!tuning.update_due(20_000, FIRST_BUFFER - 30_000), "nor are 30,000");
}
