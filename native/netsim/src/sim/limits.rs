//! Limits of a run. Without limits a run with valid settings could use all memory or never end.

/// The most packets and steps that a run may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RunLimits {
    /// The number of packets that are offered to a path, or that a handshake without duration delivers immediately.
    /// Lost packets also count.
    pub packets: u64,
    /// The number of occurrences (arrivals, departures, timers, changes of the path) and of calls of
    /// [`super::Simulation::advance`].
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

    /// The limit that the run has reached; `None` if it has reached neither.
    pub fn exhausted(&self) -> Option<Exhausted> {
        if self.packets >= self.limits.packets {
            return Some(Exhausted::Packets);
        }
        (self.steps >= self.limits.steps).then_some(Exhausted::Steps)
    }
}
