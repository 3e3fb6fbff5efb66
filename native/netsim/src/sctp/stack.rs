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

/// An SCTP stack for one association, sans-IO. Packets are SCTP packets without an IP header.
///
/// After each call that takes `now`, drain [`Stack::poll_event`] and then ask [`Stack::poll_timeout`].
///
/// Methods with a default body are optional. They let the association help a stack that does not do or show everything
/// that it should. `seen` is the association as its packets show it.
pub trait Stack: Any {
    /// Starts the handshake as a client. Until then the stack waits for a client.
    fn connect(&mut self, now: SimTime);

    /// Takes a packet from the peer or one that was made for the stack. The association has verified the peer's
    /// checksum, so the stack must not.
    fn handle_packet(&mut self, now: SimTime, packet: &[u8]);

    /// Fires every timer whose deadline has come.
    fn handle_timeout(&mut self, now: SimTime);

    fn poll_timeout(&self) -> Option<SimTime>;

    /// Takes all of `messages`, to be sent at once. Together they fit one packet, or they are one message that is
    /// larger than a packet. If [`Stack::interleaves`], they may be any messages, between which and its own the stack
    /// alternates.
    fn send(&mut self, now: SimTime, messages: &mut Vec<Message>, seen: &Observed);

    /// Ends the association gracefully (RFC 9260 §9.2). It is called only when everything sent has been acknowledged.
    fn shutdown(&mut self, now: SimTime);

    /// Ends the association with ABORT (RFC 9260 §9.1).
    fn abort(&mut self, now: SimTime);

    fn poll_event(&mut self) -> Option<StackEvent>;

    /// How much more cwnd and the peer's receive window admit, in bytes of chunks.
    fn window_bytes(&self, seen: &Observed) -> u64;

    /// What the sender knows of the path now.
    fn sample(&self, seen: &Observed) -> Sample;

    /// Whether both ends have agreed on I-DATA, so that the fragments of messages that span packets alternate (RFC 8260
    /// §3).
    fn interleaves(&self) -> bool {
        false
    }

    /// Whether the stack has data of this stream that it has never sent.
    fn is_sending(&self, _stream: u16) -> bool {
        false
    }

    /// Resets this end's direction of the streams, none of which has messages left to send (RFC 6525 §5.1.2).
    /// [`StackEvent::Reset`] reports the result. Returns false if the peer does not support this.
    fn reset(&mut self, _now: SimTime, _streams: &[u16]) -> bool {
        false
    }

    /// Extra packets that the stack is to be given before this one, so that it understands all that this one says.
    fn steps(&self, _seen: &Observed, _packet: &[u8], _chunks: &[Chunk]) -> Vec<Vec<u8>> {
        Vec::new()
    }

    /// The association is up.
    fn note_established(&mut self, _now: SimTime, _seen: &Observed) {}

    /// New data is about to be sent while nothing is outstanding.
    fn note_resumed(&mut self, _now: SimTime, _seen: &Observed) {}

    /// A SACK that the stack took measures this RTT.
    fn note_rtt(&mut self, _rtt: Duration) {}

    /// The stack has taken a packet. `retransmitted` is the number of the first chunk that it retransmitted then.
    fn note_packet(&mut self, _seen: &Observed, _retransmitted: Option<u64>) {}

    /// Timers have fired. `retransmitted` is the number of the first chunk that the stack retransmitted then.
    /// `asked_again` says that it repeated a request that was not answered.
    fn note_timeout(&mut self, _seen: &Observed, _retransmitted: Option<u64>, _asked_again: bool) {}
}

/// An event of a stack.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StackEvent {
    /// A packet to send, with a valid checksum.
    Packet(Vec<u8>),
    /// The association is up. `streams` is how many streams this end may send on.
    Connected {
        streams: u16,
    },
    Message(Message),
    /// The next message that this end sends on the stream has number 0. If `refused`, its numbers go on instead.
    Reset {
        stream: u16,
        refused: bool,
    },
    /// The next message that this end receives on the stream has number 0.
    PeerReset {
        stream: u16,
    },
    /// The stack did not take the packet: it is malformed, belongs to another association, or does not fit the state.
    Refused,
    Closed(CloseReason),
}

/// A kind of stack, to be chosen in [`Options`].
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
