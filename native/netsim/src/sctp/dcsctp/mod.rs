//! Uses dcSCTP as the SCTP stack of an association. This module also does what only dcSCTP needs: it reconstructs the
//! RTO and ssthresh, which dcSCTP does not report, makes dcSCTP send a SACK that it delays, and moves the state of
//! dcSCTP into a new instance with other options.

mod congestion;
mod handover;
mod options;
mod random;
mod rto;
mod steps;

use std::collections::VecDeque;
use std::time::Duration;

use dcsctp::api::{
    DcSctpSocket, ErrorKind, Message as DcsctpMessage, Options, PpId, SendOptions, SocketEvent, SocketState,
    SocketTime, StreamId,
};

use self::congestion::{CongestionView, Metrics, Start, Step};
use self::random::RandomState;
use super::chunk::{self, Chunk};
use super::observed::Observed;
use super::{Message, ProfileSettings, SchedulerPolicy, Setup, Stack, StackEvent, StackKind};
use crate::endpoint::CloseReason;
use crate::time::SimTime;
use crate::trace::Sample;

/// dcSCTP, the SCTP stack of WebRTC, for one association.
///
/// The patches in `native/patches` correct some deviations of dcSCTP from RFC 9260. Traces show these other deviations,
/// which the patches leave:
/// - A message that is larger than a packet is split so that it fills cwnd to the byte, which causes small fragments.
/// - A chunk can be fast retransmitted a second time within an RTT, and a timeout does not end fast recovery (§7.2.4).
/// - dcSCTP does not measure the RTT of the handshake (§6.3.1). This crate measures it. When the association is
///   established, this crate restarts dcSCTP with an RTO that follows from this RTT, if dcSCTP can hand over its state
///   at that time.
pub struct DcsctpStack {
    socket: Box<dyn DcSctpSocket>,
    options: Options,
    settings: ProfileSettings,
    data_header_bytes: usize,
    /// The socket's initial RTO. The socket reports this value as the SRTT until it has measured an SRTT.
    initial_rto: Duration,
    /// When the socket was last called.
    called: Option<SimTime>,
    /// The metrics after the last call; `None` if there is no association.
    metrics: Option<Metrics>,
    random: RandomState,
    /// Whether the peer supports partial reliability, so that a FORWARD TSN is allowed.
    forward_tsn: bool,
    /// The common header of the peer's last packet.
    peer_header: [u8; chunk::COMMON_HEADER_BYTES],
    /// Whether the application of this end has aborted the association.
    aborted: bool,
    /// Events to return before those of the socket.
    queued_events: VecDeque<StackEvent>,
    /// The remaining events of a socket event that became several events.
    rest: VecDeque<StackEvent>,
    congestion: CongestionView,
}

impl DcsctpStack {
    pub const KIND: StackKind = StackKind {
        name: "dcsctp",
        make: |setup, settings, options| Box::new(DcsctpStack::new(setup, settings, options)),
    };

    pub fn new(setup: &Setup, settings: &ProfileSettings, asked: &super::Options) -> Self {
        let options = options::options(&setup.flow, settings, asked);
        let mut socket = dcsctp::new_socket("", &options);
        if let SchedulerPolicy::Weighted(weights) = &asked.scheduler {
            // these weights apply to messages that interleave
            for (stream, weight) in weights.iter().enumerate() {
                socket.set_stream_priority(StreamId(stream as u16), *weight);
            }
        }
        DcsctpStack {
            socket,
            data_header_bytes: asked.data_header_bytes(),
            initial_rto: options.rto_initial,
            called: None,
            metrics: None,
            options,
            settings: *settings,
            random: RandomState(setup.seed),
            forward_tsn: false,
            peer_header: [0; chunk::COMMON_HEADER_BYTES],
            aborted: false,
            queued_events: VecDeque::new(),
            rest: VecDeque::new(),
            congestion: CongestionView::new(*settings),
        }
    }

    /// Calls the stack at `now` with this association's random numbers.
    fn call(&mut self, now: SimTime, call: impl FnOnce(&mut dyn DcSctpSocket)) {
        let socket = self.socket.as_mut();
        let is_later = self.called.replace(now) != Some(now);
        self.random.lend(|| {
            if is_later {
                socket.advance_time(socket_time(now));
            }
            call(socket);
        });
        self.metrics = self.read_metrics();
    }

    /// Makes the stack send a SACK that it delays, by giving it a FORWARD TSN that skips nothing (RFC 3758 §3.6).
    /// Returns true if no SACK is delayed any more.
    fn acknowledge_now(&mut self, now: SimTime, seen: &Observed) -> bool {
        if !seen.owes_sack() {
            return true;
        }
        let Some(cumulative_tsn) = seen.inbound.cumulative_tsn().filter(|_| self.forward_tsn) else { return false };
        let forward_tsn = if self.interleaves() { chunk::i_forward_tsn } else { chunk::forward_tsn };
        let packet = forward_tsn(&self.peer_header, cumulative_tsn);
        self.call(now, |socket| socket.handle_input(&packet));
        let queued_before = self.queued_events.len();
        self.listen();
        let acknowledges = |event: &StackEvent| {
            matches!(event, StackEvent::Packet(packet)
                if chunk::parse(packet).is_some_and(|chunks| chunks.iter().any(|chunk| matches!(chunk, Chunk::Sack(_)))))
        };
        self.queued_events.iter().skip(queued_before).any(acknowledges)
    }

    /// Moves the socket's events to `queued_events`.
    fn listen(&mut self) {
        while let Some(event) = self.poll_socket() {
            self.queued_events.push_back(event);
        }
    }

    fn poll_socket(&mut self) -> Option<StackEvent> {
        if !self.rest.is_empty() {
            return self.rest.pop_front();
        }
        while let Some(event) = self.socket.poll_event() {
            match event {
                SocketEvent::SendPacket(packet) => return Some(StackEvent::Packet(packet)),
                SocketEvent::OnConnected() => {
                    let metrics = self.socket.get_metrics();
                    let streams = metrics.map_or(0, |metrics| metrics.negotiated_maximum_outgoing_streams);
                    return Some(StackEvent::Connected { streams });
                }
                SocketEvent::OnClosed() if self.aborted => return Some(StackEvent::Closed(CloseReason::LocalAbort)),
                SocketEvent::OnClosed() => return Some(StackEvent::Closed(CloseReason::Finished)),
                SocketEvent::OnAborted(error, message) => {
                    return Some(StackEvent::Closed(close_reason(error, &message)));
                }
                SocketEvent::OnStreamsResetPerformed(streams) => {
                    return self.queue_for_each(&streams, |stream| StackEvent::Reset { stream, refused: false });
                }
                SocketEvent::OnStreamsResetFailed(streams) => {
                    return self.queue_for_each(&streams, |stream| StackEvent::Reset { stream, refused: true });
                }
                SocketEvent::OnIncomingStreamReset(streams) => {
                    // the messages that the socket still has were sent before the reset
                    while let Some(message) = self.poll_message() {
                        self.rest.push_back(message);
                    }
                    return self.queue_for_each(&streams, |stream| StackEvent::PeerReset { stream });
                }
                SocketEvent::OnError(ErrorKind::ParseFailed | ErrorKind::NotConnected, _) => {
                    return Some(StackEvent::Refused);
                }
                _ => {}
            }
        }
        self.poll_message()
    }

    fn poll_message(&mut self) -> Option<StackEvent> {
        let message = self.socket.get_next_message()?;
        Some(StackEvent::Message(Message { stream: message.stream_id.0, bytes: message.payload }))
    }

    /// Queues one event for each stream and returns the first.
    fn queue_for_each(&mut self, streams: &[StreamId], event_of: impl Fn(u16) -> StackEvent) -> Option<StackEvent> {
        self.rest.extend(streams.iter().map(|stream| event_of(stream.0)));
        self.rest.pop_front()
    }

    fn read_metrics(&self) -> Option<Metrics> {
        let metrics = self.socket.get_metrics()?;
        Some(Metrics {
            cwnd_bytes: metrics.cwnd_bytes as u64,
            peer_rwnd_bytes: metrics.peer_rwnd_bytes.into(),
            in_flight_chunks: metrics.unack_data_count as u64,
            interleaves: metrics.uses_message_interleaving,
            srtt: (metrics.srtt != self.initial_rto).then_some(metrics.srtt),
        })
    }

    fn step(&self, seen: &Observed, retransmitted: Option<u64>) -> Step {
        Step {
            metrics: self.metrics,
            retransmitted,
            acknowledged: seen.outbound.acknowledged(),
            sent: seen.outbound.next_number(),
        }
    }
}

#[cfg(test)]
impl DcsctpStack {
    /// Returns the stack's metrics and the view that is computed from them.
    pub(super) fn views(&self) -> (Option<Metrics>, &CongestionView) {
        (self.metrics, &self.congestion)
    }
}

impl Stack for DcsctpStack {
    fn connect(&mut self, now: SimTime) {
        self.call(now, |socket| socket.connect());
    }

    fn handle_packet(&mut self, now: SimTime, packet: &[u8]) {
        if let Some(header) = packet.first_chunk() {
            self.peer_header = *header;
        }
        if let Some(forward_tsn) = chunk::offer_of_forward_tsn(packet) {
            self.forward_tsn = forward_tsn;
        }
        self.call(now, |socket| socket.handle_input(packet));
    }

    fn handle_timeout(&mut self, now: SimTime) {
        // a late timer may expire a second time at the same instant, so `call` has to pass the time on again
        self.called = None;
        self.call(now, |_| {});
    }

    fn poll_timeout(&self) -> Option<SimTime> {
        let at = self.socket.poll_timeout();
        let since_start = at - SocketTime::zero();
        (at != SocketTime::infinite_future()).then(|| SimTime::ZERO + since_start)
    }

    /// If the messages leave no room in their packet for a delayed SACK, the SACK is sent first in its own packet.
    /// Otherwise dcsctp would split a message to make room. FreeBSD also sends the SACK in its own packet in this case.
    fn send(&mut self, now: SimTime, messages: &mut Vec<Message>, seen: &Observed) {
        let bytes = messages.iter().map(|message| chunk::data_chunk_bytes(self.data_header_bytes, message.bytes.len()));
        let bytes: usize = bytes.sum();
        if bytes > self.settings.packet_bytes - chunk::COMMON_HEADER_BYTES - chunk::SACK_BYTES {
            self.acknowledge_now(now, seen);
        }
        let taken =
            |message: Message| DcsctpMessage::new(StreamId(message.stream), PpId(UNSPECIFIED_PAYLOAD), message.bytes);
        let (last, options) = (messages.pop().map(taken), SendOptions::default());
        self.call(now, |socket| {
            // This cannot fail: the association is established and not shutting down, and the messages are within
            // limits.
            let sent = match last {
                Some(only) if messages.is_empty() => socket.send(only, &options).is_ok(),
                last => socket.send_many(messages.drain(..).map(taken).chain(last).collect(), &options).is_ok(),
            };
            debug_assert!(sent);
        });
    }

    fn shutdown(&mut self, now: SimTime) {
        self.call(now, |socket| socket.shutdown());
    }

    fn abort(&mut self, now: SimTime) {
        self.aborted = true;
        self.call(now, |socket| socket.close());
    }

    fn poll_event(&mut self) -> Option<StackEvent> {
        self.queued_events.pop_front().or_else(|| self.poll_socket())
    }

    fn window_bytes(&self, seen: &Observed) -> u64 {
        let Some(metrics) = self.metrics else { return 0 };
        // A chunk that waits for its retransmission counts as in flight, because new data waits for it (RFC 9260 §6.1
        // C).
        metrics.cwnd_bytes.saturating_sub(seen.outbound.flight_bytes()).min(metrics.peer_rwnd_bytes)
    }

    fn sample(&self, seen: &Observed) -> Sample {
        let metrics = self.metrics;
        let flight_bytes = metrics.map_or(0, |metrics| {
            // while there is unsent data, `in_flight_chunks` counts it too
            if seen.unsent_bytes() > 0 {
                return seen.outbound.flight_bytes();
            }
            seen.outbound.flight_bytes_of(metrics.in_flight_chunks)
        });
        self.congestion.sample(metrics, flight_bytes)
    }

    fn streams_before_cookie_ack(&self) -> Option<u16> {
        // before the INIT ACK arrives, there are no metrics
        let metrics = self.socket.get_metrics().filter(|_| self.socket.state() == SocketState::Connecting)?;
        Some(metrics.negotiated_maximum_outgoing_streams)
    }

    fn interleaves(&self) -> bool {
        self.metrics.is_some_and(|metrics| metrics.interleaves)
    }

    fn is_sending(&self, stream: u16) -> bool {
        self.socket.buffered_amount(StreamId(stream)) > 0
    }

    fn reset(&mut self, now: SimTime, streams: &[u16]) -> bool {
        let streams: Vec<_> = streams.iter().map(|stream| StreamId(*stream)).collect();
        let mut taken = false;
        self.call(now, |socket| taken = socket.reset_streams(&streams).is_ok());
        taken
    }

    fn steps(&self, seen: &Observed, packet: &[u8], chunks: &[Chunk]) -> Vec<Vec<u8>> {
        self.parts(seen, packet, chunks)
    }

    fn note_established(&mut self, now: SimTime, seen: &Observed) {
        if let Some(rtt) = seen.handshake_rtt() {
            let start = self.congestion.after_handshake(rtt);
            self.congestion.observe_handshake(rtt);
            self.start_over(now, start);
        }
    }

    /// Restarts the stack after an idle time, because the stack itself would keep an outdated window.
    fn note_resumed(&mut self, now: SimTime, seen: &Observed) {
        if let Some(last_sent) = seen.outbound.last_sent()
            && let Some(start) = self.congestion.after_idle(now - last_sent)
            && self.acknowledge_now(now, seen)
        {
            self.start_over(now, start);
        }
    }

    fn note_rtt(&mut self, rtt: Duration) {
        self.congestion.observe_rtt(rtt);
    }

    fn note_packet(&mut self, seen: &Observed, retransmitted: Option<u64>) {
        self.congestion.after_packet(self.step(seen, retransmitted));
    }

    fn note_timeout(&mut self, seen: &Observed, retransmitted: Option<u64>, asked_again: bool) {
        self.congestion.after_timeout(self.step(seen, retransmitted), asked_again);
    }
}

fn close_reason(error: ErrorKind, message: &str) -> CloseReason {
    match error {
        ErrorKind::TooManyRetries if message.starts_with("No ") => CloseReason::ConnectTimeout,
        ErrorKind::TooManyRetries => CloseReason::DataTimeout,
        ErrorKind::PeerReported => CloseReason::PeerAbort,
        _ => CloseReason::ProtocolViolation,
    }
}

fn socket_time(now: SimTime) -> SocketTime {
    SocketTime::zero() + Duration::from_nanos(now.as_ns())
}

/// The payload protocol identifier that means unspecified (RFC 9260 §3.3.1).
const UNSPECIFIED_PAYLOAD: u32 = 0;
