//! The end of an association by SHUTDOWN (RFC 9260 §9.2).

use std::borrow::Cow;

use crate::sctp::chunk::{self, Chunk};

/// What the two ends want of the end, and the peer's SHUTDOWN while it waits.
///
/// It is kept from the stack while data of ours is not acknowledged: the stack would refuse what the scheduler still
/// holds, and could end with chunks that wait to be sent again. The peer meanwhile acknowledges as before.
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

/// What is next, once everything is acknowledged.
#[derive(Debug, PartialEq, Eq)]
pub enum Step {
    /// The stack may take this packet, the peer's SHUTDOWN.
    TakeShutdown(Vec<u8>),
    /// The stack shuts down.
    Shutdown,
}

impl Closing {
    /// The application sends no more.
    pub fn ask(&mut self) {
        if self.ours == Ours::Unasked {
            self.ours = Ours::Asked;
        }
    }

    /// Asked for, and the stack was not told yet.
    pub fn is_asked(&self) -> bool {
        self.ours == Ours::Asked
    }

    /// Nothing more may be sent.
    pub fn has_begun(&self) -> bool {
        self.ours != Ours::Unasked || self.peer_closed
    }

    /// What the stack gets of a packet now; `None` if nothing.
    pub fn admit<'a>(&mut self, packet: &'a [u8], chunks: &[Chunk], drained: bool) -> Option<Cow<'a, [u8]>> {
        if drained || !closes(chunks) {
            return Some(Cow::Borrowed(packet));
        }
        self.held = chunk::only_shutdown(packet);
        chunk::without_shutdown(packet).map(Cow::Owned)
    }

    /// Notes a packet that the stack took; tells whether by it the peer is the first time heard to send no more.
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
