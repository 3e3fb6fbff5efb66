//! Queue disciplines. Each discipline has a file, and a variant of [`QueueKind`] and of [`Queue`]. docs/extending.md
//! says what a new discipline needs outside of this folder.

mod codel;
mod drop_tail;
mod dual_pi2;
mod fifo;
mod fq_codel;
mod pie;

use std::collections::VecDeque;

use super::direction::Drop;
use super::fates::FateBy;
use super::params::check;
use super::{Direction, Header, LinkError};
use crate::packet::Ecn;
use crate::time::SimTime;
use codel::CoDel;
pub use codel::CoDelParams;
use drop_tail::DropTail;
use dual_pi2::DualPi2;
pub use dual_pi2::DualPi2Params;
use fifo::Fifo;
use fq_codel::FqCoDel;
pub use fq_codel::FqCoDelParams;
use pie::Pie;
pub use pie::PieParams;

/// The discipline of a link's queue.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum QueueKind {
    /// First in, first out. A full queue drops every packet that arrives.
    #[default]
    DropTail,
    /// Controlled delay (RFC 8289).
    CoDel(CoDelParams),
    /// Flow queueing with CoDel (RFC 8290).
    FqCoDel(FqCoDelParams),
    /// Proportional integral controller enhanced (RFC 8033).
    Pie(PieParams),
    /// Two coupled queues for L4S and for all other packets (RFC 9332).
    DualPi2(DualPi2Params),
}

impl QueueKind {
    pub(super) fn validate(&self) -> Result<(), LinkError> {
        match self {
            QueueKind::DropTail => Ok(()),
            QueueKind::CoDel(params) => params.validate(),
            QueueKind::FqCoDel(params) => params.validate(),
            QueueKind::Pie(params) => params.validate(),
            QueueKind::DualPi2(params) => params.validate(),
        }
    }
}

/// A packet that waits in a queue or is being serialised.
#[derive(Debug)]
pub(super) struct Waiting<T> {
    pub header: Header,
    /// When the packet entered the queue.
    pub entered: SimTime,
    /// What decides at the link's exit whether the packet is lost.
    pub fate: FateBy,
    pub item: T,
}

impl<T> Waiting<T> {
    /// Marks the packet as having experienced congestion (RFC 3168 §5). Returns false if its transport does not use
    /// ECN, and then the packet stays as it is.
    fn mark(&mut self) -> bool {
        let is_capable = self.header.ecn != Ecn::NotEct;
        if is_capable {
            self.header.ecn = Ecn::Ce;
        }
        is_capable
    }
}

/// How much a queue may hold.
#[derive(Clone, Copy, Debug)]
pub(super) struct Room {
    pub packets: u64,
    pub bytes: u64,
}

impl Room {
    pub const UNLIMITED: Room = Room { packets: u64::MAX, bytes: u64::MAX };

    pub fn holds(self, packets: usize, bytes: u64) -> bool {
        packets as u64 <= self.packets && bytes <= self.bytes
    }
}

/// Packets that a queue has dropped after it had accepted them, with the time and the reason.
pub(super) type Discarded<T> = VecDeque<(SimTime, Drop, T)>;

/// Decides which packet is served next, and which packets are dropped or marked. A discipline has no timers. What it
/// does periodically is done for all past periods at its next call.
trait Discipline<T> {
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

    /// Returns the packet that is served next. Packets that are dropped before it are added to `discarded`.
    fn dequeue(&mut self, now: SimTime, discarded: &mut Discarded<T>) -> Option<Waiting<T>>;

    /// Returns the packet that entered first, without dropping or marking any.
    fn take(&mut self) -> Option<Waiting<T>>;

    fn packets(&self) -> usize;
}

/// The queue of a link, without the packet that is being serialised.
#[derive(Debug)]
pub(super) enum Queue<T> {
    DropTail(DropTail<T>),
    CoDel(Box<CoDel<T>>),
    FqCoDel(Box<FqCoDel<T>>),
    Pie(Box<Pie<T>>),
    DualPi2(Box<DualPi2<T>>),
}

impl<T> Queue<T> {
    /// Each discipline that is random draws from a random stream of its own.
    pub fn new(kind: &QueueKind, seed: u64, direction: Direction) -> Self {
        let stream = |name: &str| match direction {
            Direction::Down => format!("{name}/down"),
            Direction::Up => format!("{name}/up"),
        };
        match *kind {
            QueueKind::DropTail => Queue::DropTail(DropTail::default()),
            QueueKind::CoDel(params) => Queue::CoDel(Box::new(CoDel::new(params))),
            QueueKind::FqCoDel(params) => Queue::FqCoDel(Box::new(FqCoDel::new(params, seed, &stream("fq_codel")))),
            QueueKind::Pie(params) => Queue::Pie(Box::new(Pie::new(params, seed, &stream("pie")))),
            QueueKind::DualPi2(params) => Queue::DualPi2(Box::new(DualPi2::new(params, seed, &stream("dualpi2")))),
        }
    }

    /// Changes the settings. The packets that wait stay in the queue. If the discipline changes, or the number of
    /// queues of FQ-CoDel, the packets move to the new queue in the order in which they came.
    pub fn change(&mut self, kind: &QueueKind, seed: u64, direction: Direction) {
        match (&mut *self, *kind) {
            (Queue::DropTail(_), QueueKind::DropTail) => {}
            (Queue::CoDel(queue), QueueKind::CoDel(params)) => queue.params = params,
            (Queue::FqCoDel(queue), QueueKind::FqCoDel(params)) if queue.params.flows == params.flows => {
                queue.params = params;
            }
            (Queue::Pie(queue), QueueKind::Pie(params)) => queue.params = params,
            (Queue::DualPi2(queue), QueueKind::DualPi2(params)) => queue.params = params,
            _ => {
                let mut old = std::mem::replace(self, Queue::new(kind, seed, direction));
                let mut discarded = Discarded::new();
                while let Some(packet) = old.discipline().take() {
                    let entered = packet.entered;
                    let moved = self.discipline().enqueue(entered, packet, Room::UNLIMITED, &mut discarded);
                    debug_assert!(moved.is_ok() && discarded.is_empty(), "a new queue drops nothing");
                }
            }
        }
    }

    /// See [`Discipline::enqueue`].
    pub fn enqueue(
        &mut self,
        now: SimTime,
        packet: Waiting<T>,
        room: Room,
        discarded: &mut Discarded<T>,
    ) -> Result<(), Drop> {
        match self {
            // the usual discipline, without a dynamic call
            Queue::DropTail(queue) => queue.enqueue(now, packet, room, discarded),
            _ => self.discipline().enqueue(now, packet, room, discarded),
        }
    }

    /// See [`Discipline::dequeue`].
    pub fn dequeue(&mut self, now: SimTime, discarded: &mut Discarded<T>) -> Option<Waiting<T>> {
        match self {
            Queue::DropTail(queue) => queue.dequeue(now, discarded),
            _ => self.discipline().dequeue(now, discarded),
        }
    }

    /// Notes that the link wants a packet and the queue is empty.
    pub fn handle_idle(&mut self) {
        if let Queue::DualPi2(queue) = self {
            queue.handle_idle();
        }
    }

    /// Removes all packets, without dropping or marking any.
    pub fn drain(&mut self) -> impl Iterator<Item = T> {
        std::iter::from_fn(|| self.discipline().take()).map(|packet| packet.item)
    }

    pub fn is_empty(&self) -> bool {
        self.packets() == 0
    }

    fn packets(&self) -> usize {
        match self {
            Queue::DropTail(queue) => queue.packets(),
            Queue::CoDel(queue) => queue.packets(),
            Queue::FqCoDel(queue) => queue.packets(),
            Queue::Pie(queue) => queue.packets(),
            Queue::DualPi2(queue) => queue.packets(),
        }
    }

    fn discipline(&mut self) -> &mut dyn Discipline<T> {
        match self {
            Queue::DropTail(queue) => queue,
            Queue::CoDel(queue) => &mut **queue,
            Queue::FqCoDel(queue) => &mut **queue,
            Queue::Pie(queue) => &mut **queue,
            Queue::DualPi2(queue) => &mut **queue,
        }
    }
}

/// Checks that a time is longer than zero and at most ten seconds.
fn check_time(name: &'static str, time: std::time::Duration) -> Result<(), LinkError> {
    check((1..=10_000_000_000).contains(&time.as_nanos()), name, time.as_nanos(), "1–10^10")
}

/// Size of a large packet in bytes. CoDel drops no packet that leaves at most this many bytes behind. PIE and DualPI2
/// drop no packet early while the queue has less than twice as many bytes.
const LARGE_PACKET_BYTES: u64 = 1500;

#[cfg(test)]
#[path = "queue_test.rs"]
mod tests;
