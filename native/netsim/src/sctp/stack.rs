use std::any::Any;
use std::fmt;
use std::time::Duration;

use super::chunk::Chunk;
use super::observed::Observed;
use super::scheduler::Message;
use super::{Options, ProfileSettings, Setup};
use crate::endpoint::CloseReason;
use crate::time::SimTime;
use crate::trace::Sample;

/// An SCTP stack for one association, without sockets or a clock of its own (sans-IO). Packets are SCTP packets without
/// an IP header.
///
/// After each call that takes `now`, drain [`Stack::poll_event`] and then ask [`Stack::poll_timeout`].
///
/// Methods with a default body are optional. Some are functions that not every library has. With the others, an
/// implementation can correct its library, or compute state that its library does not report. `seen` is the state of
/// the association as observed from its packets.
pub trait Stack: Any {
    /// Starts the handshake as a client. Before this call the stack waits for a client.
    fn connect(&mut self, now: SimTime);

    /// Handles a packet of the peer, or a packet that the association made for the stack. The stack must not verify the
    /// checksum: the association has verified the checksum of a packet of the peer, and the packets that the
    /// association makes have no valid checksum.
    fn handle_packet(&mut self, now: SimTime, packet: &[u8]);

    /// Fires every timer whose deadline is at or before `now`.
    fn handle_timeout(&mut self, now: SimTime);

    fn poll_timeout(&self) -> Option<SimTime>;

    /// Removes all `messages` and sends them immediately. Together they fit in one packet, or they are one message that
    /// is larger than a packet. If [`Stack::interleaves`] is true they may be any messages, and the stack alternates
    /// between these messages and those that it is still sending.
    fn send(&mut self, now: SimTime, messages: &mut Vec<Message>, seen: &Observed);

    /// Ends the association gracefully (RFC 9260 §9.2). The association calls this only when everything that was sent
    /// has been acknowledged.
    fn shutdown(&mut self, now: SimTime);

    /// Ends the association with ABORT (RFC 9260 §9.1).
    fn abort(&mut self, now: SimTime);

    fn poll_event(&mut self) -> Option<StackEvent>;

    /// How many more bytes of chunks cwnd and the peer's receive window admit.
    fn window_bytes(&self, seen: &Observed) -> u64;

    /// The sender's current view of the path.
    fn sample(&self, seen: &Observed) -> Sample;

    /// The number of streams on which this end may send while the stack waits for COOKIE ACK. The stack then sends its
    /// data in one packet per call of [`Stack::send`]. Returns `None` at other times, and if the stack cannot send data
    /// before COOKIE ACK.
    fn streams_before_cookie_ack(&self) -> Option<u16> {
        None
    }

    /// Whether both ends have agreed on I-DATA, so that the fragments of messages that span packets alternate (RFC 8260
    /// §3).
    fn interleaves(&self) -> bool {
        false
    }

    /// Whether the stack has data of this stream that was never sent.
    fn is_sending(&self, _stream: u16) -> bool {
        false
    }

    /// Resets this end's direction of the streams. The association calls this only when no message of these streams is
    /// left to send (RFC 6525 §5.1.2). [`StackEvent::Reset`] reports the result. Returns false if the stack or the
    /// peer does not support resets.
    fn reset(&mut self, _now: SimTime, _streams: &[u16]) -> bool {
        false
    }

    /// Returns extra packets that the stack must get before `packet`, so that it reacts to `packet` as RFC 9260 and the
    /// profile require.
    fn steps(&self, _seen: &Observed, _packet: &[u8], _chunks: &[Chunk]) -> Vec<Vec<u8>> {
        Vec::new()
    }

    /// Notes that the association is established.
    fn note_established(&mut self, _now: SimTime, _seen: &Observed) {}

    /// Notes that new data is about to be sent while nothing is outstanding.
    fn note_resumed(&mut self, _now: SimTime, _seen: &Observed) {}

    /// Notes the RTT that an accepted SACK measured.
    fn note_rtt(&mut self, _rtt: Duration) {}

    /// Notes that the stack has handled a packet. `retransmitted` is the number of the first chunk that the stack
    /// retransmitted because of the packet.
    fn note_packet(&mut self, _seen: &Observed, _retransmitted: Option<u64>) {}

    /// Notes that timers have fired. `retransmitted` is the number of the first chunk that the stack retransmitted
    /// because of the timers. `asked_again` says that the stack repeated a request to reset streams that was not
    /// answered.
    fn note_timeout(&mut self, _seen: &Observed, _retransmitted: Option<u64>, _asked_again: bool) {}
}

/// An event of a stack.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StackEvent {
    /// A packet to send, with a valid checksum.
    Packet(Vec<u8>),
    /// The association is established. `streams` is the number of streams on which this end may send.
    Connected {
        streams: u16,
    },
    Message(Message),
    /// The reset of this end's direction is over. The next message that this end sends on the stream has number 0, or,
    /// if `refused`, the number after that of the last message.
    Reset {
        stream: u16,
        refused: bool,
    },
    /// The peer has reset its direction. The next message that this end receives on the stream has number 0.
    PeerReset {
        stream: u16,
    },
    /// The stack dropped a received packet, because the packet is malformed, belongs to another association, or does
    /// not fit the state.
    Refused,
    Closed(CloseReason),
}

/// A kind of stack, which [`Options`] selects.
#[derive(Clone, Copy)]
pub struct StackKind {
    pub name: &'static str,
    /// Makes a stack for one end.
    pub make: fn(&Setup, &ProfileSettings, &Options) -> Box<dyn Stack>,
}

impl fmt::Debug for StackKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

impl PartialEq for StackKind {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for StackKind {}
