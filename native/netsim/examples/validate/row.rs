use std::array::from_fn;

use serde_json::{Map, Value, json};

use crate::Load;
use crate::cell::{Cell, Transport};
use crate::chance::{self, most_far};
use crate::statistic::Statistic;

/// A cell with the comparison of computed loads and reference loads.
pub struct Row {
    pub cell: Cell,
    pub runs: usize,
    /// How many loads did not complete.
    pub failed: usize,
    /// The compared times, in the order of [`MEASURES`].
    pub measures: [Measure; MEASURES.len()],
    /// The mean number of packets that the queue dropped, if the reference has this number.
    pub drops: Option<Drops>,
}

/// Packets that the queue towards the client dropped in a load, on average.
#[derive(Clone, Copy, Debug)]
pub struct Drops {
    pub ours: f64,
    pub reference: f64,
}

/// The comparison of one time of the page.
pub struct Measure {
    pub ours: Statistic,
    /// z of the difference of the means; `None` if nothing varies.
    pub z: Option<f64>,
    /// The mean of the computed loads divided by the reference's mean.
    pub ratio: f64,
    /// The median of the computed loads divided by the reference's median.
    pub median_ratio: f64,
}

/// The times that are compared, with their indices in [`Cell::each`]. P25 and P50 are the times until every object has
/// 25 and 50 % of its body.
pub const MEASURES: [(&str, usize); 3] = [("T", 3), ("P25", 0), ("P50", 1)];

impl Row {
    pub fn new(cell: &Cell, loads: &[Option<Load>]) -> Row {
        let whole: Vec<&Load> = loads.iter().flatten().collect();
        let measures = MEASURES.map(|(_, percent)| {
            let seconds: Vec<f64> = whole.iter().map(|load| load.progress.seconds(percent)).collect();
            let (ours, reference) = (Statistic::of(&seconds), &cell.each[percent]);
            let (ratio, median_ratio) = (ours.mean / reference.mean, ours.median / reference.median);
            Measure { z: ours.z_against(reference), ours, ratio, median_ratio }
        });
        let dropped = whole.iter().map(|load| load.drops).sum::<u64>() as f64 / whole.len() as f64;
        let drops = cell.drops.map(|reference| Drops { ours: dropped, reference: reference.mean });
        Row { cell: cell.clone(), runs: loads.len(), failed: loads.len() - whole.len(), measures, drops }
    }

    /// The name of the cell's configuration. Each configuration is also judged as a whole.
    pub fn reference(&self) -> String {
        match &self.cell.transport {
            Transport::Tcp { config, .. } => format!("TCP {config}"),
            Transport::Sctp { set, .. } => format!("SCTP {set}"),
        }
    }

    pub fn streams(&self) -> Option<u16> {
        match self.cell.transport {
            Transport::Tcp { .. } => None,
            Transport::Sctp { streams, .. } => Some(streams),
        }
    }

    pub fn json(&self) -> Value {
        let cell = &self.cell;
        json!({
            "reference": self.reference(), "rttMs": cell.rtt_ms, "loss": cell.loss,
            "objects": cell.objects, "objectBytes": cell.object_bytes, "streams": self.streams(),
            "n": self.runs, "failed": self.failed,
            "mean": self.each(|measure| measure.ours.mean.into()),
            "z": self.each(|measure| measure.z.into()),
            "ratio": self.each(|measure| measure.ratio.into()),
            "medianRatio": self.each(|measure| measure.median_ratio.into()),
        })
    }

    fn each(&self, pick: impl Fn(&Measure) -> Value) -> Value {
        let pairs = MEASURES.iter().zip(&self.measures);
        Value::Object(pairs.map(|((name, _), measure)| ((*name).to_owned(), pick(measure))).collect::<Map<_, _>>())
    }
}

/// All cells of one configuration.
pub struct Configuration {
    pub reference: String,
    pub cells: usize,
    /// Geometric means of the ratios of means, in the order of [`MEASURES`].
    pub ratios: [f64; MEASURES.len()],
}

impl Configuration {
    /// The configurations in the order of the rows.
    pub fn all(rows: &[Row]) -> Vec<Configuration> {
        let mut names: Vec<String> = rows.iter().map(Row::reference).collect();
        names.dedup();
        names.into_iter().map(|reference| Self::new(reference, rows)).collect()
    }

    /// How far a geometric mean may be from 1. The limit is smaller for TCP, which follows the rules of the kernel,
    /// than for SCTP, whose stack is not that of FreeBSD.
    pub fn tolerance(&self) -> f64 {
        if self.reference.starts_with("TCP") { 0.03 } else { 0.05 }
    }

    pub fn passes(&self) -> bool {
        self.ratios.iter().all(|ratio| (ratio - 1.0).abs() <= self.tolerance())
    }

    pub fn json(&self) -> Value {
        let ratios = MEASURES.iter().zip(self.ratios).map(|((name, _), ratio)| ((*name).to_owned(), ratio.into()));
        json!({
            "reference": self.reference, "cells": self.cells,
            "geometricMean": Value::Object(ratios.collect::<Map<_, _>>()),
        })
    }

    fn new(reference: String, rows: &[Row]) -> Configuration {
        let own: Vec<&Row> = rows.iter().filter(|row| row.reference() == reference).collect();
        let ratios = from_fn(|measure| {
            let logs = own.iter().map(|row| row.measures[measure].ratio.ln());
            (logs.sum::<f64>() / own.len() as f64).exp()
        });
        Configuration { reference, cells: own.len(), ratios }
    }
}

/// Returns the number of cells whose times vary, and the number of these cells that are far off
/// ([`chance::count_far`]).
pub fn count_far(rows: &[Row]) -> (usize, usize) {
    chance::count_far(rows.iter().map(|row| row.measures.iter().filter_map(|measure| measure.z)))
}

/// Whether all loads completed, no more cells are far off than chance allows, and every configuration passes.
pub fn all_pass(rows: &[Row]) -> bool {
    let (count, far) = count_far(rows);
    far <= most_far(count)
        && rows.iter().all(|row| row.failed == 0)
        && Configuration::all(rows).iter().all(Configuration::passes)
}
