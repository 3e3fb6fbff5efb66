//! The driver of a run: a path, the transports on it, and virtual time.

mod limits;
mod simulation;
mod typed;

pub use limits::{Exhausted, RunLimits};
pub use simulation::{AppEvent, EndpointId, OpenError, PathId, Simulation, SimulationOptions};
