//! Delivers fragments of messages that interleave (RFC 8260) as the fragments arrive.

use std::collections::{BTreeMap, VecDeque};

use super::Message;
use super::chunk::Data;

/// The received fragments of messages in I-DATA chunks.
///
/// The stack delivers whole messages. This type delivers each fragment of an ordered message as soon as everything
/// before the fragment on its stream has arrived. This is partial delivery (RFC 9260 §6.9) on several streams at the
/// same time, like level 2 of SCTP_FRAGMENT_INTERLEAVE in FreeBSD (RFC 6458 §8.1.20). Unordered messages are delivered
/// whole.
///
/// An I-FORWARD-TSN, with which a peer abandons messages (RFC 8260 §2.3.1), is ignored, unlike in the RFC. The peers of
/// this project send none.
#[derive(Debug, Default)]
pub struct Interleaved {
    ordered: BTreeMap<u16, Ordered>,
    /// Fragments of incomplete unordered messages, keyed by stream and message, and then by fragment.
    unordered: BTreeMap<(u16, u32), BTreeMap<u32, Fragment>>,
    pieces: VecDeque<Message>,
}

/// The user data of an I-DATA chunk.
#[derive(Debug)]
pub struct Fragment {
    /// The number of the chunk.
    pub number: u64,
    pub bytes: Vec<u8>,
    /// Whether this is the last fragment of its message.
    pub ends: bool,
}

/// A fragment of an ordered message that is delivered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Passed {
    pub mid: u32,
    pub number: u64,
    pub ends: bool,
}

#[derive(Debug, Default)]
struct Ordered {
    /// The numbers of the next message and of its next fragment.
    next: (u32, u32),
    /// The fragments that wait for earlier ones, keyed by the numbers of message and fragment.
    waiting: BTreeMap<(u32, u32), Fragment>,
}

impl Interleaved {
    /// Handles a new chunk. Returns the fragments of ordered messages that are now delivered.
    pub fn arrive(&mut self, data: &Data, mid: u32, fragment: Fragment) -> Vec<Passed> {
        if data.unordered {
            self.gather(data, mid, fragment);
            return Vec::new();
        }
        let Ordered { next, waiting } = self.ordered.entry(data.stream).or_default();
        waiting.insert((mid, data.fragment), fragment);
        let mut passed = Vec::new();
        while let Some(Fragment { number, bytes, ends }) = waiting.remove(next) {
            passed.push(Passed { mid: next.0, number, ends });
            self.pieces.push_back(Message { stream: data.stream, bytes });
            *next = if ends { (next.0.wrapping_add(1), 0) } else { (next.0, next.1.wrapping_add(1)) };
        }
        passed
    }

    pub fn poll_piece(&mut self) -> Option<Message> {
        self.pieces.pop_front()
    }

    /// Notes that the stream was reset, so that its messages are numbered from 0 again.
    pub fn note_reset(&mut self, stream: u16) {
        self.ordered.remove(&stream);
    }

    fn gather(&mut self, data: &Data, mid: u32, fragment: Fragment) {
        let key = (data.stream, mid);
        let fragments = self.unordered.entry(key).or_default();
        fragments.insert(data.fragment, fragment);
        let whole = |(number, last): (&u32, &Fragment)| last.ends && *number as usize + 1 == fragments.len();
        if fragments.last_key_value().is_some_and(whole)
            && let Some(fragments) = self.unordered.remove(&key)
        {
            let bytes = fragments.into_values().flat_map(|fragment| fragment.bytes).collect();
            self.pieces.push_back(Message { stream: data.stream, bytes });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sctp::chunk::{MessageNumber, Tsn};

    /// Handles fragment `fragment` of message `mid` of `stream`. The fragment's only byte encodes both numbers.
    fn arrive(interleaved: &mut Interleaved, stream: u16, (mid, fragment): (u32, u32), ends: bool, unordered: bool) {
        let message = MessageNumber::Mid(mid);
        let (tsn, bytes, chunk_bytes, at) = (Tsn(0), 1, 24, 0);
        let data = Data { tsn, stream, message, unordered, bytes, chunk_bytes, ends, fragment, at };
        let bytes = vec![(mid * 16 + fragment) as u8];
        interleaved.arrive(&data, mid, Fragment { number: 0, bytes, ends });
    }

    fn pieces(interleaved: &mut Interleaved) -> Vec<(u16, Vec<u8>)> {
        std::iter::from_fn(|| interleaved.poll_piece()).map(|piece| (piece.stream, piece.bytes)).collect()
    }

    #[test]
    fn fragments_are_delivered_at_once_in_the_order_of_their_stream() {
        let mut interleaved = Interleaved::default();
        arrive(&mut interleaved, 1, (0, 0), false, false);
        assert_eq!(pieces(&mut interleaved), [(1, vec![0])]);
        // the second message waits for the rest of the first message; another stream does not wait
        arrive(&mut interleaved, 1, (1, 0), true, false);
        arrive(&mut interleaved, 1, (0, 2), true, false);
        arrive(&mut interleaved, 2, (0, 0), true, false);
        assert_eq!(pieces(&mut interleaved), [(2, vec![0])]);
        arrive(&mut interleaved, 1, (0, 1), false, false);
        assert_eq!(pieces(&mut interleaved), [(1, vec![1]), (1, vec![2]), (1, vec![16])]);
    }

    #[test]
    fn an_unordered_message_is_delivered_whole_and_waits_for_no_other_message() {
        let mut interleaved = Interleaved::default();
        arrive(&mut interleaved, 1, (0, 1), false, false);
        arrive(&mut interleaved, 1, (5, 1), true, true);
        arrive(&mut interleaved, 1, (4, 0), false, true);
        assert_eq!(pieces(&mut interleaved), []);
        arrive(&mut interleaved, 1, (5, 0), false, true);
        assert_eq!(pieces(&mut interleaved), [(1, vec![0x50, 0x51])]);
    }

    #[test]
    fn a_reset_stream_starts_with_message_0() {
        let mut interleaved = Interleaved::default();
        arrive(&mut interleaved, 1, (0, 0), true, false);
        interleaved.note_reset(1);
        arrive(&mut interleaved, 1, (0, 0), true, false);
        assert_eq!(pieces(&mut interleaved), [(1, vec![0]), (1, vec![0])]);
    }
}
