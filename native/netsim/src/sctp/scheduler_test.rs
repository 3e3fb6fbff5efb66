use super::*;
use proptest::prelude::*;

fn scheduler(policy: SchedulerPolicy, messages: &[(u16, usize)]) -> StreamScheduler {
    let mut scheduler = StreamScheduler::new(policy);
    for (stream, bytes) in messages {
        scheduler.push(Message { stream: *stream, bytes: vec![0; *bytes] });
    }
    scheduler
}

fn streams(mut scheduler: StreamScheduler) -> Vec<u16> {
    std::iter::from_fn(|| scheduler.pop()).map(|message| message.stream).collect()
}

#[test]
fn round_robin_serves_one_message_of_each_stream_in_turn() {
    let written = [(0, 9), (0, 9), (0, 9), (2, 9), (2, 9), (5, 9)];
    assert_eq!(streams(scheduler(SchedulerPolicy::RoundRobin, &written)), [0, 2, 5, 0, 2, 0]);
}

#[test]
fn round_robin_continues_after_the_stream_that_was_served_last() {
    let mut scheduler = scheduler(SchedulerPolicy::RoundRobin, &[(1, 9), (3, 9), (3, 9)]);
    assert_eq!(scheduler.pop().map(|message| message.stream), Some(1));
    scheduler.push(Message { stream: 0, bytes: vec![0; 9] });
    scheduler.push(Message { stream: 2, bytes: vec![0; 9] });
    assert_eq!(streams(scheduler), [2, 3, 0, 3]);
}

#[test]
fn first_come_keeps_the_order_of_writing() {
    let written = [(3, 9), (0, 9), (3, 9), (1, 9)];
    assert_eq!(streams(scheduler(SchedulerPolicy::FirstCome, &written)), [3, 0, 3, 1]);
}

#[test]
fn weighted_shares_bytes_by_weight() {
    let written: Vec<_> = (0..100).flat_map(|_| [(0, 1000), (1, 1000)]).collect();
    let served = streams(scheduler(SchedulerPolicy::Weighted(vec![1, 4]), &written));
    let of_first = served[..50].iter().filter(|stream| **stream == 0).count();
    assert_eq!(of_first, 10);
}

#[test]
fn a_weighted_stream_gets_no_credit_for_idle_time() {
    let mut scheduler = scheduler(SchedulerPolicy::Weighted(vec![1, 1]), &[(0, 1000); 20]);
    for _ in 0..10 {
        scheduler.pop();
    }
    for _ in 0..10 {
        scheduler.push(Message { stream: 1, bytes: vec![0; 1000] });
    }
    assert_eq!(streams(scheduler)[..6], [0, 1, 0, 1, 0, 1]);
}

#[test]
fn pop_each_returns_a_message_of_each_stream_that_is_not_busy() {
    let mut scheduler = StreamScheduler::new(SchedulerPolicy::RoundRobin);
    for (stream, bytes) in [(3, 10), (1, 20), (3, 30), (2, 40)] {
        scheduler.push(Message { stream, bytes: vec![0; bytes] });
    }
    let sizes = |messages: Vec<Message>| messages.iter().map(|message| message.bytes.len()).collect::<Vec<_>>();
    assert_eq!(sizes(scheduler.pop_each(|stream| stream == 2)), [20, 10]);
    assert_eq!((scheduler.queued_bytes(), scheduler.has(1), scheduler.has(3)), (70, false, true));
    assert_eq!((scheduler.peek_bytes(), scheduler.pop().map(|message| message.stream)), (Some(40), Some(2)));
    assert_eq!(sizes(scheduler.pop_each(|_| false)), [30]);
    assert_eq!((scheduler.peek_bytes(), scheduler.is_empty()), (None, true));
}

#[test]
fn clear_drops_everything() {
    let mut scheduler = scheduler(SchedulerPolicy::FirstCome, &[(0, 5), (1, 6)]);
    assert_eq!((scheduler.queued_bytes(), scheduler.peek_bytes()), (11, Some(5)));
    scheduler.clear();
    assert!(scheduler.is_empty() && scheduler.queued_bytes() == 0);
    assert!(scheduler.peek_bytes().is_none() && scheduler.pop().is_none());
}

/// A simple model of the policies: a list of all waiting messages, which each `pop` searches from end to end.
struct Model {
    policy: SchedulerPolicy,
    messages: Vec<(u64, Message)>,
    last: Option<u16>,
    virtual_time: u64,
    finish: [u64; 8],
}

impl Model {
    fn push(&mut self, number: u64, message: Message) {
        let stream = usize::from(message.stream);
        let tag = match &self.policy {
            SchedulerPolicy::Weighted(weights) => {
                let weight = weights.get(stream).map_or(1, |weight| u64::from(*weight));
                self.finish[stream] =
                    self.finish[stream].max(self.virtual_time) + message.bytes.len() as u64 * 65_536 / weight;
                self.finish[stream]
            }
            _ => number,
        };
        self.messages.push((tag, message));
    }

    fn pop(&mut self) -> Option<Message> {
        let best = match self.policy {
            SchedulerPolicy::RoundRobin => {
                let last = self.last.unwrap_or(u16::MAX);
                let turn = |stream: u16| stream.wrapping_sub(last).wrapping_sub(1);
                (0..self.messages.len()).min_by_key(|at| (turn(self.messages[*at].1.stream), self.messages[*at].0))?
            }
            _ => (0..self.messages.len()).min_by_key(|at| (self.messages[*at].0, self.messages[*at].1.stream))?,
        };
        let (tag, message) = self.messages.remove(best);
        (self.last, self.virtual_time) = (Some(message.stream), tag);
        Some(message)
    }
}

fn policies() -> impl Strategy<Value = SchedulerPolicy> {
    prop_oneof![
        Just(SchedulerPolicy::RoundRobin),
        Just(SchedulerPolicy::FirstCome),
        prop::collection::vec(1u16.., 0..8).prop_map(SchedulerPolicy::Weighted),
    ]
}

proptest! {
    #[test]
    fn serves_messages_in_the_order_of_the_simple_model(
        policy in policies(),
        steps in prop::collection::vec(prop::option::weighted(0.6, (0u16..8, 1usize..3000)), 0..200),
    ) {
        let mut scheduler = StreamScheduler::new(policy.clone());
        let mut model = Model { policy, messages: Vec::new(), last: None, virtual_time: 0, finish: [0; 8] };
        let mut number = 0;
        for step in steps {
            match step {
                Some((stream, bytes)) => {
                    let message = Message { stream, bytes: vec![number as u8; bytes] };
                    scheduler.push(message.clone());
                    model.push(number, message);
                    number += 1;
                }
                None => {
                    let size = scheduler.peek_bytes();
                    let message = scheduler.pop();
                    prop_assert_eq!(size, message.as_ref().map(|message| message.bytes.len()));
                    prop_assert_eq!(message, model.pop());
                }
            }
            let queued: usize = model.messages.iter().map(|(_, message)| message.bytes.len()).sum();
            prop_assert_eq!(scheduler.queued_bytes(), queued as u64);
            prop_assert_eq!(scheduler.is_empty(), queued == 0);
        }
    }
}
