//! BBR version 1 (Cardwell et al., "BBR: Congestion-Based Congestion Control", ACM Queue 14(5), 2016), with the rules
//! and the integer arithmetic of Linux (net/ipv4/tcp_bbr.c). Bandwidth-delay products and the constants for windows are
//! in segments, but `cwnd`, `ssthresh` and `prior_cwnd` are in bytes. Rates are in segments per microsecond × 2²⁴, but
//! `pacing_rate` is in bytes a second.

mod aggregation;
mod max_filter;
mod policer;

use std::time::Duration;

use self::aggregation::Aggregation;
use self::max_filter::MaxFilter;
use self::policer::{Finding, Policer, Totals};
use super::{Acknowledgement, CongestionControl, Kind, Opening, Phase, RateSample, Restart, packet_segments};
use crate::time::SimTime;

pub const KIND: Kind = Kind { name: "bbr", make: |opening| Box::new(Bbr::new(opening)) };

/// The state of BBR at a sender.
#[derive(Debug)]
pub struct Bbr {
    mss: u64,
    cwnd: u64,
    /// The bandwidth-delay product at the end of startup, plus the segments that [`Bbr::with_budget`] adds. It is only
    /// reported, and has no effect on the window.
    ssthresh: Option<u64>,
    mode: Mode,
    /// The largest delivery rate of the last ten round trips.
    bandwidth: MaxFilter,
    min_rtt: MinRtt,
    rounds: Rounds,
    full: FullPipe,
    cycle: Cycle,
    policer: Policer,
    aggregation: Aggregation,
    recovery: RecoveryState,
    /// Whether sending has restarted after an idle time, and nothing has been delivered since then.
    idle_restart: bool,
    /// Bytes a second.
    pacing_rate: u64,
    pacing_gain: u64,
    cwnd_gain: u64,
    totals: Totals,
    draws: Draws,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    /// Raises the rate quickly, until the pipe is full.
    Startup,
    /// Drains the queue that startup has made.
    Drain,
    /// Cycles through pacing rates above, below and at the measured bandwidth.
    ProbeBandwidth,
    /// Lowers the window for a moment, to measure the RTT without a queue.
    ProbeRtt,
}

#[derive(Debug, Default)]
struct MinRtt {
    rtt: Option<Duration>,
    at: SimTime,
    /// The earliest time at which the probe of the RTT ends; `None` until the flight has become small.
    done_at: Option<SimTime>,
    round_done: bool,
}

#[derive(Debug, Default)]
struct Rounds {
    count: u64,
    /// A round ends when a segment is acknowledged that was sent after this many bytes had been delivered.
    next_delivered: u64,
    /// Whether the current acknowledgement starts a round.
    starts: bool,
}

#[derive(Debug, Default)]
struct FullPipe {
    is_reached: bool,
    bandwidth: u64,
    /// Rounds without a large increase of the bandwidth.
    rounds: u64,
}

#[derive(Debug, Default)]
struct Cycle {
    index: usize,
    started_at: SimTime,
}

#[derive(Debug)]
struct RecoveryState {
    /// The phase at the last acknowledgement.
    phase: Phase,
    /// Whether the sender sends at most as much as is delivered.
    conserves: bool,
    /// The window from before the recovery or the probe of the RTT.
    prior_cwnd: u64,
}

/// Random numbers for the first phase of a cycle (SplitMix64).
#[derive(Debug)]
struct Draws(u64);

const RATE_BITS: u32 = 24;
/// Gains are multiples of 1/256.
const ONE: u64 = 256;
/// 2/ln 2: the smallest gain with which the rate doubles in each round trip.
const HIGH_GAIN: u64 = ONE * 2885 / 1000 + 1;
const DRAIN_GAIN: u64 = ONE * 1000 / 2885;
const CWND_GAIN: u64 = 2 * ONE;
const CYCLE_GAINS: [u64; 8] = [ONE * 5 / 4, ONE * 3 / 4, ONE, ONE, ONE, ONE, ONE, ONE];
const BANDWIDTH_ROUNDS: u64 = CYCLE_GAINS.len() as u64 + 2;
const MIN_RTT_WINDOW: Duration = Duration::from_secs(10);
const PROBE_RTT_TIME: Duration = Duration::from_millis(200);
/// The largest window during a probe of the RTT, in segments. At other times, an acknowledgement that delivers data
/// leaves at least this window, except in the first round trip of fast recovery.
const LEAST_WINDOW: u64 = 4;
/// The bandwidth-delay product that is assumed before the first RTT sample, in segments. Until the pipe is full, the
/// window also grows while fewer segments than this have been delivered.
const INITIAL_WINDOW: u64 = 10;
/// The pipe is full if the bandwidth has not grown by a quarter in three rounds.
const FULL_GROWTH: u64 = ONE * 5 / 4;
const FULL_ROUNDS: u64 = 3;
/// BBR paces one percent below the estimated bandwidth.
const PACING_MARGIN_PERCENT: u64 = 1;
/// At this rate and above, in bytes a second, at least two segments are sent together.
const LEAST_RATE_OF_PAIRS: u64 = 1_200_000 / 8;
/// The most segments that are sent together (`bbr_tso_segs_goal`).
const MOST_IN_PACKET: u64 = 127;
/// The excess of acknowledged segments ([`Aggregation`]) counts at most as much as the path delivers in this time, in
/// microseconds.
const LONGEST_EXCESS_US: u64 = 100_000;

impl Bbr {
    fn new(opening: &Opening) -> Self {
        let Opening { rules, mss, seed } = *opening;
        let mut bbr = Bbr {
            mss,
            cwnd: rules.initial_window.bytes(mss),
            ssthresh: None,
            mode: Mode::Startup,
            bandwidth: MaxFilter::default(),
            min_rtt: MinRtt::default(),
            rounds: Rounds { next_delivered: mss, ..Rounds::default() },
            full: FullPipe::default(),
            cycle: Cycle::default(),
            policer: Policer::default(),
            aggregation: Aggregation::default(),
            recovery: RecoveryState { phase: Phase::Open, conserves: false, prior_cwnd: 0 },
            idle_restart: false,
            pacing_rate: 0,
            pacing_gain: HIGH_GAIN,
            cwnd_gain: HIGH_GAIN,
            totals: Totals::default(),
            draws: Draws(seed),
        };
        bbr.pace_at_first(Duration::from_millis(1));
        bbr
    }

    /// Sets the pacing rate to the window per RTT, times the gain of startup (`bbr_init_pacing_rate_from_rtt`).
    fn pace_at_first(&mut self, rtt: Duration) {
        let us = (rtt.as_micros() as u64).max(1);
        self.pacing_rate = self.bytes_per_second((self.window() << RATE_BITS) / us, HIGH_GAIN);
    }

    fn window(&self) -> u64 {
        self.cwnd / self.mss
    }

    /// The estimated bandwidth (`bbr_bw`).
    fn rate(&self) -> u64 {
        self.policer.rate().unwrap_or_else(|| self.bandwidth.max())
    }

    fn bytes_per_second(&self, rate: u64, gain: u64) -> u64 {
        bytes_per_second(self.mss, rate, gain)
    }

    fn set_pacing_rate(&mut self, rate: u64, gain: u64) {
        let rate = self.bytes_per_second(rate, gain);
        if self.full.is_reached || rate > self.pacing_rate {
            self.pacing_rate = rate;
        }
    }

    /// The bandwidth-delay product with a gain, in segments (`bbr_bdp`).
    fn product(&self, rate: u64, gain: u64) -> u64 {
        let Some(rtt) = self.min_rtt.rtt else { return INITIAL_WINDOW };
        let product = rate * rtt.as_micros() as u64;
        (((product * gain) >> 8) + (1 << RATE_BITS) - 1) >> RATE_BITS
    }

    /// Adds the segments that must be in flight on top of `window` because hosts send and acknowledge several segments
    /// together (`bbr_quantization_budget`).
    fn with_budget(&self, window: u64) -> u64 {
        let even = (window + 3 * self.burst_segments()).next_multiple_of(2);
        let probes_up = self.mode == Mode::ProbeBandwidth && self.cycle.index == 0;
        if probes_up { even + 2 } else { even }
    }

    /// How many segments are to be in flight with this gain (`bbr_inflight`).
    fn aim(&self, gain: u64) -> u64 {
        self.with_budget(self.product(self.bandwidth.max(), gain))
    }

    /// How many segments are in the network when the next segment is sent (`bbr_packets_in_net_at_edt`).
    fn at_next_sending(&self, ack: &Acknowledgement, in_flight: u64) -> u64 {
        let wait = ack.next_send_at.saturating_since(ack.now);
        let delivered = delivered_in(self.rate(), wait.as_micros() as u64);
        let probing = if self.pacing_gain > ONE { self.burst_segments() } else { 0 };
        (in_flight + probing).saturating_sub(delivered)
    }

    fn update_bandwidth(&mut self, ack: &Acknowledgement, sample: &RateSample) {
        self.rounds.starts = false;
        let Some(interval) = sample.interval else { return };
        if sample.prior_delivered >= self.rounds.next_delivered {
            self.rounds.next_delivered = ack.all_delivered;
            self.rounds.count += 1;
            self.rounds.starts = true;
            self.recovery.conserves = false;
        }
        self.sample_policer(ack.lost > 0, sample.app_limited);
        let us = (interval.as_micros() as u64).max(1);
        let rate = (sample.delivered << RATE_BITS) / self.mss / us;
        // a sample that the application limits counts only if it is not below the estimate
        if !sample.app_limited || rate >= self.bandwidth.max() {
            self.bandwidth.add(BANDWIDTH_ROUNDS, self.rounds.count, rate);
        }
    }

    fn sample_policer(&mut self, has_losses: bool, app_limited: bool) {
        let sample = policer::Sample {
            totals: self.totals,
            has_losses,
            app_limited,
            round_start: self.rounds.starts,
            in_probe_bandwidth: self.mode == Mode::ProbeBandwidth,
        };
        let mss = self.mss;
        match self.policer.handle_ack(&sample, |rate| bytes_per_second(mss, rate, ONE)) {
            Finding::Nothing => {}
            Finding::Limited => self.pacing_gain = ONE,
            Finding::Expired => self.start_cycle(),
        }
    }

    fn update_aggregation(&mut self, ack: &Acknowledgement, sample: &RateSample) {
        if ack.delivered == 0 || sample.interval.is_none() {
            return;
        }
        let (rate, window) = (self.rate(), self.window());
        let expected = |us: u64| delivered_in(rate, us);
        self.aggregation.handle_ack(ack.now, ack.delivered / self.mss, window, self.rounds.starts, expected);
    }

    /// Goes on to the next phase of the cycle when the current phase has done its work (`bbr_is_next_cycle_phase`).
    fn update_cycle(&mut self, ack: &Acknowledgement) {
        if self.mode != Mode::ProbeBandwidth {
            return;
        }
        let lasted = ack.now.saturating_since(self.cycle.started_at);
        let is_full_length = self.min_rtt.rtt.is_some_and(|rtt| lasted > rtt);
        let in_flight = self.at_next_sending(ack, ack.prior_in_flight / self.mss);
        let is_over = if self.pacing_gain > ONE {
            is_full_length && (ack.lost > 0 || in_flight >= self.aim(self.pacing_gain))
        } else if self.pacing_gain < ONE {
            is_full_length || in_flight <= self.aim(ONE)
        } else {
            is_full_length
        };
        if is_over {
            self.advance_cycle();
        }
    }

    fn advance_cycle(&mut self) {
        self.cycle = Cycle { index: (self.cycle.index + 1) % CYCLE_GAINS.len(), started_at: self.totals.at };
    }

    /// Starts the cycle at a random phase, but not at the phase that drains the queue (`bbr_reset_probe_bw_mode`).
    fn start_cycle(&mut self) {
        self.mode = Mode::ProbeBandwidth;
        self.cycle.index = CYCLE_GAINS.len() - 1 - self.draws.below(7);
        self.advance_cycle();
    }

    fn check_full(&mut self, sample: &RateSample) {
        if self.full.is_reached || !self.rounds.starts || sample.app_limited {
            return;
        }
        if self.bandwidth.max() >= (self.full.bandwidth * FULL_GROWTH) >> 8 {
            self.full = FullPipe { is_reached: false, bandwidth: self.bandwidth.max(), rounds: 0 };
            return;
        }
        self.full.rounds += 1;
        self.full.is_reached = self.full.rounds >= FULL_ROUNDS;
    }

    fn check_drain(&mut self, ack: &Acknowledgement) {
        if self.mode == Mode::Startup && self.full.is_reached {
            self.mode = Mode::Drain;
            self.ssthresh = Some(self.aim(ONE) * self.mss);
        }
        if self.mode == Mode::Drain && self.at_next_sending(ack, ack.pipe / self.mss) <= self.aim(ONE) {
            self.start_cycle();
        }
    }

    /// Keeps the smallest RTT of the last ten seconds. If no smaller RTT was measured for ten seconds, BBR probes for a
    /// new smallest RTT (`bbr_update_min_rtt`).
    fn update_min_rtt(&mut self, ack: &Acknowledgement, sample: Option<&RateSample>) {
        let has_expired = ack.now.saturating_since(self.min_rtt.at) > MIN_RTT_WINDOW;
        if let Some(rtt) = ack.rtt
            && (self.min_rtt.rtt.is_none_or(|min| rtt < min) || (has_expired && !ack.is_delayed))
        {
            (self.min_rtt.rtt, self.min_rtt.at) = (Some(rtt), ack.now);
        }
        if has_expired && !self.idle_restart && self.mode != Mode::ProbeRtt {
            self.mode = Mode::ProbeRtt;
            self.save_window();
            self.min_rtt.done_at = None;
        }
        if self.mode == Mode::ProbeRtt {
            self.probe_rtt(ack);
        }
        if sample.is_some_and(|sample| sample.delivered > 0) {
            self.idle_restart = false;
        }
    }

    fn probe_rtt(&mut self, ack: &Acknowledgement) {
        match self.min_rtt.done_at {
            None if ack.pipe <= LEAST_WINDOW * self.mss => {
                self.min_rtt.done_at = Some(ack.now + PROBE_RTT_TIME);
                self.min_rtt.round_done = false;
                self.rounds.next_delivered = ack.all_delivered;
            }
            None => {}
            Some(_) => {
                self.min_rtt.round_done |= self.rounds.starts;
                if self.min_rtt.round_done {
                    self.end_probe_rtt(ack.now);
                }
            }
        }
    }

    fn end_probe_rtt(&mut self, now: SimTime) {
        if self.min_rtt.done_at.is_none_or(|done_at| now <= done_at) {
            return;
        }
        self.min_rtt.at = now;
        self.cwnd = self.cwnd.max(self.recovery.prior_cwnd);
        if self.full.is_reached { self.start_cycle() } else { self.mode = Mode::Startup }
    }

    fn update_gains(&mut self) {
        (self.pacing_gain, self.cwnd_gain) = match self.mode {
            Mode::Startup => (HIGH_GAIN, HIGH_GAIN),
            Mode::Drain => (DRAIN_GAIN, HIGH_GAIN),
            Mode::ProbeBandwidth if self.policer.rate().is_some() => (ONE, CWND_GAIN),
            Mode::ProbeBandwidth => (CYCLE_GAINS[self.cycle.index], CWND_GAIN),
            Mode::ProbeRtt => (ONE, ONE),
        };
    }

    /// Remembers the window before a recovery, a timeout or a probe of the RTT lowers it (`bbr_save_cwnd`).
    fn save_window(&mut self) {
        let is_good = self.recovery.phase == Phase::Open && self.mode != Mode::ProbeRtt;
        let prior = if is_good { 0 } else { self.recovery.prior_cwnd };
        self.recovery.prior_cwnd = prior.max(self.cwnd);
    }

    /// Returns the window after losses, and whether no more may be sent than is delivered
    /// (`bbr_set_cwnd_to_recover_or_restore`).
    fn recovering_window(&mut self, ack: &Acknowledgement) -> (u64, bool) {
        let (before, now) = (self.recovery.phase, ack.phase);
        let delivered_in_place = ack.pipe + ack.delivered;
        let mut cwnd = self.cwnd.saturating_sub(ack.lost).max(self.mss);
        if now == Phase::FastRecovery && before != Phase::FastRecovery {
            self.recovery.conserves = true;
            self.rounds.next_delivered = ack.all_delivered;
            cwnd = delivered_in_place;
        } else if before != Phase::Open && now == Phase::Open {
            cwnd = cwnd.max(self.recovery.prior_cwnd);
            self.recovery.conserves = false;
        }
        self.recovery.phase = now;
        if self.recovery.conserves { (cwnd.max(delivered_in_place), true) } else { (cwnd, false) }
    }

    fn set_window(&mut self, ack: &Acknowledgement) {
        if ack.delivered > 0 {
            let (cwnd, conserves) = self.recovering_window(ack);
            self.cwnd = if conserves { cwnd } else { self.toward_target(cwnd, ack) };
        }
        if self.mode == Mode::ProbeRtt {
            self.cwnd = self.cwnd.min(LEAST_WINDOW * self.mss);
        }
    }

    fn toward_target(&self, cwnd: u64, ack: &Acknowledgement) -> u64 {
        let excess = if self.full.is_reached {
            self.aggregation.excess().min(delivered_in(self.rate(), LONGEST_EXCESS_US))
        } else {
            0
        };
        let target = self.with_budget(self.product(self.rate(), self.cwnd_gain) + excess) * self.mss;
        let grown = if self.full.is_reached {
            (cwnd + ack.delivered).min(target)
        } else if cwnd < target || ack.all_delivered < INITIAL_WINDOW * self.mss {
            cwnd + ack.delivered
        } else {
            cwnd
        };
        grown.max(LEAST_WINDOW * self.mss)
    }
}

impl CongestionControl for Bbr {
    fn cwnd(&self) -> u64 {
        self.cwnd
    }

    fn ssthresh(&self) -> u64 {
        self.ssthresh.unwrap_or(u64::MAX)
    }

    fn in_slow_start(&self) -> bool {
        self.mode == Mode::Startup
    }

    fn pacing_rate(&self) -> Option<u64> {
        Some(self.pacing_rate)
    }

    /// How many segments the pacing rate sends in about a millisecond: at least one, and at least two from
    /// `LEAST_RATE_OF_PAIRS` on (`bbr_tso_segs_goal`, `bbr_min_tso_segs`).
    fn burst_segments(&self) -> u64 {
        let least = if self.pacing_rate < LEAST_RATE_OF_PAIRS { 1 } else { 2 };
        packet_segments(self.pacing_rate, self.mss, least).min(MOST_IN_PACKET)
    }

    fn handle_established(&mut self, now: SimTime, rtt: Option<Duration>) {
        self.min_rtt = MinRtt { rtt, at: now, ..MinRtt::default() };
        self.aggregation.restart(now);
        self.totals.at = now;
        if let Some(rtt) = rtt {
            self.pace_at_first(rtt);
        }
    }

    fn handle_restart(&mut self, restart: &Restart) {
        let Restart { now, app_limited, .. } = *restart;
        if !app_limited {
            return;
        }
        self.idle_restart = true;
        self.aggregation.restart(now);
        match self.mode {
            Mode::ProbeBandwidth => self.set_pacing_rate(self.rate(), ONE),
            Mode::ProbeRtt => self.end_probe_rtt(now),
            Mode::Startup | Mode::Drain => {}
        }
    }

    fn handle_ack(&mut self, ack: &Acknowledgement) {
        self.totals.lost += ack.lost / self.mss;
        if ack.by_timer {
            return;
        }
        if ack.delivered > 0 {
            self.totals.at = ack.now;
        }
        self.totals.delivered += ack.delivered / self.mss;
        let sample = ack.sample.as_ref();
        if let Some(sample) = sample {
            self.update_bandwidth(ack, sample);
            self.update_aggregation(ack, sample);
        } else {
            self.rounds.starts = false;
        }
        self.update_cycle(ack);
        if let Some(sample) = sample {
            self.check_full(sample);
        }
        self.check_drain(ack);
        self.update_min_rtt(ack, sample);
        self.update_gains();
        self.set_pacing_rate(self.rate(), self.pacing_gain);
        self.set_window(ack);
    }

    fn probes_rtt(&self) -> bool {
        self.mode == Mode::ProbeRtt
    }

    fn enter_recovery(&mut self, _flight: u64) {
        self.save_window();
    }

    fn handle_timeout(&mut self, _flight: u64) {
        self.save_window();
    }

    fn start_loss_window(&mut self, pipe: u64) {
        self.cwnd = pipe + self.mss;
        self.recovery.phase = Phase::Loss;
        self.full.bandwidth = 0;
        // a timeout counts as the end of a round
        self.rounds.starts = true;
        self.sample_policer(true, false);
    }

    fn undo_timeout(&mut self) {
        (self.full.bandwidth, self.full.rounds) = (0, 0);
        self.policer.reset(self.totals);
    }

    fn start_with_one_segment(&mut self) {
        self.cwnd = self.mss;
    }

    #[cfg(test)]
    fn set_cwnd(&mut self, bytes: u64) {
        self.cwnd = bytes;
    }
}

/// How many segments are delivered in `us` microseconds at `rate`.
fn delivered_in(rate: u64, us: u64) -> u64 {
    ((u128::from(rate) * u128::from(us)) >> RATE_BITS) as u64
}

/// Multiplies a rate by a gain, subtracts the pacing margin and converts the result to bytes a second
/// (`bbr_rate_bytes_per_sec`).
fn bytes_per_second(mss: u64, rate: u64, gain: u64) -> u64 {
    let scaled = (rate * mss * gain) >> 8;
    let scaled = u128::from(scaled) * u128::from(1_000_000 / 100 * (100 - PACING_MARGIN_PERCENT));
    u64::try_from(scaled >> RATE_BITS).unwrap_or(u64::MAX)
}

impl Draws {
    /// Returns a number below `limit`.
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((((mixed ^ (mixed >> 31)) >> 32) * limit as u64) >> 32) as usize
    }
}

#[cfg(test)]
#[path = "bbr_test.rs"]
mod tests;
