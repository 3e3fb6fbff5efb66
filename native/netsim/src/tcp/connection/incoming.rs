//! Handles the segments that arrive (RFC 9293 §3.10.7).

use super::{Connection, HEADERS_BYTES, TIMESTAMPS_BYTES, TWO_MSL};
use crate::endpoint::{Arrival as Arrived, CloseReason, Event};
use crate::packet::Ecn;
use crate::tcp::ack_policy::AckPolicy;
use crate::tcp::handshake::HandshakeLoss;
use crate::tcp::receiver::Arrival;
use crate::tcp::segment::Segment;
use crate::tcp::sender::{Ack, Negotiated};
use crate::tcp::sequence::SequenceSpace;
use crate::tcp::state::State;
use crate::time::SimTime;
use crate::trace::{DataChunk, DataChunks, PacketKind};

impl Connection {
    pub(super) fn handle_segment(&mut self, now: SimTime, ecn: Ecn, segment: &Segment) {
        match self.state {
            State::Idle => {}
            State::Closed => self.refuse(segment),
            State::Listen => self.handle_in_listen(segment),
            State::SynSent => self.handle_in_syn_sent(now, segment),
            _ => self.handle_synchronized(now, ecn, segment),
        }
    }

    /// Returns what the trace records of a segment that was handled. The record leaves out data beyond all windows that
    /// this end has offered, and acknowledgements of unsent data, because anyone can forge such numbers without knowing
    /// the connection.
    ///
    /// A zero-window probe looks like an acknowledgement and is recorded as an acknowledgement.
    pub(super) fn arrival_of(&self, segment: &Segment) -> Arrived {
        let kind = match segment {
            Segment { rst: true, .. } => PacketKind::Abort,
            Segment { syn: true, .. } => PacketKind::Setup,
            Segment { payload, .. } if !payload.is_empty() => PacketKind::Data,
            Segment { fin: true, .. } => PacketKind::Close,
            _ => PacketKind::Ack,
        };
        let acknowledged = segment.ack.and_then(|ack| self.local.unwrap_wire(ack, self.sender.una()));
        let acknowledged = acknowledged.filter(|number| *number <= self.sender.next().max(1));
        let first = self.remote.and_then(|remote| remote.unwrap_wire(segment.seq, self.receiver.next()));
        let bytes = segment.payload.len();
        let chunks = match first.and_then(|first| first.checked_sub(1)) {
            Some(first) if bytes > 0 && self.receiver.has_offered(1 + first + bytes as u64) => {
                DataChunk { first, bytes: bytes as u32, stream: 0, message: 0, retransmission: false }.into()
            }
            _ => DataChunks::default(),
        };
        let cumulative_ack = acknowledged.and_then(|number| number.checked_sub(1));
        Arrived { kind, cumulative_ack, chunks }
    }

    /// Handles a segment in the state CLOSED (RFC 9293 §3.10.7.1).
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

    /// Handles a segment in the state LISTEN (RFC 9293 §3.10.7.2).
    fn handle_in_listen(&mut self, segment: &Segment) {
        if segment.rst {
            return;
        }
        if segment.ack.is_some() {
            return self.refuse(segment);
        }
        if segment.syn {
            self.ecn.handle_syn(segment.ecn_flags);
            self.negotiate(segment);
            self.state = State::SynReceived;
            self.handshake.ask();
        }
    }

    /// Handles a segment in the state SYN-SENT (RFC 9293 §3.10.7.3).
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
        if acknowledges_syn {
            self.ecn.handle_syn_ack(segment.ecn_flags);
        } else {
            self.ecn.handle_syn(segment.ecn_flags);
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

    /// Applies the peer's SYN: sequence numbers, MSS, window scale, SACK, timestamps. The ECN mode must be agreed on
    /// before this call.
    fn negotiate(&mut self, syn: &Segment) {
        self.remote = Some(SequenceSpace::new(syn.seq));
        let theirs = &syn.options;
        self.sack = self.profile.sack && theirs.sack_permitted;
        self.timestamps.negotiate(self.profile.timestamps, syn);
        if let Some(shift) = theirs.window_scale {
            // RFC 7323 §2.2: the option is in effect if both ends sent it
            self.send_shift = shift;
            self.receive_shift = self.offered_shift();
        }
        // the default is 536 (RFC 9293 §3.7.1); the size of the options is subtracted from the MSS (RFC 6691 §2)
        let largest =
            u64::from(theirs.mss.unwrap_or(536).max(LEAST_MSS)).min(u64::from(self.mtu_bytes) - HEADERS_BYTES);
        let options = if self.timestamps.on { TIMESTAMPS_BYTES } else { 0 };
        let mss = largest - options;
        let negotiated = Negotiated { mss, sack: theirs.sack_permitted, ecn: self.ecn.agreed() };
        self.sender.establish(negotiated, 0, u64::from(syn.window));
        self.acks = AckPolicy::new(self.profile.delayed_ack, self.clock, mss);
    }

    fn establish(&mut self, now: SimTime, segment: &Segment) {
        self.state = State::Established;
        let handshake = std::mem::take(&mut self.handshake);
        let echo = self.timestamps.echo(segment);
        let measured = || handshake.round_trip(now).or(echo.map(|echo| self.timestamps.since(now, echo)));
        let rtt = self.assumed_rtt.or_else(measured);
        // if the echo is the timestamp of our first SYN or SYN ACK, that segment was not lost
        let first = handshake.first_sent_at().map(|at| self.timestamps.value(at));
        let was_first = echo.is_some() && echo == first;
        let loss = if was_first { HandshakeLoss::None } else { handshake.loss() };
        self.sender.handshake_done(now, rtt, loss);
        self.receiver.handle_established(now);
        self.events.push_back(Event::Connected { streams: 1 });
    }

    /// Handles a segment in all other states (RFC 9293 §3.10.7.4).
    fn handle_synchronized(&mut self, now: SimTime, ecn: Ecn, segment: &Segment) {
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
            // RFC 5961 §4.2: a SYN is answered with a challenge ACK
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
        self.ecn.count(ecn);
        self.handle_ack(now, segment, seq, number);
        self.handle_data(now, ecn, segment, seq);
        self.follow_close(now);
    }

    /// Whether the SYNs of the two ends crossed and this segment is the peer's repeated SYN, which acknowledges our SYN
    /// (RFC 9293 §3.5, figure 7, lines 6 and 7).
    fn answers_simultaneous_open(&self, segment: &Segment, seq: u64) -> bool {
        let acknowledges_syn = segment.ack == Some(self.local.wrap(1));
        seq == 0 && segment.syn && !segment.rst && acknowledges_syn
    }

    /// Handles a segment that fails the first check of RFC 9293 §3.10.7.4. Unless the segment is a RST, it is answered
    /// with an acknowledgement. Old data is reported as a duplicate (RFC 2883 §4). In SYN-RECEIVED, a repeated SYN
    /// means that our SYN ACK was lost, so the answer is another SYN ACK.
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
            self.timestamps.note_again(segment, seq + segment.sequence_length());
            self.receiver.note_duplicate(seq, segment.payload.len() as u64);
            self.acks.handle_segment(now, 0, Arrival::Duplicate, None);
        }
        // RFC 9293 drops such a segment. Here the acknowledgement in it counts, as in Linux: a peer that retransmits or
        // probes our closed window sends its acknowledgements in such segments, and possibly sends no other segments.
        if let Some(ack) = segment.ack.filter(|_| !segment.syn && self.state != State::SynReceived)
            && let (Some(seq), Some(number)) = (seq, self.local.unwrap_wire(ack, self.sender.una()))
        {
            self.handle_ack(now, segment, seq, number);
            self.follow_close(now);
        }
        self.acks.acknowledge_now();
    }

    /// Accepts a reset only at exactly RCV.NXT. Answers a reset elsewhere in the window with a challenge ACK (RFC 5961
    /// §3.2).
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
                ecn_flags: segment.ecn_flags,
            },
        );
        if self.above_low_water && self.sender.buffered_bytes() <= self.options.low_water_bytes {
            self.above_low_water = false;
            self.events.push_back(Event::Writable);
        }
    }

    fn handle_data(&mut self, now: SimTime, ecn: Ecn, segment: &Segment, seq: u64) {
        if self.state.has_peer_closed() || (segment.payload.is_empty() && !segment.fin) {
            return;
        }
        let before = self.receiver.next();
        let echo = self.timestamps.echo(segment).map(|echo| (echo, self.timestamps.since(now, echo)));
        if self.receiver.tune(now, (seq, segment.payload.len() as u64), echo, self.sack) {
            self.acks.handle_grown_window();
        }
        let end = seq + segment.payload.len() as u64;
        if seq > before && self.acks.must_flush(self.receiver.block_place(seq, end)) {
            self.flushed = Some(self.acknowledging(now, 0));
        }
        if seq <= before && end > before {
            self.acks.note_size(segment.payload.len() as u64, segment.psh);
        }
        let arrival = self.receiver.handle_segment(now, seq, &segment.payload, segment.fin);
        // a FIN is acknowledged immediately, as in all common stacks
        let arrival = if segment.fin && arrival == Arrival::InOrder { Arrival::FilledGap } else { arrival };
        if !segment.payload.is_empty() {
            self.acks.handle_ecn(self.ecn.handle_data(ecn, segment.ecn_flags));
        }
        self.acks.handle_segment(now, self.receiver.next() - before, arrival, self.sender.srtt());
        // without SACK each segment beyond a gap is reported immediately, also in Linux (`__tcp_ack_snd_check`)
        if arrival == Arrival::OutOfOrder && !self.sack {
            self.acks.acknowledge_now();
        }
        if self.receiver.readable_bytes() > 0 && self.receiver.next() > before && !self.readable_told {
            self.readable_told = true;
            self.events.push_back(Event::Readable { stream: 0 });
        }
    }

    /// Changes the state when our FIN is acknowledged or the peer's FIN is in order (RFC 9293 §3.6).
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
}

/// A smaller MSS of the peer is raised to this number of bytes. Otherwise each acknowledgement could make this end send
/// very many small packets. Linux has had the same limit since CVE-2019-11479 (`tcp_min_snd_mss`): 40 bytes of options
/// and 8 bytes of data.
const LEAST_MSS: u16 = 48;
