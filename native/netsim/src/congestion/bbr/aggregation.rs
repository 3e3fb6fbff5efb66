use crate::time::SimTime;

/// Measures by how many segments the acknowledgements that arrive together exceed what the path is expected to deliver
/// (`bbr_update_ack_aggregation` of Linux). That many additional segments may be in flight, so that sending goes on
/// between acknowledgements.
#[derive(Clone, Debug, Default)]
pub struct Aggregation {
    /// When the current epoch began. The excess is counted from then on. When no excess is left, a new epoch begins.
    epoch_start: SimTime,
    epoch_acked: u64,
    /// The largest excess in each of the last two periods of 5 round trips.
    excess: [u64; 2],
    /// The index of the current period in `excess`.
    current: usize,
    rounds: u64,
}

const WINDOW_ROUNDS: u64 = 5;
const LONGEST_EPOCH_SEGMENTS: u64 = 1 << 20;

impl Aggregation {
    /// The largest excess of the last 5 to 10 round trips, in segments.
    pub fn excess(&self) -> u64 {
        self.excess[0].max(self.excess[1])
    }

    /// Starts a new epoch, for example because nothing was sent for a while.
    pub fn restart(&mut self, now: SimTime) {
        (self.epoch_start, self.epoch_acked) = (now, 0);
    }

    /// Handles an acknowledgement of `acked` segments. `expected` returns how many segments the path delivers in a
    /// number of microseconds. The excess is at most `cwnd`, which is in segments.
    pub fn handle_ack(
        &mut self,
        now: SimTime,
        acked: u64,
        cwnd: u64,
        round_start: bool,
        expected: impl Fn(u64) -> u64,
    ) {
        if round_start {
            self.rounds += 1;
            if self.rounds >= WINDOW_ROUNDS {
                (self.rounds, self.current) = (0, 1 - self.current);
                self.excess[self.current] = 0;
            }
        }
        let mut expected = expected(now.saturating_since(self.epoch_start).as_micros() as u64);
        if self.epoch_acked <= expected || self.epoch_acked + acked >= LONGEST_EPOCH_SEGMENTS {
            self.restart(now);
            expected = 0;
        }
        self.epoch_acked += acked;
        let excess = (self.epoch_acked - expected).min(cwnd);
        self.excess[self.current] = self.excess[self.current].max(excess);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_excess_is_what_arrives_beyond_the_expected_rate_and_is_forgotten_after_ten_rounds() {
        let mut aggregation = Aggregation::default();
        // one segment is expected in each millisecond
        let mut handle = |ms: u64, acked, round_start| {
            aggregation.handle_ack(SimTime::from_ms(ms), acked, 100, round_start, |us| us / 1000);
            aggregation.excess()
        };
        assert_eq!(handle(10, 8, false), 8);
        assert_eq!(handle(11, 3, false), 10, "11 in an epoch of 1 ms");
        assert_eq!(handle(50, 1, false), 10);
        assert!((1..=9).all(|round| handle(50 + round, 1, true) == 10));
        assert!(handle(60, 1, true) < 10);
    }
}
