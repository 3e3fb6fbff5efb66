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

/// The library's log of its probe timeouts.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Timeouts>>);

#[derive(Default)]
struct Timeouts {
    /// For each timeout, how many timeouts in a row came before it.
    before: Vec<u64>,
    /// The number of timeouts at which the anti-amplification limit stopped a server from sending. The library doubles
    /// the next timeout nevertheless.
    mute: u64,
    /// Whether the last line of the log reported a timeout.
    is_last: bool,
    /// Whether an end discarded keys after the last timeout, which ends its backoff (RFC 9002 §6.2.2).
    is_over: bool,
}

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
        let mut timeouts = self.0.lock().unwrap();
        if timeouts.is_last && line.message == "blocked by anti-amplification" {
            timeouts.mute += 1;
        }
        timeouts.is_last = line.message == "PTO fired";
        if timeouts.is_last {
            timeouts.before.push(line.count);
        }
        timeouts.is_over = !timeouts.is_last && (timeouts.is_over || line.message.starts_with("discarding "));
    }

    fn new_span(&self, _attributes: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _span: &Id, _values: &Record<'_>) {}
    fn record_follows_from(&self, _span: &Id, _follows: &Id) {}
    fn enter(&self, _span: &Id) {}
    fn exit(&self, _span: &Id) {}
}

/// Runs a download with heavy loss, one millisecond at a time, and compares the counts. Returns the number of probe
/// timeouts.
fn compare(seed: u64, options: Options, log: &Log) -> usize {
    let path = PathParams::symmetric(1_000_000, Duration::from_millis(100), LossModel::Bernoulli { rate: 0.25 });
    let mut sim = Simulation::new(SimulationOptions { seed, path, recording: Recording::OFF }).unwrap();
    let ends: [EndpointId; 2] = sim.open_quic(options, options).unwrap().into();
    sim.quic(ends[0]).unwrap().connect().unwrap();
    let mut has_written = false;
    let mut before = [0, 0];
    *log.0.lock().unwrap() = Timeouts::default();
    for ms in 0..6000 {
        while !sim.advance(SimTime::from_ms(ms)).is_empty() {}
        has_written = has_written || sim.quic(ends[1]).unwrap().write(3, &[7; 60_000]).is_ok();
        let after = ends.map(|end| sim.quic(end).unwrap().timeouts().probe);
        let logged = log.0.lock().unwrap();
        let (counted, all) = (u64::from(after.iter().sum::<u32>()), logged.before.len() as u64);
        assert!((all - logged.mute..=all).contains(&counted), "seed {seed}, {options:?}, {ms} ms: {counted}, {all}");
        for (end, _) in ends.iter().zip(after.iter().zip(before)).filter(|(_, (after, before))| *after > before) {
            let in_a_row = u64::from(sim.quic(*end).unwrap().backoff().ilog2());
            let expected = if logged.is_over { 0 } else { logged.before.last().unwrap() + 1 };
            assert!((in_a_row..=in_a_row + logged.mute).contains(&expected), "seed {seed}, {options:?}, {ms} ms");
        }
        before = after;
    }
    before.iter().sum::<u32>() as usize
}

#[test]
fn each_probe_timeout_of_the_library_is_counted_with_its_backoff() {
    let log = Log::default();
    tracing::subscriber::set_global_default(log.clone()).unwrap();
    let runs = (1..=12).flat_map(|seed| Profile::ALL.map(|profile| (seed, profile)));
    let timeouts: usize = runs
        .map(|(seed, profile)| {
            compare(seed, Options { resumes: seed % 2 == 0, early_data: true, ..Options::new(profile) }, &log)
        })
        .sum();
    assert!(timeouts > 50, "{timeouts}");
}
