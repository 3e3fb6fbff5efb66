use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::time::SimTime;

/// Future events, ordered by time. Events of the same time are ordered by insertion.
#[derive(Debug)]
pub struct EventQueue<T> {
    heap: BinaryHeap<Reverse<Entry<T>>>,
    inserted: u64,
}

impl<T> EventQueue<T> {
    pub fn new() -> Self {
        EventQueue { heap: BinaryHeap::new(), inserted: 0 }
    }

    pub fn push(&mut self, at: SimTime, item: T) {
        self.heap.push(Reverse(Entry { at, number: self.inserted, item }));
        self.inserted += 1;
    }

    /// The time of the next event.
    pub fn next_at(&self) -> Option<SimTime> {
        self.heap.peek().map(|entry| entry.0.at)
    }

    /// Removes all events for which `keeps` returns false.
    pub fn retain(&mut self, mut keeps: impl FnMut(&T) -> bool) {
        self.heap.retain(|Reverse(entry)| keeps(&entry.item));
    }

    /// Removes all events, and returns them in their order.
    pub fn into_ordered(mut self) -> impl Iterator<Item = (SimTime, T)> {
        std::iter::from_fn(move || self.pop())
    }

    pub fn pop(&mut self) -> Option<(SimTime, T)> {
        self.heap.pop().map(|Reverse(entry)| (entry.at, entry.item))
    }
}

impl<T> Default for EventQueue<T> {
    fn default() -> Self {
        Self::new()
    }
}

#[derive(Debug)]
struct Entry<T> {
    at: SimTime,
    number: u64,
    item: T,
}

impl<T> Entry<T> {
    fn key(&self) -> (SimTime, u64) {
        (self.at, self.number)
    }
}

impl<T> PartialEq for Entry<T> {
    fn eq(&self, other: &Self) -> bool {
        self.key() == other.key()
    }
}

impl<T> Eq for Entry<T> {}

impl<T> PartialOrd for Entry<T> {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl<T> Ord for Entry<T> {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.key().cmp(&other.key())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn pops_in_order_of_time_then_insertion(times in prop::collection::vec(0u64..20, 0..200)) {
            let mut queue = EventQueue::new();
            for (number, at) in times.iter().enumerate() {
                queue.push(SimTime::from_ns(*at), number);
            }
            let mut expected: Vec<_> = times.iter().copied().enumerate().map(|(number, at)| (at, number)).collect();
            expected.sort();
            let mut popped = Vec::new();
            while let Some((at, number)) = queue.pop() {
                popped.push((at.as_ns(), number));
            }
            prop_assert_eq!(popped, expected);
        }
    }
}
