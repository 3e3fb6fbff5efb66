use serde_json::{Map, Value, json};

use crate::cells::{Cell, RTT_SPREAD};
use crate::load::Load;
use crate::page::PERCENTS;

/// The statistics of a cell, as in the other files of fixtures/reference.
pub fn cell(config: &str, cell: &Cell, loads: &[Load]) -> Value {
    let each = PERCENTS.iter().enumerate().map(|(index, percent)| {
        let seconds: Vec<f64> = loads.iter().map(|load| load.progress.seconds(index)).collect();
        (percent.to_string(), statistic(&seconds, 1e6))
    });
    let packets: Vec<f64> = loads.iter().map(|load| load.sent as f64).collect();
    let drops: Vec<f64> = loads.iter().map(|load| load.dropped as f64).collect();
    json!({
        "config": config, "rateBps": cell.rate_bps, "rttMs": cell.rtt_ms, "loss": cell.loss,
        "rttSpread": RTT_SPREAD, "jitterUs": cell.jitter_us, "firstSeed": cell.first_seed,
        "queuePackets": cell.queue_packets, "objects": cell.objects, "objectBytes": cell.object_bytes,
        "runs": loads.len(), "PEach": Value::Object(each.collect::<Map<_, _>>()),
        "packets": statistic(&packets, 1e3), "drops": statistic(&drops, 1e3),
    })
}

/// Mean, median and standard deviation, rounded to multiples of 1/`scale`.
fn statistic(values: &[f64], scale: f64) -> Value {
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    let deviation = (squares / (count - 1.0).max(1.0)).sqrt();
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let median = (sorted[(sorted.len() - 1) / 2] + sorted[sorted.len() / 2]) / 2.0;
    let round = |value: f64| (value * scale).round() / scale;
    json!({ "mean": round(mean), "median": round(median), "stdev": round(deviation) })
}
