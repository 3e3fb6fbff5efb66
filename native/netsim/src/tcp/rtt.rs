use std::time::Duration;

/// Computes the retransmission timeout from round-trip times (RFC 6298).
#[derive(Clone, Debug)]
pub struct RttEstimator {
    rules: RtoRules,
    srtt: Option<Duration>,
    /// With [`RtoFloor::Timeout`], this is RTTVAR. With [`RtoFloor::Variation`], it is the larger of [`RtoRules::min`]
    /// and 4·RTTVAR.
    variation: Duration,
    /// The smallest sample.
    min: Option<Duration>,
    linux: LinuxVariation,
    backoff: u32,
}

/// A profile's limits for the RTO.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RtoRules {
    /// The RTO before the first sample.
    pub initial: Duration,
    pub min: Duration,
    pub max: Duration,
    pub floor: RtoFloor,
}

/// The part of the timeout for which `min` is the minimum.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RtoFloor {
    /// The minimum applies to the whole timeout: max(min, SRTT + 4·RTTVAR) (RFC 6298 §2.4).
    Timeout,
    /// The minimum applies to the variation only: SRTT + max(min, 4·RTTVAR), as in Linux (net/ipv4/tcp_input.c,
    /// tcp_rtt_estimator). RTTVAR rises immediately to the largest mean deviation of the current round. At the end of
    /// each round it falls by a quarter of the difference between RTTVAR and the largest mean deviation of this round.
    Variation,
}

/// The mean deviation of the RTT as Linux computes it. Linux stores four times this value, because RFC 6298 uses
/// 4·RTTVAR.
#[derive(Clone, Debug, Default)]
struct LinuxVariation {
    /// Four times the mean deviation (`mdev_us`).
    deviation: Duration,
    /// The largest `deviation` in this round, and at least [`RtoRules::min`] (`mdev_max_us`).
    round_max: Duration,
    /// The round ends when this sequence number is acknowledged.
    round_end: u64,
}

/// Clock granularity G (RFC 6298 §2).
const GRANULARITY: Duration = Duration::from_millis(1);

impl RttEstimator {
    pub fn new(rules: RtoRules) -> Self {
        RttEstimator {
            rules,
            srtt: None,
            variation: Duration::ZERO,
            min: None,
            linux: LinuxVariation::default(),
            backoff: 0,
        }
    }

    pub fn srtt(&self) -> Option<Duration> {
        self.srtt
    }

    pub fn min_rtt(&self) -> Option<Duration> {
        self.min
    }

    /// Adds a sample, which ends the backoff (RFC 6298 §5, last paragraph). `una` and `next` are SND.UNA and SND.NXT,
    /// which delimit the rounds of Linux.
    pub fn sample(&mut self, rtt: Duration, una: u64, next: u64) {
        self.backoff = 0;
        self.min = Some(self.min.map_or(rtt, |min| min.min(rtt)));
        match self.rules.floor {
            RtoFloor::Timeout => self.sample_rfc6298(rtt),
            RtoFloor::Variation => self.sample_linux(rtt, una, next),
        }
    }

    /// The timeout, including the backoff.
    pub fn rto(&self) -> Duration {
        let base = match (self.srtt, self.rules.floor) {
            (None, _) => self.rules.initial,
            (Some(srtt), RtoFloor::Timeout) => (srtt + (4 * self.variation).max(GRANULARITY)).max(self.rules.min),
            (Some(srtt), RtoFloor::Variation) => srtt + self.variation,
        };
        base.saturating_mul(1 << self.backoff.min(16)).min(self.rules.max)
    }

    /// Doubles the timeout (RFC 6298 §5.5).
    pub fn back_off(&mut self) {
        self.backoff += 1;
    }

    /// Ends a backoff that was caused by window probes, not by retransmissions.
    pub fn end_backoff(&mut self) {
        self.backoff = 0;
    }

    /// Notes that the SYN or SYN ACK was retransmitted, so that the handshake measured no RTT. The timeout of data then
    /// starts with at least `initial` (RFC 6298 §5.7: 3 s).
    pub fn handshake_was_lost(&mut self, initial: Duration) {
        self.backoff = 0;
        self.rules.initial = self.rules.initial.max(initial);
    }

    /// Adds a sample as RFC 6298 §2.2 and §2.3 say.
    fn sample_rfc6298(&mut self, rtt: Duration) {
        let Some(srtt) = self.srtt else {
            self.srtt = Some(rtt);
            self.variation = rtt / 2;
            return;
        };
        self.variation = (3 * self.variation + srtt.abs_diff(rtt)) / 4;
        self.srtt = Some((7 * srtt + rtt) / 8);
    }

    fn sample_linux(&mut self, rtt: Duration, una: u64, next: u64) {
        let floor = self.rules.min;
        let Some(srtt) = self.srtt else {
            self.srtt = Some(rtt);
            self.linux = LinuxVariation { deviation: 2 * rtt, round_max: (2 * rtt).max(floor), round_end: next };
            self.variation = self.linux.round_max;
            return;
        };
        self.srtt = Some((7 * srtt + rtt) / 8);
        let linux = &mut self.linux;
        let (error, quarter) = (srtt.abs_diff(rtt), linux.deviation / 4);
        linux.deviation = if error < quarter {
            linux.deviation - (quarter - error)
        } else if rtt < srtt {
            // if the RTT falls, the deviation grows by only an eighth of the excess
            linux.deviation + (error - quarter) / 8
        } else {
            linux.deviation + (error - quarter)
        };
        linux.round_max = linux.round_max.max(linux.deviation);
        self.variation = self.variation.max(linux.round_max);
        if una > linux.round_end {
            self.variation -= (self.variation - linux.round_max.min(self.variation)) / 4;
            linux.round_end = next;
            linux.round_max = floor;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(ms: u64) -> Duration {
        Duration::from_millis(ms)
    }

    fn estimator(floor: RtoFloor) -> RttEstimator {
        RttEstimator::new(RtoRules { initial: ms(3000), min: ms(1000), max: ms(60_000), floor })
    }

    // RFC 6298 §2.1, §2.2, §2.3
    #[test]
    fn srtt_and_variation_follow_the_rfc() {
        let mut rtt = estimator(RtoFloor::Timeout);
        assert_eq!(rtt.rto(), ms(3000));
        rtt.sample(ms(800), 1, 1);
        assert_eq!(rtt.rto(), ms(800 + 4 * 400));
        rtt.sample(ms(1600), 1, 1);
        // RTTVAR = 3/4·400 + 1/4·800 = 500, SRTT = 7/8·800 + 1/8·1600 = 900
        assert_eq!(rtt.rto(), ms(900 + 4 * 500));
    }

    // RFC 6298 §2.4, §2.5
    #[test]
    fn the_rto_keeps_its_bounds() {
        let mut rtt = estimator(RtoFloor::Timeout);
        rtt.sample(ms(10), 1, 1);
        assert_eq!(rtt.rto(), ms(1000));
        for _ in 0..20 {
            rtt.back_off();
        }
        assert_eq!(rtt.rto(), ms(60_000));
    }

    // RFC 6298 §5.5 and §5's last paragraph
    #[test]
    fn each_timeout_doubles_the_rto_until_the_next_sample() {
        let mut rtt = estimator(RtoFloor::Timeout);
        rtt.sample(ms(400), 1, 1);
        rtt.back_off();
        rtt.back_off();
        assert_eq!(rtt.rto(), ms(4 * 1200));
        rtt.sample(ms(400), 1, 1);
        assert_eq!(rtt.rto(), ms(400 + 4 * 150));
    }

    // Linux's RTO is srtt + max(4·rttvar, rto_min) (net/ipv4/tcp_input.c, tcp_rtt_estimator)
    #[test]
    fn linux_bounds_the_variation() {
        let mut rtt = estimator(RtoFloor::Variation);
        rtt.sample(ms(100), 1, 1000);
        assert_eq!(rtt.rto(), ms(1100));
        rtt.sample(ms(100), 500, 2000);
        assert_eq!(rtt.rto(), ms(1100));
    }

    // In Linux, the deviation grows by the part of the error that exceeds a quarter of the deviation. If the RTT falls,
    // only an eighth of this part counts.
    #[test]
    fn linux_lets_a_falling_rtt_widen_the_deviation_by_an_eighth_only() {
        let deviation = |second| {
            let mut rtt = estimator(RtoFloor::Variation);
            // the deviation is 2 · 800 = 1600
            rtt.sample(ms(800), 1, 1000);
            rtt.sample(ms(second), 1, 1000);
            rtt.linux.deviation
        };
        assert_eq!(deviation(1600), ms(1600 + (800 - 400)));
        assert_eq!(deviation(0), ms(1600 + (800 - 400) / 8));
        // a change by less than a quarter of the deviation narrows the deviation, whether the RTT rises or falls
        assert_eq!(deviation(1000), ms(1600 - (400 - 200)));
        assert_eq!(deviation(600), ms(1600 - (400 - 200)));
    }

    // Linux: RTTVAR rises to the largest deviation immediately, and falls by a quarter of the difference in each round
    #[test]
    fn linux_lowers_the_deviation_by_a_quarter_of_the_difference_in_each_round() {
        let mut rtt = estimator(RtoFloor::Variation);
        rtt.sample(ms(2000), 1, 1000);
        assert_eq!(rtt.rto(), ms(2000 + 4000));
        // the deviation falls from 4000 to 3000 within the round, and the round counts with its maximum
        rtt.sample(ms(2000), 1000, 1500);
        assert_eq!(rtt.rto(), ms(2000 + 4000), "the round has not ended yet");
        rtt.sample(ms(2000), 1001, 2000);
        assert_eq!(rtt.rto(), ms(2000 + 4000), "the maximum of the ended round was 4000");
        // the maximum of the next round is 2250 · 3/4 = 1687.5
        rtt.sample(ms(2000), 2001, 3000);
        assert_eq!(rtt.linux.deviation, Duration::from_micros(1_687_500));
        assert_eq!(rtt.variation, ms(4000) - (ms(4000) - Duration::from_micros(1_687_500)) / 4);
    }
}
