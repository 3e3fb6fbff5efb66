//! One direction of the path: loss → FIFO queue → serialisation → propagation. Loss can also be applied after
//! serialisation instead.

mod direction;
mod fates;
mod loss;
mod params;

pub use direction::{Departure, Direction, Drop, Link};
pub use fates::Sharer;
pub use loss::{DropList, LossApplies, LossAt, LossModel, LossProcess};
pub use params::{LinkError, LinkParams, Path, PathParams};
