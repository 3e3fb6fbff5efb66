use std::time::Duration;

use super::cubic::Cubic;
use super::hystart::HyStart;
use crate::sim::SimTime;

/// cwnd and ssthresh: how they grow and what a loss does to them (RFC 5681, RFC 9438). Bytes.
#[derive(Debug)]
pub struct CongestionControl {
    rules: CongestionRules,
    mss: u64,
    cwnd: u64,
    ssthresh: u64,
    /// Bytes acknowledged towards the next MSS of congestion avoidance.
    credit: u64,
    cubic: Cubic,
    hystart: Option<HyStart>,
    /// The most that was in flight in this round and the one before.
    flight_max: u64,
    flight_max_before: u64,
    round_end: u64,
}

/// A profile's congestion control.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CongestionRules {
    pub initial_window: InitialWindow,
    pub algorithm: Algorithm,
    pub slow_start: SlowStart,
    pub halved: Halved,
    /// Leave slow start when the RTT rises.
    pub hystart: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InitialWindow {
    /// min(4·MSS, max(2·MSS, 4380 B)) (RFC 3390 §1).
    Rfc3390,
    /// This many segments; 10 in RFC 6928 §2.
    Segments(u64),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Algorithm {
    Reno,
    Cubic,
}

/// By how much an acknowledgement widens cwnd in slow start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SlowStart {
    /// At most one MSS an acknowledgement (RFC 5681 §3.1).
    PerAck,
    /// One MSS for each segment acknowledged, as Linux does (RFC 3465 §2.1 without its limit L).
    PerSegment,
}

/// What a loss multiplies to get ssthresh.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Halved {
    /// RFC 5681 §3.1, equation 4.
    FlightSize,
    /// As Linux does.
    Cwnd,
}

impl CongestionControl {
    pub fn new(rules: CongestionRules, mss: u64) -> Self {
        let cwnd = match rules.initial_window {
            InitialWindow::Rfc3390 => (4 * mss).min((2 * mss).max(4380)),
            InitialWindow::Segments(segments) => segments * mss,
        };
        CongestionControl {
            rules,
            mss,
            cwnd,
            ssthresh: u64::MAX,
            credit: 0,
            cubic: Cubic::default(),
            hystart: rules.hystart.then(HyStart::default),
            flight_max: 0,
            flight_max_before: 0,
            round_end: 0,
        }
    }

    pub fn cwnd(&self) -> u64 {
        self.cwnd
    }

    pub fn ssthresh(&self) -> u64 {
        self.ssthresh
    }

    pub fn in_slow_start(&self) -> bool {
        self.cwnd < self.ssthresh
    }

    /// A segment went out: with it `segments` are in flight and SND.NXT is `next`.
    pub fn handle_sent(&mut self, segments: u64, una: u64, next: u64) {
        if una >= self.round_end {
            self.flight_max_before = self.flight_max;
            self.flight_max = 0;
            self.round_end = next;
        }
        // a short segment counts whole, so that a page's last one does not make the window look unused
        self.flight_max = self.flight_max.max(segments * self.mss);
    }

    /// New data was acknowledged outside fast recovery.
    pub fn handle_ack(&mut self, now: SimTime, ack: Growth) {
        if let (Some(hystart), Some(rtt)) = (&mut self.hystart, ack.rtt)
            && self.cwnd < self.ssthresh
            && hystart.should_leave_slow_start(rtt, ack.una, ack.next, self.cwnd / self.mss)
        {
            self.ssthresh = self.cwnd;
        }
        // a window that the sender does not use says nothing of the path (RFC 7661 §4.1)
        if 2 * self.flight_max.max(self.flight_max_before) < self.cwnd {
            return;
        }
        let mut acked = ack.bytes;
        if self.in_slow_start() {
            let step = match self.rules.slow_start {
                SlowStart::PerAck => acked.min(self.mss),
                SlowStart::PerSegment => ack.segments * self.mss,
            };
            let used = step.min(self.ssthresh - self.cwnd);
            self.cwnd += used;
            // what is left beyond ssthresh counts for congestion avoidance
            acked = step - used;
        }
        if acked > 0 {
            self.avoid_congestion(now, acked, ack.srtt);
        }
    }

    /// A loss was detected by acknowledgements: ssthresh falls; cwnd is the caller's ([`Self::set_cwnd`]).
    pub fn handle_loss(&mut self, flight: u64) {
        self.ssthresh = self.reduced(flight);
        self.credit = 0;
    }

    /// The first retransmission timeout of a segment (RFC 5681 §3.1, equation 4).
    pub fn handle_timeout(&mut self, flight: u64) {
        self.handle_loss(flight);
        self.cubic.handle_timeout();
    }

    /// Sets cwnd; at least one segment.
    pub fn set_cwnd(&mut self, bytes: u64) {
        self.cwnd = bytes.max(self.mss);
    }

    /// Takes a timeout back (RFC 5682 §3.1 step 3b).
    pub fn restore(&mut self, cwnd: u64, ssthresh: u64) {
        self.cwnd = cwnd.max(self.cwnd);
        self.ssthresh = ssthresh;
    }

    /// The application was silent for more than an RTO (RFC 5681 §4.1).
    pub fn restart_after_idle(&mut self) {
        let initial = CongestionControl::new(self.rules, self.mss).cwnd;
        self.cwnd = self.cwnd.min(initial);
        self.cubic.handle_idle();
    }

    /// The handshake's segment was lost: start with one segment (RFC 5681 §3.1).
    pub fn start_with_one_segment(&mut self) {
        self.cwnd = self.mss;
    }

    fn reduced(&mut self, flight: u64) -> u64 {
        let base = match self.rules.halved {
            Halved::FlightSize => flight,
            Halved::Cwnd => self.cwnd,
        };
        let reduced = match self.rules.algorithm {
            Algorithm::Reno => base / 2,
            Algorithm::Cubic => self.cubic.reduce(self.cwnd, base, self.mss),
        };
        reduced.max(2 * self.mss)
    }

    /// RFC 5681 §3.1: one MSS a round trip; RFC 9438 §4: the cubic function of time.
    fn avoid_congestion(&mut self, now: SimTime, acked: u64, srtt: Duration) {
        let bytes_per_mss = match self.rules.algorithm {
            Algorithm::Reno => self.cwnd,
            Algorithm::Cubic => self.cubic.bytes_per_mss(now, self.cwnd, acked, srtt, self.mss),
        };
        self.credit += acked;
        while self.credit >= bytes_per_mss {
            self.credit -= bytes_per_mss;
            self.cwnd += self.mss;
        }
    }
}

/// What an acknowledgement tells congestion control.
#[derive(Clone, Copy, Debug)]
pub struct Growth {
    pub bytes: u64,
    pub segments: u64,
    /// Of the last segment acknowledged, if it was sent once.
    pub rtt: Option<Duration>,
    pub srtt: Duration,
    pub una: u64,
    pub next: u64,
}

#[cfg(test)]
mod tests {
    use super::*;

    const MSS: u64 = 1000;

    fn rules() -> CongestionRules {
        CongestionRules {
            initial_window: InitialWindow::Segments(4),
            algorithm: Algorithm::Reno,
            slow_start: SlowStart::PerAck,
            halved: Halved::FlightSize,
            hystart: false,
        }
    }

    fn ack(bytes: u64) -> Growth {
        Growth { bytes, segments: bytes.div_ceil(MSS), rtt: None, srtt: Duration::from_millis(100), una: 0, next: 0 }
    }

    /// A window that was full.
    fn full(rules: CongestionRules) -> CongestionControl {
        let mut congestion = CongestionControl::new(rules, MSS);
        congestion.handle_sent(congestion.cwnd() / MSS, 0, 1);
        congestion
    }

    // RFC 3390 §1, equation 1
    #[test]
    fn the_initial_window_depends_on_the_segment_size() {
        let rules = CongestionRules { initial_window: InitialWindow::Rfc3390, ..rules() };
        for (mss, cwnd) in [(536, 4 * 536), (1460, 4380), (2200, 2 * 2200)] {
            assert_eq!(CongestionControl::new(rules, mss).cwnd(), cwnd);
        }
    }

    // RFC 5681 §3.1, equation 2
    #[test]
    fn slow_start_adds_a_segment_for_each_acknowledgement() {
        let mut congestion = full(rules());
        congestion.handle_ack(SimTime::ZERO, ack(2 * MSS));
        congestion.handle_ack(SimTime::ZERO, ack(100));
        assert_eq!(congestion.cwnd(), 5 * MSS + 100);
    }

    // RFC 3465 §2.1
    #[test]
    fn counting_segments_adds_one_for_each_that_was_acknowledged() {
        let mut congestion = full(CongestionRules { slow_start: SlowStart::PerSegment, ..rules() });
        congestion.handle_ack(SimTime::ZERO, Growth { segments: 3, ..ack(2 * MSS + 100) });
        assert_eq!(congestion.cwnd(), 7 * MSS);
    }

    // RFC 5681 §3.1, equations 3 and 4
    #[test]
    fn congestion_avoidance_adds_a_segment_for_each_window() {
        let mut congestion = full(rules());
        congestion.handle_loss(8 * MSS);
        congestion.set_cwnd(4 * MSS);
        assert_eq!(congestion.ssthresh(), 4 * MSS);
        for _ in 0..3 {
            congestion.handle_ack(SimTime::ZERO, ack(MSS));
        }
        assert_eq!(congestion.cwnd(), 4 * MSS);
        congestion.handle_ack(SimTime::ZERO, ack(MSS));
        assert_eq!(congestion.cwnd(), 5 * MSS);
    }

    // RFC 5681 §3.1, equation 4
    #[test]
    fn ssthresh_is_at_least_two_segments() {
        let mut congestion = full(rules());
        congestion.handle_loss(MSS);
        assert_eq!(congestion.ssthresh(), 2 * MSS);
    }

    // RFC 7661 §4.1
    #[test]
    fn an_unused_window_does_not_grow() {
        let mut congestion = CongestionControl::new(rules(), MSS);
        congestion.handle_sent(1, 0, 1);
        congestion.handle_ack(SimTime::ZERO, ack(MSS));
        assert_eq!(congestion.cwnd(), 4 * MSS);
    }

    // RFC 5681 §4.1
    #[test]
    fn idleness_takes_the_window_back_to_the_initial_one() {
        let mut congestion = full(rules());
        congestion.handle_ack(SimTime::ZERO, ack(MSS));
        congestion.restart_after_idle();
        assert_eq!(congestion.cwnd(), 4 * MSS);
    }

    // RFC 9438 §4.6: β = 0.7
    #[test]
    fn cubic_keeps_seven_tenths() {
        let mut congestion = full(CongestionRules { algorithm: Algorithm::Cubic, ..rules() });
        congestion.set_cwnd(100 * MSS);
        congestion.handle_loss(100 * MSS);
        assert_eq!(congestion.ssthresh(), 70 * MSS);
    }
}
