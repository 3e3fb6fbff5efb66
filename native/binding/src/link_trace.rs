//! The traces of a link's capacity and delay.

use std::sync::Arc;
use std::time::Duration;

use netsim::link::{CapacityTrace, DelayTrace, Opportunities, Steps, TraceParams};
use serde::Deserialize;

use crate::error::{Result, invalid};
use crate::options::{MAX_SAFE_INTEGER, whole};

/// A trace of the capacity, and how a link follows it. It has either `opportunities`, or `rates` and `period_ns`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct RawTrace {
    /// The gaps between the times at which the link can deliver a packet ([`opportunities`]), as text.
    opportunities: Option<String>,
    /// Times in ns, each followed by the rate from then on in bits per second.
    rates: Option<Vec<f64>>,
    period_ns: Option<f64>,
    start_ns: f64,
    repeats: bool,
}

impl RawTrace {
    /// `name` is the name of this object in errors.
    pub fn read(self, name: &str) -> Result<TraceParams> {
        let key = |key: &str| format!("{name}.{key}");
        let trace = match (self.opportunities, self.rates, self.period_ns) {
            (Some(gaps), None, None) => {
                let list = opportunities(&gaps).and_then(Opportunities::new);
                CapacityTrace::Opportunities(list.ok_or_else(|| {
                    invalid(format!(
                        "invalid {} (must be a text that encodes gaps in ms, with a sum of at least 1)",
                        key("opportunities")
                    ))
                })?)
            }
            (None, Some(rates), Some(period)) => {
                CapacityTrace::Rates(steps(&rates, period, 1e12, &key("rates"), &key("periodNs"))?)
            }
            _ => return Err(invalid(format!("invalid {name} (must have opportunities, or rates and periodNs)"))),
        };
        let start = Duration::from_nanos(whole(self.start_ns, &key("startNs"), 0.0, MAX_SAFE_INTEGER)? as u64);
        Ok(TraceParams { trace: Arc::new(trace), start, repeats: self.repeats })
    }
}

/// A trace of the delay. `delays_ns` has times in ns, each followed by the delay from then on in ns.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct RawDelayTrace {
    delays_ns: Vec<f64>,
    period_ns: f64,
    start_ns: f64,
    repeats: bool,
}

impl RawDelayTrace {
    /// `name` is the name of this object in errors.
    pub fn read(self, name: &str) -> Result<DelayTrace> {
        let key = |key: &str| format!("{name}.{key}");
        let delays = steps(&self.delays_ns, self.period_ns, 3.6e12, &key("delaysNs"), &key("periodNs"))?;
        let start = Duration::from_nanos(whole(self.start_ns, &key("startNs"), 0.0, MAX_SAFE_INTEGER)? as u64);
        Ok(DelayTrace { delays: Arc::new(delays), start, repeats: self.repeats })
    }
}

/// Reads pairs of a time in ns and a value of at most `most`.
fn steps(pairs: &[f64], period_ns: f64, most: f64, name: &str, period_name: &str) -> Result<Steps> {
    let period = Duration::from_nanos(whole(period_ns, period_name, 1.0, MAX_SAFE_INTEGER)? as u64);
    let (pairs, rest) = pairs.as_chunks::<2>();
    let rows = pairs.iter().map(|[at, value]| {
        let at = Duration::from_nanos(whole(*at, name, 0.0, MAX_SAFE_INTEGER)? as u64);
        Ok((at, whole(*value, name, 0.0, most)? as u64))
    });
    let steps = Steps::new(rows.collect::<Result<_>>()?, period).filter(|_| rest.is_empty());
    steps.ok_or_else(|| {
        invalid(format!(
            "invalid {name} (must be pairs of a time and a value; the times start at 0 and increase to less \
                         than the period)"
        ))
    })
}

/// Reads the times in ms at which the link can deliver a packet (Mahimahi's opportunities) from the gaps between them.
/// The first gap begins at 0. A gap of 0 to 56 ms is one of the characters from `#` to `[`. Each `]` before this
/// character adds 57 ms to the gap. Returns `None` if the text has other characters, if it ends within a gap, or if a
/// time is not below 2^32.
fn opportunities(gaps: &str) -> Option<Vec<u32>> {
    let (mut times, mut time, mut is_complete) = (Vec::with_capacity(gaps.len()), 0u32, true);
    for byte in gaps.bytes() {
        is_complete = byte != LONG_GAP;
        let gap = match byte {
            LONG_GAP => LONG_GAP_MS,
            b'#'..=b'[' => u32::from(byte - b'#'),
            _ => return None,
        };
        time = time.checked_add(gap)?;
        if is_complete {
            times.push(time);
        }
    }
    is_complete.then_some(times)
}

const LONG_GAP: u8 = b']';
const LONG_GAP_MS: u32 = 57;

#[cfg(test)]
mod tests {
    use super::*;

    fn read(json: &str) -> std::result::Result<TraceParams, String> {
        let raw: RawTrace = serde_json::from_str(json).map_err(|error| error.to_string())?;
        raw.read("trace").map_err(|error| error.message)
    }

    #[test]
    fn gaps_of_all_lengths_are_read() {
        assert_eq!(opportunities("#$[]#]]$"), Some(vec![0, 1, 57, 114, 229]));
        assert_eq!(opportunities(""), Some(vec![]));
        assert_eq!([opportunities("#]"), opportunities("\\"), opportunities("é")], [None, None, None]);
    }

    #[test]
    fn both_kinds_of_traces_are_read() {
        let trace = read(r#"{"opportunities": "%#%", "startNs": 3, "repeats": true}"#).unwrap();
        assert_eq!(trace.trace.period(), Duration::from_millis(4));
        assert_eq!((trace.start, trace.repeats), (Duration::from_nanos(3), true));
        let trace = read(r#"{"rates": [0, 5, 7, 0], "periodNs": 9, "startNs": 0, "repeats": false}"#).unwrap();
        assert_eq!((trace.trace.period(), trace.repeats), (Duration::from_nanos(9), false));
    }

    #[test]
    fn a_trace_that_is_not_as_described_is_refused() {
        let rates =
            |rates, period| format!(r#"{{"rates": {rates}, "periodNs": {period}, "startNs": 0, "repeats": true}}"#);
        for (json, message) in [
            (r#"{"startNs": 0, "repeats": true}"#.to_owned(), "(must have opportunities, or rates and periodNs)"),
            (r##"{"opportunities": "#", "startNs": 0, "repeats": true}"##.to_owned(), "with a sum of at least 1"),
            (r#"{"opportunities": "!", "startNs": 0, "repeats": true}"#.to_owned(), "must be a text that encodes gaps"),
            (r#"{"opportunities": "$", "startNs": 0.5, "repeats": true}"#.to_owned(), "invalid trace.startNs: 0.5"),
            (rates("[]", 9), "invalid trace.rates (must be pairs"),
            (rates("[0]", 9), "invalid trace.rates (must be pairs"),
            (rates("[1, 1]", 9), "invalid trace.rates (must be pairs"),
            (rates("[0, 1, 9, 1]", 9), "invalid trace.rates (must be pairs"),
            (rates("[0, 1000000000001]", 9), "invalid trace.rates: 1000000000001"),
            (rates("[0, 1]", 0), "invalid trace.periodNs: 0"),
        ] {
            let refused = read(&json).unwrap_err();
            assert!(refused.contains(message), "{json}: {refused}");
        }
    }
}
