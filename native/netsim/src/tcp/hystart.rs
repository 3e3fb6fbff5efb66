use std::time::Duration;

/// Decides when slow start ends because the RTT has risen. This is the delay criterion of HyStart (Ha & Rhee 2011, §4),
/// with the constants of Linux (net/ipv4/tcp_cubic.c).
#[derive(Clone, Debug, Default)]
pub struct HyStart {
    /// The smallest RTT of the connection, and the smallest RTT of this round.
    min: Option<Duration>,
    round_min: Option<Duration>,
    samples: u32,
    round_end: u64,
    left: bool,
}

/// Slow start always continues while the window is smaller than this many segments.
const LOW_WINDOW_SEGMENTS: u64 = 16;
/// How many samples a round must have before its RTT is compared.
const MIN_SAMPLES: u32 = 8;
const DELAY_MIN: Duration = Duration::from_millis(4);
const DELAY_MAX: Duration = Duration::from_millis(16);

impl HyStart {
    /// Adds an RTT sample. Returns true once, when the RTT shows that a queue is growing.
    pub fn should_leave_slow_start(&mut self, rtt: Duration, una: u64, next: u64, cwnd_segments: u64) -> bool {
        if una > self.round_end {
            (self.round_end, self.samples, self.round_min) = (next, 0, None);
        }
        let min = self.min.map_or(rtt, |min| min.min(rtt));
        self.min = Some(min);
        let round_min = self.round_min.map_or(rtt, |min| min.min(rtt));
        self.round_min = Some(round_min);
        if self.left || cwnd_segments < LOW_WINDOW_SEGMENTS {
            return false;
        }
        if self.samples < MIN_SAMPLES {
            self.samples += 1;
            return false;
        }
        self.left = round_min > min + (min / 8).clamp(DELAY_MIN, DELAY_MAX);
        self.left
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rise_of_the_rtt_in_a_whole_round_ends_slow_start() {
        let mut hystart = HyStart::default();
        let mut leaves = |ms, round: u64| {
            hystart.should_leave_slow_start(Duration::from_millis(ms), 100 * round + 1, 100 * round + 100, 20)
        };
        assert!((0..10).all(|_| !leaves(100, 0)));
        let rising: Vec<bool> = (0..10).map(|_| leaves(130, 1)).collect();
        assert_eq!(rising.iter().position(|left| *left), Some(8));
        assert_eq!(rising.iter().filter(|left| **left).count(), 1);
    }

    #[test]
    fn a_small_window_stays_in_slow_start() {
        let mut hystart = HyStart::default();
        let mut una = 0;
        assert!((0..40).all(|step| {
            una += 100;
            !hystart.should_leave_slow_start(Duration::from_millis(100 + step * 10), una, una + 50, 15)
        }));
    }
}
