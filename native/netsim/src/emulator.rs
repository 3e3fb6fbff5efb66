//! The emulated path without endpoints, for packets whose endpoints are outside of the simulation.

use std::collections::VecDeque;

use crate::event_queue::EventQueue;
use crate::link::{Arrival, Departure, Direction, Drop, Header, Link, LinkError, LinkParams, Path, PathParams};
use crate::packet::Ecn;
use crate::time::SimTime;

/// A path, sans-IO. The caller offers packets `T` to [`Emulator::handle_packet`]. [`Emulator::poll_transmit`] returns
/// each of them once the caller's clock has reached its arrival time.
///
/// A late call does not delay later packets: the times of each packet depend on the link only, not on when the caller
/// polls.
#[derive(Debug)]
pub struct Emulator<T> {
    path: Path<Held<T>>,
    mtu_bytes: usize,
    /// Packets that have left their queue, ordered by arrival.
    arrivals: EventQueue<(Direction, Held<T>)>,
    /// Packets that were dropped after they had entered the link ([`Departure::Dropped`]) and that
    /// [`Emulator::poll_lost`] has not returned yet.
    lost: VecDeque<T>,
    held_bytes: usize,
    down: Counts,
    up: Counts,
}

/// The numbers of packets of one direction, by their fates.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Packets that passed the path.
    pub passed: u64,
    /// Packets that the loss model dropped.
    pub lost: u64,
    /// Packets that were dropped because the queue was full, or because the emulator already held [`MOST_HELD_BYTES`].
    pub queue_full: u64,
    /// Packets that the discipline of the queue dropped although the queue was not full.
    pub early: u64,
    /// Packets that the token bucket dropped.
    pub policed: u64,
    /// Packets that arrived a second time.
    pub copied: u64,
    /// Packets that the queue marked instead of dropping them. They are also among those that passed or were lost.
    pub marked: u64,
    /// Packets that were dropped because they are larger than the MTU. The loss model does not count them.
    pub too_large: u64,
}

/// A packet that is offered to the path.
#[derive(Clone, Copy, Debug)]
pub struct Offer<T> {
    pub direction: Direction,
    pub header: Header,
    pub item: T,
}

/// A packet that leaves the path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Delivery<T> {
    pub at: SimTime,
    pub direction: Direction,
    /// Whether a queue has changed the ECN codepoint of the packet to [`Ecn::Ce`].
    pub is_marked: bool,
    /// Whether this is the last delivery of the packet. A packet that the link copies is delivered twice.
    pub is_last: bool,
    pub item: T,
}

#[derive(Clone, Debug)]
struct Held<T> {
    bytes: usize,
    ecn: Ecn,
    is_marked: bool,
    is_last: bool,
    item: T,
}

impl Counts {
    fn note_dropped(&mut self, reason: Drop) {
        match reason {
            Drop::Loss => self.lost += 1,
            Drop::QueueFull => self.queue_full += 1,
            Drop::Early => self.early += 1,
            Drop::Policed => self.policed += 1,
        }
    }
}

impl<T: Clone> Emulator<T> {
    /// # Errors
    /// A setting is outside its limits.
    pub fn new(seed: u64, params: PathParams) -> Result<Self, LinkError> {
        let mtu_bytes = usize::from(params.mtu_bytes);
        let (down, up) = (Counts::default(), Counts::default());
        let (path, arrivals, lost) = (Path::new(seed, params)?, EventQueue::new(), VecDeque::new());
        Ok(Emulator { path, mtu_bytes, arrivals, lost, held_bytes: 0, down, up })
    }

    /// Offers a packet to the path. If the packet is dropped, counts it in [`Counts`] and returns false. A packet that
    /// is dropped later, for example at the link's exit, is accepted here and returned by [`Emulator::poll_lost`].
    pub fn handle_packet(&mut self, now: SimTime, offer: Offer<T>) -> bool {
        let Offer { direction, header, item } = offer;
        let bytes = header.bytes;
        if bytes > self.mtu_bytes {
            self.counts_mut(direction).too_large += 1;
            return false;
        }
        self.depart(now); // packets that have left the queue by now make room
        let is_room = self.held_bytes + bytes <= MOST_HELD_BYTES;
        let link = self.path.link_mut(direction);
        let held = Held { bytes, ecn: header.ecn, is_marked: false, is_last: true, item };
        let offered = match is_room {
            true => link.handle_packet(now, header, held),
            false => Err(Drop::QueueFull),
        };
        match offered {
            Ok(()) => self.held_bytes += bytes,
            Err(reason) => self.counts_mut(direction).note_dropped(reason),
        }
        offered.is_ok()
    }

    /// Returns the next packet that has arrived by `now`.
    pub fn poll_transmit(&mut self, now: SimTime) -> Option<Delivery<T>> {
        self.depart(now);
        self.arrivals.next_at().filter(|at| *at <= now)?;
        let (at, (direction, Held { bytes, is_marked, is_last, item, .. })) = self.arrivals.pop()?;
        self.held_bytes -= bytes;
        let counts = self.counts_mut(direction);
        match is_last {
            true => counts.passed += 1,
            false => counts.copied += 1,
        }
        Some(Delivery { at, direction, is_marked, is_last, item })
    }

    /// Returns the next packet that was dropped by `now` after it had entered the link. The packet is already counted.
    pub fn poll_lost(&mut self, now: SimTime) -> Option<T> {
        self.depart(now);
        self.lost.pop_front()
    }

    /// The earliest time at which the next packet can arrive; `None` if the path holds no packet.
    pub fn poll_timeout(&self) -> Option<SimTime> {
        let Path { down, up } = &self.path;
        [self.arrivals.next_at(), next_arrival(down), next_arrival(up)].into_iter().flatten().min()
    }

    /// Changes the settings of one direction. [`Link::set_params`] says which packets this affects.
    ///
    /// # Errors
    /// A setting is outside its limits. In this case nothing changes.
    pub fn set_link(&mut self, now: SimTime, direction: Direction, params: LinkParams) -> Result<(), LinkError> {
        params.validate()?;
        self.depart(now);
        self.path.link_mut(direction).set_params(now, params);
        Ok(())
    }

    /// Restarts the draws of losses: the next packets get the fates of the first packets of a run with this seed.
    pub fn restart_loss(&mut self, seed: u64) {
        for direction in [Direction::Down, Direction::Up] {
            self.path.link_mut(direction).restart_loss(seed);
        }
    }

    pub fn counts(&self, direction: Direction) -> Counts {
        match direction {
            Direction::Down => self.down,
            Direction::Up => self.up,
        }
    }

    fn counts_mut(&mut self, direction: Direction) -> &mut Counts {
        match direction {
            Direction::Down => &mut self.down,
            Direction::Up => &mut self.up,
        }
    }

    /// Removes every packet whose serialisation has ended by now from its link, and schedules its arrival.
    fn depart(&mut self, now: SimTime) {
        for direction in [Direction::Down, Direction::Up] {
            while let Some(departure) = self.path.link_mut(direction).handle_timeout(now) {
                match departure {
                    Departure::Arrives(arrival, held) => self.schedule(direction, arrival, held),
                    Departure::Dropped(_, reason, Held { bytes, item, .. }) => {
                        self.held_bytes -= bytes;
                        self.counts_mut(direction).note_dropped(reason);
                        self.lost.push_back(item);
                    }
                }
            }
        }
    }

    /// Schedules the arrival of a packet, and of its copy if there is one.
    fn schedule(&mut self, direction: Direction, arrival: Arrival, mut held: Held<T>) {
        let Arrival { at, copy_at, ecn, .. } = arrival;
        held.is_marked = ecn == Ecn::Ce && held.ecn != Ecn::Ce;
        self.counts_mut(direction).marked += u64::from(held.is_marked);
        if let Some(copy_at) = copy_at {
            self.held_bytes += held.bytes;
            self.arrivals.push(copy_at.min(at), (direction, Held { is_last: false, ..held.clone() }));
            self.arrivals.push(copy_at.max(at), (direction, held));
            return;
        }
        self.arrivals.push(at, (direction, held));
    }
}

/// The earliest time at which the next packet of the link can arrive if the settings do not change.
fn next_arrival<T>(link: &Link<T>) -> Option<SimTime> {
    Some(link.poll_timeout()? + link.params().least_delay())
}

/// The most bytes that the emulator holds: in queues and in propagation, both directions together. This bounds its
/// memory with any settings of the path.
pub const MOST_HELD_BYTES: usize = 64 << 20;

#[cfg(test)]
#[path = "emulator_test.rs"]
mod tests;
