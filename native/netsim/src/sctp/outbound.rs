//! The data that was sent and is not acknowledged, as observed from the packets.

use std::collections::{BTreeMap, VecDeque};
use std::time::Duration;

use super::chunk::{Data, Sack, Tsn};
use crate::time::SimTime;
use crate::trace::DataChunk;

/// Every data chunk that was sent and is not cumulatively acknowledged.
#[derive(Debug, Default)]
pub struct Outbound {
    /// The TSN of the first chunk ever sent.
    initial: Option<Tsn>,
    /// The number of cumulatively acknowledged chunks, which is also the number of the first of `chunks`.
    acknowledged: u64,
    chunks: VecDeque<Sent>,
    flight_bytes: u64,
    unacknowledged_bytes: u64,
    last_sent: Option<SimTime>,
    messages: BTreeMap<u16, Numbering>,
}

/// How the messages of a stream are numbered.
#[derive(Debug, Default)]
struct Numbering {
    /// How many messages were sent on the stream before its last reset.
    before: u32,
    /// The number of the newest message since the last reset.
    newest: Option<u32>,
}

#[derive(Clone, Copy, Debug)]
struct Sent {
    chunk_bytes: u32,
    bytes: u32,
    last_sent: SimTime,
    retransmitted: bool,
    message: u32,
    /// Whether a gap ack block acknowledges the chunk.
    acked: bool,
}

impl Outbound {
    /// Notes a data chunk that is sent at `now`. Returns the chunk's row for the trace.
    pub fn send(&mut self, now: SimTime, data: &Data) -> DataChunk {
        self.last_sent = Some(now);
        let number = self.number(data.tsn);
        let at = number.checked_sub(self.acknowledged).map(|at| at as usize);
        let retransmission = at.is_none_or(|at| at < self.chunks.len());
        let numbering = self.messages.entry(data.stream).or_default();
        let mut message = numbering.before + data.message.unwrapped(numbering.newest.unwrap_or_default());
        if let Some(sent) = at.and_then(|at| self.chunks.get_mut(at)) {
            (sent.last_sent, sent.retransmitted) = (now, true);
            message = sent.message; // the stream may have been reset since the chunk was first sent
        } else if !retransmission {
            numbering.newest = numbering.newest.max(Some(message - numbering.before));
            let Data { chunk_bytes, bytes, .. } = *data;
            let sent = Sent { chunk_bytes, bytes, last_sent: now, retransmitted: false, message, acked: false };
            self.chunks.push_back(sent);
            self.flight_bytes += u64::from(chunk_bytes);
            self.unacknowledged_bytes += u64::from(bytes);
        }
        DataChunk { first: number, bytes: data.bytes, stream: data.stream.into(), message, retransmission }
    }

    /// Notes that the stream's messages are numbered from 0 again on the wire (RFC 6525 §5.2.7). The trace continues
    /// its own numbers.
    pub fn note_reset(&mut self, stream: u16) {
        let numbering = self.messages.entry(stream).or_default();
        numbering.before += numbering.newest.take().map_or(0, |newest| newest + 1);
    }

    /// Handles a SACK that the stack accepted. Returns the RTT that the SACK measures by the stack's rule: the RTT of
    /// the last chunk that the SACK acknowledges, if this chunk is newly acknowledged and was sent once (RFC 9260
    /// §6.3.1 C5).
    pub fn handle_sack(&mut self, now: SimTime, sack: &Sack) -> Option<Duration> {
        let acknowledged = self.covers(sack.cumulative_tsn)?;
        let named = acknowledged + sack.gaps.last().map_or(0, |(_, last)| usize::from(*last));
        let measured = named.checked_sub(1).and_then(|at| self.chunks.get(at));
        let measured = measured.filter(|sent| !sent.acked && !sent.retransmitted);
        let rtt = measured.map(|sent| now - sent.last_sent);
        for _ in 0..acknowledged {
            let sent = self.chunks.pop_front()?;
            self.acknowledged += 1;
            self.unacknowledged_bytes -= u64::from(sent.bytes);
            if !sent.acked {
                self.flight_bytes -= u64::from(sent.chunk_bytes);
            }
        }
        for (first, last) in &sack.gaps {
            for distance in usize::from(*first)..=usize::from(*last) {
                let Some(sent) = distance.checked_sub(1).and_then(|at| self.chunks.get_mut(at)) else { break };
                if !sent.acked {
                    sent.acked = true;
                    self.flight_bytes -= u64::from(sent.chunk_bytes);
                }
            }
        }
        rtt
    }

    /// Splits a cumulative acknowledgement of `tsn` into at most `steps` acknowledgements, each for about the same
    /// number of chunks. Returns the TSNs of all these acknowledgements except the last.
    pub fn steps_to(&self, tsn: Tsn, steps: usize) -> Vec<Tsn> {
        let covered = self.covers(tsn).unwrap_or(0);
        let steps = steps.min(covered);
        (1..steps).map(|step| Tsn(tsn.0.wrapping_sub((covered - covered * step / steps) as u32))).collect()
    }

    /// Bytes of all chunks that are acknowledged neither cumulatively nor by a gap ack block, headers and padding
    /// included.
    pub fn flight_bytes(&self) -> u64 {
        self.flight_bytes
    }

    /// Bytes of the chunks in flight, without those that the stack deems lost. `in_flight_chunks` is how many chunks
    /// the stack counts as in flight. The lost chunks are assumed to be those that were sent longest ago.
    pub fn flight_bytes_of(&self, in_flight_chunks: u64) -> u64 {
        let mut unacked: Vec<_> = self.chunks.iter().filter(|sent| !sent.acked).collect();
        let lost = unacked.len().saturating_sub(in_flight_chunks as usize);
        if lost == 0 {
            return self.flight_bytes;
        }
        unacked.sort_by_key(|sent| sent.last_sent);
        unacked[lost..].iter().map(|sent| u64::from(sent.chunk_bytes)).sum()
    }

    /// Bytes of user data that are not cumulatively acknowledged. Gap ack blocks do not count, because the peer may
    /// revoke them (RFC 9260 §6.2.1).
    pub fn unacknowledged_bytes(&self) -> u64 {
        self.unacknowledged_bytes
    }

    /// When a chunk was last sent, either for the first time or again.
    pub fn last_sent(&self) -> Option<SimTime> {
        self.last_sent
    }

    /// Whether a cumulative acknowledgement of `tsn` acknowledges anything new.
    pub fn is_advanced_by(&self, tsn: Tsn) -> bool {
        self.covers(tsn).is_some_and(|count| count > 0)
    }

    /// The number of cumulatively acknowledged chunks.
    pub fn acknowledged(&self) -> u64 {
        self.acknowledged
    }

    /// The number of the next new chunk.
    pub fn next_number(&self) -> u64 {
        self.acknowledged + self.chunks.len() as u64
    }

    pub fn is_empty(&self) -> bool {
        self.chunks.is_empty()
    }

    /// Converts a cumulative TSN of the peer to the number of chunks that the peer has received without a gap.
    pub fn count_at(&self, cumulative_tsn: Tsn) -> Option<u64> {
        let next = Tsn(self.initial?.0.wrapping_add(self.acknowledged as u32));
        let after = Tsn(cumulative_tsn.0.wrapping_add(1));
        self.acknowledged.checked_add_signed(after.distance_from(next))
    }

    /// Returns TSN − initial TSN, unwrapped.
    fn number(&mut self, tsn: Tsn) -> u64 {
        let initial = *self.initial.get_or_insert(tsn);
        let next = Tsn(initial.0.wrapping_add(self.acknowledged as u32));
        self.acknowledged.saturating_add_signed(tsn.distance_from(next))
    }

    /// Returns how many chunks a cumulative acknowledgement of `tsn` newly covers; `None` if the acknowledgement is
    /// old, or if a chunk with this TSN was never sent.
    fn covers(&self, tsn: Tsn) -> Option<usize> {
        let last_acked = Tsn(self.initial?.0.wrapping_add(self.acknowledged as u32).wrapping_sub(1));
        usize::try_from(tsn.distance_from(last_acked)).ok().filter(|count| *count <= self.chunks.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sctp::chunk::MessageNumber;

    /// A TSN just before the wrap.
    const INITIAL: u32 = u32::MAX - 1;

    fn data(number: u32) -> Data {
        Data {
            tsn: Tsn(INITIAL.wrapping_add(number)),
            stream: 1,
            message: MessageNumber::Ssn(number as u16),
            unordered: false,
            bytes: 97,
            chunk_bytes: 116,
            ends: true,
            fragment: 0,
            at: 0,
        }
    }

    fn sack(cumulative: u32, gaps: &[(u16, u16)]) -> Sack {
        Sack { cumulative_tsn: Tsn(INITIAL.wrapping_add(cumulative)), gaps: gaps.to_vec() }
    }

    fn sent(numbers: std::ops::Range<u32>) -> Outbound {
        let mut outbound = Outbound::default();
        for number in numbers {
            outbound.send(SimTime::from_ms(number.into()), &data(number));
        }
        outbound
    }

    #[test]
    fn numbers_continue_past_the_wraps_of_tsn_and_ssn() {
        let mut outbound = Outbound::default();
        let last = (0..70_000).map(|number| {
            let chunk = outbound.send(SimTime::ZERO, &data(number));
            outbound.handle_sack(SimTime::ZERO, &sack(number, &[]));
            chunk
        });
        let last = last.last().unwrap();
        assert_eq!((last.first, last.message, last.retransmission), (69_999, 69_999, false));
    }

    #[test]
    fn after_a_reset_new_messages_continue_the_numbers_and_retransmissions_keep_them() {
        let mut outbound = sent(0..3);
        // messages 0 to 2 of the stream were sent before its first reset
        outbound.note_reset(1);
        let again = outbound.send(SimTime::ZERO, &Data { message: MessageNumber::Ssn(0), ..data(3) });
        assert_eq!((again.message, again.retransmission), (3, false));
        let late = outbound.send(SimTime::ZERO, &data(1));
        assert_eq!((late.message, late.retransmission), (1, true));
        let next = outbound.send(SimTime::ZERO, &Data { message: MessageNumber::Mid(1), ..data(4) });
        assert_eq!(next.message, 4);
        // another reset without messages in between does not change the numbers
        outbound.note_reset(1);
        outbound.note_reset(1);
        outbound.note_reset(2);
        let first = outbound.send(SimTime::ZERO, &Data { stream: 2, message: MessageNumber::Ssn(0), ..data(5) });
        let after = outbound.send(SimTime::ZERO, &Data { message: MessageNumber::Ssn(0), ..data(6) });
        assert_eq!((first.message, after.message), (0, 5));
    }

    #[test]
    fn the_flight_is_the_bytes_of_unacknowledged_chunks() {
        let mut outbound = sent(0..6);
        assert_eq!((outbound.flight_bytes(), outbound.unacknowledged_bytes()), (6 * 116, 6 * 97));
        outbound.handle_sack(SimTime::from_ms(9), &sack(1, &[(2, 3)]));
        // 2 is missing, 3 and 4 are in the gap ack block, 5 is in flight
        assert_eq!((outbound.flight_bytes(), outbound.unacknowledged_bytes()), (2 * 116, 4 * 97));
        outbound.handle_sack(SimTime::from_ms(9), &sack(1, &[(2, 3)]));
        assert_eq!(outbound.flight_bytes(), 2 * 116);
        outbound.handle_sack(SimTime::from_ms(9), &sack(5, &[]));
        assert!(outbound.is_empty() && outbound.flight_bytes() == 0 && outbound.unacknowledged_bytes() == 0);
    }

    #[test]
    fn a_chunk_sent_before_is_a_retransmission() {
        let mut outbound = sent(0..3);
        assert!(outbound.send(SimTime::from_ms(9), &data(1)).retransmission);
        outbound.handle_sack(SimTime::from_ms(9), &sack(2, &[]));
        assert!(outbound.send(SimTime::from_ms(9), &data(2)).retransmission);
        assert_eq!(outbound.flight_bytes(), 0);
    }

    #[test]
    fn the_last_acknowledged_chunk_measures_the_rtt_if_it_is_new_and_was_sent_once() {
        let measure = |outbound: &mut Outbound, at_ms, sack| {
            outbound.handle_sack(SimTime::from_ms(at_ms), &sack).map(|rtt: Duration| rtt.as_millis())
        };
        let mut outbound = sent(0..8);
        assert_eq!(measure(&mut outbound, 10, sack(0, &[(2, 2)])), Some(8));
        assert_eq!(measure(&mut outbound, 10, sack(0, &[(2, 2)])), None);
        assert_eq!(measure(&mut outbound, 11, sack(2, &[])), None);
        assert_eq!(measure(&mut outbound, 12, sack(3, &[])), Some(9));
        outbound.send(SimTime::from_ms(13), &data(4));
        outbound.send(SimTime::from_ms(13), &data(6));
        assert_eq!(measure(&mut outbound, 20, sack(4, &[])), None);
        assert_eq!(measure(&mut outbound, 20, sack(4, &[])), None);
        assert_eq!(measure(&mut outbound, 20, sack(4, &[(2, 2)])), None);
        assert_eq!(measure(&mut outbound, 20, sack(4, &[(2, 9)])), None);
    }

    #[test]
    fn an_old_or_impossible_sack_changes_nothing() {
        let mut outbound = sent(0..4);
        outbound.handle_sack(SimTime::from_ms(9), &sack(2, &[]));
        assert_eq!(outbound.handle_sack(SimTime::from_ms(9), &sack(0, &[])), None);
        assert_eq!(outbound.handle_sack(SimTime::from_ms(9), &sack(9, &[])), None);
        assert_eq!((outbound.acknowledged(), outbound.next_number()), (3, 4));
        let advanced = [1, 2, 3, 4].map(|number| outbound.is_advanced_by(Tsn(INITIAL.wrapping_add(number))));
        assert_eq!(advanced, [false, false, true, false]);
    }

    #[test]
    fn an_acknowledgement_is_split_into_even_steps() {
        let outbound = sent(0..5);
        let tsn = |number: u32| Tsn(INITIAL.wrapping_add(number));
        assert_eq!(outbound.steps_to(tsn(3), 2), [tsn(1)]);
        assert_eq!(outbound.steps_to(tsn(4), 2), [tsn(1)]);
        assert_eq!(outbound.steps_to(tsn(4), 3), [tsn(0), tsn(2)]);
        assert_eq!(outbound.steps_to(tsn(0), 2), []);
        assert_eq!(outbound.steps_to(tsn(9), 2), []);
    }

    #[test]
    fn the_chunks_sent_longest_ago_count_as_lost() {
        let mut outbound = sent(0..4);
        outbound.send(SimTime::from_ms(9), &Data { chunk_bytes: 116, ..data(0) });
        assert_eq!(outbound.flight_bytes_of(1), 116);
        assert_eq!(outbound.flight_bytes_of(4), 4 * 116);
    }
}
