use std::time::Duration;

use super::capacity::Capacity;
use super::delay::{Arrivals, Delays};
use super::fates::{FateBy, Fates};
use super::policer::Policer;
use super::queue::{Discarded, Queue, Room, Waiting};
use super::{DropList, Header, LinkParams, LossApplies, LossAt};
use crate::packet::Ecn;
use crate::time::SimTime;

/// A direction of the path. `Down` is server → client.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Direction {
    Down,
    Up,
}

impl Direction {
    pub fn reversed(self) -> Direction {
        match self {
            Direction::Down => Direction::Up,
            Direction::Up => Direction::Down,
        }
    }
}

/// Why the link dropped a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Drop {
    /// The loss model or the list of drops lost the packet.
    Loss,
    QueueFull,
    /// The token bucket did not have enough tokens for the packet.
    Policed,
    /// The queue was not full, but its discipline dropped the packet to signal congestion (RFC 7567).
    Early,
}

/// The fate of a packet that has entered the link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Departure<T> {
    /// The packet's serialisation has ended. The other end receives the packet at [`Arrival::at`].
    Arrives(Arrival, T),
    /// The packet was dropped at this time: it was lost at the link's exit ([`LossAt::Exit`]), or the queue first
    /// accepted the packet and then dropped it.
    Dropped(SimTime, Drop, T),
}

/// When a packet leaves the link and arrives, and its ECN codepoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arrival {
    /// When the serialisation ended.
    pub left: SimTime,
    /// When the other end receives the packet.
    pub at: SimTime,
    /// When the other end receives the copy of the packet; `None` if the link made no copy.
    pub copy_at: Option<SimTime>,
    /// The ECN codepoint with which the packet arrives. The queue may have changed it to [`Ecn::Ce`].
    pub ecn: Ecn,
}

/// One direction of the path, sans-IO. The caller offers packets `T` to [`Link::handle_packet`], and
/// [`Link::handle_timeout`] returns them.
///
/// Settings may change while packets are on the link. If the queue's discipline or its settings change, this also
/// affects the packets that wait. Each packet reads every other setting once. It reads `loss_at`, `loss_applies`, the
/// policer and the limits of the queue when it enters, the loss model at the point that `loss_at` names, the rate or
/// the trace when its serialisation starts, and the delay when its serialisation ends. A later change of such a setting
/// does not affect this packet. If the delay becomes shorter, later packets can therefore overtake earlier packets.
#[derive(Debug)]
pub struct Link<T> {
    params: LinkParams,
    seed: u64,
    direction: Direction,
    fates: Fates,
    policer: Policer,
    queue: Queue<T>,
    capacity: Capacity,
    service: Service<T>,
    delays: Delays,
    discarded: Discarded<T>,
}

/// What the link does with the packets of its queue.
#[derive(Debug)]
enum Service<T> {
    /// The queue is empty.
    Idle,
    /// The serialisation of the next packet starts at this time.
    Starts(SimTime),
    /// The serialisation of this packet ends at this time.
    Ends(SimTime, Waiting<T>),
}

impl<T> Link<T> {
    /// `params` must be valid ([`LinkParams::validate`]).
    pub fn new(seed: u64, direction: Direction, params: LinkParams) -> Self {
        Link {
            queue: Queue::new(&params.queue, seed, direction),
            params,
            seed,
            direction,
            fates: Fates::new(seed, direction),
            policer: Policer::default(),
            capacity: Capacity::default(),
            service: Service::Idle,
            delays: Delays::new(seed, direction),
            discarded: Discarded::new(),
        }
    }

    /// Changes the settings. A setting affects only packets that have not read it yet. The documentation of [`Link`]
    /// says when a packet reads which setting.
    pub fn set_params(&mut self, now: SimTime, params: LinkParams) {
        let is_same_trace = self.params.trace == params.trace;
        if self.params.queue != params.queue {
            self.queue.change(&params.queue, self.seed, self.direction);
        }
        self.params = params;
        if is_same_trace {
            return;
        }
        self.capacity = Capacity::default();
        if let Service::Starts(at) = &mut self.service {
            *at = self.capacity.start_next(&self.params, now);
        }
    }

    /// Removes all packets, and changes the settings, as for a new link. The draws of losses and of delays continue.
    /// Returns the packets that were removed. Among them are the packets that the queue has already dropped but that
    /// [`Link::handle_timeout`] has not returned.
    pub fn clear(&mut self, params: LinkParams) -> Vec<T> {
        let mut removed: Vec<T> = self.discarded.drain(..).map(|(_, _, item)| item).collect();
        if let Service::Ends(_, packet) = std::mem::replace(&mut self.service, Service::Idle) {
            removed.push(packet.item);
        }
        removed.extend(self.queue.drain());
        self.queue = Queue::new(&params.queue, self.seed, self.direction);
        self.policer = Policer::default();
        self.params = params;
        self.capacity = Capacity::default();
        self.delays.clear();
        removed
    }

    pub fn params(&self) -> &LinkParams {
        &self.params
    }

    /// Makes the link lose these packets of a page load, in addition to those that the loss model loses. The next
    /// packet of the page load to which the list applies has the number 0.
    pub fn set_drops(&mut self, page: u16, drops: DropList) {
        self.fates.set_drops(page, drops);
    }

    /// Restarts the draws of losses and of the delay: the next packets get the fates of the first packets of a run with
    /// this seed. The draws of the queue's discipline continue, and the lists of drops continue to count.
    pub fn restart_loss(&mut self, seed: u64) {
        self.fates.restart(seed);
        self.delays.restart(seed);
    }

    /// Offers a packet to the link.
    ///
    /// # Errors
    /// The packet was dropped, for the reason in the error. If the loss model and the list of drops apply to data only
    /// ([`LossApplies::Data`]), a packet without data is never lost.
    pub fn handle_packet(&mut self, now: SimTime, header: Header, item: T) -> Result<(), Drop> {
        let fate = self.fate_by(header);
        let packet = Waiting { header, entered: now, fate, item };
        match self.params.loss_at {
            LossAt::Exit => self.enqueue(now, packet),
            LossAt::Entry => match self.fates.draw(header.sharer, fate, &self.params.loss) {
                true => Err(Drop::Loss),
                false => self.enqueue(now, Waiting { fate: FateBy::NOTHING, ..packet }),
            },
        }
    }

    /// Draws the fate and the delay of a packet that does not use the link, so that all other packets keep theirs. As
    /// usual, a packet that the loss model or the list of drops would lose draws no delay.
    pub fn skip_packet(&mut self, now: SimTime, header: Header) {
        let fate = self.fate_by(header);
        if !self.fates.draw(header.sharer, fate, &self.params.loss) {
            self.delays.skip(&self.params, header.sharer, now);
        }
    }

    /// The delay, without jitter, of a packet whose serialisation ends at this time.
    pub fn usual_delay(&self, left: SimTime) -> Duration {
        self.params.delay_at(left)
    }

    fn fate_by(&mut self, header: Header) -> FateBy {
        FateBy {
            model: header.has_data || self.params.loss_applies == LossApplies::All,
            drops: header.has_data || self.fates.drops_count_all(header.sharer),
        }
    }

    fn enqueue(&mut self, now: SimTime, packet: Waiting<T>) -> Result<(), Drop> {
        if let Some(policer) = self.params.policer
            && !self.policer.passes(policer, now, packet.header.bytes)
        {
            return Err(Drop::Policed);
        }
        let room = self.room();
        self.queue.enqueue(now, packet, room, &mut self.discarded)?;
        if matches!(self.service, Service::Idle) {
            let start = self.capacity.start_idle(&self.params, now);
            self.start(now, start);
        }
        Ok(())
    }

    /// How much may wait in the queue.
    fn room(&self) -> Room {
        let LinkParams { queue_packets, queue_bytes, .. } = self.params;
        let room = Room { packets: u64::from(queue_packets), bytes: queue_bytes.unwrap_or(u64::MAX) };
        match &self.service {
            // the packet that is being serialised also needs room
            Service::Ends(_, packet) if !self.params.has_opportunities() => Room {
                packets: room.packets.saturating_sub(1),
                bytes: room.bytes.saturating_sub(packet.header.bytes as u64),
            },
            _ => room,
        }
    }

    /// Starts to serialise the next packet of the queue, if `start` is reached.
    fn start(&mut self, now: SimTime, start: SimTime) {
        if start > now {
            self.service = Service::Starts(start);
            return;
        }
        self.service = match self.queue.dequeue(now, &mut self.discarded) {
            Some(packet) => Service::Ends(self.capacity.finish(&self.params, start, packet.header.bytes), packet),
            None => Service::Idle,
        };
    }

    /// Continues with the next packet of the queue, after the serialisation of a packet has ended at `now`.
    fn start_next(&mut self, now: SimTime) {
        if self.queue.is_empty() {
            self.queue.handle_idle();
            self.service = Service::Idle;
            return;
        }
        let start = self.capacity.start_next(&self.params, now);
        self.start(now, start);
    }

    /// The time of the next call of [`Link::handle_timeout`] that may return something; `None` if the link is empty.
    pub fn poll_timeout(&self) -> Option<SimTime> {
        if let Some((at, ..)) = self.discarded.front() {
            return Some(*at);
        }
        match &self.service {
            Service::Idle => None,
            Service::Starts(at) | Service::Ends(at, _) => Some(*at),
        }
    }

    /// Returns the next packet that has left the link by `now`, or that was dropped after it had entered.
    pub fn handle_timeout(&mut self, now: SimTime) -> Option<Departure<T>> {
        loop {
            if let Some((at, reason, item)) = self.discarded.pop_front() {
                return Some(Departure::Dropped(at, reason, item));
            }
            match &self.service {
                Service::Starts(at) if *at <= now => {
                    let at = *at;
                    self.start(at, at);
                }
                Service::Ends(at, _) if *at <= now => return self.depart(),
                _ => return None,
            }
        }
    }

    /// Ends the serialisation of a packet. Returns `None` if no packet is being serialised.
    fn depart(&mut self) -> Option<Departure<T>> {
        let Service::Ends(left, Waiting { header, fate, item, .. }) =
            std::mem::replace(&mut self.service, Service::Idle)
        else {
            return None;
        };
        self.start_next(left);
        if self.fates.draw(header.sharer, fate, &self.params.loss) {
            return Some(Departure::Dropped(left, Drop::Loss, item));
        }
        let Arrivals { at, copy_at } = self.delays.arrivals(&self.params, header.sharer, left);
        Some(Departure::Arrives(Arrival { left, at, copy_at, ecn: header.ecn }, item))
    }
}

#[cfg(test)]
#[path = "direction_test.rs"]
mod tests;
