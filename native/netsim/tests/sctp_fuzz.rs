//! Both ends of an association on a hostile link: packets are lost, repeated, delayed or changed, and I-DATA and
//! RE-CONFIG chunks are forged, with the correct verification tag and checksum.
//!
//! The environment variable `INTERLEAVE_FUZZ_CASES` sets the number of cases of each test. The default is 500.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::net::{Ipv4Addr, SocketAddrV4};
use std::time::Duration;

use netsim::endpoint::Event;
use netsim::event_queue::EventQueue;
use netsim::ip::{self, Flow};
use netsim::packet::Packet;
use netsim::sctp::{self, Options, Profile, checksum};
use netsim::time::SimTime;
use netsim::transport::{Ends, Place, Transport};
use proptest::prelude::*;

#[derive(Clone, Copy, Debug)]
enum Fate {
    Deliver,
    Drop,
    Late {
        by_ms: u64,
    },
    Duplicate,
    /// Changes a byte after the common header and corrects the checksum.
    Change {
        at: usize,
        to: u8,
    },
    /// Appends a forged chunk to the packet, unless the packet has 1400 bytes or more.
    Forge {
        forgery: Forgery,
    },
}

#[derive(Clone, Copy, Debug)]
enum Forgery {
    /// An I-DATA chunk. `tsn` is the distance of its TSN from the sender's initial TSN.
    IData { tsn: u8, stream: u16, mid: u32, fragment: u32, flags: u8 },
    /// A RE-CONFIG chunk with an outgoing reset request (type 13), an incoming reset request (14), a response (16) or
    /// another parameter. `number` (of the request) and `tsn` are distances from the sender's initial TSN.
    ReConfig { kind: u16, number: u8, tsn: u8, stream: u16, length: u16 },
}

fn forgery() -> impl Strategy<Value = Forgery> {
    let stream = 0..5u16;
    prop_oneof![
        (0..6u8, stream.clone(), 0..4u32, 0..4u32, 0..8u8)
            .prop_map(|(tsn, stream, mid, fragment, flags)| Forgery::IData { tsn, stream, mid, fragment, flags }),
        (12..18u16, 0..3u8, 0..4u8, stream, 0..24u16)
            .prop_map(|(kind, number, tsn, stream, length)| Forgery::ReConfig { kind, number, tsn, stream, length }),
    ]
}

fn fate() -> impl Strategy<Value = Fate> {
    prop_oneof![
        8 => Just(Fate::Deliver),
        2 => Just(Fate::Drop),
        1 => (0..400u64).prop_map(|by_ms| Fate::Late { by_ms }),
        1 => Just(Fate::Duplicate),
        2 => (0..64usize, any::<u8>()).prop_map(|(at, to)| Fate::Change { at, to }),
        3 => forgery().prop_map(|forgery| Fate::Forge { forgery }),
    ]
}

/// Returns the forged chunk. `initial_tsn` is the initial TSN of the packet's sender, which is also the sequence number
/// of its first request to reset streams (RFC 6525 §4.1).
fn forged(forgery: Forgery, initial_tsn: u32) -> Vec<u8> {
    match forgery {
        Forgery::IData { tsn, stream, mid, fragment, flags } => {
            let tsn = initial_tsn.wrapping_add(tsn.into()).to_be_bytes();
            let (stream, mid, fragment) = (stream.to_be_bytes(), mid.to_be_bytes(), fragment.to_be_bytes());
            [&[64, flags, 0, 24], &tsn[..], &stream, &[0, 0], &mid, &fragment, b"lies"].concat()
        }
        Forgery::ReConfig { kind, number, tsn, stream, length } => {
            let [number, tsn] = [number, tsn].map(|offset| initial_tsn.wrapping_add(offset.into()).to_be_bytes());
            let (kind, length, stream) = (kind.to_be_bytes(), length.to_be_bytes(), stream.to_be_bytes());
            [&[130, 0, 0, 24], &kind[..], &length, &number, &number, &tsn, &stream, &[0, 0]].concat()
        }
    }
}

struct Run {
    ends: [Box<dyn Transport>; 2],
    /// The flow as each end sees it.
    flows: [Flow; 2],
    /// The packets in flight, with the end that gets them.
    wire: EventQueue<(usize, Vec<u8>)>,
    fates: Vec<Fate>,
    sent: usize,
    initial_tsns: [u32; 2],
    /// The bytes that the client received, by stream.
    received: [Vec<u8>; 4],
}

impl Run {
    fn new(options: Options, fates: Vec<Fate>) -> Self {
        let end = |last| SocketAddrV4::new(Ipv4Addr::new(10, 0, 0, last), 5000);
        let flow = Flow { local: end(1), remote: end(2) };
        let place = Place { flow, mtu_bytes: 1500, seed: 1, number: 0 };
        let Ends { mut client, server } = sctp::open(place, options.clone(), options).unwrap();
        client.connect().unwrap();
        Run {
            ends: [client, server],
            flows: [flow, flow.reversed()],
            wire: EventQueue::new(),
            fates,
            sent: 0,
            initial_tsns: [0; 2],
            received: Default::default(),
        }
    }

    fn flush(&mut self, now: SimTime) {
        for from in 0..2 {
            while let Some(transmit) = self.ends[from].poll_transmit(now) {
                self.put(now, from, transmit.packet);
            }
            while let Some(event) = self.ends[from].poll_event() {
                self.tell(from, event);
            }
        }
    }

    fn put(&mut self, now: SimTime, from: usize, packet: Packet) {
        let mut bytes = packet.to_wire();
        let header = ip::HEADER_BYTES;
        if matches!(bytes[header + 12], 1 | 2) {
            self.initial_tsns[from] = u32::from_be_bytes(bytes[header + 28..header + 32].try_into().unwrap());
        }
        let fate = self.fates.get(self.sent).copied().unwrap_or(Fate::Deliver);
        self.sent += 1;
        let mut later_ms = 50;
        match fate {
            Fate::Drop => return,
            Fate::Late { by_ms } => later_ms += by_ms,
            Fate::Duplicate => self.wire.push(now + Duration::from_millis(70), (1 - from, bytes.clone())),
            Fate::Change { at, to } => {
                let at = header + 12 + at % (bytes.len() - header - 12);
                bytes[at] = to;
            }
            Fate::Forge { forgery } if bytes.len() < 1400 => bytes.extend(forged(forgery, self.initial_tsns[from])),
            Fate::Deliver | Fate::Forge { .. } => {}
        }
        checksum::write_checksum(&mut bytes[header..]);
        let packet = ip::packet(&self.flows[from], ip::SCTP, 0, &bytes[header..]);
        self.wire.push(now + Duration::from_millis(later_ms), (1 - from, packet));
    }

    fn tell(&mut self, end: usize, event: Event) {
        match event {
            Event::Connected { .. } if end == 1 => {
                for stream in 0..4 {
                    let _ = self.ends[1].send(stream, &content(stream));
                    let _ = self.ends[1].renew(stream);
                    let _ = self.ends[1].send(stream, &content(stream));
                }
            }
            Event::Message { stream, bytes } if end == 0 => {
                if let Some(received) = self.received.get_mut(stream as usize) {
                    received.extend(bytes);
                }
            }
            _ => {}
        }
    }

    /// Runs until no packet is in flight and no timer is set, but for at most 2000 s and 20,000 steps.
    fn drive(&mut self) {
        let mut now = SimTime::ZERO;
        for _ in 0..20_000 {
            self.flush(now);
            let timeouts = [0, 1].map(|end| self.ends[end].poll_timeout());
            let arrival = self.wire.next_at();
            let Some(next) = timeouts.into_iter().flatten().chain(arrival).min() else { return };
            if next > SimTime::from_ms(2_000_000) {
                return;
            }
            now = next.max(now);
            if arrival == Some(next) {
                if let Some((_, (to, bytes))) = self.wire.pop() {
                    self.ends[to].handle_packet(now, &bytes);
                }
                continue;
            }
            for end in 0..2 {
                if self.ends[end].poll_timeout().is_some_and(|at| at <= now) {
                    self.ends[end].handle_timeout(now);
                }
            }
        }
    }
}

/// The message that the server sends twice on a stream: before and after it resets the stream (`renew`).
fn content(stream: u32) -> Vec<u8> {
    (0..5000).map(|at| (at * 7 + stream as usize * 101) as u8).collect()
}

fn options(idata: bool) -> Options {
    Options { idata, ..Options::new(Profile::Classic, 4) }
}

fn cases() -> ProptestConfig {
    let cases = std::env::var("INTERLEAVE_FUZZ_CASES").map_or(500, |text| text.parse().unwrap());
    ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() }
}

proptest! {
    #![proptest_config(cases())]

    #[test]
    fn an_association_survives_or_ends_with_any_forged_packets(idata: bool, fates in prop::collection::vec(fate(), 0..60)) {
        Run::new(options(idata), fates).drive();
    }

    #[test]
    fn messages_arrive_once_and_in_order_despite_loss_delay_and_repetition(
        idata: bool,
        fates in prop::collection::vec(fate(), 0..40),
    ) {
        let mut drops = 0;
        let honest = fates.into_iter().filter(|fate| match fate {
            Fate::Change { .. } | Fate::Forge { .. } => false,
            // nine losses in a row would end a handshake
            Fate::Drop => {
                drops += 1;
                drops < 9
            }
            _ => true,
        });
        let mut run = Run::new(options(idata), honest.collect());
        run.drive();
        for stream in 0..4 {
            let sent = content(stream).repeat(2);
            prop_assert!(run.received[stream as usize] == sent, "stream {}", stream);
        }
    }
}
