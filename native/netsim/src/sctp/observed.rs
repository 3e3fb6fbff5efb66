//! The state of an association, as observed from its packets.

use std::time::Duration;

use super::chunk::{Chunk, Reconfigure, Sack};
use super::handshake::Handshake;
use super::inbound::Inbound;
use super::outbound::Outbound;
use crate::time::SimTime;
use crate::trace::DataChunks;

/// The state of an association, as observed from its packets and independent of what its stack reports.
#[derive(Debug, Default)]
pub struct Observed {
    pub outbound: Outbound,
    pub inbound: Inbound,
    handshake: Handshake,
    established: bool,
    owes_sack: bool,
    unsent_bytes: u64,
    /// The sequence number of the request to reset streams that is not answered yet.
    unanswered: Option<u32>,
}

/// The contents of an outgoing packet.
#[derive(Debug, Default)]
pub struct Carried {
    pub chunks: DataChunks,
    /// If the packet has an acknowledgement: the number of chunks received without a gap.
    pub cumulative_ack: Option<u64>,
    /// Bytes of chunks with new data, headers and padding included.
    pub new_bytes: usize,
    /// The number of the packet's first retransmitted chunk (TSN − initial TSN).
    pub retransmitted: Option<u64>,
    /// Whether the packet repeats a request to reset streams that was not answered.
    pub asks_again: bool,
}

impl Observed {
    /// Takes `rtt` as the RTT of the handshake, whatever the handshake measures.
    pub fn assume_handshake_rtt(&mut self, rtt: Duration) {
        self.handshake.assume(rtt);
    }

    /// Notes that messages with a total of `bytes` bytes were given to the stack.
    pub fn give(&mut self, bytes: u64) {
        self.unsent_bytes += bytes;
    }

    /// Notes a packet with these chunks that is sent at `now`. Returns what the packet carries.
    pub fn send(&mut self, now: SimTime, chunks: &[Chunk]) -> Carried {
        let mut carried = Carried::default();
        for chunk in chunks {
            self.handshake.send(now, chunk);
            match chunk {
                Chunk::Data(data) => {
                    let row = self.outbound.send(now, data);
                    if row.retransmission {
                        carried.retransmitted.get_or_insert(row.first);
                    } else {
                        self.unsent_bytes = self.unsent_bytes.saturating_sub(data.bytes.into());
                        carried.new_bytes += data.chunk_bytes as usize;
                    }
                    carried.chunks.push(row);
                }
                Chunk::Sack(Sack { cumulative_tsn, .. }) | Chunk::Shutdown { cumulative_tsn } => {
                    self.owes_sack = false;
                    carried.cumulative_ack = self.inbound.count_at(*cumulative_tsn);
                }
                Chunk::Reconfigure(Reconfigure { request: Some(request), .. }) => {
                    carried.asks_again = self.unanswered.replace(*request) == Some(*request);
                }
                _ => {}
            }
        }
        carried
    }

    /// Notes a packet with these chunks that the stack accepted. Calls `measured` with each RTT that the packet
    /// measures.
    pub fn receive(&mut self, now: SimTime, packet: &[u8], chunks: &[Chunk], mut measured: impl FnMut(Duration)) {
        for chunk in chunks {
            self.handshake.receive(now, chunk);
            match chunk {
                Chunk::Data(data) => {
                    self.owes_sack = true;
                    self.inbound.arrive(now, data, packet);
                }
                Chunk::Sack(sack) => {
                    if let Some(rtt) = self.outbound.handle_sack(now, sack) {
                        measured(rtt);
                    }
                }
                Chunk::Reconfigure(Reconfigure { answer: Some(answer), .. }) => {
                    self.unanswered = self.unanswered.filter(|request| request != answer);
                }
                Chunk::Init { initial_tsn, .. } if !self.established => self.inbound.set_initial(*initial_tsn),
                // each INIT ACK offers another association; after the first INIT ACK was answered, others are dropped
                // (RFC 9260 §5.2.3)
                Chunk::InitAck { initial_tsn, .. } if self.inbound.cumulative_tsn().is_none() => {
                    self.inbound.set_initial(*initial_tsn);
                }
                _ => {}
            }
        }
    }

    /// Notes that the association is established. From now on an INIT does not change the peer's initial TSN.
    pub fn establish(&mut self) {
        self.established = true;
    }

    /// The RTT of the handshake; `None` if it was not measured, or if data has arrived.
    pub fn handshake_rtt(&self) -> Option<Duration> {
        self.handshake.rtt().filter(|_| self.inbound.is_untouched())
    }

    /// Whether data has arrived since this end last sent a SACK, so that the stack may be delaying a SACK (RFC 9260
    /// §6.2).
    pub fn owes_sack(&self) -> bool {
        self.owes_sack
    }

    /// Bytes of user data that the stack has not sent yet.
    pub fn unsent_bytes(&self) -> u64 {
        self.unsent_bytes
    }

    /// Bytes of user data that were given to the stack and are not acknowledged.
    pub fn buffered_bytes(&self) -> u64 {
        self.unsent_bytes + self.outbound.unacknowledged_bytes()
    }

    /// Whether all data that was given to the stack is acknowledged.
    pub fn is_drained(&self) -> bool {
        self.unsent_bytes == 0 && self.outbound.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sctp::chunk::{Data, MessageNumber, Tsn};

    const NOW: SimTime = SimTime::from_ms(10);

    fn data(number: u32) -> Chunk {
        let message = MessageNumber::Ssn(number as u16);
        let tsn = Tsn(7 + number);
        let (unordered, fragment, at) = (false, 0, 0);
        let (bytes, chunk_bytes) = (100, 116);
        Chunk::Data(Data { tsn, stream: 1, message, unordered, bytes, chunk_bytes, ends: true, fragment, at })
    }

    fn sack(number: u32) -> Chunk {
        Chunk::Sack(Sack { cumulative_tsn: Tsn(7 + number), gaps: Vec::new() })
    }

    fn init(initial_tsn: u32) -> Chunk {
        Chunk::Init { initial_tsn: Tsn(initial_tsn), forward_tsn: true }
    }

    fn receive(observed: &mut Observed, chunks: &[Chunk]) -> Vec<Duration> {
        let mut rtts = Vec::new();
        observed.receive(NOW, &[], chunks, |rtt| rtts.push(rtt));
        rtts
    }

    #[test]
    fn a_sack_is_owed_from_the_arrival_of_data_until_a_sack_is_sent() {
        let mut observed = Observed::default();
        receive(&mut observed, &[init(7)]);
        assert!(!observed.owes_sack());
        receive(&mut observed, &[data(0)]);
        assert!(observed.owes_sack());
        assert_eq!(observed.send(NOW, &[data(0)]).cumulative_ack, None);
        assert!(observed.owes_sack());
        assert_eq!(observed.send(NOW, &[sack(0)]).cumulative_ack, Some(1));
        assert!(!observed.owes_sack());
    }

    #[test]
    fn data_given_to_the_stack_is_buffered_until_it_is_acknowledged() {
        let mut observed = Observed::default();
        assert!(observed.is_drained());
        observed.give(200);
        assert_eq!((observed.unsent_bytes(), observed.buffered_bytes(), observed.is_drained()), (200, 200, false));
        let carried = observed.send(NOW, &[data(0)]);
        assert_eq!((carried.new_bytes, carried.chunks.iter().count(), carried.retransmitted), (116, 1, None));
        assert_eq!((observed.unsent_bytes(), observed.buffered_bytes()), (100, 200));
        assert_eq!(receive(&mut observed, &[sack(0)]), [Duration::ZERO]);
        assert_eq!((observed.buffered_bytes(), observed.is_drained()), (100, false));
    }

    #[test]
    fn a_packet_reports_its_first_retransmitted_chunk() {
        let mut observed = Observed::default();
        observed.send(NOW, &[0, 1, 2].map(data));
        let carried = observed.send(NOW, &[1, 2, 3].map(data));
        assert_eq!((carried.retransmitted, carried.new_bytes), (Some(1), 116));
    }

    #[test]
    fn a_request_with_the_same_number_is_a_repetition_until_it_is_answered() {
        let request = |number| Chunk::Reconfigure(Reconfigure { request: Some(number), answer: None });
        let answer = |number| Chunk::Reconfigure(Reconfigure { request: None, answer: Some(number) });
        let mut observed = Observed::default();
        let mut asks_again = |received: &[Chunk], number| {
            receive(&mut observed, received);
            observed.send(NOW, &[request(number)]).asks_again
        };
        assert!(!asks_again(&[], 5) && asks_again(&[], 5) && asks_again(&[answer(4)], 5));
        // the answer may also say that the request must be repeated later (RFC 6525 §5.2.7, In progress)
        assert!(!asks_again(&[answer(5)], 5) && asks_again(&[], 5));
        assert!(!asks_again(&[answer(5)], 6));
        assert!(!observed.send(NOW, &[answer(6)]).asks_again && observed.send(NOW, &[request(6)]).asks_again);
    }

    #[test]
    fn the_rtt_of_the_handshake_is_reported_until_data_arrives() {
        let mut observed = Observed::default();
        observed.send(SimTime::ZERO, &[init(3)]);
        assert_eq!(observed.handshake_rtt(), None);
        receive(&mut observed, &[Chunk::InitAck { initial_tsn: Tsn(7), forward_tsn: true }]);
        assert_eq!(observed.handshake_rtt(), Some(NOW - SimTime::ZERO));
        receive(&mut observed, &[data(0)]);
        assert_eq!(observed.handshake_rtt(), None);
    }
}
