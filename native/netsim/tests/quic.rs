//! Both ends of a QUIC connection over a path.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by it")]

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use netsim::endpoint::{CloseReason, Event};
use netsim::link::{Direction, LinkParams, LossModel, PathParams};
use netsim::quic::{Options, OptionsError, Profile, Scheduler};
use netsim::sim::{EndpointId, Simulation, SimulationOptions};
use netsim::time::SimTime;
use netsim::trace::{PacketKind, Recording, Timeouts};
use netsim::transport::CallError;

struct Pair {
    sim: Simulation,
    client: EndpointId,
    server: EndpointId,
    /// Bytes that came, by end and stream.
    received: BTreeMap<(EndpointId, u32), Vec<u8>>,
    events: Vec<(SimTime, EndpointId, Event)>,
    /// What the server answers each request with, bytes.
    answer: usize,
}

fn path(loss: LossModel) -> PathParams {
    PathParams::symmetric(1_000_000, Duration::from_millis(100), loss)
}

fn lost(direction: Direction, packets: &[u64]) -> PathParams {
    let mut path = path(LossModel::None);
    let link = match direction {
        Direction::Down => &mut path.down,
        Direction::Up => &mut path.up,
    };
    link.loss = LossModel::List(packets.iter().copied().collect::<BTreeSet<_>>());
    path
}

impl Pair {
    fn new(path: PathParams, options: Options) -> Pair {
        let mut sim = Simulation::new(SimulationOptions { seed: 1, path, recording: Recording::ALL }).unwrap();
        let (client, server) = sim.open_quic(options, options).unwrap();
        sim.quic(client).unwrap().connect().unwrap();
        Pair { sim, client, server, received: BTreeMap::new(), events: Vec::new(), answer: 0 }
    }

    fn connected(path: PathParams, options: Options) -> Pair {
        let mut pair = Pair::new(path, options);
        pair.drive_to(|pair| pair.has_told(pair.client, |event| matches!(event, Event::Connected { .. })));
        pair
    }

    /// False if nothing is left to happen.
    fn step(&mut self) -> bool {
        self.step_to(SimTime::MAX)
    }

    /// False if nothing is left to be told until then.
    fn step_to(&mut self, until: SimTime) -> bool {
        let events = self.sim.advance(until);
        let now = self.sim.now();
        assert!(now < SimTime::ZERO + Duration::from_secs(3600), "no end");
        let is_over = events.is_empty();
        for event in events {
            let (end, event) = (event.endpoint, event.event);
            match &event {
                Event::Readable { stream } => {
                    let bytes = self.sim.quic(end).unwrap().read(*stream).unwrap();
                    self.received.entry((end, *stream)).or_default().extend_from_slice(&bytes);
                }
                Event::Finished { stream } if end == self.server && self.answer > 0 => {
                    let server = self.sim.quic(end).unwrap();
                    assert_eq!(server.write(*stream, &vec![7; self.answer]), Ok(self.answer));
                    server.finish(*stream).unwrap();
                }
                _ => {}
            }
            self.events.push((now, end, event));
        }
        !is_over
    }

    fn drive(&mut self) {
        while self.step() {}
    }

    fn drive_to(&mut self, until: impl Fn(&Pair) -> bool) {
        while !until(self) {
            assert!(self.step(), "it never happened: {:?}", self.events);
        }
    }

    fn has_told(&self, end: EndpointId, is_it: impl Fn(&Event) -> bool) -> bool {
        self.told_at(end, is_it).is_some()
    }

    fn told_at(&self, end: EndpointId, is_it: impl Fn(&Event) -> bool) -> Option<SimTime> {
        self.events.iter().find(|(_, of, event)| *of == end && is_it(event)).map(|(at, _, _)| *at)
    }

    fn closed(&self, end: EndpointId) -> Option<CloseReason> {
        self.events.iter().find_map(|(_, of, event)| match event {
            Event::Closed(reason) if *of == end => Some(*reason),
            _ => None,
        })
    }

    /// Asks on a stream and waits for all of the answer; when it was there.
    fn request(&mut self, stream: u32) {
        let client = self.sim.quic(self.client).unwrap();
        client.write(stream, b"GET").unwrap();
        client.finish(stream).unwrap();
    }

    fn finished_at(&self, stream: u32) -> Option<SimTime> {
        self.told_at(self.client, |event| *event == Event::Finished { stream })
    }

    /// Chunks that an end sent: packet, stream, first, bytes, whether sent before.
    fn chunks(&self, end: EndpointId) -> Vec<(u32, u32, u64, u32, bool)> {
        let (packets, chunks) = (&self.sim.trace().packets.packets, &self.sim.trace().packets.chunks);
        let rows = (0..chunks.packet.len()).filter(|row| packets.endpoint[chunks.packet[*row] as usize] == end.0);
        rows.map(|row| {
            let (stream, first, bytes) = (chunks.stream[row], chunks.first[row], chunks.bytes[row]);
            (chunks.packet[row], stream, first, bytes, chunks.retransmission[row] == 1)
        })
        .collect()
    }
}

fn options() -> Options {
    Options::new(Profile::Modern)
}

fn kinds(pair: &Pair, end: EndpointId) -> Vec<u8> {
    let packets = &pair.sim.trace().packets.packets;
    (0..packets.kind.len()).filter(|row| packets.endpoint[*row] == end.0).map(|row| packets.kind[row]).collect()
}

#[test]
fn what_is_written_comes_whole_on_its_stream_and_ends() {
    let mut pair = Pair::connected(path(LossModel::Bernoulli { rate: 0.05 }), options());
    pair.answer = 50_000;
    for stream in [0, 4, 8] {
        pair.request(stream);
    }
    pair.drive_to(|pair| [0, 4, 8].iter().all(|stream| pair.finished_at(*stream).is_some()));
    for stream in [0, 4, 8] {
        assert_eq!(pair.received[&(pair.server, stream)], b"GET");
        assert_eq!(pair.received[&(pair.client, stream)], vec![7; 50_000]);
    }
    let connected = Event::Connected { streams: 100 };
    assert!(pair.has_told(pair.client, |event| *event == connected));
    assert!(pair.has_told(pair.server, |event| *event == connected));
    let retransmitted = pair.chunks(pair.server).iter().any(|(.., retransmission)| *retransmission);
    assert!(retransmitted, "{:?}", pair.chunks(pair.server));
    let buffered = pair.sim.quic(pair.server).unwrap().buffered_bytes();
    pair.drive();
    assert!(buffered > 0 && pair.sim.quic(pair.server).unwrap().buffered_bytes() == 0);
}

#[test]
fn the_first_flight_has_the_packets_of_tcp_s() {
    for (profile, packets) in [(Profile::Classic, 3), (Profile::Modern, 10)] {
        // so fast that a flight is over before an acknowledgement comes
        let fast = PathParams::symmetric(1_000_000_000, Duration::from_millis(100), LossModel::None);
        let mut pair = Pair::connected(fast, Options::new(profile));
        pair.answer = 100_000;
        pair.request(0);
        pair.drive_to(|pair| pair.has_told(pair.client, |event| matches!(event, Event::Readable { .. })));
        let now = pair.sim.now();
        pair.sim.advance(now + Duration::from_millis(40));
        let sent: BTreeSet<u32> = pair.chunks(pair.server).iter().map(|(packet, ..)| *packet).collect();
        assert_eq!(sent.len(), packets, "{profile:?}");
        let sizes: BTreeSet<u32> =
            sent.iter().map(|row| pair.sim.trace().packets.packets.bytes[*row as usize]).collect();
        assert_eq!(sizes.last(), Some(&1500), "{profile:?}");
        assert!(sizes.iter().all(|bytes| *bytes >= 1498), "{profile:?}: {sizes:?}");
    }
}

#[test]
fn a_handshake_takes_one_round_trip_and_has_tls_s_sizes() {
    let pair = Pair::connected(path(LossModel::None), options());
    let bytes = |end: EndpointId| {
        let packets = &pair.sim.trace().packets.packets;
        let rows = (0..packets.kind.len()).filter(|row| packets.endpoint[*row] == end.0);
        rows.map(|row| packets.bytes[row]).collect::<Vec<_>>()
    };
    assert_eq!(bytes(pair.client)[0], 1228, "RFC 9000 §14.1");
    let handshake = bytes(pair.server);
    let total: u32 = handshake.iter().sum();
    assert!((3000..3 * 1200).contains(&total), "{handshake:?}");
    let at = pair.sim.now() - SimTime::ZERO;
    assert!(at > Duration::from_millis(100) && at < Duration::from_millis(150), "{at:?}");
    assert!(kinds(&pair, pair.server).iter().all(|kind| *kind == PacketKind::Setup as u8));
}

#[test]
fn a_server_sends_no_more_than_three_times_what_has_come_before_the_handshake_is_done() {
    // the client's second datagram and those after it, so that the server never knows who it is
    let mut pair = Pair::new(lost(Direction::Up, &(1..200).collect::<Vec<_>>()), options());
    pair.sim.advance(SimTime::from_ms(150));
    let sent = kinds(&pair, pair.server).len();
    pair.drive();
    let packets = &pair.sim.trace().packets.packets;
    let rows = (0..packets.kind.len()).filter(|row| packets.endpoint[*row] == pair.server.0);
    let total: u32 = rows.map(|row| packets.bytes[row] - 28).sum();
    assert!(sent >= 2 && total <= 3 * 1200 + 1472, "{sent} datagrams, {total} bytes");
}

#[test]
fn a_lost_packet_of_one_stream_holds_up_that_stream_alone() {
    let mut clean = Pair::connected(path(LossModel::None), options());
    clean.answer = 2500;
    (0..8).for_each(|stream| clean.request(4 * stream));
    clean.drive();
    let sent = clean.chunks(clean.server);
    // a packet in the middle that has data of one stream only
    let (packet, stream, ..) = *sent.iter().find(|(_, _, first, ..)| *first > 0).unwrap();
    let streams =
        |packet: u32| sent.iter().filter(|chunk| chunk.0 == packet).map(|chunk| chunk.1).collect::<BTreeSet<_>>();
    let index = {
        let packets = &clean.sim.trace().packets.packets;
        (0..packet as usize).filter(|row| packets.endpoint[*row] == clean.server.0).count() as u64
    };
    let mut lossy = Pair::connected(lost(Direction::Down, &[index]), options());
    lossy.answer = 2500;
    (0..8).for_each(|stream| lossy.request(4 * stream));
    lossy.drive();
    let held = streams(packet);
    assert!(held.contains(&stream) && held.len() < 3, "{held:?}");
    for stream in (0..8).map(|stream| 4 * stream) {
        let (clean, lossy) = (clean.finished_at(stream).unwrap(), lossy.finished_at(stream).unwrap());
        let late = lossy.saturating_since(clean);
        assert_eq!(held.contains(&stream), late > Duration::from_millis(50), "stream {stream}: {late:?} late");
    }
    let client = lossy.sim.endpoint(lossy.client).unwrap();
    assert!(client.blocked().rows().iter().all(|row| held.contains(&row.stream) && row.end.is_some()));
}

#[test]
fn zero_rtt_saves_exactly_one_round_trip() {
    let first_byte = |zero_rtt| {
        // nothing takes time but the way itself
        let path = PathParams::symmetric(1_000_000_000_000, Duration::from_millis(100), LossModel::None);
        let mut pair = Pair::new(path, Options { zero_rtt, ..options() });
        pair.answer = 1000;
        if !zero_rtt {
            pair.drive_to(|pair| pair.has_told(pair.client, |event| matches!(event, Event::Connected { .. })));
        }
        pair.request(0);
        pair.drive_to(|pair| pair.finished_at(0).is_some());
        let packets = &pair.sim.trace().packets.packets;
        let setup = (0..packets.kind.len()).filter(|row| packets.endpoint[*row] == pair.server.0);
        let handshake: u32 = setup.take(2).map(|row| packets.bytes[row]).sum();
        (pair.finished_at(0).unwrap(), handshake)
    };
    let saved = first_byte(false).0 - first_byte(true).0;
    assert!(saved.abs_diff(Duration::from_millis(100)) < Duration::from_micros(1), "{saved:?}");
    let (whole, resumed) = (first_byte(false).1, first_byte(true).1);
    assert!(whole >= 2900 && resumed < 2800, "{whole} bytes at first, {resumed} without a certificate");
}

#[test]
fn a_client_that_does_not_remember_cannot_write_before_it_is_connected() {
    let mut pair = Pair::new(path(LossModel::None), options());
    assert_eq!(pair.sim.quic(pair.client).unwrap().write(0, b"GET"), Ok(0));
    let server = pair.sim.quic(pair.server).unwrap().write(1, b"x");
    assert!(matches!(server, Err(CallError::State(_))), "{server:?}");
}

/// The stream of each chunk that the server sends first, without repetition.
fn order(scheduler: Scheduler, change: impl Fn(&mut netsim::quic::Connection)) -> Vec<u32> {
    let mut pair = Pair::connected(path(LossModel::None), Options { scheduler, ..options() });
    [0, 4, 8].iter().for_each(|stream| pair.request(*stream));
    let finished =
        |pair: &Pair| pair.events.iter().filter(|(_, _, event)| matches!(event, Event::Finished { .. })).count();
    pair.drive_to(|pair| finished(pair) == 3);
    let server = pair.sim.quic(pair.server).unwrap();
    [8, 0, 4].iter().for_each(|stream| drop(server.write(*stream, &[7; 5000])));
    change(server);
    pair.drive();
    let mut order: Vec<u32> = pair.chunks(pair.server).iter().map(|(_, stream, ..)| *stream).collect();
    order.dedup();
    order
}

#[test]
fn streams_take_turns_or_come_in_the_order_of_their_first_bytes() {
    assert_eq!(order(Scheduler::FirstCome, |_| {}), [8, 0, 4]);
    assert!(order(Scheduler::RoundRobin, |_| {}).len() > 6);
}

#[test]
fn a_higher_priority_goes_first_with_either_scheduler() {
    for scheduler in [Scheduler::FirstCome, Scheduler::RoundRobin] {
        let order = order(scheduler, |server| {
            server.set_priority(4, 2).unwrap();
            server.set_priority(8, -512).unwrap();
        });
        // what was queued before the change goes out with its old priority
        assert_eq!(order.last(), Some(&8), "{scheduler:?}: {order:?}");
        let of = |stream| order.iter().position(|of| *of == stream).unwrap();
        assert!(of(4) <= 2, "{scheduler:?}: {order:?}");
    }
}

#[test]
fn a_priority_outside_its_limits_is_refused_with_them() {
    let mut pair = Pair::connected(path(LossModel::None), options());
    let client = pair.sim.quic(pair.client).unwrap();
    assert_eq!(client.set_priority(0, 511), Ok(()));
    for priority in [-513, 512] {
        let message = format!("invalid priority: {priority} (must be -512–511)");
        assert_eq!(client.set_priority(0, priority), Err(CallError::Argument(message)));
    }
}

#[test]
fn streams_that_are_not_there_are_refused() {
    let mut pair = Pair::connected(path(LossModel::None), options());
    let client = pair.sim.quic(pair.client).unwrap();
    assert!(matches!(client.write(1, b"x"), Err(CallError::Argument(_))), "the server has not opened the stream");
    assert!(matches!(client.write(3, b"x"), Err(CallError::Argument(_))));
    assert!(matches!(client.read(2), Err(CallError::Argument(_))), "nothing comes on it");
    assert!(matches!(client.read(0), Err(CallError::Argument(_))), "not opened");
    assert_eq!(client.write(400, b"x"), Ok(0), "the 101st: not yet");
    assert!(matches!(client.finish(400), Err(CallError::State(_))));
    assert_eq!(client.write(396, b"x"), Ok(1), "the 100th, and those below it");
    assert_eq!(client.write(0, b"x"), Ok(1));
    client.finish(0).unwrap();
    assert!(matches!(client.write(0, b"x"), Err(CallError::State(_))), "its end is past");
}

#[test]
fn a_server_answers_and_opens_streams_of_its_own() {
    let mut pair = Pair::connected(path(LossModel::None), options());
    pair.drive_to(|pair| pair.has_told(pair.server, |event| matches!(event, Event::Connected { .. })));
    pair.sim.quic(pair.server).unwrap().write(3, b"settings").unwrap();
    pair.drive_to(|pair| pair.received.contains_key(&(pair.client, 3)));
    assert_eq!(pair.received[&(pair.client, 3)], b"settings");
    let refused = pair.sim.quic(pair.client).unwrap().write(3, b"x");
    assert!(matches!(refused, Err(CallError::Argument(_))), "{refused:?}");
}

#[test]
fn a_write_that_a_full_buffer_refuses_sends_nothing() {
    let options = Options { send_buffer_bytes: 1024, ..options() };
    let mut pair = Pair::connected(path(LossModel::None), options);
    let quic = pair.sim.quic(pair.client).unwrap();
    assert_eq!(quic.write(0, &[7; 2000]).unwrap(), 1024);
    pair.sim.advance(pair.sim.now());
    let sent = pair.sim.trace().packets.packets.bytes.len();
    for _ in 0..5 {
        assert_eq!(pair.sim.quic(pair.client).unwrap().write(0, &[7; 976]).unwrap(), 0);
        pair.sim.advance(pair.sim.now());
    }
    assert_eq!(pair.sim.trace().packets.packets.bytes.len(), sent);
}

#[test]
fn the_send_buffer_bounds_what_is_not_acknowledged() {
    let mut pair = Pair::connected(
        path(LossModel::None),
        Options { send_buffer_bytes: 10_000, low_water_bytes: 2000, ..options() },
    );
    let client = pair.sim.quic(pair.client).unwrap();
    assert_eq!(client.write(0, &[1; 8000]), Ok(8000));
    assert_eq!(client.write(4, &[1; 8000]), Ok(2000));
    assert_eq!((client.write(4, b"x"), client.buffered_bytes()), (Ok(0), 10_000));
    let from = pair.events.len();
    pair.drive_to(|pair| {
        pair.events[from..].iter().any(|(_, end, event)| *end == pair.client && *event == Event::Writable)
    });
    let buffered = pair.sim.quic(pair.client).unwrap().buffered_bytes();
    assert!(buffered <= 2000, "{buffered}");
}

#[test]
fn a_stream_that_is_reset_is_given_up_by_both() {
    let mut pair = Pair::connected(path(LossModel::None), options());
    pair.answer = 100_000;
    pair.request(0);
    pair.request(4);
    pair.drive_to(|pair| pair.received.contains_key(&(pair.client, 0)));
    pair.sim.quic(pair.client).unwrap().reset(0, 0x010c).unwrap();
    pair.drive();
    assert!(pair.has_told(pair.server, |event| *event == Event::Reset { stream: 0, code: 0x010c }));
    assert!(pair.received[&(pair.client, 0)].len() < 50_000);
    let of_stream = |(_, stream, _, bytes, _)| if stream == 0 { bytes } else { 0 };
    let sent: u32 = pair.chunks(pair.server).into_iter().map(of_stream).sum();
    assert!(sent < 70_000, "{sent} bytes of the stream that was given up");
    assert_eq!(pair.received[&(pair.client, 4)].len(), 100_000);
    assert_eq!(pair.sim.quic(pair.server).unwrap().buffered_bytes(), 0);
    let refused = pair.sim.quic(pair.server).unwrap().write(0, b"x");
    assert!(matches!(refused, Err(CallError::State(_))), "{refused:?}");
}

#[test]
fn a_close_waits_for_what_was_written_and_tells_both_ends() {
    let mut pair = Pair::connected(path(LossModel::None), options());
    let client = pair.sim.quic(pair.client).unwrap();
    client.write(0, &[9; 20_000]).unwrap();
    client.finish(0).unwrap();
    client.close();
    assert!(matches!(client.write(0, b"x"), Err(CallError::State(_))));
    pair.drive();
    assert_eq!(pair.received[&(pair.server, 0)].len(), 20_000);
    assert_eq!(
        (pair.closed(pair.client), pair.closed(pair.server)),
        (Some(CloseReason::Finished), Some(CloseReason::Finished))
    );
    assert!(pair.has_told(pair.server, |event| *event == Event::PeerClosed));
    assert!(kinds(&pair, pair.client).contains(&(PacketKind::Close as u8)));
    let last = pair.events.last().unwrap().0;
    assert!(last < SimTime::from_ms(1000), "nobody waits for the idle timeout: {last:?}");
}

#[test]
fn an_abort_ends_both_at_once() {
    let mut pair = Pair::connected(path(LossModel::None), options());
    pair.sim.quic(pair.client).unwrap().write(0, &[9; 20_000]).unwrap();
    pair.sim.quic(pair.client).unwrap().abort();
    pair.drive();
    assert_eq!(
        (pair.closed(pair.client), pair.closed(pair.server)),
        (Some(CloseReason::LocalAbort), Some(CloseReason::PeerAbort))
    );
    assert!(kinds(&pair, pair.client).contains(&(PacketKind::Abort as u8)));
}

#[test]
fn a_path_that_loses_everything_ends_each_end() {
    let mut pair = Pair::new(path(LossModel::Bernoulli { rate: 1.0 }), options());
    pair.drive();
    assert_eq!(pair.closed(pair.client), Some(CloseReason::ConnectTimeout));
    let mut pair = Pair::connected(path(LossModel::None), options());
    for (direction, link) in [(Direction::Down, path(LossModel::None).down), (Direction::Up, path(LossModel::None).up)]
    {
        let now = pair.sim.now();
        pair.sim.change_link(now, direction, link.with_loss(LossModel::Bernoulli { rate: 1.0 })).unwrap();
    }
    pair.request(0);
    pair.drive();
    assert_eq!(pair.closed(pair.client), Some(CloseReason::DataTimeout));
    assert!(pair.closed(pair.server).is_some());
}

#[test]
fn every_second_packet_is_acknowledged_and_a_lone_one_after_the_profile_s_delay() {
    for (profile, delay_ms) in [(Profile::Classic, 200), (Profile::Modern, 40)] {
        let path = PathParams::symmetric(1_000_000_000, Duration::from_millis(300), LossModel::None);
        let mut pair = Pair::connected(path, Options::new(profile));
        pair.answer = 500;
        pair.request(0);
        pair.drive_to(|pair| pair.finished_at(0).is_some());
        pair.sim.advance(pair.sim.now() + Duration::from_millis(600)); // the delay that was asked for is known
        // the answer is one packet
        pair.request(4);
        pair.drive_to(|pair| pair.finished_at(4).is_some());
        let came = pair.sim.now();
        let before = kinds(&pair, pair.client).len();
        pair.drive();
        let packets = &pair.sim.trace().packets.packets;
        let row = (0..packets.kind.len()).filter(|row| packets.endpoint[*row] == pair.client.0).nth(before).unwrap();
        let delay = SimTime::from_ns(packets.sent_ns[row]) - came;
        assert_eq!(packets.kind[row], PacketKind::Ack as u8);
        assert_eq!(delay.as_millis(), delay_ms, "{profile:?}");
    }
}

#[test]
fn an_acknowledgement_tells_the_number_after_the_largest() {
    let mut pair = Pair::connected(path(LossModel::None), options());
    pair.answer = 30_000;
    pair.request(0);
    pair.drive();
    let packets = &pair.sim.trace().packets.packets;
    let acks: Vec<u64> = (0..packets.kind.len())
        .filter(|row| packets.endpoint[*row] == pair.client.0 && packets.cumulative_ack[*row] != u64::MAX)
        .map(|row| packets.cumulative_ack[row])
        .collect();
    assert!(acks.is_sorted() && acks.len() > 10, "{acks:?}");
    let data: BTreeSet<u32> = pair.chunks(pair.server).iter().map(|(packet, ..)| *packet).collect();
    assert!(acks.last() >= Some(&(data.len() as u64)), "{acks:?}");
}

#[test]
fn a_clean_path_is_filled() {
    let mut pair = Pair::connected(path(LossModel::None), options());
    pair.answer = 500_000;
    pair.request(0);
    let start = pair.sim.now();
    pair.drive_to(|pair| pair.finished_at(0).is_some());
    let rate = 8.0 * 500_000.0 / (pair.sim.now() - start).as_secs_f64();
    assert!(rate > 900_000.0, "{rate} of 1 Mbps");
}

#[test]
fn a_path_that_is_too_small_is_refused_with_its_limit() {
    let open = |mtu_bytes| {
        let path = PathParams { mtu_bytes, ..path(LossModel::None) };
        let mut sim = Simulation::new(SimulationOptions { seed: 1, path, recording: Recording::OFF }).unwrap();
        sim.open_quic(options(), options())
    };
    assert_eq!(open(1227), Err(OptionsError::Mtu { mtu_bytes: 1227 }));
    assert!(open(1227).unwrap_err().to_string().contains("1227 (must be 1228 or more"));
    assert!(open(1228).is_ok());
}

#[test]
fn packets_are_as_large_as_the_path_takes() {
    for mtu_bytes in [1228, 1500, 9000, 65535] {
        let path = PathParams { mtu_bytes, ..path(LossModel::None) };
        let mut pair = Pair::connected(path, options());
        pair.answer = 300_000;
        pair.request(0);
        pair.drive_to(|pair| pair.finished_at(0).is_some());
        let largest = pair.sim.trace().packets.packets.bytes.iter().max();
        assert_eq!(largest, Some(&u32::from(mtu_bytes)));
    }
}

#[test]
fn other_transports_say_what_they_lack() {
    let mut sim =
        Simulation::new(SimulationOptions { seed: 1, path: path(LossModel::None), recording: Recording::OFF }).unwrap();
    let (udp, _) = sim.open_udp();
    let udp = sim.transport(udp).unwrap();
    assert_eq!(udp.finish(0).unwrap_err().to_string(), "UDP has no streams that end before their connection");
    assert_eq!(udp.reset(0, 0).unwrap_err().to_string(), "UDP has no streams that end before their connection");
    assert_eq!(udp.set_priority(0, 0).unwrap_err().to_string(), "UDP has no priorities");
    let (client, _) = sim.open_quic(options(), options()).unwrap();
    let quic = sim.transport(client).unwrap();
    assert_eq!(quic.send(0, b"x").unwrap_err().to_string(), "QUIC has no messages");
}

// RFC 9002 §6.2.4; patches/quinn-proto 01
#[test]
fn a_probe_brings_what_was_lost_last() {
    let mut clean = Pair::connected(path(LossModel::None), options());
    clean.answer = 2000;
    clean.request(0);
    clean.drive_to(|pair| pair.finished_at(0).is_some());
    let sent = clean.sim.trace().packets.packets.direction.iter().filter(|way| **way == 0).count() as u64;
    let mut lossy = Pair::connected(lost(Direction::Down, &[sent - 1]), options());
    lossy.answer = 2000;
    lossy.request(0);
    lossy.drive_to(|pair| pair.finished_at(0).is_some());
    let late = lossy.finished_at(0).unwrap() - clean.finished_at(0).unwrap();
    let server = lossy.sim.endpoint(lossy.server).unwrap();
    let timeout = server.sample().unwrap().rto;
    assert!(late < timeout + Duration::from_millis(30), "{late:?} late, after a timeout of {timeout:?}");
    let timeouts = |pair: &Pair| pair.sim.endpoint(pair.server).unwrap().timeouts();
    assert_eq!(timeouts(&lossy), Timeouts { retransmission: 0, probe: 1 });
    assert_eq!(timeouts(&clean), Timeouts::default());
}

// RFC 9002 §6.2.4; patches/quinn-proto 01
#[test]
fn a_probe_passes_over_data_of_a_stream_that_was_reset() {
    let mut pair = Pair::connected(path(LossModel::None), options());
    pair.drive_to(|pair| pair.has_told(pair.server, |event| matches!(event, Event::Connected { .. })));
    pair.sim.advance(pair.sim.now() + Duration::from_secs(1));
    let link = path(LossModel::None).down;
    let everything = LossModel::Bernoulli { rate: 1.0 };
    pair.sim.change_link(pair.sim.now(), Direction::Down, link.clone().with_loss(everything)).unwrap();
    pair.sim.advance(pair.sim.now());
    pair.sim.quic(pair.server).unwrap().write(3, &[2; 8000]).unwrap();
    pair.sim.advance(pair.sim.now());
    pair.sim.quic(pair.server).unwrap().reset(3, 7).unwrap();
    pair.sim.advance(pair.sim.now());
    let (lost_at, timeout) = (pair.sim.now(), pair.sim.endpoint(pair.server).unwrap().sample().unwrap().rto);
    pair.sim.change_link(lost_at + Duration::from_millis(1), Direction::Down, link).unwrap();
    pair.drive_to(|pair| pair.has_told(pair.client, |event| *event == Event::Reset { stream: 3, code: 7 }));
    let took = pair.sim.now() - lost_at;
    assert!(took < timeout + Duration::from_millis(60), "{took:?}, with a timeout of {timeout:?}");
}

// RFC 9002 §6.2.1
#[test]
fn each_probe_timeout_doubles_the_next_until_something_is_acknowledged() {
    // the handshake's first packet, and two probes after 1 and 2 s each
    let mut pair = Pair::new(lost(Direction::Up, &[0, 1, 2, 3, 4]), options());
    pair.sim.advance(SimTime::from_ms(6900));
    let client = pair.sim.endpoint(pair.client).unwrap();
    assert_eq!((client.timeouts().probe, client.sample().unwrap().rto.as_secs()), (2, 4));
    pair.drive_to(|pair| pair.has_told(pair.client, |event| matches!(event, Event::Connected { .. })));
    pair.request(0);
    pair.drive();
    let client = pair.sim.endpoint(pair.client).unwrap();
    assert_eq!(client.timeouts().probe, 3);
    assert!(client.sample().unwrap().rto < Duration::from_millis(400), "{:?}", client.sample());
}

// RFC 9002 §7; patches/quinn-proto 02
#[test]
fn acknowledgements_and_the_end_go_out_when_the_window_is_full() {
    let mut pair = Pair::connected(path(LossModel::None), options());
    let link = path(LossModel::None).up;
    // whatever the client sends first is lost, so that its window stays full
    pair.request(4);
    pair.sim.quic(pair.client).unwrap().write(0, &[1; 100_000]).unwrap();
    pair.sim.advance(pair.sim.now());
    let full = pair.chunks(pair.client).len();
    pair.drive_to(|pair| pair.has_told(pair.server, |event| matches!(event, Event::Connected { .. })));
    let everything = LossModel::Bernoulli { rate: 1.0 };
    pair.sim.change_link(pair.sim.now(), Direction::Up, link.with_loss(everything)).unwrap();
    pair.sim.quic(pair.server).unwrap().write(3, &[2; 5000]).unwrap();
    pair.drive_to(|pair| pair.received.get(&(pair.client, 3)).is_some_and(|bytes| bytes.len() == 5000));
    pair.sim.advance(pair.sim.now());
    let acks = kinds(&pair, pair.client).iter().filter(|kind| **kind == PacketKind::Ack as u8).count();
    assert!(acks >= 2, "{acks}, {full} chunks");
    pair.sim.quic(pair.client).unwrap().abort();
    pair.sim.advance(pair.sim.now());
    assert!(kinds(&pair, pair.client).contains(&(PacketKind::Abort as u8)));
}

// RFC 9000 §13.2.1; patches/quinn-proto 02
#[test]
fn what_was_acknowledged_when_the_window_was_full_is_not_acknowledged_again_by_the_next_data() {
    let mut pair = Pair::connected(path(LossModel::None), options());
    pair.drive_to(|pair| pair.has_told(pair.server, |event| matches!(event, Event::Connected { .. })));
    pair.sim.advance(pair.sim.now() + Duration::from_secs(1));
    let from = pair.sim.now();
    pair.sim.quic(pair.server).unwrap().write(3, &[2; 15_000]).unwrap();
    pair.sim.advance(from);
    pair.sim.quic(pair.client).unwrap().write(2, &[1; 2500]).unwrap();
    pair.drive_to(|pair| pair.received.get(&(pair.client, 3)).is_some_and(|bytes| bytes.len() == 15_000));
    let packets = &pair.sim.trace().packets.packets;
    let of_server = |row: &usize| packets.endpoint[*row] == pair.server.0 && packets.sent_ns[*row] > from.as_ns();
    let acked: Vec<usize> =
        (0..packets.kind.len()).filter(of_server).filter(|row| packets.cumulative_ack[*row] != u64::MAX).collect();
    let alone = *acked.iter().find(|row| packets.kind[**row] == PacketKind::Ack as u8).unwrap();
    let soon = acked.iter().filter(|row| packets.sent_ns[**row] < packets.sent_ns[alone] + 100_000_000).count();
    assert_eq!(soon, 1, "{acked:?}");
}

/// Whether an end sends with updated keys, and how often it has changed them (RFC 9001 §6).
fn key_updates(pair: &Pair, end: EndpointId) -> (bool, usize) {
    let log = &pair.sim.trace().packets;
    let first_bytes = (0..log.bytes.len())
        .filter(|row| log.packets.endpoint[*row] == end.0)
        .map(|row| log.bytes[row][IP_AND_UDP_BYTES]);
    // short headers have the bit Key Phase (RFC 9000 §17.3.1)
    let phases: Vec<bool> = first_bytes.filter(|byte| byte & 0x80 == 0).map(|byte| byte & 0x04 != 0).collect();
    (phases.last() == Some(&true), phases.windows(2).filter(|pair| pair[0] != pair[1]).count())
}

const IP_AND_UDP_BYTES: usize = 28;

// RFC 9001 §6.1; patches/quinn-proto 03
#[test]
fn what_a_client_sends_before_it_sees_a_key_update_is_read_although_the_keys_of_zero_rtt_are_gone() {
    let path = PathParams::symmetric(10_000_000, Duration::from_millis(100), LossModel::None);
    let slow = LinkParams { delay: Duration::from_secs(10), ..path.down.clone() };
    let mut pair = Pair::new(path, Options { zero_rtt: true, ..options() });
    let (client, server) = (pair.client, pair.server);
    pair.answer = 1_600_000;
    pair.request(0);
    // quinn-proto updates its keys within the first 1000 packets
    while !key_updates(&pair, server).0 {
        pair.step_to(pair.sim.now() + Duration::from_micros(500));
        assert!(pair.finished_at(0).is_none(), "no update");
    }
    // the first packet with the new keys, still in the queue, takes long: the server hears nothing for three
    // probe timeouts, after which it discards the keys of 0-RTT
    let updated = pair.sim.now();
    pair.sim.change_link(updated, Direction::Down, slow).unwrap();
    let asked = updated + Duration::from_secs(5);
    while pair.step_to(asked) {}
    assert_eq!(key_updates(&pair, client), (false, 0));
    pair.answer = 10;
    pair.request(4);
    pair.drive_to(|pair| pair.has_told(server, |event| *event == Event::Finished { stream: 4 }));
    let took = pair.sim.now() - asked;
    assert!(took < Duration::from_millis(52), "{took:?}");
    pair.drive_to(|pair| pair.finished_at(0).is_some() && pair.finished_at(4).is_some());
    assert_eq!([client, server].map(|end| key_updates(&pair, end)), [(true, 1); 2]);
}

// RFC 9002 §6.2.4, §7.5; patches/quinn-proto 04
#[test]
fn a_window_full_of_zero_rtt_whose_answers_are_lost_holds_no_finished_back() {
    for (profile, bytes) in Profile::ALL.into_iter().flat_map(|profile| (1..40).map(move |k| (profile, 400 * k))) {
        let options = Options { zero_rtt: true, ..Options::new(profile) };
        // the server's first packet, with its ServerHello, but not those with its acknowledgements
        let mut pair = Pair::new(lost(Direction::Down, &[0]), options);
        let client = pair.sim.quic(pair.client).unwrap();
        assert_eq!(client.write(0, &vec![7; bytes]), Ok(bytes));
        client.finish(0).unwrap();
        let (client, server) = (pair.client, pair.server);
        pair.drive_to(|pair| {
            assert_eq!(pair.closed(client), None, "{profile:?}, {bytes} bytes");
            pair.has_told(server, |event| matches!(event, Event::Connected { .. }))
                && pair.has_told(server, |event| *event == Event::Finished { stream: 0 })
        });
    }
}

// RFC 9001 §6.5
#[test]
fn a_packet_with_old_keys_that_comes_after_they_are_discarded_is_dropped() {
    let path = PathParams::symmetric(10_000_000, Duration::from_millis(100), LossModel::None);
    let slow = LinkParams { delay: Duration::from_secs(20), ..path.up.clone() };
    let mut pair = Pair::connected(path.clone(), options());
    let (client, server) = (pair.client, pair.server);
    let start = pair.sim.now() + Duration::from_secs(1);
    while pair.step_to(start) {}
    // these packets are overtaken by all that follow
    pair.sim.change_link(start, Direction::Up, slow).unwrap();
    pair.answer = 1_600_000;
    pair.request(0);
    while pair.step_to(start + Duration::from_millis(1)) {}
    pair.sim.change_link(pair.sim.now(), Direction::Up, path.up).unwrap();
    pair.drive_to(|pair| pair.finished_at(0).is_some());
    assert_eq!(key_updates(&pair, server), (true, 1), "no update");
    while pair.step_to(start + Duration::from_secs(21)) {}
    assert_eq!([client, server].map(|end| pair.closed(end)), [None; 2]);
    assert_eq!([client, server].map(|end| key_updates(&pair, end)), [(true, 1); 2]);
}

/// A server that has updated its keys answers with some 200 packets, the first of which come after all others.
fn overtaken(profile: Profile, delay: Duration) -> Pair {
    let path = PathParams::symmetric(1_000_000_000, Duration::from_millis(100), LossModel::None);
    let mut pair = Pair::connected(path.clone(), Options::new(profile));
    pair.answer = 1_500_000;
    pair.request(0);
    pair.drive_to(|pair| pair.finished_at(0).is_some());
    assert!(key_updates(&pair, pair.server).0);
    pair.answer = 200 * 1400;
    pair.request(4);
    pair.drive_to(|pair| pair.has_told(pair.server, |event| *event == Event::Finished { stream: 4 }));
    let now = pair.sim.now();
    pair.sim.change_link(now, Direction::Down, LinkParams { delay, ..path.down.clone() }).unwrap();
    pair.sim.change_link(now + Duration::from_micros(500), Direction::Down, path.down).unwrap();
    pair
}

// RFC 9000 §17.1, §A.3: a number's short form tells it among 128 before and after the next one
#[test]
fn a_packet_that_comes_so_late_that_its_number_is_taken_for_another_is_dropped() {
    for profile in Profile::ALL {
        let mut pair = overtaken(profile, Duration::from_secs(20));
        pair.drive_to(|pair| pair.finished_at(4).is_some());
        let end = pair.sim.now() + Duration::from_secs(30);
        while pair.step_to(end) {}
        assert_eq!([pair.client, pair.server].map(|end| pair.closed(end)), [None; 2], "{profile:?}");
    }
}

#[test]
fn data_of_a_packet_whose_number_is_taken_for_another_is_not_taken_as_come() {
    for profile in Profile::ALL {
        let mut pair = overtaken(profile, Duration::from_millis(90));
        while pair.finished_at(4).is_none() {
            assert!(pair.step());
            let came = pair.received.get(&(pair.client, 4)).map_or(0, |bytes| bytes.len() as u64);
            let rows = pair.sim.endpoint(pair.client).unwrap().blocked().rows();
            for row in rows.iter().filter(|row| row.stream == 4 && row.end.is_some()) {
                assert!(row.first + u64::from(row.bytes) <= came, "{profile:?}: {row:?}, and {came} were read");
            }
        }
    }
}

// RFC 9000 §13.2.1
#[test]
fn a_packet_behind_a_gap_is_acknowledged_at_once() {
    for number in [6, 7] {
        let mut pair = Pair::connected(lost(Direction::Down, &[number]), options());
        pair.answer = 20_000;
        pair.request(0);
        pair.drive_to(|pair| pair.finished_at(0).is_some());
        let packets = &pair.sim.trace().packets.packets;
        let of = |end: EndpointId| (0..packets.kind.len()).filter(move |row| packets.endpoint[*row] == end.0);
        let arrival = packets.fate_ns[of(pair.server).nth(number as usize + 1).unwrap()];
        assert!(of(pair.client).any(|row| packets.sent_ns[row] == arrival), "after packet {number}");
    }
}

#[test]
fn data_that_an_end_drops_before_its_handshake_is_done_is_not_taken_as_come() {
    // the client's last packet of the handshake, and its first data
    let mut pair = Pair::connected(lost(Direction::Up, &[3, 4]), options());
    let client = pair.sim.quic(pair.client).unwrap();
    client.write(0, &[1; 20_000]).unwrap();
    client.finish(0).unwrap();
    pair.drive_to(|pair| pair.has_told(pair.server, |event| *event == Event::Finished { stream: 0 }));
    let connected = pair.told_at(pair.server, |event| matches!(event, Event::Connected { .. })).unwrap();
    assert!(connected > SimTime::from_ms(250), "{connected:?}");
    let rows = pair.sim.endpoint(pair.server).unwrap().blocked().rows().to_vec();
    assert!(rows.iter().all(|row| row.start >= connected), "{rows:?}");
    assert_eq!(pair.received[&(pair.server, 0)].len(), 20_000);
}
