//! The driver of a run: a path, the transports on it, and virtual time.

mod simulation;
mod typed;

pub use simulation::{AppEvent, EndpointId, OpenError, PathId, Simulation, SimulationOptions};
