//! Streams whose messages are numbered from 0 again (RFC 6525).

use std::collections::{BTreeMap, VecDeque};

use super::Association;
use crate::endpoint::Event;
use crate::sctp::Message;
use crate::time::SimTime;

/// The streams that are being reset, and what was written to them since.
#[derive(Debug, Default)]
pub struct Resets {
    streams: BTreeMap<u16, Reset>,
    held_bytes: u64,
}

#[derive(Debug)]
struct Reset {
    /// Our application asked for it.
    is_ours: bool,
    ours: Half,
    /// The peer's half is done.
    is_peer_done: bool,
    held: VecDeque<Message>,
}

/// This end's half.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Half {
    /// Messages written before are yet to be sent.
    Waiting,
    /// The stack was told.
    Begun,
    Done,
}

impl Resets {
    /// Our application wants the stream to be as new.
    pub fn ask(&mut self, stream: u16) {
        self.entry(stream).is_ours = true;
    }

    /// The message, unless it has to wait for its stream.
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

    /// This end's half of a stream is not over.
    pub fn is_under_way(&self) -> bool {
        self.streams.values().any(|reset| reset.ours != Half::Done)
    }

    pub fn is_any_waiting(&self) -> bool {
        self.streams.values().any(|reset| reset.ours == Half::Waiting)
    }

    /// The streams to tell the stack of, those that are still `busy` left out.
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

    /// This end's half is over; gives what waited for it.
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

    /// Forgets a stream of which both halves are over; tells whether our application asked for it.
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
    /// Has the stack reset the streams of which nothing waits to be sent.
    ///
    /// Several may go in one request, which is all that may be on its way at a time (RFC 6525 §5.1.1).
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

    /// This end's half of the stream is over.
    pub(super) fn note_reset(&mut self, stream: u16, refused: bool) {
        if refused {
            self.resets.end_of_peer(stream); // nothing is to be waited for
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
