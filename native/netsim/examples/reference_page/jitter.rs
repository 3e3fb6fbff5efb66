use std::time::Duration;

use netsim::link::{Distribution, Jitter};

/// The jitter of a path in one direction: each packet is late or early by at most `spread`, and packets stay in order.
/// `None` if `spread` is zero.
pub fn jitter(spread: Duration) -> Option<Jitter> {
    let jitter = Jitter { spread, distribution: Distribution::Uniform, correlation: 0.0, in_order: true };
    (!spread.is_zero()).then_some(jitter)
}
