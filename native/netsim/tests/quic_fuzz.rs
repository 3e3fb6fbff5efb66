//! Fuzzes QUIC on a hostile link, where packets are dropped, duplicated, reordered, corrupted and forged. Also fuzzes
//! the reader of QUIC packets with arbitrary bytes.
//!
//! `INTERLEAVE_FUZZ_CASES` sets the number of cases for each property (500 by default), and `INTERLEAVE_FUZZ_SEED` sets
//! their seed (1 by default). A failure prints the smallest failing input that was found.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use std::collections::VecDeque;
use std::net::{Ipv4Addr, SocketAddrV4};
use std::time::Duration;

use netsim::endpoint::{CloseReason, Event};
use netsim::event_queue::EventQueue;
use netsim::ip::Flow;
use netsim::quic::frame::Frames;
use netsim::quic::packet::Packets;
use netsim::quic::{self, Options, Profile};
use netsim::time::SimTime;
use netsim::transport::{Ends, Place, Transport};
use netsim::udp::UdpSocket;
use proptest::prelude::*;
use proptest::test_runner::{RngSeed, TestRunner};

fn check<S: Strategy>(strategy: S, test: impl Fn(S::Value)) {
    let number = |name: &str, default| std::env::var(name).map_or(default, |text| text.parse().expect(name));
    let mut config = ProptestConfig::with_cases(number("INTERLEAVE_FUZZ_CASES", 500));
    config.rng_seed = RngSeed::Fixed(number("INTERLEAVE_FUZZ_SEED", 1).into());
    config.failure_persistence = None;
    TestRunner::new(config)
        .run(&strategy, |value| {
            test(value);
            Ok(())
        })
        .unwrap();
}

#[test]
fn reading_arbitrary_bytes_ends_without_a_panic() {
    let frame_type = prop_oneof![0u8..0x20, Just(0xaf), any::<u8>()];
    let bytes = (frame_type, proptest::collection::vec(any::<u8>(), 0..200));
    check(bytes, |(first, rest)| {
        let bytes = [&[first][..], &rest].concat();
        assert!(Frames::new(&bytes).count() <= bytes.len());
        for header in [0x40, 0xc0, 0xd1, 0xe3, first] {
            // the version is 1, so the rest of the header is also read
            let datagram = [&[header, 0, 0, 0, 1][..], &rest].concat();
            let packets: Vec<_> = Packets::new(&datagram).collect();
            let payloads: usize = packets.iter().map(|packet| packet.payload.len()).sum();
            assert!(payloads <= datagram.len());
            for packet in packets {
                assert!(packet.whole_number(1 << 40) < (1 << 41));
            }
        }
    });
}

#[derive(Clone, Copy, Debug)]
enum Fate {
    Deliver,
    Drop,
    Late {
        by_ms: u64,
    },
    Duplicate {
        after_ms: u64,
    },
    /// A bit error on the link, which makes the checksum wrong.
    Corrupt {
        at: u16,
        bit: u8,
    },
    /// A change by somebody on the path, with a correct checksum. This is possible because nothing is authenticated
    /// here.
    Forge {
        at: u16,
        byte: u8,
    },
}

fn link_fate() -> impl Strategy<Value = Fate> {
    prop_oneof![
        4 => Just(Fate::Deliver),
        1 => Just(Fate::Drop),
        1 => (1u64..400).prop_map(|by_ms| Fate::Late { by_ms }),
        1 => (0u64..400).prop_map(|after_ms| Fate::Duplicate { after_ms }),
        1 => (any::<u16>(), 0u8..8).prop_map(|(at, bit)| Fate::Corrupt { at, bit }),
    ]
}

enum Happening {
    Packet(usize, Vec<u8>),
    Wake(usize),
}

struct Run {
    ends: [Box<dyn Transport>; 2],
    queue: EventQueue<Happening>,
    fates: VecDeque<Fate>,
    received: [Vec<u8>; 2],
    finished: [u32; 2],
    closed: [Vec<CloseReason>; 2],
    packets: u64,
}

const END: SimTime = SimTime::from_ms(3_600_000);
const BYTES: usize = 20_000;

fn flow() -> Flow {
    let address = |host, port| SocketAddrV4::new(Ipv4Addr::new(10, 0, 0, host), port);
    Flow { local: address(1, 5000), remote: address(2, 80) }
}

fn content(side: usize) -> Vec<u8> {
    (0..BYTES).map(|at| (at * 7 + at / 251 + side) as u8).collect()
}

impl Run {
    fn new(options: Options, fates: Vec<Fate>) -> Run {
        let place = Place { flow: flow(), mtu_bytes: 1500, seed: 1, number: 0 };
        let Ends { client, server } = quic::open(place, options, options).unwrap();
        let mut run = Run {
            ends: [client, server],
            queue: EventQueue::new(),
            fates: fates.into(),
            received: Default::default(),
            finished: [0; 2],
            closed: Default::default(),
            packets: 0,
        };
        run.ends[0].connect().unwrap();
        run.after(SimTime::ZERO, 0);
        run
    }

    fn drive(&mut self) {
        while let Some((now, happening)) = self.queue.pop() {
            assert!(now < END, "no end");
            let side = match happening {
                Happening::Packet(side, bytes) => {
                    self.ends[side].handle_packet(now, &bytes);
                    side
                }
                Happening::Wake(side) if self.ends[side].poll_timeout().is_some_and(|at| at <= now) => {
                    self.ends[side].handle_timeout(now);
                    side
                }
                Happening::Wake(_) => continue,
            };
            self.after(now, side);
            assert!(self.packets < 5000, "{} packets by {now:?}", self.packets);
        }
    }

    fn after(&mut self, now: SimTime, side: usize) {
        self.send(now, side);
        while let Some(event) = self.ends[side].poll_event() {
            match event {
                Event::Connected { .. } => {
                    let stream = if side == 0 { 2 } else { 3 };
                    // an end that was closed in the meantime refuses the write
                    let _ = self.ends[side].write(stream, &content(side));
                    let _ = self.ends[side].finish(stream);
                }
                Event::Readable { stream } => {
                    let bytes = self.ends[side].read(stream).unwrap();
                    self.received[side].extend_from_slice(&bytes);
                }
                Event::Finished { .. } => self.finished[side] += 1,
                Event::Closed(reason) => self.closed[side].push(reason),
                _ => {}
            }
        }
        // the client closes the connection when it has everything
        if side == 0 && self.finished[0] > 0 {
            self.ends[0].close();
        }
        self.send(now, side);
        if let Some(at) = self.ends[side].poll_timeout() {
            self.queue.push(at.max(now), Happening::Wake(side));
        }
    }

    fn send(&mut self, now: SimTime, from: usize) {
        while let Some(transmit) = self.ends[from].poll_transmit(now) {
            self.packets += 1;
            let mut packet = transmit.packet.into_wire();
            let arrival = now + Duration::from_millis(50);
            let later = |ms| arrival + Duration::from_millis(ms);
            let to = 1 - from;
            match self.fates.pop_front().unwrap_or(Fate::Deliver) {
                Fate::Deliver => self.queue.push(arrival, Happening::Packet(to, packet)),
                Fate::Drop => {}
                Fate::Late { by_ms } => self.queue.push(later(by_ms), Happening::Packet(to, packet)),
                Fate::Duplicate { after_ms } => {
                    self.queue.push(arrival, Happening::Packet(to, packet.clone()));
                    self.queue.push(later(after_ms), Happening::Packet(to, packet));
                }
                Fate::Corrupt { at, bit } => {
                    let at = usize::from(at) % packet.len();
                    packet[at] ^= 1 << bit;
                    self.queue.push(arrival, Happening::Packet(to, packet));
                }
                Fate::Forge { at, byte } => {
                    let mut datagram = packet.split_off(28);
                    // the headers and the first frames are the most interesting bytes
                    let at = usize::from(at) % datagram.len().min(80);
                    datagram[at] = byte;
                    self.queue.push(arrival, Happening::Packet(to, in_udp(from, &datagram)));
                }
            }
        }
    }
}

fn in_udp(from: usize, datagram: &[u8]) -> Vec<u8> {
    let flow = if from == 0 { flow() } else { flow().reversed() };
    let mut socket = UdpSocket::new(flow, 65535);
    socket.send(datagram).unwrap();
    netsim::endpoint::Endpoint::poll_transmit(&mut socket, SimTime::ZERO).unwrap().packet.into_wire()
}

fn options() -> impl Strategy<Value = Options> {
    (0..2usize, any::<bool>()).prop_map(|(profile, resumes)| Options {
        resumes,
        early_data: resumes,
        ..Options::new(Profile::ALL[profile])
    })
}

#[test]
fn every_byte_arrives_once_and_in_order_on_a_hostile_link() {
    check((options(), proptest::collection::vec(link_fate(), 0..60)), |(options, fates)| {
        let mut run = Run::new(options, fates);
        run.drive();
        assert_eq!(run.closed[0], [CloseReason::Finished]);
        // if the client's CONNECTION_CLOSE is lost, the server ends by its idle timeout or by a stateless reset
        use CloseReason::{DataTimeout, Finished, PeerAbort};
        assert!(matches!(run.closed[1][..], [Finished | DataTimeout | PeerAbort]), "{:?}", run.closed);
        assert!(run.received[0] == content(1), "the client has {} bytes", run.received[0].len());
        // the client closes only after all its data was acknowledged
        assert!(run.received[1] == content(0), "the server has {} bytes", run.received[1].len());
        assert_eq!(run.finished, [1, 1]);
    });
}

#[test]
fn forged_packets_never_cause_a_panic() {
    let forged = prop_oneof![3 => Just(Fate::Deliver), 1 => (any::<u16>(), any::<u8>()).prop_map(|(at, byte)| Fate::Forge { at, byte })];
    check((options(), proptest::collection::vec(forged, 0..60)), |(options, fates)| {
        let mut run = Run::new(options, fates);
        run.drive();
        assert!(run.closed[0].len() == 1 && run.closed[1].len() <= 1, "{:?}", run.closed);
    });
}
