//! Limits of a run. Without them a run with valid settings could use up the machine's memory or never end.

/// The most that a run may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RunLimits {
    /// Packets that are handed to a path, lost ones included.
    pub packets: u64,
    /// Occurrences (arrivals, departures, timers, changes of the path) and calls that advance the run.
    pub steps: u64,
}

impl RunLimits {
    pub const NONE: RunLimits = RunLimits { packets: u64::MAX, steps: u64::MAX };
}

/// The limit that a run has reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exhausted {
    Packets,
    Steps,
}

/// How much of its limits a run has used.
#[derive(Clone, Copy, Debug)]
pub struct Spent {
    limits: RunLimits,
    packets: u64,
    steps: u64,
}

impl Spent {
    pub fn new(limits: RunLimits) -> Self {
        Spent { limits, packets: 0, steps: 0 }
    }

    pub fn note_packet(&mut self) {
        self.packets += 1;
    }

    pub fn note_step(&mut self) {
        self.steps += 1;
    }

    /// The limit that is used up; `None` while something is left of both.
    pub fn exhausted(&self) -> Option<Exhausted> {
        if self.packets >= self.limits.packets {
            return Some(Exhausted::Packets);
        }
        (self.steps >= self.limits.steps).then_some(Exhausted::Steps)
    }
}
