//! The propagation delay of a link, with its jitter, and the reordering and duplication of packets.

use std::sync::Arc;
use std::time::Duration;

use super::distribution::SCALE;
use super::draws::Draws;
use super::params::{check, probability};
use super::{Direction, Distribution, LinkError, LinkParams, Sharer, Steps};
use crate::time::SimTime;

/// A random value that is added to the delay. The sum is never negative.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Jitter {
    /// The values of the distribution are multiplied by this; at most an hour.
    pub spread: Duration,
    pub distribution: Distribution,
    /// How much the random number of a packet follows that of the previous packet, 0–1 (netem's `CORRELATION`).
    pub correlation: f64,
    /// Whether packets keep their order. Otherwise they can overtake each other.
    pub in_order: bool,
}

/// Packets that overtake others: they arrive without any delay (netem's `reorder`).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reordering {
    /// The probability that a packet overtakes others, if `gap` allows this.
    pub rate: f64,
    /// See [`Jitter::correlation`].
    pub correlation: f64,
    /// At least `gap` − 1 packets must have been delayed since the last packet that overtook others.
    pub gap: u32,
}

/// Packets that arrive twice (netem's `duplicate`). The copy has its own jitter. Unlike in netem, where the copy enters
/// the queue, the copy is made after the serialisation, so it uses no capacity of the link.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Duplication {
    pub rate: f64,
    /// See [`Jitter::correlation`].
    pub correlation: f64,
}

impl Jitter {
    pub(super) fn validate(&self) -> Result<(), LinkError> {
        let spread = self.spread.as_nanos();
        check(spread <= 3_600_000_000_000, "jitter.spreadNs", spread, "at most 3.6·10^12")?;
        probability("jitter.correlation", self.correlation)
    }
}

impl Reordering {
    pub(super) fn validate(&self) -> Result<(), LinkError> {
        probability("reorder.rate", self.rate)?;
        probability("reorder.correlation", self.correlation)?;
        check(self.gap >= 1, "reorder.gap", self.gap, "at least 1")
    }
}

impl Duplication {
    pub(super) fn validate(&self) -> Result<(), LinkError> {
        probability("duplicate.rate", self.rate)?;
        probability("duplicate.correlation", self.correlation)
    }
}

/// When a packet arrives, and when its copy arrives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Arrivals {
    pub at: SimTime,
    pub copy_at: Option<SimTime>,
}

/// Draws the delays of one direction's packets. As with losses, each [`Sharer`] (a page load, or a flow of other
/// traffic) draws by itself. The random numbers of its k-th packet depend only on the seed, the direction and k, and
/// for a flow also on the number of the flow.
#[derive(Debug)]
pub(super) struct Delays {
    seed: u64,
    direction: Direction,
    pages: Vec<Sender>,
    flows: Vec<Sender>,
    /// The arrival of the last packet that had to keep the order.
    latest: SimTime,
}

/// The state of one sharer.
#[derive(Debug)]
struct Sender {
    jitter: Draws,
    copy_jitter: Draws,
    reorder: Draws,
    duplicate: Draws,
    /// The number of packets that have left the link, or were delivered without it ([`Delays::skip`]), while the link
    /// had jitter, reordering or duplication.
    packets: u64,
    /// The number of packets since the last packet that overtook others.
    delayed: u32,
}

impl Delays {
    pub fn new(seed: u64, direction: Direction) -> Self {
        Delays { seed, direction, pages: Vec::new(), flows: Vec::new(), latest: SimTime::ZERO }
    }

    /// Restarts the draws; see `Fates::restart`.
    pub fn restart(&mut self, seed: u64) {
        *self = Delays { latest: self.latest, ..Delays::new(seed, self.direction) };
    }

    /// Forgets the packets on the link, so that later packets may arrive before them.
    pub fn clear(&mut self) {
        self.latest = SimTime::ZERO;
    }

    /// Returns when a packet and its copy arrive. The serialisation of the packet ended at `left`.
    pub fn arrivals(&mut self, params: &LinkParams, sharer: Sharer, left: SimTime) -> Arrivals {
        let usual = params.delay_at(left);
        if !params.has_random_delay() {
            return Arrivals { at: left + usual, copy_at: None };
        }
        let is_in_order = params.jitter.is_some_and(|jitter| jitter.in_order);
        let earliest = if is_in_order { self.latest } else { SimTime::ZERO };
        let sender = self.sender(sharer);
        let number = sender.packets;
        sender.packets += 1;
        let delayed = |draws: &mut Draws| (left + jittered(params, usual, number, draws)).max(earliest);
        let overtakes = sender.overtakes(params, number);
        let at = if overtakes { left } else { delayed(&mut sender.jitter) };
        let is_copied = params
            .duplicate
            .is_some_and(|Duplication { rate, correlation }| sender.duplicate.is_below(number, correlation, rate));
        let copy_at = is_copied.then(|| delayed(&mut sender.copy_jitter));
        if is_in_order && !overtakes {
            self.latest = at;
        }
        Arrivals { at, copy_at }
    }

    /// Makes the draws of a packet that is delivered without the link, so that later packets get the same random numbers
    /// as otherwise. The packet itself has no delay, and it never delays later packets.
    pub fn skip(&mut self, params: &LinkParams, sharer: Sharer, now: SimTime) {
        let latest = self.latest;
        self.arrivals(params, sharer, now);
        self.latest = latest;
    }

    fn sender(&mut self, sharer: Sharer) -> &mut Sender {
        let (list, number, suffix) = match sharer {
            Sharer::Page(number) => (&mut self.pages, number, None),
            Sharer::Flow(number) => (&mut self.flows, number, Some(())),
        };
        let way = match self.direction {
            Direction::Down => "down",
            Direction::Up => "up",
        };
        while list.len() <= usize::from(number) {
            // all page loads have random streams of the same names, as with losses
            let flow = suffix.map_or_else(String::new, |()| format!("/flow/{}", list.len()));
            list.push(Sender::new(self.seed, &format!("{way}{flow}")));
        }
        &mut list[usize::from(number)]
    }
}

impl Sender {
    /// `name` is the last part of the names of the random streams.
    fn new(seed: u64, name: &str) -> Self {
        let draws = |what: &str| Draws::new(seed, format!("{what}/{name}"));
        Sender {
            jitter: draws("jitter"),
            copy_jitter: draws("jitter-of-copies"),
            reorder: draws("reorder"),
            duplicate: draws("duplicate"),
            packets: 0,
            delayed: 0,
        }
    }

    /// Whether the packet with this number overtakes others (netem's `netem_enqueue`).
    fn overtakes(&mut self, params: &LinkParams, number: u64) -> bool {
        let Some(Reordering { rate, correlation, gap }) = params.reorder else { return false };
        let overtakes = self.delayed + 1 >= gap && self.reorder.is_below(number, correlation, rate);
        self.delayed = if overtakes { 0 } else { self.delayed.saturating_add(1) };
        overtakes
    }
}

/// The delay of a packet with its jitter.
fn jittered(params: &LinkParams, usual: Duration, number: u64, draws: &mut Draws) -> Duration {
    let Some(Jitter { spread, distribution, correlation, .. }) = params.jitter else { return usual };
    let value = distribution.value(draws.correlated(number, correlation));
    let jitter_ns = i128::from(value) * spread.as_nanos() as i128 / i128::from(SCALE);
    Duration::from_nanos((usual.as_nanos() as i128 + jitter_ns).max(0) as u64)
}

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

#[cfg(test)]
#[path = "delay_test.rs"]
mod tests;
