use std::fmt;
use std::time::Duration;

use super::prr::ProportionalRate;
use super::scalable::MarkedShare;
use super::{Acknowledgement, AppLimited, CongestionControl, Kind, MarkResponse, Opening, Phase, Restart};
use crate::time::SimTime;

/// Congestion control by a window that losses reduce: slow start, and the reduction after a loss (RFC 5681, RFC 9937).
/// What differs between Reno and CUBIC is their [`Avoidance`].
#[derive(Debug)]
pub struct LossBased<A> {
    rules: CongestionRules,
    mss: u64,
    cwnd: u64,
    ssthresh: u64,
    /// Bytes that were acknowledged in congestion avoidance and have not made the window grow yet.
    credit: u64,
    avoidance: A,
    /// Set during fast recovery, and after marks that count as a loss, if the window then falls in proportion to the
    /// delivered bytes.
    rate: Option<ProportionalRate>,
    /// cwnd and ssthresh before the timeout, which are restored if the timeout was spurious.
    undo: Option<(u64, u64)>,
    /// The share of marked bytes, if marks reduce the window in proportion to it.
    share: Option<MarkedShare>,
}

/// How a window grows in congestion avoidance, and how far a loss reduces it.
pub trait Avoidance: fmt::Debug + Send + Sync {
    /// Returns how many bytes must be acknowledged for the window to grow by one segment.
    fn bytes_per_mss(&mut self, growth: &Growth) -> u64;

    /// Returns the window after the multiplicative decrease of `base`. `base` is `cwnd` or the bytes in flight
    /// ([`Halved`]).
    fn reduced(&mut self, cwnd: u64, base: u64, mss: u64) -> u64;

    /// Handles an RTT sample. Returns true if slow start is to end.
    fn ends_slow_start(&mut self, _sample: &RttSample) -> bool {
        false
    }

    /// Notes that marks reduce a window of `cwnd` bytes in proportion to the share of marked bytes.
    fn handle_scaled(&mut self, _cwnd: u64, _mss: u64) {}

    /// Handles a timeout. If the timeout reduces the threshold, [`Self::reduced`] has been called before.
    fn handle_timeout(&mut self) {}

    /// Notes that nothing was in flight and that nothing was sent for `idle`, until `now`.
    fn handle_idle(&mut self, _now: SimTime, _idle: Duration) {}
}

/// An acknowledgement in congestion avoidance. `acked` is the number of bytes that count for the growth of the window.
#[derive(Clone, Copy, Debug)]
pub struct Growth {
    pub now: SimTime,
    pub cwnd: u64,
    pub acked: u64,
    pub mss: u64,
}

/// An RTT that an acknowledgement measured.
#[derive(Clone, Copy, Debug)]
pub struct RttSample {
    pub now: SimTime,
    pub rtt: Duration,
    pub una: u64,
    pub next: u64,
    pub cwnd_segments: u64,
    pub in_slow_start: bool,
}

/// A profile's congestion control.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CongestionRules {
    pub kind: Kind,
    pub initial_window: InitialWindow,
    pub slow_start: SlowStart,
    pub halved: Halved,
    pub reduction: Reduction,
    pub counting: Counting,
    pub app_limited: AppLimited,
    pub idle: IdleRestart,
    /// Whether slow start of CUBIC ends when the path is full (HyStart).
    pub hystart: bool,
    /// Whether the transport paces even if the congestion control sets no rate.
    pub paced: bool,
    /// Whether marks reduce the window in proportion to the share of marked bytes, and the window is paced (L4S, RFC
    /// 9331 §4.3).
    pub scalable: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InitialWindow {
    /// min(4·MSS, max(2·MSS, 4380 B)) (RFC 3390 §1).
    Rfc3390,
    /// This number of segments, which is 10 in RFC 6928 §2.
    Segments(u64),
}

/// By how much an acknowledgement increases cwnd in slow start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SlowStart {
    /// At most one MSS for each acknowledgement (RFC 5681 §3.1).
    PerAck,
    /// One MSS for each segment acknowledged, as Linux does (RFC 3465 §2.1 without its limit L).
    PerSegment,
}

/// The value that is multiplied after a loss to get ssthresh.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Halved {
    /// The bytes in flight (RFC 5681 §3.1, equation 4).
    FlightSize,
    /// cwnd, as in Linux.
    Cwnd,
}

/// How cwnd falls to ssthresh in fast recovery.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reduction {
    /// The window falls immediately (RFC 6675 §5 step 4.2).
    AtOnce,
    /// The window falls in proportion to the delivered bytes (RFC 9937).
    Proportional,
}

/// The unit in which cwnd, the bytes in flight and the delivered bytes are counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Counting {
    /// The bytes of data, as in the RFCs.
    Bytes,
    /// Segments. Each segment counts as a full segment, as in Linux.
    Segments,
}

/// What happens to cwnd when nothing was sent for longer than the RTO.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IdleRestart {
    /// The window becomes the initial window, if it was larger (RFC 5681 §4.1).
    InitialWindow,
    /// The window is halved for each RTO, down to the initial window (RFC 2861 §3.2; Linux: `tcp_cwnd_restart`).
    HalfPerRto,
}

impl CongestionRules {
    /// Reno with the rules of RFC 5681.
    pub const RFC_5681: CongestionRules = CongestionRules {
        kind: super::RENO,
        initial_window: InitialWindow::Segments(4),
        slow_start: SlowStart::PerAck,
        halved: Halved::FlightSize,
        reduction: Reduction::AtOnce,
        counting: Counting::Bytes,
        app_limited: AppLimited::HalfWindow,
        idle: IdleRestart::InitialWindow,
        hystart: false,
        paced: false,
        scalable: false,
    };

    /// Makes the congestion control of one end.
    pub fn make(&self, mss: u64, seed: u64) -> Box<dyn CongestionControl> {
        (self.kind.make)(&Opening { rules: *self, mss, seed })
    }
}

impl<A: Avoidance> LossBased<A> {
    pub fn new(opening: &Opening, avoidance: A) -> Self {
        let Opening { rules, mss, .. } = *opening;
        let cwnd = rules.initial_window.bytes(mss);
        let share = rules.scalable.then(MarkedShare::default);
        LossBased { rules, mss, cwnd, ssthresh: u64::MAX, credit: 0, avoidance, rate: None, undo: None, share }
    }

    fn grow(&mut self, ack: &Acknowledgement) {
        let mut acked = ack.delivered;
        if self.in_slow_start() {
            let step = match self.rules.slow_start {
                SlowStart::PerAck => acked.min(self.mss),
                SlowStart::PerSegment => ack.segments * self.mss,
            };
            let used = step.min(self.ssthresh - self.cwnd);
            self.cwnd += used;
            // the bytes beyond ssthresh count for congestion avoidance
            acked = step - used;
        }
        if acked > 0 {
            self.avoid_congestion(ack.now, acked);
        }
    }

    fn avoid_congestion(&mut self, now: SimTime, acked: u64) {
        let growth = Growth { now, cwnd: self.cwnd, acked, mss: self.mss };
        let bytes_per_mss = self.avoidance.bytes_per_mss(&growth);
        // Linux (tcp_cong_avoid_ai): when bytes_per_mss has fallen, the credit from before adds at most one segment;
        // otherwise CUBIC's window would jump
        if self.credit >= bytes_per_mss {
            self.credit = 0;
            self.cwnd += self.mss;
        }
        self.credit += acked;
        while self.credit >= bytes_per_mss {
            self.credit -= bytes_per_mss;
            self.cwnd += self.mss;
        }
    }

    /// Sets ssthresh as after a loss. Returns the value that was multiplied ([`Halved`]).
    fn reduce(&mut self, flight: u64) -> u64 {
        let base = match self.rules.halved {
            Halved::FlightSize => flight,
            Halved::Cwnd => self.cwnd,
        };
        let reduced = self.avoidance.reduced(self.cwnd, base, self.mss);
        self.ssthresh = self.rules.counting.round(reduced, self.mss).max(2 * self.mss);
        self.credit = 0;
        base
    }
}

impl<A: Avoidance> CongestionControl for LossBased<A> {
    fn cwnd(&self) -> u64 {
        self.cwnd
    }

    fn ssthresh(&self) -> u64 {
        self.ssthresh
    }

    fn handle_sent(&mut self, bytes: u64) {
        if let Some(rate) = &mut self.rate {
            rate.handle_sent(bytes);
        }
    }

    fn handle_restart(&mut self, restart: &Restart) {
        self.avoidance.handle_idle(restart.now, restart.idle);
    }

    fn pacing_rate(&self) -> Option<u64> {
        self.share.as_ref().and_then(MarkedShare::pacing_rate)
    }

    fn handle_ack(&mut self, ack: &Acknowledgement) {
        if let Some(share) = &mut self.share {
            share.handle_ack(ack.delivered, ack.una, ack.next);
        }
        if let Some(rtt) = ack.rtt {
            let Acknowledgement { now, una, next, .. } = *ack;
            let (cwnd_segments, in_slow_start) = (self.cwnd / self.mss, self.in_slow_start());
            if self.avoidance.ends_slow_start(&RttSample { now, rtt, una, next, cwnd_segments, in_slow_start }) {
                self.ssthresh = self.cwnd;
            }
        }
        match (ack.phase, &mut self.rate) {
            (Phase::FastRecovery | Phase::Reduction, Some(rate)) if ack.delivered > 0 || ack.lost > 0 => {
                let is_clean = ack.advanced && ack.lost == 0;
                let allowed = rate.allowed(ack.pipe, self.ssthresh, ack.delivered, is_clean, self.mss);
                self.cwnd = (ack.pipe + allowed).max(self.mss);
            }
            (Phase::FastRecovery | Phase::Reduction, _) => {}
            // RFC 7661 §4.1: if the sender does not use the window, acknowledgements are no evidence of the path's
            // capacity
            (Phase::Open | Phase::Loss, _) if ack.advanced && !ack.app_limited => self.grow(ack),
            (Phase::Open | Phase::Loss, _) => {}
        }
        let in_slow_start = self.in_slow_start();
        if let Some(share) = &mut self.share {
            share.set_pacing_rate(self.cwnd, ack.srtt, in_slow_start);
        }
    }

    /// Starts fast recovery (RFC 6675 §5 step 4.2).
    fn enter_recovery(&mut self, flight: u64) {
        // bytes that limited transmit sent beyond cwnd do not count (RFC 5681 §3.2 step 2)
        let reduced = self.reduce(flight.min(self.cwnd));
        match self.rules.reduction {
            Reduction::AtOnce => self.cwnd = self.ssthresh,
            Reduction::Proportional => self.rate = Some(ProportionalRate::new(reduced)),
        }
        self.undo = None;
    }

    /// Ends fast recovery (RFC 6937 §3, RFC 6582 §3.2 step 3).
    fn leave_recovery(&mut self) {
        self.cwnd = self.ssthresh;
        self.rate = None;
    }

    fn handle_marked(&mut self, bytes: u64) {
        if let Some(share) = &mut self.share {
            share.handle_marked(bytes);
        }
    }

    /// Reduces the window as after a loss (RFC 3168 §6.1.2), or by half of the share of marked bytes (RFC 8257 §3.3).
    ///
    /// The reduction by the share differs from DCTCP in Linux: there the window does not grow in the round trip after
    /// the reduction. Here it grows, as with TCP Prague (draft-briscoe-iccrg-prague-congestion-control-04 §2.4).
    fn reduce_for_marks(&mut self, flight: u64) -> MarkResponse {
        let Some(share) = &self.share else {
            self.enter_recovery(flight);
            return MarkResponse::LikeLoss;
        };
        let reduced = match self.rules.counting {
            Counting::Bytes => share.reduced(self.cwnd),
            Counting::Segments => share.reduced(self.cwnd / self.mss) * self.mss,
        };
        self.avoidance.handle_scaled(self.cwnd, self.mss);
        (self.ssthresh, self.credit, self.undo) = (reduced.max(2 * self.mss), 0, None);
        self.cwnd = self.ssthresh;
        MarkResponse::Scaled
    }

    fn handle_repaired_loss(&mut self) {
        self.reduce(self.cwnd);
        self.cwnd = self.ssthresh;
    }

    /// Sets ssthresh (RFC 5681 §3.1, equation 4).
    fn handle_timeout(&mut self, flight: u64) {
        self.undo = Some((self.cwnd, self.ssthresh));
        self.reduce(flight);
    }

    fn start_loss_window(&mut self, pipe: u64) {
        self.avoidance.handle_timeout();
        self.cwnd = pipe + self.mss;
        self.rate = None;
    }

    /// Restores the window (RFC 5682 §3.1 step 3b).
    fn undo_timeout(&mut self) {
        if let Some((cwnd, ssthresh)) = self.undo.take() {
            (self.cwnd, self.ssthresh) = (cwnd.max(self.cwnd), ssthresh.max(self.ssthresh));
        }
    }

    fn restart_after_idle(&mut self, idle: Duration, rto: Duration) {
        let initial = self.rules.initial_window.bytes(self.mss).min(self.cwnd);
        match self.rules.idle {
            IdleRestart::InitialWindow => self.cwnd = initial,
            IdleRestart::HalfPerRto => {
                self.ssthresh = self.ssthresh.max(self.cwnd / 4 * 3);
                let mut halvings = (idle.as_nanos().saturating_sub(1) / rto.as_nanos().max(1)).min(63);
                let mut segments = self.cwnd / self.mss;
                while halvings > 0 && segments * self.mss > initial {
                    (segments, halvings) = (segments / 2, halvings - 1);
                }
                self.cwnd = (segments * self.mss).max(initial);
            }
        }
    }

    fn handle_segment_size(&mut self, bytes: u64) {
        self.mss = bytes;
    }

    fn start_with_one_segment(&mut self) {
        self.cwnd = self.mss;
    }

    #[cfg(test)]
    fn set_cwnd(&mut self, bytes: u64) {
        self.cwnd = bytes;
    }
}

impl Counting {
    /// Rounds a window in bytes down to whole segments, if windows are counted in segments.
    fn round(self, bytes: u64, mss: u64) -> u64 {
        match self {
            Counting::Bytes => bytes,
            Counting::Segments => bytes / mss * mss,
        }
    }
}

impl InitialWindow {
    /// The window in bytes, for segments with `mss` bytes of data.
    pub fn bytes(self, mss: u64) -> u64 {
        match self {
            InitialWindow::Rfc3390 => (4 * mss).min((2 * mss).max(4380)),
            InitialWindow::Segments(segments) => segments * mss,
        }
    }
}

#[cfg(test)]
#[path = "loss_based_test.rs"]
mod tests;
