//! Compares the emulator, which carries real packets in real time, with the simulation.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::thread;
use std::time::Duration;

use netsim::congestion::Kind;
use netsim::emulator::{Emulator, FlowCounts, Offer};
use netsim::link::{Direction, Distribution, Header, Jitter, LinkParams, LossModel, PathParams, QueueKind};
use netsim::sim::{Simulation, SimulationOptions};
use netsim::tcp::Profile;
use netsim::time::SimTime;
use netsim::trace::{Fate, Recording};
use netsim::traffic::{FlowKind, FlowOptions};

const RTT: Duration = Duration::from_millis(40);
const RATE_BPS: u64 = 10_000_000;

fn bulk(congestion: &str, direction: Direction) -> FlowOptions {
    let profile = Profile::named("modern").unwrap().with_congestion(Kind::named(congestion).unwrap());
    FlowOptions { kind: FlowKind::Tcp { profile }, direction, start: SimTime::ZERO, end: None }
}

fn constant(rate_bps: u64, direction: Direction) -> FlowOptions {
    let kind = FlowKind::ConstantRate { rate_bps, packet_bytes: 1200 };
    FlowOptions { kind, direction, start: SimTime::ZERO, end: None }
}

fn path(change: impl Fn(LinkParams) -> LinkParams) -> PathParams {
    let link = || LinkParams { queue_packets: 60, ..LinkParams::new(RATE_BPS, RTT / 2) };
    PathParams { down: change(link()), up: change(link()), mtu_bytes: 1500 }
}

fn paths() -> Vec<(&'static str, PathParams)> {
    let distribution = Distribution::Uniform;
    let jitter = Jitter { spread: Duration::from_millis(4), distribution, correlation: 0.0, in_order: false };
    vec![
        ("drop-tail", path(|link| link)),
        ("loss", path(|link| link.with_loss(LossModel::Bernoulli { rate: 0.01 }))),
        ("codel", path(|link| LinkParams { queue: QueueKind::CoDel(Default::default()), ..link })),
        ("fq_codel", path(|link| LinkParams { queue: QueueKind::FqCoDel(Default::default()), ..link })),
        (
            "pie and jitter",
            path(|link| LinkParams { queue: QueueKind::Pie(Default::default()), jitter: Some(jitter), ..link }),
        ),
        ("dualpi2", path(|link| LinkParams { queue: QueueKind::DualPi2(Default::default()), ..link })),
    ]
}

fn mixes() -> Vec<Vec<FlowOptions>> {
    let ends = FlowOptions { end: Some(SimTime::from_ms(4000)), ..bulk("bbr", Direction::Down) };
    vec![
        vec![bulk("cubic", Direction::Up)],
        vec![bulk("cubic", Direction::Down), bulk("reno", Direction::Down), constant(RATE_BPS / 10, Direction::Down)],
        vec![ends, bulk("cubic", Direction::Up), constant(RATE_BPS / 20, Direction::Up)],
    ]
}

/// When the caller, that is this test, sends packets of its own, and in which direction.
fn calls() -> impl Iterator<Item = (SimTime, Direction)> {
    (0..400u64).map(|k| {
        let way = if k % 3 == 0 { Direction::Up } else { Direction::Down };
        (SimTime::from_us(k * 15_013), way)
    })
}

/// When each packet of the caller arrives.
type Arrivals = Vec<(Direction, SimTime)>;

const END: SimTime = SimTime::from_ms(8000);

/// Simulates the path, and returns the arrival times of the caller's packets and the counts of each flow. The simulation
/// and its flows start `lead` before the caller's time 0. Arrival times are measured from this time 0.
fn simulated(path: PathParams, flows: &[FlowOptions], lead: Duration) -> (Arrivals, Vec<FlowCounts>) {
    let options = SimulationOptions { seed: 3, path, recording: Recording { bytes: false, ..Recording::ALL } };
    let mut sim = Simulation::new(options).unwrap().with_traffic(flows, lead).unwrap();
    let (client, server) = sim.open_udp();
    for (at, way) in calls() {
        while sim.now() < at {
            sim.advance(at);
        }
        sim.udp(if way == Direction::Up { client } else { server }).unwrap().send(&[7; 972]).unwrap();
    }
    while sim.now() < END {
        sim.advance(END);
    }
    let packets = &sim.trace().packets.packets;
    let mut arrivals: Arrivals = (0..packets.fate.len())
        .filter(|row| packets.fate[*row] == Fate::Delivered as u8)
        .map(|row| {
            let way = if packets.direction[row] == 0 { Direction::Down } else { Direction::Up };
            (way, SimTime::from_ns(packets.fate_ns[row] - lead.as_nanos() as u64))
        })
        .collect();
    arrivals.sort();
    let log = sim.traffic();
    let counts = flows.iter().enumerate().map(|(number, flow)| {
        let own = |row: &usize| log.flow[*row] == number as u32 && log.direction[*row] == flow.direction as u8;
        let now = END.as_ns() + lead.as_nanos() as u64;
        let mut counts = FlowCounts::default();
        for row in (0..log.fate.len()).filter(own) {
            match log.fate[row] {
                fate if fate == Fate::Delivered as u8 && log.fate_ns[row] <= now => {
                    counts.passed += 1;
                    counts.passed_bytes += u64::from(log.bytes[row]);
                }
                fate if fate == Fate::Delivered as u8 || fate == Fate::InFlight as u8 => {}
                _ => counts.dropped += 1,
            }
        }
        counts
    });
    (arrivals, counts.collect())
}

/// Does the same as [`simulated`] with the emulator in place of the simulation. The emulator is polled before each
/// packet of the caller, and at least every `extra_us` microseconds.
fn emulated(path: PathParams, flows: &[FlowOptions], lead: Duration, extra_us: u64) -> (Arrivals, Vec<FlowCounts>) {
    let mut emulator = Emulator::new(3, path).unwrap().with_traffic(flows, lead).unwrap();
    let mut arrivals = Arrivals::new();
    let mut polled = SimTime::ZERO;
    let mut poll = |emulator: &mut Emulator<u32>, until: SimTime| {
        while polled < until {
            polled = (polled + Duration::from_micros(extra_us)).min(until);
            while let Some(delivery) = emulator.poll_transmit(polled) {
                assert!(delivery.at <= polled);
                arrivals.push((delivery.direction, delivery.at));
            }
        }
    };
    for (at, direction) in calls() {
        poll(&mut emulator, at);
        emulator.handle_packet(at, Offer { direction, header: Header::data(1000), item: 0 });
    }
    poll(&mut emulator, END);
    arrivals.sort();
    (arrivals, emulator.traffic_counts().collect())
}

#[test]
fn packets_wait_behind_other_traffic_exactly_as_in_a_simulation_however_often_the_caller_polls() {
    // a thread for each path, because this is by far the longest test of this file
    let passed: u64 = thread::scope(|scope| {
        let threads: Vec<_> =
            paths().into_iter().map(|(name, path)| scope.spawn(move || compare(name, &path))).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).sum()
    });
    assert!(passed > 100_000, "{passed} packets of flows");
}

/// Compares emulator and simulation on one path. Returns how many packets of flows have passed.
fn compare(name: &str, path: &PathParams) -> u64 {
    let mut passed = 0;
    for (number, flows) in mixes().into_iter().enumerate() {
        for lead in [Duration::ZERO, Duration::from_secs(3)] {
            let expected = simulated(path.clone(), &flows, lead);
            assert!(expected.0.len() > 250, "{name} {number}: {} arrivals", expected.0.len());
            for extra_us in [700, 90_000, 10_000_000] {
                let got = emulated(path.clone(), &flows, lead, extra_us);
                assert_eq!(got, expected, "{name}, flows {number}, lead {lead:?}, every {extra_us} us");
            }
            passed += expected.1.iter().map(|counts| counts.passed).sum::<u64>();
        }
    }
    passed
}
