//! Downloads over TCP and QUIC with each congestion control.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use std::time::Duration;

use netsim::congestion::Kind;
use netsim::endpoint::Event;
use netsim::link::{Direction, LossModel, PathParams};
use netsim::sim::{EndpointId, Simulation, SimulationOptions};
use netsim::time::SimTime;
use netsim::trace::{PacketColumns, Recording};
use netsim::{quic, tcp};

#[derive(Clone, Copy, Debug, PartialEq)]
enum Over {
    Tcp,
    Quic,
}

const BOTH: [Over; 2] = [Over::Tcp, Over::Quic];

/// A download that was simulated.
struct Download {
    sim: Simulation,
    server: EndpointId,
    took: Duration,
}

const RTT: Duration = Duration::from_millis(40);

fn path(loss: f64) -> PathParams {
    PathParams::symmetric(10_000_000, RTT, LossModel::Bernoulli { rate: loss })
}

/// Downloads `bytes` with the profile `modern` and another congestion control.
fn download(over: Over, congestion: &str, path: PathParams, seed: u64, bytes: usize) -> Download {
    let mut sim = Simulation::new(SimulationOptions { seed, path, recording: Recording::ALL }).unwrap();
    let kind = Kind::named(congestion).unwrap();
    let (client, server) = open(&mut sim, over, kind, bytes as u64);
    let mut received = 0;
    while received < bytes {
        let events = sim.advance(SimTime::MAX);
        assert!(!events.is_empty(), "{over:?} {congestion}: {received} of {bytes} bytes arrived");
        for event in events {
            match (over, event.event) {
                (Over::Tcp, Event::Connected { .. }) if event.endpoint == server => {
                    assert_eq!(sim.tcp(server).unwrap().write(&vec![7; bytes]), Ok(bytes));
                }
                (Over::Tcp, Event::Readable { .. }) => received += sim.tcp(event.endpoint).unwrap().read().len(),
                (Over::Quic, Event::Connected { .. }) if event.endpoint == client => {
                    sim.quic(client).unwrap().write(0, b"GET").unwrap();
                }
                (Over::Quic, Event::Readable { stream }) => {
                    let read = sim.quic(event.endpoint).unwrap().read(stream).unwrap();
                    if event.endpoint == server {
                        assert_eq!(sim.quic(server).unwrap().write(0, &vec![7; bytes]), Ok(bytes));
                    } else {
                        received += read.len();
                    }
                }
                _ => {}
            }
        }
    }
    let took = sim.now() - SimTime::ZERO;
    Download { sim, server, took }
}

fn open(sim: &mut Simulation, over: Over, kind: Kind, bytes: u64) -> (EndpointId, EndpointId) {
    match over {
        Over::Tcp => {
            let profile = tcp::Profile::named("modern").unwrap().with_congestion(kind);
            let buffers = (bytes.max(1024), 64 << 20);
            let options = tcp::Options {
                send_buffer_bytes: buffers.0,
                low_water_bytes: buffers.0 / 2,
                receive_buffer_bytes: buffers.1,
                ..tcp::Options::new(profile)
            };
            let ends = sim.open_tcp(options, options).unwrap();
            sim.tcp(ends.0).unwrap().connect().unwrap();
            ends
        }
        Over::Quic => {
            let options = quic::Options {
                congestion: Some(kind),
                send_buffer_bytes: bytes.max(1024),
                low_water_bytes: bytes.max(1024) / 2,
                ..quic::Options::new(quic::Profile::Modern)
            };
            let ends = sim.open_quic(options, options).unwrap();
            sim.quic(ends.0).unwrap().connect().unwrap();
            ends
        }
    }
}

impl Download {
    fn packets(&self) -> &PacketColumns {
        &self.sim.trace().packets.packets
    }

    /// The rows of the server's packets that were sent from `from` on.
    fn rows(&self, from: SimTime) -> impl Iterator<Item = usize> {
        let packets = self.packets();
        (0..packets.sent_ns.len()).filter(move |row| {
            packets.direction[*row] == Direction::Down as u8
                && packets.endpoint[*row] == self.server.0
                && packets.sent_ns[*row] >= from.as_ns()
        })
    }

    /// The longest time that a packet waited in the queue. Only packets that were sent at `from` or later count.
    fn longest_wait(&self, from: SimTime) -> Duration {
        let packets = self.packets();
        let delivered = self.rows(from).filter(|row| packets.fate_ns[*row] < u64::MAX);
        let longest = delivered.map(|row| packets.fate_ns[row] - packets.sent_ns[row]).max();
        Duration::from_nanos(longest.unwrap_or_default()).saturating_sub(RTT / 2)
    }

    /// The most packets that the server sent at the same time.
    fn largest_burst(&self, from: SimTime) -> usize {
        let sent: Vec<u64> = self.rows(from).map(|row| self.packets().sent_ns[row]).collect();
        sent.chunk_by(|one, other| one == other).map(<[u64]>::len).max().unwrap_or(0)
    }
}

// Cardwell et al. 2016: Reno and CUBIC fill a queue without losses, and BBR keeps about a BDP in flight
#[test]
fn bbr_keeps_the_queue_short_that_cubic_and_reno_fill() {
    for over in BOTH {
        let [reno, cubic, bbr] = ["reno", "cubic", "bbr"]
            .map(|kind| download(over, kind, path(0.0), 1, 8_000_000).longest_wait(SimTime::from_ms(3000)));
        assert!(bbr < Duration::from_millis(60), "{over:?}: {bbr:?}");
        assert!(cubic > 2 * bbr && reno > 2 * bbr, "{over:?}: bbr {bbr:?}, cubic {cubic:?}, reno {reno:?}");
    }
}

#[test]
fn bbr_keeps_its_rate_at_random_losses() {
    for over in BOTH {
        let [reno, cubic, bbr] =
            ["reno", "cubic", "bbr"].map(|kind| download(over, kind, path(0.02), 1, 4_000_000).took);
        // without losses a download takes 3.3 s
        assert!(bbr < Duration::from_millis(4500), "{over:?}: {bbr:?}");
        assert!(cubic > 2 * bbr && reno > 2 * bbr, "{over:?}: bbr {bbr:?}, cubic {cubic:?}, reno {reno:?}");
    }
}

// bbr_min_tso_segs: at 10 Mbit/s a burst has two packets
#[test]
fn bbr_sends_two_packets_together_at_most_at_this_rate() {
    for over in BOTH {
        let from = SimTime::from_ms(1000);
        let burst = |kind, loss| download(over, kind, path(loss), 3, 2_000_000).largest_burst(from);
        assert_eq!(burst("bbr", 0.0), 2, "{over:?}");
        assert!(burst("cubic", 0.02) > 2, "{over:?}: a window that opens at once is sent at once");
    }
}

#[test]
fn a_seed_gives_the_same_download_and_decides_the_phases_of_bbr() {
    for over in BOTH {
        let sent = |seed| {
            let download = download(over, "bbr", path(0.0), seed, 3_000_000);
            download.rows(SimTime::ZERO).map(|row| download.packets().sent_ns[row]).collect::<Vec<_>>()
        };
        let first = sent(1);
        assert_eq!(first, sent(1), "{over:?}");
        assert!((2..8).any(|seed| sent(seed) != first), "{over:?}");
    }
}
