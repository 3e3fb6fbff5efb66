//! Tests of whole runs of one QUIC connection.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

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
    /// The received bytes, by end and stream.
    received: BTreeMap<(EndpointId, u32), Vec<u8>>,
    events: Vec<(SimTime, EndpointId, Event)>,
    /// The size of the server's answer to each request, in bytes.
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
        pair.drive_to(|pair| pair.has_event(pair.client, |event| matches!(event, Event::Connected { .. })));
        pair
    }

    /// Advances to the next event. Returns false if nothing is left to happen.
    fn step(&mut self) -> bool {
        self.step_to(SimTime::MAX)
    }

    /// Advances to the next event or to `until`. Returns false if there was no event.
    fn step_to(&mut self, until: SimTime) -> bool {
        let events = self.sim.advance(until);
        let now = self.sim.now();
        assert!(now < SimTime::ZERO + Duration::from_secs(3600), "the run does not end");
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
            assert!(self.step(), "the expected event never happened: {:?}", self.events);
        }
    }

    fn has_event(&self, end: EndpointId, is_it: impl Fn(&Event) -> bool) -> bool {
        self.event_at(end, is_it).is_some()
    }

    fn event_at(&self, end: EndpointId, is_it: impl Fn(&Event) -> bool) -> Option<SimTime> {
        self.events.iter().find(|(_, of, event)| *of == end && is_it(event)).map(|(at, _, _)| *at)
    }

    fn closed(&self, end: EndpointId) -> Option<CloseReason> {
        self.events.iter().find_map(|(_, of, event)| match event {
            Event::Closed(reason) if *of == end => Some(*reason),
            _ => None,
        })
    }

    /// The client sends a request on a stream and ends the stream.
    fn request(&mut self, stream: u32) {
        let client = self.sim.quic(self.client).unwrap();
        client.write(stream, b"GET").unwrap();
        client.finish(stream).unwrap();
    }

    fn finished_at(&self, stream: u32) -> Option<SimTime> {
        self.event_at(self.client, |event| *event == Event::Finished { stream })
    }

    /// The chunks that an end sent: packet, stream, first, bytes, and whether it is a retransmission.
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

/// The options of most tests. Without probes of larger datagrams, packets can be counted.
fn options() -> Options {
    of(Profile::Modern)
}

fn of(profile: Profile) -> Options {
    Options { searches_mtu: false, ..Options::new(profile) }
}

fn kinds(pair: &Pair, end: EndpointId) -> Vec<u8> {
    let packets = &pair.sim.trace().packets.packets;
    (0..packets.kind.len()).filter(|row| packets.endpoint[*row] == end.0).map(|row| packets.kind[row]).collect()
}

#[test]
fn written_bytes_arrive_whole_on_their_stream_and_the_stream_ends() {
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
    assert!(pair.has_event(pair.client, |event| *event == connected));
    assert!(pair.has_event(pair.server, |event| *event == connected));
    let retransmitted = pair.chunks(pair.server).iter().any(|(.., retransmission)| *retransmission);
    assert!(retransmitted, "{:?}", pair.chunks(pair.server));
    let buffered = pair.sim.quic(pair.server).unwrap().buffered_bytes();
    pair.drive();
    assert!(buffered > 0 && pair.sim.quic(pair.server).unwrap().buffered_bytes() == 0);
}

#[test]
fn the_first_flight_has_as_many_packets_as_in_tcp() {
    for (profile, packets) in [(Profile::Classic, 3), (Profile::Modern, 10)] {
        // the path is so fast that a whole flight is sent before an acknowledgement arrives
        let fast = PathParams::symmetric(1_000_000_000, Duration::from_millis(100), LossModel::None);
        let mut pair = Pair::connected(fast, of(profile));
        pair.answer = 100_000;
        pair.request(0);
        pair.drive_to(|pair| pair.has_event(pair.client, |event| matches!(event, Event::Readable { .. })));
        let now = pair.sim.now();
        pair.sim.advance(now + Duration::from_millis(40));
        let mut sent: BTreeSet<u32> = pair.chunks(pair.server).iter().map(|(packet, ..)| *packet).collect();
        let sent_ns = |row: &u32| pair.sim.trace().packets.packets.sent_ns[*row as usize];
        // later packets are sent because something was acknowledged
        let first_ns = sent.first().map_or(0, sent_ns);
        sent.retain(|row| sent_ns(row) < first_ns + 1_000_000);
        assert_eq!(sent.len(), packets, "{profile:?}");
        let sizes: BTreeSet<u32> =
            sent.iter().map(|row| pair.sim.trace().packets.packets.bytes[*row as usize]).collect();
        let full = if profile == Profile::Modern { 28 + 1280 } else { 1500 };
        assert_eq!(sizes.last(), Some(&full), "{profile:?}");
        assert!(sizes.iter().all(|bytes| *bytes >= full - 2), "{profile:?}: {sizes:?}");
    }
}

#[test]
fn the_handshake_takes_one_round_trip_and_has_the_sizes_of_tls() {
    let pair = Pair::connected(path(LossModel::None), options());
    let bytes = |end: EndpointId| {
        let packets = &pair.sim.trace().packets.packets;
        let rows = (0..packets.kind.len()).filter(|row| packets.endpoint[*row] == end.0);
        rows.map(|row| packets.bytes[row]).collect::<Vec<_>>()
    };
    // the ClientHello needs two datagrams, and the second datagram is padded to 1200 bytes (RFC 9000 §14.1)
    assert_eq!(bytes(pair.client)[..2], [28 + 1250, 28 + 1200]);
    let handshake = bytes(pair.server);
    let total: u32 = handshake.iter().sum();
    assert!((3700..4400).contains(&total), "{handshake:?}");
    let at = pair.sim.now() - SimTime::ZERO;
    assert!(at > Duration::from_millis(100) && at < Duration::from_millis(160), "{at:?}");
    let others: Vec<u8> =
        kinds(&pair, pair.server).into_iter().filter(|kind| *kind != PacketKind::Setup as u8).collect();
    assert!(others.len() <= 1 && !others.contains(&(PacketKind::Data as u8)), "{others:?}");
}

// the key share for X25519MLKEM768 has 1120 bytes, and that for X25519 has 32
#[test]
fn without_a_hybrid_share_the_first_flight_of_a_modern_server_is_a_kilobyte_shorter() {
    for (profile, shorter) in [(Profile::Modern, 800..1200), (Profile::Classic, 0..1)] {
        let [with, without] = [false, true].map(|lacks_hybrid_share| {
            let mut pair = Pair::connected(path(LossModel::None), Options { lacks_hybrid_share, ..of(profile) });
            pair.step_to(pair.sim.now());
            let packets = &pair.sim.trace().packets.packets;
            let rows = (0..packets.kind.len()).filter(|row| packets.endpoint[*row] == pair.server.0);
            rows.filter(|row| packets.kind[*row] == PacketKind::Setup as u8).map(|row| packets.bytes[row]).sum::<u32>()
        });
        assert!(shorter.contains(&(with - without)), "{profile:?}: {with} and {without} bytes");
    }
}

#[test]
fn before_validation_a_server_sends_at_most_three_times_the_received_bytes() {
    // all datagrams after the ClientHello are lost, so the server never validates the client's address
    let classic = Options::new(Profile::Classic);
    let mut pair = Pair::new(lost(Direction::Up, &(1..200).collect::<Vec<_>>()), classic);
    pair.sim.advance(SimTime::from_ms(150));
    let sent = kinds(&pair, pair.server).len();
    pair.drive();
    let packets = &pair.sim.trace().packets.packets;
    let rows = (0..packets.kind.len()).filter(|row| packets.endpoint[*row] == pair.server.0);
    let total: u32 = rows.map(|row| packets.bytes[row] - 28).sum();
    assert!(sent >= 2 && total <= 3 * 1200 + 1472, "{sent} datagrams, {total} bytes");
}

#[test]
fn a_lost_packet_delays_only_the_streams_in_it() {
    let mut clean = Pair::connected(path(LossModel::None), options());
    clean.answer = 2500;
    (0..8).for_each(|stream| clean.request(4 * stream));
    clean.drive();
    let sent = clean.chunks(clean.server);
    // the first packet that has data from the middle of a stream
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
    let first_byte = |resumes| {
        // only propagation takes time
        let path = PathParams::symmetric(1_000_000_000_000, Duration::from_millis(100), LossModel::None);
        let mut pair = Pair::new(path, Options { resumes, early_data: true, ..options() });
        pair.answer = 1000;
        if !resumes {
            pair.drive_to(|pair| pair.has_event(pair.client, |event| matches!(event, Event::Connected { .. })));
        }
        pair.request(0);
        pair.drive_to(|pair| pair.finished_at(0).is_some());
        let packets = &pair.sim.trace().packets.packets;
        let setup = (0..packets.kind.len())
            .filter(|row| packets.endpoint[*row] == pair.server.0 && packets.kind[*row] == PacketKind::Setup as u8);
        let handshake: u32 = setup.map(|row| packets.bytes[row]).sum();
        (pair.finished_at(0).unwrap(), handshake)
    };
    let saved = first_byte(false).0 - first_byte(true).0;
    assert!(saved.abs_diff(Duration::from_millis(100)) < Duration::from_micros(1), "{saved:?}");
    let (whole, resumed) = (first_byte(false).1, first_byte(true).1);
    assert!(whole >= 3700 && resumed < 3000, "{whole} bytes with a certificate, {resumed} without");
}

#[test]
fn without_zero_rtt_a_client_cannot_write_before_it_is_connected() {
    let mut pair = Pair::new(path(LossModel::None), options());
    assert_eq!(pair.sim.quic(pair.client).unwrap().write(0, b"GET"), Ok(0));
    let server = pair.sim.quic(pair.server).unwrap().write(1, b"x");
    assert!(matches!(server, Err(CallError::State(_))), "{server:?}");
}

/// Returns the streams of the server's chunks in the order of sending, without consecutive repetitions. `change` is
/// called after the server has written its answers.
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
fn round_robin_alternates_streams_and_first_come_orders_them_by_first_bytes() {
    assert_eq!(order(Scheduler::FirstCome, |_| {}), [8, 0, 4]);
    assert!(order(Scheduler::RoundRobin, |_| {}).len() > 6);
}

#[test]
fn a_higher_priority_is_sent_first_with_either_scheduler() {
    for scheduler in [Scheduler::FirstCome, Scheduler::RoundRobin] {
        let order = order(scheduler, |server| {
            server.set_priority(4, 2).unwrap();
            server.set_priority(8, -512).unwrap();
        });
        // data that was queued before the change is sent with its old priority
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
fn calls_on_unknown_streams_are_refused() {
    let mut pair = Pair::connected(path(LossModel::None), options());
    let client = pair.sim.quic(pair.client).unwrap();
    assert!(matches!(client.write(1, b"x"), Err(CallError::Argument(_))), "the server has not opened the stream");
    assert!(matches!(client.write(3, b"x"), Err(CallError::Argument(_))));
    assert!(matches!(client.read(2), Err(CallError::Argument(_))), "only the client sends on this stream");
    assert!(matches!(client.read(0), Err(CallError::Argument(_))), "the stream is not open");
    assert_eq!(client.write(400, b"x"), Ok(0), "the 101st stream cannot be opened yet");
    assert!(matches!(client.finish(400), Err(CallError::State(_))));
    assert_eq!(client.write(396, b"x"), Ok(1), "the 100th stream can be opened");
    assert_eq!(client.write(0, b"x"), Ok(1));
    client.finish(0).unwrap();
    assert!(matches!(client.write(0, b"x"), Err(CallError::State(_))), "the stream was finished");
}

#[test]
fn a_server_can_open_streams() {
    let mut pair = Pair::connected(path(LossModel::None), options());
    pair.drive_to(|pair| pair.has_event(pair.server, |event| matches!(event, Event::Connected { .. })));
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
fn the_send_buffer_limits_the_unacknowledged_bytes() {
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
fn a_reset_ends_the_stream_for_both_ends() {
    let mut pair = Pair::connected(path(LossModel::None), options());
    pair.answer = 100_000;
    pair.request(0);
    pair.request(4);
    pair.drive_to(|pair| pair.received.contains_key(&(pair.client, 0)));
    pair.sim.quic(pair.client).unwrap().reset(0, 0x010c).unwrap();
    pair.drive();
    assert!(pair.has_event(pair.server, |event| *event == Event::Reset { stream: 0, code: 0x010c }));
    assert!(pair.received[&(pair.client, 0)].len() < 50_000);
    let of_stream = |(_, stream, _, bytes, _)| if stream == 0 { bytes } else { 0 };
    let sent: u32 = pair.chunks(pair.server).into_iter().map(of_stream).sum();
    assert!(sent < 70_000, "{sent} bytes were sent on the stream that was reset");
    assert_eq!(pair.received[&(pair.client, 4)].len(), 100_000);
    assert_eq!(pair.sim.quic(pair.server).unwrap().buffered_bytes(), 0);
    let refused = pair.sim.quic(pair.server).unwrap().write(0, b"x");
    assert!(matches!(refused, Err(CallError::State(_))), "{refused:?}");
}

#[test]
fn a_close_waits_for_written_data_and_is_reported_to_both_ends() {
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
    assert!(pair.has_event(pair.server, |event| *event == Event::PeerClosed));
    assert!(kinds(&pair, pair.client).contains(&(PacketKind::Close as u8)));
    let last = pair.events.last().unwrap().0;
    assert!(last < SimTime::from_ms(1000), "an end waited for the idle timeout: {last:?}");
}

#[test]
fn an_abort_ends_both_ends_at_once() {
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
fn both_ends_give_up_on_a_path_that_loses_everything() {
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
fn a_single_packet_is_acknowledged_after_the_delay_of_the_profile() {
    for (profile, delay_ms) in [(Profile::Classic, 200), (Profile::Modern, 40)] {
        let path = PathParams::symmetric(1_000_000_000, Duration::from_millis(300), LossModel::None);
        let mut pair = Pair::connected(path, of(profile));
        pair.answer = 500;
        pair.request(0);
        pair.drive_to(|pair| pair.finished_at(0).is_some());
        // after this time, the frame has arrived in which the server asks for the acknowledgement delay of the profile
        pair.sim.advance(pair.sim.now() + Duration::from_millis(600));
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
fn an_acknowledgement_is_recorded_as_one_past_the_largest_number() {
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
fn a_download_uses_the_rate_of_a_clean_path() {
    let mut pair = Pair::connected(path(LossModel::None), options());
    pair.answer = 500_000;
    pair.request(0);
    let start = pair.sim.now();
    pair.drive_to(|pair| pair.finished_at(0).is_some());
    let rate = 8.0 * 500_000.0 / (pair.sim.now() - start).as_secs_f64();
    assert!(rate > 900_000.0, "{rate} of 1 Mbps");
}

#[test]
fn a_path_with_a_too_small_mtu_is_refused() {
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
fn packets_become_as_large_as_the_mtu_and_with_modern_at_most_1452_bytes() {
    let mtus = [1228, 1500, 9000, 65535];
    for (profile, mtu_bytes) in Profile::ALL.into_iter().flat_map(|profile| mtus.map(|mtu_bytes| (profile, mtu_bytes)))
    {
        let path = PathParams { mtu_bytes, ..path(LossModel::None) };
        let mut pair = Pair::connected(path, Options::new(profile));
        pair.answer = 300_000;
        pair.request(0);
        pair.drive_to(|pair| pair.finished_at(0).is_some());
        let largest = pair.sim.trace().packets.packets.bytes.iter().max();
        let most = if profile == Profile::Modern { 28 + 1452 } else { u32::MAX };
        assert_eq!(largest, Some(&u32::from(mtu_bytes).min(most)));
    }
}

#[test]
fn unsupported_calls_return_errors_that_name_the_missing_function() {
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
fn a_probe_retransmits_a_lost_tail() {
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
fn a_probe_skips_data_of_a_stream_that_was_reset() {
    let mut pair = Pair::connected(path(LossModel::None), options());
    pair.drive_to(|pair| pair.has_event(pair.server, |event| matches!(event, Event::Connected { .. })));
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
    pair.drive_to(|pair| pair.has_event(pair.client, |event| *event == Event::Reset { stream: 3, code: 7 }));
    let took = pair.sim.now() - lost_at;
    assert!(took < timeout + Duration::from_millis(60), "{took:?}, with a timeout of {timeout:?}");
}

// RFC 9002 §6.2.1
#[test]
fn each_probe_timeout_doubles_the_next_until_something_is_acknowledged() {
    // the lost packets are the first two packets of the handshake, two probes after 1 s, and two probes 2 s later
    let mut pair = Pair::new(lost(Direction::Up, &[0, 1, 2, 3, 4, 5]), options());
    pair.sim.advance(SimTime::from_ms(6900));
    let client = pair.sim.endpoint(pair.client).unwrap();
    assert_eq!((client.timeouts().probe, client.sample().unwrap().rto.as_secs()), (2, 4));
    pair.drive_to(|pair| pair.has_event(pair.client, |event| matches!(event, Event::Connected { .. })));
    pair.request(0);
    pair.drive();
    let client = pair.sim.endpoint(pair.client).unwrap();
    assert_eq!(client.timeouts().probe, 3);
    assert!(client.sample().unwrap().rto < Duration::from_millis(400), "{:?}", client.sample());
}

// RFC 9002 §6.2.2; patches/quinn-proto 08
#[test]
fn the_probe_timeouts_of_the_handshake_do_not_delay_later_probes() {
    let path = PathParams::symmetric(1_000_000, Duration::from_secs(1), LossModel::None);
    let link = path.up.clone();
    let mut pair = Pair::connected(path, Options { first_timeout: Some(Duration::from_millis(15)), ..options() });
    // the handshake's last packets are on their way, and nothing that is sent in the next second arrives
    let lost_at = pair.sim.now() + Duration::from_millis(10);
    let everything = LossModel::Bernoulli { rate: 1.0 };
    for direction in [Direction::Up, Direction::Down] {
        pair.sim.change_link(lost_at, direction, link.clone().with_loss(everything.clone())).unwrap();
        pair.sim.change_link(lost_at + Duration::from_secs(1), direction, link.clone()).unwrap();
    }
    pair.sim.advance(lost_at);
    pair.request(0);
    let probes = |pair: &mut Pair| pair.sim.endpoint(pair.client).unwrap().timeouts().probe;
    let before = probes(&mut pair);
    assert!(before >= 6, "{before}");
    // the timeout is less than 3 s with the RTT of the handshake, if it is not doubled
    pair.drive_to(|pair| pair.sim.now() >= lost_at + Duration::from_secs(3));
    assert_eq!(probes(&mut pair), before + 1);
}

/// How many packets with data of streams an end has retransmitted.
fn retransmissions(pair: &Pair, end: EndpointId) -> usize {
    pair.chunks(end).iter().filter(|(.., is_retransmission)| *is_retransmission).count()
}

// RFC 9001 §5.7; patches/quinn-proto 09
#[test]
fn packets_that_arrive_before_their_keys_are_read_later() {
    let early = Options { resumes: true, early_data: true, ..options() };
    // the server answers a request in early data, and the datagram with its ServerHello is lost
    let mut pair = Pair::new(lost(Direction::Down, &[1]), early);
    pair.answer = 5000;
    pair.request(0);
    pair.drive_to(|pair| pair.finished_at(0).is_some());
    let client = pair.client;
    let connected = pair.event_at(client, |event| matches!(event, Event::Connected { .. })).unwrap();
    assert_eq!(pair.finished_at(0), Some(connected));
    assert_eq!(pair.received[&(client, 0)].len(), 5000);
    assert_eq!(retransmissions(&pair, pair.server), 0);
}

#[test]
fn early_data_that_arrives_before_the_client_hello_is_read_later() {
    // both datagrams of the ClientHello are lost
    let mut pair = Pair::new(lost(Direction::Up, &[0, 1]), Options { resumes: true, early_data: true, ..options() });
    pair.request(0);
    pair.drive_to(|pair| pair.has_event(pair.server, |event| *event == Event::Finished { stream: 0 }));
    assert_eq!(retransmissions(&pair, pair.client), 0);
}

#[test]
fn handshake_packets_that_arrive_before_their_keys_are_not_sent_again() {
    // of the server's flight, only the datagram with the ServerHello is lost; the server's first probes have it
    let pair = Pair::connected(lost(Direction::Down, &[1]), options());
    let server = pair.sim.endpoint(pair.server).unwrap();
    assert_eq!(server.timeouts().probe, 1);
    assert!(pair.sim.now() < SimTime::from_ms(1200), "{:?}", pair.sim.now());
}

#[test]
fn data_that_overtakes_the_end_of_the_handshake_is_not_sent_again() {
    // the datagram with the client's Finished is lost, and the request comes in a later one
    let mut pair = Pair::connected(lost(Direction::Up, &[4]), options());
    pair.sim.advance(pair.sim.now());
    pair.request(0);
    pair.drive_to(|pair| pair.has_event(pair.server, |event| *event == Event::Finished { stream: 0 }));
    let server = pair.server;
    let connected = pair.event_at(server, |event| matches!(event, Event::Connected { .. }));
    assert_eq!(pair.event_at(server, |event| *event == Event::Finished { stream: 0 }), connected);
    assert_eq!(retransmissions(&pair, pair.client), 0);
}

// RFC 9002 §7; patches/quinn-proto 02
#[test]
fn acknowledgements_and_the_close_are_sent_although_the_window_is_full() {
    let mut pair = Pair::connected(path(LossModel::None), options());
    let link = path(LossModel::None).up;
    // the client fills its window; what it sends after the server is connected is lost, so its window stays full
    pair.request(4);
    pair.sim.quic(pair.client).unwrap().write(0, &[1; 100_000]).unwrap();
    pair.sim.advance(pair.sim.now());
    let full = pair.chunks(pair.client).len();
    pair.drive_to(|pair| pair.has_event(pair.server, |event| matches!(event, Event::Connected { .. })));
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
fn an_acknowledgement_sent_with_a_full_window_is_not_repeated_with_the_next_data() {
    let mut pair = Pair::connected(path(LossModel::None), options());
    pair.drive_to(|pair| pair.has_event(pair.server, |event| matches!(event, Event::Connected { .. })));
    pair.sim.advance(pair.sim.now() + Duration::from_secs(1));
    let from = pair.sim.now();
    pair.sim.quic(pair.server).unwrap().write(3, &[2; 15_000]).unwrap();
    pair.sim.advance(from);
    pair.sim.quic(pair.client).unwrap().write(2, &[1; 2400]).unwrap();
    pair.drive_to(|pair| pair.received.get(&(pair.client, 3)).is_some_and(|bytes| bytes.len() == 15_000));
    let packets = &pair.sim.trace().packets.packets;
    let of_server = |row: &usize| packets.endpoint[*row] == pair.server.0 && packets.sent_ns[*row] > from.as_ns();
    let acked: Vec<usize> =
        (0..packets.kind.len()).filter(of_server).filter(|row| packets.cumulative_ack[*row] != u64::MAX).collect();
    let alone = *acked.iter().find(|row| packets.kind[**row] == PacketKind::Ack as u8).unwrap();
    let soon = acked.iter().filter(|row| packets.sent_ns[**row] < packets.sent_ns[alone] + 100_000_000).count();
    assert_eq!(soon, 1, "{acked:?}");
}

/// Returns whether an end sends with updated keys, and how often it has updated them (RFC 9001 §6).
fn key_updates(pair: &Pair, end: EndpointId) -> (bool, usize) {
    let log = &pair.sim.trace().packets;
    let first_bytes = (0..log.bytes.len())
        .filter(|row| log.packets.endpoint[*row] == end.0)
        .map(|row| log.bytes[row][IP_AND_UDP_BYTES]);
    // short headers have the Key Phase bit (RFC 9000 §17.3.1)
    let phases: Vec<bool> = first_bytes.filter(|byte| byte & 0x80 == 0).map(|byte| byte & 0x04 != 0).collect();
    (phases.last() == Some(&true), phases.windows(2).filter(|pair| pair[0] != pair[1]).count())
}

const IP_AND_UDP_BYTES: usize = 28;

// RFC 9001 §6.1; patches/quinn-proto 03
#[test]
fn packets_with_the_old_keys_are_read_after_the_zero_rtt_keys_are_discarded() {
    let path = PathParams::symmetric(10_000_000, Duration::from_millis(100), LossModel::None);
    let slow = LinkParams { delay: Duration::from_secs(10), ..path.down.clone() };
    let mut pair = Pair::new(path, Options { resumes: true, early_data: true, ..options() });
    let (client, server) = (pair.client, pair.server);
    pair.answer = 1_600_000;
    pair.request(0);
    // quinn-proto updates its keys within the first 1000 packets
    while !key_updates(&pair, server).0 {
        pair.step_to(pair.sim.now() + Duration::from_micros(500));
        assert!(pair.finished_at(0).is_none(), "the keys were not updated");
    }
    // the first packet with the new keys is still in the queue and gets a long delay; the server receives nothing for
    // three probe timeouts, after which it discards the keys of 0-RTT
    let updated = pair.sim.now();
    pair.sim.change_link(updated, Direction::Down, slow).unwrap();
    let asked = updated + Duration::from_secs(5);
    while pair.step_to(asked) {}
    assert_eq!(key_updates(&pair, client), (false, 0));
    pair.answer = 10;
    pair.request(4);
    pair.drive_to(|pair| pair.has_event(server, |event| *event == Event::Finished { stream: 4 }));
    let took = pair.sim.now() - asked;
    assert!(took < Duration::from_millis(52), "{took:?}");
    pair.drive_to(|pair| pair.finished_at(0).is_some() && pair.finished_at(4).is_some());
    assert_eq!([client, server].map(|end| key_updates(&pair, end)), [(true, 1); 2]);
}

// RFC 9002 §6.2.4, §7.5; patches/quinn-proto 04
#[test]
fn a_window_full_of_unanswered_zero_rtt_data_does_not_block_the_finished_message() {
    for (profile, bytes) in Profile::ALL.into_iter().flat_map(|profile| (1..40).map(move |k| (profile, 400 * k))) {
        let options = Options { resumes: true, early_data: true, ..Options::new(profile) };
        // the server's first packet, which has the ServerHello, is lost; the packets with acknowledgements are not
        let mut pair = Pair::new(lost(Direction::Down, &[0]), options);
        let client = pair.sim.quic(pair.client).unwrap();
        assert_eq!(client.write(0, &vec![7; bytes]), Ok(bytes));
        client.finish(0).unwrap();
        let (client, server) = (pair.client, pair.server);
        pair.drive_to(|pair| {
            assert_eq!(pair.closed(client), None, "{profile:?}, {bytes} bytes");
            pair.has_event(server, |event| matches!(event, Event::Connected { .. }))
                && pair.has_event(server, |event| *event == Event::Finished { stream: 0 })
        });
    }
}

// RFC 9001 §6.5
#[test]
fn a_packet_with_discarded_keys_is_dropped() {
    let path = PathParams::symmetric(10_000_000, Duration::from_millis(100), LossModel::None);
    let slow = LinkParams { delay: Duration::from_secs(20), ..path.up.clone() };
    let mut pair = Pair::connected(path.clone(), options());
    let (client, server) = (pair.client, pair.server);
    let start = pair.sim.now() + Duration::from_secs(1);
    while pair.step_to(start) {}
    // the packets of the next millisecond get a long delay, so that all later packets overtake them
    pair.sim.change_link(start, Direction::Up, slow).unwrap();
    pair.answer = 1_600_000;
    pair.request(0);
    while pair.step_to(start + Duration::from_millis(1)) {}
    pair.sim.change_link(pair.sim.now(), Direction::Up, path.up).unwrap();
    pair.drive_to(|pair| pair.finished_at(0).is_some());
    assert_eq!(key_updates(&pair, server), (true, 1), "the keys were not updated");
    while pair.step_to(start + Duration::from_secs(21)) {}
    assert_eq!([client, server].map(|end| pair.closed(end)), [None; 2]);
    assert_eq!([client, server].map(|end| key_updates(&pair, end)), [(true, 1); 2]);
}

/// Returns a pair in which a server that has updated its keys sends an answer of about 200 packets. The first of these
/// packets have the propagation delay `delay`, so they arrive after all others.
fn overtaken(profile: Profile, delay: Duration) -> Pair {
    let path = PathParams::symmetric(1_000_000_000, Duration::from_millis(100), LossModel::None);
    let mut pair = Pair::connected(path.clone(), Options::new(profile));
    pair.answer = 1_500_000;
    pair.request(0);
    pair.drive_to(|pair| pair.finished_at(0).is_some());
    assert!(key_updates(&pair, pair.server).0);
    pair.answer = 200 * 1400;
    pair.request(4);
    pair.drive_to(|pair| pair.has_event(pair.server, |event| *event == Event::Finished { stream: 4 }));
    let now = pair.sim.now();
    pair.sim.change_link(now, Direction::Down, LinkParams { delay, ..path.down.clone() }).unwrap();
    pair.sim.change_link(now + Duration::from_micros(500), Direction::Down, path.down).unwrap();
    pair
}

// RFC 9000 §17.1, §A.3: a truncated number of one byte identifies a number within 128 of the expected number
#[test]
fn a_packet_so_late_that_its_number_is_decoded_wrongly_is_dropped() {
    for profile in Profile::ALL {
        let mut pair = overtaken(profile, Duration::from_secs(20));
        pair.drive_to(|pair| pair.finished_at(4).is_some());
        let end = pair.sim.now() + Duration::from_secs(30);
        while pair.step_to(end) {}
        assert_eq!([pair.client, pair.server].map(|end| pair.closed(end)), [None; 2], "{profile:?}");
    }
}

#[test]
fn data_of_a_packet_with_a_wrongly_decoded_number_does_not_count_as_received() {
    for profile in Profile::ALL {
        let mut pair = overtaken(profile, Duration::from_millis(90));
        while pair.finished_at(4).is_none() {
            assert!(pair.step());
            let came = pair.received.get(&(pair.client, 4)).map_or(0, |bytes| bytes.len() as u64);
            let rows = pair.sim.endpoint(pair.client).unwrap().blocked().rows();
            for row in rows.iter().filter(|row| row.stream == 4 && row.end.is_some()) {
                assert!(row.first + u64::from(row.bytes) <= came, "{profile:?}: {row:?}, but {came} bytes were read");
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
fn data_dropped_before_the_handshake_is_done_does_not_count_as_received() {
    // the lost packets are the client's last packet of the handshake and its first data
    let mut pair = Pair::connected(lost(Direction::Up, &[3, 4]), options());
    let client = pair.sim.quic(pair.client).unwrap();
    client.write(0, &[1; 20_000]).unwrap();
    client.finish(0).unwrap();
    pair.drive_to(|pair| pair.has_event(pair.server, |event| *event == Event::Finished { stream: 0 }));
    let connected = pair.event_at(pair.server, |event| matches!(event, Event::Connected { .. })).unwrap();
    assert!(connected > SimTime::from_ms(250), "{connected:?}");
    let rows = pair.sim.endpoint(pair.server).unwrap().blocked().rows().to_vec();
    assert!(rows.iter().all(|row| row.start >= connected), "{rows:?}");
    assert_eq!(pair.received[&(pair.server, 0)].len(), 20_000);
}

/// The sizes of the server's UDP payloads with data, in the order of sending.
fn data_sizes(pair: &Pair) -> Vec<u32> {
    let packets = &pair.sim.trace().packets.packets;
    let mut rows: Vec<u32> = pair.chunks(pair.server).iter().map(|(packet, ..)| *packet).collect();
    rows.dedup();
    rows.iter().map(|row| packets.bytes[*row as usize] - IP_AND_UDP_BYTES as u32).collect()
}

// RFC 9000 §14.3
#[test]
fn modern_searches_for_larger_datagrams_unless_it_is_told_not_to() {
    for (searches_mtu, first_datagram_bytes, expected) in
        [(true, None, (1280, 1452)), (false, None, (1280, 1280)), (true, Some(1350), (1350, 1452))]
    {
        let mut pair = Pair::connected(
            path(LossModel::None),
            Options { searches_mtu, first_datagram_bytes, ..Options::new(Profile::Modern) },
        );
        pair.answer = 200_000;
        pair.request(0);
        pair.drive_to(|pair| pair.finished_at(0).is_some());
        let sizes = data_sizes(&pair);
        let largest = |sizes: &[u32]| sizes.iter().copied().max().unwrap();
        assert_eq!((largest(&sizes[..5]), largest(&sizes)), expected, "{sizes:?}");
    }
}

// RFC 9000 §14.4
#[test]
fn a_lost_probe_of_a_larger_datagram_does_not_shrink_the_window() {
    let mut windows = Vec::new();
    for drops in [false, true] {
        let mut pair = Pair::connected(path(LossModel::None), Options::new(Profile::Modern));
        let probe = |pair: &Pair| {
            let packets = &pair.sim.trace().packets.packets;
            (0..packets.kind.len()).filter(|row| packets.endpoint[*row] == pair.server.0).collect::<Vec<_>>()
        };
        let from = probe(&pair).len() as u64;
        pair.answer = 20_000;
        if drops {
            // the packet to lose is the first that is larger than the others
            let mut twin = Pair::connected(path(LossModel::None), Options::new(Profile::Modern));
            twin.answer = 20_000;
            twin.request(0);
            twin.drive();
            let bytes = &twin.sim.trace().packets.packets.bytes;
            let rows = probe(&twin);
            let at = rows.iter().position(|row| bytes[*row] > 28 + 1280).unwrap() as u64;
            assert!(at >= from);
            pair = Pair::connected(lost(Direction::Down, &[at]), Options::new(Profile::Modern));
            pair.answer = 20_000;
        }
        pair.request(0);
        pair.drive();
        windows.push(pair.sim.endpoint(pair.server).unwrap().sample().unwrap().cwnd_bytes);
        assert!(pair.chunks(pair.server).iter().all(|(.., retransmission)| !retransmission));
    }
    assert!(windows[1] >= 10 * 1280, "{windows:?}");
}

#[test]
fn the_first_window_can_be_set() {
    let fast = PathParams::symmetric(1_000_000_000, Duration::from_millis(100), LossModel::None);
    let options = Options { first_window_packets: Some(32), searches_mtu: false, ..Options::new(Profile::Modern) };
    let mut pair = Pair::connected(fast, options);
    pair.answer = 100_000;
    pair.request(0);
    pair.drive_to(|pair| pair.has_event(pair.client, |event| matches!(event, Event::Readable { .. })));
    pair.sim.advance(pair.sim.now() + Duration::from_millis(40));
    assert_eq!(data_sizes(&pair).len(), 32);
}

// RFC 9000 §8.1.3
#[test]
fn the_token_of_an_earlier_visit_lifts_the_limit_of_an_answer_to_early_data() {
    let fast = PathParams::symmetric(1_000_000_000, Duration::from_millis(100), LossModel::None);
    let first_window_packets = Some(32);
    let mut pair = Pair::new(fast, Options { resumes: true, early_data: true, first_window_packets, ..options() });
    pair.answer = 100_000;
    pair.request(0);
    while pair.step_to(SimTime::from_ms(140)) {}
    let packets = &pair.sim.trace().packets.packets;
    // The server's first packets reach the client after 100 ms. The client's answers reach the server after 150 ms, so
    // they do not permit any of the packets that the server sends before 140 ms.
    let bytes = |end: EndpointId, until_ms: u64| -> u32 {
        (0..packets.kind.len())
            .filter(|row| packets.endpoint[*row] == end.0 && packets.sent_ns[*row] < until_ms * 1_000_000)
            .map(|row| packets.bytes[row] - IP_AND_UDP_BYTES as u32)
            .sum()
    };
    let (client, server) = (bytes(pair.client, 50), bytes(pair.server, 140));
    assert!(server > 2 * 3 * client, "{server} bytes after {client}");
}

/// Returns a pair whose ends have different options, on a fast path. The client is connected.
fn connected_fast(seed: u64, loss: LossModel, client: Options, server: Options) -> Pair {
    let mut path = PathParams::symmetric(100_000_000, Duration::from_millis(100), LossModel::None);
    path.down.loss = loss;
    let mut sim = Simulation::new(SimulationOptions { seed, path, recording: Recording::ALL }).unwrap();
    let (client, server) = sim.open_quic(client, server).unwrap();
    sim.quic(client).unwrap().connect().unwrap();
    let mut pair = Pair { sim, client, server, received: BTreeMap::new(), events: Vec::new(), answer: 0 };
    pair.drive_to(|pair| pair.has_event(pair.client, |event| matches!(event, Event::Connected { .. })));
    pair
}

/// Downloads 400 KB. Returns, for each acknowledgement of the client, the number of the next packet, and by how much it
/// is larger than in the acknowledgement before.
fn acknowledged(mut pair: Pair) -> Vec<(u64, u64)> {
    pair.answer = 400_000;
    pair.request(0);
    pair.drive_to(|pair| pair.finished_at(0).is_some());
    let packets = &pair.sim.trace().packets.packets;
    let numbers: Vec<u64> = (0..packets.kind.len())
        .filter(|row| packets.endpoint[*row] == pair.client.0 && packets.cumulative_ack[*row] != u64::MAX)
        .map(|row| packets.cumulative_ack[row])
        .collect();
    numbers.windows(2).map(|two| (two[1], two[1] - two[0])).collect()
}

fn decimating() -> Options {
    Options { decimates_acks: true, ..options() }
}

// kMinReceivedBeforeAckDecimation and kMaxRetransmittablePacketsBeforeAck of QUICHE
#[test]
fn an_end_that_decimates_acknowledges_every_tenth_packet_from_number_100_on() {
    // with these seeds, the server skips no number from 85 to 200, and the last pairs end with the numbers 98 and 99
    for (seed, last_pair) in [(8, 99), (18, 100)] {
        let acks = acknowledged(connected_fast(seed, LossModel::None, decimating(), options()));
        let pairs = (last_pair - 14..=last_pair).step_by(2).map(|next| (next, 2));
        let tens = (last_pair + 10..200).step_by(10).map(|next| (next, 10));
        let of_interest: Vec<_> = acks.into_iter().filter(|(next, _)| (85..200).contains(next)).collect();
        assert_eq!(of_interest, pairs.chain(tens).collect::<Vec<_>>(), "seed {seed}");
    }
}

#[test]
fn an_end_whose_peer_decimates_acknowledges_every_second_packet() {
    let acks = acknowledged(connected_fast(18, LossModel::None, options(), decimating()));
    let of_interest: Vec<_> = acks.into_iter().filter(|(next, _)| (85..200).contains(next)).collect();
    assert_eq!(of_interest, (85..200).step_by(2).map(|next| (next, 2)).collect::<Vec<_>>());
}

// kMaxPacketsAfterNewMissing of QUICHE
#[test]
fn an_end_that_decimates_acknowledges_four_packets_at_once_after_a_gap() {
    // the lost packet has the number 148, and with this seed no other number from 85 to 200 is missing
    let loss = LossModel::List(BTreeSet::from([150]));
    let acks = acknowledged(connected_fast(18, loss, decimating(), options()));
    let of_interest: Vec<_> = acks.into_iter().filter(|(next, _)| (130..180).contains(next)).collect();
    assert_eq!(of_interest, [(130, 10), (140, 10), (150, 10), (151, 1), (152, 1), (153, 1), (163, 10), (173, 10)]);
}

// HasNewMissingPackets of QUICHE does not depend on the number of packets
#[test]
fn an_end_that_decimates_acknowledges_four_packets_after_a_gap_from_the_first_packets_on() {
    let loss = LossModel::List(BTreeSet::from([90]));
    let acks = acknowledged(connected_fast(18, loss, decimating(), options()));
    let after = acks.iter().position(|(next, _)| *next > 85).unwrap();
    let steps: Vec<u64> = acks[after..after + 8].iter().map(|(_, step)| *step).collect();
    assert!(steps.windows(3).any(|three| three == [1, 1, 1]), "{steps:?}");
}

// GetMaxAckDelay of QUICHE: a quarter of the smallest RTT, at most 25 ms
#[test]
fn an_end_that_decimates_delays_acknowledgements_by_a_quarter_of_the_rtt() {
    for (rtt_ms, expected) in [(30, 7), (60, 15), (300, 25)] {
        let path = PathParams::symmetric(1_000_000_000, Duration::from_millis(rtt_ms), LossModel::None);
        let mut sim = Simulation::new(SimulationOptions { seed: 1, path, recording: Recording::ALL }).unwrap();
        let (client, server) = sim.open_quic(decimating(), options()).unwrap();
        sim.quic(client).unwrap().connect().unwrap();
        let mut pair = Pair { sim, client, server, received: BTreeMap::new(), events: Vec::new(), answer: 400_000 };
        pair.drive_to(|pair| pair.has_event(pair.client, |event| matches!(event, Event::Connected { .. })));
        pair.request(0);
        pair.drive_to(|pair| pair.finished_at(0).is_some());
        pair.sim.advance(pair.sim.now() + Duration::from_millis(600));
        pair.answer = 500;
        pair.request(4);
        pair.drive_to(|pair| pair.finished_at(4).is_some());
        let (came, before) = (pair.sim.now(), kinds(&pair, pair.client).len());
        pair.drive();
        let packets = &pair.sim.trace().packets.packets;
        let row = (0..packets.kind.len()).filter(|row| packets.endpoint[*row] == pair.client.0).nth(before).unwrap();
        let delay = SimTime::from_ns(packets.sent_ns[row]) - came;
        assert_eq!(delay.as_millis(), expected, "{rtt_ms} ms");
    }
}
