//! The emulated path alone, for packets whose endpoints are outside of the simulation.

use std::collections::VecDeque;
use std::time::Duration;

use crate::event_queue::EventQueue;
use crate::link::{Departure, Direction, Drop, Link, LinkError, LinkParams, Path, PathParams};
use crate::time::SimTime;

/// A path, sans-IO. Packets `T` go in with [`Emulator::handle_packet`] and come out of [`Emulator::poll_transmit`] when
/// the caller's clock has reached their arrival.
///
/// Late calls do not delay later packets: each packet's times follow from the link alone, not from when the caller
/// polls.
#[derive(Debug)]
pub struct Emulator<T> {
    path: Path<Held<T>>,
    mtu_bytes: usize,
    /// Packets that have left their queue, ordered by arrival.
    arrivals: EventQueue<(Direction, Held<T>)>,
    /// Packets that were lost behind the link ([`crate::link::LossAt::Exit`]).
    lost: VecDeque<T>,
    held_bytes: usize,
    down: Counts,
    up: Counts,
}

/// What became of one direction's packets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Packets that came out.
    pub passed: u64,
    /// Packets that the loss model dropped.
    pub lost: u64,
    /// Packets that found the queue full, or [`MOST_HELD_BYTES`] on their way.
    pub queue_full: u64,
    /// Packets larger than the MTU. They draw no fate.
    pub too_large: u64,
}

/// A packet that goes in.
#[derive(Clone, Copy, Debug)]
pub struct Offer<T> {
    pub direction: Direction,
    /// Size of the IP packet, header included.
    pub bytes: usize,
    /// Whether the packet carries data, for [`crate::link::LossApplies::Data`].
    pub has_data: bool,
    pub item: T,
}

#[derive(Debug)]
struct Held<T> {
    bytes: usize,
    item: T,
}

impl<T> Emulator<T> {
    /// # Errors
    /// A setting outside its limits.
    pub fn new(seed: u64, params: PathParams) -> Result<Self, LinkError> {
        let mtu_bytes = usize::from(params.mtu_bytes);
        let (down, up) = (Counts::default(), Counts::default());
        let (path, arrivals, lost) = (Path::new(seed, params)?, EventQueue::new(), VecDeque::new());
        Ok(Emulator { path, mtu_bytes, arrivals, lost, held_bytes: 0, down, up })
    }

    /// Takes a packet. False means that it was dropped and counted. A packet that is lost behind the link is taken here
    /// and comes out of [`Emulator::poll_lost`].
    pub fn handle_packet(&mut self, now: SimTime, offer: Offer<T>) -> bool {
        let Offer { direction, bytes, has_data, item } = offer;
        if bytes > self.mtu_bytes {
            self.counts_mut(direction).too_large += 1;
            return false;
        }
        self.depart(now); // what leaves the queue by now makes room
        let is_room = self.held_bytes + bytes <= MOST_HELD_BYTES;
        let link = self.path.link_mut(direction);
        let held = Held { bytes, item };
        let offered = match has_data {
            _ if !is_room => Err(Drop::QueueFull),
            true => link.handle_packet(now, bytes, held),
            false => link.handle_control_packet(now, bytes, held),
        };
        match offered {
            Ok(()) => self.held_bytes += bytes,
            Err(Drop::Loss) => self.counts_mut(direction).lost += 1,
            Err(Drop::QueueFull) => self.counts_mut(direction).queue_full += 1,
        }
        offered.is_ok()
    }

    /// The next packet that has arrived by `now`, with its arrival and its direction.
    pub fn poll_transmit(&mut self, now: SimTime) -> Option<(SimTime, Direction, T)> {
        self.depart(now);
        self.arrivals.next_at().filter(|at| *at <= now)?;
        let (at, (direction, Held { bytes, item })) = self.arrivals.pop()?;
        self.held_bytes -= bytes;
        self.counts_mut(direction).passed += 1;
        Some((at, direction, item))
    }

    /// The next packet that was lost behind the link by `now`. It is already counted.
    pub fn poll_lost(&mut self, now: SimTime) -> Option<T> {
        self.depart(now);
        self.lost.pop_front()
    }

    /// When the next packet can arrive at the earliest.
    pub fn poll_timeout(&self) -> Option<SimTime> {
        let Path { down, up } = &self.path;
        [self.arrivals.next_at(), next_arrival(down), next_arrival(up)].into_iter().flatten().min()
    }

    /// Changes one direction for every packet whose turn comes from now on ([`Link::set_params`]).
    ///
    /// # Errors
    /// A setting outside its limits; nothing changes then.
    pub fn set_link(&mut self, now: SimTime, direction: Direction, params: LinkParams) -> Result<(), LinkError> {
        params.validate()?;
        self.depart(now);
        self.path.link_mut(direction).set_params(params);
        Ok(())
    }

    /// From now on packets draw the same fates as the first packets of a run with this seed.
    pub fn restart_loss(&mut self, seed: u64) {
        for direction in [Direction::Down, Direction::Up] {
            self.path.link_mut(direction).restart_loss(seed, direction);
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

    /// Takes every packet off the links whose serialisation has ended by now, and schedules its arrival.
    fn depart(&mut self, now: SimTime) {
        for direction in [Direction::Down, Direction::Up] {
            while let Some(departure) = self.path.link_mut(direction).handle_timeout(now) {
                match departure {
                    Departure::Arrives(arrival, held) => self.arrivals.push(arrival, (direction, held)),
                    Departure::Lost(_, Held { bytes, item }) => {
                        self.held_bytes -= bytes;
                        self.counts_mut(direction).lost += 1;
                        self.lost.push_back(item);
                    }
                }
            }
        }
    }
}

/// When the packet at the head of the queue arrives with the current delay.
fn next_arrival<T>(link: &Link<T>) -> Option<SimTime> {
    let delay: Duration = link.params().delay;
    Some(link.poll_timeout()? + delay)
}

/// The most bytes that may be in queues and on their way, both directions together. It bounds the memory, whatever the
/// path's settings are.
pub const MOST_HELD_BYTES: usize = 64 << 20;

#[cfg(test)]
#[path = "emulator_test.rs"]
mod tests;
