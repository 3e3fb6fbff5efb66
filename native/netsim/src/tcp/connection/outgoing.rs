//! Makes the segments that a connection sends.

use super::{Connection, HEADERS_BYTES, SACK_BASE_BYTES, SACK_BLOCK_BYTES, TIMESTAMPS_BYTES};
use crate::endpoint::Transmit;
use crate::packet::{Ecn, Packet};
use crate::tcp::segment::{Segment, SegmentOptions, SegmentPacket};
use crate::tcp::sender::Outgoing;
use crate::tcp::state::State;
use crate::time::SimTime;
use crate::trace::{DataChunk, DataChunks, PacketKind};

impl Connection {
    /// Returns the SYN or SYN ACK if one is to be sent.
    pub(super) fn poll_handshake(&mut self, now: SimTime) -> Option<Transmit> {
        if !self.handshake.take_due() || !matches!(self.state, State::SynSent | State::SynReceived) {
            return None;
        }
        let answers = self.state == State::SynReceived;
        let ecn_flags = if answers { self.ecn.syn_ack_flags() } else { self.ecn.syn_flags(self.handshake.sends()) };
        self.handshake.sent(now, &self.profile, &self.clock);
        let offers_timestamps = if answers { self.timestamps.on } else { self.profile.timestamps };
        let segment = Segment {
            seq: self.local.wrap(0),
            ack: answers.then(|| self.wire_ack()),
            // a SYN's window is never scaled (RFC 7323 §2.2)
            window: self.receiver.window().min(65535) as u16,
            syn: true,
            ecn_flags,
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
        Some(self.transmit(segment, Ecn::NotEct, PacketKind::Setup, false))
    }

    pub(super) fn poll_data(&mut self, now: SimTime) -> Option<Transmit> {
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
        let (ecn, reduced) = self.sender.codepoint(bytes.len(), retransmission);
        let ecn_flags = self.ecn.flags(reduced, bytes.is_empty());
        let segment = Segment { seq: self.local.wrap(seq), fin, psh: push, ..self.acknowledging(now, bytes.len()) };
        let segment = Segment { ecn_flags, payload: bytes, ..segment };
        Some(self.transmit(segment, ecn, kind, retransmission))
    }

    pub(super) fn poll_ack(&mut self, now: SimTime) -> Option<Transmit> {
        let flushed = self.flushed.take();
        if !self.state.is_synchronized() || self.state == State::SynReceived {
            return None;
        }
        let acknowledging = match flushed {
            Some(flushed) => flushed,
            None if self.acks.is_due() || self.acks.is_read() => self.acknowledging(now, 0),
            None => return None,
        };
        let segment = Segment { ecn_flags: self.ecn.flags(false, true), ..acknowledging };
        Some(self.transmit(segment, Ecn::NotEct, PacketKind::Ack, false))
    }

    /// Returns a segment at SND.NXT that acknowledges everything received so far, with as many SACK blocks as fit
    /// beside `payload_bytes`.
    pub(super) fn acknowledging(&mut self, now: SimTime, payload_bytes: usize) -> Segment {
        let on = self.timestamps.on;
        let taken = HEADERS_BYTES + if on { TIMESTAMPS_BYTES } else { 0 } + payload_bytes as u64;
        let room = u64::from(self.mtu_bytes).saturating_sub(taken + SACK_BASE_BYTES);
        let limit = (room / SACK_BLOCK_BYTES).min(if on { 3 } else { 4 }) as usize;
        let blocks = if self.sack { self.receiver.sack_blocks(limit) } else { Vec::new() };
        let wire = |seq| self.remote.map_or(0, |remote| remote.wrap(seq));
        let sack = blocks.into_iter().map(|(from, to)| (wire(from), wire(to))).collect();
        let options =
            SegmentOptions { timestamps: on.then(|| self.timestamps.option(now)), sack, ..SegmentOptions::default() };
        if self.receiver.is_half_full() {
            self.acks.handle_half_full();
        }
        self.acks.sent();
        self.timestamps.acknowledged(self.receiver.next());
        let window = (self.receiver.window() >> self.receive_shift).min(65535) as u16;
        Segment { window, options, ..self.bare_segment() }
    }

    pub(super) fn bare_segment(&self) -> Segment {
        Segment { seq: self.local.wrap(self.sender.next()), ack: Some(self.wire_ack()), ..Segment::default() }
    }

    fn wire_ack(&self) -> u32 {
        self.remote.map_or(0, |remote| remote.wrap(self.receiver.next()))
    }

    /// The smallest shift with which the whole buffer can be advertised (at most 14, RFC 7323 §2.3).
    pub(super) fn offered_shift(&self) -> u8 {
        (0..14).find(|shift| self.options.receive_buffer_bytes >> shift <= 65535).unwrap_or(14)
    }

    pub(super) fn transmit(&mut self, segment: Segment, ecn: Ecn, kind: PacketKind, retransmission: bool) -> Transmit {
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
            packet: Packet::Typed(Box::new(SegmentPacket { flow: self.flow, identification, ecn, segment })),
        }
    }
}
