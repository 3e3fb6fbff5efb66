//! One direction of the path: loss → queue → serialisation → propagation. Loss can also be applied after serialisation
//! instead.

mod capacity;
mod delay;
mod direction;
mod fates;
mod header;
mod loss;
mod params;
mod queue;
mod steps;

pub use capacity::{CapacityTrace, OPPORTUNITY_BYTES, Opportunities, TraceParams};
pub use delay::DelayTrace;
pub use direction::{Arrival, Departure, Direction, Drop, Link};
pub use fates::Sharer;
pub use header::Header;
pub use loss::{DropList, LossApplies, LossAt, LossModel, LossProcess};
pub use params::{LinkError, LinkParams, Path, PathParams};
pub use steps::Steps;
