use std::net::{Ipv4Addr, SocketAddrV4};

use super::*;
use crate::sctp::{Accepted, Answer, Association, Listener, Options, Profile, Setup};
use crate::trace::PacketKind;

const PEER: &[u8] = b"peer";

fn options() -> Options {
    Options::new(Profile::Modern, 4)
}

fn flow() -> Flow {
    let address = |port| SocketAddrV4::new(Ipv4Addr::LOCALHOST, port);
    Flow { local: address(40_000), remote: address(80) }
}

fn client() -> LiveEnd {
    let association = Association::new(Setup { flow: flow(), mtu_bytes: 1492, seed: 1 }, options());
    live(association, flow(), Direction::Up, [0, 1])
}

fn live(association: Association, flow: Flow, direction: Direction, [endpoint, peer]: [u32; 2]) -> LiveEnd {
    let place = LivePlace { flow, protocol: ip::SCTP, direction, endpoint, peer };
    LiveEnd::new(Box::new(association), place, Recording { bytes: false, ..Recording::ALL })
}

/// A client, and a server that a listener accepted.
struct Pair {
    now: SimTime,
    client: LiveEnd,
    server: LiveEnd,
}

impl Pair {
    fn new() -> Pair {
        let listener = Listener::new(options(), 1492, 80, [3; 64]).unwrap();
        let (mut now, mut client, mut accepted) = (SimTime::ZERO, client(), None);
        client.transport().connect().unwrap();
        while accepted.is_none() {
            let sent = client.poll_transmit(now).unwrap();
            now += STEP;
            match listener.handle_packet(now, PEER, &sent) {
                Answer::Send(answer) => client.handle_packet(now + STEP, &answer),
                Answer::Accept(new) => accepted = Some(*new),
                Answer::Nothing => panic!(),
            }
            now += STEP;
        }
        let Accepted { association, flow } = accepted.unwrap();
        Pair { now, client, server: live(association, flow, Direction::Down, [1, 0]) }
    }

    /// Carries packets in both directions for 10 s and returns the client's events. A packet from the server is lost if
    /// `drop` returns true for its number.
    fn exchange(&mut self, drop: impl Fn(usize) -> bool) -> Vec<Event> {
        let (mut events, mut down) = (Vec::new(), 0);
        for _ in 0..400 {
            let sent: Vec<_> = std::iter::from_fn(|| self.server.poll_transmit(self.now)).collect();
            self.now += STEP;
            self.client.handle_timeout(self.now);
            for packet in sent {
                if !drop(down) {
                    self.client.handle_packet(self.now, &packet);
                }
                down += 1;
            }
            let sent: Vec<_> = std::iter::from_fn(|| self.client.poll_transmit(self.now)).collect();
            self.server.handle_timeout(self.now);
            sent.iter().for_each(|packet| self.server.handle_packet(self.now, packet));
            events.extend(std::iter::from_fn(|| self.client.poll_event()));
        }
        events
    }
}

const STEP: std::time::Duration = std::time::Duration::from_millis(25);

type Row = (u64, u32, u32, u32);

fn chunks(end: &LiveEnd, from: u32) -> Vec<Row> {
    let trace = &end.trace().packets;
    let rows = 0..trace.chunks.first.len();
    let of = rows.filter(|row| trace.packets.endpoint[trace.chunks.packet[*row] as usize] == from);
    of.map(|row| {
        let chunks = &trace.chunks;
        (chunks.first[row], chunks.bytes[row], chunks.stream[row], chunks.message[row])
    })
    .collect()
}

#[test]
fn arrivals_are_recorded_as_the_sender_records_them() {
    let mut pair = Pair::new();
    for number in 0..20_u8 {
        assert_eq!(pair.server.transport().send(u32::from(number % 3), &[number; 1000]), Ok(true));
    }
    let events = pair.exchange(|_| false);
    let messages = events.iter().filter(|event| matches!(event, Event::Message { .. })).count();
    assert_eq!((messages, chunks(&pair.client, 1).len()), (20, 20));
    assert_eq!(chunks(&pair.client, 1), chunks(&pair.server, 1));
    let trace = &pair.client.trace().packets.packets;
    let came = (0..trace.sent_ns.len()).filter(|row| trace.endpoint[*row] == 1);
    for row in came {
        assert_eq!((trace.direction[row], trace.fate[row], trace.fate_ns[row]), (0, 1, trace.sent_ns[row]));
    }
    let sent = (0..trace.sent_ns.len()).filter(|row| trace.endpoint[*row] == 0);
    assert!(sent.map(|row| (trace.direction[row], trace.fate[row])).all(|row| row == (1, 0)));
}

#[test]
fn a_chunk_that_arrives_after_a_higher_number_is_recorded_as_a_retransmission() {
    let mut pair = Pair::new();
    for number in 0..20_u8 {
        pair.server.transport().send(u32::from(number % 3), &[number; 1400]).unwrap();
    }
    let events = pair.exchange(|packet| packet == 3);
    assert_eq!(events.iter().filter(|event| matches!(event, Event::Message { .. })).count(), 20);
    let trace = &pair.client.trace().packets.chunks;
    let late: Vec<_> = (0..trace.first.len()).filter(|row| trace.retransmission[*row] == 1).collect();
    // `late` includes the chunks that the stack retransmitted needlessly
    let sent = &pair.server.trace().packets.chunks;
    let again: Vec<_> = (0..sent.first.len()).filter(|row| sent.retransmission[*row] == 1).collect();
    let firsts = |rows: &[usize], first: &[u64]| rows.iter().map(|row| first[*row]).collect::<Vec<_>>();
    assert!(!late.is_empty());
    assert_eq!(firsts(&late, &trace.first), firsts(&again, &sent.first));
    assert!(!pair.client.endpoint().blocked().rows().is_empty());
}

#[test]
fn a_received_acknowledgement_is_recorded_as_a_count_of_this_ends_chunks() {
    let mut pair = Pair::new();
    for number in 0..20_u8 {
        pair.server.transport().send(0, &[number; 1000]).unwrap();
    }
    pair.exchange(|_| false);
    let trace = &pair.server.trace().packets.packets;
    let last = (0..trace.sent_ns.len()).rev().find(|row| trace.kind[*row] == PacketKind::Ack as u8).unwrap();
    assert_eq!((trace.endpoint[last], trace.cumulative_ack[last]), (0, 20));
    let samples = &pair.server.trace().samples.columns;
    assert!(samples.at_ns.len() > 3 && samples.endpoint.iter().all(|endpoint| *endpoint == 1));
}

#[test]
fn malformed_packets_are_neither_recorded_nor_answered() {
    let mut pair = Pair::new();
    pair.exchange(|_| false);
    let rows = pair.client.trace().packets.packets.sent_ns.len();
    for packet in [vec![], vec![0; 12], vec![7; 65_515], vec![7; 65_516], vec![7; 70_000]] {
        pair.client.handle_packet(pair.now, &packet);
    }
    assert_eq!(pair.client.trace().packets.packets.sent_ns.len(), rows);
    assert!(pair.client.poll_transmit(pair.now).is_none() && pair.client.poll_event().is_none());
}

#[test]
fn the_init_offers_the_receive_buffer_as_window() {
    let offered = Options { receive_buffer_bytes: Some(20_000), ..options() };
    let association = Association::new(Setup { flow: flow(), mtu_bytes: 1492, seed: 1 }, offered);
    let mut end = live(association, flow(), Direction::Up, [0, 1]);
    end.transport().connect().unwrap();
    let init = end.poll_transmit(SimTime::ZERO).unwrap();
    // a_rwnd of the INIT (RFC 9260 §3.3.2)
    assert_eq!(init[20..24], 20_000_u32.to_be_bytes());
}
