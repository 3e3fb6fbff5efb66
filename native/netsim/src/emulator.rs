//! The emulated path without endpoints, for packets whose endpoints are outside of the simulation.

mod traffic;

use std::collections::VecDeque;
use std::time::Duration;

use crate::event_queue::EventQueue;
use crate::link::{Arrival, Departure, Direction, Drop, Header, LinkError, LinkParams, Path, PathParams};
use crate::packet::Ecn;
use crate::time::SimTime;
pub use traffic::FlowCounts;
use traffic::{FlowParcel, Traffic};

/// A path, sans-IO. The caller offers packets `T` to [`Emulator::handle_packet`]. [`Emulator::poll_transmit`] returns
/// those that are not dropped, as soon as the caller's clock has reached their arrival times. Other traffic may share
/// the path ([`Emulator::with_traffic`]). Both ends of this traffic are in the emulator.
///
/// A late call does not delay later packets: the times of each packet depend on the path only, not on when the caller
/// polls.
#[derive(Debug)]
pub struct Emulator<T> {
    seed: u64,
    path: Path<Parcel<T>>,
    mtu_bytes: u16,
    /// Everything until this time has happened. This is a time of the emulator (see `lead`).
    ran_until: SimTime,
    /// How long before the caller's time 0 the emulator starts. In this time other traffic can fill the queues. Times
    /// in the arguments and results of the public functions are the caller's. The start and end of flows are an
    /// exception: in [`Emulator::with_traffic`] they are times of the emulator, and in [`Emulator::set_traffic`] they
    /// count from `now`.
    lead: Duration,
    traffic: Traffic,
    /// The caller's packets that have left their queue, ordered by arrival.
    arrivals: EventQueue<(Direction, Held<T>)>,
    /// Packets that were dropped after they had entered the link ([`Departure::Dropped`]) or that a hand-over lost, and
    /// that [`Emulator::poll_lost`] has not returned yet.
    lost: VecDeque<T>,
    held_bytes: usize,
    down: Counts,
    up: Counts,
    /// How many of the caller's packets are on the links, down and up.
    on_links: [usize; 2],
}

/// The numbers of packets of one direction, by their fates.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Packets that passed the path.
    pub passed: u64,
    /// Packets that the loss model dropped.
    pub lost: u64,
    /// Packets that were dropped because the queue was full, or because the emulator would have held more than
    /// [`MOST_HELD_BYTES`].
    pub queue_full: u64,
    /// Packets that the discipline of the queue dropped although the queue was not full.
    pub early: u64,
    /// Packets that the token bucket dropped.
    pub policed: u64,
    /// Copies that arrived. `passed` counts each packet once, without its copy.
    pub copied: u64,
    /// Packets that the queue marked instead of dropping them, and that have left the link. Each of them later also
    /// counts as passed, or as lost by a hand-over.
    pub marked: u64,
    /// Packets that were dropped because they are larger than the MTU. The loss model does not count them.
    pub too_large: u64,
    /// Packets that a hand-over lost ([`Emulator::hand_over`]).
    pub handed_over: u64,
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

/// A packet on a link.
#[derive(Debug)]
enum Parcel<T> {
    /// A packet of the caller.
    Held(Held<T>),
    Flow(FlowParcel),
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
        let mtu_bytes = params.mtu_bytes;
        let (down, up) = (Counts::default(), Counts::default());
        Ok(Emulator {
            seed,
            path: Path::new(seed, params)?,
            mtu_bytes,
            ran_until: SimTime::ZERO,
            lead: Duration::ZERO,
            traffic: Traffic::default(),
            arrivals: EventQueue::new(),
            lost: VecDeque::new(),
            held_bytes: 0,
            down,
            up,
            on_links: [0; 2],
        })
    }

    /// Offers a packet to the path. If the packet is dropped, counts it in [`Counts`] and returns false. A packet that
    /// is dropped later, for example at the link's exit, is accepted here and returned by [`Emulator::poll_lost`].
    pub fn handle_packet(&mut self, now: SimTime, offer: Offer<T>) -> bool {
        let Offer { direction, header, item } = offer;
        let bytes = header.bytes;
        if bytes > usize::from(self.mtu_bytes) {
            self.counts_mut(direction).too_large += 1;
            return false;
        }
        let now = now + self.lead;
        self.run_until(now); // packets that have left the queue by now make room
        let is_room = self.held_bytes + bytes <= MOST_HELD_BYTES;
        let link = self.path.link_mut(direction);
        let held = Held { bytes, ecn: header.ecn, is_marked: false, is_last: true, item };
        let offered = match is_room {
            true => link.handle_packet(now, header, Parcel::Held(held)),
            false => Err(Drop::QueueFull),
        };
        match offered {
            Ok(()) => {
                self.held_bytes += bytes;
                self.on_links[direction as usize] += 1;
            }
            Err(reason) => self.counts_mut(direction).note_dropped(reason),
        }
        offered.is_ok()
    }

    /// Returns the next packet that has arrived by `now`.
    pub fn poll_transmit(&mut self, now: SimTime) -> Option<Delivery<T>> {
        let now = now + self.lead;
        self.run_until(now);
        self.arrivals.next_at().filter(|at| *at <= now)?;
        let (at, (direction, Held { bytes, is_marked, is_last, item, .. })) = self.arrivals.pop()?;
        self.held_bytes -= bytes;
        let counts = self.counts_mut(direction);
        match is_last {
            true => counts.passed += 1,
            false => counts.copied += 1,
        }
        Some(Delivery { at: self.outside(at), direction, is_marked, is_last, item })
    }

    /// Returns the next packet that was dropped by `now` after it had entered the link. The packet is already counted.
    pub fn poll_lost(&mut self, now: SimTime) -> Option<T> {
        self.run_until(now + self.lead);
        self.lost.pop_front()
    }

    /// Returns when to call again: the earliest time at which the next packet can arrive, or an earlier time at which
    /// other traffic must be computed. The latter is at least [`CATCH_UP`] after the latest time that the caller has
    /// given to the emulator. `None` if the path holds no packet and other traffic has no more events.
    pub fn poll_timeout(&self) -> Option<SimTime> {
        let traffic = self.next_of_traffic().map(|at| at.max(self.ran_until + CATCH_UP));
        let [down, up] = [Direction::Down, Direction::Up].map(|direction| self.next_arrival(direction));
        let next = [self.arrivals.next_at(), down, up, traffic].into_iter().flatten().min();
        next.map(|at| self.outside(at))
    }

    /// Changes the settings of one direction. [`crate::link::Link::set_params`] says which packets this affects.
    ///
    /// # Errors
    /// A setting is outside its limits. In this case nothing changes.
    pub fn set_link(&mut self, now: SimTime, direction: Direction, params: LinkParams) -> Result<(), LinkError> {
        params.validate()?;
        let params = params.started_before(self.lead)?;
        let now = now + self.lead;
        self.run_until(now);
        self.path.link_mut(direction).set_params(now, params);
        Ok(())
    }

    /// Moves the client now to another path, which has these settings and empty queues. The caller gives the client
    /// another address, and must not offer packets from or to the old address any more.
    ///
    /// What was in the queues or in serialisation, and what was on its way to the client, is lost;
    /// [`Emulator::poll_lost`] returns it. Packets to the server whose serialisation had ended still arrive. Other
    /// traffic ends, because it stays on the old path.
    ///
    /// # Errors
    /// A setting is outside its limits. In this case nothing changes.
    pub fn hand_over(&mut self, now: SimTime, down: LinkParams, up: LinkParams) -> Result<(), LinkError> {
        down.validate()?;
        up.validate()?;
        let (down, up) = (down.started_before(self.lead)?, up.started_before(self.lead)?);
        self.run_until(now + self.lead);
        self.traffic.end_flows();
        for (direction, params) in [(Direction::Down, down), (Direction::Up, up)] {
            for parcel in self.path.link_mut(direction).clear(params) {
                if let Parcel::Held(held) = parcel {
                    self.on_links[direction as usize] -= 1;
                    self.hand_over_packet(direction, held);
                }
            }
        }
        let all = std::mem::take(&mut self.arrivals);
        for (at, (direction, held)) in all.into_ordered() {
            match direction {
                Direction::Down => self.hand_over_packet(direction, held),
                Direction::Up => self.arrivals.push(at, (direction, held)),
            }
        }
        Ok(())
    }

    /// Counts a packet as lost by a hand-over. A copy is not counted, because the packet itself is.
    fn hand_over_packet(&mut self, direction: Direction, held: Held<T>) {
        self.held_bytes -= held.bytes;
        if held.is_last {
            self.counts_mut(direction).handed_over += 1;
            self.lost.push_back(held.item);
        }
    }

    /// Restarts the draws of losses and of delays: the next packets get the draws that the first packets of a run with
    /// this seed get. Traffic that is set later ([`Emulator::set_traffic`]) also uses this seed.
    pub fn restart_loss(&mut self, seed: u64) {
        self.seed = seed;
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

    /// Handles all events that are due by `until`, each at its own time. `until` is a time of the emulator. At one
    /// instant, packets leave the links before flows send.
    fn run_until(&mut self, until: SimTime) {
        loop {
            let links = [Direction::Down, Direction::Up].map(|direction| (self.link_timeout(direction), direction));
            let leaves = links.into_iter().filter_map(|(at, direction)| Some((at?, direction))).min();
            let flows_at = self.traffic.next_at();
            match leaves.filter(|(at, _)| *at <= until && flows_at.is_none_or(|flows_at| *at <= flows_at)) {
                Some((at, direction)) => self.depart(at, direction),
                None if flows_at.is_some_and(|at| at <= until) => self.run_traffic(),
                None => break,
            }
        }
        self.ran_until = self.ran_until.max(until);
    }

    /// Removes from the link of `direction` every packet whose serialisation has ended by `now`. Schedules the packet's
    /// arrival, or counts the packet as dropped.
    fn depart(&mut self, now: SimTime, direction: Direction) {
        while let Some(departure) = self.path.link_mut(direction).handle_timeout(now) {
            match departure {
                Departure::Arrives(arrival, Parcel::Held(held)) => {
                    self.on_links[direction as usize] -= 1;
                    self.schedule(direction, arrival, held);
                }
                Departure::Dropped(_, reason, Parcel::Held(Held { bytes, item, .. })) => {
                    self.on_links[direction as usize] -= 1;
                    self.held_bytes -= bytes;
                    self.counts_mut(direction).note_dropped(reason);
                    self.lost.push_back(item);
                }
                Departure::Arrives(arrival, Parcel::Flow(parcel)) => self.traffic.schedule_arrival(arrival, parcel),
                Departure::Dropped(_, _, Parcel::Flow(parcel)) => self.traffic.note_dropped(&parcel),
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

    fn link_timeout(&self, direction: Direction) -> Option<SimTime> {
        match direction {
            Direction::Down => self.path.down.poll_timeout(),
            Direction::Up => self.path.up.poll_timeout(),
        }
    }

    /// The earliest time at which the next of the caller's packets on this link can arrive if the settings do not
    /// change.
    fn next_arrival(&self, direction: Direction) -> Option<SimTime> {
        let least_delay = match direction {
            Direction::Down => self.path.down.params().least_delay(),
            Direction::Up => self.path.up.params().least_delay(),
        };
        let leaves = self.link_timeout(direction).filter(|_| self.on_links[direction as usize] > 0)?;
        Some(leaves + least_delay)
    }

    /// Converts a time of the emulator to a time of the caller.
    fn outside(&self, at: SimTime) -> SimTime {
        SimTime::ZERO + at.saturating_since(SimTime::ZERO + self.lead)
    }
}

/// A packet is dropped if the emulator would then hold more bytes of the caller's packets than this, in queues and in
/// propagation, both directions together. Copies that the links make are never dropped for this reason, so up to twice
/// as many bytes can be held. The limit bounds the emulator's memory with any settings of the path.
pub const MOST_HELD_BYTES: usize = 64 << 20;
/// While no packet of the caller arrives, [`Emulator::poll_timeout`] asks for the computation of other traffic at most
/// once in this time.
pub const CATCH_UP: Duration = Duration::from_millis(10);

#[cfg(test)]
#[path = "emulator_test.rs"]
mod tests;
