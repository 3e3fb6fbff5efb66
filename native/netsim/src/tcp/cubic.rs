use std::time::Duration;

use crate::sim::SimTime;

/// CUBIC's window between losses (RFC 9438). Windows are in segments, as in the RFC.
///
/// Only +, −, ×, ÷ are used: they round the same on every platform, which a library's cube root does not.
#[derive(Clone, Debug, Default)]
pub struct Cubic {
    /// W_max: the window before the last reduction.
    window_max: f64,
    /// The current stage of congestion avoidance.
    epoch: Option<Epoch>,
}

#[derive(Clone, Debug)]
struct Epoch {
    start: SimTime,
    /// K: when W_cubic reaches W_max, s.
    k: f64,
    /// What W_cubic comes back to.
    origin: f64,
    /// W_est: what Reno would have, segments.
    reno: f64,
    /// cwnd at the time of the last reduction, from which W_est grows faster.
    prior: f64,
}

/// RFC 9438 §4.1, §4.6.
const C: f64 = 0.4;
const BETA: f64 = 0.7;
/// RFC 9438 §4.3: gives W_est Reno's average window.
const ALPHA: f64 = 3.0 * (1.0 - BETA) / (1.0 + BETA);

impl Cubic {
    /// Multiplicative decrease of `base` (RFC 9438 §4.6) with fast convergence (§4.7). Bytes.
    pub fn reduce(&mut self, cwnd: u64, base: u64, mss: u64) -> u64 {
        let window = cwnd as f64 / mss as f64;
        self.window_max = if window < self.window_max { window * (1.0 + BETA) / 2.0 } else { window };
        self.epoch = None;
        (base as f64 * BETA) as u64
    }

    /// RFC 9438 §4.8: after a timeout the stage starts anew.
    pub fn handle_timeout(&mut self) {
        self.epoch = None;
    }

    /// RFC 9438 §5.8: idle time does not count.
    pub fn handle_idle(&mut self) {
        self.epoch = None;
    }

    /// How many bytes must be acknowledged for the window to grow by one segment.
    pub fn bytes_per_mss(&mut self, now: SimTime, cwnd: u64, acked: u64, srtt: Duration, mss: u64) -> u64 {
        let window = cwnd as f64 / mss as f64;
        let window_max = self.window_max;
        let epoch = self.epoch.get_or_insert_with(|| Epoch::new(now, window, window_max));
        // W_est (§4.3, equation 4); α is 1 once it has reached the window of the last reduction
        let alpha = if epoch.reno >= epoch.prior { 1.0 } else { ALPHA };
        epoch.reno += alpha * acked as f64 / cwnd as f64;
        let elapsed = (now - epoch.start).as_secs_f64() + srtt.as_secs_f64();
        // the target one RTT ahead (§4.2), at most half as much again
        let target = epoch.window_at(elapsed).clamp(window, 1.5 * window);
        let target = target.max(epoch.reno);
        if target > window {
            ((window / (target - window)) * mss as f64).max(1.0) as u64
        } else {
            // far above the plateau's growth: one segment in 100 windows
            100 * cwnd
        }
    }
}

impl Epoch {
    fn new(start: SimTime, window: f64, window_max: f64) -> Self {
        let (k, origin) = if window < window_max {
            // §4.2, equation 2
            (cube_root((window_max - window) / C), window_max)
        } else {
            (0.0, window)
        };
        Epoch { start, k, origin, reno: window, prior: window_max }
    }

    /// W_cubic(t), §4.2, equation 1.
    fn window_at(&self, elapsed_s: f64) -> f64 {
        let t = elapsed_s - self.k;
        C * (t * t * t) + self.origin
    }
}

/// By Newton's method from above; 60 steps bring any window's root to its last bit or next to it.
fn cube_root(x: f64) -> f64 {
    let mut root = if x > 1.0 { x } else { 1.0 };
    for _ in 0..60 {
        root -= (root - x / (root * root)) / 3.0;
    }
    root
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cube_roots_are_right() {
        for x in [0.0, 0.001, 1.0, 27.0, 1e9] {
            assert!((cube_root(x) - x.cbrt()).abs() <= 1e-9 * x.cbrt().max(1.0), "{x}: {}", cube_root(x));
        }
    }

    // RFC 9438 §4.2: W_cubic(0) = β·W_max and W_cubic(K) = W_max
    #[test]
    fn the_window_starts_at_seven_tenths_and_is_back_after_k() {
        let epoch = Epoch::new(SimTime::ZERO, 70.0, 100.0);
        assert!((epoch.window_at(0.0) - 70.0).abs() < 1e-9);
        assert!((epoch.window_at(epoch.k) - 100.0).abs() < 1e-9);
        assert!((epoch.k - (30.0f64 / 0.4).cbrt()).abs() < 1e-9);
    }

    // RFC 9438 §4.7
    #[test]
    fn a_second_loss_below_the_last_maximum_gives_way_further() {
        let mut cubic = Cubic::default();
        cubic.reduce(100_000, 100_000, 1000);
        assert_eq!(cubic.window_max, 100.0);
        cubic.reduce(80_000, 80_000, 1000);
        assert_eq!(cubic.window_max, 80.0 * 0.85);
    }

    // RFC 9438 §4.3: at small windows and RTTs CUBIC grows as Reno does
    #[test]
    fn grows_no_slower_than_reno_at_short_rtts() {
        let mut cubic = Cubic::default();
        let (mss, mut cwnd, mut credit) = (1000, 10_000u64, 0);
        cubic.window_max = 10.0;
        for round in 0..20 {
            let now = SimTime::from_ms(10 * round);
            let per_mss = cubic.bytes_per_mss(now, cwnd, cwnd, Duration::from_millis(10), mss);
            credit += cwnd;
            while credit >= per_mss {
                credit -= per_mss;
                cwnd += mss;
            }
        }
        assert!(cwnd >= 25_000, "{cwnd}");
    }
}
