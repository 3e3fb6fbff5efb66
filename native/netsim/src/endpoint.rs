use crate::packet::{Packet, TypedPacket};
use crate::time::SimTime;
use crate::trace::{BlockedLog, DataChunks, PacketKind, Sample, Timeouts};

/// One end of a transport, sans-IO: packets and time go in, packets and events come out.
///
/// After each `handle_*` and each call of the application, drain [`Endpoint::poll_transmit`] and
/// [`Endpoint::poll_event`], then ask [`Endpoint::poll_timeout`] when to call again.
pub trait Endpoint {
    /// Takes a whole IPv4 packet. One that does not parse, or is not for this endpoint, changes nothing.
    fn handle_packet(&mut self, now: SimTime, packet: &[u8]);

    /// Takes a packet in its sender's own representation. The effect is the same as that of its bytes.
    fn handle_typed(&mut self, now: SimTime, packet: Box<dyn TypedPacket>) {
        self.handle_packet(now, &packet.to_wire());
    }

    /// Fires every timer whose deadline has come.
    fn handle_timeout(&mut self, now: SimTime);

    /// The earliest deadline of a timer.
    fn poll_timeout(&self) -> Option<SimTime>;

    /// The next packet to send now.
    fn poll_transmit(&mut self, now: SimTime) -> Option<Transmit>;

    /// The next event for the application.
    fn poll_event(&mut self) -> Option<Event>;

    /// What the sender knows of the path now; `None` for a transport without congestion control.
    fn sample(&self) -> Option<Sample>;

    /// How often timers made this end send; zero for a transport without such timers.
    fn timeouts(&self) -> Timeouts {
        Timeouts::default()
    }

    /// The bytes that arrived here and had to wait for others, since the start.
    fn blocked(&self) -> &BlockedLog;

    /// What the trace records of a packet that this end has handled, if its sender is not part of the simulation.
    /// `payload` is what follows the IP header. `None` if the packet is not for this end, or if the transport does not
    /// support this.
    fn arrival(&self, _payload: &[u8]) -> Option<Arrival> {
        None
    }
}

/// What the trace records of a packet whose sender is elsewhere. The fields are those of [`Transmit`], but it is not
/// known whether a chunk is a retransmission.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Arrival {
    pub kind: PacketKind,
    pub cumulative_ack: Option<u64>,
    pub chunks: DataChunks,
}

/// A packet to send, and what the trace records of it.
#[derive(Debug, PartialEq, Eq)]
pub struct Transmit {
    pub packet: Packet,
    pub kind: PacketKind,
    /// Cumulative acknowledgement: the next byte expected (TCP, from 0 at the first byte of data) or
    /// the number of chunks received without a gap (SCTP), or
    /// the largest packet number acknowledged + 1 (QUIC's 0-RTT and 1-RTT packets).
    pub cumulative_ack: Option<u64>,
    /// The data in the packet: one range for TCP, one per DATA chunk for SCTP, one per
    /// STREAM frame for QUIC.
    pub chunks: DataChunks,
}

/// An event that an endpoint reports to its application.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// The handshake is done. `streams` is min(requested, offered) for SCTP, the bidirectional streams that the peer
    /// grants for QUIC, 1 for the others.
    Connected { streams: u32 },
    /// A byte stream has bytes to read, in order.
    Readable { stream: u32 },
    /// SCTP or UDP delivers a whole message.
    Message { stream: u32, bytes: Vec<u8> },
    /// SCTP: the reset of the stream that the application asked for is over. Messages in both directions are now
    /// numbered from 0, unless the peer refused.
    Renewed { stream: u32 },
    /// QUIC: the peer sends no more on the stream, and everything that it sent there has been reported.
    Finished { stream: u32 },
    /// QUIC: the peer gave up its sending direction of the stream, its receiving direction, or both.
    Reset { stream: u32, code: u32 },
    /// The number of buffered bytes fell to the low-water mark.
    Writable,
    /// The application should write this many bytes now, so that it stays `ahead_bytes` ahead of the congestion window.
    Room { bytes: u64 },
    /// The peer sends no more, and everything that it sent has been handed over.
    PeerClosed,
    /// The endpoint is gone.
    Closed(CloseReason),
}

/// Why an endpoint ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CloseReason {
    /// Both sides closed and everything was acknowledged.
    Finished,
    /// This side aborted.
    LocalAbort,
    /// The peer sent RST (TCP), ABORT (SCTP), or CONNECTION_CLOSE with an error (QUIC).
    PeerAbort,
    /// The handshake was given up after the last retransmission (QUIC: after the idle timeout).
    ConnectTimeout,
    /// Data was given up after the last retransmission (QUIC: after the idle timeout).
    DataTimeout,
    /// The peer broke the protocol.
    ProtocolViolation,
}

impl CloseReason {
    /// The reason's name at the addon's boundary.
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
