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

/// An SCTP stack for one association, sans-IO. Packets are SCTP packets, without IP header.
///
/// After each call that takes `now`, drain [`Stack::poll_event`]; then ask [`Stack::poll_timeout`].
///
/// The second half need not be there: by it the association helps a stack that does not do, or does not show, all
/// that it should. `seen` is what the packets show.
pub trait Stack: Any {
    /// Starts the handshake as a client. Without it, the stack waits for a client.
    fn connect(&mut self, now: SimTime);

    /// Takes a packet, or what was made of one. Its checksum is not looked at: the packet's was right.
    fn handle_packet(&mut self, now: SimTime, packet: &[u8]);

    /// Fires every timer whose deadline has come.
    fn handle_timeout(&mut self, now: SimTime);

    fn poll_timeout(&self) -> Option<SimTime>;

    /// Takes all of `messages`: they fit one packet together, or are one larger than a packet, to send at once; or, where
    /// [`Stack::interleaves`], any that take turns with what it has.
    fn send(&mut self, now: SimTime, messages: &mut Vec<Message>, seen: &Observed);

    /// Ends the association gracefully (RFC 9260 §9.2). Everything sent has been acknowledged.
    fn shutdown(&mut self, now: SimTime);

    /// Ends the association with ABORT (RFC 9260 §9.1).
    fn abort(&mut self, now: SimTime);

    fn poll_event(&mut self) -> Option<StackEvent>;

    /// What cwnd and the peer's receive window admit beside what is in flight, bytes of chunks.
    fn window_bytes(&self, seen: &Observed) -> u64;

    /// What the sender knows of the path now.
    fn sample(&self, seen: &Observed) -> Sample;

    /// Both ends have agreed on I-DATA, so that messages that span packets take turns by fragment (RFC 8260 §3).
    fn interleaves(&self) -> bool {
        false
    }

    /// It has something of this stream that it has not sent for the first time.
    fn is_sending(&self, _stream: u16) -> bool {
        false
    }

    /// Resets this end's half of streams, of whose messages none waits to be sent (RFC 6525 §5.1.2), to say
    /// [`StackEvent::Reset`] in the end. False if the peer does not take part.
    fn reset(&mut self, _now: SimTime, _streams: &[u16]) -> bool {
        false
    }

    /// The packets by which it is told what this one says, before the packet itself.
    fn steps(&self, _seen: &Observed, _packet: &[u8], _chunks: &[Chunk]) -> Vec<Vec<u8>> {
        Vec::new()
    }

    /// The association is up.
    fn note_established(&mut self, _now: SimTime, _seen: &Observed) {}

    /// More is about to be sent, with nothing outstanding.
    fn note_resumed(&mut self, _now: SimTime, _seen: &Observed) {}

    /// A SACK that it took measures the RTT.
    fn note_rtt(&mut self, _rtt: Duration) {}

    /// It has taken a packet. `retransmitted`: the number of the first chunk that it sent again.
    fn note_packet(&mut self, _seen: &Observed, _retransmitted: Option<u64>) {}

    /// Timers have fired. `retransmitted`: the number of the first chunk that it sent again. `asked_again`: it made a
    /// request again that was not answered.
    fn note_timeout(&mut self, _seen: &Observed, _retransmitted: Option<u64>, _asked_again: bool) {}
}

/// What a stack has to say, in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StackEvent {
    /// A packet to send, its checksum right.
    Packet(Vec<u8>),
    /// `streams`: min(requested, offered), for this end as a sender.
    Connected {
        streams: u16,
    },
    Message(Message),
    /// The first message that this end sends next on the stream has number 0; or, if `refused`, goes on counting.
    Reset {
        stream: u16,
        refused: bool,
    },
    /// So has the next that it receives.
    PeerReset {
        stream: u16,
    },
    /// The packet just handed in was not taken: malformed, of another association, or out of state.
    Refused,
    Closed(CloseReason),
}

/// A kind of stack.
#[derive(Clone, Copy)]
pub struct StackKind {
    pub name: &'static str,
    /// Makes one for an end.
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
