use std::time::Duration;
#[cfg(not(all(target_family = "wasm", target_os = "unknown")))]
pub use std::time::{Instant, SystemTime};

/// The types that quinn-proto uses on this target. A patch in `native/wasm/patches` makes their `now` a constant.
#[cfg(all(target_family = "wasm", target_os = "unknown"))]
pub use web_time::{Instant, SystemTime};

use crate::time::SimTime;

/// Converts between virtual time and the `Instant`s of quinn. quinn only uses differences of instants, so any instant
/// can be the start.
#[derive(Clone, Copy, Debug)]
pub struct Clock {
    start: Instant,
}

impl Clock {
    pub fn new() -> Self {
        #[expect(clippy::disallowed_methods, reason = "there is no other way to get an Instant")]
        let now = Instant::now();
        // quinn may compute instants before virtual time 0, but no Instant can be earlier than the start of the
        // machine's clock, so virtual time 0 is a year later than now
        Clock { start: now + YEAR }
    }

    pub fn instant(&self, at: SimTime) -> Instant {
        self.start + (at - SimTime::ZERO)
    }

    pub fn sim_time(&self, at: Instant) -> SimTime {
        SimTime::ZERO + at.saturating_duration_since(self.start)
    }
}

const YEAR: Duration = Duration::from_secs(365 * 24 * 3600);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_converts_to_an_instant_and_back() {
        let clock = Clock::new();
        for at in [SimTime::ZERO, SimTime::from_ns(1), SimTime::from_ms(3_600_000)] {
            assert_eq!(clock.sim_time(clock.instant(at)), at);
        }
    }
}
