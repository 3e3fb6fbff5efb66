//! Options of other traffic: the flows that share the path with the page loads.

use std::time::Duration;

use netsim::congestion::Kind;
use netsim::link::Direction;
use netsim::tcp::Profile;
use netsim::time::SimTime;
use netsim::traffic::{FlowKind, FlowOptions};
use serde::Deserialize;

use crate::error::{Result, invalid};
use crate::options::{MAX_SAFE_INTEGER, whole};

/// One flow. Times are relative to the start of the run, or to the emulator's time 0. In [`RawTraffic`] they are
/// relative to the time at which the flows replace the current ones.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, tag = "kind", rename_all = "kebab-case", rename_all_fields = "camelCase")]
pub enum RawFlow {
    Tcp { direction: RawDirection, congestion: String, start_ns: f64, end_ns: Option<f64> },
    Cbr { direction: RawDirection, rate_bps: f64, packet_bytes: f64, start_ns: f64, end_ns: Option<f64> },
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RawDirection {
    Down,
    Up,
}

/// Returns the flows, with times relative to the start of the simulation, and the time from this start to the start of
/// the run. The simulation starts before the run if a flow does.
pub fn read_flows(flows: Vec<RawFlow>) -> Result<(Vec<FlowOptions>, Duration)> {
    let flows: Vec<_> = flows.into_iter().enumerate().map(|(number, flow)| flow.read(number)).collect::<Result<_>>()?;
    let first_ns = flows.iter().map(|flow| flow.start_ns).fold(0.0, f64::min);
    let lead = Duration::from_nanos(-first_ns as u64);
    // a time before the start of the simulation becomes this start
    let at = |run_ns: f64| SimTime::from_ns((run_ns - first_ns).max(0.0) as u64);
    let options = flows.into_iter().map(|ReadFlow { kind, direction, start_ns, end_ns }| FlowOptions {
        kind,
        direction,
        start: at(start_ns),
        end: end_ns.map(at),
    });
    Ok((options.collect(), lead))
}

/// The flows that replace the current flows of a running path. Times are relative to the time of this replacement.
#[derive(Deserialize)]
#[serde(transparent)]
pub struct RawTraffic(Vec<RawFlow>);

impl RawTraffic {
    pub fn read(self) -> Result<Vec<FlowOptions>> {
        let (flows, lead) = read_flows(self.0)?;
        let refuse = || invalid("invalid startNs (must be at least 0 while the path is running)");
        if lead.is_zero() { Ok(flows) } else { Err(refuse()) }
    }
}

struct ReadFlow {
    kind: FlowKind,
    direction: Direction,
    start_ns: f64,
    end_ns: Option<f64>,
}

impl RawFlow {
    /// `number` is the flow's place in the list, for errors.
    fn read(self, number: usize) -> Result<ReadFlow> {
        let key = |key: &str| format!("traffic[{number}].{key}");
        let (kind, direction, start_ns, end_ns) = match self {
            RawFlow::Tcp { direction, congestion, start_ns, end_ns } => {
                let bulk = Profile::named(BULK_PROFILE).zip(Kind::named(&congestion));
                let profile = bulk.map(|(profile, kind)| profile.with_congestion(kind));
                let unknown = || invalid(format!("invalid {}: {congestion}", key("congestion")));
                (FlowKind::Tcp { profile: profile.ok_or_else(unknown)? }, direction, start_ns, end_ns)
            }
            RawFlow::Cbr { direction, rate_bps, packet_bytes, start_ns, end_ns } => {
                let rate_bps = whole(rate_bps, &key("rateBps"), 1.0, 1e12)? as u64;
                let packet_bytes = whole(packet_bytes, &key("packetBytes"), 28.0, 65535.0)? as u16;
                (FlowKind::ConstantRate { rate_bps, packet_bytes }, direction, start_ns, end_ns)
            }
        };
        let direction = match direction {
            RawDirection::Down => Direction::Down,
            RawDirection::Up => Direction::Up,
        };
        whole(start_ns, &key("startNs"), -LONGEST_LEAD_NS, MAX_SAFE_INTEGER / 2.0)?;
        if let Some(end_ns) = end_ns {
            whole(end_ns, &key("endNs"), -LONGEST_LEAD_NS, MAX_SAFE_INTEGER / 2.0)?;
        }
        Ok(ReadFlow { kind, direction, start_ns, end_ns })
    }
}

/// The profile of the flows of kind `tcp`.
const BULK_PROFILE: &str = "modern";
/// How long before the run a flow may start at most, in ns: an hour.
const LONGEST_LEAD_NS: f64 = 3.6e12;
