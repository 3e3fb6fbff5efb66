mod sending;

use std::collections::VecDeque;

use super::chunk::{self, Chunk};
use super::congestion::{CongestionView, Step};
use super::handshake::Handshake;
use super::inbound::Inbound;
use super::outbound::Outbound;
use super::{DcsctpStack, Message, Options, ProfileSettings, SendError, Stack, StackEvent, StreamScheduler};
use crate::endpoint::{CloseReason, Endpoint, Event, Transmit};
use crate::ip::{self, Flow};
use crate::time::SimTime;
use crate::trace::{BlockedLog, DataChunk, DataChunks, Sample};

/// One end of an SCTP association.
///
/// What the application asks for happens at the next [`Endpoint::poll_transmit`], so that everything
/// asked for at one instant is offered to the stack together. The client calls
/// [`Association::connect`]; both may send after [`Event::Connected`].
pub struct Association {
    flow: Flow,
    settings: ProfileSettings,
    options: Options,
    stack: Box<dyn Stack>,
    phase: Phase,
    asked: Asked,
    /// Taken since the last [`Endpoint::poll_transmit`], in order.
    written: VecDeque<Message>,
    scheduler: StreamScheduler,
    outbound: Outbound,
    inbound: Inbound,
    handshake: Handshake,
    congestion: CongestionView,
    /// User data handed to the stack that it has not sent yet.
    in_stack_bytes: u64,
    /// Bytes in `written`.
    written_bytes: u64,
    /// New data that may leave yet in the burst of `burst_at`, bytes of chunks (RFC 9260 §6.1 D).
    burst_left_bytes: usize,
    burst_at: SimTime,
    /// The stack owes the peer a SACK, which it delays (RFC 9260 §6.2).
    owes_sack: bool,
    /// The peer's SHUTDOWN, kept from the stack until everything of ours is acknowledged.
    held_shutdown: Option<Vec<u8>>,
    peer_closed: bool,
    shutdown_begun: bool,
    /// [`Event::Writable`] is due when the buffered amount has fallen to this.
    writable_at: Option<u64>,
    outgoing: VecDeque<Transmit>,
    events: VecDeque<Event>,
    sent_packets: u16,
}

/// Where an association is and what it is called by.
#[derive(Clone, Copy, Debug)]
pub struct Setup {
    pub flow: Flow,
    /// Largest IP packet.
    pub mtu_bytes: u16,
    /// For tags and the initial TSN.
    pub seed: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    Unconnected,
    Connected { streams: u16 },
    Closed,
}

/// What the application wants done at the next [`Endpoint::poll_transmit`].
#[derive(Debug, Default)]
struct Asked {
    connect: bool,
    shutdown: bool,
    abort: bool,
}

impl Association {
    /// `options` must be valid ([`Options::validate`]).
    pub fn new(setup: Setup, options: Options) -> Self {
        let settings = options.profile.settings(usize::from(setup.mtu_bytes) - ip::HEADER_BYTES);
        let stack = DcsctpStack::new(&setup.flow, &settings, options.streams, setup.seed);
        Association {
            flow: setup.flow,
            settings,
            scheduler: StreamScheduler::new(options.scheduler.clone()),
            options,
            stack: Box::new(stack),
            phase: Phase::Unconnected,
            asked: Asked::default(),
            written: VecDeque::new(),
            outbound: Outbound::default(),
            inbound: Inbound::default(),
            handshake: Handshake::default(),
            congestion: CongestionView::new(settings),
            in_stack_bytes: 0,
            written_bytes: 0,
            burst_left_bytes: 0,
            burst_at: SimTime::ZERO,
            owes_sack: false,
            held_shutdown: None,
            peer_closed: false,
            shutdown_begun: false,
            writable_at: None,
            outgoing: VecDeque::new(),
            events: VecDeque::new(),
            sent_packets: 0,
        }
    }

    /// Starts the handshake.
    pub fn connect(&mut self) {
        self.asked.connect = true;
    }

    /// Takes a message for `stream`, whole or not at all.
    ///
    /// # Errors
    /// Why it was not taken.
    pub fn send(&mut self, stream: u32, message: &[u8]) -> Result<(), SendError> {
        let streams = match self.phase {
            Phase::Unconnected => return Err(SendError::NotConnected),
            Phase::Closed => return Err(SendError::Closing),
            Phase::Connected { .. } if self.asked.shutdown || self.asked.abort || self.peer_closed => {
                return Err(SendError::Closing);
            }
            Phase::Connected { streams } => streams,
        };
        let unknown = SendError::UnknownStream { stream, streams };
        let stream = u16::try_from(stream).ok().filter(|stream| *stream < streams).ok_or(unknown)?;
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
        Ok(())
    }

    /// User data that was taken and is not acknowledged yet, bytes.
    pub fn buffered_bytes(&self) -> u64 {
        self.written_bytes + self.scheduler.queued_bytes() + self.in_stack_bytes + self.outbound.unacknowledged_bytes()
    }

    /// The largest message that is one chunk in one packet, bytes: MTU − IP header − common header −
    /// DATA header (RFC 9260 §3.3.1).
    pub fn max_message_in_packet_bytes(&self) -> usize {
        self.settings.max_message_in_packet_bytes()
    }

    /// The largest message that is taken, bytes: what the send buffer holds, and half a receive buffer, as
    /// the peer must hold a message whole before it can deliver it.
    pub fn max_message_bytes(&self) -> usize {
        (self.options.send_buffer_bytes as usize).min(self.settings.receive_buffer_bytes / 2)
    }

    /// Ends the association once everything taken is acknowledged (RFC 9260 §9.2).
    pub fn shutdown(&mut self) {
        self.asked.shutdown = true;
    }

    /// Ends the association now; what is buffered is dropped (RFC 9260 §9.1).
    pub fn abort(&mut self) {
        self.asked.abort = true;
    }

    /// Does what the application asked for since the last time.
    fn obey(&mut self, now: SimTime) {
        if std::mem::take(&mut self.asked.connect) && self.phase == Phase::Unconnected {
            self.stack.connect(now);
            self.collect(now);
        }
        if self.asked.abort && self.phase != Phase::Closed {
            self.stack.abort(now);
            self.collect(now);
            self.close(CloseReason::LocalAbort); // a stack that has not begun says nothing
        }
        if !self.written.is_empty() && now != self.burst_at {
            self.begin_burst(now);
        }
        // Each message is offered as it is written: it leaves at once, in a packet of its own, if the
        // window is open (no Nagle, as with SCTP_NODELAY), and is bundled only if it has to wait.
        while let Some(message) = self.written.pop_front() {
            self.written_bytes -= message.bytes.len() as u64;
            self.scheduler.push(message);
            self.hand_over(now);
        }
        if self.asked.shutdown && !self.shutdown_begun {
            self.go_on(now);
        }
    }

    /// Hands over what can be sent, and closes if nothing is left to send.
    fn go_on(&mut self, now: SimTime) {
        self.hand_over(now);
        if matches!(self.phase, Phase::Connected { .. }) && self.is_drained() {
            if let Some(shutdown) = self.held_shutdown.take() {
                self.stack.handle_packet(now, &shutdown);
                self.collect(now);
            } else if self.asked.shutdown && !self.shutdown_begun {
                self.shutdown_begun = true;
                self.stack.shutdown(now);
                self.collect(now);
            }
        }
        if self.writable_at.is_some_and(|at| self.buffered_bytes() <= at) && self.phase != Phase::Closed {
            self.writable_at = None;
            self.events.push_back(Event::Writable);
        }
    }

    /// Everything taken has been acknowledged.
    fn is_drained(&self) -> bool {
        self.written.is_empty() && self.scheduler.is_empty() && self.in_stack_bytes == 0 && self.outbound.is_empty()
    }

    /// Takes what the stack has to say; gives the number of the first chunk that it sent again.
    fn collect(&mut self, now: SimTime) -> Option<u64> {
        let mut said = Vec::new();
        while let Some(event) = self.stack.poll_event() {
            said.push(event);
        }
        self.note(now, said)
    }

    fn note(&mut self, now: SimTime, said: Vec<StackEvent>) -> Option<u64> {
        let mut retransmitted = None;
        for event in said {
            match event {
                StackEvent::Packet(packet) => {
                    let again = self.transmit(now, &packet);
                    retransmitted = retransmitted.or(again);
                }
                StackEvent::Connected => self.establish(now),
                StackEvent::Message(Message { stream, bytes }) => {
                    self.inbound.deliver(now, stream);
                    self.events.push_back(Event::Message { stream: stream.into(), bytes });
                }
                StackEvent::Refused => {}
                StackEvent::Closed(reason) => self.close(reason),
            }
        }
        retransmitted
    }

    fn establish(&mut self, now: SimTime) {
        if self.phase != Phase::Unconnected {
            return;
        }
        if let Some(rtt) = self.handshake.rtt()
            && self.inbound.is_untouched()
        {
            let start = self.congestion.after_handshake(rtt);
            self.congestion.observe_handshake(rtt);
            if self.stack.start_over(now, start) {
                self.congestion.start_over(start, self.stack.metrics());
            }
        }
        let streams = self.stack.metrics().map_or(0, |metrics| metrics.outgoing_streams);
        self.phase = Phase::Connected { streams };
        self.events.push_back(Event::Connected { streams: streams.into() });
    }

    fn close(&mut self, reason: CloseReason) {
        if self.phase != Phase::Closed {
            self.phase = Phase::Closed;
            self.written.clear();
            self.written_bytes = 0;
            self.scheduler.clear();
            self.events.push_back(Event::Closed(reason));
        }
    }

    /// Queues a packet of the stack's with what the trace says of it; gives the number of its first chunk that
    /// was sent before.
    fn transmit(&mut self, now: SimTime, packet: &[u8]) -> Option<u64> {
        let chunks = chunk::parse(packet).unwrap_or_default();
        let mut transmit = Transmit {
            packet: ip::packet(&self.flow, ip::SCTP, self.sent_packets, packet).into(),
            kind: chunk::kind(&chunks),
            cumulative_ack: None,
            chunks: DataChunks::default(),
        };
        self.sent_packets = self.sent_packets.wrapping_add(1);
        for chunk in &chunks {
            self.handshake.send(now, chunk);
            match chunk {
                Chunk::Data(data) => {
                    let row = self.outbound.send(now, data);
                    if !row.retransmission {
                        self.in_stack_bytes = self.in_stack_bytes.saturating_sub(data.bytes.into());
                        self.burst_left_bytes = self.burst_left_bytes.saturating_sub(data.chunk_bytes as usize);
                    }
                    transmit.chunks.push(row);
                }
                Chunk::Sack(chunk::Sack { cumulative_tsn, .. }) | Chunk::Shutdown { cumulative_tsn } => {
                    self.owes_sack = false;
                    transmit.cumulative_ack = self.inbound.count_at(*cumulative_tsn);
                }
                _ => {}
            }
        }
        let again = transmit.chunks.iter().find(|chunk: &&DataChunk| chunk.retransmission).map(|chunk| chunk.first);
        self.outgoing.push_back(transmit);
        again
    }

    /// Notes what the peer says, before the stack's answers to it.
    fn observe(&mut self, now: SimTime, chunks: &[Chunk]) {
        for chunk in chunks {
            self.handshake.receive(now, chunk);
            match chunk {
                Chunk::Data(data) => {
                    self.owes_sack = true;
                    self.inbound.arrive(data);
                }
                Chunk::Sack(sack) => {
                    if let Some(rtt) = self.outbound.handle_sack(now, sack) {
                        self.congestion.observe_rtt(rtt);
                    }
                }
                Chunk::Init { initial_tsn, .. } if self.phase == Phase::Unconnected => {
                    self.inbound.set_initial(*initial_tsn);
                }
                // each INIT ACK offers another association; once one is answered, the rest are discarded
                // (RFC 9260 §5.2.3)
                Chunk::InitAck { initial_tsn, .. } if self.inbound.cumulative_tsn().is_none() => {
                    self.inbound.set_initial(*initial_tsn);
                }
                _ => {}
            }
        }
    }

    /// A packet after the end: SHUTDOWN ACK is answered by the stack (RFC 9260 §8.4 rule 5), the rest with
    /// ABORT (rule 8).
    fn handle_out_of_the_blue(&mut self, now: SimTime, packet: &[u8], chunks: &[Chunk]) {
        if chunks.iter().any(|chunk| matches!(chunk, Chunk::ShutdownAck)) {
            self.stack.handle_packet(now, packet);
            self.collect(now);
        } else if let Some(abort) = chunk::abort_for(packet, chunks) {
            self.transmit(now, &abort);
        }
    }

    /// Takes a packet of the association's lifetime.
    fn take(&mut self, now: SimTime, packet: &[u8], chunks: &[Chunk]) {
        let closes = chunks.iter().any(|chunk| matches!(chunk, Chunk::Shutdown { .. }));
        // The peer's SHUTDOWN is kept from the stack while data of ours is not acknowledged: the stack
        // would refuse what the scheduler still holds, and could end with chunks that wait to be sent
        // again. The peer meanwhile acknowledges as before (RFC 9260 §9.2).
        let rest = if closes && !self.is_drained() {
            self.held_shutdown = chunk::only_shutdown(packet);
            chunk::without_shutdown(packet)
        } else {
            Some(packet.to_vec())
        };
        let mut said = Vec::new();
        if let Some(rest) = rest {
            self.stack.handle_packet(now, &rest);
            said.extend(std::iter::from_fn(|| self.stack.poll_event()));
        }
        let refused = said.contains(&StackEvent::Refused);
        if !refused {
            self.observe(now, chunks);
        }
        let retransmitted = self.note(now, said);
        self.inbound.settle(now);
        self.congestion.after_packet(self.step(retransmitted));
        if closes && !refused && !self.peer_closed && matches!(self.phase, Phase::Connected { .. }) {
            self.peer_closed = true;
            self.events.push_back(Event::PeerClosed);
        }
        self.go_on(now);
    }

    /// What to hand to the stack before a SACK, so that it may open the window further.
    ///
    /// The stack lets cwnd grow by at most one PMTU per SACK: L = 1 in RFC 9260 §7.2.1, which allows more.
    /// For an L of 2, half of what a SACK acknowledges is acknowledged to the stack first, by a SACK of its
    /// own. Only in order: a SACK with gaps does not open the window.
    ///
    /// Differs: of a message larger than a packet, which it sends by itself, the stack may send a burst for each
    /// (§6.1 D).
    fn parts(&self, packet: &[u8], chunks: &[Chunk]) -> Vec<Vec<u8>> {
        match chunks {
            [Chunk::Sack(sack)] if sack.gaps.is_empty() => {
                let steps = self.outbound.steps_to(sack.cumulative_tsn, self.settings.abc_limit_packets);
                steps.into_iter().map(|tsn| chunk::with_cumulative_tsn(packet, tsn)).collect()
            }
            _ => Vec::new(),
        }
    }

    /// A SHUTDOWN acknowledges as a SACK without gaps does (RFC 9260 §9.2). The stack would not take it so.
    fn sack_of_shutdown(&self, packet: &[u8], chunks: &[Chunk]) -> Option<Vec<u8>> {
        let [Chunk::Shutdown { cumulative_tsn }] = chunks else { return None };
        let tsn = Some(*cumulative_tsn).filter(|tsn| self.outbound.is_advanced_by(*tsn))?;
        let a_rwnd = self.stack.metrics()?.peer_rwnd_bytes + self.outbound.unacknowledged_bytes();
        chunk::sack(packet, tsn, a_rwnd as u32)
    }

    fn is_addressed(&self, packet: &[u8]) -> bool {
        let (from, to) = (self.flow.remote.port().to_be_bytes(), self.flow.local.port().to_be_bytes());
        packet.starts_with(&[from[0], from[1], to[0], to[1]])
    }

    fn step(&self, retransmitted: Option<u64>) -> Step {
        Step {
            metrics: self.stack.metrics(),
            retransmitted,
            acknowledged: self.outbound.acknowledged(),
            sent: self.outbound.next_number(),
        }
    }
}

impl Endpoint for Association {
    fn handle_packet(&mut self, now: SimTime, packet: &[u8]) {
        let Some((_, packet)) = ip::parse(&self.flow, ip::SCTP, packet) else { return };
        if !self.is_addressed(packet) || !super::checksum::is_intact(packet) {
            return;
        }
        let Some(chunks) = chunk::parse(packet) else { return };
        if self.phase == Phase::Closed {
            return self.handle_out_of_the_blue(now, packet, &chunks);
        }
        self.begin_burst(now);
        if let Some(sack) = self.sack_of_shutdown(packet, &chunks) {
            let chunks = chunk::parse(&sack).unwrap_or_default();
            self.take(now, &sack, &chunks);
        }
        for part in self.parts(packet, &chunks) {
            let chunks = chunk::parse(&part).unwrap_or_default();
            self.take(now, &part, &chunks);
        }
        self.take(now, packet, &chunks);
    }

    fn handle_timeout(&mut self, now: SimTime) {
        self.begin_burst(now);
        self.stack.handle_timeout(now);
        let retransmitted = self.collect(now);
        self.congestion.after_timeout(self.step(retransmitted));
        self.go_on(now);
    }

    fn poll_timeout(&self) -> Option<SimTime> {
        self.stack.poll_timeout()
    }

    fn poll_transmit(&mut self, now: SimTime) -> Option<Transmit> {
        self.obey(now);
        self.outgoing.pop_front()
    }

    fn poll_event(&mut self) -> Option<Event> {
        self.events.pop_front()
    }

    fn sample(&self) -> Option<Sample> {
        let closed = self.phase == Phase::Closed;
        let metrics = self.stack.metrics();
        let flight_bytes = metrics.map_or(0, |metrics| {
            // the stack counts what it has not sent yet as in flight, in chunks of a packet
            if self.in_stack_bytes > 0 {
                return self.outbound.flight_bytes();
            }
            self.outbound.flight_bytes_of(metrics.in_flight_chunks)
        });
        Some(self.congestion.sample(metrics, flight_bytes, closed))
    }

    fn blocked(&self) -> &BlockedLog {
        self.inbound.blocked()
    }
}

#[cfg(test)]
#[path = "association_test.rs"]
mod tests;
