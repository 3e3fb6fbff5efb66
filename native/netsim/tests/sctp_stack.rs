//! An association over a stack other than dcSCTP: a toy stack that works only on a path without loss.

#![allow(clippy::unwrap_used, clippy::panic)]

use std::collections::VecDeque;
use std::time::Duration;

use netsim::endpoint::{CloseReason, Event};
use netsim::link::{LossModel, PathParams};
use netsim::sctp::chunk::{self, Chunk, Tsn};
use netsim::sctp::{Message, Observed, Options, Profile, Stack, StackEvent, StackKind, checksum};
use netsim::sim::{Simulation, SimulationOptions};
use netsim::time::SimTime;
use netsim::trace::{Recording, Sample, SenderState};

/// A toy stack. INIT and INIT ACK establish the association, each message is a DATA chunk, and each DATA chunk is
/// answered by a SACK.
struct Toy {
    ports: [u8; 4],
    streams: u16,
    sent: u32,
    events: VecDeque<StackEvent>,
}

const TOY: StackKind = StackKind {
    name: "toy",
    make: |setup, _, options| {
        let [local, remote] = [setup.flow.local, setup.flow.remote].map(|end| end.port().to_be_bytes());
        Box::new(Toy {
            ports: [local[0], local[1], remote[0], remote[1]],
            streams: options.streams,
            sent: 0,
            events: VecDeque::new(),
        })
    },
};

const SAMPLE: Sample = Sample {
    cwnd_bytes: 7777,
    ssthresh_bytes: 5555,
    flight_bytes: 0,
    srtt: Duration::from_millis(3),
    rto: Duration::from_millis(4),
    state: SenderState::CongestionAvoidance,
};

impl Toy {
    /// Queues a packet with one chunk. `kind` is the chunk's type, and `body` has the bytes after its length field.
    fn transmit(&mut self, kind: u8, flags: u8, body: &[u8]) {
        let mut packet =
            [&self.ports[..], &[0; 8], &[kind, flags], &(4 + body.len() as u16).to_be_bytes(), body].concat();
        packet.resize(packet.len().next_multiple_of(4), 0);
        checksum::write_checksum(&mut packet);
        self.events.push_back(StackEvent::Packet(packet));
    }

    /// Sends an INIT or INIT ACK with the initial TSN 0.
    fn init(&mut self, kind: u8) {
        self.transmit(kind, 0, &[0; 16]);
    }
}

impl Stack for Toy {
    fn connect(&mut self, _: SimTime) {
        self.init(1);
    }

    fn handle_packet(&mut self, _: SimTime, packet: &[u8]) {
        match chunk::parse(packet).unwrap()[..] {
            [Chunk::Init { .. }] => {
                self.init(2);
                self.events.push_back(StackEvent::Connected { streams: self.streams });
            }
            [Chunk::InitAck { .. }] => self.events.push_back(StackEvent::Connected { streams: self.streams }),
            [Chunk::Data(data)] => {
                let bytes = packet[28..28 + data.bytes as usize].to_vec();
                self.events.push_back(StackEvent::Message(Message { stream: data.stream, bytes }));
                let Tsn(tsn) = data.tsn;
                self.transmit(3, 0, &[&tsn.to_be_bytes()[..], &[0, 1, 0, 0], &[0; 4]].concat());
            }
            _ => {}
        }
    }

    fn handle_timeout(&mut self, _: SimTime) {}

    fn poll_timeout(&self) -> Option<SimTime> {
        None
    }

    fn send(&mut self, _: SimTime, messages: &mut Vec<Message>, seen: &Observed) {
        assert!(seen.unsent_bytes() > 0);
        for Message { stream, bytes } in messages.drain(..) {
            let head = [&self.sent.to_be_bytes()[..], &stream.to_be_bytes(), &[0; 6]].concat();
            self.sent += 1;
            self.transmit(0, 3, &[head, bytes].concat());
        }
    }

    fn shutdown(&mut self, _: SimTime) {
        self.events.push_back(StackEvent::Closed(CloseReason::Finished));
    }

    /// Sends a packet that ends after the first two bytes of a chunk.
    fn abort(&mut self, _: SimTime) {
        self.transmit(6, 0, &[]);
        let Some(StackEvent::Packet(packet)) = self.events.back_mut() else { panic!("the packet was just queued") };
        packet.truncate(chunk::COMMON_HEADER_BYTES + 2);
        checksum::write_checksum(packet);
    }

    fn poll_event(&mut self) -> Option<StackEvent> {
        self.events.pop_front()
    }

    /// Returns what is left of a window of three chunks, each with a message of 1000 bytes.
    fn window_bytes(&self, seen: &Observed) -> u64 {
        (3 * 1016u64).saturating_sub(seen.outbound.flight_bytes())
    }

    fn sample(&self, seen: &Observed) -> Sample {
        Sample { flight_bytes: seen.outbound.flight_bytes(), ..SAMPLE }
    }
}

#[test]
fn messages_and_samples_pass_through_a_stack_other_than_dcsctp() {
    let path = PathParams::symmetric(1_000_000, Duration::from_millis(100), LossModel::None);
    let mut sim = Simulation::new(SimulationOptions { seed: 1, path, recording: Recording::ALL }).unwrap();
    let options = Options { stack: TOY, ..Options::new(Profile::Classic, 2) };
    let (client, server) = sim.open_sctp(options.clone(), options).unwrap();
    sim.sctp(client).unwrap().connect();
    let (mut received, mut closed) = (Vec::new(), None);
    while closed.is_none() {
        let events = sim.advance(SimTime::MAX);
        assert!(!events.is_empty());
        for event in events {
            match event.event {
                Event::Connected { streams } if event.endpoint == server => {
                    assert_eq!(streams, 2);
                    for number in 0..10u8 {
                        sim.sctp(server).unwrap().send((number % 2).into(), &[number; 1000]).unwrap();
                    }
                    sim.sctp(server).unwrap().shutdown();
                }
                Event::Message { stream, bytes } => {
                    assert_eq!((event.endpoint, bytes.len()), (client, 1000));
                    received.push((stream, bytes[0]));
                }
                Event::Closed(reason) => closed = Some((event.endpoint, reason)),
                _ => {}
            }
        }
    }
    // the association schedules the messages that the stack's window holds back
    assert_eq!(received, (0..10).map(|number| (u32::from(number) % 2, number)).collect::<Vec<_>>());
    assert_eq!(closed, Some((server, CloseReason::Finished)));
    let samples = &sim.trace().samples.columns;
    let of_server = || (0..samples.at_ns.len()).filter(|row| samples.endpoint[*row] == server.0);
    assert!(of_server().all(|row| (samples.cwnd_bytes[row], samples.rto_ns[row]) == (7777, 4_000_000)));
    assert_eq!(of_server().map(|row| samples.flight_bytes[row]).max(), Some(3 * 1016));
    assert_eq!(of_server().next_back().map(|row| samples.state[row]), Some(SenderState::Closed as u8));
    let chunks = &sim.trace().packets.chunks;
    assert_eq!(chunks.first, (0..10).collect::<Vec<_>>());
    let packets = &sim.trace().packets.packets;
    assert_eq!(packets.cumulative_ack.iter().filter(|ack| **ack != u64::MAX).max(), Some(&10));
}

#[test]
fn a_malformed_packet_is_not_passed_to_the_stack() {
    let path = PathParams::symmetric(1_000_000, Duration::from_millis(100), LossModel::None);
    let mut sim = Simulation::new(SimulationOptions { seed: 1, path, recording: Recording::ALL }).unwrap();
    let options = Options { stack: TOY, ..Options::new(Profile::Classic, 2) };
    let (client, _) = sim.open_sctp(options.clone(), options).unwrap();
    sim.sctp(client).unwrap().connect();
    while !sim.advance(SimTime::MAX).is_empty() {}
    sim.sctp(client).unwrap().abort();
    let sent_before = sim.trace().packets.bytes.len();
    assert_eq!(sim.advance(SimTime::MAX).len(), 1); // the only event is the close at the client
    assert!(sim.advance(SimTime::MAX).is_empty());
    let sent = &sim.trace().packets.bytes[sent_before..];
    assert!(matches!(sent, [packet] if packet.len() == 20 + chunk::COMMON_HEADER_BYTES + 2));
}
