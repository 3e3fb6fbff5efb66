//! The congestion control that docs/extending.md adds as an example.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use std::time::Duration;

use fixed::KIND;
use netsim::endpoint::Event;
use netsim::link::{LossModel, PathParams};
use netsim::sim::{Simulation, SimulationOptions};
use netsim::time::SimTime;
use netsim::trace::Recording;
use netsim::{quic, tcp};

/// The example. In the document it is a file of the module `congestion` and uses `super` instead of
/// `netsim::congestion`.
mod fixed {
    use netsim::congestion::{Acknowledgement, CongestionControl, Kind};

    pub const KIND: Kind =
        Kind { name: "fixed", make: |opening| Box::new(Fixed { mss: opening.mss, cwnd: SEGMENTS * opening.mss }) };

    /// A window of constant size. Only a timeout reduces it, until data is acknowledged again.
    #[derive(Debug)]
    struct Fixed {
        mss: u64,
        cwnd: u64,
    }

    const SEGMENTS: u64 = 20;

    impl CongestionControl for Fixed {
        fn cwnd(&self) -> u64 {
            self.cwnd
        }

        fn ssthresh(&self) -> u64 {
            self.cwnd
        }

        fn handle_ack(&mut self, ack: &Acknowledgement) {
            if ack.delivered > 0 {
                self.cwnd = SEGMENTS * self.mss;
            }
        }

        fn enter_recovery(&mut self, _flight: u64) {}

        fn handle_timeout(&mut self, _flight: u64) {}

        fn start_loss_window(&mut self, pipe: u64) {
            self.cwnd = pipe + self.mss;
        }

        fn start_with_one_segment(&mut self) {
            self.cwnd = self.mss;
        }
    }
}

const RTT: Duration = Duration::from_millis(100);

#[test]
fn the_example_is_the_one_of_the_document() {
    let (here, document) = (include_str!("toy_congestion.rs"), include_str!("../../../docs/extending.md"));
    let example = document.split("```rust\n").find(|part| part.contains("struct Fixed {")).unwrap();
    let example = example.split("```").next().unwrap().replace("use super::", "use netsim::congestion::");
    let indented: String =
        example.lines().map(|line| if line.is_empty() { "\n".into() } else { format!("    {line}\n") }).collect();
    assert!(here.contains(&indented), "{indented}");
}

/// Makes a simulation of a path with 100 Mbit/s and without loss.
fn simulation() -> Simulation {
    let path = PathParams::symmetric(100_000_000, RTT, LossModel::None);
    Simulation::new(SimulationOptions { seed: 1, path, recording: Recording::OFF }).unwrap()
}

/// Asserts that `bytes` took one round trip for each window of 20 segments, with a tolerance of two round trips.
fn assert_windows(bytes: usize, segment_bytes: usize, took: Duration) {
    let windows = bytes.div_ceil(20 * segment_bytes) as u32;
    assert!(took.abs_diff(windows * RTT) < 2 * RTT, "{took:?} for {windows} windows");
}

const BYTES: usize = 1_000_000;

#[test]
fn over_tcp_a_window_of_20_segments_is_sent_in_each_round_trip() {
    let mut sim = simulation();
    let options = tcp::Options::new(tcp::Profile::named("modern").unwrap().with_congestion(KIND));
    let (client, server) = sim.open_tcp(options, options).unwrap();
    sim.tcp(client).unwrap().connect().unwrap();
    let (mut received, mut start) = (0, SimTime::ZERO);
    while received < BYTES {
        for event in sim.advance(SimTime::MAX) {
            match event.event {
                Event::Connected { .. } if event.endpoint == server => {
                    start = sim.now();
                    assert_eq!(sim.tcp(server).unwrap().write(&vec![7; BYTES]), Ok(BYTES));
                }
                Event::Readable { .. } => received += sim.tcp(client).unwrap().read().len(),
                _ => {}
            }
        }
    }
    assert_windows(BYTES, 1448, sim.now() - start);
}

#[test]
fn over_quic_a_window_of_20_datagrams_is_sent_in_each_round_trip() {
    let mut sim = simulation();
    // The window is 20 datagrams of the first size. Without MTU discovery all datagrams have this size.
    let options = quic::Options {
        congestion: Some(KIND),
        first_datagram_bytes: Some(1472),
        searches_mtu: false,
        ..quic::Options::new(quic::Profile::Modern)
    };
    let (client, server) = sim.open_quic(options, options).unwrap();
    sim.quic(client).unwrap().connect().unwrap();
    let (mut received, mut start) = (0, SimTime::ZERO);
    while received < BYTES {
        for event in sim.advance(SimTime::MAX) {
            match event.event {
                Event::Connected { .. } if event.endpoint == client => {
                    sim.quic(client).unwrap().write(0, b"GET").unwrap();
                }
                Event::Readable { stream } if event.endpoint == server => {
                    sim.quic(server).unwrap().read(stream).unwrap();
                    start = sim.now();
                    assert_eq!(sim.quic(server).unwrap().write(0, &vec![7; BYTES]), Ok(BYTES));
                }
                Event::Readable { stream } => received += sim.quic(client).unwrap().read(stream).unwrap().len(),
                _ => {}
            }
        }
    }
    assert_windows(BYTES, 1440, sim.now() - start);
}
