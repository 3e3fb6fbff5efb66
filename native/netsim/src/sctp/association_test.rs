use std::time::Duration;

use super::*;
use crate::link::{LossModel, PathParams};
use crate::sctp::{DcsctpStack, Profile, checksum};
use crate::sim::{AppEvent, Simulation, SimulationOptions};
use crate::trace::{PacketKind, Recording};

/// Runs a load in which the server sends 200 messages, on a path with an RTT of 350 ms and 3 % loss. Calls `check` with
/// the server's association after each instant that has events.
fn load(profile: Profile, mut check: impl FnMut(&Association)) {
    let loss = LossModel::Bernoulli { rate: 0.03 };
    let path = PathParams::symmetric(1_000_000, Duration::from_millis(350), loss);
    let mut sim = Simulation::new(SimulationOptions { seed: 5, path, recording: Recording::OFF }).unwrap();
    let options = Options::new(profile, 4);
    let (client, server) = sim.open_sctp(options.clone(), options).unwrap();
    sim.sctp(client).unwrap().connect();
    let mut received = 0;
    while received < 200 {
        let events = sim.advance(SimTime::MAX);
        assert!(!events.is_empty());
        for event in events {
            match event.event {
                Event::Connected { .. } if event.endpoint == client => {
                    let association = sim.sctp(server).unwrap();
                    for number in 0..200 {
                        association.send(number % 4, &[0; 1452]).unwrap();
                    }
                }
                Event::Message { .. } => received += 1,
                _ => {}
            }
        }
        check(sim.sctp(server).unwrap());
    }
}

fn dcsctp(association: &Association) -> &DcsctpStack {
    let stack: &dyn std::any::Any = &*association.stack;
    stack.downcast_ref().unwrap()
}

#[test]
fn the_stacks_own_queue_stays_empty() {
    load(Profile::Classic, |sender| assert_eq!(sender.observed.unsent_bytes(), 0));
}

#[test]
fn with_interleaving_the_stack_has_one_message_of_each_stream() {
    let path = PathParams::symmetric(1_000_000, Duration::from_millis(100), LossModel::None);
    let mut sim = Simulation::new(SimulationOptions { seed: 5, path, recording: Recording::OFF }).unwrap();
    let options = Options { idata: true, ..Options::new(Profile::Classic, 2) };
    let (client, server) = sim.open_sctp(options.clone(), options).unwrap();
    sim.sctp(client).unwrap().connect();
    while !sim.advance(SimTime::from_ms(1000)).is_empty() {}
    for number in 0..6 {
        sim.sctp(server).unwrap().send(number % 2, &[0; 20_000]).unwrap();
    }
    let mut most_bytes = 0;
    while !sim.advance(SimTime::MAX).is_empty() {
        most_bytes = most_bytes.max(sim.sctp(server).unwrap().observed.unsent_bytes());
    }
    assert!((20_001..=40_000).contains(&most_bytes), "{most_bytes}");
    assert_eq!(sim.sctp(server).unwrap().buffered_bytes(), 0);
}

#[test]
fn the_rto_estimator_agrees_with_the_stack() {
    for profile in [Profile::Classic, Profile::Modern] {
        let mut compared = 0;
        load(profile, |sender| {
            let (shown, computed) = dcsctp(sender).views();
            if let (Some(shown), Some(ours)) = (shown, computed.estimator().srtt()) {
                assert_eq!(shown.srtt, Some(ours));
                compared += 1;
            }
        });
        assert!(compared > 50);
    }
}

#[test]
fn the_flight_stays_within_the_window_before_a_reduction() {
    let mut window_bytes = 0;
    load(Profile::Classic, |sender| {
        let sample = sender.sample().unwrap();
        // fast retransmit reduces the window below the bytes in flight, so the window from before the recovery is the
        // limit
        window_bytes = if dcsctp(sender).views().1.is_recovering() { window_bytes } else { sample.cwnd_bytes };
        assert!(sample.flight_bytes <= window_bytes.max(sample.cwnd_bytes), "{sample:?}");
    });
}

/// The RTT is longer than the initial RTO, so the client sends two INITs and gets two INIT ACKs.
#[test]
fn received_data_is_counted_from_the_initial_tsn_of_the_answered_init_ack() {
    for seed in 1..=4 {
        let path = PathParams::symmetric(1_000_000, Duration::from_millis(1100), LossModel::None);
        let mut sim = Simulation::new(SimulationOptions { seed, path, recording: Recording::OFF }).unwrap();
        let options = Options::new(Profile::Modern, 1);
        let (client, server) = sim.open_sctp(options.clone(), options).unwrap();
        sim.sctp(client).unwrap().connect();
        while !sim.advance(SimTime::from_ms(8000)).is_empty() {}
        for _ in 0..5 {
            sim.sctp(server).unwrap().send(0, &[0; 1000]).unwrap();
        }
        while !sim.advance(SimTime::from_ms(20_000)).is_empty() {}
        let inbound = &sim.sctp(client).unwrap().observed.inbound;
        assert_eq!(inbound.cumulative_tsn().and_then(|tsn| inbound.count_at(tsn)), Some(5), "seed {seed}");
    }
}

/// Returns a simulation of a connected pair, and the id of the server. The server has sent two messages. The client has
/// acknowledged the first message, and delays the SACK of the second.
fn unacknowledged() -> (Simulation, crate::sim::EndpointId) {
    let path = PathParams::symmetric(1_000_000, Duration::from_millis(100), LossModel::None);
    let mut sim = Simulation::new(SimulationOptions { seed: 5, path, recording: Recording::ALL }).unwrap();
    let options = Options::new(Profile::Classic, 1);
    let (client, server) = sim.open_sctp(options.clone(), options).unwrap();
    sim.sctp(client).unwrap().connect();
    while !sim.advance(SimTime::from_ms(1000)).is_empty() {}
    for number in 1..=2 {
        // the first message is acknowledged at once (RFC 9260 §5.1), and the second after a delay of 200 ms
        sim.sctp(server).unwrap().send(0, &[number; 100]).unwrap();
        while !sim.advance(SimTime::from_ms(1000 + 150 * u64::from(number))).is_empty() {}
    }
    assert_eq!(sim.sctp(server).unwrap().buffered_bytes(), 100);
    (sim, server)
}

// paper N07, §5; RFC 9260 §6.2
#[test]
fn a_single_message_is_acknowledged_after_200_ms() {
    let (mut sim, _) = unacknowledged();
    while !sim.advance(SimTime::from_ms(3000)).is_empty() {}
    let packets = &sim.trace().packets.packets;
    let last = |direction, kind: PacketKind| {
        let is_it = |row: &usize| packets.direction[*row] == direction && packets.kind[*row] == kind as u8;
        (0..packets.kind.len()).rev().find(is_it).unwrap()
    };
    let delay_ns = packets.sent_ns[last(1, PacketKind::Ack)] - packets.fate_ns[last(0, PacketKind::Data)];
    assert_eq!(delay_ns, 200_000_000);
}

/// Returns a packet of the client with one chunk. The chunk consists of `head`, the newest TSN of the server, and
/// `tail`.
fn packet(sim: &Simulation, head: &[u8], tail: &[u8]) -> Vec<u8> {
    let log = &sim.trace().packets;
    let sctp = |direction: u8, kind: PacketKind| {
        let is_it = |row: &usize| log.packets.direction[*row] == direction && log.packets.kind[*row] == kind as u8;
        &log.bytes[(0..log.bytes.len()).rev().find(is_it).unwrap()][ip::HEADER_BYTES..]
    };
    let mut packet = sctp(1, PacketKind::Ack)[..chunk::COMMON_HEADER_BYTES].to_vec();
    packet.extend_from_slice(head);
    packet.extend_from_slice(&sctp(0, PacketKind::Data)[16..20]);
    packet.extend_from_slice(tail);
    checksum::write_checksum(&mut packet);
    packet
}

/// Gives the server the packet that [`packet`] makes, with a wrong checksum unless `intact`.
fn receive(sim: &mut Simulation, server: crate::sim::EndpointId, head: &[u8], tail: &[u8], intact: bool) {
    let mut packet = packet(sim, head, tail);
    if !intact {
        packet[8] ^= 1;
    }
    hand(sim, server, &packet);
}

fn hand(sim: &mut Simulation, server: crate::sim::EndpointId, packet: &[u8]) {
    let now = sim.now();
    let association = sim.sctp(server).unwrap();
    let packet = ip::packet(&association.flow.reversed(), ip::SCTP, 99, packet);
    association.handle_packet(now, &packet);
}

const SHUTDOWN: &[u8] = &[7, 0, 0, 8];

#[test]
fn a_shutdown_acknowledges_data_like_a_sack() {
    let (mut sim, server) = unacknowledged();
    receive(&mut sim, server, SHUTDOWN, &[], true);
    assert_eq!(sim.sctp(server).unwrap().buffered_bytes(), 0);
    // everything is acknowledged, so the SHUTDOWN is answered at once (RFC 9260 §9.2)
    assert_eq!(sim.sctp(server).unwrap().poll_transmit(SimTime::from_ms(1300)).unwrap().kind, PacketKind::Close);
    let sample = sim.sctp(server).unwrap().sample().unwrap();
    assert_eq!((sample.flight_bytes, sample.cwnd_bytes), (0, 3 * 1480));
}

#[test]
fn a_corrupt_shutdown_or_sack_acknowledges_nothing() {
    let (mut sim, server) = unacknowledged();
    let sack_tail = [0, 16, 0, 0, 0, 0, 0, 0];
    receive(&mut sim, server, SHUTDOWN, &[], false);
    receive(&mut sim, server, &[3, 0, 0, 16], &sack_tail, false);
    assert_eq!(sim.sctp(server).unwrap().buffered_bytes(), 100);
    assert_eq!(sim.sctp(server).unwrap().poll_transmit(SimTime::from_ms(1300)), None);
    receive(&mut sim, server, &[3, 0, 0, 16], &sack_tail, true);
    assert_eq!(sim.sctp(server).unwrap().buffered_bytes(), 0);
}

#[test]
fn a_shutdown_frees_the_receive_window_of_the_data_that_it_acknowledges() {
    let (mut sim, server) = unacknowledged();
    let peer_rwnd = |sim: &mut Simulation| dcsctp(sim.sctp(server).unwrap()).views().0.unwrap().peer_rwnd_bytes;
    let before = peer_rwnd(&mut sim);
    receive(&mut sim, server, SHUTDOWN, &[], true);
    assert_eq!(peer_rwnd(&mut sim), before + 100);
}

#[test]
fn a_packet_with_other_ports_or_another_tag_is_dropped() {
    let (mut sim, server) = unacknowledged();
    let log = &sim.trace().packets;
    let sack = (0..log.bytes.len()).rev().find(|row| log.packets.kind[*row] == PacketKind::Ack as u8).unwrap();
    let newest = (0..log.bytes.len()).rev().find(|row| log.packets.kind[*row] == PacketKind::Data as u8).unwrap();
    let mut packet = log.bytes[sack][ip::HEADER_BYTES..].to_vec();
    packet[16..20].copy_from_slice(&log.bytes[newest][ip::HEADER_BYTES..][16..20]);
    for (byte, buffered) in [(1, 100), (3, 100), (7, 100), (11, 0)] {
        let mut packet = packet.clone();
        packet[byte] ^= 1;
        checksum::write_checksum(&mut packet);
        hand(&mut sim, server, &packet);
        assert_eq!(sim.sctp(server).unwrap().buffered_bytes(), buffered, "{byte}");
    }
}

#[test]
fn an_init_during_the_association_does_not_change_the_tsns() {
    let (mut sim, server) = unacknowledged();
    let init = sim.trace().packets.bytes[0][ip::HEADER_BYTES..].to_vec();
    let before = sim.sctp(server).unwrap().observed.inbound.cumulative_tsn();
    assert!(before.is_some());
    let mut other = init;
    other[28] ^= 1; // the initial TSN
    checksum::write_checksum(&mut other);
    hand(&mut sim, server, &other);
    assert_eq!(sim.sctp(server).unwrap().observed.inbound.cumulative_tsn(), before);
}

#[test]
fn a_packet_of_another_flow_is_ignored_as_bytes_and_as_a_value() {
    let other_port = |mut address: std::net::SocketAddrV4| {
        address.set_port(address.port() + 1);
        address
    };
    for (other, typed) in (0..4).flat_map(|other| [(other, false), (other, true)]) {
        let (mut sim, server) = unacknowledged();
        let ours = sim.sctp(server).unwrap().flow.reversed();
        let flow = [
            ours.reversed(),
            Flow { local: other_port(ours.local), ..ours },
            Flow { remote: other_port(ours.remote), ..ours },
            ours,
        ][other];
        let mut shutdown = packet(&sim, SHUTDOWN, &[]);
        for (at, port) in [(0, flow.local.port()), (2, flow.remote.port())] {
            shutdown[at..at + 2].copy_from_slice(&port.to_be_bytes());
        }
        checksum::write_checksum(&mut shutdown);
        let packet = SctpPacket::new(flow, 99, shutdown, Vec::new());
        let (now, association) = (sim.now(), sim.sctp(server).unwrap());
        match typed {
            true => association.handle_typed(now, Box::new(packet)),
            false => association.handle_packet(now, &packet.to_wire()),
        }
        let is_ours = other == 3;
        assert_eq!(association.buffered_bytes() == 0, is_ours, "{other} {typed}");
    }
}

#[test]
fn timers_that_are_late_by_several_periods_all_fire() {
    let (mut sim, server) = unacknowledged();
    let (now, late) = (sim.now(), SimTime::from_ms(60_000));
    let association = sim.sctp(server).unwrap();
    association.send(0, &[3; 100]).unwrap();
    assert!(association.poll_transmit(now).is_some());
    let mut fired = 0;
    while association.poll_timeout().is_some_and(|at| at <= late) && fired < 100 {
        association.handle_timeout(late);
        fired += 1;
    }
    // each period is twice as long as the period before
    assert!((2..20).contains(&fired), "{fired}");
}

/// Runs an association whose client sends messages of these sizes (in bytes) when it reports `Connected`. The packets
/// of the client with the numbers in `lost` are lost. Returns the simulation, and events with their times in ms: all
/// events of the server, and `Connected` of the client. In `Message` events, the size of the message (modulo 256)
/// replaces the bytes of the message.
fn greeted(data_with_cookie_echo: bool, messages: &[usize], lost: &[u64]) -> (Simulation, Vec<(u64, Event)>) {
    let mut path = PathParams::symmetric(1_000_000_000, Duration::from_millis(100), LossModel::None);
    path.up.loss = LossModel::List(lost.iter().copied().collect());
    let mut sim = Simulation::new(SimulationOptions { seed: 5, path, recording: Recording::ALL }).unwrap();
    let options = Options { data_with_cookie_echo, ..Options::new(Profile::Modern, 4) };
    let (client, server) = sim.open_sctp(options.clone(), options).unwrap();
    sim.sctp(client).unwrap().connect();
    let mut told = Vec::new();
    loop {
        let events = sim.advance(SimTime::from_ms(20_000));
        if events.is_empty() {
            return (sim, told);
        }
        for AppEvent { endpoint, event } in events {
            if endpoint == client && matches!(event, Event::Connected { .. }) {
                messages.iter().for_each(|bytes| sim.sctp(client).unwrap().send(1, &vec![7; *bytes]).unwrap());
            }
            let shown = match event {
                Event::Message { stream, bytes } => Event::Message { stream, bytes: vec![bytes.len() as u8] },
                other => other,
            };
            if endpoint == server || matches!(shown, Event::Connected { .. }) {
                told.push((sim.now().as_ns() / 1_000_000, shown));
            }
        }
    }
}

/// Returns the time in ms, the size in bytes and the kind of each packet of the client, except for packets that contain
/// only SACKs.
fn sent_by_client(sim: &Simulation) -> Vec<(u64, u32, u8)> {
    let packets = &sim.trace().packets.packets;
    let is_shown = |row: &usize| packets.direction[*row] == 1 && packets.kind[*row] != PacketKind::Ack as u8;
    let shown = |row: usize| (packets.sent_ns[row] / 1_000_000, packets.bytes[row], packets.kind[row]);
    (0..packets.kind.len()).filter(is_shown).map(shown).collect()
}

// RFC 9260 §5.1
#[test]
fn the_first_messages_of_a_client_are_sent_with_cookie_echo_if_it_is_told_to() {
    let connected = Event::Connected { streams: 4 };
    let message = |bytes| Event::Message { stream: 1, bytes: vec![bytes] };
    let (sim, told) = greeted(true, &[100, 200], &[]);
    let expected = [(100, connected.clone()), (150, connected.clone()), (150, message(100)), (150, message(200))];
    assert_eq!(told, expected);
    let kinds: Vec<_> = sent_by_client(&sim).iter().map(|(at, _, kind)| (*at, *kind)).collect();
    assert_eq!(kinds, [(0, PacketKind::Setup as u8), (100, PacketKind::Data as u8)]);
    let (_, told) = greeted(false, &[100], &[]);
    assert_eq!(told, [(150, connected.clone()), (200, connected), (250, message(100))]);
}

#[test]
fn a_message_that_does_not_fit_beside_cookie_echo_waits_for_cookie_ack() {
    let (sim, told) = greeted(true, &[1440, 100], &[]);
    let expected = [(0, PacketKind::Setup), (100, PacketKind::Setup), (200, PacketKind::Data), (200, PacketKind::Data)];
    let kinds: Vec<_> = sent_by_client(&sim).iter().map(|(at, _, kind)| (*at, *kind)).collect();
    assert_eq!(kinds, expected.map(|(at, kind)| (at, kind as u8)));
    assert_eq!(told.last().map(|(at, _)| *at), Some(250));
}

#[test]
fn a_cookie_echo_without_messages_is_sent_at_once() {
    let (sim, told) = greeted(true, &[], &[]);
    let kinds: Vec<_> = sent_by_client(&sim).iter().map(|(at, _, kind)| (*at, *kind)).collect();
    assert_eq!(kinds, [(0, PacketKind::Setup as u8), (100, PacketKind::Setup as u8)]);
    assert_eq!(told.len(), 2);
}

#[test]
fn a_lost_cookie_echo_is_repeated_with_its_messages() {
    let (sim, told) = greeted(true, &[100], &[1]);
    let sent = sent_by_client(&sim);
    assert_eq!((sent[1].0, sent[2].0), (100, 1100), "{sent:?}");
    assert_eq!((sent[1].1, sent[1].2), (sent[2].1, sent[2].2));
    assert_eq!(told.last(), Some(&(1150, Event::Message { stream: 1, bytes: vec![100] })));
    assert_eq!(told.iter().filter(|(_, event)| matches!(event, Event::Message { .. })).count(), 1);
}

#[test]
fn an_association_that_is_aborted_while_its_cookie_echo_waits_sends_only_abort() {
    let path = PathParams::symmetric(1_000_000_000, Duration::from_millis(100), LossModel::None);
    let mut sim = Simulation::new(SimulationOptions { seed: 5, path, recording: Recording::ALL }).unwrap();
    let options = Options { data_with_cookie_echo: true, ..Options::new(Profile::Modern, 4) };
    let (client, _) = sim.open_sctp(options.clone(), options).unwrap();
    sim.sctp(client).unwrap().connect();
    while !sim.advance(SimTime::MAX).iter().any(|event| matches!(event.event, Event::Connected { .. })) {}
    sim.sctp(client).unwrap().send(0, &[7; 100]).unwrap();
    sim.sctp(client).unwrap().abort();
    while !sim.advance(SimTime::MAX).is_empty() {}
    let kinds: Vec<_> = sent_by_client(&sim).iter().map(|(.., kind)| *kind).collect();
    assert_eq!(kinds, [PacketKind::Setup as u8, PacketKind::Abort as u8]);
}
