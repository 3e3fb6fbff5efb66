use std::collections::VecDeque;
use std::net::{Ipv4Addr, SocketAddr, SocketAddrV4};

use bytes::{Bytes, BytesMut};
use quinn_proto::{
    ApplicationClose, ClientConfig, Connection as Library, ConnectionError, ConnectionHandle, DatagramEvent,
    EcnCodepoint, Endpoint as LibraryEndpoint, Event as LibraryEvent, Side, StreamEvent,
};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::Rng;

use super::clock::Clock;
use super::congestion::SharedWindow;
use super::crypto::Unencrypted;
use super::early::{EarlyPacket, EarlyPackets, Readable};
use super::identifiers::Identifiers;
use super::observed::{Carried, Observed, arrival, is_finished};
use super::options::Options;
use super::packet::{Datagram, Level, Packets, QuicPacket};
use super::profile::{Profile, ProfileSettings};
use super::protection::{Protection, Tap, Tapped};
use super::setup::{Configured, STREAMS, Setup, Tokens};
use super::streams::Streams;
use super::token::token;
use crate::ahead::{Ahead, Progress};
use crate::endpoint::{Arrival, CloseReason, Endpoint, Event, Transmit};
use crate::ip::{Flow, home_address};
use crate::packet::{Ecn, EcnMode, Packet, TypedPacket};
use crate::time::SimTime;
use crate::tls;
use crate::trace::{BlockedLog, Sample, SenderState, Timeouts};
use crate::transport::CallError;
use crate::udp;

/// One end of a QUIC connection.
pub struct Connection {
    side: Side,
    flow: Flow,
    settings: ProfileSettings,
    options: Options,
    clock: Clock,
    /// The time of the last call.
    now: SimTime,
    endpoint: LibraryEndpoint,
    /// The configuration of a client that has not started its handshake.
    client: Option<ClientConfig>,
    /// The connection of quinn; `None` before the handshake starts.
    library: Option<(ConnectionHandle, Box<Library>)>,
    window: SharedWindow,
    observed: Observed,
    /// Collects the decrypted packets of an encrypted connection.
    tap: Option<Tap>,
    /// What the trace records of the last datagram that arrived, and of the packets that were kept until then. It is
    /// known only if there is a `tap`.
    arrived: Option<Arrival>,
    /// How many probe timeouts have expired (RFC 9002 §6.2).
    timeouts: u32,
    early: EarlyPackets,
    /// The frames that quinn has received.
    received: Received,
    streams: Streams,
    events: VecDeque<Event>,
    /// Datagrams to send that belong to no connection.
    responses: VecDeque<Vec<u8>>,
    datagrams_sent: u16,
    /// The address of the peer to which the last datagram was sent.
    destination: SocketAddrV4,
    is_connected: bool,
    above_low_water: bool,
    ahead: Option<Ahead>,
    is_closing: bool,
    /// Whether the end of the connection was reported to the application.
    is_over: bool,
    /// When quinn's next timer fires.
    timer: Option<SimTime>,
    /// When the pacer lets the next datagram pass; `None` if no datagram waits for the pacer.
    paced_until: Option<SimTime>,
    /// The memory of the last datagram that arrived. The next datagram to send reuses this memory, because allocating
    /// it is slow.
    spare: Vec<u8>,
    /// Whether two conditions held when quinn last had no datagram to send: all written data had been sent, and no
    /// datagram waited for the pacer. Lost data may still have waited for room in the window. A write sets this to
    /// false.
    has_sent_all: bool,
    /// Whether this end is up to date with quinn: since [`Connection::settle`], no call of the application has changed
    /// quinn's state.
    is_settled: bool,
    /// When quinn had nothing to send. `None` if its state may have changed since.
    idle_at: Option<SimTime>,
}

/// How many frames quinn has received. `others` counts the frames STREAM, NEW_CONNECTION_ID and HANDSHAKE_DONE, which
/// occur only in 0-RTT and 1-RTT packets.
#[derive(Clone, Copy, Debug, Default)]
struct Received {
    acks: u64,
    others: u64,
}

/// The parameters of a new end.
pub struct Opening {
    pub flow: Flow,
    /// Size of the largest IP packet, in bytes.
    pub mtu_bytes: u16,
    pub options: Options,
    pub identifiers: Identifiers,
    /// The most bytes, over all streams, that may have arrived here without having been read; `None` means no limit.
    pub receive_bytes: Option<u32>,
}

impl Connection {
    pub fn new(side: Side, flow: Flow, mtu_bytes: u16, options: Options, random: ChaCha8Rng) -> Self {
        let is_client = side.is_client();
        let sizes = tls::Handshake {
            is_modern: options.profile == Profile::Modern,
            resumes: is_client && options.resumes,
            compresses_certificate: options.compresses_certificate,
            lacks_hybrid_share: options.lacks_hybrid_share,
        };
        let has_early_data = is_client && options.resumes && options.early_data;
        let protection = Unencrypted { sizes, has_early_data }.protection(side);
        let identifiers = Identifiers { random, prefix: None };
        Connection::open(Opening { flow, mtu_bytes, options, identifiers, receive_bytes: None }, protection, None)
    }

    /// Makes an end whose packets are encrypted. `protection` determines whether the end is a client or a server.
    pub fn encrypted(opening: Opening, protection: &Protection) -> Self {
        let tap = Tap::default();
        let protection = Protection { role: protection.role.watched(&tap), ..protection.clone() };
        Connection::open(opening, protection, Some(tap))
    }

    fn open(opening: Opening, protection: Protection, tap: Option<Tap>) -> Self {
        let Opening { flow, mtu_bytes, options, identifiers, receive_bytes } = opening;
        let side = protection.role.side();
        let settings = ProfileSettings::of(&options, side, mtu_bytes);
        let clock = Clock::new();
        // a copy of the generator, so that the connection ids do not depend on the congestion control
        let seed = identifiers.random.clone().next_u64();
        let window = SharedWindow::new(clock, settings.congestion, settings.first_datagram_bytes.into(), seed);
        if options.paces_each {
            window.lock().pace_each();
        }
        // the token is for the client's first address: a server does not accept it at an address to which the client
        // has moved (RFC 9000 §8.1.3)
        let tokens = tap
            .is_none()
            .then(|| Tokens { remembered: options.resumes.then(|| token(home_address(*flow.local.ip()))) });
        let keeps_alive = tap.is_some() && side.is_client();
        let setup = Setup { settings, receive_bytes, tokens, migration: options.migration, keeps_alive };
        let Configured { endpoint, client } = setup.configure(&window, identifiers, protection);
        Connection {
            side,
            flow,
            settings,
            options,
            clock,
            now: SimTime::ZERO,
            endpoint,
            client,
            library: None,
            window,
            observed: Observed::default(),
            tap,
            arrived: None,
            timeouts: 0,
            early: EarlyPackets::default(),
            received: Received::default(),
            streams: Streams::new(side, options.scheduler),
            events: VecDeque::new(),
            responses: VecDeque::new(),
            datagrams_sent: 0,
            destination: flow.remote,
            is_connected: false,
            above_low_water: false,
            ahead: options.ahead_bytes.map(Ahead::new),
            is_closing: false,
            is_over: false,
            timer: None,
            paced_until: None,
            spare: Vec::new(),
            has_sent_all: true,
            is_settled: true,
            idle_at: None,
        }
    }

    /// Whether a server has accepted a connection.
    pub(super) fn has_begun(&self) -> bool {
        self.library.is_some()
    }

    /// Starts a client's handshake.
    ///
    /// # Errors
    /// This end is a server, or the handshake was started before.
    pub fn connect(&mut self) -> Result<(), CallError> {
        let config = self.client.take().ok_or_else(|| {
            CallError::State("cannot connect: this end is a server, or its handshake was started before".to_owned())
        })?;
        let now = self.clock.instant(self.now);
        let (handle, library) =
            self.endpoint.connect(now, config, SocketAddr::V4(self.flow.remote), "server").map_err(CallError::state)?;
        self.library = Some((handle, Box::new(library)));
        self.is_settled = false;
        Ok(())
    }

    /// # Errors
    /// The stream cannot be written to, or there is no connection.
    pub fn write(&mut self, stream: u32, bytes: &[u8]) -> Result<usize, CallError> {
        let room = self.options.send_buffer_bytes.saturating_sub(self.buffered_bytes());
        let fitting = usize::try_from(room).unwrap_or(usize::MAX).min(bytes.len());
        let library = open(&mut self.library, &mut self.is_settled, self.is_closing || self.is_over)?;
        if std::mem::take(&mut self.has_sent_all) {
            self.window.lock().handle_late_write();
        }
        let taken = self.streams.write(library, stream, &bytes[..fitting])?;
        self.observed.outbound.write(stream, taken as u64);
        self.above_low_water |= self.buffered_bytes() > self.options.low_water_bytes;
        if let Some(ahead) = &mut self.ahead {
            ahead.note_written(taken as u64);
        }
        Ok(taken)
    }

    /// # Errors
    /// The errors are those of [`Self::write`]. It is also an error if the peer does not grant the stream yet.
    pub fn finish(&mut self, stream: u32) -> Result<(), CallError> {
        let library = open(&mut self.library, &mut self.is_settled, self.is_closing || self.is_over)?;
        self.streams.finish(library, stream)?;
        self.observed.outbound.finish(stream);
        Ok(())
    }

    /// # Errors
    /// There is no such stream, the peer does not grant it yet, or there is no connection.
    pub fn reset(&mut self, stream: u32, code: u32) -> Result<(), CallError> {
        let library = open(&mut self.library, &mut self.is_settled, self.is_closing || self.is_over)?;
        self.streams.reset(library, stream, code)?;
        self.observed.outbound.reset(stream);
        Ok(())
    }

    /// # Errors
    /// The errors are those of [`Self::finish`]. It is also an error if the priority is outside its limits.
    pub fn set_priority(&mut self, stream: u32, priority: i32) -> Result<(), CallError> {
        let library = open(&mut self.library, &mut self.is_settled, self.is_closing || self.is_over)?;
        self.streams.set_priority(library, stream, priority)
    }

    /// # Errors
    /// There is no such stream, or the peer cannot send on it.
    pub fn read(&mut self, stream: u32) -> Result<Bytes, CallError> {
        self.streams.read(stream)
    }

    /// The factor by which backoff lengthens the next probe timeout (RFC 9002 §6.2.1).
    pub fn backoff(&self) -> u32 {
        let in_a_row = self.library.as_ref().map_or(0, |(_, library)| timeouts_in_a_row(library));
        2u32.pow(in_a_row.min(MOST_DOUBLINGS))
    }

    /// Bytes of all streams that were written and are not acknowledged.
    pub fn buffered_bytes(&self) -> u64 {
        self.observed.outbound.unacknowledged_bytes()
    }

    /// Closes the connection for both ends once everything written is acknowledged.
    pub fn close(&mut self) {
        self.is_closing = true;
        self.is_settled = false;
        if self.library.is_none() {
            self.end(CloseReason::Finished);
        }
    }

    /// Ends the connection now and drops all buffered data.
    pub fn abort(&mut self) {
        self.close_library(ABORTED);
        self.end(CloseReason::LocalAbort);
        self.is_settled = false;
    }

    fn close_library(&mut self, code: u32) {
        let now = self.clock.instant(self.now);
        if let Some((_, library)) = &mut self.library {
            library.close(now, code.into(), Bytes::new());
        }
    }

    fn end(&mut self, reason: CloseReason) {
        self.early = EarlyPackets::default();
        if !std::mem::replace(&mut self.is_over, true) {
            self.events.push_back(Event::Closed(reason));
        }
    }

    fn poll_room(&mut self) -> Option<Event> {
        let ahead = self.ahead.as_mut().filter(|_| !self.is_over)?;
        let window_bytes = self.window.lock().room_bytes(self.now);
        ahead.poll(Progress { unsent_bytes: self.observed.outbound.unsent_bytes(), window_bytes })
    }

    /// Whether a packet from this address may be from the peer. With [`Options::migration`], a client may have another
    /// address than before, which quinn then validates (RFC 9000 §9.3).
    fn accepts_from(&self, sender: SocketAddrV4) -> bool {
        sender == self.flow.remote || (self.side.is_server() && self.options.migration)
    }

    fn handle_datagram(&mut self, now: SimTime, remote: SocketAddrV4, ecn: Ecn, datagram: &[u8]) {
        self.now = now;
        let mut tapped = Vec::new();
        let is_early = !self.readable().has(Level::OneRtt);
        self.pass(remote, ecn, datagram, &mut tapped);
        if is_early {
            self.keep_unread(remote, ecn, datagram);
            while let Some(packet) = self.early.take(self.readable()) {
                if packet.is_counted
                    && let Some((_, library)) = &mut self.library
                {
                    take_back_received(library, packet.bytes.len() as u64);
                }
                self.pass(packet.remote, packet.ecn, &packet.bytes, &mut tapped);
            }
        }
        self.arrived = arrival(tapped.iter().map(Tapped::packet));
    }

    /// Keeps the packets of a datagram that quinn could not read.
    fn keep_unread(&mut self, remote: SocketAddrV4, ecn: Ecn, datagram: &[u8]) {
        let (readable, is_counted) = (self.readable(), self.library.is_some());
        let mut rest = datagram;
        for QuicPacket { level, bytes, .. } in Packets::new(datagram) {
            let (packet, after) = rest.split_at(bytes);
            if !readable.has(level) && !self.is_over {
                self.early.keep(EarlyPacket { remote, ecn, is_counted, level, bytes: packet.to_vec() });
            }
            rest = after;
        }
    }

    /// What quinn can read. It drops packets whose keys it does not have, and 1-RTT packets before the handshake is
    /// done (RFC 9001 §5.7).
    fn readable(&self) -> Readable {
        self.library.as_ref().map_or(Readable::default(), |(_, library)| readable(library))
    }

    /// Passes packets that came in one datagram to quinn and to `observed`. If the connection is encrypted, those that
    /// quinn could read are added to `tapped`, without their encryption.
    fn pass(&mut self, remote: SocketAddrV4, ecn: Ecn, datagram: &[u8], tapped: &mut Vec<Tapped>) {
        let instant = self.clock.instant(self.now);
        let mut response = Vec::new();
        let remote = SocketAddr::V4(remote);
        let ecn = if self.options.ecn == EcnMode::Off { None } else { EcnCodepoint::from_bits(ecn as u8) };
        match self.endpoint.handle(instant, remote, None, ecn, BytesMut::from(datagram), &mut response) {
            Some(DatagramEvent::ConnectionEvent(_, event)) => {
                if let Some((_, library)) = &mut self.library {
                    library.handle_event(event);
                }
            }
            Some(DatagramEvent::NewConnection(incoming)) if self.library.is_none() && !self.is_over => {
                match self.endpoint.accept(incoming, instant, &mut response, None) {
                    Ok((handle, library)) => self.library = Some((handle, Box::new(library))),
                    Err(error) if error.response.is_some() => self.responses.push_back(response),
                    Err(_) => {}
                }
            }
            Some(DatagramEvent::NewConnection(incoming)) => self.endpoint.ignore(incoming),
            Some(DatagramEvent::Response(_)) => self.responses.push_back(response),
            None => {}
        }
        if self.library.is_some() {
            // quinn drops packets that are so late that their keys are discarded or their numbers are decoded wrongly
            let takes = self.has_accepted();
            self.receive(datagram, takes, tapped);
            self.note_acknowledged();
            if self.window.lock().take_path_change() {
                self.observed.start_path(self.now);
            }
        }
        self.settle();
    }

    fn receive(&mut self, datagram: &[u8], takes: bool, tapped: &mut Vec<Tapped>) {
        let Some(tap) = &self.tap else {
            return self.observed.receive(self.now, Packets::new(datagram), takes);
        };
        let packets = tap.take_received();
        self.observed.receive(self.now, packets.iter().map(Tapped::packet), takes);
        tapped.extend(packets);
    }

    fn send(&mut self, now: SimTime, datagram: &[u8]) -> Carried {
        let Some(tap) = &self.tap else { return self.observed.send(now, Packets::new(datagram)) };
        self.observed.send(now, tap.take_sent().iter().map(Tapped::packet))
    }

    fn note_acknowledged(&mut self) {
        let mut window = self.window.lock();
        window.set_control_in_flight(self.observed.outbound.control_bytes());
        // a server is connected when the client's last handshake packet arrives, so the client has the whole handshake
        if self.is_connected && (self.side.is_server() || self.observed.outbound.is_acknowledged()) {
            window.confirm();
        }
    }

    /// Whether quinn accepted a 0-RTT or 1-RTT packet since the last call. quinn's counts of received frames show this.
    /// While the handshake lasts, ACK frames do not count, because they also arrive in Initial and Handshake packets.
    fn has_accepted(&mut self) -> bool {
        let Some((_, library)) = &self.library else { return false };
        let frames = library.stats().frame_rx;
        let others = frames.stream + frames.new_connection_id + u64::from(frames.handshake_done);
        let received = Received { acks: frames.acks, others };
        let before = std::mem::replace(&mut self.received, received);
        received.others > before.others || (!library.is_handshaking() && received.acks > before.acks)
    }

    /// Brings this end up to date with quinn. Call this after everything that can change quinn's state.
    fn settle(&mut self) {
        self.pass_events_between();
        self.take_library_events();
        if self.above_low_water && self.buffered_bytes() <= self.options.low_water_bytes {
            self.above_low_water = false;
            self.events.push_back(Event::Writable);
        }
        if self.is_closing && !self.is_over && self.observed.outbound.is_drained() {
            self.close_library(FINISHED);
            self.end(CloseReason::Finished);
        }
        let timer = self.library.as_mut().and_then(|(_, library)| library.poll_timeout());
        self.timer = timer.map(|deadline| self.clock.sim_time(deadline));
        let is_over = self.is_over || self.observed.outbound.is_drained();
        self.paced_until = if is_over { None } else { self.window.lock().paced_until() };
        self.is_settled = true;
        self.idle_at = None;
    }

    /// Passes events between the connection of quinn and its endpoint, for example about new and retired connection
    /// ids.
    fn pass_events_between(&mut self) {
        let Some((handle, library)) = &mut self.library else { return };
        while let Some(event) = library.poll_endpoint_events() {
            if let Some(event) = self.endpoint.handle_event(*handle, event) {
                library.handle_event(event);
            }
        }
    }

    fn take_library_events(&mut self) {
        while let Some((_, library)) = &mut self.library
            && let Some(event) = library.poll()
        {
            match event {
                LibraryEvent::Connected => {
                    self.is_connected = true;
                    let rtt = Some(self.observed.smoothed_rtt()).filter(|rtt| !rtt.is_zero());
                    self.window.lock().open(self.now, rtt);
                    self.events.push_back(Event::Connected { streams: STREAMS });
                }
                LibraryEvent::ConnectionLost { reason } => self.handle_loss(&reason),
                LibraryEvent::Stream(event) => match event {
                    StreamEvent::Opened { dir } => self.streams.accept(library, dir, &mut self.events),
                    StreamEvent::Readable { id } => self.streams.receive(library, id, &mut self.events),
                    StreamEvent::Stopped { id, error_code } => {
                        self.streams.stopped(library, id, error_code, &mut self.events);
                        self.observed.outbound.reset(u64::from(id) as u32);
                    }
                    StreamEvent::Available { .. } => self.events.push_back(Event::Writable),
                    StreamEvent::Finished { .. } | StreamEvent::Writable { .. } => {}
                },
                LibraryEvent::HandshakeDataReady
                | LibraryEvent::DatagramReceived
                | LibraryEvent::DatagramsUnblocked => {}
            }
        }
    }

    fn handle_loss(&mut self, reason: &ConnectionError) {
        let reason = match reason {
            ConnectionError::ApplicationClosed(ApplicationClose { error_code, .. })
                if is_finished(error_code.into_inner()) =>
            {
                self.events.push_back(Event::PeerClosed);
                CloseReason::Finished
            }
            ConnectionError::ApplicationClosed(_) | ConnectionError::ConnectionClosed(_) | ConnectionError::Reset => {
                CloseReason::PeerAbort
            }
            ConnectionError::TimedOut if self.is_connected => CloseReason::DataTimeout,
            ConnectionError::TimedOut => CloseReason::ConnectTimeout,
            ConnectionError::LocallyClosed => CloseReason::LocalAbort,
            ConnectionError::VersionMismatch | ConnectionError::TransportError(_) | ConnectionError::CidsExhausted => {
                CloseReason::ProtocolViolation
            }
        };
        self.end(reason);
    }

    fn transmit(&mut self, bytes: Vec<u8>, ecn: Ecn, carried: Carried) -> Transmit {
        let identification = self.datagrams_sent;
        self.datagrams_sent = self.datagrams_sent.wrapping_add(1);
        Transmit {
            packet: Packet::Typed(Box::new(Datagram {
                flow: Flow { remote: self.destination, ..self.flow },
                identification,
                ecn,
                bytes,
            })),
            kind: carried.kind,
            cumulative_ack: carried.cumulative_ack,
            chunks: carried.chunks,
        }
    }
}

// without the patches, packets that cannot be read are dropped, and probe timeouts are not known

#[cfg_attr(not(patched), allow(unused_variables, reason = "the library does not tell"))]
fn readable(library: &Library) -> Readable {
    #[cfg(patched)]
    return Readable { handshake: library.has_handshake_keys(), one_rtt: !library.is_handshaking() };
    #[cfg(not(patched))]
    Readable { handshake: true, one_rtt: true }
}

#[cfg_attr(not(patched), allow(unused_variables, clippy::needless_pass_by_ref_mut, reason = "nothing is kept"))]
fn take_back_received(library: &mut Library, bytes: u64) {
    #[cfg(patched)]
    library.take_back_received(bytes);
}

#[cfg_attr(not(patched), allow(unused_variables, reason = "the library does not tell"))]
fn timeouts_in_a_row(library: &Library) -> u32 {
    #[cfg(patched)]
    return library.pto_count();
    #[cfg(not(patched))]
    0
}

/// Returns the connection of quinn, if the application may use it. The caller is about to change its state, so this end
/// is not settled any more.
fn open<'a>(
    library: &'a mut Option<(ConnectionHandle, Box<Library>)>,
    is_settled: &mut bool,
    is_closed: bool,
) -> Result<&'a mut Library, CallError> {
    match library {
        Some((_, library)) if !is_closed && !library.is_closed() => {
            *is_settled = false;
            Ok(library)
        }
        Some(_) => Err(CallError::State("the connection is closed".to_owned())),
        None if is_closed => Err(CallError::State("the connection is closed".to_owned())),
        None => Err(CallError::State("there is no connection yet: the handshake has not started".to_owned())),
    }
}

impl Endpoint for Connection {
    fn handle_packet(&mut self, now: SimTime, packet: &[u8]) {
        let Some(remote) = udp::sender(packet).filter(|sender| self.accepts_from(*sender)) else { return };
        if let Some(datagram) = udp::parse(&Flow { remote, ..self.flow }, packet) {
            self.handle_datagram(now, remote, Ecn::of_packet(packet), datagram);
        }
    }

    fn handle_typed(&mut self, now: SimTime, packet: Box<dyn TypedPacket>) {
        let packet: Box<dyn std::any::Any> = packet;
        if let Ok(datagram) = packet.downcast::<Datagram>()
            && datagram.flow.remote == self.flow.local
            && self.accepts_from(datagram.flow.local)
        {
            self.handle_datagram(now, datagram.flow.local, datagram.ecn, &datagram.bytes);
            self.spare = datagram.bytes;
        }
    }

    fn handle_timeout(&mut self, now: SimTime) {
        self.now = now;
        self.window.lock().handle_time(now);
        let instant = self.clock.instant(now);
        if let Some((_, library)) = &mut self.library
            && self.timer.is_some_and(|at| at <= now)
        {
            let before = timeouts_in_a_row(library);
            library.handle_timeout(instant);
            self.timeouts += u32::from(timeouts_in_a_row(library) > before);
        }
        self.settle();
    }

    fn poll_timeout(&self) -> Option<SimTime> {
        [self.timer, self.paced_until].into_iter().flatten().min()
    }

    fn poll_transmit(&mut self, now: SimTime) -> Option<Transmit> {
        self.now = now;
        if !self.is_settled {
            self.settle();
        } else if self.idle_at == Some(now) {
            return None;
        }
        if let Some(response) = self.responses.pop_front() {
            self.destination = self.flow.remote;
            return Some(self.transmit(response, Ecn::NotEct, Carried::outside_a_connection()));
        }
        let instant = self.clock.instant(now);
        let (_, library) = self.library.as_mut()?;
        self.window.lock().handle_time(now);
        let mut bytes = std::mem::take(&mut self.spare);
        bytes.clear();
        let transmit = library.poll_transmit(instant, 1, &mut bytes);
        self.settle();
        let Some(transmit) = transmit else {
            self.spare = bytes;
            let waits_for_pacer = self.window.lock().paced_until().is_some();
            self.has_sent_all = self.observed.outbound.unsent_bytes() == 0 && !waits_for_pacer;
            self.idle_at = Some(now);
            return None;
        };
        let ecn = if transmit.ecn.is_some() { self.options.ecn.codepoint() } else { Ecn::NotEct };
        if let SocketAddr::V4(destination) = transmit.destination {
            self.destination = destination;
        }
        let carried = self.send(now, &bytes);
        if carried.in_flight {
            let mut window = self.window.lock();
            window.handle_sent(now, bytes.len() as u64, self.observed.outbound.next_number());
            window.set_control_in_flight(self.observed.outbound.control_bytes());
        }
        Some(self.transmit(bytes, ecn, carried))
    }

    fn poll_event(&mut self) -> Option<Event> {
        self.events.pop_front().or_else(|| self.poll_room())
    }

    fn sample(&self) -> Option<Sample> {
        let window = self.window.lock();
        let ProfileSettings { initial_rtt, rttvar_factor, .. } = self.settings;
        Some(Sample {
            cwnd_bytes: window.cwnd(),
            ssthresh_bytes: window.ssthresh(),
            flight_bytes: window.in_flight(),
            srtt: self.observed.smoothed_rtt(),
            rto: self.observed.probe_timeout(initial_rtt, rttvar_factor) * self.backoff(),
            state: match (self.is_over, self.is_connected) {
                (true, _) => SenderState::Closed,
                (false, false) => SenderState::Connecting,
                (false, true) => window.state(),
            },
        })
    }

    fn timeouts(&self) -> Timeouts {
        Timeouts { retransmission: 0, probe: self.timeouts }
    }

    fn blocked(&self) -> &BlockedLog {
        self.observed.inbound.blocked()
    }

    fn can_change_address(&self) -> bool {
        self.library.as_ref().is_none_or(|(_, library)| library.stats().frame_rx.handshake_done > 0)
    }

    fn change_address(&mut self, now: SimTime, address: Ipv4Addr) {
        self.now = now;
        self.flow.local.set_ip(address);
        if let Some((_, library)) = &mut self.library
            && !library.is_closed()
        {
            library.local_address_changed();
            library.path_changed(self.clock.instant(now));
            if self.window.lock().take_path_change() {
                self.observed.start_path(now);
            }
        }
        self.settle();
    }

    fn destination(&self) -> Option<Ipv4Addr> {
        Some(*self.destination.ip())
    }

    /// Returns the record of the last datagram that arrived. The payload is not parsed again.
    fn arrival(&self, _payload: &[u8]) -> Option<Arrival> {
        self.arrived.clone()
    }
}

/// The limit of quinn for the number of doublings. The idle timeout expires long before this limit is reached.
const MOST_DOUBLINGS: u32 = 16;

// Application error codes of CONNECTION_CLOSE (RFC 9000 §20.2). This project defines them. Other implementations of
// HTTP/3 send H3_NO_ERROR instead of FINISHED (RFC 9114 §8.1).
const FINISHED: u32 = 0;
const ABORTED: u32 = 1;

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use rand_chacha::rand_core::SeedableRng;

    use super::*;
    use crate::link::{LossModel, PathParams};
    use crate::quic::packet::CONNECTION_ID_BYTES;
    use crate::sim::{Simulation, SimulationOptions};
    use crate::trace::Recording;

    #[cfg(patched)]
    /// Returns when a client of `modern` is connected, in ms, if the path drops the client's second packet.
    fn connected_ms(rttvar_factor: u8) -> u64 {
        let mut path = PathParams::symmetric(10_000_000, Duration::from_millis(100), LossModel::None);
        path.up.loss = LossModel::List([1].into());
        let mut sim = Simulation::new(SimulationOptions { seed: 1, path, recording: Recording::OFF }).unwrap();
        let options = Options { rttvar_factor, ..Options::new(Profile::Modern) };
        let (client, _) = sim.open_quic(options, options).unwrap();
        sim.quic(client).unwrap().connect().unwrap();
        loop {
            let events = sim.advance(SimTime::from_ms(5000));
            assert!(!events.is_empty(), "never connected");
            if events.iter().any(|event| event.endpoint == client && matches!(event.event, Event::Connected { .. })) {
                return sim.now().as_ns() / 1_000_000;
            }
        }
    }

    // RFC 9002 §5.3: after the first sample the variation is half of the RTT
    #[cfg(patched)]
    #[test]
    fn the_factor_of_the_variation_decides_when_a_probe_is_sent() {
        let saved = [1, 2].map(|factor| connected_ms(4) - connected_ms(factor));
        assert!((150..155).contains(&saved[0]) && (100..105).contains(&saved[1]), "{saved:?}");
    }

    // RFC 9000 §8.1
    #[test]
    fn packets_that_are_kept_count_once_against_the_anti_amplification_limit() {
        let flow = Flow {
            local: SocketAddrV4::new(Ipv4Addr::LOCALHOST, 1),
            remote: SocketAddrV4::new(Ipv4Addr::LOCALHOST, 2),
        };
        let [mut client, mut server] = [(Side::Client, flow), (Side::Server, flow.reversed())].map(|(side, flow)| {
            Connection::new(side, flow, 1500, Options::new(Profile::Modern), ChaCha8Rng::from_seed([1; 32]))
        });
        let send = |end: &mut Connection| {
            let transmit = end.poll_transmit(SimTime::ZERO)?;
            Some(transmit.packet.into_wire()[udp::HEADERS_BYTES..].to_vec())
        };
        client.connect().unwrap();
        // the ClientHello is in two datagrams; a packet between them pretends to be a 0-RTT packet of the connection
        let hello: Vec<_> = std::iter::from_fn(|| send(&mut client)).collect();
        assert_eq!(hello.len(), 2);
        let ids = &hello[0][5..6 + CONNECTION_ID_BYTES];
        let early = [&[0xd0, 0, 0, 0, 1], ids, &[0, 0x42, 0x58], &[0; 600]].concat();
        let mut received = 0;
        for datagram in [&hello[0], &early, &hello[1]] {
            received += datagram.len();
            server.handle_datagram(SimTime::ZERO, flow.local, Ecn::NotEct, datagram);
        }
        server.write(3, &[0; 100_000]).unwrap();
        let sent: usize = std::iter::from_fn(|| send(&mut server)).map(|datagram| datagram.len()).sum();
        // quinn sends a whole datagram if it has any bytes left
        assert!((3 * received..3 * received + 1280).contains(&sent), "{sent} for {received}");
    }

    // the smoothed RTT is computed from the packets alone
    #[test]
    fn the_smoothed_rtt_equals_that_of_the_library() {
        let loss = LossModel::Bernoulli { rate: 0.05 };
        let path = PathParams::symmetric(1_000_000, Duration::from_millis(100), loss);
        let mut sim = Simulation::new(SimulationOptions { seed: 1, path, recording: Recording::OFF }).unwrap();
        let options = Options::new(Profile::Modern);
        let ends: [_; 2] = sim.open_quic(options, options).unwrap().into();
        sim.quic(ends[0]).unwrap().connect().unwrap();
        let mut compared = 0;
        while sim.now() < SimTime::from_ms(8000) {
            for event in sim.advance(SimTime::from_ms(8000)) {
                if event.endpoint == ends[1] && matches!(event.event, Event::Connected { .. }) {
                    sim.quic(ends[1]).unwrap().write(3, &[7; 500_000]).unwrap();
                }
            }
            for end in ends {
                let end = sim.quic(end).unwrap();
                if let Some((_, library)) = &end.library
                    && !end.observed.smoothed_rtt().is_zero()
                {
                    compared += 1;
                    assert_eq!(end.observed.smoothed_rtt(), library.rtt(), "at {:?}", end.now);
                }
            }
        }
        assert!(compared > 300, "{compared}");
    }
}
