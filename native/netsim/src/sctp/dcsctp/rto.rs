//! The retransmission timeout (RFC 9260 §6.3.1). It is computed here again because the stack does not report its RTO.

use std::time::Duration;

use crate::sctp::ProfileSettings;

/// An RTO estimator with the same arithmetic as the stack's, so that both agree to the nanosecond.
#[derive(Clone, Debug)]
pub struct RtoEstimator {
    min: f64,
    max: f64,
    /// The minimum of RTTVAR, in seconds.
    min_variance: f64,
    /// SRTT and RTTVAR, in seconds; `None` before the first measurement.
    measured: Option<(f64, f64)>,
    rto: Duration,
}

impl RtoEstimator {
    pub fn new(settings: &ProfileSettings) -> Self {
        RtoEstimator {
            min: settings.rto_min.as_secs_f64(),
            max: settings.rto_max.as_secs_f64(),
            min_variance: settings.min_variation.as_secs_f64() / 4.0,
            measured: None,
            rto: settings.rto_initial, // C1
        }
    }

    /// Continues with `rto` and forgets all measurements.
    pub fn start_over(&mut self, rto: Duration) {
        self.measured = None;
        self.rto = rto;
    }

    /// Returns the RTO after the handshake has measured the RTT R: with SRTT = R and RTTVAR = R / 2, the RTO is SRTT +
    /// 4 · RTTVAR = 3 · R (C2). The profile's limits of the RTO (C6, C7) and of RTTVAR apply.
    ///
    /// RFC 9260 combines later measurements with this one (C3). dcSCTP does not know the measurement of the handshake,
    /// so its first measurement of data starts SRTT and RTTVAR again (C2).
    pub fn first_rto(&self, rtt: Duration) -> Duration {
        let rtt = rtt.as_secs_f64();
        self.bounded(rtt, (rtt / 2.0).max(self.min_variance))
    }

    pub fn observe(&mut self, rtt: Duration) {
        let rtt = rtt.as_secs_f64();
        let (srtt, variance) = match self.measured {
            None => (rtt, rtt / 2.0), // C2
            // C3, with RTO.Alpha 1/8 and RTO.Beta 1/4 (§16)
            Some((srtt, variance)) => (0.875 * srtt + 0.125 * rtt, 0.75 * variance + 0.25 * (srtt - rtt).abs()),
        };
        let variance = variance.max(self.min_variance);
        self.measured = Some((srtt, variance));
        self.rto = self.bounded(srtt, variance);
    }

    pub fn rto(&self) -> Duration {
        self.rto
    }

    /// Doubles the RTO, up to RTO.Max. The RTO stays doubled until the RTT is measured (§6.3.3 E2, §6.3.1 C3).
    pub fn back_off(&mut self) {
        self.rto = self.rto.saturating_mul(2).min(Duration::from_secs_f64(self.max));
    }

    #[cfg(test)]
    pub fn srtt(&self) -> Option<Duration> {
        self.measured.map(|(srtt, _)| Duration::from_secs_f64(srtt))
    }

    fn bounded(&self, srtt: f64, variance: f64) -> Duration {
        Duration::from_secs_f64((srtt + 4.0 * variance).clamp(self.min, self.max))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sctp::Profile;

    fn estimator(profile: Profile) -> RtoEstimator {
        RtoEstimator::new(&profile.settings(1480))
    }

    #[test]
    fn the_rto_after_the_first_measurement_is_three_times_the_rtt() {
        let mut classic = estimator(Profile::Classic);
        assert_eq!(classic.rto(), Duration::from_secs(3));
        classic.observe(Duration::from_millis(500));
        assert_eq!(classic.rto(), Duration::from_millis(1500));
        classic.observe(Duration::from_millis(500));
        assert_eq!(classic.rto(), Duration::from_millis(1250));
    }

    #[test]
    fn a_change_of_the_rtt_widens_the_variance() {
        let mut classic = estimator(Profile::Classic);
        classic.observe(Duration::from_millis(500));
        classic.observe(Duration::from_millis(1000));
        // SRTT 562.5 ms, RTTVAR 3/4 · 250 + 1/4 · 500 = 312.5 ms
        assert_eq!(classic.rto(), Duration::from_micros(1_812_500));
    }

    #[test]
    fn the_rto_doubles_up_to_its_limit_until_the_rtt_is_measured() {
        let mut modern = estimator(Profile::Modern);
        modern.observe(Duration::from_millis(100));
        let seconds = (0..9).map(|_| {
            modern.back_off();
            modern.rto().as_secs_f64()
        });
        assert_eq!(seconds.collect::<Vec<_>>(), [0.6, 1.2, 2.4, 4.8, 9.6, 19.2, 38.4, 60.0, 60.0]);
        modern.observe(Duration::from_millis(100));
        assert_eq!(modern.rto(), Duration::from_millis(300));
    }

    #[test]
    fn the_measurement_of_the_handshake_counts_until_data_is_measured() {
        let mut classic = estimator(Profile::Classic);
        classic.start_over(classic.first_rto(Duration::from_millis(600)));
        assert_eq!(classic.rto(), Duration::from_millis(1800));
        classic.observe(Duration::from_millis(400));
        assert_eq!(classic.rto(), Duration::from_millis(1200));
    }

    #[test]
    fn with_a_constant_rtt_the_rto_falls_to_the_minimum_of_its_profile() {
        let (mut classic, mut modern) = (estimator(Profile::Classic), estimator(Profile::Modern));
        for _ in 0..100 {
            classic.observe(Duration::from_millis(100));
            modern.observe(Duration::from_millis(100));
        }
        assert_eq!(classic.rto(), Duration::from_secs(1));
        assert_eq!(modern.rto().as_millis(), 300);
    }
}
