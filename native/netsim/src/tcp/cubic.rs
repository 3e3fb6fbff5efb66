use std::time::Duration;

use crate::time::SimTime;

/// Computes CUBIC's window between losses (RFC 9438). Windows are in segments, as in the RFC.
///
/// Only +, −, × and ÷ are used, because they round in the same way on every platform. The cube root of a library does
/// not.
#[derive(Clone, Debug, Default)]
pub struct Cubic {
    /// W_max, the window to which the cubic function returns. The value is `None` before congestion avoidance has
    /// begun, and after a timeout.
    window_max: Option<f64>,
    /// cwnd_prior, the window before the last reduction. Once W_est has reached cwnd_prior, W_est grows faster. Before
    /// the first reduction the value is 0, which has the same effect as the window at which congestion avoidance begins
    /// (RFC 9438 §4.10).
    prior: f64,
    /// The current epoch of congestion avoidance.
    epoch: Option<Epoch>,
}

#[derive(Clone, Debug)]
struct Epoch {
    /// The time at which t is 0. [`Cubic::skip_time`] moves it forward by the time that does not count.
    start: SimTime,
    /// The time up to which t was counted.
    counted_until: SimTime,
    /// K: the time at which W_cubic reaches W_max, in seconds.
    k: f64,
    /// The value of W_cubic at K, in segments.
    origin: f64,
    /// W_est: the window that Reno would have, in segments.
    reno: f64,
}

/// The constants C and β of CUBIC (RFC 9438 §4.1, §4.6).
const C: f64 = 0.4;
const BETA: f64 = 0.7;
/// With this increase W_est has the same average window as Reno (RFC 9438 §4.3).
const ALPHA: f64 = 3.0 * (1.0 - BETA) / (1.0 + BETA);

impl Cubic {
    /// Returns the new window after the multiplicative decrease of `base` (RFC 9438 §4.6), and applies fast convergence
    /// (§4.7). All values are in bytes.
    pub fn reduce(&mut self, cwnd: u64, base: u64, mss: u64) -> u64 {
        let window = cwnd as f64 / mss as f64;
        let converges = self.window_max.is_some_and(|max| window < max);
        self.window_max = Some(if converges { window * (1.0 + BETA) / 2.0 } else { window });
        self.prior = window;
        self.epoch = None;
        (base as f64 * BETA) as u64
    }

    /// Handles a timeout. Call this after [`Self::reduce`]. The next epoch has K = 0, and its W_max is the window with
    /// which it begins (RFC 9438 §4.8).
    pub fn handle_timeout(&mut self) {
        self.window_max = None;
    }

    /// Notes that the window was reset to the initial window. A new epoch begins after the next slow start.
    pub fn handle_idle(&mut self) {
        self.epoch = None;
    }

    /// Excludes the time up to `now` from t, because the application did not use the window (RFC 9438 §5.8).
    pub fn skip_time(&mut self, now: SimTime) {
        if let Some(epoch) = &mut self.epoch {
            epoch.start += now - epoch.counted_until;
            epoch.counted_until = now;
        }
    }

    /// Returns how many bytes must be acknowledged for the window to grow by one segment.
    pub fn bytes_per_mss(&mut self, now: SimTime, cwnd: u64, acked: u64, srtt: Duration, mss: u64) -> u64 {
        let window = cwnd as f64 / mss as f64;
        // §4.8, §4.10: if W_max is not set, it becomes the window at which the epoch begins
        let window_max = *self.window_max.get_or_insert(window);
        let epoch = self.epoch.get_or_insert_with(|| Epoch::new(now, window, window_max));
        epoch.counted_until = now;
        // W_est (§4.3, equation 4); α is 1 once W_est has reached cwnd_prior
        let alpha = if epoch.reno >= self.prior { 1.0 } else { ALPHA };
        epoch.reno += alpha * acked as f64 / cwnd as f64;
        let elapsed = (now - epoch.start).as_secs_f64() + srtt.as_secs_f64();
        // the target is W_cubic one RTT later (§4.2), and at most 1.5 times the window
        let target = epoch.window_at(elapsed).clamp(window, 1.5 * window);
        let target = target.max(epoch.reno);
        if target > window {
            ((window / (target - window)) * mss as f64).max(1.0) as u64
        } else {
            // if the window is above the target, it grows by one segment for every 100 acknowledged windows
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
        Epoch { start, counted_until: start, k, origin, reno: window }
    }

    /// W_cubic(t), §4.2, equation 1.
    fn window_at(&self, elapsed_s: f64) -> f64 {
        let t = elapsed_s - self.k;
        C * (t * t * t) + self.origin
    }
}

/// Newton's method, which starts above the root. After 60 steps the root of any window is exact, except possibly for
/// the last bit.
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
    fn the_cube_root_agrees_with_the_standard_library() {
        for x in [0.0, 0.001, 1.0, 27.0, 1e9] {
            assert!((cube_root(x) - x.cbrt()).abs() <= 1e-9 * x.cbrt().max(1.0), "{x}: {}", cube_root(x));
        }
    }

    // RFC 9438 §4.2: W_cubic(0) = β·W_max and W_cubic(K) = W_max
    #[test]
    fn the_cubic_window_starts_at_seven_tenths_of_w_max_and_reaches_w_max_at_k() {
        let epoch = Epoch::new(SimTime::ZERO, 70.0, 100.0);
        assert!((epoch.window_at(0.0) - 70.0).abs() < 1e-9);
        assert!((epoch.window_at(epoch.k) - 100.0).abs() < 1e-9);
        assert!((epoch.k - (30.0f64 / 0.4).cbrt()).abs() < 1e-9);
    }

    // RFC 9438 §4.7
    #[test]
    fn fast_convergence_lowers_w_max_after_a_loss_below_the_last_w_max() {
        let mut cubic = Cubic::default();
        cubic.reduce(100_000, 100_000, 1000);
        assert_eq!(cubic.window_max, Some(100.0));
        cubic.reduce(80_000, 80_000, 1000);
        assert_eq!(cubic.window_max, Some(80.0 * 0.85));
        // the window was not below W_max, so W_max becomes the window
        cubic.reduce(68_000, 68_000, 1000);
        assert_eq!(cubic.window_max, Some(68.0));
    }

    fn grow_by(cubic: &mut Cubic, now: SimTime, cwnd_segments: u64, srtt_ms: u64) -> u64 {
        cubic.bytes_per_mss(now, cwnd_segments * 1000, 0, Duration::from_millis(srtt_ms), 1000)
    }

    // RFC 9438 §4.2: the target is W_cubic(t + RTT)
    #[test]
    fn the_target_is_the_cubic_window_one_round_trip_later() {
        let mut cubic = Cubic { window_max: Some(10.0), ..Cubic::default() };
        // W_cubic(2) = 10 + 0.4 · 8 = 13.2, so the window grows by a segment for every 10 / 3.2 segments acknowledged
        assert_eq!(grow_by(&mut cubic, SimTime::ZERO, 10, 2000), 3125);
        assert_eq!(grow_by(&mut cubic, SimTime::from_ms(1000), 10, 1000), 3125);
        // with an RTT of 0 the target is the window
        assert_eq!(grow_by(&mut Cubic { window_max: Some(10.0), ..Cubic::default() }, SimTime::ZERO, 10, 0), 1_000_000);
    }

    // RFC 9438 §4.2: the target is at least the window and at most 1.5 times the window
    #[test]
    fn the_target_is_at_most_one_and_a_half_windows() {
        let mut cubic = Cubic { window_max: Some(10.0), ..Cubic::default() };
        grow_by(&mut cubic, SimTime::ZERO, 10, 0);
        assert_eq!(grow_by(&mut cubic, SimTime::from_ms(20_000), 10, 0), 2000);
        // here the window is above the target
        assert_eq!(grow_by(&mut cubic, SimTime::from_ms(1000), 1000, 0), 100_000_000);
    }

    // RFC 9438 §4.3: α is 1 once W_est has reached cwnd_prior, which fast convergence does not lower
    #[test]
    fn the_reno_estimate_grows_faster_once_it_has_reached_cwnd_prior() {
        let mut cubic = Cubic { window_max: Some(1000.0), ..Cubic::default() };
        cubic.reduce(100_000, 100_000, 1000);
        assert_eq!((cubic.window_max, cubic.prior), (Some(85.0), 100.0));
        let mut estimate = |cwnd: u64| {
            cubic.bytes_per_mss(SimTime::ZERO, cwnd, cwnd, Duration::ZERO, 1000);
            cubic.epoch.as_ref().map_or(0.0, |epoch| epoch.reno)
        };
        let first = estimate(90_000);
        assert!((first - (90.0 + ALPHA)).abs() < 1e-9);
        let steps = ((100.0 - first) / ALPHA).ceil() as usize;
        let reached = (0..steps).map(|_| estimate(90_000)).last().unwrap();
        assert!(reached >= 100.0 && (estimate(90_000) - reached - 1.0).abs() < 1e-9);
    }

    // RFC 9438 §4.3: at small windows and RTTs CUBIC grows like Reno
    #[test]
    fn grows_no_slower_than_reno_at_short_rtts() {
        let mut cubic = Cubic { window_max: Some(10.0), prior: 10.0, ..Cubic::default() };
        let (mss, mut cwnd, mut credit) = (1000, 10_000u64, 0);
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
