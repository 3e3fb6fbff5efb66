//! Decides which stream's message is sent next (RFC 8260 §3).

use std::collections::{BTreeMap, VecDeque};
use std::ops::Bound;

/// How the sender chooses among the streams that have messages waiting. Messages of one stream keep their order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum SchedulerPolicy {
    /// The streams take turns, in the order of their numbers, with one message each (RFC 8260 §3.2). This is the
    /// default of FreeBSD (paper N07, §4).
    #[default]
    RoundRobin,
    /// Messages are sent in the order in which they were written (RFC 8260 §3.1).
    FirstCome,
    /// Each stream sends bytes in proportion to its weight, in whole messages (RFC 8260 §3.6). Weights are 1–65535. A
    /// stream beyond the end of the list has weight 1.
    Weighted(Vec<u16>),
}

/// The messages that wait to be given to the stack.
#[derive(Debug)]
pub struct StreamScheduler {
    policy: SchedulerPolicy,
    /// The streams that have messages waiting.
    queues: BTreeMap<u16, VecDeque<Queued>>,
    /// Empty queues, whose memory is reused.
    spare: Vec<VecDeque<Queued>>,
    /// The message to send next.
    next: Option<Head>,
    queued_bytes: u64,
    written: u64,
    /// For round-robin: the stream that was served last.
    last_served: Option<u16>,
    /// For weighted: the virtual time of fair queueing, which is the finish tag of the message that was served last.
    virtual_time: u64,
    /// For weighted: the finish tag of each stream's newest message.
    finish: BTreeMap<u16, u64>,
}

/// A message of a stream, or a delivered piece of a message. A message has at least one byte.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    pub stream: u16,
    pub bytes: Vec<u8>,
}

#[derive(Debug)]
struct Queued {
    bytes: Vec<u8>,
    /// For first-come and weighted: messages with smaller tags are sent first.
    tag: u64,
}

/// The first message of a queue.
#[derive(Clone, Copy, Debug)]
struct Head {
    stream: u16,
    bytes: usize,
    tag: u64,
}

impl StreamScheduler {
    pub fn new(policy: SchedulerPolicy) -> Self {
        StreamScheduler {
            policy,
            queues: BTreeMap::new(),
            spare: Vec::new(),
            next: None,
            queued_bytes: 0,
            written: 0,
            last_served: None,
            virtual_time: 0,
            finish: BTreeMap::new(),
        }
    }

    pub fn push(&mut self, message: Message) {
        let bytes = message.bytes.len();
        let tag = match &self.policy {
            SchedulerPolicy::RoundRobin | SchedulerPolicy::FirstCome => self.written,
            SchedulerPolicy::Weighted(weights) => {
                // Self-clocked fair queueing (Golestani 1994): a message's finish tag is its start tag plus bytes /
                // weight. The start tag is the virtual time, or the finish tag of the stream's previous message if that
                // is larger.
                let weight = weights.get(usize::from(message.stream)).copied().unwrap_or(1).max(1);
                let newest = self.finish.entry(message.stream).or_default();
                *newest = self.virtual_time.max(*newest) + ((bytes as u64) << WEIGHT_BITS) / u64::from(weight);
                *newest
            }
        };
        self.written += 1;
        self.queued_bytes += bytes as u64;
        let queue = self.queues.entry(message.stream).or_insert_with(|| self.spare.pop().unwrap_or_default());
        queue.push_back(Queued { bytes: message.bytes, tag });
        if queue.len() == 1 {
            let head = Head { stream: message.stream, bytes, tag };
            self.next = Some(self.next.map_or(head, |next| std::cmp::min_by_key(next, head, |head| self.turn(*head))));
        }
    }

    /// The size in bytes of the message that [`StreamScheduler::pop`] would return.
    pub fn peek_bytes(&self) -> Option<usize> {
        self.next.map(|next| next.bytes)
    }

    pub fn pop(&mut self) -> Option<Message> {
        let message = self.pop_of(self.next?.stream)?;
        self.next = self.find_next();
        Some(message)
    }

    /// Removes and returns the first message of each stream that is not `busy`, in the order of stream numbers.
    pub fn pop_each(&mut self, busy: impl Fn(u16) -> bool) -> Vec<Message> {
        let free: Vec<_> = self.queues.keys().copied().filter(|stream| !busy(*stream)).collect();
        let messages = free.into_iter().filter_map(|stream| self.pop_of(stream)).collect();
        self.next = self.find_next();
        messages
    }

    pub fn is_empty(&self) -> bool {
        self.queues.is_empty()
    }

    /// Whether this stream has messages waiting.
    pub fn has(&self, stream: u16) -> bool {
        self.queues.contains_key(&stream)
    }

    pub fn queued_bytes(&self) -> u64 {
        self.queued_bytes
    }

    pub fn clear(&mut self) {
        self.queues.clear();
        self.next = None;
        self.queued_bytes = 0;
    }

    fn pop_of(&mut self, stream: u16) -> Option<Message> {
        let queue = self.queues.get_mut(&stream)?;
        let Queued { bytes, tag } = queue.pop_front()?;
        if queue.is_empty() {
            self.spare.extend(self.queues.remove(&stream));
        }
        self.queued_bytes -= bytes.len() as u64;
        self.last_served = Some(stream);
        self.virtual_time = tag;
        Some(Message { stream, bytes })
    }

    fn find_next(&self) -> Option<Head> {
        let head = |(stream, queue): (&u16, &VecDeque<Queued>)| {
            queue.front().map(|message| Head { stream: *stream, bytes: message.bytes.len(), tag: message.tag })
        };
        match self.policy {
            SchedulerPolicy::RoundRobin => {
                let after = self.last_served.map_or(Bound::Unbounded, Bound::Excluded);
                let next = self.queues.range((after, Bound::Unbounded)).next();
                next.or_else(|| self.queues.first_key_value()).and_then(head)
            }
            SchedulerPolicy::FirstCome | SchedulerPolicy::Weighted(_) => {
                self.queues.iter().filter_map(head).min_by_key(|head| self.turn(*head))
            }
        }
    }

    /// Returns a sort key. The head with the smallest key is next.
    fn turn(&self, head: Head) -> (u64, u16) {
        match self.policy {
            // the streams with higher numbers than the last served one come first, then all others from 0 on
            SchedulerPolicy::RoundRobin => {
                let first = self.last_served.map_or(0, |last| last.wrapping_add(1));
                (0, head.stream.wrapping_sub(first))
            }
            SchedulerPolicy::FirstCome | SchedulerPolicy::Weighted(_) => (head.tag, head.stream),
        }
    }
}

/// The number of fraction bits of virtual time. With 16 bits, each byte of a message adds at least 1 to its finish tag,
/// because a weight is at most 65535.
const WEIGHT_BITS: u32 = 16;

#[cfg(test)]
#[path = "scheduler_test.rs"]
mod tests;
