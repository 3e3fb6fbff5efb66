/// Measures whether the sender uses its window or is limited by its application. All values are in bytes.
#[derive(Debug)]
pub struct WindowUse {
    rule: AppLimited,
    /// The most bytes that were in flight in this round.
    flight_max: u64,
    /// The most bytes that were in flight in the previous round.
    flight_max_before: u64,
    /// The round ends when SND.UNA reaches this sequence number.
    round_end: u64,
    /// Whether the window was full in this round.
    was_full: bool,
}

/// When acknowledgements are no evidence of the path's capacity, because the sender does not use its window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AppLimited {
    /// Less than half of the window was in flight in this round and in the previous round (RFC 7661 §4.1).
    HalfWindow,
    /// The window was not full in the last round that was measured and, in slow start, at most half of it was in flight
    /// (Linux: `tcp_cwnd_validate`, `tcp_is_cwnd_limited`).
    FullWindow,
}

impl WindowUse {
    pub fn new(rule: AppLimited) -> Self {
        WindowUse { rule, flight_max: 0, flight_max_before: 0, round_end: 0, was_full: false }
    }

    /// Notes a segment that was sent, or that cannot be sent because the window is full. `flight` bytes are now in
    /// flight, SND.UNA is `una`, and SND.NXT is `next`. `is_full` says that the window admits no further segment.
    pub fn note(&mut self, flight: u64, una: u64, next: u64, is_full: bool) {
        match self.rule {
            AppLimited::HalfWindow => {
                if una >= self.round_end {
                    self.flight_max_before = self.flight_max;
                    self.flight_max = 0;
                    self.round_end = next;
                }
                self.flight_max = self.flight_max.max(flight);
            }
            AppLimited::FullWindow => {
                if una >= self.round_end || is_full || (!self.was_full && flight > self.flight_max) {
                    (self.was_full, self.flight_max, self.round_end) = (is_full, flight, next);
                }
            }
        }
    }

    /// Whether the application limits the sender.
    pub fn is_app_limited(&self, cwnd: u64, in_slow_start: bool) -> bool {
        match self.rule {
            AppLimited::HalfWindow => 2 * self.flight_max.max(self.flight_max_before) < cwnd,
            AppLimited::FullWindow => !(self.was_full || in_slow_start && cwnd < 2 * self.flight_max),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // RFC 7661 §4.1
    #[test]
    fn the_window_counts_as_used_if_half_of_it_was_in_flight_in_this_round_or_the_previous_one() {
        let mut usage = WindowUse::new(AppLimited::HalfWindow);
        let limited = |usage: &WindowUse, cwnd| usage.is_app_limited(cwnd, false);
        assert!(limited(&usage, 1));
        usage.note(3000, 1, 3001, false);
        usage.note(5000, 1, 5001, false);
        assert!(!limited(&usage, 10_000));
        assert!(limited(&usage, 10_001));
        // this segment starts the next round
        usage.note(1000, 3001, 6001, false);
        assert!(!limited(&usage, 10_000));
        usage.note(2000, 3002, 7001, false);
        assert!(!limited(&usage, 10_000), "still the same round");
        // this segment starts the round after that
        usage.note(1000, 6001, 8001, false);
        assert!(limited(&usage, 4001) && !limited(&usage, 4000));
    }

    // Linux: tcp_cwnd_validate, tcp_is_cwnd_limited
    #[test]
    fn a_window_that_was_full_counts_as_used_until_a_round_in_which_it_is_not() {
        let mut usage = WindowUse::new(AppLimited::FullWindow);
        usage.note(6000, 1, 6001, false);
        assert!(usage.is_app_limited(10_000, false), "the window was not full");
        assert!(
            !usage.is_app_limited(10_000, true) && usage.is_app_limited(12_000, true),
            "half is enough in slow start"
        );
        usage.note(10_000, 1, 10_001, true);
        assert!(!usage.is_app_limited(10_000, false));
        usage.note(9000, 5001, 11_001, false);
        assert!(!usage.is_app_limited(10_000, false), "the round is not over");
        usage.note(3000, 10_001, 12_001, false);
        assert!(usage.is_app_limited(10_000, false), "in the next round the window is not full");
    }
}
