//! Checks that probe timeouts are counted as the QUIC library (quinn-proto) counts them. Only the library's log shows
//! its counts. Whether a log statement is enabled is decided for the whole process when a thread first reaches it, so
//! this test has a process of its own.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fmt::Debug;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use netsim::endpoint::Endpoint;
use netsim::link::{LossModel, PathParams};
use netsim::quic::{Options, Profile};
use netsim::sim::{EndpointId, Simulation, SimulationOptions};
use netsim::time::SimTime;
use netsim::trace::Recording;
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};

/// The probe timeouts in the library's log: for each, how many timeouts in a row came before it.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u32>>>);

#[derive(Default)]
struct Line {
    message: String,
    count: u64,
}

impl Visit for Line {
    fn record_u64(&mut self, field: &Field, value: u64) {
        if field.name() == "count" {
            self.count = value;
        }
    }

    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        if field.name() == "message" {
            self.message = format!("{value:?}");
        }
    }
}

impl Subscriber for Log {
    fn enabled(&self, _metadata: &Metadata<'_>) -> bool {
        true
    }

    fn event(&self, event: &Event<'_>) {
        let mut line = Line::default();
        event.record(&mut line);
        if line.message == "PTO fired" {
            self.0.lock().unwrap().push(line.count as u32);
        }
    }

    fn new_span(&self, _attributes: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _span: &Id, _values: &Record<'_>) {}
    fn record_follows_from(&self, _span: &Id, _follows: &Id) {}
    fn enter(&self, _span: &Id) {}
    fn exit(&self, _span: &Id) {}
}

/// Runs a download with heavy loss, one millisecond at a time, and compares the counts and the backoff. Returns the
/// number of probe timeouts.
fn compare(seed: u64, options: Options, log: &Log) -> usize {
    let path = PathParams::symmetric(1_000_000, Duration::from_millis(100), LossModel::Bernoulli { rate: 0.25 });
    let mut sim = Simulation::new(SimulationOptions { seed, path, recording: Recording::OFF }).unwrap();
    let ends: [EndpointId; 2] = sim.open_quic(options, options).unwrap().into();
    sim.quic(ends[0]).unwrap().connect().unwrap();
    let mut has_written = false;
    let mut before = [0, 0];
    log.0.lock().unwrap().clear();
    for ms in 0..6000 {
        while !sim.advance(SimTime::from_ms(ms)).is_empty() {}
        has_written = has_written || sim.quic(ends[1]).unwrap().write(3, &[7; 60_000]).is_ok();
        let after = ends.map(|end| sim.quic(end).unwrap().timeouts().probe);
        let logged = log.0.lock().unwrap();
        let [counted_before, counted] = [before, after].map(|counts| counts.iter().sum::<u32>() as usize);
        assert_eq!(counted, logged.len(), "seed {seed}, {options:?}, {ms} ms");
        for (end, _) in ends.iter().zip(after.iter().zip(before)).filter(|(_, (after, before))| *after > before) {
            // the backoff is 0 if it ended within the same millisecond
            let in_a_row = sim.quic(*end).unwrap().backoff().ilog2();
            let is_logged = logged[counted_before..].iter().any(|earlier| in_a_row == earlier + 1);
            assert!(is_logged || in_a_row == 0, "seed {seed}, {options:?}, {ms} ms: {in_a_row}");
        }
        before = after;
    }
    before.iter().sum::<u32>() as usize
}

#[test]
fn each_probe_timeout_of_the_library_is_counted_with_its_backoff() {
    let log = Log::default();
    tracing::subscriber::set_global_default(log.clone()).unwrap();
    let runs = (1..=40).flat_map(|seed| Profile::ALL.map(|profile| (seed, profile)));
    let timeouts: usize = runs
        .map(|(seed, profile)| {
            compare(seed, Options { resumes: seed % 2 == 0, early_data: true, ..Options::new(profile) }, &log)
        })
        .sum();
    assert!(timeouts > 200, "{timeouts}");
}
