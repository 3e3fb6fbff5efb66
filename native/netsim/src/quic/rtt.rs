use std::time::Duration;

/// The sender's estimate of the round-trip time (RFC 9002 §5). quinn computes the same estimate but does not report all
/// of it.
#[derive(Clone, Copy, Debug, Default)]
pub struct Rtt {
    smoothed: Option<Duration>,
    variation: Duration,
    min: Duration,
}

impl Rtt {
    /// Adds a sample. `ack_delay` is the delay that the peer reports, limited to the agreed maximum.
    pub fn sample(&mut self, latest: Duration, ack_delay: Duration) {
        let Some(smoothed) = self.smoothed else {
            (self.smoothed, self.variation, self.min) = (Some(latest), latest / 2, latest);
            return;
        };
        self.min = self.min.min(latest);
        let adjusted = if self.min + ack_delay <= latest { latest - ack_delay } else { latest };
        self.variation = (3 * self.variation + smoothed.abs_diff(adjusted)) / 4;
        self.smoothed = Some((7 * smoothed + adjusted) / 8);
    }

    /// The smoothed RTT; zero before the first sample.
    pub fn smoothed(&self) -> Duration {
        self.smoothed.unwrap_or_default()
    }

    /// The probe timeout without its last term, the longest delay of the peer's acknowledgements (max_ack_delay, RFC
    /// 9002 §6.2.1). `initial` is the RTT that is assumed before the first sample. The variation is multiplied by
    /// `factor`, which is 4 in the RFC.
    pub fn probe_timeout(&self, initial: Duration, factor: u8) -> Duration {
        let (smoothed, variation) = self.smoothed.map_or((initial, initial / 2), |rtt| (rtt, self.variation));
        smoothed + (u32::from(factor) * variation).max(GRANULARITY)
    }
}

/// The timer granularity (RFC 9002 §6.1.2).
const GRANULARITY: Duration = Duration::from_millis(1);

#[cfg(test)]
mod tests {
    use super::*;

    const fn ms(ms: u64) -> Duration {
        Duration::from_millis(ms)
    }

    // RFC 9002 §5.3
    #[test]
    fn the_ack_delay_is_subtracted_unless_the_rtt_would_fall_below_the_minimum() {
        let mut rtt = Rtt::default();
        assert_eq!((rtt.smoothed(), rtt.probe_timeout(ms(333), 4)), (ms(0), ms(999)));
        rtt.sample(ms(100), ms(50));
        assert_eq!((rtt.smoothed(), rtt.probe_timeout(ms(333), 4)), (ms(100), ms(300)));
        rtt.sample(ms(140), ms(40));
        assert_eq!((rtt.smoothed(), rtt.probe_timeout(ms(333), 4)), (ms(100), ms(250)));
        assert_eq!(rtt.probe_timeout(ms(333), 2), ms(175));
        rtt.sample(ms(132), ms(40));
        assert_eq!(rtt.smoothed(), ms(104));
    }

    // RFC 9002 §6.2.1
    #[test]
    fn with_a_constant_rtt_the_timeout_is_the_rtt_plus_the_granularity() {
        let mut rtt = Rtt::default();
        (0..60).for_each(|_| rtt.sample(ms(100), ms(0)));
        assert_eq!(rtt.probe_timeout(ms(333), 4), ms(101));
    }
}
