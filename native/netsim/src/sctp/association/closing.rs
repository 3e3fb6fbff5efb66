//! The graceful shutdown of an association (RFC 9260 §9.2).

use std::borrow::Cow;

use crate::sctp::chunk::{self, Chunk};

/// The state of the shutdown: which ends have requested it, and the peer's SHUTDOWN while it is held back.
///
/// The stack does not get the peer's SHUTDOWN while data of this end is not acknowledged. Otherwise the stack would
/// refuse the messages that the scheduler still holds, and the stack could end while chunks wait for their
/// retransmission. The peer continues to acknowledge data in the meantime.
#[derive(Debug, Default)]
pub struct Closing {
    ours: Ours,
    peer_closed: bool,
    held: Option<Vec<u8>>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Ours {
    #[default]
    Unasked,
    Asked,
    Begun,
}

/// The next step once everything is acknowledged.
#[derive(Debug, PartialEq, Eq)]
pub enum Step {
    /// Give the stack this packet, which has the peer's SHUTDOWN.
    TakeShutdown(Vec<u8>),
    /// Make the stack shut down.
    Shutdown,
}

impl Closing {
    /// Notes that the application has requested the shutdown.
    pub fn ask(&mut self) {
        if self.ours == Ours::Unasked {
            self.ours = Ours::Asked;
        }
    }

    /// Whether a shutdown was requested but the stack has not been told to shut down yet.
    pub fn is_asked(&self) -> bool {
        self.ours == Ours::Asked
    }

    /// Whether no more messages are accepted, because either end shuts down.
    pub fn has_begun(&self) -> bool {
        self.ours != Ours::Unasked || self.peer_closed
    }

    /// Returns the part of a packet that the stack may get now; `None` if the stack may get none of it.
    pub fn admit<'a>(&mut self, packet: &'a [u8], chunks: &[Chunk], drained: bool) -> Option<Cow<'a, [u8]>> {
        if drained || !closes(chunks) {
            return Some(Cow::Borrowed(packet));
        }
        self.held = chunk::only_shutdown(packet);
        chunk::without_shutdown(packet).map(Cow::Owned)
    }

    /// Notes a packet that the stack accepted. Returns true if it is the first packet with a SHUTDOWN of the peer.
    pub fn note_peer(&mut self, chunks: &[Chunk]) -> bool {
        closes(chunks) && !std::mem::replace(&mut self.peer_closed, true)
    }

    pub fn next(&mut self) -> Option<Step> {
        if let Some(shutdown) = self.held.take() {
            return Some(Step::TakeShutdown(shutdown));
        }
        self.is_asked().then(|| {
            self.ours = Ours::Begun;
            Step::Shutdown
        })
    }
}

fn closes(chunks: &[Chunk]) -> bool {
    chunks.iter().any(|chunk| matches!(chunk, Chunk::Shutdown { .. }))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A packet with a SACK and a SHUTDOWN.
    const PACKET: [u8; 36] = {
        let mut packet = [0; 36];
        (packet[12], packet[15]) = (3, 16);
        (packet[28], packet[31]) = (7, 8);
        packet
    };

    #[test]
    fn the_stack_gets_one_shutdown_request() {
        let mut closing = Closing::default();
        assert_eq!(closing.next(), None);
        closing.ask();
        assert!(closing.has_begun() && closing.is_asked());
        assert_eq!(closing.next(), Some(Step::Shutdown));
        closing.ask();
        assert_eq!(closing.next(), None);
        assert!(closing.has_begun() && !closing.is_asked());
    }

    #[test]
    fn a_shutdown_of_the_peer_is_held_back_until_everything_is_acknowledged() {
        let chunks = chunk::parse(&PACKET).unwrap();
        let mut closing = Closing::default();
        let admitted = closing.admit(&PACKET, &chunks, false);
        assert_eq!(admitted.as_deref(), Some(&PACKET[..28]));
        closing.ask();
        let shutdown = [&PACKET[..12], &PACKET[28..]].concat();
        assert_eq!(closing.next(), Some(Step::TakeShutdown(shutdown)));
        assert_eq!(closing.next(), Some(Step::Shutdown));
        assert_eq!(closing.admit(&PACKET, &chunks, true).as_deref(), Some(&PACKET[..]));
        assert_eq!(closing.next(), None);
    }

    #[test]
    fn the_close_of_the_peer_is_reported_once() {
        let chunks = chunk::parse(&PACKET).unwrap();
        let mut closing = Closing::default();
        assert!(!closing.note_peer(&chunks[..1]) && !closing.has_begun());
        assert!(closing.note_peer(&chunks) && closing.has_begun());
        assert!(!closing.note_peer(&chunks));
    }
}
