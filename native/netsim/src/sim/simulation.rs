use std::net::{Ipv4Addr, SocketAddrV4};

use rand_chacha::rand_core::Rng;

use crate::endpoint::{Endpoint, Event, Transmit};
use crate::event_queue::EventQueue;
use crate::ip::Flow;
use crate::link::{Direction, LinkError, LinkParams, Path, PathParams};
use crate::random::random_stream;
use crate::sctp::{self, Association};
use crate::tcp;
use crate::time::SimTime;
use crate::trace::{Offered, Recording, Trace};
use crate::udp::UdpSocket;

/// A run: one path, the transports on it, and what happened.
///
/// The host opens endpoints, writes to them, and calls [`Simulation::advance`] until nothing is left to
/// do. Whatever it writes between two advances is offered to the transport at one instant.
pub struct Simulation {
    now: SimTime,
    seed: u64,
    mtu_bytes: u16,
    recording: Recording,
    occurrences: EventQueue<Occurrence>,
    path: Path<Packet>,
    nodes: Vec<Node>,
    trace: Trace,
}

#[derive(Clone, Debug)]
pub struct SimulationOptions {
    pub seed: u64,
    pub path: PathParams,
    pub recording: Recording,
}

/// Names an endpoint of one run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct EndpointId(pub u32);

/// An event of an endpoint, at [`Simulation::now`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AppEvent {
    pub endpoint: EndpointId,
    pub event: Event,
}

/// Which transport an endpoint is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TransportKind {
    Tcp,
    Sctp,
    Udp,
}

/// The endpoint is not there, or is of another transport.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OpenError {
    #[error("no endpoint {0}")]
    Unknown(u32),
    #[error("endpoint {0} is not {1}")]
    WrongTransport(u32, &'static str),
}

/// What is queued for a time.
enum Occurrence {
    Arrive(EndpointId, Packet),
    Depart(Direction),
    Timer(EndpointId),
    Change(Direction, LinkParams),
}

/// A packet on the path.
struct Packet {
    to: EndpointId,
    row: Option<u32>,
    bytes: Vec<u8>,
}

/// An endpoint and its place on the path.
struct Node {
    transport: Transport,
    peer: EndpointId,
    sends: Direction,
    /// The earliest [`Occurrence::Timer`] queued for it.
    timer: Option<SimTime>,
    /// The application called it since it was last flushed.
    touched: bool,
}

enum Transport {
    Tcp(Box<tcp::Connection>),
    Udp(UdpSocket),
    Sctp(Box<Association>),
}

impl Transport {
    fn endpoint(&self) -> &dyn Endpoint {
        match self {
            Transport::Tcp(connection) => &**connection,
            Transport::Udp(socket) => socket,
            Transport::Sctp(association) => association.as_ref(),
        }
    }

    fn endpoint_mut(&mut self) -> &mut dyn Endpoint {
        match self {
            Transport::Tcp(connection) => &mut **connection,
            Transport::Udp(socket) => socket,
            Transport::Sctp(association) => association.as_mut(),
        }
    }
}

impl Simulation {
    /// # Errors
    /// A path setting outside its limits.
    pub fn new(options: SimulationOptions) -> Result<Self, LinkError> {
        Ok(Simulation {
            now: SimTime::ZERO,
            seed: options.seed,
            mtu_bytes: options.path.mtu_bytes,
            recording: options.recording,
            occurrences: EventQueue::new(),
            path: Path::new(options.seed, options.path)?,
            nodes: Vec::new(),
            trace: Trace::default(),
        })
    }

    pub fn now(&self) -> SimTime {
        self.now
    }

    pub fn trace(&self) -> &Trace {
        &self.trace
    }

    /// Opens a TCP connection's ends; the server listens.
    ///
    /// # Errors
    /// An option outside its limits.
    pub fn open_tcp(
        &mut self,
        client: tcp::Options,
        server: tcp::Options,
    ) -> Result<(EndpointId, EndpointId), tcp::Error> {
        client.validate()?;
        server.validate()?;
        let mtu_bytes = self.mtu_bytes;
        let mut initial = random_stream(self.seed, &format!("tcp/{}", self.nodes.len()));
        Ok(self.open_pair(|side, flow| {
            let initial = initial.next_u32();
            Transport::Tcp(Box::new(match side {
                Side::Client => tcp::Connection::client(flow, mtu_bytes, client, initial),
                Side::Server => tcp::Connection::server(flow, mtu_bytes, server, initial),
            }))
        }))
    }

    /// # Errors
    /// There is no such endpoint, or it is not TCP.
    pub fn tcp(&mut self, id: EndpointId) -> Result<&mut tcp::Connection, OpenError> {
        match self.touch(id)? {
            Transport::Tcp(connection) => Ok(connection),
            _ => Err(OpenError::WrongTransport(id.0, "TCP")),
        }
    }

    /// Opens a UDP flow between client and server.
    pub fn open_udp(&mut self) -> (EndpointId, EndpointId) {
        let mtu_bytes = self.mtu_bytes;
        self.open_pair(|_, flow| Transport::Udp(UdpSocket::new(flow, mtu_bytes)))
    }

    /// # Errors
    /// There is no such endpoint, or it is not UDP.
    pub fn udp(&mut self, id: EndpointId) -> Result<&mut UdpSocket, OpenError> {
        match self.touch(id)? {
            Transport::Udp(socket) => Ok(socket),
            _ => Err(OpenError::WrongTransport(id.0, "UDP")),
        }
    }

    /// Opens an SCTP association between client and server; [`Association::connect`] starts it.
    ///
    /// # Errors
    /// A setting outside its limits.
    pub fn open_sctp(
        &mut self,
        client: sctp::Options,
        server: sctp::Options,
    ) -> Result<(EndpointId, EndpointId), sctp::OptionsError> {
        client.validate()?;
        server.validate()?;
        let (seed, mtu_bytes, pair) = (self.seed, self.mtu_bytes, self.nodes.len() / 2);
        Ok(self.open_pair(|side, flow| {
            let (options, name) = match side {
                Side::Client => (client.clone(), "client"),
                Side::Server => (server.clone(), "server"),
            };
            let name = if pair == 0 { format!("tags/{name}") } else { format!("tags/{name}/{pair}") };
            let seed = random_stream(seed, &name).next_u64();
            Transport::Sctp(Box::new(Association::new(sctp::Setup { flow, mtu_bytes, seed }, options)))
        }))
    }

    /// # Errors
    /// There is no such endpoint, or it is not SCTP.
    pub fn sctp(&mut self, id: EndpointId) -> Result<&mut Association, OpenError> {
        match self.touch(id)? {
            Transport::Sctp(association) => Ok(association),
            _ => Err(OpenError::WrongTransport(id.0, "SCTP")),
        }
    }

    /// # Errors
    /// There is no such endpoint.
    pub fn endpoint(&self, id: EndpointId) -> Result<&dyn Endpoint, OpenError> {
        let node = self.nodes.get(id.0 as usize).ok_or(OpenError::Unknown(id.0))?;
        Ok(node.transport.endpoint())
    }

    /// # Errors
    /// There is no such endpoint.
    pub fn kind(&self, id: EndpointId) -> Result<TransportKind, OpenError> {
        let node = self.nodes.get(id.0 as usize).ok_or(OpenError::Unknown(id.0))?;
        Ok(match node.transport {
            Transport::Tcp(_) => TransportKind::Tcp,
            Transport::Sctp(_) => TransportKind::Sctp,
            Transport::Udp(_) => TransportKind::Udp,
        })
    }

    pub fn endpoint_count(&self) -> usize {
        self.nodes.len()
    }

    /// Changes one direction at `at`, or now if that is past.
    ///
    /// # Errors
    /// A setting outside its limits; nothing changes then.
    pub fn change_link(&mut self, at: SimTime, direction: Direction, params: LinkParams) -> Result<(), LinkError> {
        params.validate()?;
        self.occurrences.push(at.max(self.now), Occurrence::Change(direction, params));
        Ok(())
    }

    /// Runs to the next instant at which an application is told something, or to `until`, whichever
    /// comes first. Empty means `until` was reached, or with [`SimTime::MAX`] that nothing is left to
    /// happen; the clock then stays at the last thing that did.
    pub fn advance(&mut self, until: SimTime) -> Vec<AppEvent> {
        let mut events = Vec::new();
        for index in 0..self.nodes.len() {
            if std::mem::take(&mut self.nodes[index].touched) {
                self.flush(EndpointId(index as u32), &mut events);
            }
        }
        while events.is_empty() {
            match self.occurrences.next_at() {
                Some(at) if at <= until => {}
                _ => {
                    if until != SimTime::MAX {
                        self.now = self.now.max(until);
                    }
                    break;
                }
            }
            if let Some((at, occurrence)) = self.occurrences.pop() {
                self.now = at;
                self.handle(occurrence, &mut events);
            }
        }
        events
    }

    /// Nothing will happen unless an application does something.
    pub fn is_idle(&self) -> bool {
        self.occurrences.next_at().is_none() && self.nodes.iter().all(|node| !node.touched)
    }

    fn handle(&mut self, occurrence: Occurrence, events: &mut Vec<AppEvent>) {
        match occurrence {
            Occurrence::Arrive(id, packet) => {
                let now = self.now;
                self.node_mut(id).transport.endpoint_mut().handle_packet(now, &packet.bytes);
                self.flush(id, events);
            }
            Occurrence::Timer(id) => self.handle_timer(id, events),
            Occurrence::Depart(direction) => self.depart(direction),
            Occurrence::Change(direction, params) => self.path.link_mut(direction).set_params(params),
        }
    }

    fn handle_timer(&mut self, id: EndpointId, events: &mut Vec<AppEvent>) {
        let now = self.now;
        let node = self.node_mut(id);
        if node.timer != Some(now) {
            return; // an earlier one took its place
        }
        node.timer = None;
        let endpoint = node.transport.endpoint_mut();
        if endpoint.poll_timeout().is_some_and(|deadline| deadline <= now) {
            endpoint.handle_timeout(now);
        }
        self.flush(id, events);
    }

    /// Moves what an endpoint has to say to the path, the trace and the application.
    fn flush(&mut self, id: EndpointId, events: &mut Vec<AppEvent>) {
        let now = self.now;
        while let Some(transmit) = self.node_mut(id).transport.endpoint_mut().poll_transmit(now) {
            self.send(id, transmit);
        }
        let node = &mut self.nodes[id.0 as usize];
        let endpoint = node.transport.endpoint_mut();
        while let Some(event) = endpoint.poll_event() {
            events.push(AppEvent { endpoint: id, event });
        }
        if self.recording.samples
            && let Some(sample) = endpoint.sample()
        {
            self.trace.samples.push(now, id.0, sample);
        }
        if let Some(deadline) = endpoint.poll_timeout() {
            let deadline = deadline.max(now);
            if node.timer.is_none_or(|queued| deadline < queued) {
                node.timer = Some(deadline);
                self.occurrences.push(deadline, Occurrence::Timer(id));
            }
        }
    }

    fn send(&mut self, from: EndpointId, transmit: Transmit) {
        let (to, direction) = {
            let node = &self.nodes[from.0 as usize];
            (node.peer, node.sends)
        };
        let bytes = transmit.packet.len();
        debug_assert!(bytes <= usize::from(self.mtu_bytes), "packet of {bytes} bytes on an MTU of {}", self.mtu_bytes);
        let Transmit { kind, cumulative_ack, ref chunks, .. } = transmit;
        let row = self.recording.packets.then(|| {
            let offered = Offered { endpoint: from.0, direction, bytes: bytes as u32, kind, cumulative_ack, chunks };
            self.trace.packets.push(self.now, &offered)
        });
        if self.recording.packets && self.recording.bytes {
            self.trace.packets.bytes.push(transmit.packet.clone());
        }
        self.depart(direction); // what leaves the queue at this instant makes room
        let link = self.path.link_mut(direction);
        let was_empty = link.poll_timeout().is_none();
        let packet = Packet { to, row, bytes: transmit.packet };
        let offered = match transmit.chunks.iter().any(|chunk| chunk.bytes > 0) {
            true => link.handle_packet(self.now, bytes, packet),
            false => link.handle_control_packet(self.now, bytes, packet),
        };
        match offered {
            Ok(()) if was_empty => self.schedule_departure(direction),
            Ok(()) => {}
            Err(reason) => {
                if let Some(row) = row {
                    self.trace.packets.dropped(row, self.now, reason);
                }
            }
        }
    }

    /// Puts every packet that is serialised by now on its way.
    fn depart(&mut self, direction: Direction) {
        let mut departed = false;
        while let Some((arrival, packet)) = self.path.link_mut(direction).handle_timeout(self.now) {
            departed = true;
            if let Some(row) = packet.row {
                self.trace.packets.delivered(row, arrival);
            }
            self.occurrences.push(arrival, Occurrence::Arrive(packet.to, packet));
        }
        if departed {
            self.schedule_departure(direction);
        }
    }

    fn schedule_departure(&mut self, direction: Direction) {
        if let Some(at) = self.path.link_mut(direction).poll_timeout() {
            self.occurrences.push(at, Occurrence::Depart(direction));
        }
    }

    fn open_pair(&mut self, mut open: impl FnMut(Side, Flow) -> Transport) -> (EndpointId, EndpointId) {
        let first = self.nodes.len() as u32;
        let (client, server) = (EndpointId(first), EndpointId(first + 1));
        let flow = Flow {
            local: SocketAddrV4::new(Ipv4Addr::new(10, 0, 0, 1), EPHEMERAL_PORT + (first / 2) as u16),
            remote: SocketAddrV4::new(Ipv4Addr::new(10, 0, 0, 2), SERVER_PORT),
        };
        let node = |transport, peer, sends| Node { transport, peer, sends, timer: None, touched: false };
        self.nodes.push(node(open(Side::Client, flow), server, Direction::Up));
        self.nodes.push(node(open(Side::Server, flow.reversed()), client, Direction::Down));
        (client, server)
    }

    /// The endpoint for a call of the application, which [`Simulation::advance`] will flush.
    fn touch(&mut self, id: EndpointId) -> Result<&mut Transport, OpenError> {
        let node = self.nodes.get_mut(id.0 as usize).ok_or(OpenError::Unknown(id.0))?;
        node.touched = true;
        Ok(&mut node.transport)
    }

    fn node_mut(&mut self, id: EndpointId) -> &mut Node {
        &mut self.nodes[id.0 as usize]
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Side {
    Client,
    Server,
}

/// First of the dynamic ports (RFC 6335 §6).
const EPHEMERAL_PORT: u16 = 49152;
/// HTTP (RFC 9110 §4.2.1).
const SERVER_PORT: u16 = 80;

#[cfg(test)]
#[path = "simulation_test.rs"]
mod tests;
