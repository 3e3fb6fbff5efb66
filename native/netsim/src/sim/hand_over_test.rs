use std::time::Duration;

use super::*;
use crate::endpoint::Event;
use crate::link::{LossModel, PathParams};
use crate::sim::{AppEvent, EndpointId, SimulationOptions};
use crate::tcp::{self, Profile};
use crate::trace::Recording;
use crate::{congestion, quic, sctp};

const RATE_BPS: u64 = 8_000_000;
const BYTES: usize = 1_000_000;

fn link(rtt_ms: u64) -> LinkParams {
    LinkParams::new(RATE_BPS, Duration::from_millis(rtt_ms / 2))
}

fn simulation() -> Simulation {
    let path = PathParams::symmetric(RATE_BPS, Duration::from_millis(40), LossModel::None);
    Simulation::new(SimulationOptions { seed: 1, path, recording: Recording::ALL }).unwrap()
}

/// A download over QUIC or TCP, and how much of it has arrived.
struct Download {
    sim: Simulation,
    client: EndpointId,
    server: EndpointId,
    received: usize,
    closed: bool,
}

impl Download {
    fn over_quic(migration: bool) -> Self {
        Download::over_quic_with(quic::Options { migration, ..quic::Options::new(quic::Profile::Modern) })
    }

    fn over_quic_with(options: quic::Options) -> Self {
        let mut sim = simulation();
        let (client, server) = sim.open_quic(options, options).unwrap();
        sim.quic(client).unwrap().connect().unwrap();
        Download { sim, client, server, received: 0, closed: false }
    }

    fn over_tcp() -> Self {
        let mut sim = simulation();
        let options = tcp::Options::new(Profile::named("modern").unwrap());
        let (client, server) = sim.open_tcp(options, options).unwrap();
        sim.tcp(client).unwrap().connect().unwrap();
        Download { sim, client, server, received: 0, closed: false }
    }

    fn run_until(&mut self, until: SimTime) {
        loop {
            let events = self.sim.advance(until);
            if events.is_empty() {
                return;
            }
            for AppEvent { endpoint, event } in events {
                match event {
                    Event::Connected { .. } if endpoint == self.server => self.write(),
                    Event::Writable if endpoint == self.server => {}
                    Event::Readable { stream } if endpoint == self.client => {
                        self.received += self.sim.transport(endpoint).unwrap().read(stream).unwrap().len();
                    }
                    Event::Closed(_) => self.closed = true,
                    _ => {}
                }
            }
        }
    }

    fn write(&mut self) {
        let transport = self.sim.transport(self.server).unwrap();
        let stream = if transport.name() == "QUIC" { 3 } else { 0 };
        assert_eq!(transport.write(stream, &vec![7; BYTES]).unwrap(), BYTES);
    }

    fn hand_over(&mut self, rtt_ms: u64) {
        self.sim.hand_over(link(rtt_ms), link(rtt_ms)).unwrap();
    }
}

fn at(ms: u64) -> SimTime {
    SimTime::from_ms(ms)
}

#[test]
fn a_quic_connection_follows_the_client_to_its_new_address() {
    let mut download = Download::over_quic(true);
    download.run_until(at(500));
    let before = download.received;
    assert!((100_000..BYTES).contains(&before), "{before}");
    download.hand_over(100);
    download.run_until(at(8000));
    assert_eq!((download.received, download.closed), (BYTES, false));
}

#[test]
fn after_the_hand_over_the_server_starts_with_the_initial_window_and_without_an_rtt() {
    for &kind in congestion::LIST {
        let options = quic::Options { migration: true, ..quic::Options::new(quic::Profile::Modern) };
        let mut download = Download::over_quic_with(quic::Options { congestion: Some(kind), ..options });
        download.run_until(at(500));
        let sample = |download: &Download| download.sim.endpoint(download.server).unwrap().sample().unwrap();
        let before = sample(&download);
        assert!(before.cwnd_bytes > 30_000 && !before.srtt.is_zero(), "{}: {before:?}", kind.name);
        download.hand_over(100);
        // the client's first packet from its new address arrives after half of the new RTT
        download.run_until(at(549));
        assert!(sample(&download).cwnd_bytes > 20_000, "{}", kind.name);
        download.run_until(at(552));
        let after = sample(&download);
        assert_eq!((after.cwnd_bytes, after.srtt), (10 * 1280, Duration::ZERO), "{}", kind.name);
        // RFC 9000 §9.4: packets that were sent before the server noticed the new path are not measured
        download.run_until(at(760));
        let srtt = sample(&download).srtt;
        assert!(srtt.abs_diff(Duration::from_millis(100)) < Duration::from_millis(30), "{}: {srtt:?}", kind.name);
        download.run_until(at(8000));
        assert_eq!(download.received, BYTES, "{}", kind.name);
    }
}

/// Returns the sizes in bytes of the IP packets that the server sends between these times, which are in ms.
fn sizes(download: &Download, ms: std::ops::Range<u64>) -> Vec<u32> {
    let packets = &download.sim.trace().packets.packets;
    let during = at(ms.start).as_ns()..at(ms.end).as_ns();
    let rows = 0..packets.fate.len();
    rows.filter(|row| packets.direction[*row] == Direction::Down as u8 && during.contains(&packets.sent_ns[*row]))
        .map(|row| packets.bytes[row])
        .collect()
}

// RFC 9000 §14.3 and §9.4
#[test]
fn the_search_for_larger_datagrams_begins_again_on_the_new_path() {
    let mut download = Download::over_quic(true);
    download.run_until(at(500));
    download.hand_over(100);
    download.run_until(at(1500));
    const HEADERS: u32 = 28;
    assert!(sizes(&download, 450..550).contains(&(1452 + HEADERS)), "the search is over before the hand-over");
    // after the hand-over all packets are small, except for the first probe of the search
    let mut first = sizes(&download, 550..640);
    first.sort_unstable();
    let probe = first.pop();
    assert!(first.len() > 3 && first.iter().all(|bytes| *bytes <= 1280 + HEADERS), "{first:?}");
    assert!(probe.is_some_and(|bytes| bytes > 1280 + HEADERS && bytes < 1452 + HEADERS), "{probe:?}");
    assert!(sizes(&download, 1300..1500).contains(&(1452 + HEADERS)), "the search is over again");
}

#[test]
fn the_client_also_forgets_the_old_path() {
    let mut download = Download::over_quic(true);
    download.run_until(at(500));
    let srtt = |download: &Download| download.sim.endpoint(download.client).unwrap().sample().unwrap().srtt;
    assert!(!srtt(&download).is_zero());
    download.hand_over(100);
    assert!(srtt(&download).is_zero());
}

// RFC 9000 §8.2: a PATH_CHALLENGE or its answer may be lost
#[test]
fn a_connection_also_follows_over_a_lossy_path() {
    for ms in 300..360 {
        let mut download = Download::over_quic(true);
        download.run_until(at(ms));
        let lossy = || LinkParams { loss: LossModel::Bernoulli { rate: 0.2 }, ..link(100) };
        download.sim.hand_over(lossy(), lossy()).unwrap();
        download.run_until(at(60_000));
        assert_eq!((download.received, download.closed), (BYTES, false), "after {ms} ms");
    }
}

#[test]
fn a_connection_that_is_closed_does_not_follow() {
    let mut download = Download::over_quic(true);
    download.run_until(at(500));
    download.sim.quic(download.client).unwrap().abort();
    download.run_until(at(30_000));
    download.hand_over(100);
    assert!(download.closed);
}

#[test]
fn a_server_without_migration_ignores_the_new_address() {
    let mut download = Download::over_quic(false);
    download.run_until(at(500));
    let before = download.received;
    download.hand_over(100);
    download.run_until(at(8000));
    assert_eq!(download.received, before);
}

#[test]
fn a_tcp_connection_stays_at_the_old_address_where_nothing_arrives() {
    let mut download = Download::over_tcp();
    download.run_until(at(500));
    let before = download.received;
    assert!((100_000..BYTES).contains(&before), "{before}");
    download.hand_over(40);
    download.run_until(at(20_000));
    assert_eq!(download.received, before);
    let packets = &download.sim.trace().packets.packets;
    let late: Vec<_> = (0..packets.fate.len()).filter(|row| packets.sent_ns[*row] > at(520).as_ns()).collect();
    assert!(late.len() > 3 && late.iter().all(|row| packets.fate[*row] == Fate::HandedOver as u8), "{}", late.len());
    // a new connection has the new address, and works
    let options = tcp::Options::new(Profile::named("modern").unwrap());
    let (client, _) = download.sim.open_tcp(options, options).unwrap();
    download.sim.tcp(client).unwrap().connect().unwrap();
    let events = download.sim.advance(at(21_000));
    assert_eq!(events[0], AppEvent { endpoint: client, event: Event::Connected { streams: 1 } });
}

#[test]
fn an_sctp_association_stays_at_the_old_address() {
    let mut sim = simulation();
    let options = sctp::Options::new(sctp::Profile::Modern, 2);
    let (client, server) = sim.open_sctp(options.clone(), options).unwrap();
    sim.sctp(client).unwrap().connect();
    while sim.advance(at(300)).iter().all(|event| event.endpoint != server) {}
    sim.hand_over(link(40), link(40)).unwrap();
    sim.sctp(server).unwrap().send(0, &[7; 500]).unwrap();
    assert!(sim.advance(at(900)).iter().all(|event| event.endpoint != client));
}

#[test]
fn what_was_in_the_queues_or_on_its_way_to_the_client_is_lost_and_the_rest_arrives() {
    let mut sim = simulation();
    let (client, server) = sim.open_udp();
    for end in [client, server] {
        for _ in 0..40 {
            sim.udp(end).unwrap().send(&[7; 972]).unwrap();
        }
    }
    // the serialisation of each packet takes 1 ms, and then the packet is on its way for 20 ms
    let arrived = |sim: &mut Simulation, until| {
        let mut counts = [0, 0];
        loop {
            let events = sim.advance(at(until));
            if events.is_empty() {
                return counts;
            }
            events.iter().for_each(|event| counts[usize::from(event.endpoint == server)] += 1);
        }
    };
    assert_eq!(arrived(&mut sim, 30), [10, 10]);
    sim.hand_over(link(40), link(40)).unwrap();
    assert_eq!(arrived(&mut sim, 500), [0, 20], "packets that have left the uplink's queue arrive");
    let packets = &sim.trace().packets.packets;
    let count = |direction: Direction, fate: Fate| {
        let rows = packets.direction.iter().zip(&packets.fate);
        rows.filter(|(way, each)| **way == direction as u8 && **each == fate as u8).count()
    };
    assert_eq!([count(Direction::Down, Fate::Delivered), count(Direction::Down, Fate::HandedOver)], [10, 30]);
    assert_eq!([count(Direction::Up, Fate::Delivered), count(Direction::Up, Fate::HandedOver)], [30, 10]);
    let lost = (0..packets.fate.len()).filter(|row| packets.fate[*row] == Fate::HandedOver as u8);
    assert!(lost.clone().all(|row| packets.fate_ns[row] == at(30).as_ns()));
}

#[test]
fn another_path_is_not_affected() {
    let mut sim = simulation();
    let path = sim.add_path(PathParams::symmetric(RATE_BPS, Duration::from_millis(40), LossModel::None)).unwrap();
    let Ok((client, _)) = sim.open_on(path, 0, |place| Ok::<_, std::convert::Infallible>(crate::udp::open(place)));
    sim.udp(client).unwrap().send(&[7; 100]).unwrap();
    sim.advance(at(1));
    sim.hand_over(link(40), link(40)).unwrap();
    sim.udp(client).unwrap().send(&[7; 100]).unwrap();
    assert_eq!([sim.advance(at(500)).len(), sim.advance(at(500)).len()], [1, 1]);
}

#[test]
fn the_same_seed_gives_the_same_packets_after_a_hand_over() {
    let bytes = || {
        let mut download = Download::over_quic(true);
        download.run_until(at(300));
        download.hand_over(100);
        download.run_until(at(3000));
        download.sim.trace().packets.to_bytes()
    };
    assert_eq!(bytes(), bytes());
}

#[test]
fn a_hand_over_to_an_invalid_path_changes_nothing() {
    let mut sim = simulation();
    let error = sim.hand_over(LinkParams { rate_bps: 0, ..link(40) }, link(40)).unwrap_err();
    assert_eq!(error.name, "rateBps");
    assert_eq!(sim.address, 0);
}
