use std::fmt;
use std::ops::{Add, AddAssign, Sub};
use std::time::Duration;

/// Virtual time: integer nanoseconds since the simulation's start. A span of virtual time is a [`Duration`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SimTime(u64);

impl SimTime {
    pub const ZERO: SimTime = SimTime(0);
    pub const MAX: SimTime = SimTime(u64::MAX);

    pub const fn from_ns(ns: u64) -> Self {
        SimTime(ns)
    }

    pub const fn from_us(us: u64) -> Self {
        SimTime(us * 1_000)
    }

    pub const fn from_ms(ms: u64) -> Self {
        SimTime(ms * 1_000_000)
    }

    pub const fn as_ns(self) -> u64 {
        self.0
    }

    pub fn as_secs_f64(self) -> f64 {
        self.0 as f64 / 1e9
    }

    /// Returns the time since `earlier`, or zero if `earlier` is later than this time.
    pub fn saturating_since(self, earlier: SimTime) -> Duration {
        Duration::from_nanos(self.0.saturating_sub(earlier.0))
    }
}

impl Add<Duration> for SimTime {
    type Output = SimTime;

    /// Saturates at [`SimTime::MAX`], which is 584 years.
    fn add(self, span: Duration) -> SimTime {
        let ns = u64::try_from(span.as_nanos()).unwrap_or(u64::MAX);
        SimTime(self.0.saturating_add(ns))
    }
}

impl AddAssign<Duration> for SimTime {
    fn add_assign(&mut self, span: Duration) {
        *self = *self + span;
    }
}

impl Sub for SimTime {
    type Output = Duration;

    /// Panics if `earlier` is later, which is a bug in the caller.
    fn sub(self, earlier: SimTime) -> Duration {
        assert!(self.0 >= earlier.0, "time ran backwards: {self} - {earlier}");
        Duration::from_nanos(self.0 - earlier.0)
    }
}

impl fmt::Display for SimTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{:09} s", self.0 / 1_000_000_000, self.0 % 1_000_000_000)
    }
}
