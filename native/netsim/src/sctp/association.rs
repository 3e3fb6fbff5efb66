mod closing;
mod echo;
mod resets;
mod sending;

use std::any::Any;
use std::collections::VecDeque;
use std::time::Duration;

use self::closing::Closing;
use self::echo::Echo;
use self::resets::Resets;
use super::chunk::{self, Chunk, Sack};
use super::packet::SctpPacket;
use super::{Message, Observed, Options, ProfileSettings, SendError, Stack, StackEvent, StreamScheduler};
use crate::ahead::{Ahead, Progress};
use crate::endpoint::{Arrival, CloseReason, Endpoint, Event, Transmit};
use crate::ip::{self, Flow};
use crate::packet::{Packet, TypedPacket};
use crate::time::SimTime;
use crate::trace::{BlockedLog, DataChunks, Sample, SenderState, Timeouts};

/// One end of an SCTP association.
///
/// Calls of the application take effect at the next [`Endpoint::poll_transmit`], so that all calls of one instant reach
/// the stack together. The client must call [`Association::connect`]. Both ends may send after [`Event::Connected`]. A
/// client with [`Options::data_with_cookie_echo`] reports this event when it has received INIT ACK.
pub struct Association {
    flow: Flow,
    settings: ProfileSettings,
    options: Options,
    stack: Box<dyn Stack>,
    phase: Phase,
    asked: Asked,
    /// The messages that were accepted since the last [`Endpoint::poll_transmit`], in order.
    written: VecDeque<Message>,
    scheduler: StreamScheduler,
    observed: Observed,
    /// The number of bytes in `written`.
    written_bytes: u64,
    /// How much new data may still be sent in the burst that began at `burst_at`, in bytes of chunks (RFC 9260 §6.1 D).
    burst_left_bytes: usize,
    burst_at: SimTime,
    closing: Closing,
    echo: Echo,
    resets: Resets,
    /// [`Event::Writable`] is reported when the number of buffered bytes has fallen to this number.
    writable_at: Option<u64>,
    ahead: Option<Ahead>,
    /// Reused memory for the messages that are sent together.
    bundle: Vec<Message>,
    /// Reused memory for the chunks of a packet.
    chunks: Vec<Chunk>,
    /// Reused memory for the stack's events.
    stack_events: Vec<StackEvent>,
    outgoing: VecDeque<Transmit>,
    events: VecDeque<Event>,
    sent_packets: u16,
    timeouts: u32,
    /// Whether a request to reset streams was repeated because its timer expired.
    asked_again: bool,
}

/// The addresses and MTU of an association, and the seed of its random numbers.
#[derive(Clone, Copy, Debug)]
pub struct Setup {
    pub flow: Flow,
    /// Size of the largest IP packet, in bytes.
    pub mtu_bytes: u16,
    /// Determines the verification tags and the initial TSN.
    pub seed: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    Unconnected,
    Connected { streams: u16 },
    Closed,
}

/// The requests of the application that the next [`Endpoint::poll_transmit`] carries out.
#[derive(Debug, Default)]
struct Asked {
    connect: bool,
    abort: bool,
    resets: Vec<u16>,
}

impl Association {
    /// `options` must be valid ([`Options::validate`]).
    pub fn new(setup: Setup, options: Options) -> Self {
        let settings = options.profile.settings(usize::from(setup.mtu_bytes) - ip::HEADER_BYTES);
        let receive_buffer_bytes = options.receive_buffer_bytes.unwrap_or(settings.receive_buffer_bytes);
        let settings = if options.unlimited_window { settings.with_unlimited_window() } else { settings };
        let settings = ProfileSettings { receive_buffer_bytes, ..settings };
        Association {
            flow: setup.flow,
            settings,
            scheduler: StreamScheduler::new(options.scheduler.clone()),
            stack: (options.stack.make)(&setup, &settings, &options),
            ahead: options.ahead_bytes.map(Ahead::new),
            options,
            phase: Phase::Unconnected,
            asked: Asked::default(),
            written: VecDeque::new(),
            observed: Observed::default(),
            written_bytes: 0,
            burst_left_bytes: 0,
            burst_at: SimTime::ZERO,
            closing: Closing::default(),
            echo: Echo::default(),
            resets: Resets::default(),
            writable_at: None,
            bundle: Vec::new(),
            chunks: Vec::new(),
            stack_events: Vec::new(),
            outgoing: VecDeque::new(),
            events: VecDeque::new(),
            sent_packets: 0,
            timeouts: 0,
            asked_again: false,
        }
    }

    /// Starts the handshake.
    pub fn connect(&mut self) {
        self.asked.connect = true;
    }

    /// Notes that the handshake takes no time, and that `rtt` counts as the RTT that it measures. No data is then sent
    /// with COOKIE ECHO, because such data would arrive no earlier than data that is sent after the handshake.
    pub(super) fn set_up_at_once(&mut self, rtt: Duration) {
        self.observed.assume_handshake_rtt(rtt);
        self.options.data_with_cookie_echo = false;
    }

    /// Accepts a whole message for `stream`.
    ///
    /// # Errors
    /// The message was refused, for the reason in the error.
    pub fn send(&mut self, stream: u32, message: &[u8]) -> Result<(), SendError> {
        let stream = self.open_stream(stream)?;
        let (bytes, limit) = (message.len(), self.max_message_bytes());
        if bytes == 0 {
            return Err(SendError::Empty);
        }
        if bytes > limit {
            return Err(SendError::TooLarge { bytes, limit });
        }
        let room = self.options.send_buffer_bytes.saturating_sub(self.buffered_bytes());
        if bytes as u64 > room {
            let fits_at = self.options.send_buffer_bytes - bytes as u64;
            self.writable_at = Some(fits_at.min(self.options.low_water_bytes));
            return Err(SendError::BufferFull { bytes, room: room as usize });
        }
        self.written_bytes += bytes as u64;
        self.written.push_back(Message { stream, bytes: message.to_vec() });
        if self.buffered_bytes() > self.options.low_water_bytes {
            self.writable_at.get_or_insert(self.options.low_water_bytes);
        }
        if let Some(ahead) = &mut self.ahead {
            ahead.note_written(bytes as u64);
        }
        Ok(())
    }

    /// Bytes of user data that were accepted and are not acknowledged yet.
    pub fn buffered_bytes(&self) -> u64 {
        self.waiting_bytes() + self.observed.buffered_bytes()
    }

    /// Bytes that were accepted and not yet given to the stack.
    fn waiting_bytes(&self) -> u64 {
        self.written_bytes + self.scheduler.queued_bytes() + self.resets.held_bytes()
    }

    /// Makes both ends number the stream's messages from 0 again (RFC 6525). This end resets its direction once all
    /// messages written so far are sent. The peer then resets the other direction (as in RFC 8831 §6.7).
    /// [`Event::Renewed`] reports that both directions are reset, or that the peer refused. Messages that are written
    /// in the meantime wait until this end's direction is reset.
    ///
    /// # Errors
    /// There is no such stream, or this end may send nothing: it is not connected yet, or the association is closing or
    /// closed.
    pub fn renew(&mut self, stream: u32) -> Result<(), SendError> {
        let stream = self.open_stream(stream)?;
        self.asked.resets.push(stream);
        Ok(())
    }

    /// Size in bytes of the largest message that fits in one packet as one chunk: MTU − IP header − common header −
    /// DATA header (RFC 9260 §3.3.1) or I-DATA header (RFC 8260 §2.1).
    pub fn max_message_in_packet_bytes(&self) -> usize {
        self.settings.max_message_in_packet_bytes(self.options.data_header_bytes())
    }

    /// Size in bytes of the largest message that is accepted. A message must fit the send buffer. It must also fit half
    /// of the receive buffer, because the peer, whose buffer is assumed to have the same size, has to hold a whole
    /// message before it can deliver the message.
    pub fn max_message_bytes(&self) -> usize {
        (self.options.send_buffer_bytes as usize).min(self.settings.receive_buffer_bytes / 2)
    }

    pub(super) fn is_connected(&self) -> bool {
        matches!(self.phase, Phase::Connected { .. })
    }

    /// Whether this end may send packets with data. A client with [`Options::data_with_cookie_echo`] may write earlier.
    fn is_established(&self) -> bool {
        self.is_connected() && !self.echo.is_pending()
    }

    /// Whether this end's handshake has not ended, so that its packets may be repeated.
    fn is_awaiting_handshake(&self) -> bool {
        self.phase == Phase::Unconnected || self.echo.is_pending()
    }

    /// Ends the association once all accepted data is acknowledged (RFC 9260 §9.2).
    pub fn shutdown(&mut self) {
        self.closing.ask();
    }

    /// Ends the association now. Buffered data is dropped (RFC 9260 §9.1).
    pub fn abort(&mut self) {
        self.asked.abort = true;
    }

    /// Returns the stream, if this end may send on it now.
    fn open_stream(&self, stream: u32) -> Result<u16, SendError> {
        let streams = match self.phase {
            Phase::Unconnected => return Err(SendError::NotConnected),
            Phase::Closed => return Err(SendError::Closing),
            Phase::Connected { .. } if self.closing.has_begun() || self.asked.abort => {
                return Err(SendError::Closing);
            }
            Phase::Connected { streams } => streams,
        };
        let unknown = SendError::UnknownStream { stream, streams };
        u16::try_from(stream).ok().filter(|stream| *stream < streams).ok_or(unknown)
    }

    fn poll_room(&mut self) -> Option<Event> {
        let unsent_bytes = self.waiting_bytes() + self.observed.unsent_bytes();
        let ahead = self.ahead.as_mut().filter(|_| matches!(self.phase, Phase::Connected { .. }))?;
        // the application needs to write no more than one burst, because each later write begins a burst of its own
        let window_bytes = self.stack.window_bytes(&self.observed).min(self.settings.burst_bytes() as u64);
        ahead.poll(Progress { unsent_bytes, window_bytes })
    }

    /// Carries out the application's requests.
    fn carry_out_requests(&mut self, now: SimTime) {
        if std::mem::take(&mut self.asked.connect) && self.phase == Phase::Unconnected {
            self.stack.connect(now);
            self.collect(now);
        }
        if self.asked.abort && self.phase != Phase::Closed {
            self.stack.abort(now);
            self.collect(now);
            self.close(CloseReason::LocalAbort); // a stack that has not started reports nothing
        }
        if !self.written.is_empty() && now != self.burst_at {
            self.begin_burst(now);
        }
        // Messages are offered in the order in which they were written. If the window is open, a message is sent
        // immediately, in its own packet (no Nagle algorithm, as with SCTP_NODELAY). It is bundled with other messages
        // only if it has to wait.
        while let Some(message) = self.written.pop_front() {
            self.written_bytes -= message.bytes.len() as u64;
            if let Some(message) = self.resets.admit(message) {
                self.scheduler.push(message);
                self.hand_over(now);
            }
        }
        for stream in std::mem::take(&mut self.asked.resets) {
            self.resets.ask(stream);
        }
        if self.closing.is_asked() || self.resets.is_any_waiting() {
            self.go_on(now);
        }
        self.send_echo(now);
    }

    /// Gives the stack the data that can be sent. Tells the stack to reset each stream that has to be reset and has
    /// nothing left to send. If either end has requested a shutdown and everything is acknowledged, continues the
    /// shutdown. Reports [`Event::Writable`] if it is due.
    fn go_on(&mut self, now: SimTime) {
        self.hand_over(now);
        if self.is_established() {
            self.reset_streams(now);
        }
        if self.is_established()
            && self.is_drained()
            && let Some(step) = self.closing.next()
        {
            match step {
                closing::Step::TakeShutdown(shutdown) => self.stack.handle_packet(now, &shutdown),
                closing::Step::Shutdown => self.stack.shutdown(now),
            }
            self.collect(now);
        }
        if self.writable_at.is_some_and(|at| self.buffered_bytes() <= at) && self.phase != Phase::Closed {
            self.writable_at = None;
            self.events.push_back(Event::Writable);
        }
    }

    /// Whether all accepted data is acknowledged, and all requests of this end to reset streams are answered. A
    /// shutdown must wait for these answers, because a peer that shuts down does not give them.
    fn is_drained(&self) -> bool {
        self.written.is_empty()
            && self.scheduler.is_empty()
            && !self.resets.is_under_way()
            && self.observed.is_drained()
    }

    /// Handles the stack's events. Returns the number of the first chunk that the stack retransmitted.
    fn collect(&mut self, now: SimTime) -> Option<u64> {
        let mut retransmitted = None;
        while let Some(event) = self.stack.poll_event() {
            retransmitted = retransmitted.or(self.note(now, event));
        }
        retransmitted
    }

    fn note(&mut self, now: SimTime, event: StackEvent) -> Option<u64> {
        match event {
            StackEvent::Packet(packet) => {
                let packet = self.bundle_with_echo(now, packet)?;
                return self.transmit(now, packet);
            }
            StackEvent::Connected { streams } => self.establish(now, streams),
            StackEvent::Message(_) if self.observed.inbound.hands_on_pieces() => {}
            StackEvent::Message(Message { stream, bytes }) => {
                self.observed.inbound.deliver(now, stream);
                self.events.push_back(Event::Message { stream: stream.into(), bytes });
            }
            StackEvent::Reset { stream, refused } => self.note_reset(stream, refused),
            StackEvent::PeerReset { stream } => self.note_peer_reset(stream),
            StackEvent::Refused => {}
            StackEvent::Closed(reason) => self.close(reason),
        }
        None
    }

    fn establish(&mut self, now: SimTime, streams: u16) {
        if self.echo.is_pending() {
            self.echo.end();
            self.observed.establish();
            self.stack.note_established(now, &self.observed);
        } else if self.phase == Phase::Unconnected {
            self.observed.establish();
            self.stack.note_established(now, &self.observed);
            self.phase = Phase::Connected { streams };
            self.events.push_back(Event::Connected { streams: streams.into() });
        }
    }

    fn close(&mut self, reason: CloseReason) {
        if self.phase != Phase::Closed {
            self.phase = Phase::Closed;
            self.echo.end();
            self.written.clear();
            self.written_bytes = 0;
            self.scheduler.clear();
            self.resets = Resets::default();
            self.events.push_back(Event::Closed(reason));
        }
    }

    /// Queues an SCTP packet with its record for the trace. Returns the number of the packet's first retransmitted
    /// chunk.
    fn transmit(&mut self, now: SimTime, packet: Vec<u8>) -> Option<u64> {
        let packet = SctpPacket::new(self.flow, self.sent_packets, packet, std::mem::take(&mut self.chunks));
        let carried = self.observed.send(now, packet.chunks());
        self.burst_left_bytes = self.burst_left_bytes.saturating_sub(carried.new_bytes);
        self.outgoing.push_back(Transmit {
            kind: chunk::kind(packet.chunks()),
            packet: Packet::Typed(Box::new(packet)),
            cumulative_ack: carried.cumulative_ack,
            chunks: carried.chunks,
        });
        self.sent_packets = self.sent_packets.wrapping_add(1);
        self.asked_again |= carried.asks_again;
        carried.retransmitted
    }

    /// Handles a packet that arrives after the association has ended. The stack answers a SHUTDOWN ACK (RFC 9260 §8.4
    /// rule 5). Other packets are answered with ABORT, unless a rule forbids it ([`chunk::abort_for`]).
    fn handle_out_of_the_blue(&mut self, now: SimTime, packet: &[u8], chunks: &[Chunk]) {
        if chunks.iter().any(|chunk| matches!(chunk, Chunk::ShutdownAck)) {
            self.stack.handle_packet(now, packet);
            self.collect(now);
        } else if let Some(abort) = chunk::abort_for(packet, chunks) {
            self.transmit(now, abort);
        }
    }

    /// Handles a packet while the association exists.
    fn take(&mut self, now: SimTime, packet: &[u8], chunks: &[Chunk]) {
        let drained = self.is_drained();
        let (mut stack_events, mut refused) = (std::mem::take(&mut self.stack_events), false);
        if let Some(packet) = self.closing.admit(packet, chunks, drained) {
            self.stack.handle_packet(now, &packet);
            while let Some(event) = self.stack.poll_event() {
                refused |= matches!(event, StackEvent::Refused);
                stack_events.push(event);
            }
        }
        if self.options.partial_delivery && self.stack.interleaves() {
            self.observed.inbound.hand_on_pieces();
        }
        if !refused {
            self.observed.receive(now, packet, chunks, |rtt| self.stack.note_rtt(rtt));
        }
        let mut retransmitted = None;
        for event in stack_events.drain(..) {
            retransmitted = retransmitted.or(self.note(now, event));
        }
        self.stack_events = stack_events;
        while let Some(Message { stream, bytes }) = self.observed.inbound.poll_piece() {
            self.events.push_back(Event::Message { stream: stream.into(), bytes });
        }
        self.observed.inbound.settle(now);
        self.stack.note_packet(&self.observed, retransmitted);
        if !refused && matches!(self.phase, Phase::Connected { .. }) && self.closing.note_peer(chunks) {
            self.events.push_back(Event::PeerClosed);
        }
        self.go_on(now);
    }

    fn handle_chunks(&mut self, now: SimTime, packet: &[u8], chunks: &[Chunk]) {
        if self.phase == Phase::Closed {
            return self.handle_out_of_the_blue(now, packet, chunks);
        }
        self.begin_burst(now);
        // If the packet has COOKIE ECHO and data, COOKIE ECHO is handled first, alone. The association is then
        // established before the data arrives. Otherwise the RTT of the handshake would not be used
        // (`Observed::handshake_rtt`).
        if self.phase == Phase::Unconnected
            && let Some(echo) = chunk::only_cookie_echo(packet, chunks)
            && let Some(rest) = chunk::without_cookie_echo(packet)
        {
            self.take(now, &echo, &chunks[..1]);
            return self.take(now, &rest, &chunk::parse(&rest).unwrap_or_default());
        }
        for step in self.stack.steps(&self.observed, packet, chunks) {
            self.take(now, &step, &chunk::parse(&step).unwrap_or_default());
        }
        self.take(now, packet, chunks);
    }

    fn is_addressed(&self, packet: &[u8]) -> bool {
        let (from, to) = (self.flow.remote.port().to_be_bytes(), self.flow.local.port().to_be_bytes());
        packet.starts_with(&[from[0], from[1], to[0], to[1]])
    }
}

impl Endpoint for Association {
    fn handle_packet(&mut self, now: SimTime, packet: &[u8]) {
        let Some((_, packet)) = ip::parse(&self.flow, ip::SCTP, packet) else { return };
        if !self.is_addressed(packet) || !super::checksum::is_intact(packet) {
            return;
        }
        let mut chunks = std::mem::take(&mut self.chunks);
        if chunk::read(packet, &mut chunks) {
            self.handle_chunks(now, packet, &chunks);
        }
        self.chunks = chunks;
    }

    fn handle_typed(&mut self, now: SimTime, packet: Box<dyn TypedPacket>) {
        let packet: Box<dyn Any> = packet;
        if let Ok(packet) = packet.downcast::<SctpPacket>()
            && packet.flow == self.flow.reversed()
            && packet.is_well_formed()
        {
            self.handle_chunks(now, &packet.bytes, packet.chunks());
            self.chunks = packet.into_room();
        }
    }

    fn handle_timeout(&mut self, now: SimTime) {
        self.begin_burst(now);
        // if the application has not polled its events until now, it has no messages to send with COOKIE ECHO
        self.echo.note_told();
        let (queued, waits) = (self.outgoing.len(), self.is_awaiting_handshake());
        self.stack.handle_timeout(now);
        let retransmitted = self.collect(now);
        // Before the association is established, only T1-init and T1-cookie cause packets (RFC 9260 §5.1). Afterwards
        // only T3-rtx retransmits data chunks.
        let is_handshake = waits && self.outgoing.len() > queued;
        self.timeouts += u32::from(is_handshake || retransmitted.is_some());
        // the data that is repeated with COOKIE ECHO was not retransmitted by T3-rtx
        let retransmitted = retransmitted.filter(|_| !waits);
        let asked_again = std::mem::take(&mut self.asked_again);
        self.stack.note_timeout(&self.observed, retransmitted, asked_again);
        self.go_on(now);
    }

    fn poll_timeout(&self) -> Option<SimTime> {
        [self.echo.due(), self.stack.poll_timeout()].into_iter().flatten().min()
    }

    fn poll_transmit(&mut self, now: SimTime) -> Option<Transmit> {
        self.carry_out_requests(now);
        self.outgoing.pop_front()
    }

    fn poll_event(&mut self) -> Option<Event> {
        let event = self.events.pop_front().or_else(|| self.poll_room());
        if event.is_none() {
            self.echo.note_told();
        }
        event
    }

    fn sample(&self) -> Option<Sample> {
        let sample = self.stack.sample(&self.observed);
        let state = if self.phase == Phase::Closed { SenderState::Closed } else { sample.state };
        Some(Sample { state, ..sample })
    }

    fn timeouts(&self) -> Timeouts {
        Timeouts { retransmission: self.timeouts, probe: 0 }
    }

    fn blocked(&self) -> &BlockedLog {
        self.observed.inbound.blocked()
    }

    fn arrival(&self, payload: &[u8]) -> Option<Arrival> {
        if !self.is_addressed(payload) || !super::checksum::is_intact(payload) {
            return None;
        }
        let chunks = chunk::parse(payload)?;
        let mut arrival = Arrival { kind: chunk::kind(&chunks), cumulative_ack: None, chunks: DataChunks::default() };
        for chunk in &chunks {
            match chunk {
                Chunk::Data(data) => {
                    if let Some(row) = self.observed.inbound.row_of(data) {
                        arrival.chunks.push(row);
                    }
                }
                Chunk::Sack(Sack { cumulative_tsn, .. }) | Chunk::Shutdown { cumulative_tsn } => {
                    arrival.cumulative_ack = self.observed.outbound.count_at(*cumulative_tsn);
                }
                _ => {}
            }
        }
        Some(arrival)
    }
}

#[cfg(test)]
#[path = "association_test.rs"]
mod tests;
