use std::any::Any;
use std::collections::VecDeque;
use std::time::Duration;

use bytes::Bytes;

use super::ack_policy::AckPolicy;
use super::handshake::Handshake;
use super::profile::Profile;
use super::receiver::{Arrival, Receiver};
use super::segment::{Segment, SegmentOptions, SegmentPacket};
use super::sender::{Ack, Outgoing, Sender};
use super::sequence::SequenceSpace;
use super::state::State;
use super::timestamps::Timestamps;
use super::{Error, Options};
use crate::endpoint::{CloseReason, Endpoint, Event, Transmit};
use crate::ip::{self, Flow};
use crate::packet::{Packet, TypedPacket};
use crate::time::SimTime;
use crate::trace::{BlockedLog, DataChunk, DataChunks, PacketKind, Sample, SenderState};

/// One end of a TCP connection (RFC 9293): the handshake, the close, and what lies between [`Sender`] and
/// [`Receiver`].
///
/// A client is opened with [`Connection::connect`]; a server listens from the start and takes the first SYN.
#[derive(Debug)]
pub struct Connection {
    flow: Flow,
    profile: Profile,
    options: Options,
    mtu_bytes: u16,
    state: State,
    local: SequenceSpace,
    remote: Option<SequenceSpace>,
    sender: Sender,
    receiver: Receiver,
    acks: AckPolicy,
    handshake: Handshake,
    timestamps: Timestamps,
    /// The peer's SYN permits SACK (RFC 2018 §2).
    sack: bool,
    /// What the window field is shifted by, theirs and ours (RFC 7323 §2).
    send_shift: u8,
    receive_shift: u8,
    time_wait_until: Option<SimTime>,
    rst_due: Option<Segment>,
    events: VecDeque<Event>,
    readable_told: bool,
    above_low_water: bool,
    packets_sent: u16,
}

/// Twice the maximum segment lifetime. Differs: RFC 9293 §3.4.2 says 4 minutes; every stack in use takes
/// 60 s or less.
const TWO_MSL: Duration = Duration::from_secs(60);

impl Connection {
    /// `initial_sequence` is the SYN's number on the wire.
    pub fn client(flow: Flow, mtu_bytes: u16, options: Options, initial_sequence: u32) -> Self {
        Self::new(flow, mtu_bytes, options, initial_sequence, State::Idle)
    }

    pub fn server(flow: Flow, mtu_bytes: u16, options: Options, initial_sequence: u32) -> Self {
        Self::new(flow, mtu_bytes, options, initial_sequence, State::Listen)
    }

    fn new(flow: Flow, mtu_bytes: u16, options: Options, initial_sequence: u32, state: State) -> Self {
        let mss = u64::from(mtu_bytes) - HEADERS_BYTES;
        let profile = options.profile;
        Connection {
            flow,
            profile,
            options,
            mtu_bytes,
            state,
            local: SequenceSpace::new(initial_sequence),
            remote: None,
            sender: Sender::new(profile, mss, options.send_buffer_bytes),
            receiver: Receiver::new(options.receive_buffer_bytes, mss),
            acks: AckPolicy::new(profile.delayed_ack, mss),
            handshake: Handshake::default(),
            timestamps: Timestamps::new(initial_sequence.rotate_left(16)),
            sack: false,
            send_shift: 0,
            receive_shift: 0,
            time_wait_until: None,
            rst_due: None,
            events: VecDeque::new(),
            readable_told: false,
            above_low_water: false,
            packets_sent: 0,
        }
    }

    /// Starts the handshake.
    ///
    /// # Errors
    /// It is a server's end, or was started before.
    pub fn connect(&mut self) -> Result<(), Error> {
        if self.state != State::Idle {
            return Err(Error::NotIdle);
        }
        self.state = State::SynSent;
        self.handshake.ask();
        Ok(())
    }

    /// Takes what fits the send buffer; gives the number of bytes taken.
    ///
    /// # Errors
    /// This side has closed, or the connection is gone.
    pub fn write(&mut self, bytes: &[u8]) -> Result<usize, Error> {
        if self.sender.buffer_mut().is_closed() || matches!(self.state, State::Closed | State::TimeWait) {
            return Err(Error::Closed);
        }
        let taken = self.sender.buffer_mut().write(bytes);
        self.above_low_water |= self.sender.buffered_bytes() > self.options.low_water_bytes || taken < bytes.len();
        Ok(taken)
    }

    /// Everything that came in order and was not read yet.
    pub fn read(&mut self) -> Bytes {
        self.readable_told = false;
        let bytes = self.receiver.read();
        if self.state.is_synchronized() && self.receiver.window_update_due() {
            self.acks.acknowledge_now();
        }
        bytes
    }

    /// Bytes written and not acknowledged.
    pub fn buffered_bytes(&self) -> u64 {
        self.sender.buffered_bytes()
    }

    /// Sends FIN after what is buffered. No more can be written.
    pub fn close(&mut self) {
        match self.state {
            State::Idle | State::Listen | State::SynSent => self.finish(CloseReason::Finished),
            State::Closed => {}
            _ => self.sender.buffer_mut().close(),
        }
    }

    /// Sends RST and forgets everything (RFC 9293 §3.10.5).
    pub fn abort(&mut self) {
        if self.state.is_synchronized() && self.state != State::TimeWait {
            self.rst_due = Some(Segment { rst: true, ..self.bare_segment() });
        }
        self.finish(CloseReason::LocalAbort);
    }

    fn finish(&mut self, reason: CloseReason) {
        // TIME-WAIT was told as the end
        if !matches!(self.state, State::Closed | State::TimeWait) {
            self.events.push_back(Event::Closed(reason));
        }
        self.state = State::Closed;
        self.handshake = Handshake::default();
        self.time_wait_until = None;
    }

    // --- segments in ---

    fn handle_segment(&mut self, now: SimTime, segment: &Segment) {
        match self.state {
            State::Idle => {}
            State::Closed => self.refuse(segment),
            State::Listen => self.handle_in_listen(segment),
            State::SynSent => self.handle_in_syn_sent(now, segment),
            _ => self.handle_synchronized(now, segment),
        }
    }

    /// RFC 9293 §3.10.7.1.
    fn refuse(&mut self, segment: &Segment) {
        if segment.rst {
            return;
        }
        let reset = match segment.ack {
            Some(ack) => Segment { seq: ack, rst: true, ..Segment::default() },
            None => {
                let ack = segment.seq.wrapping_add(segment.sequence_length() as u32);
                Segment { ack: Some(ack), rst: true, ..Segment::default() }
            }
        };
        self.rst_due = Some(reset);
    }

    /// RFC 9293 §3.10.7.2.
    fn handle_in_listen(&mut self, segment: &Segment) {
        if segment.rst {
            return;
        }
        if segment.ack.is_some() {
            return self.refuse(segment);
        }
        if segment.syn {
            self.negotiate(segment);
            self.state = State::SynReceived;
            self.handshake.ask();
        }
    }

    /// RFC 9293 §3.10.7.3.
    fn handle_in_syn_sent(&mut self, now: SimTime, segment: &Segment) {
        let acknowledges_syn = segment.ack == Some(self.local.wrap(1));
        if segment.ack.is_some() && !acknowledges_syn {
            return self.refuse(segment);
        }
        if segment.rst {
            if acknowledges_syn {
                self.finish(CloseReason::PeerAbort);
            }
            return;
        }
        if !segment.syn {
            return;
        }
        self.negotiate(segment);
        if acknowledges_syn {
            self.establish(now, segment);
            self.acks.acknowledge_now();
        } else {
            // simultaneous open (RFC 9293 §3.5, figure 7)
            self.state = State::SynReceived;
            self.handshake.ask();
        }
    }

    /// Takes the peer's SYN: sequence numbers, MSS, window scale, SACK, timestamps.
    fn negotiate(&mut self, syn: &Segment) {
        self.remote = Some(SequenceSpace::new(syn.seq));
        let theirs = &syn.options;
        self.sack = self.profile.sack && theirs.sack_permitted;
        self.timestamps.negotiate(self.profile.timestamps, syn);
        if let Some(shift) = theirs.window_scale {
            // RFC 7323 §2.2: in effect if both sent it
            self.send_shift = shift;
            self.receive_shift = self.offered_shift();
        }
        // 536 by default (RFC 9293 §3.7.1); options take their bytes from the data (RFC 6691 §2)
        let largest = u64::from(theirs.mss.unwrap_or(536)).min(u64::from(self.mtu_bytes) - HEADERS_BYTES);
        let options = if self.timestamps.on { TIMESTAMPS_BYTES } else { 0 };
        let mss = largest.saturating_sub(options).max(1);
        self.sender.establish(mss, theirs.sack_permitted, 0, u64::from(syn.window));
        self.acks = AckPolicy::new(self.profile.delayed_ack, mss);
    }

    fn establish(&mut self, now: SimTime, segment: &Segment) {
        self.state = State::Established;
        let handshake = std::mem::take(&mut self.handshake);
        let echo = self.timestamps.echo(segment);
        let rtt = handshake.round_trip(now).or(echo.map(|echo| self.timestamps.since(now, echo)));
        // the echo of the first SYN tells that it arrived after all
        let first = handshake.first_sent_at().map(|at| self.timestamps.value(at));
        let was_lost = handshake.was_sent_again() && (echo.is_none() || echo != first);
        self.sender.handshake_done(rtt, was_lost);
        self.events.push_back(Event::Connected { streams: 1 });
    }

    /// RFC 9293 §3.10.7.4.
    fn handle_synchronized(&mut self, now: SimTime, segment: &Segment) {
        let Some(seq) = self.remote.and_then(|remote| remote.unwrap_wire(segment.seq, self.receiver.next())) else {
            return self.handle_unacceptable(now, segment);
        };
        if self.state == State::SynReceived && self.answers_simultaneous_open(segment, seq) {
            self.establish(now, segment);
            return self.acks.acknowledge_now();
        }
        let in_window = self.receiver.accepts(seq, segment.sequence_length());
        if self.timestamps.is_old_duplicate(segment) || !in_window {
            self.handle_unacceptable(now, segment);
            return;
        }
        if segment.rst {
            return self.handle_reset(seq);
        }
        if segment.syn {
            // RFC 5961 §4.2: a challenge
            return self.acks.acknowledge_now();
        }
        let Some(number) = segment.ack.and_then(|ack| self.local.unwrap_wire(ack, self.sender.una())) else { return };
        if number > self.sender.next().max(1) {
            return self.acks.acknowledge_now();
        }
        if self.state == State::SynReceived {
            if number == 0 {
                return;
            }
            self.establish(now, segment);
        }
        self.timestamps.note(segment, seq);
        self.handle_ack(now, segment, seq, number);
        self.handle_data(now, segment, seq);
        self.follow_close(now);
    }

    /// RFC 9293 §3.5, figure 7, lines 7 and 8: both SYNs crossed, and the SYN comes again with the acknowledgement.
    fn answers_simultaneous_open(&self, segment: &Segment, seq: u64) -> bool {
        let acknowledges_syn = segment.ack == Some(self.local.wrap(1));
        seq == 0 && segment.syn && !segment.rst && acknowledges_syn
    }

    /// RFC 9293 §3.10.7.4, first check: an acknowledgement in answer, but not to RST. Old data still counts
    /// as a duplicate to report (RFC 2883 §4), and a SYN again means that our SYN ACK was lost.
    fn handle_unacceptable(&mut self, now: SimTime, segment: &Segment) {
        if segment.rst {
            return;
        }
        if self.state == State::SynReceived && segment.syn && segment.ack.is_none() {
            self.handshake.ask();
            return;
        }
        if self.state == State::TimeWait {
            self.time_wait_until = Some(now + TWO_MSL);
        }
        let seq = self.remote.and_then(|remote| remote.unwrap_wire(segment.seq, self.receiver.next()));
        if let Some(seq) = seq.filter(|_| !segment.payload.is_empty()) {
            self.receiver.note_duplicate(seq, segment.payload.len() as u64);
            self.acks.handle_segment(now, 0, Arrival::Duplicate);
        }
        // Differs: its acknowledgement counts all the same, as Linux takes it. A peer that retransmits, or
        // probes our closed window, acknowledges with such segments, and may never do so otherwise.
        if let Some(ack) = segment.ack.filter(|_| !segment.syn && self.state != State::SynReceived)
            && let (Some(seq), Some(number)) = (seq, self.local.unwrap_wire(ack, self.sender.una()))
        {
            self.handle_ack(now, segment, seq, number);
            self.follow_close(now);
        }
        self.acks.acknowledge_now();
    }

    /// RFC 5961 §3.2: a reset counts at the very next number; elsewhere in the window it is challenged.
    fn handle_reset(&mut self, seq: u64) {
        if seq == self.receiver.next() {
            self.finish(CloseReason::PeerAbort);
        } else {
            self.acks.acknowledge_now();
        }
    }

    fn handle_ack(&mut self, now: SimTime, segment: &Segment, seq: u64, number: u64) {
        let una = self.sender.una();
        let sequence = |wire| self.local.unwrap_wire(wire, una);
        let sack: Vec<(u64, u64)> =
            segment.options.sack.iter().filter_map(|(from, to)| Some((sequence(*from)?, sequence(*to)?))).collect();
        let echo = self.timestamps.echo(segment);
        self.sender.handle_ack(
            now,
            &Ack {
                seq,
                number,
                window: u64::from(segment.window) << self.send_shift,
                sack: &sack,
                echo_rtt: echo.map(|echo| self.timestamps.since(now, echo)),
                is_pure: segment.sequence_length() == 0,
            },
        );
        if self.above_low_water && self.sender.buffered_bytes() <= self.options.low_water_bytes {
            self.above_low_water = false;
            self.events.push_back(Event::Writable);
        }
    }

    fn handle_data(&mut self, now: SimTime, segment: &Segment, seq: u64) {
        if self.state.has_peer_closed() || (segment.payload.is_empty() && !segment.fin) {
            return;
        }
        let before = self.receiver.next();
        let arrival = self.receiver.handle_segment(now, seq, &segment.payload, segment.fin);
        // a FIN is acknowledged at once, as every stack does
        let arrival = if segment.fin && arrival == Arrival::InOrder { Arrival::FilledGap } else { arrival };
        self.acks.handle_segment(now, self.receiver.next() - before, arrival);
        if self.receiver.readable_bytes() > 0 && self.receiver.next() > before && !self.readable_told {
            self.readable_told = true;
            self.events.push_back(Event::Readable { stream: 0 });
        }
    }

    /// RFC 9293 §3.6: moves on when our FIN is acknowledged or theirs is in order.
    fn follow_close(&mut self, now: SimTime) {
        let (ours, theirs) = (self.sender.is_finished(), self.receiver.is_finished());
        if theirs && !self.state.has_peer_closed() {
            self.events.push_back(Event::PeerClosed);
        }
        match self.state.after_fins(ours, theirs) {
            State::Closed => self.finish(CloseReason::Finished),
            State::TimeWait if self.state != State::TimeWait => {
                self.events.push_back(Event::Closed(CloseReason::Finished));
                self.time_wait_until = Some(now + TWO_MSL);
                self.state = State::TimeWait;
            }
            state => self.state = state,
        }
    }

    // --- segments out ---

    /// SYN or SYN ACK.
    fn poll_handshake(&mut self, now: SimTime) -> Option<Transmit> {
        if !self.handshake.take_due() || !matches!(self.state, State::SynSent | State::SynReceived) {
            return None;
        }
        self.handshake.sent(now, &self.profile);
        let answers = self.state == State::SynReceived;
        let offers_timestamps = if answers { self.timestamps.on } else { self.profile.timestamps };
        let segment = Segment {
            seq: self.local.wrap(0),
            ack: answers.then(|| self.wire_ack()),
            // never scaled (RFC 7323 §2.2)
            window: self.receiver.window().min(65535) as u16,
            syn: true,
            options: SegmentOptions {
                mss: Some(self.mtu_bytes - HEADERS_BYTES as u16),
                window_scale: (!answers || self.receive_shift > 0 || self.send_shift > 0).then(|| self.offered_shift()),
                sack_permitted: self.profile.sack,
                timestamps: offers_timestamps.then(|| self.timestamps.option(now)),
                sack: Vec::new(),
            },
            ..Segment::default()
        };
        self.acks.sent();
        self.timestamps.acknowledged(self.receiver.next());
        Some(self.transmit(segment, PacketKind::Setup, false))
    }

    fn poll_data(&mut self, now: SimTime) -> Option<Transmit> {
        if !self.state.may_send_data() {
            return None;
        }
        let Outgoing { seq, bytes, fin, retransmission, push } = self.sender.poll_send(now)?;
        let probe = bytes.is_empty() && !fin;
        if fin {
            self.state = self.state.after_fin_sent();
        }
        if !probe && !retransmission {
            self.acks.data_sent(now);
        }
        let kind = match (bytes.is_empty(), fin) {
            (false, _) => PacketKind::Data,
            (true, true) => PacketKind::Close,
            (true, false) => PacketKind::Control,
        };
        let segment = Segment { seq: self.local.wrap(seq), fin, psh: push, ..self.acknowledging(now, bytes.len()) };
        let segment = Segment { payload: bytes, ..segment };
        Some(self.transmit(segment, kind, retransmission))
    }

    fn poll_ack(&mut self, now: SimTime) -> Option<Transmit> {
        if !self.state.is_synchronized() || self.state == State::SynReceived || !self.acks.is_due(now) {
            return None;
        }
        let segment = self.acknowledging(now, 0);
        Some(self.transmit(segment, PacketKind::Ack, false))
    }

    /// A segment that acknowledges everything so far, at SND.NXT, with as many SACK blocks as fit beside
    /// `payload_bytes`.
    fn acknowledging(&mut self, now: SimTime, payload_bytes: usize) -> Segment {
        let on = self.timestamps.on;
        let taken = HEADERS_BYTES + if on { TIMESTAMPS_BYTES } else { 0 } + payload_bytes as u64;
        let room = u64::from(self.mtu_bytes).saturating_sub(taken + SACK_BASE_BYTES);
        let limit = (room / SACK_BLOCK_BYTES).min(if on { 3 } else { 4 }) as usize;
        let blocks = if self.sack { self.receiver.sack_blocks(limit) } else { Vec::new() };
        let wire = |seq| self.remote.map_or(0, |remote| remote.wrap(seq));
        let sack = blocks.into_iter().map(|(from, to)| (wire(from), wire(to))).collect();
        let options =
            SegmentOptions { timestamps: on.then(|| self.timestamps.option(now)), sack, ..SegmentOptions::default() };
        self.acks.sent();
        self.timestamps.acknowledged(self.receiver.next());
        let window = (self.receiver.window() >> self.receive_shift).min(65535) as u16;
        Segment { window, options, ..self.bare_segment() }
    }

    fn bare_segment(&self) -> Segment {
        Segment { seq: self.local.wrap(self.sender.next()), ack: Some(self.wire_ack()), ..Segment::default() }
    }

    fn wire_ack(&self) -> u32 {
        self.remote.map_or(0, |remote| remote.wrap(self.receiver.next()))
    }

    /// The least shift that lets the whole buffer be advertised (RFC 7323 §2.3: at most 14).
    fn offered_shift(&self) -> u8 {
        (0..14).find(|shift| self.options.receive_buffer_bytes >> shift <= 65535).unwrap_or(14)
    }

    fn transmit(&mut self, segment: Segment, kind: PacketKind, retransmission: bool) -> Transmit {
        let offset = self.local.unwrap_wire(segment.seq, self.sender.una()).unwrap_or(0);
        let chunks = if segment.payload.is_empty() {
            DataChunks::default()
        } else {
            let (first, bytes) = (offset.saturating_sub(1), segment.payload.len() as u32);
            DataChunk { first, bytes, stream: 0, message: 0, retransmission }.into()
        };
        let identification = self.packets_sent;
        self.packets_sent = self.packets_sent.wrapping_add(1);
        Transmit {
            kind,
            cumulative_ack: segment.ack.map(|_| self.receiver.next() - 1),
            chunks,
            packet: Packet::Typed(Box::new(SegmentPacket { flow: self.flow, identification, segment })),
        }
    }
}

impl Endpoint for Connection {
    fn handle_packet(&mut self, now: SimTime, packet: &[u8]) {
        if let Some(segment) = Segment::parse(&self.flow, packet) {
            self.handle_segment(now, &segment);
        }
    }

    fn handle_typed(&mut self, now: SimTime, packet: Box<dyn TypedPacket>) {
        let packet: Box<dyn Any> = packet;
        if let Ok(packet) = packet.downcast::<SegmentPacket>()
            && packet.flow == self.flow.reversed()
        {
            self.handle_segment(now, &packet.segment);
        }
    }

    fn handle_timeout(&mut self, now: SimTime) {
        if self.time_wait_until.take_if(|at| *at <= now).is_some() {
            self.state = State::Closed;
        }
        self.handshake.handle_timeout(now);
        if self.handshake.gave_up(&self.profile) {
            self.finish(CloseReason::ConnectTimeout);
        }
        if self.state.is_synchronized() {
            self.sender.handle_timeout(now);
            if self.sender.gave_up() {
                self.abort();
                if let Some(Event::Closed(reason)) = self.events.back_mut() {
                    *reason = CloseReason::DataTimeout;
                }
            }
        }
    }

    fn poll_timeout(&self) -> Option<SimTime> {
        let own = [self.time_wait_until, self.handshake.poll_timeout()];
        let others = if matches!(self.state, State::Closed | State::TimeWait) {
            [None, None]
        } else {
            [self.sender.poll_timeout(), self.acks.poll_timeout()]
        };
        own.into_iter().chain(others).flatten().min()
    }

    fn poll_transmit(&mut self, now: SimTime) -> Option<Transmit> {
        if let Some(reset) = self.rst_due.take() {
            return Some(self.transmit(reset, PacketKind::Abort, false));
        }
        self.poll_handshake(now).or_else(|| self.poll_data(now)).or_else(|| self.poll_ack(now))
    }

    fn poll_event(&mut self) -> Option<Event> {
        self.events.pop_front()
    }

    fn sample(&self) -> Option<Sample> {
        let sample = self.sender.sample();
        Some(match self.state {
            State::Idle | State::Listen | State::SynSent | State::SynReceived => {
                Sample { state: SenderState::Connecting, ..sample }
            }
            State::Closed | State::TimeWait => Sample { state: SenderState::Closed, ..sample },
            _ => sample,
        })
    }

    fn blocked(&self) -> &BlockedLog {
        self.receiver.blocked()
    }
}

/// IPv4 and TCP headers without options.
const HEADERS_BYTES: u64 = ip::HEADER_BYTES as u64 + 20;
/// The timestamps option with its padding (RFC 7323 appendix A).
const TIMESTAMPS_BYTES: u64 = 12;
/// The SACK option with its padding, and each block in it (RFC 2018 §3).
const SACK_BASE_BYTES: u64 = 4;
const SACK_BLOCK_BYTES: u64 = 8;

#[cfg(test)]
#[path = "connection_test.rs"]
mod tests;
