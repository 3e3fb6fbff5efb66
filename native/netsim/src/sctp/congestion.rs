//! What the sender thinks of the path, as far as the stack shows it (RFC 9260 §7).

use std::time::Duration;

use super::rto::RtoEstimator;
use super::{ProfileSettings, StackMetrics};
use crate::trace::{Sample, SenderState};

/// Follows the stack's congestion control from outside: it shows cwnd, not ssthresh, recovery or RTO.
#[derive(Debug)]
pub struct CongestionView {
    settings: ProfileSettings,
    estimator: RtoEstimator,
    handshake_rtt: Option<Duration>,
    ssthresh_bytes: Option<u64>,
    recovery: Option<Recovery>,
    /// The last while there was an association.
    metrics: Option<StackMetrics>,
}

/// A loss that is being repaired.
#[derive(Clone, Copy, Debug)]
struct Recovery {
    after_timeout: bool,
    /// Ends when so many chunks are acknowledged: those sent when it began.
    until: u64,
}

/// What one call of the stack did.
#[derive(Clone, Copy, Debug)]
pub struct Step {
    pub metrics: Option<StackMetrics>,
    /// It sent a chunk again.
    pub retransmitted: bool,
    /// Chunks acknowledged cumulatively, and chunks sent, in all.
    pub acknowledged: u64,
    pub sent: u64,
}

impl CongestionView {
    pub fn new(settings: ProfileSettings) -> Self {
        CongestionView {
            settings,
            estimator: RtoEstimator::new(&settings),
            handshake_rtt: None,
            ssthresh_bytes: None,
            recovery: None,
            metrics: None,
        }
    }

    pub fn observe_handshake(&mut self, rtt: Duration) {
        self.handshake_rtt = Some(rtt);
        self.estimator.observe_handshake(rtt);
    }

    pub fn observe_rtt(&mut self, rtt: Duration) {
        self.estimator.observe(rtt);
    }

    /// After a packet was handled. A retransmission outside recovery, or a window that moved otherwise
    /// than growing by a packet, is fast retransmit: cwnd is the new ssthresh (RFC 9260 §7.2.3, §7.2.4).
    pub fn after_packet(&mut self, step: Step) {
        self.recovery = self.recovery.filter(|recovery| step.acknowledged < recovery.until);
        let (Some(before), Some(now)) = (self.metrics, step.metrics) else {
            self.metrics = step.metrics.or(self.metrics);
            return;
        };
        self.metrics = Some(now);
        let grown_bytes = now.cwnd_bytes.saturating_sub(before.cwnd_bytes);
        let jumped = now.cwnd_bytes < before.cwnd_bytes || grown_bytes > self.settings.packet_bytes as u64;
        if step.retransmitted && (jumped || self.recovery.is_none()) {
            self.ssthresh_bytes = Some(now.cwnd_bytes);
            self.recovery.get_or_insert(Recovery { after_timeout: false, until: step.sent });
        }
    }

    /// After timers fired. Only T3-rtx sends a chunk again (RFC 9260 §6.3.3, §7.2.3).
    pub fn after_timeout(&mut self, step: Step) {
        if step.retransmitted {
            let cwnd_bytes = self.metrics.map_or(0, |metrics| metrics.cwnd_bytes);
            self.ssthresh_bytes = Some((cwnd_bytes / 2).max(4 * self.settings.packet_bytes as u64));
            self.recovery = Some(Recovery { after_timeout: true, until: step.sent });
        }
        self.metrics = step.metrics.or(self.metrics);
    }

    /// `metrics` as the stack shows them now, `None` without an association.
    pub fn sample(&self, metrics: Option<StackMetrics>, flight_bytes: u64, closed: bool) -> Sample {
        let metrics = metrics.or(self.metrics);
        let initial_bytes = (self.settings.initial_cwnd_packets * self.settings.packet_bytes) as u64;
        let cwnd_bytes = metrics.map_or(initial_bytes, |metrics| metrics.cwnd_bytes);
        let ssthresh_bytes = self.ssthresh_bytes.unwrap_or(u64::MAX);
        let srtt = metrics.and_then(|metrics| metrics.srtt).or(self.handshake_rtt);
        let state = match self.recovery {
            _ if closed => SenderState::Closed,
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
