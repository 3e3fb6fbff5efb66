//! Downloads over TCP and QUIC with each congestion control, and with ECN.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use std::time::Duration;

use netsim::congestion::Kind;
use netsim::endpoint::Event;
use netsim::link::{CoDelParams, Direction, DualPi2Params, LossModel, PathParams, QueueKind};
use netsim::packet::{Ecn, EcnMode};
use netsim::sim::{EndpointId, Simulation, SimulationOptions};
use netsim::time::SimTime;
use netsim::trace::{Fate, PacketColumns, PacketKind, Recording};
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

/// Downloads `bytes` with the profile `modern` and this congestion control.
fn download(over: Over, congestion: &str, path: PathParams, seed: u64, bytes: usize) -> Download {
    download_with(EcnMode::Off, over, congestion, path, seed, bytes)
}

/// Like [`download`], with this mode of ECN.
fn download_with(ecn: EcnMode, over: Over, congestion: &str, path: PathParams, seed: u64, bytes: usize) -> Download {
    download_of(Settings { ecn, first_window_packets: None }, over, congestion, path, seed, bytes)
}

/// Settings of both ends besides their congestion control.
#[derive(Clone, Copy)]
struct Settings {
    ecn: EcnMode,
    /// The first window of QUIC; `None` means that of the profile.
    first_window_packets: Option<u16>,
}

fn download_of(
    settings: Settings,
    over: Over,
    congestion: &str,
    path: PathParams,
    seed: u64,
    bytes: usize,
) -> Download {
    let mut sim = Simulation::new(SimulationOptions { seed, path, recording: Recording::ALL }).unwrap();
    let kind = Kind::named(congestion).unwrap();
    let (client, server) = open(&mut sim, settings, over, kind, bytes as u64);
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

fn open(sim: &mut Simulation, settings: Settings, over: Over, kind: Kind, bytes: u64) -> (EndpointId, EndpointId) {
    let Settings { ecn, first_window_packets } = settings;
    match over {
        Over::Tcp => {
            let profile = tcp::Profile::named("modern").unwrap().with_congestion(kind);
            let buffers = (bytes.max(1024), 64 << 20);
            let options = tcp::Options {
                ecn,
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
                ecn,
                first_window_packets,
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

    /// The longest time that a packet spent in the queue and its serialisation. Only packets that were sent at `from`
    /// or later count.
    fn longest_wait(&self, from: SimTime) -> Duration {
        let packets = self.packets();
        let delivered = self.rows(from).filter(|row| packets.fate_ns[*row] < u64::MAX);
        let longest = delivered.map(|row| packets.fate_ns[row] - packets.sent_ns[row]).max();
        Duration::from_nanos(longest.unwrap_or_default()).saturating_sub(RTT / 2)
    }

    /// The most packets that the server sent at the same time, at `from` or later.
    fn largest_burst(&self, from: SimTime) -> usize {
        let sent: Vec<u64> = self.rows(from).map(|row| self.packets().sent_ns[row]).collect();
        sent.chunk_by(|one, other| one == other).map(<[u64]>::len).max().unwrap_or(0)
    }
}

// Cardwell et al. 2016: on a path without losses, Reno and CUBIC fill the queue, and BBR keeps about a BDP in flight
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

// BBR sends as many packets together as its rate sends in about 1 ms, but at least two from 1.2 Mbit/s on
// (`bbr_min_tso_segs` of Linux). At 10 Mbit/s it sends two.
#[test]
fn bbr_sends_two_packets_together_at_most_at_this_rate() {
    for over in BOTH {
        let from = SimTime::from_ms(1000);
        let burst = |kind, loss| download(over, kind, path(loss), 3, 2_000_000).largest_burst(from);
        assert_eq!(burst("bbr", 0.0), 2, "{over:?}");
        assert!(burst("cubic", 0.02) > 2, "{over:?}: when the window opens by several packets, they are sent together");
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

/// A path whose queue toward the client has a discipline.
fn path_with(queue: QueueKind) -> PathParams {
    let mut path = path(0.0);
    path.down.queue = queue;
    path
}

fn codel() -> QueueKind {
    QueueKind::CoDel(CoDelParams::default())
}

impl Download {
    /// How many packets of the server were marked, and how many did not arrive.
    fn marked_and_dropped(&self) -> (usize, usize) {
        let packets = self.packets();
        let marked = self.rows(SimTime::ZERO).filter(|row| packets.marked[*row] == 1).count();
        let dropped = self.rows(SimTime::ZERO).filter(|row| packets.fate[*row] != Fate::Delivered as u8).count();
        (marked, dropped)
    }
}

// RFC 3168: a queue marks the packets instead of dropping them, and the sender reduces its window as after a loss
#[test]
fn marks_replace_losses() {
    for over in BOTH {
        for congestion in ["reno", "cubic"] {
            let [off, classic] = [EcnMode::Off, EcnMode::Classic]
                .map(|ecn| download_with(ecn, over, congestion, path_with(codel()), 1, 10_000_000));
            let (marked, dropped) = off.marked_and_dropped();
            assert!(marked == 0 && dropped > 5, "{over:?} {congestion}: {marked} {dropped}");
            let (marked, dropped) = classic.marked_and_dropped();
            assert!(marked > 5 && dropped == 0, "{over:?} {congestion}: {marked} {dropped}");
            assert!(classic.took < off.took.mul_f64(1.05), "{over:?} {congestion}: {:?} {:?}", classic.took, off.took);
            // without a reaction to marks the queue would grow to the size of the receive buffer
            assert!(classic.longest_wait(SimTime::from_ms(2000)) < Duration::from_millis(60), "{over:?} {congestion}");
        }
    }
}

// RFC 3168 §6.1.4, §6.1.5: acknowledgements and retransmissions of TCP are sent without ECN. RFC 8311 §4.3: with L4S,
// retransmissions have ECN. RFC 9000 §13.4: all packets of QUIC have ECN.
#[test]
fn packets_have_the_codepoint_of_their_mode() {
    for (ecn, codepoint) in [(EcnMode::Off, Ecn::NotEct), (EcnMode::Classic, Ecn::Ect0), (EcnMode::L4s, Ecn::Ect1)] {
        for over in BOTH {
            let load = download_with(ecn, over, "cubic", path(0.02), 1, 500_000);
            let packets = load.packets();
            for row in 0..packets.ecn.len() {
                let is_data = packets.kind[row] == PacketKind::Data as u8;
                let is_again = load
                    .sim
                    .trace()
                    .packets
                    .chunks
                    .packet
                    .iter()
                    .zip(&load.sim.trace().packets.chunks.retransmission)
                    .any(|(packet, again)| *packet as usize == row && *again == 1);
                let has_ecn = over == Over::Quic || is_data && !(is_again && ecn == EcnMode::Classic);
                let expected = if has_ecn { codepoint } else { Ecn::NotEct };
                assert_eq!(packets.ecn[row], expected as u8, "{over:?} {ecn:?} row {row}");
            }
        }
    }
}

// RFC 9332 §1: L4S traffic hardly waits, and uses the path
#[test]
fn with_l4s_the_queue_stays_short_and_the_path_is_used() {
    for over in BOTH {
        for congestion in ["reno", "cubic"] {
            let queue = QueueKind::DualPi2(DualPi2Params::default());
            let [classic, l4s] = [EcnMode::Classic, EcnMode::L4s]
                .map(|ecn| download_with(ecn, over, congestion, path_with(queue), 1, 10_000_000));
            let from = SimTime::from_ms(2000);
            let (deep, shallow) = (classic.longest_wait(from), l4s.longest_wait(from));
            assert!(shallow < Duration::from_millis(8), "{over:?} {congestion}: {shallow:?}");
            assert!(deep > 2 * shallow, "{over:?} {congestion}: {deep:?} {shallow:?}");
            // 10 MB take 8 s at 10 Mbit/s
            assert!(l4s.took < Duration::from_millis(10_600), "{over:?} {congestion}: {:?}", l4s.took);
            let (marked, dropped) = l4s.marked_and_dropped();
            println!(
                "{over:?} {congestion} classic {:?} {deep:?} {:?} l4s {:?} {shallow:?} {marked} {dropped}",
                classic.took,
                classic.marked_and_dropped(),
                l4s.took
            );
            assert!(marked > 50 && dropped == 0, "{over:?} {congestion}: {marked} {dropped}");
        }
    }
}

// BBR version 1 does not use ECN
#[test]
fn bbr_ignores_marks() {
    for over in BOTH {
        let queue =
            QueueKind::CoDel(CoDelParams { mark_from: Some(Duration::from_micros(1)), ..CoDelParams::default() });
        let [off, classic] = [QueueKind::DropTail, queue]
            .map(|queue| download_with(EcnMode::Classic, over, "bbr", path_with(queue), 1, 1_000_000));
        assert!(classic.marked_and_dropped().0 > 100);
        // reports of marks make some acknowledgements of QUIC a few bytes longer
        assert!(
            classic.took.abs_diff(off.took) < Duration::from_millis(1),
            "{over:?}: {:?} {:?}",
            classic.took,
            off.took
        );
    }
}

// When everything was sent and only lost data is sent again, the application does not limit the rate. If BBR believed
// that the application limits the rate, it would not see that the pipe is full. It would stay in its phase Startup, in
// which it sends faster than the path, until all data has arrived.
#[test]
fn bbr_leaves_startup_while_losses_of_a_large_first_window_are_repaired() {
    let settings = Settings { ecn: EcnMode::Off, first_window_packets: Some(200) };
    let mut path = PathParams::symmetric(30_000, Duration::from_millis(180), LossModel::Bernoulli { rate: 0.05 });
    path.down.queue = codel();
    let load = download_of(settings, Over::Quic, "bbr", path, 1, 220_000);
    let sent = load.rows(SimTime::ZERO).count();
    assert!(sent < 1000, "{sent} packets for 220 KB");
}
