//! What an association gives its stack to send, and when.

use super::Association;
use super::Phase;
use crate::sctp::{Message, chunk};
use crate::time::SimTime;

impl Association {
    /// A packet, a timeout, or what is written at one instant may release Max.Burst · PMTU of new data: the first
    /// of the two ways of RFC 9260 §6.1 D, and FreeBSD's. What a packet makes the application write shares the
    /// packet's burst.
    pub(super) fn begin_burst(&mut self, now: SimTime) {
        (self.burst_left_bytes, self.burst_at) = (self.burst_bytes(), now);
    }

    fn burst_bytes(&self) -> usize {
        usize::from(self.settings.max_burst_packets) * self.settings.packet_bytes
    }

    /// Has the stack start over where its own rules would leave an RTO that is far too short, or a window that
    /// belongs to another time, as they are. Only while nothing is outstanding.
    fn start_over(&mut self, now: SimTime) {
        let Some(last_sent) = self.outbound.last_sent() else { return };
        let Some(start) = self.congestion.after_idle(now - last_sent) else { return };
        self.settle_owed_sack(now);
        if !self.owes_sack && self.stack.start_over(now, start) {
            self.congestion.start_over(start, self.stack.metrics());
        }
    }

    /// Gives the stack what it can send at once, a packet's worth at a time, and no more than is left of a burst
    /// (RFC 9260 §6.1 B and D).
    pub(super) fn hand_over(&mut self, now: SimTime) {
        loop {
            // a large message that the stack is still sending blocks the others (N07 §4)
            if self.in_stack_bytes > 0 || !matches!(self.phase, Phase::Connected { .. }) {
                return;
            }
            if self.scheduler.is_empty() || (self.congestion.is_stuck() && !self.outbound.is_empty()) {
                return;
            }
            if self.outbound.is_empty() {
                self.start_over(now);
            }
            let bundle = self.next_bundle();
            if bundle.is_empty() {
                return;
            }
            self.settle_sack(now, &bundle);
            self.in_stack_bytes = bundle.iter().map(|message| message.bytes.len() as u64).sum();
            self.stack.send(now, bundle);
            self.collect(now);
        }
    }

    /// Has the stack send the SACK it owes, if the messages leave no room for it in their packet: it would
    /// split a message to make room. FreeBSD's stack as well sends the SACK by itself then.
    fn settle_sack(&mut self, now: SimTime, bundle: &[Message]) {
        let bytes: usize = bundle.iter().map(|message| chunk::data_chunk_bytes(message.bytes.len())).sum();
        let room_bytes = self.settings.packet_bytes - chunk::COMMON_HEADER_BYTES - chunk::SACK_BYTES;
        if bytes > room_bytes {
            self.settle_owed_sack(now);
        }
    }

    fn settle_owed_sack(&mut self, now: SimTime) {
        if self.owes_sack
            && let Some(cumulative_tsn) = self.inbound.cumulative_tsn()
        {
            self.stack.acknowledge_now(now, cumulative_tsn);
            self.collect(now);
        }
    }

    /// The next messages that the window admits, as many as fit one packet; or one that is larger than a
    /// packet, if the window has room for its first packet.
    fn next_bundle(&mut self) -> Vec<Message> {
        let packet_bytes = self.settings.packet_bytes - chunk::COMMON_HEADER_BYTES;
        // With nothing in flight a packet may always go: cwnd is never less than one (RFC 9260 §7.2.3),
        // and it probes a closed receive window (§6.1 A).
        let mut room_bytes = if self.outbound.is_empty() { packet_bytes } else { self.window_bytes() }
            .min(packet_bytes)
            .min(self.burst_left_bytes);
        let mut bundle = Vec::new();
        while let Some(bytes) = self.scheduler.peek_bytes() {
            let chunk_bytes = chunk::data_chunk_bytes(bytes);
            let spans_packets = chunk_bytes > packet_bytes;
            // Differs: of what spans packets the stack sends a burst, whatever is left of ours; to wait for the next one
            // would cost it a round trip.
            if chunk_bytes.min(packet_bytes) > room_bytes || (spans_packets && !bundle.is_empty()) {
                break;
            }
            bundle.extend(self.scheduler.pop());
            if spans_packets {
                break;
            }
            room_bytes -= chunk_bytes;
        }
        bundle
    }

    /// What cwnd and the peer's receive window still admit, bytes of chunks.
    fn window_bytes(&self) -> usize {
        let Some(metrics) = self.stack.metrics() else { return 0 };
        // A chunk that waits to be sent again counts as in flight: new data waits for it (RFC 9260 §6.1 C).
        metrics.cwnd_bytes.saturating_sub(self.outbound.flight_bytes()).min(metrics.peer_rwnd_bytes) as usize
    }
}
