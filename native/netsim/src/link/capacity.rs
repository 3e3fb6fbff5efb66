//! When a link serialises packets: at a constant rate, or as a trace of its capacity over time says.

use std::sync::Arc;
use std::time::Duration;

use super::{LinkParams, Steps};
use crate::time::SimTime;

/// How the capacity of a link changes over time.
#[derive(Clone, Debug, PartialEq)]
pub enum CapacityTrace {
    /// Times at which the link can deliver bytes, as in Mahimahi's traces.
    Opportunities(Opportunities),
    /// Rates in bits per second. A packet whose serialisation spans several steps uses the rate of each step. While the
    /// rate is 0, the serialisation pauses.
    Rates(Steps),
}

/// Delivery opportunities. At each of them the link can deliver [`OPPORTUNITY_BYTES`]. Capacity that no waiting packet
/// uses cannot be used later. A packet that arrives at the time of an opportunity has to wait for a later time.
#[derive(Clone, Debug, PartialEq)]
pub struct Opportunities {
    /// Times in ms, in ascending order.
    times_ms: Vec<u32>,
}

/// The part of a trace that a link follows.
#[derive(Clone, Debug, PartialEq)]
pub struct TraceParams {
    pub trace: Arc<CapacityTrace>,
    /// The time of the trace at which the run starts; less than the trace's period.
    pub start: Duration,
    /// Whether the trace is repeated. If it is not, the link has the rate [`LinkParams::rate_bps`] after the end of the
    /// trace.
    pub repeats: bool,
}

impl Opportunities {
    /// `times_ms` has a time for each opportunity, in ascending order. The last time is the trace's period. Returns
    /// `None` if there are no times, if they are not in order, or if the last time is 0.
    pub fn new(times_ms: Vec<u32>) -> Option<Self> {
        let is_ordered = times_ms.windows(2).all(|pair| pair[0] <= pair[1]);
        (is_ordered && *times_ms.last()? > 0).then_some(Opportunities { times_ms })
    }

    fn period_ns(&self) -> u64 {
        u64::from(self.times_ms[self.times_ms.len() - 1]) * MS_NS
    }

    /// The number of opportunities that are not later than a time within the period.
    fn count_until(&self, offset_ns: u64) -> usize {
        self.times_ms.partition_point(|time| u64::from(*time) * MS_NS <= offset_ns)
    }
}

impl CapacityTrace {
    pub fn period(&self) -> Duration {
        match self {
            CapacityTrace::Opportunities(opportunities) => Duration::from_nanos(opportunities.period_ns()),
            CapacityTrace::Rates(rates) => rates.period(),
        }
    }

    /// Whether the trace can deliver anything at all.
    pub(super) fn can_deliver(&self) -> bool {
        match self {
            CapacityTrace::Opportunities(_) => true,
            CapacityTrace::Rates(rates) => rates.values().any(|bps| bps > 0),
        }
    }
}

/// The state of a link's serialisation that is kept from one packet to the next.
#[derive(Debug, Default)]
pub(super) struct Capacity {
    /// The next opportunity that was not used, for [`CapacityTrace::Opportunities`].
    next: Cursor,
    /// The time of the opportunity that was used last, and the bytes that are left of it.
    open: Option<(SimTime, u64)>,
}

/// A place in the repeated list of opportunities.
#[derive(Clone, Copy, Debug, Default)]
struct Cursor {
    cycle: u64,
    index: usize,
}

impl Capacity {
    /// Returns when the serialisation of a packet can start. The packet finds the link idle at `now`.
    pub fn start_idle(&mut self, params: &LinkParams, now: SimTime) -> SimTime {
        self.open = None;
        match &params.trace {
            Some(trace) if let CapacityTrace::Opportunities(list) = &*trace.trace => {
                self.start(trace, list, now + Duration::from_nanos(1)).unwrap_or_else(|end| now.max(end))
            }
            _ => now,
        }
    }

    /// Returns when the serialisation of a packet can start. The packet has waited until `now`, because another packet
    /// was being serialised.
    pub fn start_next(&mut self, params: &LinkParams, now: SimTime) -> SimTime {
        match &params.trace {
            Some(trace) if let CapacityTrace::Opportunities(list) = &*trace.trace => match self.open {
                Some((at, left)) if left > 0 && at == now => now,
                _ => self.start(trace, list, now).unwrap_or_else(|end| now.max(end)),
            },
            _ => now,
        }
    }

    /// Returns when the serialisation of a packet ends. It begins at `start`, which is a result of `start_idle` or
    /// `start_next`.
    pub fn finish(&mut self, params: &LinkParams, start: SimTime, bytes: usize) -> SimTime {
        let Some(trace) = &params.trace else { return start + params.serialisation(bytes) };
        match &*trace.trace {
            CapacityTrace::Rates(rates) => finish_at_rates(params, trace, rates, start, bytes),
            CapacityTrace::Opportunities(list) => self.finish_at_opportunities(params, trace, list, start, bytes),
        }
    }

    /// The next unused opportunity at or after a time. If the trace has ended, the error is the time of its end.
    fn start(&mut self, trace: &TraceParams, list: &Opportunities, at: SimTime) -> Result<SimTime, SimTime> {
        self.skip_to(list, trace.place_ns(at));
        self.next_time(trace, list)
    }

    fn next_time(&self, trace: &TraceParams, list: &Opportunities) -> Result<SimTime, SimTime> {
        if self.next.cycle > 0 && !trace.repeats {
            return Err(trace.time_at(list.period_ns()));
        }
        Ok(trace.time_at(self.next.place_ns(list)))
    }

    /// Skips the unused opportunities before a place of the trace.
    fn skip_to(&mut self, list: &Opportunities, place_ns: u64) {
        if self.next.place_ns(list) >= place_ns {
            return;
        }
        let last_ns = place_ns - 1; // the last place before `place_ns`
        let (cycle, offset_ns) = (last_ns / list.period_ns(), last_ns % list.period_ns());
        self.next = Cursor { cycle, index: list.count_until(offset_ns) };
    }

    fn finish_at_opportunities(
        &mut self,
        params: &LinkParams,
        trace: &TraceParams,
        list: &Opportunities,
        start: SimTime,
        bytes: usize,
    ) -> SimTime {
        let mut needed = (bytes + TUN_BYTES) as u64;
        let (mut at, mut left) = self.open.filter(|(at, _)| *at == start).unwrap_or((start, 0));
        while needed > left {
            needed -= left;
            match self.next_time(trace, list) {
                Ok(next) => (at, left) = (next, OPPORTUNITY_BYTES),
                Err(end) => {
                    self.open = None;
                    return at.max(end) + params.serialisation(needed.min(bytes as u64) as usize);
                }
            }
            self.next.advance(list);
        }
        self.open = Some((at, left - needed));
        at
    }
}

impl Cursor {
    fn place_ns(self, list: &Opportunities) -> u64 {
        let offset_ns = u64::from(list.times_ms[self.index]) * MS_NS;
        self.cycle.saturating_mul(list.period_ns()).saturating_add(offset_ns)
    }

    fn advance(&mut self, list: &Opportunities) {
        self.index += 1;
        if self.index == list.times_ms.len() {
            *self = Cursor { cycle: self.cycle + 1, index: 0 };
        }
    }
}

impl TraceParams {
    /// The place in the repeated trace at a time of the run, in ns.
    fn place_ns(&self, at: SimTime) -> u64 {
        (at + self.start).as_ns()
    }

    /// The time of the run at a place in the repeated trace. For places before the run's start it is the run's start.
    fn time_at(&self, place_ns: u64) -> SimTime {
        SimTime::from_ns(place_ns.saturating_sub(self.start.as_nanos() as u64))
    }
}

fn finish_at_rates(params: &LinkParams, trace: &TraceParams, rates: &Steps, start: SimTime, bytes: usize) -> SimTime {
    let (place_ns, period_ns) = (trace.place_ns(start), rates.period_ns());
    if !trace.repeats && place_ns >= period_ns {
        return start + params.serialisation(bytes);
    }
    // the amounts are bits times 10^9: the product of bits per second and ns
    let mut needed = bytes as u128 * 8_000_000_000;
    let mut passed_ns = 0;
    if let Some(ns) = time_within(rates, place_ns % period_ns, &mut needed) {
        return start + Duration::from_nanos(ns);
    }
    passed_ns += period_ns - place_ns % period_ns;
    if !trace.repeats {
        let rate = u128::from(params.rate_bps);
        return start + Duration::from_nanos(passed_ns + rounded_quotient(needed, rate));
    }
    let whole_periods = (needed - 1) / rates.integral();
    needed -= whole_periods * rates.integral();
    passed_ns = passed_ns.saturating_add(period_ns.saturating_mul(u64::try_from(whole_periods).unwrap_or(u64::MAX)));
    let Some(ns) = time_within(rates, 0, &mut needed) else { unreachable!("a whole period has enough capacity") };
    start + Duration::from_nanos(passed_ns.saturating_add(ns))
}

/// Returns the time in ns that it takes to deliver `needed` (in bits times 10^9) if the delivery begins at the time
/// `offset_ns` of the period. If the rest of the period does not have enough capacity, the capacity of this rest is
/// subtracted from `needed`, and the result is `None`.
fn time_within(rates: &Steps, offset_ns: u64, needed: &mut u128) -> Option<u64> {
    let mut passed_ns = 0;
    for step in rates.from(offset_ns) {
        let capacity = u128::from(step.value) * u128::from(step.left_ns);
        if capacity >= *needed {
            return Some(passed_ns + rounded_quotient(*needed, u128::from(step.value)));
        }
        *needed -= capacity;
        passed_ns += step.left_ns;
    }
    None
}

fn rounded_quotient(amount: u128, rate: u128) -> u64 {
    u64::try_from((amount + rate / 2) / rate).unwrap_or(u64::MAX)
}

/// Bytes that one delivery opportunity can carry. It is the largest payload of the TUN devices of Mahimahi
/// (`PACKET_SIZE` in its `link_queue.hh`).
pub const OPPORTUNITY_BYTES: u64 = 1504;
/// Bytes that Mahimahi counts for each packet in addition to the IP packet: the header of its TUN device.
const TUN_BYTES: usize = 4;
const MS_NS: u64 = 1_000_000;

#[cfg(test)]
#[path = "capacity_test.rs"]
mod tests;
