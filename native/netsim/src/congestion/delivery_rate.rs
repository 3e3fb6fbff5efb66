use std::time::Duration;

use crate::time::SimTime;

/// Measures at which rate data is delivered (draft-cheng-iccrg-delivery-rate-estimation; Linux: `tcp_rate_gen`). All
/// sizes are in bytes.
#[derive(Clone, Debug)]
pub struct DeliveryRate {
    /// All bytes that were delivered so far (C.delivered), plus one segment, because Linux counts the SYN.
    delivered: u64,
    /// The later of two times: when `delivered` last grew, and when a segment was last sent while nothing was
    /// outstanding (C.delivered_time).
    delivered_at: SimTime,
    /// When the most recently delivered segment was sent (C.first_sent_time). If a segment was sent after that delivery
    /// while nothing was outstanding, this is the time of that sending.
    first_sent_at: SimTime,
    /// Segments that are sent count as limited by the application until more than this many bytes are delivered
    /// (C.app_limited).
    app_limited_until: Option<u64>,
}

/// The state of the connection when a segment was sent (P.delivered and so on).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AtSending {
    delivered: u64,
    delivered_at: SimTime,
    first_sent_at: SimTime,
    app_limited: bool,
}

/// The rate at which data was delivered between the sending of a segment and its acknowledgement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RateSample {
    /// The bytes that were delivered in `interval`.
    pub delivered: u64,
    /// The time that sending these bytes took, or the time that acknowledging them took, whichever is longer. `None` if
    /// the sample is not valid, because this time is zero or shorter than the smallest RTT.
    pub interval: Option<Duration>,
    /// All bytes that had been delivered when the segment was sent.
    pub prior_delivered: u64,
    pub app_limited: bool,
}

/// Collects the segments that one acknowledgement delivers.
#[derive(Clone, Copy, Debug, Default)]
pub struct Collected {
    /// Three values of the most recently sent segment: when it was sent, where its data ends, and [`AtSending`].
    latest: Option<(SimTime, u64, AtSending)>,
}

impl DeliveryRate {
    pub fn new(mss: u64) -> Self {
        DeliveryRate {
            delivered: mss,
            delivered_at: SimTime::ZERO,
            first_sent_at: SimTime::ZERO,
            app_limited_until: None,
        }
    }

    pub fn delivered(&self) -> u64 {
        self.delivered
    }

    pub fn delivered_at(&self) -> SimTime {
        self.delivered_at
    }

    /// Notes that a segment is sent (`tcp_rate_skb_sent`). `is_first` says that nothing else is outstanding.
    pub fn handle_sent(&mut self, now: SimTime, is_first: bool) -> AtSending {
        if is_first {
            (self.first_sent_at, self.delivered_at) = (now, now);
        }
        AtSending {
            delivered: self.delivered,
            delivered_at: self.delivered_at,
            first_sent_at: self.first_sent_at,
            app_limited: self.app_limited_until.is_some(),
        }
    }

    /// Notes that the application has nothing to send although `in_flight` bytes do not fill the window
    /// (`tcp_rate_check_app_limited`).
    pub fn limit_by_application(&mut self, in_flight: u64) {
        self.app_limited_until = Some(self.delivered + in_flight);
    }

    pub fn is_app_limited(&self) -> bool {
        self.app_limited_until.is_some()
    }

    /// Handles an acknowledgement that delivers `bytes`. Returns `None` if no segment with a known state was delivered.
    pub fn handle_ack(
        &mut self,
        now: SimTime,
        bytes: u64,
        collected: &Collected,
        min_rtt: Option<Duration>,
    ) -> Option<RateSample> {
        self.delivered += bytes;
        self.app_limited_until = self.app_limited_until.filter(|until| self.delivered <= *until);
        if bytes > 0 {
            self.delivered_at = now;
        }
        let (sent_at, _, at_sending) = collected.latest?;
        self.first_sent_at = sent_at;
        let send_phase = sent_at.saturating_since(at_sending.first_sent_at);
        let ack_phase = now.saturating_since(at_sending.delivered_at);
        let interval = send_phase.max(ack_phase);
        Some(RateSample {
            delivered: self.delivered - at_sending.delivered,
            interval: Some(interval)
                .filter(|interval| min_rtt.is_none_or(|min| *interval >= min) && !interval.is_zero()),
            prior_delivered: at_sending.delivered,
            app_limited: at_sending.app_limited,
        })
    }
}

impl Collected {
    /// Adds a delivered segment, whose data ends at position `end`. Only the most recently sent segment counts. If
    /// several segments were sent at the same time, the one with the highest `end` counts.
    pub fn add(&mut self, sent_at: SimTime, end: u64, at_sending: AtSending) {
        if self.latest.is_none_or(|(at, highest, _)| (sent_at, end) > (at, highest)) {
            self.latest = Some((sent_at, end, at_sending));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MSS: u64 = 1000;

    fn at(ms: u64) -> SimTime {
        SimTime::from_ms(ms)
    }

    fn deliver(rate: &mut DeliveryRate, ms: u64, segments: &[(u64, AtSending)], bytes: u64) -> RateSample {
        let mut collected = Collected::default();
        for (index, (sent_ms, at_sending)) in segments.iter().enumerate() {
            collected.add(at(*sent_ms), index as u64, *at_sending);
        }
        rate.handle_ack(at(ms), bytes, &collected, Some(Duration::from_millis(100))).unwrap()
    }

    // draft-cheng-iccrg-delivery-rate-estimation §3.3
    #[test]
    fn the_rate_is_what_was_delivered_since_the_acknowledgement_before_the_segment_was_sent() {
        let mut rate = DeliveryRate::new(MSS);
        let first = rate.handle_sent(at(0), true);
        let second = rate.handle_sent(at(10), false);
        let sample = deliver(&mut rate, 100, &[(0, first)], MSS);
        assert_eq!((sample.delivered, sample.interval), (MSS, Some(Duration::from_millis(100))));
        let third = rate.handle_sent(at(100), false);
        let sample = deliver(&mut rate, 110, &[(10, second)], MSS);
        assert_eq!((sample.delivered, sample.interval), (2 * MSS, Some(Duration::from_millis(110))));
        let sample = deliver(&mut rate, 200, &[(100, third)], MSS);
        assert_eq!((sample.delivered, sample.interval), (2 * MSS, Some(Duration::from_millis(100))));
        assert_eq!(sample.prior_delivered, 2 * MSS, "with the segment for the SYN");
    }

    // §3.1.1: acknowledgements that arrive together do not raise the rate above the rate of sending
    #[test]
    fn the_longer_of_the_phases_of_sending_and_of_acknowledging_counts() {
        let mut rate = DeliveryRate::new(MSS);
        let states: Vec<_> = (0..4).map(|index| (100 * index, rate.handle_sent(at(100 * index), index == 0))).collect();
        let sample = deliver(&mut rate, 400, &states, 4 * MSS);
        assert_eq!((sample.delivered, sample.interval), (4 * MSS, Some(Duration::from_millis(400))));
        let mut rate = DeliveryRate::new(MSS);
        let first = rate.handle_sent(at(0), true);
        deliver(&mut rate, 100, &[(0, first)], MSS);
        let late: Vec<_> = (1..5).map(|index| (100 * index, rate.handle_sent(at(100 * index), false))).collect();
        // the last segment was sent 400 ms after the first, and 300 ms have passed since the last acknowledgement
        let sample = deliver(&mut rate, 400, &late[3..], 4 * MSS);
        assert_eq!(sample.interval, Some(Duration::from_millis(400)));
    }

    // §3.3: a sample that is shorter than the smallest RTT is not valid
    #[test]
    fn a_sample_shorter_than_the_smallest_rtt_is_not_valid() {
        let mut rate = DeliveryRate::new(MSS);
        let first = rate.handle_sent(at(0), true);
        assert_eq!(deliver(&mut rate, 99, &[(0, first)], MSS).interval, None);
    }

    // §3.4
    #[test]
    fn segments_are_app_limited_until_the_flight_of_that_time_is_delivered() {
        let mut rate = DeliveryRate::new(MSS);
        let before = rate.handle_sent(at(0), true);
        rate.limit_by_application(MSS);
        let limited = rate.handle_sent(at(10), false);
        assert!(!deliver(&mut rate, 100, &[(0, before)], MSS).app_limited);
        assert!(rate.is_app_limited());
        assert!(deliver(&mut rate, 110, &[(10, limited)], MSS).app_limited);
        assert!(!rate.is_app_limited());
    }
}
