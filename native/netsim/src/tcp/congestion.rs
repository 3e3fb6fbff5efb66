use std::time::Duration;

use super::cubic::Cubic;
use super::hystart::HyStart;
use super::prr::ProportionalRate;
use crate::time::SimTime;

/// Computes cwnd and ssthresh, in bytes: their growth and their reduction after a loss (RFC 5681, RFC 6937, RFC 9438).
///
/// The sender reports what happened, and only this type changes the window. Call [`Self::handle_ack`] for progress
/// outside of fast recovery; [`Self::enter_recovery`], [`Self::handle_recovery_ack`] and [`Self::leave_recovery`] for
/// fast recovery; and [`Self::handle_timeout`] and [`Self::start_loss_window`] at a timeout.
#[derive(Debug)]
pub struct CongestionControl {
    rules: CongestionRules,
    mss: u64,
    window: Window,
    hystart: Option<HyStart>,
    /// Set during fast recovery if the window falls in proportion to the delivered bytes.
    rate: Option<ProportionalRate>,
    /// The window before the timeout, which is restored if the timeout was spurious.
    undo: Option<Window>,
}

/// The state that a timeout changes.
#[derive(Clone, Debug)]
struct Window {
    cwnd: u64,
    ssthresh: u64,
    /// Bytes that were acknowledged since congestion avoidance last added an MSS.
    credit: u64,
    cubic: Cubic,
}

/// A profile's congestion control.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CongestionRules {
    pub initial_window: InitialWindow,
    pub algorithm: Algorithm,
    pub slow_start: SlowStart,
    pub halved: Halved,
    pub reduction: Reduction,
    /// Whether slow start ends when the RTT rises ([`HyStart`]).
    pub hystart: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InitialWindow {
    /// min(4·MSS, max(2·MSS, 4380 B)) (RFC 3390 §1).
    Rfc3390,
    /// This number of segments, which is 10 in RFC 6928 §2.
    Segments(u64),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Algorithm {
    Reno,
    Cubic,
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
    /// The window falls at once (RFC 6675 §5 step 4.2).
    AtOnce,
    /// The window falls in proportion to the delivered bytes (RFC 6937).
    Proportional,
}

/// The information from an acknowledgement outside of fast recovery.
#[derive(Clone, Copy, Debug)]
pub struct Growth {
    pub bytes: u64,
    pub segments: u64,
    /// The RTT of the last acknowledged segment; `None` if it was sent more than once.
    pub rtt: Option<Duration>,
    pub srtt: Duration,
    pub una: u64,
    pub next: u64,
    /// Whether the application, and not the window, limited sending.
    pub app_limited: bool,
}

/// The information from an acknowledgement in fast recovery.
#[derive(Clone, Copy, Debug)]
pub struct RecoveryProgress {
    /// Bytes that this acknowledgement newly reports as delivered.
    pub delivered: u64,
    /// Bytes estimated to be in the network (RFC 6675 §4).
    pub pipe: u64,
    /// Whether SND.UNA advanced and no further loss was detected.
    pub is_clean: bool,
}

impl CongestionControl {
    pub fn new(rules: CongestionRules, mss: u64) -> Self {
        let window =
            Window { cwnd: rules.initial_window.bytes(mss), ssthresh: u64::MAX, credit: 0, cubic: Cubic::default() };
        CongestionControl { rules, mss, window, hystart: rules.hystart.then(HyStart::default), rate: None, undo: None }
    }

    pub fn cwnd(&self) -> u64 {
        self.window.cwnd
    }

    pub fn ssthresh(&self) -> u64 {
        self.window.ssthresh
    }

    pub fn in_slow_start(&self) -> bool {
        self.window.cwnd < self.window.ssthresh
    }

    /// Notes that a segment was sent.
    pub fn handle_sent(&mut self, bytes: u64) {
        if let Some(rate) = &mut self.rate {
            rate.handle_sent(bytes);
        }
    }

    /// Notes that a segment is about to be sent while nothing is in flight. The time since the last acknowledgement was
    /// idle.
    pub fn handle_restart(&mut self, now: SimTime) {
        self.window.cubic.skip_time(now);
    }

    /// Handles an acknowledgement of new data outside of fast recovery.
    pub fn handle_ack(&mut self, now: SimTime, ack: Growth) {
        let in_slow_start = self.in_slow_start();
        let window = &mut self.window;
        if let (Some(hystart), Some(rtt)) = (&mut self.hystart, ack.rtt)
            && in_slow_start
            && hystart.should_leave_slow_start(rtt, ack.una, ack.next, window.cwnd / self.mss)
        {
            window.ssthresh = window.cwnd;
        }
        // RFC 7661 §4.1: if the sender does not use the window, acknowledgements are no evidence of the path's capacity
        if ack.app_limited {
            window.cubic.skip_time(now);
            return;
        }
        let mut acked = ack.bytes;
        if window.cwnd < window.ssthresh {
            let step = match self.rules.slow_start {
                SlowStart::PerAck => acked.min(self.mss),
                SlowStart::PerSegment => ack.segments * self.mss,
            };
            let used = step.min(window.ssthresh - window.cwnd);
            window.cwnd += used;
            // the bytes beyond ssthresh count for congestion avoidance
            acked = step - used;
        }
        if acked > 0 {
            self.avoid_congestion(now, acked, ack.srtt);
        }
    }

    /// Starts fast recovery, because acknowledgements revealed a loss while `flight` bytes were unacknowledged (RFC
    /// 6675 §5 step 4.2).
    pub fn enter_recovery(&mut self, flight: u64) {
        // bytes that limited transmit sent beyond cwnd do not count (RFC 5681 §3.2 step 2)
        let reduced = self.reduce(flight.min(self.window.cwnd));
        match self.rules.reduction {
            Reduction::AtOnce => self.window.cwnd = self.window.ssthresh,
            Reduction::Proportional => self.rate = Some(ProportionalRate::new(reduced)),
        }
        self.undo = None;
    }

    /// Handles an acknowledgement in fast recovery.
    pub fn handle_recovery_ack(&mut self, ack: RecoveryProgress) {
        if let Some(rate) = &mut self.rate {
            let allowed = rate.allowed(ack.pipe, self.window.ssthresh, ack.delivered, ack.is_clean, self.mss);
            self.window.cwnd = (ack.pipe + allowed).max(self.mss);
        }
    }

    /// Ends fast recovery (RFC 6937 §3, RFC 6582 §3.2 step 3).
    pub fn leave_recovery(&mut self) {
        self.window.cwnd = self.window.ssthresh;
        self.rate = None;
    }

    /// Reduces the window for a loss that is already repaired and needs no recovery.
    pub fn handle_repaired_loss(&mut self) {
        self.reduce(self.window.cwnd);
        self.window.cwnd = self.window.ssthresh;
    }

    /// Handles the first timeout of a segment, while `flight` bytes were unacknowledged (RFC 5681 §3.1, equation 4).
    pub fn handle_timeout(&mut self, flight: u64) {
        self.undo = Some(self.window.clone());
        self.reduce(flight);
        self.window.cubic.handle_timeout();
    }

    /// Sets the loss window after a timeout: the window admits one segment on top of the `pipe` bytes that are still in
    /// flight (RFC 5681 §3.1).
    pub fn start_loss_window(&mut self, pipe: u64) {
        self.window.cwnd = pipe + self.mss;
        self.rate = None;
    }

    /// Restores the window from before a spurious timeout (RFC 5682 §3.1 step 3b, RFC 9438 §4.9).
    pub fn undo_timeout(&mut self) {
        if let Some(before) = self.undo.take() {
            let cwnd = before.cwnd.max(self.window.cwnd);
            self.window = Window { cwnd, ..before };
        }
    }

    /// Resets the window because the application sent nothing for more than an RTO (RFC 5681 §4.1).
    pub fn restart_after_idle(&mut self) {
        self.window.cwnd = self.window.cwnd.min(self.rules.initial_window.bytes(self.mss));
        self.window.cubic.handle_idle();
    }

    /// Starts with a window of one segment, because a segment of the handshake was lost (RFC 5681 §3.1).
    pub fn start_with_one_segment(&mut self) {
        self.window.cwnd = self.mss;
    }

    #[cfg(test)]
    pub fn set_cwnd(&mut self, bytes: u64) {
        self.window.cwnd = bytes;
    }

    /// Lowers ssthresh. Returns the value that was multiplied.
    fn reduce(&mut self, flight: u64) -> u64 {
        let window = &mut self.window;
        let base = match self.rules.halved {
            Halved::FlightSize => flight,
            Halved::Cwnd => window.cwnd,
        };
        let reduced = match self.rules.algorithm {
            Algorithm::Reno => base / 2,
            Algorithm::Cubic => window.cubic.reduce(window.cwnd, base, self.mss),
        };
        window.ssthresh = reduced.max(2 * self.mss);
        window.credit = 0;
        base
    }

    /// Grows the window in congestion avoidance: by one MSS in each round trip (RFC 5681 §3.1), or by the cubic
    /// function of time (RFC 9438 §4).
    fn avoid_congestion(&mut self, now: SimTime, acked: u64, srtt: Duration) {
        let window = &mut self.window;
        let bytes_per_mss = match self.rules.algorithm {
            Algorithm::Reno => window.cwnd,
            Algorithm::Cubic => window.cubic.bytes_per_mss(now, window.cwnd, acked, srtt, self.mss),
        };
        window.credit += acked;
        while window.credit >= bytes_per_mss {
            window.credit -= bytes_per_mss;
            window.cwnd += self.mss;
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
#[path = "congestion_test.rs"]
mod tests;
