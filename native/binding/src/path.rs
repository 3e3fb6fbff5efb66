//! Options of a run (the seed, the path with its two links, the recording, the limits, and other traffic) and of an
//! emulator (the seed, the path, and other traffic).

use std::collections::BTreeSet;
use std::time::Duration;

use netsim::emulator::Emulator;
use netsim::link::{Direction, DropList, LinkParams, LossApplies, LossAt, LossModel, PathParams};
use netsim::sim::{RunLimits, Simulation, SimulationOptions};
use netsim::trace::Recording;
use serde::Deserialize;

use crate::error::{Result, invalid, link};
use crate::link_parts::{RawDuplication, RawJitter, RawPolicer, RawQueue, RawReordering};
use crate::link_trace::{RawDelayTrace, RawTrace};
use crate::options::{MAX_SAFE_INTEGER, whole};
use crate::traffic::{RawFlow, read_flows};

/// Reads the name of a direction. `None` stands for a value that is not a string.
pub fn direction(name: Option<&str>) -> Result<Direction> {
    match name {
        Some("down") => Ok(Direction::Down),
        Some("up") => Ok(Direction::Up),
        _ => Err(invalid("invalid direction (must be 'down' or 'up')")),
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct RawSimulation {
    seed: f64,
    path: RawPath,
    #[serde(default)]
    record: Option<RawRecording>,
    #[serde(default)]
    limits: Option<RawLimits>,
    #[serde(default)]
    traffic: Vec<RawFlow>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawLimits {
    packets: f64,
    steps: f64,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct RawPath {
    down: RawLink,
    up: RawLink,
    mtu_bytes: f64,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct RawLink {
    rate_bps: f64,
    delay_ns: f64,
    loss: RawLoss,
    queue_packets: f64,
    #[serde(default)]
    queue_bytes: Option<f64>,
    #[serde(default)]
    trace: Option<RawTrace>,
    #[serde(default)]
    delay_trace: Option<RawDelayTrace>,
    #[serde(default)]
    queue: RawQueue,
    #[serde(default)]
    jitter: Option<RawJitter>,
    #[serde(default)]
    reorder: Option<RawReordering>,
    #[serde(default)]
    duplicate: Option<RawDuplication>,
    #[serde(default)]
    policer: Option<RawPolicer>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, tag = "model", rename_all = "kebab-case")]
enum RawLoss {
    None {
        #[serde(default)]
        applies: RawApplies,
        #[serde(default)]
        at: RawLossAt,
    },
    Bernoulli {
        rate: f64,
        #[serde(default)]
        applies: RawApplies,
        #[serde(default)]
        at: RawLossAt,
    },
    GilbertElliott {
        p: f64,
        r: f64,
        h: f64,
        k: f64,
        #[serde(default)]
        applies: RawApplies,
        #[serde(default)]
        at: RawLossAt,
    },
    List {
        packets: Vec<f64>,
        #[serde(default)]
        applies: RawApplies,
        #[serde(default)]
        at: RawLossAt,
    },
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RawDrops {
    packets: Vec<f64>,
    #[serde(default)]
    applies: RawApplies,
}

#[derive(Clone, Copy, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum RawApplies {
    #[default]
    All,
    Data,
}

#[derive(Clone, Copy, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum RawLossAt {
    #[default]
    Entry,
    Exit,
}

#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct RawRecording {
    packets: Option<bool>,
    samples: Option<bool>,
    bytes: Option<bool>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RawEmulator {
    seed: f64,
    path: RawPath,
    #[serde(default)]
    traffic: Vec<RawFlow>,
}

impl RawSimulation {
    /// Makes the run that these options describe.
    pub fn open(self) -> Result<Simulation> {
        let limits = self.limits.map_or(Ok(RunLimits::NONE), RawLimits::read)?;
        let record = self.record.unwrap_or_default();
        let is_on = |flag: Option<bool>| flag.unwrap_or(false);
        let options = SimulationOptions {
            seed: whole(self.seed, "seed", 0.0, MAX_SAFE_INTEGER)? as u64,
            path: self.path.read()?,
            recording: Recording {
                packets: is_on(record.packets),
                samples: is_on(record.samples),
                bytes: is_on(record.bytes),
            },
        };
        let (flows, lead) = read_flows(self.traffic)?;
        let run = Simulation::new(options).map_err(link)?.with_limits(limits);
        run.with_traffic(&flows, lead).map_err(invalid)
    }
}

impl RawLimits {
    fn read(self) -> Result<RunLimits> {
        Ok(RunLimits {
            packets: whole(self.packets, "limits.packets", 1.0, MAX_SAFE_INTEGER)? as u64,
            steps: whole(self.steps, "limits.steps", 1.0, MAX_SAFE_INTEGER)? as u64,
        })
    }
}

impl RawEmulator {
    /// Makes the emulator that these options describe.
    pub fn open<T: Clone>(self) -> Result<Emulator<T>> {
        let seed = whole(self.seed, "seed", 0.0, MAX_SAFE_INTEGER)? as u64;
        let emulator = Emulator::new(seed, self.path.read()?).map_err(link)?;
        let (flows, lead) = read_flows(self.traffic)?;
        emulator.with_traffic(&flows, lead).map_err(invalid)
    }
}

impl RawPath {
    pub fn read(self) -> Result<PathParams> {
        Ok(PathParams {
            down: self.down.read("path.down")?,
            up: self.up.read("path.up")?,
            mtu_bytes: whole(self.mtu_bytes, "path.mtuBytes", 576.0, 65535.0)? as u16,
        })
    }
}

impl RawLink {
    /// `name` is the name of this object in errors.
    pub fn read(self, name: &str) -> Result<LinkParams> {
        let key = |key: &str| format!("{name}.{key}");
        let (loss, applies, at) = match self.loss {
            RawLoss::None { applies, at } => (LossModel::None, applies, at),
            RawLoss::Bernoulli { rate, applies, at } => (LossModel::Bernoulli { rate }, applies, at),
            RawLoss::GilbertElliott { p, r, h, k, applies, at } => {
                (LossModel::GilbertElliott { p, r, h, k }, applies, at)
            }
            RawLoss::List { packets, applies, at } => {
                (LossModel::List(packet_numbers(packets, &key("loss.packets"))?), applies, at)
            }
        };
        let loss_at = match at {
            RawLossAt::Entry => LossAt::Entry,
            RawLossAt::Exit => LossAt::Exit,
        };
        let queue_bytes = match self.queue_bytes {
            Some(bytes) => Some(whole(bytes, &key("queueBytes"), 1.0, MAX_SAFE_INTEGER)? as u64),
            None => None,
        };
        let params = LinkParams {
            rate_bps: whole(self.rate_bps, &key("rateBps"), 1.0, 1e12)? as u64,
            trace: self.trace.map(|trace| trace.read(&key("trace"))).transpose()?,
            delay: Duration::from_nanos(whole(self.delay_ns, &key("delayNs"), 0.0, 3.6e12)? as u64),
            delay_trace: self.delay_trace.map(|trace| trace.read(&key("delayTrace"))).transpose()?,
            jitter: self.jitter.map(|jitter| jitter.read(&key("jitter"))).transpose()?,
            reorder: self.reorder.map(|reorder| reorder.read(&key("reorder"))).transpose()?,
            duplicate: self.duplicate.map(RawDuplication::read),
            policer: self.policer.map(|policer| policer.read(&key("policer"))).transpose()?,
            loss,
            loss_applies: applies.read(),
            loss_at,
            queue: self.queue.read(&key("queue"))?,
            queue_packets: whole(self.queue_packets, &key("queuePackets"), 1.0, f64::from(u32::MAX))? as u32,
            queue_bytes,
        };
        params.validate().map_err(link)?;
        Ok(params)
    }
}

impl RawDrops {
    /// `name` is the name of this object in errors.
    pub fn read(self, name: &str) -> Result<DropList> {
        Ok(DropList::new(packet_numbers(self.packets, &format!("{name}.packets"))?, self.applies.read()))
    }
}

impl RawApplies {
    fn read(self) -> LossApplies {
        match self {
            RawApplies::All => LossApplies::All,
            RawApplies::Data => LossApplies::Data,
        }
    }
}

fn packet_numbers(packets: Vec<f64>, name: &str) -> Result<BTreeSet<u64>> {
    packets.into_iter().map(|packet| Ok(whole(packet, name, 0.0, MAX_SAFE_INTEGER)? as u64)).collect()
}
