use std::net::Ipv4Addr;

use crate::packet::{Packet, TypedPacket};
use crate::time::SimTime;
use crate::trace::{BlockedLog, DataChunks, PacketKind, Sample, Timeouts};

/// One end of a transport, sans-IO. The driver passes packets and the time to it, and takes packets and events from it.
///
/// After each `handle_*` and each call of the application, drain [`Endpoint::poll_transmit`] and
/// [`Endpoint::poll_event`], then ask [`Endpoint::poll_timeout`] when to call again.
pub trait Endpoint {
    /// Handles a whole IPv4 packet. A packet that does not parse, or that is addressed to another endpoint, is ignored.
    fn handle_packet(&mut self, now: SimTime, packet: &[u8]);

    /// Handles a packet in its sender's own representation. The effect is the same as if [`Endpoint::handle_packet`]
    /// were given the packet's bytes.
    fn handle_typed(&mut self, now: SimTime, packet: Box<dyn TypedPacket>) {
        self.handle_packet(now, &packet.to_wire());
    }

    /// Fires every timer whose deadline is at or before `now`.
    fn handle_timeout(&mut self, now: SimTime);

    /// The earliest deadline of all timers; `None` if no timer is set.
    fn poll_timeout(&self) -> Option<SimTime>;

    /// Returns the next packet to send now.
    fn poll_transmit(&mut self, now: SimTime) -> Option<Transmit>;

    /// Returns the next event for the application.
    fn poll_event(&mut self) -> Option<Event>;

    /// The sender's current view of the path; `None` for a transport without congestion control.
    fn sample(&self) -> Option<Sample>;

    /// How often the retransmission and probe timers of this end have fired; zero for a transport without such timers.
    fn timeouts(&self) -> Timeouts {
        Timeouts::default()
    }

    /// The data that has arrived at this end since the start and had to wait for earlier data of its stream.
    fn blocked(&self) -> &BlockedLog;

    /// Whether the connection of a client can follow it to a new address now. A QUIC connection can do so before it
    /// connects, and when its handshake is confirmed (RFC 9000 §9). A connection that does not follow keeps the old
    /// address, at which nothing arrives any more.
    fn can_change_address(&self) -> bool {
        false
    }

    /// Tells a client that its address is now `address`. Call this only if [`Endpoint::can_change_address`].
    fn change_address(&mut self, _now: SimTime, _address: Ipv4Addr) {}

    /// The address of the peer to which the last packet of [`Endpoint::poll_transmit`] goes. `None` if ends of this
    /// transport cannot change their addresses.
    fn destination(&self) -> Option<Ipv4Addr> {
        None
    }

    /// Returns what the trace records of a packet that this end has handled and whose sender is on a real network.
    /// `payload` is the packet without its IP header. Returns `None` if the packet cannot be read or is addressed to
    /// another end, or if the transport does not support live ends.
    fn arrival(&self, _payload: &[u8]) -> Option<Arrival> {
        None
    }
}

/// The initial window in packets for ends whose window must not limit a page load. It is the largest value that QUIC's
/// option `firstWindowPackets` allows.
pub const UNLIMITED_WINDOW_PACKETS: u16 = 1000;

/// What the trace records of a packet whose sender is on a real network. The fields mean the same as those of
/// [`Transmit`], but `retransmission` of the chunks is not known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Arrival {
    pub kind: PacketKind,
    pub cumulative_ack: Option<u64>,
    pub chunks: DataChunks,
}

/// A packet to send, and what the trace records of this packet.
#[derive(Debug, PartialEq, Eq)]
pub struct Transmit {
    pub packet: Packet,
    pub kind: PacketKind,
    /// The cumulative acknowledgement. TCP: the next expected byte, where the first byte of data is 0. SCTP: the number
    /// of chunks received without a gap. QUIC: one past the largest acknowledged number of 0-RTT and 1-RTT packets.
    pub cumulative_ack: Option<u64>,
    /// The data in the packet. A packet of TCP or UDP has at most one range, a packet of SCTP has one for each DATA
    /// chunk, and a packet of QUIC has one for each STREAM frame.
    pub chunks: DataChunks,
}

/// An event that an endpoint reports to its application.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// The handshake is done. `streams` is 1 for TCP and min(requested, offered) for SCTP. For QUIC it is the number of
    /// bidirectional streams that the ends of this project grant, even if a peer on a real network grants another
    /// number. UDP does not report this event.
    Connected { streams: u32 },
    /// A byte stream has bytes to read, in order.
    Readable { stream: u32 },
    /// SCTP or UDP delivers a whole message. SCTP may also deliver a piece of a message that interleaves with others.
    Message { stream: u32, bytes: Vec<u8> },
    /// SCTP: the stream reset that the application requested has ended. Messages in both directions are now numbered
    /// from 0, unless the peer refused the reset.
    Renewed { stream: u32 },
    /// QUIC: the peer sends no more on the stream, and everything that it sent there has been reported.
    Finished { stream: u32 },
    /// QUIC: the peer aborted its sending direction of the stream, its receiving direction, or both (RFC 9000 §3.5).
    Reset { stream: u32, code: u32 },
    /// The number of buffered bytes fell to the low-water mark. QUIC also reports this event when the peer grants more
    /// streams.
    Writable,
    /// The application should write this many bytes now, so that the transport always holds about as many unsent bytes
    /// as its option `ahead_bytes` says.
    Room { bytes: u64 },
    /// The peer sends no more, and everything that it sent has been reported to the application.
    PeerClosed,
    /// The connection, association or flow has ended.
    Closed(CloseReason),
}

/// Why an endpoint ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CloseReason {
    /// The normal end. TCP: both ends have closed. SCTP and QUIC: one end has closed. In each case, everything that a
    /// closing end had written was acknowledged. UDP: this end has closed. TCP and QUIC also report this reason if this
    /// end closes before its handshake has been answered.
    Finished,
    /// This end aborted.
    LocalAbort,
    /// The peer sent RST (TCP), ABORT (SCTP), CONNECTION_CLOSE with an error (QUIC), or a stateless reset (QUIC).
    PeerAbort,
    /// The handshake was not answered, even after the last retransmission (QUIC: until the idle timeout).
    ConnectTimeout,
    /// Data was not acknowledged, even after the last retransmission (QUIC: until the idle timeout).
    DataTimeout,
    /// The peer violated the protocol.
    ProtocolViolation,
}

impl CloseReason {
    /// The reason's name in the API of the addon.
    pub fn name(self) -> &'static str {
        match self {
            CloseReason::Finished => "finished",
            CloseReason::LocalAbort => "local-abort",
            CloseReason::PeerAbort => "peer-abort",
            CloseReason::ConnectTimeout => "connect-timeout",
            CloseReason::DataTimeout => "data-timeout",
            CloseReason::ProtocolViolation => "protocol-violation",
        }
    }
}
