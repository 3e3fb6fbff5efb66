//! Checks that the same scenario and seed give the same packets, byte for byte.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

#[path = "support/on_wire.rs"]
mod on_wire;

use std::convert::Infallible;
use std::time::Duration;

use netsim::endpoint::Event;
use netsim::link::{LossModel, PathParams};
use netsim::sim::{EndpointId, Simulation, SimulationOptions};
use netsim::time::SimTime;
use netsim::trace::Recording;
use netsim::transport::{Ends, Place};
use netsim::{quic, tcp};
use on_wire::on_wire;

/// A download that can be advanced step by step.
struct Download {
    sim: Simulation,
    client: EndpointId,
    server: EndpointId,
    stream: u32,
    bytes: usize,
    done: bool,
}

impl Download {
    fn tcp(profile: &str, seed: u64) -> Self {
        Self::opened(profile, seed, |ends| ends)
    }

    fn opened(profile: &str, seed: u64, change: impl FnOnce(Ends) -> Ends) -> Self {
        let options = tcp::Options::new(tcp::Profile::named(profile).unwrap());
        Self::over(seed, 0, |place| change(tcp::open(place, options, options).unwrap()))
    }

    fn quic(profile: quic::Profile, seed: u64) -> Self {
        Self::quic_opened(profile, seed, |ends| ends)
    }

    fn quic_opened(profile: quic::Profile, seed: u64, change: impl FnOnce(Ends) -> Ends) -> Self {
        let options = quic::Options::new(profile);
        // stream 3 is the server's first unidirectional stream
        Self::over(seed, 3, |place| change(quic::open(place, options, options).unwrap()))
    }

    /// Makes a download in which the server writes on `stream`.
    fn over(seed: u64, stream: u32, open: impl FnOnce(Place) -> Ends) -> Self {
        let loss = LossModel::GilbertElliott { p: 0.03, r: 0.4, h: 0.2, k: 0.99 };
        let path = PathParams::symmetric(1_000_000, Duration::from_millis(350), loss);
        let mut sim = Simulation::new(SimulationOptions { seed, path, recording: Recording::ALL }).unwrap();
        let Ok((client, server)) = sim.open(|place| Ok::<_, Infallible>(open(place)));
        sim.transport(client).unwrap().connect().unwrap();
        Download { sim, client, server, stream, bytes: 100_000, done: false }
    }

    fn step(&mut self) {
        let events = self.sim.advance(SimTime::MAX);
        self.done = events.is_empty();
        for event in events {
            match event.event {
                Event::Connected { .. } if event.endpoint == self.server => {
                    let server = self.sim.transport(self.server).unwrap();
                    server.write(self.stream, &vec![7; self.bytes]).unwrap();
                    server.close();
                }
                Event::Readable { stream } => drop(self.sim.transport(event.endpoint).unwrap().read(stream).unwrap()),
                Event::PeerClosed if event.endpoint == self.client => self.sim.transport(self.client).unwrap().close(),
                _ => {}
            }
        }
    }

    fn finish(mut self) -> Vec<u8> {
        while !self.done {
            self.step();
        }
        self.sim.trace().packets.to_bytes()
    }
}

/// The 64-bit FNV-1a hash.
fn hash(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3))
}

#[test]
fn two_runs_give_the_same_packet_log() {
    for profile in tcp::Profile::NAMES {
        assert!(Download::tcp(profile, 3).finish() == Download::tcp(profile, 3).finish(), "{profile}");
    }
}

#[test]
fn two_runs_of_quic_give_the_same_packet_log() {
    for profile in quic::Profile::ALL {
        assert!(Download::quic(profile, 3).finish() == Download::quic(profile, 3).finish(), "{profile:?}");
    }
}

#[test]
fn typed_datagrams_have_the_same_effect_as_their_bytes() {
    for (profile, seed) in quic::Profile::ALL.into_iter().flat_map(|profile| (1..6).map(move |seed| (profile, seed))) {
        let by_bytes = Download::quic_opened(profile, seed, on_wire).finish();
        assert!(by_bytes == Download::quic(profile, seed).finish(), "{profile:?} {seed}");
    }
}

#[test]
fn another_seed_gives_another_packet_log() {
    assert!(Download::quic(quic::Profile::Modern, 3).finish() != Download::quic(quic::Profile::Modern, 4).finish());
    assert!(Download::tcp("classic", 3).finish() != Download::tcp("classic", 4).finish());
}

#[test]
fn typed_segments_have_the_same_effect_as_their_bytes() {
    for (profile, seed) in tcp::Profile::NAMES.into_iter().flat_map(|profile| (1..6).map(move |seed| (profile, seed))) {
        let by_bytes = Download::opened(profile, seed, on_wire).finish();
        assert!(by_bytes == Download::tcp(profile, seed).finish(), "{profile} {seed}");
    }
}

#[test]
fn alternating_runs_give_the_same_packet_logs_as_single_runs() {
    let open = || [Download::tcp("classic", 1), Download::tcp("modern", 2), Download::tcp("reno", 3)];
    let alone = open().map(Download::finish);
    let mut together = open();
    while together.iter().any(|run| !run.done) {
        for run in together.iter_mut().filter(|run| !run.done) {
            run.step();
        }
    }
    assert!(together.map(|run| run.sim.trace().packets.to_bytes()) == alone);
}

/// The goldens must hold in debug and release builds, in every process and on every platform. Twenty seeds are used, so
/// that timeouts, probes and repeated losses occur.
#[test]
fn packet_logs_match_their_goldens() {
    let hashes = tcp::Profile::NAMES.map(|profile| {
        let logs: Vec<u8> = (1..=20).flat_map(|seed| Download::tcp(profile, seed).finish()).collect();
        format!("tcp {profile} {:016x}", hash(&logs))
    });
    assert_eq!(hashes, GOLDENS);
}

/// These goldens depend on the random numbers and the order of frames of the QUIC library (quinn-proto), and on the
/// congestion windows.
#[test]
fn packet_logs_of_quic_match_their_goldens() {
    let hashes = quic::Profile::ALL.map(|profile| {
        let logs: Vec<u8> = (1..=20).flat_map(|seed| Download::quic(profile, seed).finish()).collect();
        format!("quic {} {:016x}", profile.name(), hash(&logs))
    });
    assert_eq!(hashes, QUIC_GOLDENS);
}

const QUIC_GOLDENS: [&str; 2] = ["quic classic 3584aefaf9a3051c", "quic modern 0031a7a362883158"];

const GOLDENS: [&str; 9] = [
    "tcp classic f0d5b74f14e04415",
    "tcp modern e4c3047809ba46e8",
    "tcp reno b7d25741fc57e5bd",
    "tcp classic-quickack a5b7d140878ea57a",
    "tcp classic-iw10 521de15a9df6379f",
    "tcp reference-a 284db869b203901f",
    "tcp reference-b e4c3047809ba46e8",
    "tcp reference-c 39c6da9a5228e85e",
    "tcp reference-d fd42f6c34bd911b2",
];
