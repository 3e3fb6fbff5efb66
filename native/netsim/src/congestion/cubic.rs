use std::time::Duration;

use super::hystart::{HyStart, HyStartSample};
use super::{Avoidance, CongestionRules, Growth, Kind, LossBased, RttSample};
use crate::time::SimTime;

/// CUBIC (RFC 9438) with the arithmetic of Linux.
pub const KIND: Kind =
    Kind { name: "cubic", make: |opening| Box::new(LossBased::new(opening, Cubic::new(&opening.rules))) };

/// CUBIC between losses. Windows are in segments, as in the RFC. All numbers are integers, as in Linux
/// (net/ipv4/tcp_cubic.c), so every platform computes the same window.
///
/// In these points Linux departs from RFC 9438, and so does this code:
/// - The RTT in the target W_cubic(t + RTT) is the smallest RTT, not the smoothed RTT (§4.2).
/// - W_est always grows with α (§4.3). It does not grow faster once it has reached cwnd_prior.
/// - A timeout discards W_max and the smallest RTT (§4.8). If the timeout was spurious, they are not restored (§4.9).
/// - While W_max is unknown, the window grows by at least a twentieth in each round trip, because the cubic function is
///   slow at first.
#[derive(Debug)]
pub struct Cubic {
    /// How many segments must be acknowledged for the window to grow by one segment.
    count: u64,
    /// W_max, the window to which the cubic function returns. It is 0 while it is unknown: before the first reduction,
    /// and after a timeout.
    window_max: u64,
    /// The window for which `count` was last computed.
    computed_for: u64,
    /// When `count` was last computed.
    computed_at: SimTime,
    /// The current epoch of congestion avoidance.
    epoch: Option<Epoch>,
    /// The smallest RTT.
    delay_min: Option<Duration>,
    hystart: Option<HyStart>,
    /// Whether the sender paces.
    paced: bool,
}

#[derive(Clone, Copy, Debug)]
struct Epoch {
    start: SimTime,
    /// K: the time at which W_cubic reaches W_max, in 1/1024 s.
    k: u64,
    /// The value of W_cubic at K.
    origin: u64,
    /// W_est: the window that Reno would have.
    reno: u64,
    /// Acknowledged bytes that have not made W_est grow yet.
    acked: u64,
}

/// β of RFC 9438 §4.6, which is 0.7: 717/1024 (`beta`).
const BETA: u64 = 717;
const BETA_SCALE: u64 = 1024;
/// C of RFC 9438 §4.1, which is 0.4: 410/1024 (`cube_rtt_scale`).
const C: u64 = 410;
/// W_est grows by one segment for each 15/8 windows that are acknowledged (`beta_scale`). The inverse, 8/15, is nearly
/// α of RFC 9438 §4.3, which is 9/17.
const EIGHTHS_OF_WINDOW: u64 = 15;
/// The most segments that must be acknowledged for the window to grow by one, as long as W_max is unknown.
const UNKNOWN_PATH_COUNT: u64 = 20;
/// The window grows by at most half of the acknowledged segments (RFC 9438 §4.2: the target is at most 1.5 windows).
const LEAST_COUNT: u64 = 2;
/// `count` is not computed again within this time, if the window is the same.
const COMPUTED_FOR: Duration = Duration::from_millis(31);
/// RTTs within this time after the start of an epoch do not count, because fast recovery has just ended.
const NO_SAMPLES: Duration = Duration::from_secs(1);

impl Cubic {
    fn new(rules: &CongestionRules) -> Self {
        Cubic {
            count: 0,
            window_max: 0,
            computed_for: 0,
            computed_at: SimTime::ZERO,
            epoch: None,
            delay_min: None,
            hystart: rules.hystart.then(HyStart::default),
            paced: rules.paced,
        }
    }

    /// Computes `count` for a window in segments, after `acked` bytes were acknowledged (`bictcp_update`).
    fn update(&mut self, now: SimTime, window: u64, acked: u64, mss: u64) {
        if let Some(epoch) = &mut self.epoch {
            epoch.acked += acked;
        }
        if self.computed_for == window && now.saturating_since(self.computed_at) <= COMPUTED_FOR {
            return;
        }
        let in_this_ms = self.epoch.is_some() && millis(now) == millis(self.computed_at);
        let window_max = self.window_max;
        let epoch = self.epoch.get_or_insert_with(|| Epoch::new(now, window, window_max, acked));
        if !in_this_ms {
            (self.computed_for, self.computed_at) = (window, now);
            let ahead = now.saturating_since(epoch.start) + self.delay_min.unwrap_or_default();
            let target = epoch.window_at(ahead);
            self.count = if target > window { window / (target - window) } else { 100 * window };
            if window_max == 0 {
                self.count = self.count.min(UNKNOWN_PATH_COUNT);
            }
        }
        let step = (window * EIGHTHS_OF_WINDOW / 8).max(1) * mss;
        let steps = epoch.acked.saturating_sub(1) / step;
        (epoch.reno, epoch.acked) = (epoch.reno + steps, epoch.acked - steps * step);
        if epoch.reno > window {
            self.count = self.count.min(window / (epoch.reno - window));
        }
        self.count = self.count.max(LEAST_COUNT);
    }
}

impl Avoidance for Cubic {
    fn bytes_per_mss(&mut self, growth: &Growth) -> u64 {
        let Growth { now, cwnd, acked, mss } = *growth;
        self.update(now, cwnd / mss, acked, mss);
        self.count * mss
    }

    /// The multiplicative decrease (RFC 9438 §4.6) with fast convergence (§4.7).
    fn reduced(&mut self, cwnd: u64, base: u64, mss: u64) -> u64 {
        let window = cwnd / mss;
        let converges = window < self.window_max;
        self.window_max = if converges { window * (BETA_SCALE + BETA) / (2 * BETA_SCALE) } else { window };
        self.epoch = None;
        base * BETA / BETA_SCALE
    }

    /// Makes the cubic function return to `cwnd`, the window before ECN marks reduce it. W_max is not lowered by fast
    /// convergence (§4.7), because marks arrive every few round trips.
    fn handle_scaled(&mut self, cwnd: u64, mss: u64) {
        (self.window_max, self.epoch) = (cwnd / mss, None);
    }

    fn ends_slow_start(&mut self, sample: &RttSample) -> bool {
        let RttSample { now, rtt, .. } = *sample;
        if self.epoch.is_some_and(|epoch| now.saturating_since(epoch.start) < NO_SAMPLES) {
            return false;
        }
        let min = self.delay_min.map_or(rtt, |min| min.min(rtt));
        self.delay_min = Some(min);
        match &mut self.hystart {
            Some(hystart) if sample.in_slow_start => {
                let RttSample { una, next, cwnd_segments, .. } = *sample;
                hystart.ends_slow_start(&HyStartSample { now, rtt, min, una, next, cwnd_segments, paced: self.paced })
            }
            _ => false,
        }
    }

    fn handle_timeout(&mut self) {
        (self.window_max, self.computed_for, self.epoch, self.delay_min) = (0, 0, None, None);
        if let Some(hystart) = &mut self.hystart {
            *hystart = HyStart::default();
        }
    }

    fn handle_idle(&mut self, now: SimTime, idle: Duration) {
        if let Some(epoch) = &mut self.epoch {
            epoch.start = (epoch.start + idle).min(now);
        }
    }
}

impl Epoch {
    fn new(start: SimTime, window: u64, window_max: u64, acked: u64) -> Self {
        let (k, origin) = if window < window_max {
            // §4.2, equation 2, in 1/1024 s
            (cube_root((1 << 40) / C * (window_max - window)), window_max)
        } else {
            (0, window)
        };
        Epoch { start, k, origin, reno: window, acked }
    }

    /// W_cubic(t), §4.2, equation 1.
    fn window_at(&self, elapsed: Duration) -> u64 {
        // the limit of `apart` keeps the product within 64 bits; it corresponds to more than 400 million segments
        let time = u64::try_from(elapsed.as_millis() * 1024 / 1000).unwrap_or(u64::MAX);
        let apart = time.abs_diff(self.k).min(1 << 20);
        let delta = (C * apart * apart / 1024 * apart) >> 30;
        if time < self.k { self.origin.saturating_sub(delta) } else { self.origin + delta }
    }
}

fn millis(at: SimTime) -> u64 {
    at.as_ns() / 1_000_000
}

/// The cube root, rounded down.
fn cube_root(x: u64) -> u64 {
    let (mut low, mut high) = (0u64, 1 << 21);
    while high - low > 1 {
        let middle = low.midpoint(high);
        if middle * middle * middle <= x { low = middle } else { high = middle }
    }
    low
}

#[cfg(test)]
mod tests {
    use super::*;

    const MSS: u64 = 1000;

    fn cubic() -> Cubic {
        Cubic::new(&CongestionRules::RFC_5681)
    }

    #[test]
    fn the_cube_root_is_rounded_down() {
        for root in [1, 2, 3, 1000, 1 << 20] {
            let cube = root * root * root;
            assert_eq!((cube_root(cube), cube_root(cube + 1)), (root, root));
            assert_eq!(cube_root(cube - 1), root - 1);
        }
    }

    // RFC 9438 §4.2: W_cubic(0) = β·W_max and W_cubic(K) = W_max
    #[test]
    fn the_cubic_window_starts_at_seven_tenths_of_w_max_and_reaches_w_max_at_k() {
        let epoch = Epoch::new(SimTime::ZERO, 700, 1000, 0);
        // K is the cube root of 300 / 0.4, about 9.09 s
        assert!(epoch.k.abs_diff((300.0f64 / 0.4).cbrt().mul_add(1024.0, 0.0) as u64) <= 5, "{}", epoch.k);
        assert!(epoch.window_at(Duration::ZERO).abs_diff(700) <= 1);
        let at_k = Duration::from_millis(epoch.k * 1000 / 1024);
        assert_eq!(epoch.window_at(at_k), 1000);
        // W_cubic(K + 10 s) = W_max + 0.4 · 1000
        assert_eq!(epoch.window_at(at_k + Duration::from_secs(10)), 1400);
    }

    // RFC 9438 §4.7
    #[test]
    fn fast_convergence_lowers_w_max_after_a_loss_below_the_last_w_max() {
        let mut cubic = cubic();
        let mut reduced = |window: u64| (cubic.reduced(window * MSS, window * MSS, MSS), cubic.window_max);
        assert_eq!(reduced(100), (70_019, 100));
        assert_eq!(reduced(80), (56_015, 68), "80 · 0.85");
        assert_eq!(reduced(68), (47_613, 68), "the window was not below W_max");
    }

    /// Returns after how many acknowledged segments the window grows by one.
    fn count(cubic: &mut Cubic, ms: u64, window: u64) -> u64 {
        cubic.update(SimTime::from_ms(ms), window, 0, MSS);
        cubic.count
    }

    // RFC 9438 §4.2. In Linux the target is W_cubic one smallest RTT later.
    #[test]
    fn the_target_is_the_cubic_window_one_smallest_rtt_later() {
        let mut cubic = Cubic { window_max: 1000, delay_min: Some(Duration::from_millis(2000)), ..cubic() };
        // W_cubic(0 + 2) = 1000 + 0.4 · 8
        assert_eq!(count(&mut cubic, 0, 1000), 1000 / 3);
        assert_eq!(count(&mut cubic, 3000, 1000), 1000 / 50, "W_cubic(3 + 2) = 1000 + 0.4 · 125");
    }

    // RFC 9438 §4.2: the target is at least the window, even if W_cubic is smaller, and at most 1.5 times the window
    #[test]
    fn the_window_grows_by_half_of_what_is_acknowledged_at_most() {
        let mut cubic = Cubic { window_max: 10, ..cubic() };
        assert_eq!(count(&mut cubic, 0, 10), 100 * 10, "the target is the window");
        assert_eq!(count(&mut cubic, 20_000, 10), 2);
        // this window is larger than W_cubic
        assert_eq!(count(&mut cubic, 20_100, 100_000), 100 * 100_000);
    }

    // Linux (bictcp_update)
    #[test]
    fn the_window_grows_by_a_twentieth_at_least_while_the_capacity_of_the_path_is_unknown() {
        let mut cubic = cubic();
        assert_eq!(count(&mut cubic, 0, 100), 20);
        assert_eq!(count(&mut cubic, 5000, 100), 2, "W_cubic(5) = 150 asks for more");
        cubic.reduced(100 * MSS, 100 * MSS, MSS);
        assert!(count(&mut cubic, 6000, 70) > 20);
        cubic.reduced(70 * MSS, 70 * MSS, MSS);
        cubic.handle_timeout();
        assert_eq!(count(&mut cubic, 7000, 49), 20);
    }

    // Linux: "count" stays for 31 ms if the window is the same
    #[test]
    fn the_growth_is_computed_again_after_31_ms_or_for_another_window() {
        let mut cubic = Cubic { window_max: 100, ..cubic() };
        let first = count(&mut cubic, 0, 100);
        cubic.count = 77;
        assert_eq!(count(&mut cubic, 31, 100), 77);
        assert_eq!(count(&mut cubic, 32, 100), first);
        cubic.count = 77;
        assert_eq!(count(&mut cubic, 33, 99), 100 * 99 / 100 * 100 / 100, "W_cubic is 100");
    }

    // RFC 9438 §4.3: W_est grows by α = 8/15 for each window that is acknowledged
    #[test]
    fn the_window_is_not_smaller_than_that_of_reno() {
        let mut cubic = Cubic { window_max: 100, ..cubic() };
        cubic.update(SimTime::ZERO, 100, 0, MSS);
        let mut after = |windows: u64| {
            cubic.update(SimTime::from_ms(100 * windows), 100, 100 * MSS, MSS);
            (cubic.epoch.map_or(0, |epoch| epoch.reno), cubic.count)
        };
        assert_eq!(after(1), (100, 100 * 100));
        assert_eq!(after(2), (101, 100));
        assert_eq!(after(3).0, 101);
        assert_eq!(after(4), (102, 50));
    }

    #[test]
    fn idle_times_and_rtts_in_the_first_second_of_an_epoch_do_not_count() {
        let mut cubic = Cubic { window_max: 100, ..cubic() };
        count(&mut cubic, 1000, 70);
        cubic.handle_idle(SimTime::from_ms(5000), Duration::from_millis(3000));
        assert_eq!(cubic.epoch.map(|epoch| epoch.start), Some(SimTime::from_ms(4000)));
        let sample = |ms, rtt_ms| RttSample {
            now: SimTime::from_ms(ms),
            rtt: Duration::from_millis(rtt_ms),
            una: 1,
            next: 1,
            cwnd_segments: 70,
            in_slow_start: false,
        };
        cubic.ends_slow_start(&sample(4999, 80));
        assert_eq!(cubic.delay_min, None);
        cubic.ends_slow_start(&sample(5000, 90));
        assert_eq!(cubic.delay_min, Some(Duration::from_millis(90)));
    }
}
