//! The driver of a run, which advances virtual time and moves packets between the transports over the paths.

mod hand_over;
mod limits;
mod simulation;
mod traffic;
mod typed;

pub use limits::{Exhausted, RunLimits};
pub use simulation::{AppEvent, EndpointId, OpenError, PathId, Simulation, SimulationOptions};
