//! What a run may take: valid settings can ask for more packets than a machine's memory holds, or never end.

/// The most that a run may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RunLimits {
    /// Handed to a path, whatever becomes of them.
    pub packets: u64,
    /// Occurrences (arrivals, departures, timers, changes of the path) and calls of the application's that advance the run.
    pub steps: u64,
}

impl RunLimits {
    pub const NONE: RunLimits = RunLimits { packets: u64::MAX, steps: u64::MAX };
}

/// The limit that a run has come to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exhausted {
    Packets,
    Steps,
}

/// What a run has taken of its limits.
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

    /// None while there is some left of each.
    pub fn exhausted(&self) -> Option<Exhausted> {
        if self.packets >= self.limits.packets {
            return Some(Exhausted::Packets);
        }
        (self.steps >= self.limits.steps).then_some(Exhausted::Steps)
    }
}
