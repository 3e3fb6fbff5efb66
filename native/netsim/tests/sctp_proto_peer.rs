//! Connects an association with another stack, the crate `sctp-proto`, in virtual time.
//!
//! sctp-proto takes its tags from the system's random numbers and reads the clock once, in `connect`. Its packets
//! differ between runs, but their times and the messages do not.

#![allow(clippy::unwrap_used)] // unwrap is allowed in tests
#![allow(clippy::disallowed_methods)] // sctp-proto needs `Instant`s, which are computed from one start

use std::collections::{BTreeMap, VecDeque};
use std::net::{SocketAddr, SocketAddrV4};
use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use netsim::endpoint::{CloseReason, Endpoint, Event};
use netsim::event_queue::EventQueue;
use netsim::ip::{self, Flow};
use netsim::link::{Arrival, Departure, Direction, Header, Link, LinkParams, LossModel};
use netsim::sctp::{Association, Options, Profile, Setup};
use netsim::time::SimTime;
use sctp_proto::{
    AssociationHandle, ClientConfig, DatagramEvent, EndpointConfig, Payload, PayloadProtocolIdentifier, ServerConfig,
    TransportConfig,
};

const STREAMS: u16 = 5;

/// The messages of each stream, in order.
type Messages = BTreeMap<u32, Vec<Vec<u8>>>;

/// Returns message `number` of a stream. The shortest message has one byte, and the longest fills several packets.
fn message(stream: u32, number: usize) -> Vec<u8> {
    let bytes = [1, 100, 1452, 1453, 6000][(number + stream as usize) % 5];
    (0..bytes).map(|at| (at * 13 + number * 5 + stream as usize) as u8).collect()
}

fn messages() -> Messages {
    (0..u32::from(STREAMS)).map(|stream| (stream, (0..20).map(|number| message(stream, number)).collect())).collect()
}

fn count(messages: &Messages) -> usize {
    messages.values().map(Vec::len).sum()
}

/// The end that runs sctp-proto. It has no association while it waits for a client.
struct Theirs {
    epoch: Instant,
    remote: SocketAddr,
    endpoint: sctp_proto::Endpoint,
    association: Option<(AssociationHandle, sctp_proto::Association)>,
    to_send: VecDeque<(u32, Vec<u8>)>,
    received: Messages,
    connected: bool,
}

impl Theirs {
    fn transport() -> TransportConfig {
        TransportConfig::default()
            .with_max_num_inbound_streams(STREAMS)
            .with_max_num_outbound_streams(STREAMS)
            .with_max_receive_message_size(1 << 20)
            .with_max_send_message_size(1 << 20)
    }

    fn new(flow: &Flow, server: bool) -> Theirs {
        let transport =
            Arc::new(Theirs::transport().with_local_port(flow.local.port()).with_remote_port(flow.remote.port()));
        let mut config = EndpointConfig::new();
        config.max_payload_size(1480);
        let mut server_config = ServerConfig::new();
        server_config.transport = transport.clone();
        let server_config = server.then(|| Arc::new(server_config));
        let mut endpoint = sctp_proto::Endpoint::new(Arc::new(config), server_config);
        let remote = SocketAddr::V4(flow.remote);
        let mut client_config = ClientConfig::new();
        client_config.transport = transport;
        let association = (!server).then(|| endpoint.connect(client_config, remote).unwrap());
        Theirs {
            epoch: Instant::now(),
            remote,
            endpoint,
            association,
            to_send: VecDeque::new(),
            received: Messages::new(),
            connected: false,
        }
    }

    fn at(&self, now: SimTime) -> Instant {
        self.epoch + Duration::from_nanos(now.as_ns())
    }

    fn handle(&mut self, now: SimTime, packet: &[u8]) {
        let event = self.endpoint.handle(self.at(now), self.remote, None, None, Bytes::copy_from_slice(packet));
        match (event, &mut self.association) {
            (Some((_, DatagramEvent::AssociationEvent(event))), Some((_, association))) => {
                association.handle_event(event);
            }
            (Some((handle, DatagramEvent::NewAssociation(association))), none @ None) => {
                *none = Some((handle, association));
            }
            _ => {}
        }
    }

    /// Fires timers that are due, writes and reads messages, and returns the packets to send.
    fn flush(&mut self, now: SimTime) -> Vec<Vec<u8>> {
        let at = self.at(now);
        let mut packets = Vec::new();
        while let Some(transmit) = self.endpoint.poll_transmit() {
            packets.extend(payload(transmit.payload));
        }
        let Some((handle, association)) = &mut self.association else { return packets };
        while association.poll_timeout().is_some_and(|deadline| deadline <= at) {
            association.handle_timeout(at);
        }
        while let Some(event) = association.poll() {
            self.connected |= matches!(event, sctp_proto::Event::Connected);
        }
        if self.connected {
            while let Some((stream, bytes)) = self.to_send.pop_front() {
                let _ = association.open_stream(stream as u16, PayloadProtocolIdentifier::Binary);
                let mut stream = association.stream(stream as u16).unwrap();
                stream.write_with_ppi(&bytes, PayloadProtocolIdentifier::Binary).unwrap();
            }
        }
        while association.accept_stream().is_some() {}
        for stream in association.stream_ids() {
            while let Ok(Some(chunks)) = association.stream(stream).unwrap().read_sctp() {
                let mut bytes = vec![0; chunks.len()];
                chunks.read(&mut bytes).unwrap();
                self.received.entry(stream.into()).or_default().push(bytes);
            }
        }
        while let Some(transmit) = association.poll_transmit(at) {
            packets.extend(payload(transmit.payload));
        }
        while let Some(event) = association.poll_endpoint_event() {
            self.endpoint.handle_event(*handle, event);
        }
        packets
    }

    fn poll_timeout(&self) -> Option<SimTime> {
        let deadline = self.association.as_ref()?.1.poll_timeout()?;
        Some(SimTime::ZERO + deadline.saturating_duration_since(self.epoch))
    }
}

fn payload(payload: Payload) -> Vec<Vec<u8>> {
    match payload {
        Payload::RawEncode(packets) => packets.iter().map(|packet| packet.to_vec()).collect(),
        Payload::PartialDecode(_) => Vec::new(),
    }
}

#[derive(Clone, Copy, PartialEq)]
enum End {
    Ours,
    Theirs,
}

/// Both ends, and a link in each direction with 1 Mbps and a delay of 50 ms.
struct Run {
    now: SimTime,
    flow: Flow,
    ours: Association,
    theirs: Theirs,
    links: [(End, Link<Vec<u8>>); 2],
    arrivals: EventQueue<(End, Vec<u8>)>,
    received: Messages,
    closed: Option<CloseReason>,
}

impl Run {
    fn new(we_connect: bool, loss: f64) -> Run {
        let address = |last, port| SocketAddrV4::new([10, 0, 0, last].into(), port);
        let flow = Flow { local: address(1, 5001), remote: address(2, 5002) };
        let params =
            LinkParams::new(1_000_000, Duration::from_millis(50)).with_loss(LossModel::Bernoulli { rate: loss });
        let mut ours =
            Association::new(Setup { flow, mtu_bytes: 1500, seed: 1 }, Options::new(Profile::Classic, STREAMS));
        if we_connect {
            ours.connect();
        }
        Run {
            now: SimTime::ZERO,
            flow,
            ours,
            theirs: Theirs::new(&flow.reversed(), we_connect),
            links: [
                (End::Theirs, Link::new(1, Direction::Up, params.clone())),
                (End::Ours, Link::new(1, Direction::Down, params)),
            ],
            arrivals: EventQueue::new(),
            received: Messages::new(),
            closed: None,
        }
    }

    fn send(&mut self, to: End, packet: Vec<u8>) {
        let (_, link) = self.links.iter_mut().find(|(end, _)| *end == to).unwrap();
        let _ = link.handle_packet(self.now, Header::data(packet.len() + ip::HEADER_BYTES), packet);
    }

    /// Lets both ends act now, and advances to the next time at which something is due. Then delivers the packets that
    /// have arrived, and fires our timer if it is due.
    fn step(&mut self) {
        while let Some(transmit) = self.ours.poll_transmit(self.now) {
            self.send(End::Theirs, transmit.packet.into_wire()[ip::HEADER_BYTES..].to_vec());
        }
        while let Some(event) = self.ours.poll_event() {
            match event {
                Event::Connected { streams } => {
                    assert_eq!(streams, STREAMS.into());
                    for number in 0..20 {
                        for (stream, messages) in messages() {
                            self.ours.send(stream, &messages[number]).unwrap();
                        }
                    }
                }
                Event::Message { stream, bytes } => self.received.entry(stream).or_default().push(bytes),
                Event::Closed(reason) => self.closed = Some(reason),
                _ => {}
            }
        }
        for packet in self.theirs.flush(self.now) {
            self.send(End::Ours, packet);
        }
        while let Some(transmit) = self.ours.poll_transmit(self.now) {
            self.send(End::Theirs, transmit.packet.into_wire()[ip::HEADER_BYTES..].to_vec());
        }
        let due = [self.ours.poll_timeout(), self.theirs.poll_timeout(), self.arrivals.next_at()];
        let links = self.links.iter().map(|(_, link)| link.poll_timeout());
        let next = due.into_iter().chain(links).flatten().min();
        self.now = self.now.max(next.unwrap()); // there is always a packet in flight or a timer
        for (to, link) in &mut self.links {
            while let Some(Departure::Arrives(Arrival { at, .. }, packet)) = link.handle_timeout(self.now) {
                self.arrivals.push(at, (*to, packet));
            }
        }
        while self.arrivals.next_at().is_some_and(|at| at <= self.now) {
            match self.arrivals.pop() {
                Some((_, (End::Ours, packet))) => {
                    let packet = ip::packet(&self.flow.reversed(), ip::SCTP, 0, &packet);
                    self.ours.handle_packet(self.now, &packet);
                }
                Some((_, (End::Theirs, packet))) => self.theirs.handle(self.now, &packet),
                None => {}
            }
        }
        if self.ours.poll_timeout().is_some_and(|deadline| deadline <= self.now) {
            self.ours.handle_timeout(self.now);
        }
        assert!(self.now < SimTime::from_ms(600_000), "no end");
    }

    fn exchange(mut self) {
        for number in 0..20 {
            self.theirs
                .to_send
                .extend(messages().into_iter().map(|(stream, messages)| (stream, messages[number].clone())));
        }
        while count(&self.received) < 100 || count(&self.theirs.received) < 100 || self.ours.buffered_bytes() > 0 {
            self.step();
        }
        assert!(self.received == messages() && self.theirs.received == messages());
        // the acknowledgements of both ends may still be in flight
        let settled = self.now + Duration::from_secs(5);
        while self.now < settled && self.theirs.poll_timeout().is_some() {
            self.step();
        }
        self.ours.abort();
        while self.closed.is_none() {
            self.step();
        }
        assert_eq!(self.closed, Some(CloseReason::LocalAbort));
    }
}

#[test]
fn as_client_messages_of_several_streams_arrive_in_both_directions() {
    Run::new(true, 0.0).exchange();
}

#[test]
fn as_server_messages_of_several_streams_arrive_in_both_directions() {
    Run::new(false, 0.0).exchange();
}

#[test]
fn as_client_all_messages_arrive_at_five_percent_loss() {
    Run::new(true, 0.05).exchange();
}

#[test]
fn as_server_all_messages_arrive_at_five_percent_loss() {
    Run::new(false, 0.05).exchange();
}
