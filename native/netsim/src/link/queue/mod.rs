//! Queue disciplines. Each has a file and a line in [`Queue`].

mod drop_tail;

use std::collections::VecDeque;

use super::Header;
use super::direction::Drop;
use super::fates::FateBy;
use crate::time::SimTime;
use drop_tail::DropTail;

/// A packet that waits in a queue or is being serialised.
#[derive(Debug)]
pub(super) struct Waiting<T> {
    pub header: Header,
    /// What decides at the link's exit whether the packet is lost.
    pub fate: FateBy,
    pub item: T,
}

/// How much a queue may hold.
#[derive(Clone, Copy, Debug)]
pub(super) struct Room {
    pub packets: u64,
    pub bytes: u64,
}

impl Room {
    pub fn holds(self, packets: usize, bytes: u64) -> bool {
        packets as u64 <= self.packets && bytes <= self.bytes
    }
}

/// Packets that a queue has dropped after it had accepted them, with the time and the reason.
pub(super) type Discarded<T> = VecDeque<(SimTime, Drop, T)>;

/// Decides which packet is served next, and which packets are dropped. It has no timers: what a discipline does
/// periodically, it does for all past periods at its next call.
pub(super) trait Discipline<T> {
    /// Accepts a packet or drops it.
    ///
    /// # Errors
    /// The packet was dropped, for the reason in the error.
    fn enqueue(
        &mut self,
        now: SimTime,
        packet: Waiting<T>,
        room: Room,
        discarded: &mut Discarded<T>,
    ) -> Result<(), Drop>;

    /// Returns the packet that is served next.
    fn dequeue(&mut self, now: SimTime, discarded: &mut Discarded<T>) -> Option<Waiting<T>>;

    fn packets(&self) -> usize;
}

/// The queue of a link, without the packet that is being serialised.
#[derive(Debug)]
pub(super) enum Queue<T> {
    DropTail(DropTail<T>),
}

impl<T> Queue<T> {
    pub fn new() -> Self {
        Queue::DropTail(DropTail::default())
    }

    /// See [`Discipline::enqueue`].
    #[inline]
    pub fn enqueue(
        &mut self,
        now: SimTime,
        packet: Waiting<T>,
        room: Room,
        discarded: &mut Discarded<T>,
    ) -> Result<(), Drop> {
        match self {
            Queue::DropTail(queue) => queue.enqueue(now, packet, room, discarded),
        }
    }

    /// See [`Discipline::dequeue`].
    #[inline]
    pub fn dequeue(&mut self, now: SimTime, discarded: &mut Discarded<T>) -> Option<Waiting<T>> {
        match self {
            Queue::DropTail(queue) => queue.dequeue(now, discarded),
        }
    }

    #[inline]
    pub fn is_empty(&self) -> bool {
        match self {
            Queue::DropTail(queue) => queue.packets() == 0,
        }
    }
}
