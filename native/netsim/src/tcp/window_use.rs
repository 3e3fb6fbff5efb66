/// Measures whether the sender uses its window or is limited by its application (RFC 7661 §4.1). All values are in
/// bytes.
#[derive(Debug, Default)]
pub struct WindowUse {
    /// The most bytes that were in flight in this round and in the previous round.
    flight_max: u64,
    flight_max_before: u64,
    /// The round ends when this sequence number is acknowledged.
    round_end: u64,
}

impl WindowUse {
    /// Notes a segment that was sent. `flight` bytes are now in flight, and SND.NXT is `next`.
    pub fn note_sent(&mut self, flight: u64, una: u64, next: u64) {
        if una >= self.round_end {
            self.flight_max_before = self.flight_max;
            self.flight_max = 0;
            self.round_end = next;
        }
        self.flight_max = self.flight_max.max(flight);
    }

    /// Whether less than half of the window was used. In this case acknowledgements are no evidence of the path's
    /// capacity.
    pub fn is_app_limited(&self, cwnd: u64) -> bool {
        2 * self.flight_max.max(self.flight_max_before) < cwnd
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // RFC 7661 §4.1
    #[test]
    fn the_window_counts_as_used_if_half_of_it_was_in_flight_in_this_round_or_the_previous_one() {
        let mut usage = WindowUse::default();
        assert!(usage.is_app_limited(1));
        usage.note_sent(3000, 1, 3001);
        usage.note_sent(5000, 1, 5001);
        assert!(!usage.is_app_limited(10_000));
        assert!(usage.is_app_limited(10_001));
        // this segment starts the next round
        usage.note_sent(1000, 3001, 6001);
        assert!(!usage.is_app_limited(10_000));
        usage.note_sent(2000, 3002, 7001);
        assert!(!usage.is_app_limited(10_000), "still the same round");
        // this segment starts the round after that
        usage.note_sent(1000, 6001, 8001);
        assert!(usage.is_app_limited(4001) && !usage.is_app_limited(4000));
    }
}
