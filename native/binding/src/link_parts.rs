//! Parts of a link: the discipline of its queue, its policer, and its random jitter, reordering and copies.

use std::time::Duration;

use netsim::link::{
    CoDelParams, Distribution, DualPi2Params, Duplication, FqCoDelParams, Jitter, PieParams, PolicerParams, QueueKind,
    Reordering,
};
use serde::Deserialize;

use crate::error::Result;
use crate::options::whole;

/// The discipline of a queue. Settings that are absent have the defaults of the discipline's RFC, except for the step
/// of DualPI2, whose default is that of Linux.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, tag = "kind", rename_all = "snake_case", rename_all_fields = "camelCase")]
pub enum RawQueue {
    #[default]
    Droptail,
    Codel {
        target_ns: Option<f64>,
        interval_ns: Option<f64>,
        marks: Option<bool>,
        mark_from_ns: Option<f64>,
    },
    FqCodel {
        target_ns: Option<f64>,
        interval_ns: Option<f64>,
        marks: Option<bool>,
        mark_from_ns: Option<f64>,
        flows: Option<f64>,
        quantum_bytes: Option<f64>,
    },
    Pie {
        target_ns: Option<f64>,
        update_ns: Option<f64>,
        marks: Option<bool>,
    },
    Dualpi2 {
        target_ns: Option<f64>,
        step_ns: Option<f64>,
        marks: Option<bool>,
    },
}

impl RawQueue {
    /// `name` is the name of this object in errors.
    pub fn read(self, name: &str) -> Result<QueueKind> {
        let time = |ns: Option<f64>, key: &str, default: Duration| -> Result<_> {
            let Some(ns) = ns else { return Ok(default) };
            Ok(Duration::from_nanos(whole(ns, &format!("{name}.{key}"), 1.0, 1e10)? as u64))
        };
        let codel = |target_ns, interval_ns, marks: Option<bool>, mark_from_ns: Option<f64>| -> Result<_> {
            let usual = CoDelParams::default();
            Ok(CoDelParams {
                target: time(target_ns, "targetNs", usual.target)?,
                interval: time(interval_ns, "intervalNs", usual.interval)?,
                marks: marks.unwrap_or(usual.marks),
                mark_from: mark_from_ns.map(|ns| time(Some(ns), "markFromNs", Duration::ZERO)).transpose()?,
            })
        };
        let count = |number: Option<f64>, key: &str, most: f64, default: u32| -> Result<_> {
            let Some(number) = number else { return Ok(default) };
            Ok(whole(number, &format!("{name}.{key}"), 1.0, most)? as u32)
        };
        Ok(match self {
            RawQueue::Droptail => QueueKind::DropTail,
            RawQueue::Codel { target_ns, interval_ns, marks, mark_from_ns } => {
                QueueKind::CoDel(codel(target_ns, interval_ns, marks, mark_from_ns)?)
            }
            RawQueue::FqCodel { target_ns, interval_ns, marks, mark_from_ns, flows, quantum_bytes } => {
                let usual = FqCoDelParams::default();
                QueueKind::FqCoDel(FqCoDelParams {
                    codel: codel(target_ns, interval_ns, marks, mark_from_ns)?,
                    flows: count(flows, "flows", 65536.0, usual.flows)?,
                    quantum_bytes: count(quantum_bytes, "quantumBytes", 1e6, usual.quantum_bytes)?,
                })
            }
            RawQueue::Pie { target_ns, update_ns, marks } => {
                let usual = PieParams::default();
                QueueKind::Pie(PieParams {
                    target: time(target_ns, "targetNs", usual.target)?,
                    update: time(update_ns, "updateNs", usual.update)?,
                    marks: marks.unwrap_or(usual.marks),
                })
            }
            RawQueue::Dualpi2 { target_ns, step_ns, marks } => {
                let usual = DualPi2Params::default();
                QueueKind::DualPi2(DualPi2Params {
                    target: time(target_ns, "targetNs", usual.target)?,
                    step: time(step_ns, "stepNs", usual.step)?,
                    marks: marks.unwrap_or(usual.marks),
                })
            }
        })
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct RawJitter {
    spread_ns: f64,
    distribution: RawDistribution,
    #[serde(default)]
    correlation: f64,
    #[serde(default)]
    in_order: bool,
}

#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum RawDistribution {
    Uniform,
    Normal,
    Pareto,
}

impl RawJitter {
    /// `name` is the name of this object in errors.
    pub fn read(self, name: &str) -> Result<Jitter> {
        let spread_ns = whole(self.spread_ns, &format!("{name}.spreadNs"), 0.0, 3.6e12)?;
        let distribution = match self.distribution {
            RawDistribution::Uniform => Distribution::Uniform,
            RawDistribution::Normal => Distribution::Normal,
            RawDistribution::Pareto => Distribution::Pareto,
        };
        let (correlation, in_order) = (self.correlation, self.in_order);
        Ok(Jitter { spread: Duration::from_nanos(spread_ns as u64), distribution, correlation, in_order })
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RawReordering {
    rate: f64,
    #[serde(default)]
    correlation: f64,
    #[serde(default)]
    gap: Option<f64>,
}

impl RawReordering {
    /// `name` is the name of this object in errors.
    pub fn read(self, name: &str) -> Result<Reordering> {
        let RawReordering { rate, correlation, gap } = self;
        let gap = whole(gap.unwrap_or(1.0), &format!("{name}.gap"), 1.0, f64::from(u32::MAX))? as u32;
        Ok(Reordering { rate, correlation, gap })
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RawDuplication {
    rate: f64,
    #[serde(default)]
    correlation: f64,
}

impl RawDuplication {
    pub fn read(self) -> Duplication {
        Duplication { rate: self.rate, correlation: self.correlation }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct RawPolicer {
    rate_bps: f64,
    burst_bytes: f64,
}

impl RawPolicer {
    /// `name` is the name of this object in errors.
    pub fn read(self, name: &str) -> Result<PolicerParams> {
        Ok(PolicerParams {
            rate_bps: whole(self.rate_bps, &format!("{name}.rateBps"), 1.0, 1e12)? as u64,
            burst_bytes: whole(self.burst_bytes, &format!("{name}.burstBytes"), 1.0, 1e9)? as u64,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn queue(json: &str) -> std::result::Result<QueueKind, String> {
        let raw: RawQueue = serde_json::from_str(json).map_err(|error| error.to_string())?;
        raw.read("queue").map_err(|error| error.message)
    }

    #[test]
    fn each_discipline_has_the_defaults_of_its_rfc() {
        for (json, kind) in [
            (r#"{"kind": "droptail"}"#, QueueKind::DropTail),
            (r#"{"kind": "codel"}"#, QueueKind::CoDel(CoDelParams::default())),
            (r#"{"kind": "fq_codel"}"#, QueueKind::FqCoDel(FqCoDelParams::default())),
            (r#"{"kind": "pie"}"#, QueueKind::Pie(PieParams::default())),
            (r#"{"kind": "dualpi2"}"#, QueueKind::DualPi2(DualPi2Params::default())),
        ] {
            assert_eq!(queue(json), Ok(kind));
        }
    }

    #[test]
    fn settings_are_read_and_unknown_ones_are_refused() {
        let QueueKind::FqCoDel(params) = queue(
            r#"{"kind": "fq_codel", "targetNs": 1, "intervalNs": 2, "marks": false, "markFromNs": 3, "flows": 4,
                "quantumBytes": 5}"#,
        )
        .unwrap() else {
            panic!("another kind")
        };
        let ns = Duration::from_nanos;
        let codel = CoDelParams { target: ns(1), interval: ns(2), marks: false, mark_from: Some(ns(3)) };
        assert_eq!(params, FqCoDelParams { codel, flows: 4, quantum_bytes: 5 });
        assert_eq!(
            queue(r#"{"kind": "pie", "targetNs": 0}"#).unwrap_err(),
            "invalid queue.targetNs: 0 (must be a whole number, 1–10000000000)"
        );
        assert!(queue(r#"{"kind": "pie", "flows": 3}"#).unwrap_err().contains("unknown field"));
        assert!(queue(r#"{"kind": "red"}"#).unwrap_err().contains("unknown variant"));
    }
}
