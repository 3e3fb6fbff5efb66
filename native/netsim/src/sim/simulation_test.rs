use std::convert::Infallible;
use std::fmt::Debug;
use std::sync::Arc;
use std::time::Duration;

use super::*;
use crate::link::{CapacityTrace, Distribution, Jitter, LossApplies, LossAt, LossModel, Opportunities, TraceParams};
use crate::trace::{Fate, PacketKind};
use crate::transport::CallError;
use crate::{quic, sctp, tcp, udp};

/// Returns a simulation of a path with 1 Mbps and an RTT of 100 ms.
fn simulation() -> Simulation {
    let path = PathParams::symmetric(1_000_000, Duration::from_millis(100), LossModel::None);
    Simulation::new(SimulationOptions { seed: 1, path, recording: Recording::ALL }).unwrap()
}

#[test]
fn a_datagram_arrives_after_serialisation_and_half_the_rtt() {
    let mut sim = simulation();
    let (client, server) = sim.open_udp();
    sim.udp(client).unwrap().send(&[7; 1222]).unwrap();
    let events = sim.advance(SimTime::MAX);
    assert_eq!(events, [AppEvent { endpoint: server, event: Event::Message { stream: 0, bytes: vec![7; 1222] } }]);
    // with its headers the datagram has 1250 B, whose serialisation takes 10 ms
    assert_eq!(sim.now(), SimTime::from_ms(60));
    assert!(sim.is_idle());
}

#[test]
fn a_packet_lost_at_the_exit_delays_the_next_packet_and_is_recorded_at_the_end_of_its_serialisation() {
    for (loss_at, lost_ms, arrived_ms) in [(LossAt::Entry, 0, 60), (LossAt::Exit, 10, 70)] {
        let mut path = PathParams::symmetric(1_000_000, Duration::from_millis(100), LossModel::List([0].into()));
        path.up.loss_at = loss_at;
        let mut sim = Simulation::new(SimulationOptions { seed: 1, path, recording: Recording::ALL }).unwrap();
        let (client, _) = sim.open_udp();
        for _ in 0..2 {
            sim.udp(client).unwrap().send(&[7; 1222]).unwrap();
        }
        assert_eq!(sim.advance(SimTime::MAX).len(), 1);
        let packets = &sim.trace().packets.packets;
        assert_eq!(packets.fate, [Fate::Lost as u8, Fate::Delivered as u8]);
        assert_eq!(packets.fate_ns, [lost_ms, arrived_ms].map(|at_ms| SimTime::from_ms(at_ms).as_ns()));
    }
}

#[test]
fn a_change_takes_effect_at_its_time() {
    let mut sim = simulation();
    let (client, _) = sim.open_udp();
    let slow = LinkParams::new(500_000, Duration::from_millis(50));
    sim.change_link(SimTime::from_ms(5), Direction::Up, slow).unwrap();
    sim.udp(client).unwrap().send(&[7; 1222]).unwrap();
    sim.udp(client).unwrap().send(&[7; 1222]).unwrap();
    sim.advance(SimTime::MAX);
    assert_eq!(sim.now(), SimTime::from_ms(60));
    sim.advance(SimTime::MAX);
    assert_eq!(sim.now(), SimTime::from_ms(10 + 20 + 50));
}

#[test]
fn an_invalid_change_is_refused_by_name_and_limit() {
    let mut sim = simulation();
    let wrong = LinkParams::new(0, Duration::ZERO);
    let error = sim.change_link(SimTime::ZERO, Direction::Up, wrong).unwrap_err();
    assert_eq!(error.to_string(), "invalid rateBps: 0 (must be 1–10^12)");
}

/// Runs a simulation with these limits, in which the client sends two datagrams at once. Returns the simulation and the
/// number of events.
fn limited(limits: RunLimits) -> (Simulation, usize) {
    let mut sim = simulation().with_limits(limits);
    let (client, _) = sim.open_udp();
    for _ in 0..2 {
        sim.udp(client).unwrap().send(&[7; 1222]).unwrap();
    }
    let event_count = [(); 4].into_iter().map(|()| sim.advance(SimTime::from_ms(1000)).len()).sum();
    (sim, event_count)
}

#[test]
fn a_run_ends_at_its_limit_of_packets_and_reports_the_limit() {
    let (sim, event_count) = limited(RunLimits { packets: 2, ..RunLimits::NONE });
    assert_eq!(
        (sim.exhausted(), sim.trace().packets.packets.bytes.len(), event_count),
        (Some(Exhausted::Packets), 2, 0)
    );
    assert_eq!(sim.now(), SimTime::ZERO);
    let (sim, event_count) = limited(RunLimits { packets: 1, ..RunLimits::NONE });
    assert_eq!(
        (sim.exhausted(), sim.trace().packets.packets.bytes.len(), event_count),
        (Some(Exhausted::Packets), 1, 0)
    );
    let (sim, event_count) = limited(RunLimits { packets: 3, ..RunLimits::NONE });
    assert_eq!((sim.exhausted(), event_count, sim.now()), (None, 2, SimTime::from_ms(1000)));
}

#[test]
fn a_run_ends_at_its_limit_of_steps_and_reports_the_limit() {
    // the whole run has 4 calls, 2 departures and 2 arrivals
    let (sim, event_count) = limited(RunLimits { steps: 9, ..RunLimits::NONE });
    assert_eq!((sim.exhausted(), event_count, sim.now()), (None, 2, SimTime::from_ms(1000)));
    let (sim, event_count) = limited(RunLimits { steps: 8, ..RunLimits::NONE });
    assert_eq!((sim.exhausted(), event_count), (Some(Exhausted::Steps), 2));
    // the limit admits one call and both departures, but not the first arrival
    let (sim, event_count) = limited(RunLimits { steps: 3, ..RunLimits::NONE });
    assert_eq!((sim.exhausted(), event_count, sim.now()), (Some(Exhausted::Steps), 0, SimTime::from_ms(20)));
}

#[test]
fn advance_stops_at_until() {
    let mut sim = simulation();
    let (client, _) = sim.open_udp();
    sim.udp(client).unwrap().send(b"x").unwrap();
    assert_eq!(sim.advance(SimTime::from_ms(20)), []);
    assert_eq!(sim.now(), SimTime::from_ms(20));
    assert!(!sim.is_idle());
}

/// The server sends 60 KB over a path that loses only packets with data. It writes bytes, or messages of 1000 B if the
/// transport has messages. Returns for each of the server's packets with data whether it was lost.
fn fates_of_data<E: Debug>(open: impl FnOnce(Place) -> Result<Ends, E>, loss: &LossModel) -> Vec<bool> {
    let mut path = PathParams::symmetric(1_000_000, Duration::from_millis(100), loss.clone());
    path.down.loss_applies = LossApplies::Data;
    path.up.loss_applies = LossApplies::Data;
    let mut sim = Simulation::new(SimulationOptions { seed: 3, path, recording: Recording::ALL }).unwrap();
    let (client, server) = sim.open(open).unwrap();
    if sim.transport(client).unwrap().connect().is_err() {
        serve(sim.transport(server).unwrap());
    }
    loop {
        let events = sim.advance(SimTime::MAX);
        if events.is_empty() {
            break;
        }
        for AppEvent { endpoint, event } in events {
            match event {
                Event::Connected { .. } if endpoint == server => serve(sim.transport(server).unwrap()),
                Event::Readable { stream } => drop(sim.transport(endpoint).unwrap().read(stream).unwrap()),
                _ => {}
            }
        }
    }
    let (packets, chunks) = (&sim.trace().packets.packets, &sim.trace().packets.chunks);
    let has_data = |row: usize| {
        let of_packet = (0..chunks.packet.len()).filter(|chunk| chunks.packet[*chunk] as usize == row);
        of_packet.map(|chunk| chunks.bytes[chunk]).sum::<u32>() > 0
    };
    let mut fates = Vec::new();
    for row in 0..packets.fate.len() {
        let lost = packets.fate[row] == Fate::Lost as u8;
        if !has_data(row) {
            assert!(!lost, "a packet without data was lost");
        } else if packets.direction[row] == Direction::Down as u8 {
            fates.push(lost);
        }
    }
    fates
}

fn serve(server: &mut dyn Transport) {
    if server.write(0, &[7; 60_000]).is_ok() {
        return;
    }
    for _ in 0..60 {
        let _ = server.send(0, &[]); // a datagram without data, which SCTP refuses
        assert_eq!(server.send(0, &[7; 1000]), Ok(true));
    }
}

fn tcp_options() -> tcp::Options {
    tcp::Options::new(tcp::Profile::named("classic").unwrap())
}

fn sctp_options() -> sctp::Options {
    sctp::Options::new(sctp::Profile::Classic, 3)
}

#[test]
fn with_loss_of_data_the_kth_data_packet_has_the_same_fate_over_every_transport() {
    let burst = LossModel::GilbertElliott { p: 0.05, r: 0.4, h: 0.1, k: 0.98 };
    for loss in [LossModel::Bernoulli { rate: 0.1 }, burst] {
        let tcp = fates_of_data(|place| tcp::open(place, tcp_options(), tcp_options()), &loss);
        let sctp = fates_of_data(|place| sctp::open(place, sctp_options(), sctp_options()), &loss);
        let udp = fates_of_data(|place| Ok::<_, Infallible>(udp::open(place)), &loss);
        let common = tcp.len().min(sctp.len()).min(udp.len());
        assert!(common >= 40 && tcp[..common].contains(&true), "{common}");
        assert_eq!(tcp[..common], sctp[..common]);
        assert_eq!(tcp[..common], udp[..common]);
    }
}

#[test]
fn an_unsupported_call_is_an_error_that_names_transport_and_call() {
    let mut sim = simulation();
    let (tcp, _) = sim.open_tcp(tcp_options(), tcp_options()).unwrap();
    let (sctp, _) = sim.open_sctp(sctp_options(), sctp_options()).unwrap();
    let (udp, _) = sim.open_udp();
    let lacks = |transport, what| CallError::Lacks { transport, what };
    for (message, name) in [(sctp, "SCTP"), (udp, "UDP")] {
        let end = sim.transport(message).unwrap();
        assert_eq!(end.read(0), Err(lacks(name, "byte streams")));
        assert_eq!(end.write(0, b"x"), Err(lacks(name, "byte streams")));
        assert!(end.max_message_in_packet_bytes().is_ok());
    }
    assert_eq!(sim.transport(udp).unwrap().connect(), Err(lacks("UDP", "handshake")));
    let tcp = sim.transport(tcp).unwrap();
    assert_eq!(tcp.send(0, b"x"), Err(lacks("TCP", "messages")));
    assert_eq!(tcp.max_message_in_packet_bytes(), Err(lacks("TCP", "messages")));
    assert_eq!(tcp.send(0, b"x").unwrap_err().to_string(), "TCP has no messages");
}

#[test]
fn a_call_on_an_unknown_stream_is_an_error() {
    let mut sim = simulation();
    let (tcp, _) = sim.open_tcp(tcp_options(), tcp_options()).unwrap();
    let (sctp, _) = sim.open_sctp(sctp_options(), sctp_options()).unwrap();
    let (udp, _) = sim.open_udp();
    let only = |transport| CallError::OnlyStream { transport, stream: 1 };
    assert_eq!(sim.transport(tcp).unwrap().write(1, b"x"), Err(only("TCP")));
    assert_eq!(sim.transport(tcp).unwrap().read(1), Err(only("TCP")));
    assert_eq!(sim.transport(udp).unwrap().send(1, b"x"), Err(only("UDP")));
    sim.transport(sctp).unwrap().connect().unwrap();
    while !sim.advance(SimTime::MAX).is_empty() {}
    for stream in [3, 65536, u32::MAX] {
        let refused = CallError::Argument(format!("no stream {stream} (there are 3)"));
        assert_eq!(sim.transport(sctp).unwrap().send(stream, b"x"), Err(refused));
    }
}

#[test]
fn each_pair_of_endpoints_has_a_different_client_port() {
    let mut sim = simulation();
    for _ in 0..3 {
        let (client, _) = sim.open_udp();
        sim.udp(client).unwrap().send(b"x").unwrap();
    }
    while !sim.advance(SimTime::MAX).is_empty() {}
    let header = crate::ip::HEADER_BYTES;
    let ports = sim.trace().packets.bytes.iter().map(|packet| [packet[header], packet[header + 1]]);
    assert_eq!(ports.collect::<Vec<_>>(), [0xc000_u16, 0xc001, 0xc002].map(u16::to_be_bytes));
}

/// Adds a path with 10 Mbps and an RTT of 20 ms.
fn another_path(sim: &mut Simulation, loss: LossModel) -> PathId {
    sim.add_path(PathParams::symmetric(10_000_000, Duration::from_millis(20), loss)).unwrap()
}

fn open_udp_on(sim: &mut Simulation, path: PathId) -> EndpointId {
    let Ok((client, _)) = sim.open_on(path, 0, |place| Ok::<_, Infallible>(udp::open(place)));
    client
}

#[test]
fn a_second_path_has_its_own_rate_delay_and_queue() {
    let mut sim = simulation();
    let path = another_path(&mut sim, LossModel::None);
    let (near, far) = (sim.open_udp().0, open_udp_on(&mut sim, path));
    for client in [near, far] {
        sim.udp(client).unwrap().send(&[7; 1222]).unwrap();
    }
    sim.advance(SimTime::MAX);
    assert_eq!(sim.now(), SimTime::from_ms(1 + 10));
    sim.advance(SimTime::MAX);
    assert_eq!(sim.now(), SimTime::from_ms(10 + 50));
}

#[test]
fn a_second_path_has_its_own_losses_and_does_not_change_those_of_the_first() {
    let loss = LossModel::Bernoulli { rate: 0.5 };
    let fates = |with_another: bool| {
        let path = PathParams::symmetric(1_000_000, Duration::from_millis(100), loss.clone());
        let mut sim = Simulation::new(SimulationOptions { seed: 1, path, recording: Recording::ALL }).unwrap();
        let near = sim.open_udp().0;
        let far = with_another.then(|| {
            let path = another_path(&mut sim, loss.clone());
            open_udp_on(&mut sim, path)
        });
        for client in (0..40).flat_map(|_| [Some(near), far]).flatten() {
            sim.udp(client).unwrap().send(&[7; 100]).unwrap();
        }
        sim.advance(SimTime::from_ms(1));
        let packets = &sim.trace().packets.packets;
        let of = |client: EndpointId| -> Vec<bool> {
            let rows = packets.endpoint.iter().zip(&packets.fate).filter(|(endpoint, _)| **endpoint == client.0);
            rows.map(|(_, fate)| *fate == Fate::Lost as u8).collect()
        };
        (of(near), far.map(of))
    };
    let ((alone, _), (beside, other)) = (fates(false), fates(true));
    assert_eq!(alone, beside);
    assert_ne!(Some(beside), other);
}

#[test]
fn an_unknown_path_is_an_error() {
    assert_eq!(simulation().path(PathId(1)), Err(OpenError::UnknownPath(1)));
}

#[test]
fn a_packet_that_needs_two_delivery_opportunities_departs_at_the_second() {
    let mut path = PathParams::symmetric(1_000_000, Duration::from_millis(100), LossModel::None);
    let opportunities = Opportunities::new(vec![10, 30, 100]).unwrap();
    let trace = Arc::new(CapacityTrace::Opportunities(opportunities));
    (path.up.trace, path.mtu_bytes) = (Some(TraceParams { trace, start: Duration::ZERO, repeats: true }), 3000);
    let mut sim = Simulation::new(SimulationOptions { seed: 1, path, recording: Recording::ALL }).unwrap();
    let (client, server) = sim.open_udp();
    sim.udp(client).unwrap().send(&[7; 2000]).unwrap();
    assert_eq!(sim.advance(SimTime::MAX).iter().map(|event| event.endpoint).collect::<Vec<_>>(), [server]);
    assert_eq!(sim.now(), SimTime::from_ms(30 + 50));
}

/// Returns a simulation of a path with 1 Mbps and an RTT of 100 ms, which loses the packets with these numbers in each
/// direction.
fn losing(up: &[u64], down: &[u64]) -> Simulation {
    let mut path = PathParams::symmetric(1_000_000, Duration::from_millis(100), LossModel::None);
    [path.up.loss, path.down.loss] = [up, down].map(|packets| LossModel::List(packets.iter().copied().collect()));
    Simulation::new(SimulationOptions { seed: 1, path, recording: Recording::ALL }).unwrap()
}

/// Connects, and returns the times at which the client and the server were connected, in ms.
fn connected_ms(sim: &mut Simulation, (client, server): (EndpointId, EndpointId)) -> [u64; 2] {
    sim.transport(client).unwrap().connect().unwrap();
    let mut at_ms = [u64::MAX; 2];
    while at_ms.contains(&u64::MAX) {
        let events = sim.advance(SimTime::MAX);
        assert!(!events.is_empty());
        for AppEvent { endpoint, event } in events {
            if matches!(event, Event::Connected { .. }) {
                at_ms[usize::from(endpoint == server)] = sim.now().as_ns() / 1_000_000;
            }
        }
    }
    at_ms
}

/// Opens a transport. If `at_once`, its handshake takes no time.
fn open_to_set_up(sim: &mut Simulation, open: fn(Place) -> Ends, at_once: bool) -> (EndpointId, EndpointId) {
    let open = |place| Ok::<_, CallError>(open(place));
    match at_once {
        true => sim.open_to_set_up_at_once(PathId::default(), 0, open),
        false => sim.open(open),
    }
    .unwrap()
}

const WITH_HANDSHAKE: [fn(Place) -> Ends; 4] = [
    |place| tcp::open(place, tcp_options(), tcp_options()).unwrap(),
    |place| sctp::open(place, sctp_options(), sctp_options()).unwrap(),
    |place| {
        let client = sctp::Options { data_with_cookie_echo: true, ..sctp_options() };
        sctp::open(place, client, sctp_options()).unwrap()
    },
    |place| {
        let over_dtls = sctp::Options { dtls: true, ..sctp_options() };
        sctp::open(place, over_dtls.clone(), over_dtls).unwrap()
    },
];

#[test]
fn a_handshake_at_once_takes_no_time_loses_nothing_and_measures_the_delay_of_the_path() {
    for open in WITH_HANDSHAKE {
        // the path would lose every packet of the handshake
        let all: Vec<_> = (0..20).collect();
        let mut sim = losing(&all, &all);
        let ends = open_to_set_up(&mut sim, open, true);
        assert_eq!(connected_ms(&mut sim, ends), [0, 0]);
        for end in [ends.0, ends.1] {
            let sample = sim.endpoint(end).unwrap().sample().unwrap();
            assert_eq!((sample.srtt.as_millis(), sample.rto.as_millis()), (100, 1000));
        }
        let packets = &sim.trace().packets.packets;
        for column in [&packets.sent_ns, &packets.left_ns, &packets.fate_ns] {
            assert!(column.iter().all(|ns| *ns == 0));
        }
        assert!(packets.fate.iter().all(|fate| *fate == Fate::Delivered as u8));
        assert!(packets.fate.len() >= 3);
    }
}

#[test]
fn packets_of_a_handshake_at_once_count_for_the_limits_of_the_run() {
    let mut sim = simulation().with_limits(RunLimits { packets: 2, ..RunLimits::NONE });
    let (client, _) = open_to_set_up(&mut sim, WITH_HANDSHAKE[0], true);
    sim.transport(client).unwrap().connect().unwrap();
    while !sim.advance(SimTime::MAX).is_empty() {}
    assert_eq!(sim.exhausted(), Some(Exhausted::Packets));
}

#[test]
fn while_the_peer_is_not_connected_packets_without_data_still_take_no_time() {
    let mut sim = simulation();
    let (client, server) = open_to_set_up(&mut sim, WITH_HANDSHAKE[0], true);
    sim.transport(client).unwrap().connect().unwrap();
    let is_connected =
        |end: EndpointId, event: &AppEvent| event.endpoint == end && matches!(event.event, Event::Connected { .. });
    let events = sim.advance(SimTime::MAX);
    assert!(events.iter().any(|event| is_connected(client, event)), "{events:?}");
    assert!(!events.iter().any(|event| is_connected(server, event)), "{events:?}");
    sim.transport(client).unwrap().close();
    while !sim.advance(SimTime::MAX).is_empty() {}
    let packets = &sim.trace().packets.packets;
    let fin = (0..packets.kind.len()).find(|row| packets.kind[*row] == PacketKind::Close as u8).unwrap();
    assert_eq!((packets.endpoint[fin], packets.sent_ns[fin], packets.fate_ns[fin]), (client.0, 0, 0));
}

#[test]
fn after_a_handshake_at_once_packets_take_their_time_and_keep_their_fates() {
    for open in [WITH_HANDSHAKE[0], WITH_HANDSHAKE[1]] {
        let first_data = |at_once: bool| {
            let mut sim = losing(&[2], &[]);
            let ends = open_to_set_up(&mut sim, open, at_once);
            sim.transport(ends.0).unwrap().connect().unwrap();
            while !sim.advance(SimTime::MAX).iter().any(|event| event.endpoint == ends.0) {}
            // the server may not be connected yet
            let connected = sim.now().as_ns() / 1_000_000;
            let client = sim.transport(ends.0).unwrap();
            // the packet with the number 2 is lost, which is the first packet with data: SYN and ACK, or INIT and
            // COOKIE ECHO, have the numbers 0 and 1
            if client.write(0, &[7; 500]).is_err() {
                assert_eq!(client.send(0, &[7; 500]), Ok(true));
            }
            while !sim.advance(SimTime::MAX).is_empty() {}
            let packets = &sim.trace().packets.packets;
            let is_data = |row: &usize| packets.kind[*row] == PacketKind::Data as u8;
            let rows: Vec<usize> = (0..packets.kind.len()).filter(is_data).collect();
            let fates: Vec<u8> = rows.iter().map(|row| packets.fate[*row]).collect();
            let took_ns = packets.fate_ns[rows[1]] - packets.sent_ns[rows[1]];
            (connected, fates, took_ns > 50_000_000)
        };
        let (usual, at_once) = (first_data(false), first_data(true));
        let fates = vec![Fate::Lost as u8, Fate::Delivered as u8];
        assert!(usual.0 >= 100);
        assert_eq!((&usual.1, usual.2), (&fates, true));
        assert_eq!(at_once, (0, fates, true));
    }
}

#[test]
fn after_a_handshake_at_once_packets_keep_their_delays_on_a_path_with_jitter() {
    for open in [WITH_HANDSHAKE[0], WITH_HANDSHAKE[1]] {
        let delays_ns = |at_once: bool| {
            let mut path = PathParams::symmetric(1_000_000, Duration::from_millis(100), LossModel::None);
            let (spread, distribution) = (Duration::from_millis(20), Distribution::Uniform);
            let jitter = Jitter { spread, distribution, correlation: 0.0, in_order: false };
            [path.up.jitter, path.down.jitter] = [Some(jitter); 2];
            let mut sim = Simulation::new(SimulationOptions { seed: 1, path, recording: Recording::ALL }).unwrap();
            let (client, server) = open_to_set_up(&mut sim, open, at_once);
            connected_ms(&mut sim, (client, server));
            for end in [client, server] {
                let transport = sim.transport(end).unwrap();
                if transport.write(0, &[7; 500]).is_err() {
                    assert_eq!(transport.send(0, &[7; 500]), Ok(true));
                }
            }
            while !sim.advance(SimTime::MAX).is_empty() {}
            let packets = &sim.trace().packets.packets;
            let first_data = |end: EndpointId| {
                let is_first =
                    |row: &usize| packets.endpoint[*row] == end.0 && packets.kind[*row] == PacketKind::Data as u8;
                let row = (0..packets.kind.len()).find(is_first).unwrap();
                packets.fate_ns[row] - packets.left_ns[row]
            };
            [first_data(client), first_data(server)]
        };
        let usual = delays_ns(false);
        assert!(usual.iter().all(|ns| *ns != 50_000_000), "{usual:?}");
        assert_eq!(delays_ns(true), usual);
    }
}

#[test]
fn a_transport_without_a_handshake_of_its_own_cannot_leave_it_out() {
    let mut sim = simulation();
    let lacks = |transport| Err(CallError::Lacks { transport, what: "instant handshake" });
    let path = PathId::default();
    assert_eq!(sim.open_to_set_up_at_once(path, 0, |place| Ok::<_, CallError>(udp::open(place))), lacks("UDP"));
    let options = quic::Options::new(quic::Profile::Modern);
    let quic = |place| Ok::<_, CallError>(quic::open(place, options, options).unwrap());
    assert_eq!(sim.open_to_set_up_at_once(path, 0, quic), lacks("QUIC"));
    // nothing was opened
    assert_eq!(sim.open_udp().0, EndpointId(0));
}
