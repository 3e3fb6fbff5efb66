use std::time::Duration;

use super::chunk::Tsn;
use super::scheduler::Message;
use crate::endpoint::CloseReason;
use crate::time::SimTime;

/// An SCTP stack for one association, sans-IO. Packets are SCTP packets, without IP header.
///
/// After each call, drain [`Stack::poll_event`]; then ask [`Stack::poll_timeout`].
pub trait Stack {
    /// Starts the handshake as a client. Without it, the stack waits for a client.
    fn connect(&mut self, now: SimTime);

    /// Takes a packet, or what was made of one. Its checksum is not looked at: the packet's was right.
    fn handle_packet(&mut self, now: SimTime, packet: &[u8]);

    /// Fires every timer whose deadline has come.
    fn handle_timeout(&mut self, now: SimTime);

    fn poll_timeout(&self) -> Option<SimTime>;

    /// Takes messages that fit one packet together, or one message larger than a packet, to send at once.
    fn send(&mut self, now: SimTime, messages: Vec<Message>);

    /// Sends the SACK that it delays, if it can be made to. `cumulative_tsn`: the last received without a gap.
    fn acknowledge_now(&mut self, now: SimTime, cumulative_tsn: Tsn);

    /// Ends the association gracefully (RFC 9260 §9.2). Everything sent has been acknowledged.
    fn shutdown(&mut self, now: SimTime);

    /// Ends the association with ABORT (RFC 9260 §9.1).
    fn abort(&mut self, now: SimTime);

    /// Goes on from `start` as if it had just been established, if it can: nothing of ours is outstanding and
    /// nothing of the peer's waits for an earlier chunk. Tells whether it did. A SACK that it delays is
    /// forgotten: see [`Stack::acknowledge_now`].
    fn start_over(&mut self, now: SimTime, start: Start) -> bool;

    fn poll_event(&mut self) -> Option<StackEvent>;

    /// `None` unless there is an association.
    fn metrics(&self) -> Option<StackMetrics>;
}

/// What a stack has to say, in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StackEvent {
    /// A packet to send.
    Packet(Vec<u8>),
    Connected,
    Message(Message),
    /// The packet just handed in was not taken: malformed, of another association, or out of state.
    Refused,
    Closed(CloseReason),
}

/// What a stack that starts over goes on from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Start {
    /// Until the first measurement of the RTT (RFC 9260 §6.3.1 C1).
    pub rto: Duration,
    /// Kept if `None`.
    pub window: Option<Window>,
}

/// Congestion window and slow start threshold, bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    pub cwnd_bytes: u64,
    pub ssthresh_bytes: u64,
}

/// A stack's view of the path and of the negotiated streams.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StackMetrics {
    pub cwnd_bytes: u64,
    /// What the peer's receive buffer still has room for, data in flight taken off, bytes.
    pub peer_rwnd_bytes: u64,
    /// Chunks in flight: neither acknowledged nor deemed lost.
    pub in_flight_chunks: u64,
    /// `None` before the first measurement.
    pub srtt: Option<Duration>,
    /// min(requested, offered), for this end as a sender.
    pub outgoing_streams: u16,
}
