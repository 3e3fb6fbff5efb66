use std::collections::VecDeque;

use super::fates::{FateBy, Fates};
use super::{DropList, LinkParams, LossApplies, LossAt, Sharer};
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

/// Why the link dropped a packet on entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Drop {
    Loss,
    QueueFull,
}

/// The fate of a packet whose serialisation has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Departure<T> {
    /// The other end receives it at this time.
    Arrives(SimTime, T),
    /// The packet was lost at the link's exit at this time ([`LossAt::Exit`]).
    Lost(SimTime, T),
}

/// One direction of the path, sans-IO. The caller offers packets `T` to [`Link::handle_packet`], and
/// [`Link::handle_timeout`] returns them.
///
/// Settings may change while packets are on the link. Each packet reads each setting once. It reads `loss_at` when it
/// enters, the loss model at the point that `loss_at` names, the rate when its serialisation starts, and the delay when
/// its serialisation ends. A later change of a setting does not affect this packet. If the delay becomes shorter, later
/// packets can therefore overtake earlier ones.
#[derive(Debug)]
pub struct Link<T> {
    params: LinkParams,
    fates: Fates,
    queue: VecDeque<Queued<T>>,
    queued_bytes: u64,
    /// The time at which the serialisation of the packet at the queue's head ends.
    head_done: SimTime,
}

#[derive(Debug)]
struct Queued<T> {
    bytes: usize,
    sharer: Sharer,
    /// What decides at the link's exit whether the packet is lost.
    fate: FateBy,
    item: T,
}

impl<T> Link<T> {
    /// `params` must be valid ([`LinkParams::validate`]).
    pub fn new(seed: u64, direction: Direction, params: LinkParams) -> Self {
        Link {
            params,
            fates: Fates::new(seed, direction),
            queue: VecDeque::new(),
            queued_bytes: 0,
            head_done: SimTime::ZERO,
        }
    }

    /// Changes the settings. Each setting affects the packets that have not read it yet; the documentation of [`Link`]
    /// says when a packet reads it.
    pub fn set_params(&mut self, params: LinkParams) {
        self.params = params;
    }

    pub fn params(&self) -> &LinkParams {
        &self.params
    }

    /// Loses these packets of a page load too, from its next packet on, which has the number 0.
    pub fn set_drops(&mut self, page: u16, drops: DropList) {
        self.fates.set_drops(page, drops);
    }

    /// Restarts the draws of losses: the next packets get the fates of the first packets of a run with this seed.
    pub fn restart_loss(&mut self, seed: u64) {
        self.fates.restart(seed);
    }

    /// Offers a packet of the first page load that carries data; see [`Link::handle_packet_of`].
    ///
    /// # Errors
    /// The packet was dropped, for the reason in the error.
    pub fn handle_packet(&mut self, now: SimTime, bytes: usize, item: T) -> Result<(), Drop> {
        self.handle_packet_of(Sharer::default(), now, true, bytes, item)
    }

    /// Offers a packet of the first page load that carries no data; see [`Link::handle_packet_of`].
    ///
    /// # Errors
    /// The packet was dropped, for the reason in the error.
    pub fn handle_control_packet(&mut self, now: SimTime, bytes: usize, item: T) -> Result<(), Drop> {
        self.handle_packet_of(Sharer::default(), now, false, bytes, item)
    }

    /// Offers a packet. `bytes` is the size of the IP packet, header included. Packets without data are for example
    /// acknowledgements and packets of the handshake.
    ///
    /// # Errors
    /// The packet was dropped, for the reason in the error. The reason is never a loss if the packet has no data, and
    /// the loss model and the list of drops apply to data only ([`LossApplies::Data`]).
    pub fn handle_packet_of(
        &mut self,
        sharer: Sharer,
        now: SimTime,
        has_data: bool,
        bytes: usize,
        item: T,
    ) -> Result<(), Drop> {
        let fate = FateBy {
            model: has_data || self.params.loss_applies == LossApplies::All,
            drops: has_data || self.fates.drops_count_all(sharer),
        };
        match self.params.loss_at {
            LossAt::Exit => self.enqueue(now, Queued { bytes, sharer, fate, item }),
            LossAt::Entry => match self.fates.draw(sharer, fate, &self.params.loss) {
                true => Err(Drop::Loss),
                false => self.enqueue(now, Queued { bytes, sharer, fate: FateBy::NOTHING, item }),
            },
        }
    }

    fn enqueue(&mut self, now: SimTime, packet: Queued<T>) -> Result<(), Drop> {
        if !self.has_room(packet.bytes) {
            return Err(Drop::QueueFull);
        }
        if self.queue.is_empty() {
            self.head_done = now + self.params.serialisation(packet.bytes);
        }
        self.queued_bytes += packet.bytes as u64;
        self.queue.push_back(packet);
        Ok(())
    }

    /// The time at which the serialisation of the packet at the queue's head ends; `None` if the queue is empty.
    pub fn poll_timeout(&self) -> Option<SimTime> {
        (!self.queue.is_empty()).then_some(self.head_done)
    }

    /// Returns the next packet whose serialisation has ended by `now`.
    pub fn handle_timeout(&mut self, now: SimTime) -> Option<Departure<T>> {
        if self.poll_timeout()? > now {
            return None;
        }
        let departed = self.head_done;
        let Queued { bytes, sharer, fate, item } = self.queue.pop_front()?;
        self.queued_bytes -= bytes as u64;
        if let Some(next) = self.queue.front() {
            self.head_done = departed + self.params.serialisation(next.bytes);
        }
        Some(match self.fates.draw(sharer, fate, &self.params.loss) {
            true => Departure::Lost(departed, item),
            false => Departure::Arrives(departed + self.params.delay, item),
        })
    }

    fn has_room(&self, bytes: usize) -> bool {
        let packets_fit = self.queue.len() < self.params.queue_packets as usize;
        let bytes_fit = self.params.queue_bytes.is_none_or(|limit| self.queued_bytes + bytes as u64 <= limit);
        packets_fit && bytes_fit
    }
}

#[cfg(test)]
#[path = "direction_test.rs"]
mod tests;
