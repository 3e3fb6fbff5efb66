use std::net::{Ipv4Addr, SocketAddrV4};
use std::time::Duration;

use rand_chacha::rand_core::Rng;

use super::limits::{Exhausted, RunLimits, Spent};
use super::traffic::Traffic;
use crate::endpoint::{Endpoint, Event, Transmit};
use crate::event_queue::EventQueue;
use crate::ip::{Flow, client_address, hand_overs_before};
use crate::link::{
    Arrival, Departure, Direction, DropList, Header, Link, LinkError, LinkParams, Path, PathParams, Sharer,
};
use crate::packet::{Ecn, Packet};
use crate::random::random_stream;
use crate::time::SimTime;
use crate::trace::{Fate, Offered, PacketLog, Recording, Trace};
use crate::transport::{CallError, Ends, Place, Transport};

/// A run: one or more paths, the transports on them, and the trace of each page load. If there is a gateway between
/// client and server, each side of the gateway has its own path.
///
/// The caller opens endpoints, writes to them, and calls [`Simulation::advance`] until nothing is left to do. All data
/// that the caller writes between two calls of `advance` reaches the transport at the same instant.
pub struct Simulation {
    now: SimTime,
    seed: u64,
    recording: Recording,
    spent: Spent,
    pub(super) occurrences: EventQueue<Occurrence>,
    /// The paths of the run; never empty.
    paths: Vec<RunningPath>,
    pub(super) nodes: Vec<Node>,
    /// How often the client has changed its address ([`Simulation::hand_over`]).
    pub(super) address: u8,
    /// The other traffic of the first path: flows that are not part of a page load.
    pub(super) traffic: Traffic,
    /// The trace of each page load; never empty.
    pub(super) traces: Vec<Trace>,
}

#[derive(Clone, Debug)]
pub struct SimulationOptions {
    pub seed: u64,
    pub path: PathParams,
    pub recording: Recording,
}

/// Identifies an endpoint of one run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct EndpointId(pub u32);

/// An event of an endpoint that happened at [`Simulation::now`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AppEvent {
    pub endpoint: EndpointId,
    pub event: Event,
}

/// Identifies a path of one run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PathId(pub u32);

/// The endpoint, path or page load does not exist, or the endpoint belongs to another transport.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OpenError {
    #[error("no path {0}")]
    UnknownPath(u32),
    #[error("no page load {0}")]
    UnknownPage(u32),
    #[error("no endpoint {0}")]
    Unknown(u32),
    #[error("endpoint {0} is not {1}")]
    WrongTransport(u32, &'static str),
}

/// An event in the simulation's queue.
pub(super) enum Occurrence {
    Arrive(InFlight),
    Depart(Way),
    Timer(EndpointId),
    /// A timer of a flow of other traffic.
    Flow(u16),
    /// A change of a link. It is boxed because it is rare and much larger than the other variants.
    Change(Box<(Direction, LinkParams)>),
}

/// A path and its MTU.
struct RunningPath {
    path: Path<InFlight>,
    mtu_bytes: u16,
}

/// A direction of a path.
#[derive(Clone, Copy)]
pub(super) struct Way {
    pub path: PathId,
    pub direction: Direction,
}

/// A packet that is on a path.
pub(super) struct InFlight {
    pub to: Receiver,
    /// The packet's row in the trace of its page load, or in the log of other traffic.
    pub row: Option<u32>,
    pub packet: Packet,
}

#[derive(Clone, Copy)]
pub(super) enum Receiver {
    Endpoint(EndpointId),
    /// An end of a flow of other traffic: the number of the flow, and the direction that leads to this end.
    Flow(u16, Direction),
}

/// An endpoint, its peer, and the direction in which it sends.
pub(super) struct Node {
    pub transport: Box<dyn Transport>,
    peer: EndpointId,
    /// The page load to which the endpoint belongs.
    page: u16,
    pub sends: Way,
    /// The client's address on this connection, as the number of hand-overs before the client got this address. In the
    /// server's node this is the address when the connection was opened.
    pub address: u8,
    /// The earliest [`Occurrence::Timer`] that is queued for the endpoint.
    timer: Option<SimTime>,
    /// Whether the application or a hand-over has called the transport since the last [`Simulation::advance`].
    pub touched: bool,
    /// Whether this end is not connected yet and its handshake takes no time ([`Simulation::open_to_set_up_at_once`]).
    sets_up_at_once: bool,
}

impl Simulation {
    /// # Errors
    /// A setting of the path is outside its limits.
    pub fn new(options: SimulationOptions) -> Result<Self, LinkError> {
        Ok(Simulation {
            now: SimTime::ZERO,
            seed: options.seed,
            recording: options.recording,
            spent: Spent::new(RunLimits::NONE),
            occurrences: EventQueue::new(),
            paths: vec![RunningPath::new(options.seed, options.path)?],
            nodes: Vec::new(),
            address: 0,
            traffic: Traffic::default(),
            traces: vec![Trace::default()],
        })
    }

    /// Sets limits for the run. Call this before the run starts.
    #[must_use]
    pub fn with_limits(self, limits: RunLimits) -> Self {
        Simulation { spent: Spent::new(limits), ..self }
    }

    /// Makes the first path also lose these packets of a page load. Call this before the run starts.
    pub fn set_drops(&mut self, page: u16, direction: Direction, drops: DropList) {
        self.link_mut(Way { path: PathId::default(), direction }).set_drops(page, drops);
    }

    pub fn now(&self) -> SimTime {
        SimTime::ZERO + self.now.saturating_since(self.start())
    }

    /// The limit that the run has reached. A run that has reached a limit does not continue.
    pub fn exhausted(&self) -> Option<Exhausted> {
        self.spent.exhausted()
    }

    /// The trace of the first page load.
    pub fn trace(&self) -> &Trace {
        &self.traces[0]
    }

    /// The trace of a page load.
    ///
    /// # Panics
    /// There is no such page load ([`Simulation::page`]).
    pub fn trace_of(&self, page: u16) -> &Trace {
        &self.traces[usize::from(page)]
    }

    /// Adds a page load, which shares the paths with the other page loads. Its endpoints have a trace of their own. In
    /// each direction of a path, the k-th packet of this page load draws the same fate as the k-th packet of any other
    /// page load. Returns the number of the page load; the first page load has the number 0.
    pub fn add_page(&mut self) -> u16 {
        self.traces.push(Trace::starting_at(self.start()));
        (self.traces.len() - 1) as u16
    }

    /// Adds a path with its own losses. [`Simulation::change_link`] cannot change this path.
    ///
    /// # Errors
    /// A setting is outside its limits.
    pub fn add_path(&mut self, params: PathParams) -> Result<PathId, LinkError> {
        let number = self.paths.len() as u32;
        let seed = random_stream(self.seed, &format!("path/{number}")).next_u64();
        self.paths.push(RunningPath::new(seed, params)?);
        Ok(PathId(number))
    }

    /// Checks that there is such a path, and returns it.
    ///
    /// # Errors
    /// There is no such path.
    pub fn path(&self, id: PathId) -> Result<PathId, OpenError> {
        let is_there = (id.0 as usize) < self.paths.len();
        is_there.then_some(id).ok_or(OpenError::UnknownPath(id.0))
    }

    /// Checks that there is such a page load, and returns its number.
    ///
    /// # Errors
    /// There is no such page load.
    pub fn page(&self, number: u32) -> Result<u16, OpenError> {
        let is_there = (number as usize) < self.traces.len();
        is_there.then_some(number as u16).ok_or(OpenError::UnknownPage(number))
    }

    /// Opens a transport of the first page load on the first path; see [`Simulation::open_on`].
    ///
    /// # Errors
    /// `open` failed. In this case nothing is opened.
    pub fn open<E>(&mut self, open: impl FnOnce(Place) -> Result<Ends, E>) -> Result<(EndpointId, EndpointId), E> {
        self.open_on(PathId::default(), 0, open)
    }

    /// Opens a transport of a page load between client and server with the transport's function `open`. All transports
    /// on a path share its queues.
    ///
    /// # Errors
    /// `open` failed. In this case nothing is opened.
    ///
    /// # Panics
    /// There is no such path ([`Simulation::path`]) or page load ([`Simulation::page`]).
    pub fn open_on<E>(
        &mut self,
        path: PathId,
        page: u16,
        open: impl FnOnce(Place) -> Result<Ends, E>,
    ) -> Result<(EndpointId, EndpointId), E> {
        let number = self.nodes.len() / 2;
        let mtu_bytes = self.paths[path.0 as usize].mtu_bytes;
        let address = if path == PathId::default() { self.address } else { 0 };
        let flow = Flow {
            local: SocketAddrV4::new(client_address(address, path.0), EPHEMERAL_PORT + number as u16),
            remote: SocketAddrV4::new(Ipv4Addr::new(10, 0, path.0 as u8, 2), SERVER_PORT),
        };
        let ends = open(Place { flow, mtu_bytes, seed: self.seed, number })?;
        let (client, server) = (EndpointId(2 * number as u32), EndpointId(2 * number as u32 + 1));
        let node = |transport, peer, direction| {
            let sends = Way { path, direction };
            Node { transport, peer, page, sends, address, timer: None, touched: false, sets_up_at_once: false }
        };
        self.nodes.push(node(ends.client, server, Direction::Up));
        self.nodes.push(node(ends.server, client, Direction::Down));
        Ok((client, server))
    }

    /// Like [`Simulation::open_on`], for a transport whose handshake takes no time. Until both ends are connected,
    /// their packets without data use neither the queue nor the link, and are never lost. They still draw their fates
    /// and delays, so that those of all other packets stay the same. Both ends take the sum of the path's present
    /// delays in both directions as the RTT of the handshake.
    ///
    /// No real network has such handshakes. They show how much time a usual handshake costs.
    ///
    /// # Errors
    /// `open` failed, or the transport has no handshake, or its handshake always takes time
    /// ([`Transport::set_up_at_once`]). In all of these cases nothing is opened.
    ///
    /// # Panics
    /// There is no such path or page load.
    pub fn open_to_set_up_at_once<E: From<CallError>>(
        &mut self,
        path: PathId,
        page: u16,
        open: impl FnOnce(Place) -> Result<Ends, E>,
    ) -> Result<(EndpointId, EndpointId), E> {
        let now = self.now;
        let delay = |direction| self.link_mut(Way { path, direction }).usual_delay(now);
        let rtt = [Direction::Up, Direction::Down].map(delay).into_iter().sum();
        let (client, server) = self.open_on(path, page, |place| {
            let mut ends = open(place)?;
            ends.client.set_up_at_once(rtt)?;
            ends.server.set_up_at_once(rtt)?;
            Ok::<_, E>(ends)
        })?;
        for end in [client, server] {
            self.node_mut(end).sets_up_at_once = true;
        }
        Ok((client, server))
    }

    /// Returns the endpoint, so that the application can call it. The next [`Simulation::advance`] sends what the calls
    /// produced.
    ///
    /// # Errors
    /// There is no such endpoint.
    pub fn transport(&mut self, id: EndpointId) -> Result<&mut dyn Transport, OpenError> {
        let node = self.nodes.get_mut(id.0 as usize).ok_or(OpenError::Unknown(id.0))?;
        node.touched = true;
        Ok(&mut *node.transport)
    }

    /// Returns the endpoint for reading.
    ///
    /// # Errors
    /// There is no such endpoint.
    pub fn endpoint(&self, id: EndpointId) -> Result<&dyn Endpoint, OpenError> {
        let node = self.nodes.get(id.0 as usize).ok_or(OpenError::Unknown(id.0))?;
        Ok(&*node.transport)
    }

    /// The endpoints of a page load, in the order in which they were opened.
    pub fn endpoints_of(&self, page: u16) -> impl Iterator<Item = (EndpointId, &dyn Endpoint)> {
        (0..)
            .map(EndpointId)
            .zip(&self.nodes)
            .filter(move |(_, node)| node.page == page)
            .map(|(id, node)| -> (EndpointId, &dyn Endpoint) { (id, &*node.transport) })
    }

    /// Changes one direction of the first path at the time `at`, or now if `at` is in the past.
    ///
    /// # Errors
    /// A setting is outside its limits. In this case nothing changes.
    pub fn change_link(&mut self, at: SimTime, direction: Direction, params: LinkParams) -> Result<(), LinkError> {
        params.validate()?;
        let params = params.started_before(self.traffic.lead)?;
        let at = at + self.traffic.lead;
        self.occurrences.push(at.max(self.now), Occurrence::Change(Box::new((direction, params))));
        Ok(())
    }

    /// Runs to the next instant that has an event for an application, or to `until`, whichever comes first, and returns
    /// the events. The next call may return further events of the same instant. An empty result means that `until` was
    /// reached. With [`SimTime::MAX`] it means that nothing is left to happen, and the clock then shows when something
    /// last happened. If the run has reached a limit ([`Simulation::exhausted`]), the clock does not move to `until`,
    /// and the result may be empty as well.
    pub fn advance(&mut self, until: SimTime) -> Vec<AppEvent> {
        let mut events = Vec::new();
        self.spent.note_step();
        if self.exhausted().is_some() {
            return events;
        }
        self.begin();
        for index in 0..self.nodes.len() {
            if std::mem::take(&mut self.nodes[index].touched) {
                self.flush(EndpointId(index as u32), &mut events);
            }
        }
        self.run_until(until + self.traffic.lead, &mut events);
        events
    }

    /// Runs to the next instant that has an event for an application, or to `until`, whichever comes first. `until` is
    /// a time of the simulation ([`Simulation::clock`]).
    pub(super) fn run_until(&mut self, until: SimTime, events: &mut Vec<AppEvent>) {
        while events.is_empty() && self.exhausted().is_none() {
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
                self.spent.note_step();
                debug_assert!(at >= self.now, "an occurrence at {at}, but it is already {}", self.now);
                self.now = at;
                self.handle(occurrence, events);
            }
        }
    }

    /// Whether nothing will happen until an application makes a call.
    pub fn is_idle(&self) -> bool {
        self.occurrences.next_at().is_none() && self.nodes.iter().all(|node| !node.touched)
    }

    fn handle(&mut self, occurrence: Occurrence, events: &mut Vec<AppEvent>) {
        match occurrence {
            Occurrence::Arrive(InFlight { to: Receiver::Endpoint(to), packet, .. }) => {
                let now = self.now;
                let transport = &mut self.node_mut(to).transport;
                match packet {
                    Packet::Wire(bytes) => transport.handle_packet(now, &bytes),
                    Packet::Typed(packet) => transport.handle_typed(now, packet),
                }
                self.flush(to, events);
            }
            Occurrence::Arrive(InFlight { to: Receiver::Flow(flow, direction), packet, .. }) => {
                self.handle_flow_packet(flow, direction, packet);
            }
            Occurrence::Flow(flow) => self.handle_flow_timer(flow),
            Occurrence::Timer(id) => self.handle_timer(id, events),
            Occurrence::Depart(way) => self.depart(way),
            Occurrence::Change(change) => {
                let (direction, params) = *change;
                self.change(Way { path: PathId::default(), direction }, params);
            }
        }
    }

    fn change(&mut self, way: Way, params: LinkParams) {
        let now = self.now;
        let link = self.link_mut(way);
        let scheduled = link.poll_timeout();
        link.set_params(now, params);
        // if the change gave the link another capacity trace, the next departure may be earlier or later
        let next = link.poll_timeout();
        if let Some(at) = next.filter(|_| next != scheduled) {
            self.occurrences.push(at, Occurrence::Depart(way));
        }
    }

    fn handle_timer(&mut self, id: EndpointId, events: &mut Vec<AppEvent>) {
        let now = self.now;
        let node = self.node_mut(id);
        if node.timer != Some(now) {
            return; // an earlier timer has replaced this timer
        }
        node.timer = None;
        let endpoint = &mut node.transport;
        if endpoint.poll_timeout().is_some_and(|deadline| deadline <= now) {
            endpoint.handle_timeout(now);
        }
        self.flush(id, events);
    }

    /// Moves an endpoint's packets to the path and its events to the application, and records its state.
    fn flush(&mut self, id: EndpointId, events: &mut Vec<AppEvent>) {
        let now = self.now;
        while self.exhausted().is_none() {
            let Some(transmit) = self.node_mut(id).transport.poll_transmit(now) else { break };
            self.send(id, transmit);
        }
        let node = &mut self.nodes[id.0 as usize];
        let endpoint = &mut node.transport;
        while let Some(event) = endpoint.poll_event() {
            node.sets_up_at_once &= !matches!(event, Event::Connected { .. } | Event::Closed(_));
            events.push(AppEvent { endpoint: id, event });
        }
        if self.recording.samples
            && let Some(sample) = endpoint.sample()
        {
            self.traces[usize::from(node.page)].samples.push(now, id.0, sample, endpoint.timeouts());
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
        let node = &self.nodes[from.0 as usize];
        let (to, way, page) = (node.peer, node.sends, node.page);
        let sets_up_at_once = node.sets_up_at_once || self.nodes[to.0 as usize].sets_up_at_once;
        // the client's address in this packet (the source of a client's packet, the destination of a server's packet),
        // as the number of hand-overs before the client got this address
        let address = match way.direction {
            Direction::Up => node.address,
            Direction::Down => node.transport.destination().map_or(node.address, hand_overs_before),
        };
        let bytes = transmit.packet.wire_bytes();
        let mtu_bytes = self.paths[way.path.0 as usize].mtu_bytes;
        debug_assert!(bytes <= usize::from(mtu_bytes), "packet of {bytes} bytes on an MTU of {mtu_bytes}");
        let Transmit { kind, cumulative_ack, ref chunks, .. } = transmit;
        let (now, direction) = (self.now, way.direction);
        let ecn = transmit.packet.ecn();
        let offered = Offered { endpoint: from.0, direction, bytes: bytes as u32, ecn, kind, cumulative_ack, chunks };
        let packets = &mut self.traces[usize::from(page)].packets;
        let row = self.recording.packets.then(|| packets.push(now, &offered));
        if self.recording.packets && self.recording.bytes {
            packets.bytes.push(transmit.packet.to_wire());
        }
        let has_data = transmit.chunks.iter().any(|chunk| chunk.bytes > 0);
        let packet = InFlight { to: Receiver::Endpoint(to), row, packet: transmit.packet };
        if way.path == PathId::default() && address != self.address {
            self.note_fate(Receiver::Endpoint(to), row, now, Fate::HandedOver);
            return;
        }
        let header = Header { bytes, has_data, sharer: Sharer::Page(page), flow: from.0, ecn };
        if sets_up_at_once && !has_data {
            return self.deliver_at_once(way, header, packet);
        }
        self.offer(way, header, packet);
    }

    /// Delivers a packet now, without the path.
    fn deliver_at_once(&mut self, way: Way, header: Header, packet: InFlight) {
        self.spent.note_packet();
        let now = self.now;
        self.link_mut(way).skip_packet(now, header);
        self.note_left(&packet, now);
        self.note_fate(packet.to, packet.row, now, Fate::Delivered);
        self.occurrences.push(now, Occurrence::Arrive(packet));
    }

    /// Offers a packet to the link.
    pub(super) fn offer(&mut self, way: Way, header: Header, packet: InFlight) {
        self.spent.note_packet();
        self.depart(way); // packets that leave the queue at this instant make room
        let now = self.now;
        let link = self.link_mut(way);
        let scheduled = link.poll_timeout();
        let (to, row) = (packet.to, packet.row);
        if let Err(reason) = link.handle_packet(now, header, packet) {
            self.note_fate(to, row, now, Fate::from(reason));
        }
        self.schedule_earlier_departure(way, scheduled);
    }

    /// Removes every packet whose serialisation has ended by now from the link, and schedules its arrival, or notes
    /// that the link has dropped it.
    pub(super) fn depart(&mut self, way: Way) {
        let now = self.now;
        let scheduled = self.link_mut(way).poll_timeout();
        while let Some(departure) = self.link_mut(way).handle_timeout(now) {
            match departure {
                Departure::Arrives(Arrival { left, at, copy_at, ecn }, mut packet) => {
                    if ecn == Ecn::Ce && packet.packet.ecn() != Ecn::Ce {
                        packet.packet.mark();
                        self.note_marked(&packet);
                    }
                    self.note_left(&packet, left);
                    self.note_fate(packet.to, packet.row, at, Fate::Delivered);
                    if let Some(copy_at) = copy_at {
                        self.note_copied(&packet, copy_at);
                        let copy = InFlight { packet: packet.packet.copied(), ..packet };
                        self.occurrences.push(copy_at, Occurrence::Arrive(copy));
                    }
                    self.occurrences.push(at, Occurrence::Arrive(packet));
                }
                Departure::Dropped(at, reason, packet) => {
                    self.note_left(&packet, at);
                    self.note_fate(packet.to, packet.row, at, Fate::from(reason));
                }
            }
        }
        // the serialisation of a packet may have started, even if no serialisation has ended by now
        if let Some(at) = self.link_mut(way).poll_timeout()
            && scheduled != Some(at)
        {
            self.occurrences.push(at, Occurrence::Depart(way));
        }
    }

    fn note_left(&mut self, packet: &InFlight, at: SimTime) {
        let Some(row) = packet.row else { return };
        match packet.to {
            Receiver::Endpoint(to) => self.packets_to(to).left(row, at),
            Receiver::Flow(..) => self.traffic.log.left(row, at),
        }
    }

    fn note_marked(&mut self, packet: &InFlight) {
        if let (Receiver::Endpoint(to), Some(row)) = (packet.to, packet.row) {
            self.packets_to(to).marked(row);
        }
    }

    fn note_copied(&mut self, packet: &InFlight, at: SimTime) {
        if let (Receiver::Endpoint(to), Some(row)) = (packet.to, packet.row) {
            self.packets_to(to).copied(row, at);
        }
    }

    pub(super) fn note_fate(&mut self, to: Receiver, row: Option<u32>, at: SimTime, fate: Fate) {
        let Some(row) = row else { return };
        match to {
            Receiver::Endpoint(to) => self.packets_to(to).set_fate(row, at, fate),
            Receiver::Flow(..) => self.traffic.log.set_fate(row, at, fate),
        }
    }

    /// The log with the packets to an endpoint.
    fn packets_to(&mut self, to: EndpointId) -> &mut PacketLog {
        let page = self.nodes[to.0 as usize].page;
        &mut self.traces[usize::from(page)].packets
    }

    /// Schedules the departure of the link's next packet if this is earlier than the departure that was `scheduled`
    /// before.
    fn schedule_earlier_departure(&mut self, way: Way, scheduled: Option<SimTime>) {
        if let Some(at) = self.link_mut(way).poll_timeout()
            && scheduled.is_none_or(|scheduled| at < scheduled)
        {
            self.occurrences.push(at, Occurrence::Depart(way));
        }
    }

    pub(super) fn schedule(&mut self, at: SimTime, occurrence: Occurrence) {
        self.occurrences.push(at, occurrence);
    }

    /// Shifts the time-dependent settings of the first path's links, because the simulation starts `lead` before
    /// the run.
    pub(super) fn start_links_before(&mut self, lead: Duration) -> Result<(), LinkError> {
        for direction in [Direction::Down, Direction::Up] {
            let now = self.now;
            let link = self.link_mut(Way { path: PathId::default(), direction });
            let params = link.params().clone().started_before(lead)?;
            link.set_params(now, params);
        }
        Ok(())
    }

    /// The time of the simulation, which starts before the run if other traffic does.
    pub(super) fn clock(&self) -> SimTime {
        self.now
    }

    pub(super) fn set_clock(&mut self, now: SimTime) {
        self.now = now;
    }

    pub(super) fn seed(&self) -> u64 {
        self.seed
    }

    pub(super) fn mtu_bytes(&self, PathId(path): PathId) -> u16 {
        self.paths[path as usize].mtu_bytes
    }

    /// The time of the simulation at which the run starts.
    pub(super) fn start(&self) -> SimTime {
        self.traces[0].start
    }

    pub(super) fn set_start(&mut self, start: SimTime) {
        for trace in &mut self.traces {
            trace.start = start;
        }
    }

    pub(super) fn records_packets(&self) -> bool {
        self.recording.packets
    }

    pub(super) fn link_mut(&mut self, Way { path, direction }: Way) -> &mut Link<InFlight> {
        self.paths[path.0 as usize].path.link_mut(direction)
    }

    fn node_mut(&mut self, id: EndpointId) -> &mut Node {
        &mut self.nodes[id.0 as usize]
    }
}

impl RunningPath {
    fn new(seed: u64, params: PathParams) -> Result<Self, LinkError> {
        Ok(RunningPath { mtu_bytes: params.mtu_bytes, path: Path::new(seed, params)? })
    }
}

/// The first of the dynamic ports (RFC 6335 §6).
const EPHEMERAL_PORT: u16 = 49152;
/// The port of HTTP (RFC 9110 §4.2.1).
const SERVER_PORT: u16 = 80;

#[cfg(test)]
#[path = "simulation_test.rs"]
mod tests;

#[cfg(test)]
#[path = "room_test.rs"]
mod room_tests;
