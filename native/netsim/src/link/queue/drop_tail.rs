use std::collections::VecDeque;

use super::{Discarded, Discipline, Drop, Room, Waiting};
use crate::time::SimTime;

/// First in, first out. A full queue drops every packet that arrives.
#[derive(Debug)]
pub struct DropTail<T> {
    packets: VecDeque<Waiting<T>>,
    bytes: u64,
}

impl<T> Default for DropTail<T> {
    fn default() -> Self {
        DropTail { packets: VecDeque::new(), bytes: 0 }
    }
}

impl<T> Discipline<T> for DropTail<T> {
    fn enqueue(&mut self, _: SimTime, packet: Waiting<T>, room: Room, _: &mut Discarded<T>) -> Result<(), Drop> {
        let bytes = self.bytes + packet.header.bytes as u64;
        if !room.holds(self.packets.len() + 1, bytes) {
            return Err(Drop::QueueFull);
        }
        self.bytes = bytes;
        self.packets.push_back(packet);
        Ok(())
    }

    fn dequeue(&mut self, _: SimTime, _: &mut Discarded<T>) -> Option<Waiting<T>> {
        let packet = self.packets.pop_front()?;
        self.bytes -= packet.header.bytes as u64;
        Some(packet)
    }

    fn packets(&self) -> usize {
        self.packets.len()
    }
}
