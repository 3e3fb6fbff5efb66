//! Checks that probe timeouts are counted as the QUIC library (quinn-proto) counts them. Only the library's log shows
//! its counts. Whether a log statement is enabled is decided for the whole process when a thread first reaches it, so
//! this test has a process of its own.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fmt::Debug;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
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

/// Counts the probe timeouts in the library's log.
#[derive(Clone, Default)]
struct Log(Arc<AtomicU32>);

struct Message(String);

impl Visit for Message {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        if field.name() == "message" {
            self.0 = format!("{value:?}");
        }
    }
}

impl Subscriber for Log {
    fn enabled(&self, _metadata: &Metadata<'_>) -> bool {
        true
    }

    fn event(&self, event: &Event<'_>) {
        let mut message = Message(String::new());
        event.record(&mut message);
        self.0.fetch_add(u32::from(message.0 == "PTO fired"), Ordering::Relaxed);
    }

    fn new_span(&self, _attributes: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _span: &Id, _values: &Record<'_>) {}
    fn record_follows_from(&self, _span: &Id, _follows: &Id) {}
    fn enter(&self, _span: &Id) {}
    fn exit(&self, _span: &Id) {}
}

/// Runs a download with heavy loss and compares the counts after each event. Returns the number of probe timeouts.
fn compare(seed: u64, options: Options, log: &Log) -> u32 {
    let path = PathParams::symmetric(1_000_000, Duration::from_millis(100), LossModel::Bernoulli { rate: 0.25 });
    let mut sim = Simulation::new(SimulationOptions { seed, path, recording: Recording::OFF }).unwrap();
    let ends: [EndpointId; 2] = sim.open_quic(options, options).unwrap().into();
    sim.quic(ends[0]).unwrap().connect().unwrap();
    let (mut has_written, mut counted) = (false, 0);
    log.0.store(0, Ordering::Relaxed);
    for ms in 0..6000 {
        while !sim.advance(SimTime::from_ms(ms)).is_empty() {}
        has_written = has_written || sim.quic(ends[1]).unwrap().write(3, &[7; 60_000]).is_ok();
        counted = ends.map(|end| sim.quic(end).unwrap().timeouts().probe).iter().sum();
        assert_eq!(counted, log.0.load(Ordering::Relaxed), "seed {seed}, {options:?}, {ms} ms");
    }
    counted
}

#[test]
fn each_probe_timeout_of_the_library_is_counted() {
    let log = Log::default();
    tracing::subscriber::set_global_default(log.clone()).unwrap();
    let runs = (1..=40).flat_map(|seed| Profile::ALL.map(|profile| (seed, profile)));
    let timeouts: u32 = runs
        .map(|(seed, profile)| {
            compare(seed, Options { resumes: seed % 2 == 0, early_data: true, ..Options::new(profile) }, &log)
        })
        .sum();
    assert!(timeouts > 200, "{timeouts}");
}
