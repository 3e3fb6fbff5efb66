//! Virtual time and the driver of a run.

mod endpoint;
mod events;
mod random;
mod simulation;
mod time;

pub use endpoint::{CloseReason, Endpoint, Event, Transmit};
pub use events::EventQueue;
pub use random::random_stream;
pub use simulation::{AppEvent, EndpointId, OpenError, Simulation, SimulationOptions, TransportKind};
pub use time::SimTime;
