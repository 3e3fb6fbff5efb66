use std::time::Duration;

use super::{
    CapacityTrace, DelayTrace, Direction, Duplication, Jitter, Link, LossApplies, LossAt, LossModel, PolicerParams,
    QueueKind, Reordering, TraceParams,
};
use crate::time::SimTime;

/// The settings of one direction.
#[derive(Clone, Debug, PartialEq)]
pub struct LinkParams {
    /// Rate in bits per second, 1–10^12. All bytes of the IP packet count. With a trace this is the rate after the end
    /// of the trace.
    pub rate_bps: u64,
    /// How the capacity changes. `None`, the default, means that the rate is constant.
    pub trace: Option<TraceParams>,
    /// Propagation delay, at most an hour. On a symmetric path it is half of the RTT.
    pub delay: Duration,
    /// How the delay changes. `None`, the default, means that it is constant.
    pub delay_trace: Option<DelayTrace>,
    pub jitter: Option<Jitter>,
    pub reorder: Option<Reordering>,
    pub duplicate: Option<Duplication>,
    /// Drops packets before they enter the queue.
    pub policer: Option<PolicerParams>,
    pub loss: LossModel,
    pub loss_applies: LossApplies,
    pub loss_at: LossAt,
    pub queue: QueueKind,
    /// The queue's limit in packets, at least 1. The packet that is being serialised counts, except on a link with a
    /// trace of delivery opportunities, as in Mahimahi.
    pub queue_packets: u32,
    /// The queue's limit in bytes of IP packets, at least 1. `None`, the default, means no limit.
    pub queue_bytes: Option<u64>,
}

/// A path's settings: both directions and the MTU. `down` is server → client.
#[derive(Clone, Debug, PartialEq)]
pub struct PathParams {
    pub down: LinkParams,
    pub up: LinkParams,
    /// Size of the largest IP packet in bytes, 576–65535 (RFC 791 §3.2: every host accepts 576).
    pub mtu_bytes: u16,
}

/// The error for a setting that is outside its limits.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("invalid {name}: {value} (must be {limit})")]
pub struct LinkError {
    pub name: &'static str,
    pub value: String,
    pub limit: &'static str,
}

impl LinkParams {
    /// A link without loss, with a queue of 1000 packets.
    pub fn new(rate_bps: u64, delay: Duration) -> Self {
        LinkParams {
            rate_bps,
            trace: None,
            delay,
            delay_trace: None,
            jitter: None,
            reorder: None,
            duplicate: None,
            policer: None,
            loss: LossModel::None,
            loss_applies: LossApplies::All,
            loss_at: LossAt::Entry,
            queue: QueueKind::DropTail,
            queue_packets: 1000,
            queue_bytes: None,
        }
    }

    pub fn with_loss(self, loss: LossModel) -> Self {
        LinkParams { loss, ..self }
    }

    pub fn with_loss_applied_to(self, loss_applies: LossApplies) -> Self {
        LinkParams { loss_applies, ..self }
    }

    pub fn with_loss_at(self, loss_at: LossAt) -> Self {
        LinkParams { loss_at, ..self }
    }

    /// Returns the settings for a simulation that starts `lead` before its run. The traces are shifted so that they are
    /// at their `start` when the run starts.
    ///
    /// # Errors
    /// `lead` is not zero and a trace is not repeated. Such a trace has no values before the run.
    pub fn started_before(self, lead: Duration) -> Result<Self, LinkError> {
        let is_endless = self.trace.as_ref().is_none_or(|trace| trace.repeats)
            && self.delay_trace.as_ref().is_none_or(|trace| trace.repeats);
        check(lead.is_zero() || is_endless, "trace.repeats", false, "true if other traffic starts before the run")?;
        let trace = self.trace.map(|trace| {
            let start = place_before(trace.start, lead, trace.trace.period());
            TraceParams { start, ..trace }
        });
        let delay_trace = self.delay_trace.map(|trace| {
            let start = place_before(trace.start, lead, trace.delays.period());
            DelayTrace { start, ..trace }
        });
        Ok(LinkParams { trace, delay_trace, ..self })
    }

    /// The time to serialise one packet, rounded to the nearest nanosecond.
    pub fn serialisation(&self, packet_bytes: usize) -> Duration {
        let bit_ns = packet_bytes as u128 * 8_000_000_000;
        let rate = u128::from(self.rate_bps);
        let ns = (bit_ns + rate / 2) / rate;
        Duration::from_nanos(u64::try_from(ns).unwrap_or(u64::MAX))
    }

    /// # Errors
    /// A setting is outside its limits. The error names the first such setting.
    pub fn validate(&self) -> Result<(), LinkError> {
        check((1..=1_000_000_000_000).contains(&self.rate_bps), "rateBps", self.rate_bps, "1–10^12")?;
        check(self.delay <= Duration::from_secs(3600), "delayNs", self.delay.as_nanos(), "at most 3.6·10^12")?;
        check(self.queue_packets >= 1, "queuePackets", self.queue_packets, "at least 1")?;
        self.queue.validate()?;
        if let Some(bytes) = self.queue_bytes {
            check(bytes >= 1, "queueBytes", bytes, "at least 1")?;
        }
        if let Some(TraceParams { trace, start, .. }) = &self.trace {
            check(trace.can_deliver(), "trace", "its capacity is always 0", "above 0 at some time")?;
            check(*start < trace.period(), "trace.startNs", start.as_nanos(), "less than the length of the trace")?;
        }
        if let Some(DelayTrace { delays, start, .. }) = &self.delay_trace {
            let longest = delays.values().max().unwrap_or(0);
            check(longest <= LONGEST_DELAY_NS, "delayTrace", longest, "at most 3.6·10^12")?;
            check(
                *start < delays.period(),
                "delayTrace.startNs",
                start.as_nanos(),
                "less than the length of the trace",
            )?;
        }
        self.jitter.map_or(Ok(()), |jitter| jitter.validate())?;
        self.reorder.map_or(Ok(()), |reorder| reorder.validate())?;
        self.duplicate.map_or(Ok(()), |duplicate| duplicate.validate())?;
        self.policer.map_or(Ok(()), |policer| policer.validate())?;
        self.loss.validate()
    }

    pub(super) fn has_random_delay(&self) -> bool {
        self.jitter.is_some() || self.reorder.is_some() || self.duplicate.is_some()
    }

    /// The delay of a packet whose serialisation ends at this time.
    pub(super) fn delay_at(&self, left: SimTime) -> Duration {
        self.delay_trace.as_ref().and_then(|trace| trace.at(left)).unwrap_or(self.delay)
    }

    /// No packet has a shorter delay than this. The bound is 0 if the delay varies.
    pub fn least_delay(&self) -> Duration {
        let is_random = self.jitter.is_some() || self.reorder.is_some();
        if is_random || self.delay_trace.is_some() { Duration::ZERO } else { self.delay }
    }

    pub(super) fn has_opportunities(&self) -> bool {
        self.trace.as_ref().is_some_and(|trace| matches!(*trace.trace, CapacityTrace::Opportunities(_)))
    }
}

impl LossModel {
    fn validate(&self) -> Result<(), LinkError> {
        match self {
            LossModel::None | LossModel::List(_) => Ok(()),
            LossModel::Bernoulli { rate } => probability("loss.rate", *rate),
            LossModel::GilbertElliott { p, r, h, k } => {
                probability("loss.p", *p)?;
                probability("loss.r", *r)?;
                probability("loss.h", *h)?;
                probability("loss.k", *k)
            }
        }
    }
}

impl PathParams {
    /// Returns a path with the same link in both directions. The delay of each is half of `rtt`, and the MTU is 1500.
    pub fn symmetric(rate_bps: u64, rtt: Duration, loss: LossModel) -> Self {
        let link = LinkParams::new(rate_bps, rtt / 2).with_loss(loss);
        PathParams { down: link.clone(), up: link, mtu_bytes: 1500 }
    }

    /// # Errors
    /// A setting is outside its limits. The error names the first such setting.
    pub fn validate(&self) -> Result<(), LinkError> {
        self.down.validate()?;
        self.up.validate()?;
        check(self.mtu_bytes >= 576, "mtuBytes", self.mtu_bytes, "576–65535")
    }
}

/// The links of both directions.
#[derive(Debug)]
pub struct Path<T> {
    pub down: Link<T>,
    pub up: Link<T>,
}

impl<T> Path<T> {
    /// # Errors
    /// A setting is outside its limits. The error names the first such setting.
    pub fn new(seed: u64, params: PathParams) -> Result<Self, LinkError> {
        params.validate()?;
        Ok(Path { down: Link::new(seed, Direction::Down, params.down), up: Link::new(seed, Direction::Up, params.up) })
    }

    pub fn link_mut(&mut self, direction: Direction) -> &mut Link<T> {
        match direction {
            Direction::Down => &mut self.down,
            Direction::Up => &mut self.up,
        }
    }
}

/// The place of a repeated trace that comes `lead` before `start`.
fn place_before(start: Duration, lead: Duration, period: Duration) -> Duration {
    let (start, lead, period) = (start.as_nanos(), lead.as_nanos(), period.as_nanos());
    Duration::from_nanos(((start + period - lead % period) % period) as u64)
}

pub(super) fn probability(name: &'static str, value: f64) -> Result<(), LinkError> {
    check((0.0..=1.0).contains(&value), name, value, "0–1")
}

pub(super) fn check(ok: bool, name: &'static str, value: impl ToString, limit: &'static str) -> Result<(), LinkError> {
    if ok { Ok(()) } else { Err(LinkError { name, value: value.to_string(), limit }) }
}

const LONGEST_DELAY_NS: u64 = 3_600_000_000_000;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_setting_outside_its_limits_is_refused_by_name_and_limit() {
        let good = LinkParams::new(1, Duration::from_secs(3600));
        assert_eq!(good.validate(), Ok(()));
        let burst = |p: f64, r: f64, h: f64, k: f64| LossModel::GilbertElliott { p, r, h, k };
        let with = |loss| good.clone().with_loss(loss);
        for (params, refusal) in [
            (LinkParams { rate_bps: 0, ..good.clone() }, "invalid rateBps: 0 (must be 1–10^12)"),
            (
                LinkParams { rate_bps: 1_000_000_000_001, ..good.clone() },
                "invalid rateBps: 1000000000001 (must be 1–10^12)",
            ),
            (
                LinkParams::new(1, Duration::from_nanos(3_600_000_000_001)),
                "invalid delayNs: 3600000000001 (must be at most 3.6·10^12)",
            ),
            (LinkParams { queue_packets: 0, ..good.clone() }, "invalid queuePackets: 0 (must be at least 1)"),
            (LinkParams { queue_bytes: Some(0), ..good.clone() }, "invalid queueBytes: 0 (must be at least 1)"),
            (with(LossModel::Bernoulli { rate: 1.1 }), "invalid loss.rate: 1.1 (must be 0–1)"),
            (with(LossModel::Bernoulli { rate: f64::NAN }), "invalid loss.rate: NaN (must be 0–1)"),
            (with(burst(-0.1, 0.0, 0.0, 0.0)), "invalid loss.p: -0.1 (must be 0–1)"),
            (with(burst(0.0, 2.0, 0.0, 0.0)), "invalid loss.r: 2 (must be 0–1)"),
            (with(burst(0.0, 0.0, 2.0, 0.0)), "invalid loss.h: 2 (must be 0–1)"),
            (with(burst(0.0, 0.0, 0.0, 2.0)), "invalid loss.k: 2 (must be 0–1)"),
        ] {
            assert_eq!(params.validate().unwrap_err().to_string(), refusal);
            for path in [
                PathParams { down: params.clone(), up: good.clone(), mtu_bytes: 1500 },
                PathParams { down: good.clone(), up: params, mtu_bytes: 1500 },
            ] {
                assert_eq!(Path::<()>::new(1, path).unwrap_err().to_string(), refusal);
            }
        }
        let path = |mtu_bytes| PathParams { down: good.clone(), up: good.clone(), mtu_bytes };
        assert_eq!(path(576).validate(), Ok(()));
        assert_eq!(path(575).validate().unwrap_err().to_string(), "invalid mtuBytes: 575 (must be 576–65535)");
        assert_eq!(with(burst(1.0, 0.0, 1.0, 0.0)).validate(), Ok(()));
    }
}
