//! Stream resets, after which the messages of a stream are numbered from 0 again (RFC 6525).

use std::collections::{BTreeMap, VecDeque};

use super::Association;
use crate::endpoint::Event;
use crate::sctp::Message;
use crate::time::SimTime;

/// The streams that are being reset, and the messages that were written to these streams in the meantime.
#[derive(Debug, Default)]
pub struct Resets {
    streams: BTreeMap<u16, Reset>,
    held_bytes: u64,
}

#[derive(Debug)]
struct Reset {
    /// Whether the application of this end requested the reset.
    is_ours: bool,
    ours: Half,
    /// Whether the peer's direction is reset.
    is_peer_done: bool,
    held: VecDeque<Message>,
}

/// The state of this end's direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Half {
    /// Messages that were written before the reset still have to be sent.
    Waiting,
    /// The stack has been told to reset the stream.
    Begun,
    Done,
}

impl Resets {
    /// Notes that the application of this end has requested a reset of the stream.
    pub fn ask(&mut self, stream: u16) {
        self.entry(stream).is_ours = true;
    }

    /// Returns the message, unless it has to wait for the reset of its stream.
    pub fn admit(&mut self, message: Message) -> Option<Message> {
        match self.streams.get_mut(&message.stream) {
            Some(reset) if reset.ours != Half::Done => {
                self.held_bytes += message.bytes.len() as u64;
                reset.held.push_back(message);
                None
            }
            _ => Some(message),
        }
    }

    pub fn held_bytes(&self) -> u64 {
        self.held_bytes
    }

    /// Whether this end's direction of any stream is still being reset.
    pub fn is_under_way(&self) -> bool {
        self.streams.values().any(|reset| reset.ours != Half::Done)
    }

    pub fn is_any_waiting(&self) -> bool {
        self.streams.values().any(|reset| reset.ours == Half::Waiting)
    }

    /// Returns the streams that the stack must reset now. Streams for which `busy` returns true still have something to
    /// send, so they are left out.
    fn begin(&mut self, busy: impl Fn(u16) -> bool) -> Vec<u16> {
        let mut begun = Vec::new();
        for (stream, reset) in &mut self.streams {
            if reset.ours == Half::Waiting && !busy(*stream) {
                reset.ours = Half::Begun;
                begun.push(*stream);
            }
        }
        begun
    }

    /// Notes that this end's direction of the stream is reset. Returns the messages that waited for this.
    fn end(&mut self, stream: u16) -> VecDeque<Message> {
        let Some(reset) = self.streams.get_mut(&stream) else { return VecDeque::new() };
        reset.ours = Half::Done;
        let held = std::mem::take(&mut reset.held);
        self.held_bytes -= held.iter().map(|message| message.bytes.len() as u64).sum::<u64>();
        held
    }

    fn end_of_peer(&mut self, stream: u16) {
        self.entry(stream).is_peer_done = true;
    }

    /// Removes a stream if both of its directions are reset. Returns true if it was removed and the application of this
    /// end had requested the reset.
    fn settle(&mut self, stream: u16) -> bool {
        let is_over = |reset: &Reset| reset.ours == Half::Done && reset.is_peer_done;
        if !self.streams.get(&stream).is_some_and(is_over) {
            return false;
        }
        self.streams.remove(&stream).is_some_and(|reset| reset.is_ours)
    }

    fn entry(&mut self, stream: u16) -> &mut Reset {
        let new = Reset { is_ours: false, ours: Half::Waiting, is_peer_done: false, held: VecDeque::new() };
        self.streams.entry(stream).or_insert(new)
    }
}

impl Association {
    /// Makes the stack reset the streams that have nothing left to send.
    ///
    /// Several streams may share one request. Only one request may be outstanding at a time (RFC 6525 §5.1.1).
    pub(super) fn reset_streams(&mut self, now: SimTime) {
        let begun = self.resets.begin(|stream| self.scheduler.has(stream) || self.stack.is_sending(stream));
        if begun.is_empty() {
            return;
        }
        if !self.stack.reset(now, &begun) {
            for stream in &begun {
                self.note_reset(*stream, true);
            }
            return self.hand_over(now);
        }
        self.collect(now);
    }

    /// Notes that the reset of this end's direction is over: it was carried out, or it was refused.
    pub(super) fn note_reset(&mut self, stream: u16, refused: bool) {
        if refused {
            self.resets.end_of_peer(stream); // the peer will not reset its direction either
        } else {
            self.observed.outbound.note_reset(stream);
        }
        for message in self.resets.end(stream) {
            self.scheduler.push(message);
        }
        self.tell_of_reset(stream);
    }

    pub(super) fn note_peer_reset(&mut self, stream: u16) {
        self.observed.inbound.note_reset(stream);
        self.resets.end_of_peer(stream);
        self.tell_of_reset(stream);
    }

    fn tell_of_reset(&mut self, stream: u16) {
        if self.resets.settle(stream) {
            self.events.push_back(Event::Renewed { stream: stream.into() });
        }
    }
}
