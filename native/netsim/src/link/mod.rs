//! One direction of the path: loss → policer → queue → serialisation → propagation. Loss can be applied after
//! serialisation instead.

mod capacity;
mod delay;
mod direction;
mod distribution;
mod draws;
mod fates;
mod header;
mod loss;
mod params;
mod policer;
mod queue;
mod steps;

pub use capacity::{CapacityTrace, OPPORTUNITY_BYTES, Opportunities, TraceParams};
pub use delay::{DelayTrace, Duplication, Jitter, Reordering};
pub use direction::{Arrival, Departure, Direction, Drop, Link};
pub use distribution::Distribution;
pub use fates::Sharer;
pub use header::Header;
pub use loss::{DropList, LossApplies, LossAt, LossModel, LossProcess};
pub use params::{LinkError, LinkParams, Path, PathParams};
pub use policer::PolicerParams;
pub use queue::{CoDelParams, DualPi2Params, FqCoDelParams, PieParams, QueueKind};
pub use steps::Steps;
