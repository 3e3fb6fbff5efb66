use super::{Discarded, Discipline, Drop, Fifo, Room, Waiting};
use crate::time::SimTime;

/// First in, first out. A full queue drops every packet that arrives.
#[derive(Debug)]
pub struct DropTail<T> {
    fifo: Fifo<T>,
}

impl<T> Default for DropTail<T> {
    fn default() -> Self {
        DropTail { fifo: Fifo::default() }
    }
}

impl<T> Discipline<T> for DropTail<T> {
    fn enqueue(&mut self, _: SimTime, packet: Waiting<T>, room: Room, _: &mut Discarded<T>) -> Result<(), Drop> {
        let bytes = self.fifo.bytes() + packet.header.bytes as u64;
        if !room.holds(self.fifo.packets() + 1, bytes) {
            return Err(Drop::QueueFull);
        }
        self.fifo.push(packet);
        Ok(())
    }

    fn dequeue(&mut self, _: SimTime, _: &mut Discarded<T>) -> Option<Waiting<T>> {
        self.fifo.pop()
    }

    fn take(&mut self) -> Option<Waiting<T>> {
        self.fifo.pop()
    }

    fn packets(&self) -> usize {
        self.fifo.packets()
    }
}
