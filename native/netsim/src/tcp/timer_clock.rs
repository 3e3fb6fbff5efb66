use std::time::Duration;

use crate::time::SimTime;

/// Decides when the timers of one end fire.
#[derive(Clone, Copy, Debug)]
pub struct TimerClock {
    rule: TimerRule,
    /// The time of the clock at [`SimTime::ZERO`].
    phase: Duration,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimerRule {
    /// A timer fires exactly at its time.
    Exact,
    /// A timer fires late, by up to two ticks or about an eighth of its delay: Linux sorts timers into a wheel, whose
    /// steps are longer for timers that are further away (kernel/time/timer.c). The clock ticks once a millisecond
    /// (HZ = 1000).
    Wheel,
}

const TICK_NS: u128 = 1_000_000;
/// A level of the wheel has 64 steps, and 63 of them are used. A step is eight times as long as a step of the level
/// below.
const STEPS: u128 = 63;
const LEVELS: u32 = 9;
const STEP_BITS: u32 = 3;

impl TimerClock {
    /// `seed` is the time of the clock at [`SimTime::ZERO`], in microseconds.
    pub fn new(rule: TimerRule, seed: u32) -> Self {
        TimerClock { rule, phase: Duration::from_micros(u64::from(seed)) }
    }

    /// Returns when a timer fires that is set at `now` for `delay`.
    pub fn after(&self, now: SimTime, delay: Duration) -> SimTime {
        if self.rule == TimerRule::Exact {
            return now + delay;
        }
        let phase = self.phase.as_nanos();
        let ticks = (u128::from(now.as_ns()) + phase) / TICK_NS;
        let wanted = delay.as_nanos().div_ceil(TICK_NS);
        let level = (0..LEVELS - 1).find(|level| wanted < STEPS << (STEP_BITS * level)).unwrap_or(LEVELS - 1);
        let shift = STEP_BITS * level;
        let fires = (((ticks + wanted) >> shift) + 1) << shift;
        let at = (fires * TICK_NS).saturating_sub(phase);
        SimTime::from_ns(u64::try_from(at).unwrap_or(u64::MAX))
    }

    /// The time that Linux adds to the reordering timer and, if several segments are outstanding, to the timer of the
    /// tail loss probe: two ticks (TCP_TIMEOUT_MIN).
    pub fn allowance(&self) -> Duration {
        match self.rule {
            TimerRule::Exact => Duration::ZERO,
            TimerRule::Wheel => Duration::from_millis(2),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after_us(clock: TimerClock, now_us: u64, delay_us: u64) -> u64 {
        let now = SimTime::from_ns(1000 * now_us);
        clock.after(now, Duration::from_micros(delay_us)).as_ns() / 1000
    }

    #[test]
    fn an_exact_timer_fires_at_its_time() {
        assert_eq!(after_us(TimerClock::new(TimerRule::Exact, 12_345), 1, 40_000), 40_001);
    }

    // kernel/time/timer.c: calc_wheel_index, calc_index, for HZ = 1000
    #[test]
    fn a_timer_of_the_wheel_fires_at_the_next_step_of_its_level() {
        let clock = TimerClock::new(TimerRule::Wheel, 0);
        for (now_us, delay_us, fires_us) in [
            (0, 40_000, 41_000),
            (900, 40_000, 41_000),
            (900, 40_001, 42_000),
            (0, 62_000, 63_000),
            (0, 63_000, 64_000),
            (1000, 63_000, 72_000),
            (0, 500_000, 504_000),
            (0, 600_000, 640_000),
            (0, 1_000_000, 1_024_000),
            (23_000, 1_000_000, 1_024_000),
            (24_000, 1_000_000, 1_088_000),
            (0, 10_000_000, 10_240_000),
        ] {
            assert_eq!(after_us(clock, now_us, delay_us), fires_us, "{now_us} {delay_us}");
        }
        // the clock shows 24.5 ms at `SimTime::ZERO`
        let later = TimerClock::new(TimerRule::Wheel, 24_500);
        assert_eq!(after_us(later, 0, 1_000_000), 1_088_000 - 24_500);
    }
}
