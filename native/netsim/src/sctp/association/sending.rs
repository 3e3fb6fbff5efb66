//! Decides when an association gives messages to its stack, and which messages.

use super::Association;
use crate::sctp::{SchedulerPolicy, chunk};
use crate::time::SimTime;

impl Association {
    /// Begins a burst. Each received packet, each timeout and the writes of one instant may release Max.Burst · PMTU of
    /// new data. This is the first of the two methods of RFC 9260 §6.1 D. FreeBSD also uses it. Writes in reaction to a
    /// packet share the packet's burst.
    pub(super) fn begin_burst(&mut self, now: SimTime) {
        (self.burst_left_bytes, self.burst_at) = (self.settings.burst_bytes(), now);
    }

    /// Gives the stack the data that the stack can send immediately, in portions of one packet, until the burst is used
    /// up (RFC 9260 §6.1 B and D).
    pub(super) fn hand_over(&mut self, now: SimTime) {
        loop {
            if self.scheduler.is_empty() || !self.is_established() {
                return;
            }
            // a large message that the stack is still sending blocks all other messages (paper N07, §4), unless
            // messages interleave
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

    /// Gives the stack one message from each stream, except the streams whose messages it is still sending. The stack
    /// then alternates between these messages and the message that it is still sending (RFC 8260 §3). It alternates by
    /// weight, which is round-robin if all weights are equal. With `FirstCome`, all other messages wait instead. The
    /// burst can exceed its limit here, because the stack may send a whole burst each time it gets a message.
    ///
    /// The stack's round-robin is not that of RFC 8260 §3.2: the RFC's counts I-DATA chunks, and the stack's counts the
    /// bytes of these chunks (§3.6).
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

    pub(super) fn give_bundle(&mut self, now: SimTime) {
        self.observed.give(self.bundle.iter().map(|message| message.bytes.len() as u64).sum());
        self.stack.send(now, &mut self.bundle, &self.observed);
        self.bundle.clear();
        self.collect(now);
    }

    /// Takes from the scheduler the next messages that the window admits: as many as fit in one packet, or one message
    /// that is larger than a packet if the window has room for its first packet.
    fn fill_bundle(&mut self) {
        let packet_bytes = self.settings.packet_bytes - chunk::COMMON_HEADER_BYTES;
        // If nothing is in flight, one packet may always be sent: cwnd is never smaller than a packet (RFC 9260
        // §7.2.3), and the packet probes a closed receive window (§6.1 A).
        let window_bytes = match self.observed.outbound.is_empty() {
            true => packet_bytes,
            false => packet_bytes.min(self.stack.window_bytes(&self.observed) as usize),
        };
        let mut room_bytes = window_bytes.min(self.burst_left_bytes);
        while let Some(bytes) = self.scheduler.peek_bytes() {
            let chunk_bytes = chunk::data_chunk_bytes(self.options.data_header_bytes(), bytes);
            let spans_packets = chunk_bytes > packet_bytes;
            // If a message spans packets, the stack sends a whole burst of it, even if less is left of the current
            // burst. RFC 9260 §6.1 D would make the message wait for the next burst, which costs a round trip.
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
