//! The propagation delay of a link.

use std::sync::Arc;
use std::time::Duration;

use super::Steps;
use crate::time::SimTime;

/// A delay that changes over time.
#[derive(Clone, Debug, PartialEq)]
pub struct DelayTrace {
    /// Delays in ns.
    pub delays: Arc<Steps>,
    /// The time of the trace at which the run starts; less than the trace's period.
    pub start: Duration,
    /// Whether the trace is repeated. If it is not, the link has its constant delay after the end of the trace.
    pub repeats: bool,
}

impl DelayTrace {
    /// The delay of a packet whose serialisation ends at this time; `None` after the end of the trace.
    pub(super) fn at(&self, left: SimTime) -> Option<Duration> {
        let (place_ns, period_ns) = ((left + self.start).as_ns(), self.delays.period_ns());
        let is_within = self.repeats || place_ns < period_ns;
        is_within.then(|| Duration::from_nanos(self.delays.value_at(place_ns % period_ns)))
    }
}
