use std::collections::VecDeque;

use rand_chacha::rand_core::Rng;

use super::codel::Control;
use super::{CoDelParams, Discarded, Discipline, Drop, Fifo, LinkError, Room, Waiting, check};
use crate::random::random_stream;
use crate::time::SimTime;

/// The settings of FQ-CoDel.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FqCoDelParams {
    pub codel: CoDelParams,
    /// The number of queues over which flows are distributed, 1–65536.
    pub flows: u32,
    /// How many bytes a queue may send before it is the turn of another queue, 1–1,000,000.
    pub quantum_bytes: u32,
}

impl Default for FqCoDelParams {
    /// The values are those of RFC 8290 §5.2. The quantum is a large packet with the header of Ethernet.
    fn default() -> Self {
        FqCoDelParams { codel: CoDelParams::default(), flows: 1024, quantum_bytes: 1514 }
    }
}

impl FqCoDelParams {
    pub(super) fn validate(&self) -> Result<(), LinkError> {
        self.codel.validate()?;
        check((1..=65536).contains(&self.flows), "queue.flows", self.flows, "1–65536")?;
        check((1..=1_000_000).contains(&self.quantum_bytes), "queue.quantumBytes", self.quantum_bytes, "1–10^6")
    }
}

/// Flow queueing with CoDel (RFC 8290): a hash distributes flows over queues, and each queue has a CoDel of its own.
/// The queues take turns. In each turn, a queue sends about a quantum of bytes. New queues, which were empty before,
/// come first.
#[derive(Debug)]
pub struct FqCoDel<T> {
    pub params: FqCoDelParams,
    /// A random number, so that the seed decides which flows share a queue.
    perturbation: u64,
    queues: Vec<FlowQueue<T>>,
    /// The indices of queues, in the order in which they are served.
    new_queues: VecDeque<usize>,
    old_queues: VecDeque<usize>,
    packets: usize,
    bytes: u64,
}

#[derive(Debug)]
struct FlowQueue<T> {
    fifo: Fifo<T>,
    control: Control,
    deficit_bytes: i64,
    /// Whether the queue is in one of the lists.
    is_listed: bool,
}

impl<T> FqCoDel<T> {
    pub fn new(params: FqCoDelParams, seed: u64, stream: &str) -> Self {
        FqCoDel {
            params,
            perturbation: random_stream(seed, stream).next_u64(),
            queues: Vec::new(),
            new_queues: VecDeque::new(),
            old_queues: VecDeque::new(),
            packets: 0,
            bytes: 0,
        }
    }

    /// The index of the queue of a flow.
    pub(super) fn queue_of(&mut self, flow: u32) -> usize {
        if self.queues.is_empty() {
            let queue =
                || FlowQueue { fifo: Fifo::default(), control: Control::default(), deficit_bytes: 0, is_listed: false };
            self.queues.resize_with(self.params.flows as usize, queue);
        }
        (hash(u64::from(flow) ^ self.perturbation) % self.queues.len() as u64) as usize
    }

    /// Drops packets at the head of the queue with the most bytes: half of its bytes, but at most 64 packets (RFC 8290
    /// §4.1.3). Because many packets are dropped at a time, this queue is rarely searched for.
    fn drop_from_fattest(&mut self, now: SimTime, discarded: &mut Discarded<T>) {
        // if several queues have the most bytes, the first of them is chosen, as in Linux
        let Some(fattest) = self.queues.iter_mut().rev().max_by_key(|queue| queue.fifo.bytes()) else { return };
        let goal_bytes = fattest.fifo.bytes() / 2;
        let (mut dropped, mut dropped_bytes) = (0, 0);
        while dropped < MOST_DROPPED && (dropped == 0 || dropped_bytes < goal_bytes) {
            let Some(packet) = fattest.fifo.pop() else { break };
            dropped += 1;
            dropped_bytes += packet.header.bytes as u64;
            discarded.push_back((now, Drop::QueueFull, packet.item));
        }
        fattest.control.note_dropped(dropped);
        self.packets -= dropped as usize;
        self.bytes -= dropped_bytes;
    }

    /// Removes the first queue of a list, or moves it to the end of the list of old queues.
    fn end_turn(&mut self, is_new: bool, becomes_old: bool) {
        let list = if is_new { &mut self.new_queues } else { &mut self.old_queues };
        let Some(number) = list.pop_front() else { return };
        if becomes_old {
            self.old_queues.push_back(number);
        } else {
            self.queues[number].is_listed = false;
        }
    }
}

impl<T> Discipline<T> for FqCoDel<T> {
    fn enqueue(
        &mut self,
        now: SimTime,
        packet: Waiting<T>,
        room: Room,
        discarded: &mut Discarded<T>,
    ) -> Result<(), Drop> {
        let number = self.queue_of(packet.header.flow);
        let queue = &mut self.queues[number];
        self.packets += 1;
        self.bytes += packet.header.bytes as u64;
        queue.fifo.push(packet);
        if !queue.is_listed {
            queue.is_listed = true;
            queue.deficit_bytes = self.params.quantum_bytes.into();
            self.new_queues.push_back(number);
        }
        // the packet that arrives may be among those that are dropped
        while self.packets > 0 && !room.holds(self.packets, self.bytes) {
            self.drop_from_fattest(now, discarded);
        }
        Ok(())
    }

    fn dequeue(&mut self, now: SimTime, discarded: &mut Discarded<T>) -> Option<Waiting<T>> {
        loop {
            let is_new = !self.new_queues.is_empty();
            let list = if is_new { &self.new_queues } else { &self.old_queues };
            let queue = &mut self.queues[*list.front()?];
            if queue.deficit_bytes <= 0 {
                queue.deficit_bytes += i64::from(self.params.quantum_bytes);
                self.end_turn(is_new, true);
                continue;
            }
            let (packets, bytes) = (queue.fifo.packets(), queue.fifo.bytes());
            let others_bytes = self.bytes - bytes;
            let packet = queue.control.dequeue(&self.params.codel, &mut queue.fifo, others_bytes, now, discarded);
            self.packets -= packets - queue.fifo.packets();
            self.bytes -= bytes - queue.fifo.bytes();
            match packet {
                Some(packet) => {
                    queue.deficit_bytes -= packet.header.bytes as i64;
                    return Some(packet);
                }
                // an empty new queue must let all old queues pass before it is new again (RFC 8290 §4.2)
                None => self.end_turn(is_new, is_new && !self.old_queues.is_empty()),
            }
        }
    }

    fn take(&mut self) -> Option<Waiting<T>> {
        let queue = self.queues.iter_mut().filter(|queue| queue.fifo.packets() > 0);
        let packet = queue.min_by_key(|queue| queue.fifo.head_entered())?.fifo.pop()?;
        self.packets -= 1;
        self.bytes -= packet.header.bytes as u64;
        Some(packet)
    }

    fn packets(&self) -> usize {
        self.packets
    }
}

/// Mixes the bits of a number (the finalizer of SplitMix64).
fn hash(number: u64) -> u64 {
    let mixed = (number ^ (number >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

/// The most packets that are dropped at a time when the queue is full (RFC 8290 §4.1.3).
const MOST_DROPPED: u32 = 64;
