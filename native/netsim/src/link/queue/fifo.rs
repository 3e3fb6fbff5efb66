use std::collections::VecDeque;

use super::Waiting;
use crate::time::SimTime;

/// Packets in the order in which they entered.
#[derive(Debug)]
pub struct Fifo<T> {
    packets: VecDeque<Waiting<T>>,
    bytes: u64,
}

impl<T> Default for Fifo<T> {
    fn default() -> Self {
        Fifo { packets: VecDeque::new(), bytes: 0 }
    }
}

impl<T> Fifo<T> {
    pub fn push(&mut self, packet: Waiting<T>) {
        self.bytes += packet.header.bytes as u64;
        self.packets.push_back(packet);
    }

    pub fn pop(&mut self) -> Option<Waiting<T>> {
        let packet = self.packets.pop_front()?;
        self.bytes -= packet.header.bytes as u64;
        Some(packet)
    }

    pub fn packets(&self) -> usize {
        self.packets.len()
    }

    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// When the packet at the head entered the queue.
    pub fn head_entered(&self) -> Option<SimTime> {
        self.packets.front().map(|packet| packet.entered)
    }
}
