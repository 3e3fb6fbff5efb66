use std::sync::Arc;

use super::*;
use crate::congestion::Kind;
use crate::link::{CapacityTrace, Distribution, Jitter, LinkParams, LossModel, PathParams, Steps, TraceParams};
use crate::sim::{RunLimits, SimulationOptions};
use crate::tcp::{self, Profile};
use crate::trace::{Fate, Recording, TrafficColumns};
use crate::traffic::FlowKind;

const RATE_BPS: u64 = 10_000_000;
const RTT: Duration = Duration::from_millis(40);

fn path(queue_packets: u32) -> PathParams {
    let mut path = PathParams::symmetric(RATE_BPS, RTT, LossModel::None);
    (path.down.queue_packets, path.up.queue_packets) = (queue_packets, queue_packets);
    path
}

fn simulation(seed: u64, path: PathParams, flows: &[FlowOptions], lead: Duration) -> Simulation {
    let recording = Recording { bytes: false, ..Recording::ALL };
    Simulation::new(SimulationOptions { seed, path, recording }).unwrap().with_traffic(flows, lead).unwrap()
}

fn bulk(congestion: &str, direction: Direction) -> FlowOptions {
    let profile = Profile::named("modern").unwrap().with_congestion(Kind::named(congestion).unwrap());
    FlowOptions { kind: FlowKind::Tcp { profile }, direction, start: SimTime::ZERO, end: None }
}

fn constant(rate_bps: u64, direction: Direction) -> FlowOptions {
    let kind = FlowKind::ConstantRate { rate_bps, packet_bytes: 1500 };
    FlowOptions { kind, direction, start: SimTime::ZERO, end: None }
}

/// The bytes of a flow that were delivered in a direction between two times.
fn delivered(traffic: &TrafficColumns, flow: u32, direction: Direction, from: SimTime, to: SimTime) -> u64 {
    (0..traffic.flow.len())
        .filter(|row| traffic.flow[*row] == flow && traffic.direction[*row] == direction as u8)
        .filter(|row| traffic.fate[*row] == Fate::Delivered as u8)
        .filter(|row| (from.as_ns()..to.as_ns()).contains(&traffic.fate_ns[*row]))
        .map(|row| u64::from(traffic.bytes[row]))
        .sum()
}

#[test]
fn a_bulk_flow_fills_the_link_in_its_direction() {
    for direction in [Direction::Down, Direction::Up] {
        let mut sim = simulation(1, path(50), &[bulk("cubic", direction)], Duration::ZERO);
        assert_eq!(sim.advance(SimTime::from_ms(20_000)), [], "no application hears of other traffic");
        let of = |way| delivered(sim.traffic(), 0, way, SimTime::from_ms(5000), SimTime::from_ms(20_000));
        let share = of(direction) as f64 * 8.0 / (15.0 * RATE_BPS as f64);
        assert!((0.99..=1.001).contains(&share), "{direction:?}: {share}");
        // one acknowledgement of 52 bytes for two segments
        let acknowledgements = of(direction.reversed()) as f64 / of(direction) as f64;
        assert!((0.015..0.02).contains(&acknowledgements), "{acknowledgements}");
    }
}

// Without jitter the flows send at fixed instants of the queue's cycle, and a full queue may always drop packets of the
// same flow (Floyd and Jacobson, "On Traffic Phase Effects in Packet-Switched Gateways", 1992).
#[test]
fn two_cubic_flows_share_evenly_over_a_long_time() {
    let flows = [bulk("cubic", Direction::Up); 2];
    let share = |seed| {
        let mut path = path(50);
        let spread = Duration::from_micros(600);
        let jitter = Jitter { spread, distribution: Distribution::Uniform, correlation: 0.0, in_order: true };
        (path.down.jitter, path.up.jitter) = (Some(jitter), Some(jitter));
        let mut sim = simulation(seed, path, &flows, Duration::ZERO);
        sim.advance(SimTime::from_ms(120_000));
        let [first, second] = [0, 1].map(|flow| {
            delivered(sim.traffic(), flow, Direction::Up, SimTime::from_ms(20_000), SimTime::from_ms(120_000)) as f64
        });
        first / (first + second)
    };
    let mean = (1..=4).map(share).sum::<f64>() / 4.0;
    assert!((0.45..0.55).contains(&mean), "{mean}");
}

#[test]
fn a_constant_rate_above_that_of_the_link_starves_tcp() {
    let flows = [constant(3 * RATE_BPS / 2, Direction::Down), bulk("cubic", Direction::Down)];
    let mut sim = simulation(1, path(50), &flows, Duration::ZERO);
    sim.advance(SimTime::from_ms(20_000));
    let of = |flow| delivered(sim.traffic(), flow, Direction::Down, SimTime::ZERO, SimTime::from_ms(20_000));
    assert!(of(1) * 100 < of(0), "TCP got {} bytes, the constant rate {}", of(1), of(0));
    assert!((of(0) * 8) as f64 > 0.98 * 20.0 * RATE_BPS as f64);
}

#[test]
fn traffic_that_starts_before_the_run_has_filled_the_queue_when_the_run_starts() {
    let lead = Duration::from_secs(5);
    let mut sim = simulation(1, path(50), &[bulk("cubic", Direction::Up)], lead);
    assert_eq!(sim.now(), SimTime::ZERO);
    let (client, _) = open(&mut sim);
    sim.advance(SimTime::ZERO);
    assert_eq!(sim.now(), SimTime::ZERO);
    let Traced { start, waiting } = traced(&sim, SimTime::ZERO);
    assert_eq!(start, SimTime::ZERO + lead);
    assert!((20..=50).contains(&waiting), "{waiting} packets wait");
    // the SYN waits behind these packets: its answer takes longer than the round trip
    let events = sim.advance(SimTime::MAX);
    assert_eq!(events[0].endpoint, client);
    let wait = Duration::from_micros(1200) * waiting as u32;
    let expected = RTT + wait;
    let late = sim.now().saturating_since(SimTime::ZERO + expected);
    assert!(sim.now() + Duration::from_micros(1200) >= SimTime::ZERO + expected && late.as_millis() < 3, "{late:?}");
    assert_eq!(sim.trace().packets.packets.sent_ns[0], start.as_ns(), "columns have times of the simulation");
}

#[test]
fn changes_of_the_path_have_times_of_the_run() {
    let mut sim = simulation(1, path(50), &[constant(RATE_BPS / 2, Direction::Down)], Duration::from_secs(5));
    let slow = LinkParams::new(RATE_BPS / 4, RTT / 2);
    sim.change_link(SimTime::from_ms(1000), Direction::Down, slow).unwrap();
    sim.advance(SimTime::from_ms(2000));
    let of = |from: u64, to: u64| {
        let [from, to] = [from, to].map(|ms| SimTime::from_ms(5000 + ms));
        delivered(sim.traffic(), 0, Direction::Down, from, to) * 8
    };
    assert!(of(0, 1000).abs_diff(RATE_BPS / 2) < 24_000, "{}", of(0, 1000));
    assert!(of(1050, 2000).abs_diff(RATE_BPS * 95 / 400) < 24_000, "{}", of(1050, 2000));
}

#[test]
fn the_packets_of_a_page_load_have_the_same_fates_with_and_without_other_traffic() {
    let lossy = PathParams::symmetric(RATE_BPS, RTT, LossModel::Bernoulli { rate: 0.1 });
    let fates = |flows: &[FlowOptions]| {
        let mut sim = simulation(7, lossy.clone(), flows, Duration::from_secs(1));
        let (client, _) = sim.open_udp();
        for _ in 0..500 {
            sim.udp(client).unwrap().send(&[0; 100]).unwrap();
        }
        sim.advance(SimTime::from_ms(3000));
        sim.trace().packets.packets.fate.clone()
    };
    let alone = fates(&[]);
    assert!(alone.contains(&(Fate::Lost as u8)));
    assert_eq!(fates(&[constant(RATE_BPS / 10, Direction::Up), bulk("reno", Direction::Down)]), alone);
}

#[test]
fn a_flow_ends_at_its_end_and_closes_its_connection() {
    let options = FlowOptions { end: Some(SimTime::from_ms(3000)), ..bulk("cubic", Direction::Up) };
    let mut sim = simulation(1, path(50), &[options], Duration::ZERO);
    assert_eq!(sim.advance(SimTime::MAX), []);
    let last_sent = sim.traffic().sent_ns.last().copied().unwrap();
    assert!((3_000_000_000..4_000_000_000).contains(&last_sent), "{last_sent}");
    assert!(sim.is_idle());
}

#[test]
fn the_same_seed_gives_the_same_traffic() {
    let columns = |seed| {
        let flows = [bulk("cubic", Direction::Up), bulk("reno", Direction::Down), constant(1_000_000, Direction::Down)];
        let mut sim = simulation(seed, path(30), &flows, Duration::from_secs(1));
        sim.advance(SimTime::from_ms(3000));
        let TrafficColumns { flow, sent_ns, left_ns, fate, fate_ns, .. } = sim.traffic().clone();
        (flow, sent_ns, left_ns, fate, fate_ns)
    };
    assert_eq!(columns(1), columns(1));
    assert_ne!(columns(1), columns(2));
}

#[test]
fn packets_of_other_traffic_count_towards_the_limits_also_before_the_run() {
    let flows = [constant(RATE_BPS, Direction::Down)];
    let lead = Duration::from_secs(50);
    let mut sim = simulation(1, path(50), &flows, lead).with_limits(RunLimits { packets: 100, ..RunLimits::NONE });
    sim.advance(SimTime::MAX);
    assert!(sim.exhausted().is_some());
    assert_eq!(sim.traffic().flow.len(), 100);
}

struct Traced {
    /// The time of the simulation at which the run starts.
    start: SimTime,
    /// How many packets of other traffic wait in the uplink's queue or are being serialised.
    waiting: usize,
}

fn traced(sim: &Simulation, at: SimTime) -> Traced {
    let trace = sim.trace();
    let at_ns = (at + trace.start.saturating_since(SimTime::ZERO)).as_ns();
    let columns = sim.traffic();
    let is_waiting = |row: &usize| {
        let is_dropped = columns.fate[*row] == Fate::QueueFull as u8;
        columns.direction[*row] == Direction::Up as u8
            && !is_dropped
            && columns.sent_ns[*row] <= at_ns
            && columns.left_ns[*row] > at_ns
    };
    Traced { start: trace.start, waiting: (0..columns.flow.len()).filter(is_waiting).count() }
}

fn open(sim: &mut Simulation) -> (crate::sim::EndpointId, crate::sim::EndpointId) {
    let options = tcp::Options::new(Profile::named("modern").unwrap());
    let ends = sim.open_tcp(options, options).unwrap();
    sim.tcp(ends.0).unwrap().connect().unwrap();
    ends
}

#[test]
fn traces_have_their_places_at_the_times_of_the_run() {
    // 1 Mbps for a second, then 4 Mbps for two seconds
    let steps =
        Steps::new(vec![(Duration::ZERO, 1_000_000), (Duration::from_secs(1), 4_000_000)], Duration::from_secs(3))
            .unwrap();
    let trace = Arc::new(CapacityTrace::Rates(steps));
    let params = |start| TraceParams { trace: trace.clone(), start, repeats: true };
    let mut path = path(1000);
    path.down.trace = Some(params(Duration::ZERO));
    let mut sim = simulation(1, path.clone(), &[constant(RATE_BPS, Direction::Down)], Duration::from_secs(5));
    let another = LinkParams { trace: Some(params(Duration::from_secs(1))), ..path.down.clone() };
    sim.change_link(SimTime::from_ms(3000), Direction::Down, another).unwrap();
    sim.advance(SimTime::from_ms(5000));
    for (from, to, kbits) in [(100, 1000, 900), (1100, 2900, 7200), (3100, 4900, 7200)] {
        let [from, to] = [from, to].map(|ms| SimTime::from_ms(5000 + ms) + RTT / 2);
        let bits = delivered(sim.traffic(), 0, Direction::Down, from, to) * 8;
        assert!(bits.abs_diff(kbits * 1000) < 24_000, "{bits} bits from {from}");
    }
    path.down.trace = Some(TraceParams { repeats: false, ..params(Duration::ZERO) });
    let recording = Recording::OFF;
    let refused = |lead| {
        let options = SimulationOptions { seed: 1, path: path.clone(), recording };
        Simulation::new(options).unwrap().with_traffic(&[], lead).err().map(|error| error.to_string())
    };
    assert_eq!(refused(Duration::ZERO), None);
    let text = "invalid trace.repeats: false (must be true if other traffic starts before the run)";
    assert_eq!(refused(Duration::from_secs(1)).as_deref(), Some(text));
}
