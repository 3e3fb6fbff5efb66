//! The sender's view of the path (RFC 9260 §7), reconstructed from the metrics of the stack, dcSCTP.

use std::time::Duration;

use super::rto::RtoEstimator;
use crate::sctp::ProfileSettings;
use crate::trace::{Sample, SenderState};

/// Reconstructs the stack's congestion control from outside. The stack reports cwnd, but not ssthresh, recovery or RTO.
#[derive(Debug)]
pub struct CongestionView {
    settings: ProfileSettings,
    estimator: RtoEstimator,
    /// The SRTT to report until the stack has measured an SRTT.
    srtt: Option<Duration>,
    ssthresh_bytes: Option<u64>,
    recovery: Option<Recovery>,
    /// The latest metrics of the stack, which has metrics only while there is an association.
    metrics: Option<Metrics>,
}

/// A recovery after a loss.
#[derive(Clone, Copy, Debug)]
struct Recovery {
    after_timeout: bool,
    /// Recovery ends when this many chunks are acknowledged. This is the number of chunks that had been sent when
    /// recovery began.
    until: u64,
}

/// The stack's view of the path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Metrics {
    pub cwnd_bytes: u64,
    /// The room in the peer's receive buffer minus the data in flight, in bytes.
    pub peer_rwnd_bytes: u64,
    /// The number of chunks that are neither acknowledged nor deemed lost, plus the number of packets that the stack's
    /// unsent data would fill.
    pub in_flight_chunks: u64,
    /// Whether messages are sent in I-DATA chunks.
    pub interleaves: bool,
    /// The smoothed RTT; `None` before the first measurement.
    pub srtt: Option<Duration>,
}

/// The values with which the stack restarts: its state moves into a new stack that has these values (`handover.rs`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Start {
    /// The RTO until the RTT is measured again (RFC 9260 §6.3.1 C1).
    pub rto: Duration,
    /// The new window; `None` keeps the current window.
    pub window: Option<Window>,
}

/// Congestion window and slow start threshold, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    pub cwnd_bytes: u64,
    pub ssthresh_bytes: u64,
}

/// The state after a call of the stack, and what the stack retransmitted in this call.
#[derive(Clone, Copy, Debug)]
pub struct Step {
    pub metrics: Option<Metrics>,
    /// The number of the first chunk that the stack retransmitted; `None` if it retransmitted nothing.
    pub retransmitted: Option<u64>,
    /// The total number of cumulatively acknowledged chunks.
    pub acknowledged: u64,
    /// The total number of chunks that were sent. A retransmitted chunk counts once.
    pub sent: u64,
}

impl CongestionView {
    pub fn new(settings: ProfileSettings) -> Self {
        CongestionView {
            settings,
            estimator: RtoEstimator::new(&settings),
            srtt: None,
            ssthresh_bytes: None,
            recovery: None,
            metrics: None,
        }
    }

    /// Returns the values with which the stack restarts after the handshake has measured the RTT.
    pub fn after_handshake(&self, rtt: Duration) -> Start {
        Start { rto: self.estimator.first_rto(rtt), window: None }
    }

    pub fn observe_handshake(&mut self, rtt: Duration) {
        self.srtt = Some(rtt);
    }

    pub fn observe_rtt(&mut self, rtt: Duration) {
        self.estimator.observe(rtt);
    }

    /// Returns the values with which the stack restarts after an idle time of `idle`; `None` if it does not have to
    /// restart. Call this only if nothing is in flight.
    pub fn after_idle(&self, idle: Duration) -> Option<Start> {
        let window = self.idle_window(self.metrics?.cwnd_bytes, idle)?;
        Some(Start { rto: self.estimator.rto(), window: Some(window) })
    }

    /// Notes that the stack has restarted.
    pub fn start_over(&mut self, start: Start, metrics: Option<Metrics>) {
        self.srtt = self.metrics.and_then(|metrics| metrics.srtt).or(self.srtt);
        self.estimator.start_over(start.rto);
        if let Some(window) = start.window {
            self.ssthresh_bytes = Some(window.ssthresh_bytes);
        }
        self.metrics = metrics.or(self.metrics);
    }

    /// Returns the window after an idle time (RFC 9260 §7.2.1): for every RTO without sending, cwnd becomes max(cwnd /
    /// 2, four packets), and ssthresh becomes the cwnd from before the idle time. Returns `None` if cwnd does not
    /// change.
    ///
    /// RFC 9260 would enlarge a window that is smaller than four packets. Here such a window stays as it is.
    fn idle_window(&self, cwnd_bytes: u64, idle: Duration) -> Option<Window> {
        let halvings = idle.as_nanos() / self.estimator.rto().as_nanos();
        let halved = cwnd_bytes.checked_shr(halvings.min(63) as u32).unwrap_or(0);
        let least = (4 * self.settings.packet_bytes as u64).min(cwnd_bytes);
        let window = Window { cwnd_bytes: halved.max(least), ssthresh_bytes: cwnd_bytes };
        (window.cwnd_bytes < cwnd_bytes).then_some(window)
    }

    /// Call this after a packet was handled. A retransmission counts as a fast retransmit in three cases: it happens
    /// outside of recovery, or cwnd has become smaller, or cwnd has grown by more than a packet. The last case happens
    /// after a timeout, when cwnd is one packet: a fast retransmit then raises cwnd to at least four packets. A fast
    /// retransmit sets ssthresh, and sets cwnd to the same value (RFC 9260 §7.2.3, §7.2.4).
    pub fn after_packet(&mut self, step: Step) {
        self.recovery = self.recovery.filter(|recovery| step.acknowledged < recovery.until);
        let (Some(before), Some(now)) = (self.metrics, step.metrics) else {
            self.metrics = step.metrics.or(self.metrics);
            return;
        };
        self.metrics = Some(now);
        let grown_bytes = now.cwnd_bytes.saturating_sub(before.cwnd_bytes);
        let jumped = now.cwnd_bytes < before.cwnd_bytes || grown_bytes > self.settings.packet_bytes as u64;
        if step.retransmitted.is_some() && (jumped || self.recovery.is_none()) {
            self.ssthresh_bytes = Some(now.cwnd_bytes);
            self.recovery.get_or_insert(Recovery { after_timeout: false, until: step.sent });
        }
    }

    /// Call this after timers fired. T3-rtx is the only timer that retransmits data chunks (RFC 9260 §6.3.3, §7.2.3).
    /// `asked_again` says that a request to reset streams was repeated; the timer of this request doubles the same RTO
    /// (RFC 6525 §5.1.1, RFC 5061 §5.1 B3).
    pub fn after_timeout(&mut self, step: Step, asked_again: bool) {
        if asked_again {
            self.estimator.back_off();
        }
        if step.retransmitted.is_some() {
            self.estimator.back_off();
            let cwnd_bytes = self.metrics.map_or(0, |metrics| metrics.cwnd_bytes);
            self.ssthresh_bytes = Some((cwnd_bytes / 2).max(4 * self.settings.packet_bytes as u64));
            self.recovery = Some(Recovery { after_timeout: true, until: step.sent });
        }
        self.metrics = step.metrics.or(self.metrics);
    }

    /// Returns a sample of the path. `metrics` are the stack's current metrics, `None` if there is no association.
    pub fn sample(&self, metrics: Option<Metrics>, flight_bytes: u64) -> Sample {
        let metrics = metrics.or(self.metrics);
        let initial_bytes = (self.settings.initial_cwnd_packets * self.settings.packet_bytes) as u64;
        let cwnd_bytes = metrics.map_or(initial_bytes, |metrics| metrics.cwnd_bytes);
        let ssthresh_bytes = self.ssthresh_bytes.unwrap_or(u64::MAX);
        let srtt = metrics.and_then(|metrics| metrics.srtt).or(self.srtt);
        let state = match self.recovery {
            _ if metrics.is_none() => SenderState::Connecting,
            Some(Recovery { after_timeout: true, .. }) => SenderState::LossRecovery,
            Some(_) => SenderState::FastRecovery,
            None if cwnd_bytes <= ssthresh_bytes => SenderState::SlowStart, // RFC 9260 §7.2.1
            None => SenderState::CongestionAvoidance,
        };
        Sample {
            cwnd_bytes,
            ssthresh_bytes,
            flight_bytes,
            srtt: srtt.unwrap_or_default(),
            rto: self.estimator.rto(),
            state,
        }
    }

    #[cfg(test)]
    pub fn is_recovering(&self) -> bool {
        self.recovery.is_some()
    }

    #[cfg(test)]
    pub fn estimator(&self) -> &RtoEstimator {
        &self.estimator
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sctp::Profile;

    const PACKET: u64 = 1480;

    fn step(cwnd_bytes: u64, retransmitted: Option<u64>, acknowledged: u64) -> Step {
        let metrics =
            Metrics { cwnd_bytes, peer_rwnd_bytes: 1 << 20, in_flight_chunks: 0, interleaves: false, srtt: None };
        Step { metrics: Some(metrics), retransmitted, acknowledged, sent: 10 }
    }

    /// Returns a view with a window of `packets` packets. Ten chunks were sent, and none is acknowledged.
    fn view(packets: u64) -> CongestionView {
        let mut view = CongestionView::new(Profile::Classic.settings(PACKET as usize));
        view.after_packet(step(packets * PACKET, None, 0));
        view
    }

    fn shown(view: &CongestionView) -> (SenderState, u64) {
        let sample = view.sample(None, 0);
        (sample.state, sample.ssthresh_bytes)
    }

    #[test]
    fn a_retransmission_outside_of_recovery_starts_recovery_with_cwnd_as_ssthresh() {
        let mut view = view(10);
        assert_eq!(shown(&view), (SenderState::SlowStart, u64::MAX));
        view.after_packet(step(10 * PACKET, Some(0), 0));
        assert_eq!(shown(&view), (SenderState::FastRecovery, 10 * PACKET));
        view.after_packet(step(10 * PACKET, None, 9));
        assert_eq!(shown(&view).0, SenderState::FastRecovery);
        view.after_packet(step(10 * PACKET, None, 10));
        assert_eq!(shown(&view).0, SenderState::SlowStart);
    }

    #[test]
    fn a_retransmission_within_recovery_changes_ssthresh_only_if_the_window_jumped() {
        let mut view = view(10);
        // the window after a retransmission, and the ssthresh that follows from it
        for (cwnd_bytes, ssthresh_bytes) in [
            (5 * PACKET, 5 * PACKET),
            (6 * PACKET, 5 * PACKET),
            (6 * PACKET, 5 * PACKET),
            (6 * PACKET + 1, 5 * PACKET),
            (4 * PACKET, 4 * PACKET),
            (5 * PACKET + 1, 5 * PACKET + 1),
        ] {
            view.after_packet(step(cwnd_bytes, Some(1), 1));
            assert_eq!(shown(&view), (SenderState::FastRecovery, ssthresh_bytes), "{cwnd_bytes}");
        }
    }

    #[test]
    fn a_timeout_sets_ssthresh_to_half_of_the_window_but_at_least_four_packets() {
        for (packets, ssthresh_packets) in [(10, 5), (6, 4)] {
            let mut view = view(packets);
            view.after_timeout(step(PACKET, Some(0), 0), false);
            assert_eq!(shown(&view), (SenderState::LossRecovery, ssthresh_packets * PACKET));
        }
    }

    #[test]
    fn each_expired_timer_doubles_the_rto_until_the_rtt_is_measured() {
        let mut view = view(10);
        let rto = |view: &CongestionView| view.sample(None, 0).rto.as_secs();
        for (retransmitted, asked_again, expected) in
            [(Some(0), false, 6), (None, true, 12), (None, false, 12), (Some(0), true, 48)]
        {
            view.after_timeout(step(PACKET, retransmitted, 0), asked_again);
            assert_eq!(rto(&view), expected);
        }
        view.after_packet(step(PACKET, Some(0), 0));
        view.after_packet(step(PACKET, None, 10));
        assert_eq!(rto(&view), 48);
        view.observe_rtt(Duration::from_secs(1));
        assert_eq!(rto(&view), 3);
    }

    #[test]
    fn slow_start_lasts_from_the_handshake_until_the_window_exceeds_ssthresh() {
        let mut view = CongestionView::new(Profile::Classic.settings(PACKET as usize));
        assert_eq!(shown(&view).0, SenderState::Connecting);
        view.after_packet(step(8 * PACKET, Some(0), 0));
        view.after_packet(step(8 * PACKET, Some(0), 0));
        for (cwnd_bytes, state) in
            [(8 * PACKET, SenderState::SlowStart), (8 * PACKET + 1, SenderState::CongestionAvoidance)]
        {
            view.after_packet(step(cwnd_bytes, None, 10));
            assert_eq!(shown(&view), (state, 8 * PACKET));
        }
    }
}
