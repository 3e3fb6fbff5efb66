//! One direction of the path: loss → FIFO queue → serialisation → propagation.

mod direction;
mod loss;
mod params;

pub use direction::{Direction, Drop, Link};
pub use loss::{LossApplies, LossModel, LossProcess};
pub use params::{LinkError, LinkParams, Path, PathParams};
