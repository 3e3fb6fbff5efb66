use std::time::Duration;

use rand_chacha::ChaCha8Rng;

use super::{Discarded, Discipline, Drop, Ecn, Fifo, LARGE_PACKET_BYTES, LinkError, Room, Waiting, check_time};
use crate::random::{random_stream, uniform};
use crate::time::SimTime;

/// The settings of DualPI2.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DualPi2Params {
    /// How long packets of the C queue (the queue for all packets except those of L4S) shall wait.
    pub target: Duration,
    /// Packets of the L queue (the queue for packets of L4S) are marked if they have waited longer than this.
    pub step: Duration,
    /// Whether classic packets of transports that use ECN are marked instead of dropped, except in overload. L4S
    /// packets are marked in either case.
    pub marks: bool,
}

impl Default for DualPi2Params {
    /// The values are those of RFC 9332 §A.1, but the step is that of Linux. The RFC has a ramp from 0.8 to 1.2 ms
    /// instead.
    fn default() -> Self {
        DualPi2Params { target: Duration::from_millis(15), step: Duration::from_millis(1), marks: true }
    }
}

impl DualPi2Params {
    pub(super) fn validate(&self) -> Result<(), LinkError> {
        check_time("queue.targetNs", self.target)?;
        check_time("queue.stepNs", self.step)
    }
}

/// Two coupled queues (RFC 9332): the L queue for packets with the L4S identifier (ECT(1) or CE), the C queue for all
/// others. The details that the RFC leaves open are those of Linux's `sch_dualpi2`.
#[derive(Debug)]
pub struct DualPi2<T> {
    pub params: DualPi2Params,
    rng: ChaCha8Rng,
    l_queue: Fifo<T>,
    c_queue: Fifo<T>,
    next_update: SimTime,
    /// The base probability p'. Classic packets are dropped or marked with the probability p'², and L4S packets are
    /// marked with the probability 2p'. If 2p' exceeds 1 (overload), both are dropped with the probability p'².
    base_probability: f64,
    old_delay: Duration,
    /// Decides which queue is next if both have packets: if the credit is positive, the C queue (RFC 9332 §4.2.2).
    credit: i64,
}

impl<T> DualPi2<T> {
    pub fn new(params: DualPi2Params, seed: u64, stream: &str) -> Self {
        DualPi2 {
            params,
            rng: random_stream(seed, stream),
            l_queue: Fifo::default(),
            c_queue: Fifo::default(),
            next_update: SimTime::ZERO + UPDATE,
            base_probability: 0.0,
            old_delay: Duration::ZERO,
            credit: INITIAL_CREDIT,
        }
    }

    /// Notes that the link wants a packet and both queues are empty. The credit then begins anew (Linux).
    pub fn handle_idle(&mut self) {
        self.credit = INITIAL_CREDIT;
    }

    fn bytes(&self) -> u64 {
        self.l_queue.bytes() + self.c_queue.bytes()
    }

    /// Makes all updates of the base probability that are due by now.
    fn update(&mut self, now: SimTime) {
        while self.next_update <= now {
            let at = self.next_update;
            self.next_update += UPDATE;
            let waited = |queue: &Fifo<T>| queue.head_entered().map(|entered| at.saturating_since(entered));
            let delay = waited(&self.l_queue).max(waited(&self.c_queue)).unwrap_or_default();
            let error = delay.as_secs_f64() - self.params.target.as_secs_f64();
            let trend = delay.as_secs_f64() - self.old_delay.as_secs_f64();
            self.base_probability = (self.base_probability + ALPHA * error + BETA * trend).clamp(0.0, 1.0);
            self.old_delay = delay;
            if delay.is_zero() && self.base_probability == 0.0 && self.next_update <= now {
                // all updates until now would change nothing
                let missed = (now - self.next_update).as_nanos() as u64 / UPDATE_NS;
                self.next_update += Duration::from_nanos(missed * UPDATE_NS);
            }
        }
    }

    /// Chooses the queue. Returns its next packet, whether this is the L queue, and the change of the credit.
    fn next(&mut self) -> Option<(Waiting<T>, bool, i64)> {
        let (has_l, has_c) = (self.l_queue.packets() > 0, self.c_queue.packets() > 0);
        if has_l && (!has_c || self.credit <= 0) {
            let packet = self.l_queue.pop()?;
            let change = if has_c { C_WEIGHT * packet.header.bytes as i64 } else { 0 };
            return Some((packet, true, change));
        }
        let Some(packet) = self.c_queue.pop() else {
            self.handle_idle();
            return None;
        };
        let change = if has_l { -L_WEIGHT * packet.header.bytes as i64 } else { 0 };
        Some((packet, false, change))
    }

    /// Marks the packet with the probability of its queue. Returns false if the packet is to be dropped instead.
    fn passes(&mut self, packet: &mut Waiting<T>, is_l: bool) -> bool {
        // the packet itself is no longer in the queue
        if self.bytes() < 2 * LARGE_PACKET_BYTES {
            return true;
        }
        let (p, coupled) = (self.base_probability, COUPLING * self.base_probability);
        let is_overload = coupled > 1.0;
        if !is_l {
            let is_signalled = self.rolls(p) && self.rolls(p);
            return !is_signalled || !is_overload && self.params.marks && packet.mark();
        }
        if is_overload {
            // in overload, L4S packets are dropped like classic packets (RFC 9332 §4.2.3); L4S packets that are not
            // dropped are marked
            let is_dropped = self.rolls(p) && self.rolls(p);
            packet.mark();
            return !is_dropped;
        }
        if self.rolls(coupled) {
            packet.mark();
        }
        true
    }

    fn rolls(&mut self, probability: f64) -> bool {
        uniform(&mut self.rng) < probability
    }
}

impl<T> Discipline<T> for DualPi2<T> {
    fn enqueue(&mut self, now: SimTime, packet: Waiting<T>, room: Room, _: &mut Discarded<T>) -> Result<(), Drop> {
        self.update(now);
        let packets = Discipline::packets(self) + 1;
        if !room.holds(packets, self.bytes() + packet.header.bytes as u64) {
            return Err(Drop::QueueFull);
        }
        match packet.header.ecn {
            Ecn::Ect1 | Ecn::Ce => self.l_queue.push(packet),
            Ecn::NotEct | Ecn::Ect0 => self.c_queue.push(packet),
        }
        Ok(())
    }

    fn dequeue(&mut self, now: SimTime, discarded: &mut Discarded<T>) -> Option<Waiting<T>> {
        self.update(now);
        loop {
            let (mut packet, is_l, credit) = self.next()?;
            if !self.passes(&mut packet, is_l) {
                discarded.push_back((now, Drop::Early, packet.item));
                continue;
            }
            self.credit += credit;
            if is_l && now.saturating_since(packet.entered) > self.params.step {
                packet.mark();
            }
            return Some(packet);
        }
    }

    fn take(&mut self) -> Option<Waiting<T>> {
        let is_l_first = match (self.l_queue.head_entered(), self.c_queue.head_entered()) {
            (Some(l), Some(c)) => l <= c,
            (l, _) => l.is_some(),
        };
        if is_l_first { self.l_queue.pop() } else { self.c_queue.pop() }
    }

    fn packets(&self) -> usize {
        self.l_queue.packets() + self.c_queue.packets()
    }
}

/// Time between two updates of the base probability (RFC 9332 §A.1).
const UPDATE: Duration = Duration::from_nanos(UPDATE_NS);
const UPDATE_NS: u64 = 16_000_000;
// The gains of one update, in probability per second of delay, for RTTs of up to 100 ms (RFC 9332 §A.1).
const ALPHA: f64 = 0.16;
const BETA: f64 = 3.2;
/// L4S packets are marked with the base probability times this (the coupling factor k).
const COUPLING: f64 = 2.0;
// The shares of the link that the C queue and the L queue get while both have packets, in percent (Linux).
const C_WEIGHT: i64 = 10;
const L_WEIGHT: i64 = 90;
const INITIAL_CREDIT: i64 = LARGE_PACKET_BYTES as i64 * (C_WEIGHT - L_WEIGHT);
