//! What an association gives its stack to send, and when.

use super::Association;
use super::Phase;
use crate::sctp::{SchedulerPolicy, chunk};
use crate::time::SimTime;

impl Association {
    /// A packet, a timeout, or what is written at one instant may release Max.Burst · PMTU of new data: the first
    /// of the two ways of RFC 9260 §6.1 D, and FreeBSD's. What a packet makes the application write shares the
    /// packet's burst.
    pub(super) fn begin_burst(&mut self, now: SimTime) {
        (self.burst_left_bytes, self.burst_at) = (self.settings.burst_bytes(), now);
    }

    /// Gives the stack what it can send at once, a packet's worth at a time, and no more than is left of a burst
    /// (RFC 9260 §6.1 B and D).
    pub(super) fn hand_over(&mut self, now: SimTime) {
        loop {
            if self.scheduler.is_empty() || !matches!(self.phase, Phase::Connected { .. }) {
                return;
            }
            // a large message that the stack is still sending blocks the others (N07 §4), unless they interleave
            if self.observed.unsent_bytes() > 0 {
                return self.hand_over_beside(now);
            }
            if self.observed.outbound.is_empty() {
                self.stack.note_resumed(now, &self.observed);
                self.collect(now);
            }
            self.fill_bundle();
            if self.bundle.is_empty() {
                return;
            }
            self.give_bundle(now);
        }
    }

    /// Gives the stack a message of each stream of which it has none, to take turns with what it is still sending (RFC
    /// 8260 §3): by weight, which is round-robin where all weigh the same. First-come is to wait. The burst's limit is kept
    /// as far as the stack does not send one for each time that it is given something.
    ///
    /// Differs: RFC 8260 §3.2 counts I-DATA chunks in round-robin, the stack counts their bytes (§3.6).
    fn hand_over_beside(&mut self, now: SimTime) {
        let is_window_closed = self.stack.window_bytes(&self.observed) < self.settings.packet_bytes as u64;
        if !self.stack.interleaves()
            || self.options.scheduler == SchedulerPolicy::FirstCome
            || (self.burst_left_bytes < self.settings.packet_bytes && !is_window_closed)
        {
            return;
        }
        self.bundle.extend(self.scheduler.pop_each(|stream| self.stack.is_sending(stream)));
        if !self.bundle.is_empty() {
            self.give_bundle(now);
        }
    }

    fn give_bundle(&mut self, now: SimTime) {
        self.observed.give(self.bundle.iter().map(|message| message.bytes.len() as u64).sum());
        self.stack.send(now, &mut self.bundle, &self.observed);
        self.bundle.clear();
        self.collect(now);
    }

    /// Takes the next messages that the window admits, as many as fit one packet; or one that is larger than a
    /// packet, if the window has room for its first packet.
    fn fill_bundle(&mut self) {
        let packet_bytes = self.settings.packet_bytes - chunk::COMMON_HEADER_BYTES;
        // With nothing in flight a packet may always go: cwnd is never less than one (RFC 9260 §7.2.3),
        // and it probes a closed receive window (§6.1 A).
        let window_bytes = match self.observed.outbound.is_empty() {
            true => packet_bytes,
            false => packet_bytes.min(self.stack.window_bytes(&self.observed) as usize),
        };
        let mut room_bytes = window_bytes.min(self.burst_left_bytes);
        while let Some(bytes) = self.scheduler.peek_bytes() {
            let chunk_bytes = chunk::data_chunk_bytes(self.options.data_header_bytes(), bytes);
            let spans_packets = chunk_bytes > packet_bytes;
            // Differs: of what spans packets the stack sends a burst, whatever is left of ours; to wait for the next one
            // would cost it a round trip.
            if chunk_bytes.min(packet_bytes) > room_bytes || (spans_packets && !self.bundle.is_empty()) {
                break;
            }
            self.bundle.extend(self.scheduler.pop());
            if spans_packets {
                break;
            }
            room_bytes -= chunk_bytes;
        }
    }
}
