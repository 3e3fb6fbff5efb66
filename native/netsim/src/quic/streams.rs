//! The streams of one end: unread data, priorities, and the order in which the streams are sent.

use std::collections::{BTreeMap, VecDeque};

use bytes::{Bytes, BytesMut};
use quinn_proto::{Connection as Library, Dir, ReadError, ReadableError, Side, StreamId, VarInt, WriteError};

use super::options::Scheduler;
use crate::endpoint::Event;
use crate::transport::CallError;

/// The streams of one end of a connection, by their ids.
#[derive(Debug)]
pub struct Streams {
    side: Side,
    scheduler: Scheduler,
    streams: BTreeMap<u32, Stream>,
    /// How many streams this end has opened: bidirectional streams, then unidirectional streams.
    opened: [u64; 2],
    /// How many streams this end has written to or finished.
    written: i32,
}

#[derive(Debug, Default)]
struct Stream {
    unread: BytesMut,
    priority: i32,
    /// The stream's position in the order in which streams were first written to or finished; `None` before that.
    turn: Option<i32>,
    /// Whether [`Event::Finished`] was reported, or this end has reset the stream.
    is_ended: bool,
    /// Whether [`Event::Reset`] was reported.
    is_reset: bool,
}

impl Streams {
    pub fn new(side: Side, scheduler: Scheduler) -> Self {
        Streams { side, scheduler, streams: BTreeMap::new(), opened: [0; 2], written: 0 }
    }

    /// Writes to a stream and returns the number of accepted bytes. The number is 0 if the peer does not grant the
    /// stream yet, or if the peer's flow control admits no more bytes.
    ///
    /// # Errors
    /// There is no such stream, only the peer sends on it, or it has ended for writing.
    pub fn write(&mut self, library: &mut Library, stream: u32, bytes: &[u8]) -> Result<usize, CallError> {
        let Some(id) = self.open_to_send(library, stream)? else { return Ok(0) };
        // `bytes` is empty if the send buffer is full; for such a write quinn would send an empty STREAM frame
        if bytes.is_empty() {
            return Ok(0);
        }
        self.take_turn(library, stream, id);
        match library.send_stream(id).write(bytes) {
            Ok(taken) => Ok(taken),
            Err(WriteError::Blocked) => Ok(0),
            Err(WriteError::ClosedStream | WriteError::Stopped(_)) => Err(past(stream)),
        }
    }

    /// # Errors
    /// The errors are those of [`Self::write`]. It is also an error if the peer does not grant the stream yet.
    pub fn finish(&mut self, library: &mut Library, stream: u32) -> Result<(), CallError> {
        let id = self.open_to_send(library, stream)?.ok_or_else(|| not_granted(stream))?;
        self.take_turn(library, stream, id);
        library.send_stream(id).finish().map_err(|_| past(stream))
    }

    /// Resets both directions of the stream, as far as they exist and have not ended.
    ///
    /// # Errors
    /// There is no such stream, or the peer does not grant it yet.
    pub fn reset(&mut self, library: &mut Library, stream: u32, code: u32) -> Result<(), CallError> {
        let id = stream_id(stream);
        let ours = id.initiator() == self.side;
        if ours {
            self.open_to_send(library, stream)?.ok_or_else(|| not_granted(stream))?;
        } else if !self.streams.contains_key(&stream) {
            return Err(unknown(stream));
        }
        // an error only means that the direction has already ended
        if ours || id.dir() == Dir::Bi {
            let _ = library.send_stream(id).reset(code.into());
        }
        if !ours || id.dir() == Dir::Bi {
            let _ = library.recv_stream(id).stop(code.into());
        }
        let state = self.streams.entry(stream).or_default();
        state.is_ended = true;
        state.unread.clear();
        Ok(())
    }

    /// # Errors
    /// The errors are those of [`Self::finish`]. It is also an error if the priority is outside its limits.
    pub fn set_priority(&mut self, library: &mut Library, stream: u32, priority: i32) -> Result<(), CallError> {
        if !PRIORITIES.contains(&priority) {
            let (low, high) = (PRIORITIES.start(), PRIORITIES.end());
            return Err(CallError::Argument(format!("invalid priority: {priority} (must be {low}–{high})")));
        }
        let id = self.open_to_send(library, stream)?.ok_or_else(|| not_granted(stream))?;
        let state = self.streams.entry(stream).or_default();
        state.priority = priority;
        let rank = rank(state, self.scheduler);
        library.send_stream(id).set_priority(rank).map_err(|_| past(stream))
    }

    /// Returns and removes all bytes that have arrived in order.
    ///
    /// # Errors
    /// There is no such stream, or the peer cannot send on it.
    pub fn read(&mut self, stream: u32) -> Result<Bytes, CallError> {
        let id = stream_id(stream);
        let is_ours = id.initiator() == self.side;
        match self.streams.get_mut(&stream) {
            _ if is_ours && id.dir() == Dir::Uni => {
                Err(CallError::Argument(format!("invalid stream: {stream} (only this end sends on it)")))
            }
            Some(state) => Ok(state.unread.split().freeze()),
            None => Err(unknown(stream)),
        }
    }

    /// Handles streams of this type that the peer has opened.
    pub fn accept(&mut self, library: &mut Library, dir: Dir, events: &mut VecDeque<Event>) {
        while let Some(id) = library.streams().accept(dir) {
            let Ok(stream) = u32::try_from(u64::from(id)) else { continue };
            self.streams.entry(stream).or_default();
            self.receive(library, id, events);
        }
    }

    /// Reads the data that has arrived on a stream from quinn, and reports it.
    pub fn receive(&mut self, library: &mut Library, id: StreamId, events: &mut VecDeque<Event>) {
        let Ok(stream) = u32::try_from(u64::from(id)) else { return };
        let state = self.streams.entry(stream).or_default();
        let before = state.unread.len();
        let end = drain(library, id, &mut state.unread);
        if state.unread.len() > before {
            events.push_back(Event::Readable { stream });
        }
        match end {
            Some(StreamEnd::Finished) if !state.is_ended => {
                state.is_ended = true;
                events.push_back(Event::Finished { stream });
            }
            Some(StreamEnd::Reset(code)) => self.tell_reset(stream, code, events),
            _ => {}
        }
    }

    /// Resets the stream because the peer accepts no more data on it (RFC 9000 §3.5).
    pub fn stopped(&mut self, library: &mut Library, id: StreamId, code: VarInt, events: &mut VecDeque<Event>) {
        let Ok(stream) = u32::try_from(u64::from(id)) else { return };
        let _ = library.send_stream(id).reset(code);
        self.tell_reset(stream, code, events);
    }

    fn tell_reset(&mut self, stream: u32, code: VarInt, events: &mut VecDeque<Event>) {
        let state = self.streams.entry(stream).or_default();
        let was_told = std::mem::replace(&mut state.is_reset, true);
        if !was_told {
            events.push_back(Event::Reset { stream, code: u32::try_from(code.into_inner()).unwrap_or(u32::MAX) });
        }
    }

    /// Returns the stream, if this end may send on it. If the number is that of a stream of this end, all streams of
    /// this end in the same direction are opened first, up to this one; `None` means that the peer does not grant so
    /// many yet. A stream of the peer must have been opened by the peer.
    fn open_to_send(&mut self, library: &mut Library, stream: u32) -> Result<Option<StreamId>, CallError> {
        let id = stream_id(stream);
        if id.initiator() != self.side {
            return match self.streams.contains_key(&stream) {
                true if id.dir() == Dir::Bi => Ok(Some(id)),
                true => Err(CallError::Argument(format!("invalid stream: {stream} (only the peer sends on it)"))),
                false => Err(unknown(stream)),
            };
        }
        let opened = &mut self.opened[id.dir() as usize];
        while *opened <= id.index() {
            let Some(new) = library.streams().open(id.dir()) else {
                return Ok(None);
            };
            *opened += 1;
            self.streams.entry(u64::from(new) as u32).or_default();
        }
        Ok(Some(id))
    }

    /// Assigns the stream its position when it is first written to, or finished without a write.
    fn take_turn(&mut self, library: &mut Library, stream: u32, id: StreamId) {
        let state = self.streams.entry(stream).or_default();
        if state.turn.is_none() {
            state.turn = Some(self.written);
            self.written = self.written.saturating_add(1);
            // a stream that has ended needs no priority
            let _ = library.send_stream(id).set_priority(rank(state, self.scheduler));
        }
    }
}

/// Returns the priority for quinn, which sends higher priorities first. With `FirstCome` the priority includes the
/// stream's position, so that retransmissions also follow the order.
fn rank(stream: &Stream, scheduler: Scheduler) -> i32 {
    let turns_after = match scheduler {
        Scheduler::RoundRobin => 0,
        Scheduler::FirstCome => TURNS - 1 - stream.turn.unwrap_or(0).min(TURNS - 1),
    };
    stream.priority * TURNS + turns_after
}

enum StreamEnd {
    Finished,
    Reset(VarInt),
}

fn drain(library: &mut Library, id: StreamId, into: &mut BytesMut) -> Option<StreamEnd> {
    let mut stream = library.recv_stream(id);
    let mut chunks = match stream.read(true) {
        Ok(chunks) => chunks,
        Err(ReadableError::ClosedStream | ReadableError::IllegalOrderedRead) => return None,
    };
    let end = loop {
        match chunks.next(usize::MAX) {
            Ok(Some(chunk)) => into.extend_from_slice(&chunk.bytes),
            Ok(None) => break Some(StreamEnd::Finished),
            Err(ReadError::Blocked) => break None,
            Err(ReadError::Reset(code)) => break Some(StreamEnd::Reset(code)),
        }
    };
    // if this makes window updates due, the next packet carries them
    let _ = chunks.finalize();
    end
}

fn stream_id(stream: u32) -> StreamId {
    StreamId::from(VarInt::from_u32(stream))
}

fn unknown(stream: u32) -> CallError {
    CallError::Argument(format!("invalid stream: {stream} (it has not been opened)"))
}

fn not_granted(stream: u32) -> CallError {
    CallError::State(format!("stream {stream} cannot be opened yet: the peer does not grant it"))
}

fn past(stream: u32) -> CallError {
    CallError::State(format!("stream {stream} has ended for writing"))
}

/// The limits of a priority. A priority and a position together fit in an i32.
const PRIORITIES: std::ops::RangeInclusive<i32> = -512..=511;
const TURNS: i32 = 1 << 21;
