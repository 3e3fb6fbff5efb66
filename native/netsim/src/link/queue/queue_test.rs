//! Compares each discipline except drop-tail with a naive model: a literal, slow version of the pseudocode of its RFC,
//! with the details of Linux where the RFC leaves them open.

use std::collections::VecDeque;
use std::time::Duration;

use proptest::prelude::*;

use super::*;
use crate::link::{Direction, Header, Sharer};
use crate::random::{random_stream, uniform};

/// A call of a queue. In a list of calls, each call comes with the pause before it, in µs.
#[derive(Clone, Copy, Debug)]
enum Call {
    Enqueue { bytes: usize, flow: u32, ecn: Ecn },
    Dequeue,
}

/// What a queue answers. Each `usize` is the number of a packet.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Answer {
    Accepted,
    Refused(Drop),
    Discarded(usize, Drop),
    Served(usize, Ecn),
    Empty,
}

/// A packet of the naive models.
#[derive(Clone, Copy, Debug)]
struct Packet {
    number: usize,
    bytes: usize,
    flow: u32,
    ecn: Ecn,
    entered: u64,
}

trait Naive {
    /// Returns the answers to the arrival of a packet. The last answer says whether the packet itself was accepted.
    fn enqueue(&mut self, now: u64, packet: Packet) -> Vec<Answer>;
    fn dequeue(&mut self, now: u64) -> Vec<Answer>;
}

fn calls() -> impl Strategy<Value = Vec<(u64, Call)>> {
    let ecn = prop_oneof![3 => Just(Ecn::NotEct), 1 => Just(Ecn::Ect0), 1 => Just(Ecn::Ect1), 1 => Just(Ecn::Ce)];
    let enqueue = (40usize..1500, 0u32..4, ecn).prop_map(|(bytes, flow, ecn)| Call::Enqueue { bytes, flow, ecn });
    let call = prop_oneof![5 => enqueue, 4 => Just(Call::Dequeue)];
    let pause = prop_oneof![20 => 0u64..2_000, 4 => 2_000u64..20_000, 1 => 20_000u64..2_000_000];
    prop::collection::vec((pause, call), 1..600)
}

fn room(packets: u64) -> Room {
    Room { packets, bytes: u64::MAX }
}

/// The answers of the queue and of the model.
fn answers(kind: QueueKind, most: u64, model: &mut dyn Naive, calls: &[(u64, Call)]) -> (Vec<Answer>, Vec<Answer>) {
    let mut queue = Queue::new(&kind, 5, Direction::Down);
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    let (mut us, mut number) = (0, 0);
    for (pause, call) in calls {
        us += pause;
        let now = SimTime::from_us(us);
        let mut discarded = Discarded::new();
        let answer = match *call {
            Call::Enqueue { bytes, flow, ecn } => {
                theirs.extend(model.enqueue(now.as_ns(), Packet { number, bytes, flow, ecn, entered: now.as_ns() }));
                let header = Header { bytes, has_data: true, sharer: Sharer::default(), flow, ecn };
                let packet = Waiting { header, entered: now, fate: FateBy::NOTHING, item: number };
                number += 1;
                queue
                    .enqueue(now, packet, room(most), &mut discarded)
                    .map_or_else(Answer::Refused, |()| Answer::Accepted)
            }
            Call::Dequeue => {
                theirs.extend(model.dequeue(now.as_ns()));
                queue
                    .dequeue(now, &mut discarded)
                    .map_or(Answer::Empty, |packet| Answer::Served(packet.item, packet.header.ecn))
            }
        };
        ours.extend(discarded.into_iter().map(|(_, reason, packet)| Answer::Discarded(packet, reason)));
        ours.push(answer);
    }
    (ours, theirs)
}

const MS: u64 = 1_000_000;

/// The pseudocode of RFC 8289 §5 for one queue. In its methods, `others` are the bytes in other queues of the link.
#[derive(Default)]
struct NaiveCoDel {
    queue: VecDeque<Packet>,
    first_above_time: u64,
    drop_next: u64,
    count: u32,
    lastcount: u32,
    dropping: bool,
    marks: bool,
}

impl NaiveCoDel {
    fn bytes(&self) -> usize {
        self.queue.iter().map(|packet| packet.bytes).sum()
    }

    fn control_law(time: u64, count: u32) -> u64 {
        time + (100.0e6 / f64::from(count).sqrt()) as u64
    }

    fn dodequeue(&mut self, now: u64, others: usize) -> (Option<Packet>, bool) {
        let packet = self.queue.pop_front();
        let Some(p) = packet else {
            self.first_above_time = 0;
            return (None, false);
        };
        if now - p.entered < 5 * MS || self.bytes() + others <= 1500 {
            self.first_above_time = 0;
            (packet, false)
        } else if self.first_above_time == 0 {
            self.first_above_time = now + 100 * MS;
            (packet, false)
        } else {
            (packet, now >= self.first_above_time)
        }
    }

    fn marked(&self, packet: &mut Option<Packet>) -> bool {
        let Some(p) = packet else { return false };
        if !self.marks || p.ecn == Ecn::NotEct {
            return false;
        }
        p.ecn = Ecn::Ce;
        true
    }

    fn dequeue(&mut self, now: u64, others: usize, answers: &mut Vec<Answer>) -> Option<Packet> {
        let (mut r, mut ok_to_drop) = self.dodequeue(now, others);
        let mut drop = |r: Option<Packet>| answers.push(Answer::Discarded(r.unwrap().number, Drop::Early));
        if self.dropping {
            if !ok_to_drop {
                self.dropping = false;
            }
            while now >= self.drop_next && self.dropping {
                self.count += 1;
                if self.marked(&mut r) {
                    self.drop_next = Self::control_law(self.drop_next, self.count);
                    return r;
                }
                drop(r);
                (r, ok_to_drop) = self.dodequeue(now, others);
                if ok_to_drop {
                    self.drop_next = Self::control_law(self.drop_next, self.count);
                } else {
                    self.dropping = false;
                }
            }
        } else if ok_to_drop {
            if !self.marked(&mut r) {
                drop(r);
                (r, _) = self.dodequeue(now, others);
            }
            self.dropping = true;
            let delta = self.count.saturating_sub(self.lastcount);
            let is_recent = now.saturating_sub(self.drop_next) < 16 * 100 * MS;
            self.count = if delta > 1 && is_recent { delta } else { 1 };
            self.drop_next = Self::control_law(now, self.count);
            self.lastcount = self.count;
        }
        r
    }
}

fn served(packet: Option<Packet>) -> Answer {
    packet.map_or(Answer::Empty, |packet| Answer::Served(packet.number, packet.ecn))
}

struct OneCoDel(NaiveCoDel, usize);

impl Naive for OneCoDel {
    fn enqueue(&mut self, _: u64, packet: Packet) -> Vec<Answer> {
        if self.0.queue.len() == self.1 {
            return vec![Answer::Refused(Drop::QueueFull)];
        }
        self.0.queue.push_back(packet);
        vec![Answer::Accepted]
    }

    fn dequeue(&mut self, now: u64) -> Vec<Answer> {
        let mut answers = Vec::new();
        let packet = self.0.dequeue(now, 0, &mut answers);
        answers.push(served(packet));
        answers
    }
}

/// RFC 8290 §4, with a queue for each flow.
struct NaiveFqCoDel {
    queues: Vec<(NaiveCoDel, i64)>,
    /// The flows in the order of the numbers that their queues have in [`FqCoDel`].
    order: Vec<usize>,
    new: Vec<usize>,
    old: Vec<usize>,
    most: usize,
}

impl Naive for NaiveFqCoDel {
    fn enqueue(&mut self, _: u64, packet: Packet) -> Vec<Answer> {
        let flow = packet.flow as usize;
        self.queues[flow].0.queue.push_back(packet);
        if !self.new.contains(&flow) && !self.old.contains(&flow) {
            self.new.push(flow);
            self.queues[flow].1 = 1514;
        }
        let mut answers = Vec::new();
        while self.queues.iter().map(|(codel, _)| codel.queue.len()).sum::<usize>() > self.most {
            let bytes = self.queues.iter().map(|(codel, _)| codel.bytes()).max().unwrap();
            let fattest = *self.order.iter().find(|flow| self.queues[**flow].0.bytes() == bytes).unwrap();
            let fattest = &mut self.queues[fattest].0;
            let mut dropped = 0;
            for _ in 0..64 {
                let packet = fattest.queue.pop_front().unwrap();
                fattest.count += 1;
                dropped += packet.bytes;
                answers.push(Answer::Discarded(packet.number, Drop::QueueFull));
                if dropped >= bytes / 2 {
                    break;
                }
            }
        }
        answers.push(Answer::Accepted);
        answers
    }

    fn dequeue(&mut self, now: u64) -> Vec<Answer> {
        let mut answers = Vec::new();
        loop {
            let is_new = !self.new.is_empty();
            let list = if is_new { &mut self.new } else { &mut self.old };
            if list.is_empty() {
                answers.push(Answer::Empty);
                return answers;
            }
            let flow = list[0];
            if self.queues[flow].1 <= 0 {
                self.queues[flow].1 += 1514;
                list.remove(0);
                self.old.push(flow);
                continue;
            }
            let others =
                self.queues.iter().map(|(codel, _)| codel.bytes()).sum::<usize>() - self.queues[flow].0.bytes();
            if let Some(packet) = self.queues[flow].0.dequeue(now, others, &mut answers) {
                self.queues[flow].1 -= packet.bytes as i64;
                answers.push(served(Some(packet)));
                return answers;
            }
            list.remove(0);
            if is_new && !self.old.is_empty() {
                self.old.push(flow);
            }
        }
    }
}

/// RFC 8033, appendix A, with the delay of the packet that was served last (§5.2).
struct NaivePie {
    queue: VecDeque<Packet>,
    rng: rand_chacha::ChaCha8Rng,
    most: usize,
    updates: u64,
    drop_prob: f64,
    accu_prob: f64,
    burst_allowance: f64,
    qdelay: f64,
    qdelay_old: f64,
}

impl NaivePie {
    fn new(most: usize) -> Self {
        let rng = random_stream(5, "pie/down");
        let (queue, burst_allowance) = (VecDeque::new(), 0.150);
        NaivePie {
            queue,
            rng,
            most,
            updates: 0,
            drop_prob: 0.0,
            accu_prob: 0.0,
            burst_allowance,
            qdelay: 0.0,
            qdelay_old: 0.0,
        }
    }

    fn update(&mut self, now: u64) {
        while (self.updates + 1) * 15 * MS <= now {
            self.updates += 1;
            let mut p = 0.125 * (self.qdelay - 0.015) + 1.25 * (self.qdelay - self.qdelay_old);
            for (limit, divisor) in [(1e-6, 4.0), (1e-5, 4.0), (1e-4, 4.0), (1e-3, 4.0), (1e-2, 4.0), (1e-1, 2.0)] {
                if self.drop_prob < limit {
                    p /= divisor;
                }
            }
            if self.drop_prob >= 0.1 && p > 0.02 {
                p = 0.02;
            }
            if self.qdelay > 0.25 {
                p += 0.02;
            }
            self.drop_prob = (self.drop_prob + p).clamp(0.0, 1.0);
            if self.qdelay == 0.0 && self.qdelay_old == 0.0 {
                self.drop_prob = if self.drop_prob * 0.98 < 1e-9 { 0.0 } else { self.drop_prob * 0.98 };
            }
            if self.drop_prob == 0.0 && self.qdelay < 0.0075 && self.qdelay_old < 0.0075 {
                self.burst_allowance = 0.150;
                self.accu_prob = 0.0;
            } else {
                // 1e-9: as floating-point numbers, ten times 0.015 do not add up to exactly 0.150
                self.burst_allowance =
                    if self.burst_allowance - 0.015 < 1e-9 { 0.0 } else { self.burst_allowance - 0.015 };
            }
            self.qdelay_old = self.qdelay;
        }
    }

    fn drop_early(&mut self) -> bool {
        let bytes: usize = self.queue.iter().map(|packet| packet.bytes).sum();
        if self.burst_allowance > 0.0 || (self.qdelay < 0.0075 && self.drop_prob < 0.2) || bytes < 2 * 1500 {
            return false;
        }
        if self.drop_prob == 0.0 {
            self.accu_prob = 0.0;
        }
        self.accu_prob += self.drop_prob;
        if self.accu_prob < 0.85 {
            return false;
        }
        self.accu_prob >= 8.5 || uniform(&mut self.rng) < self.drop_prob
    }
}

impl Naive for NaivePie {
    fn enqueue(&mut self, now: u64, mut packet: Packet) -> Vec<Answer> {
        self.update(now);
        if self.queue.len() == self.most {
            self.accu_prob = 0.0;
            return vec![Answer::Refused(Drop::QueueFull)];
        }
        if self.drop_early() {
            self.accu_prob = 0.0;
            if self.drop_prob > 0.1 || packet.ecn == Ecn::NotEct {
                return vec![Answer::Refused(Drop::Early)];
            }
            packet.ecn = Ecn::Ce;
        }
        self.queue.push_back(packet);
        vec![Answer::Accepted]
    }

    fn dequeue(&mut self, now: u64) -> Vec<Answer> {
        self.update(now);
        let packet = self.queue.pop_front();
        if let Some(packet) = packet {
            self.qdelay = if self.queue.is_empty() { 0.0 } else { (now - packet.entered) as f64 / 1e9 };
        }
        vec![served(packet)]
    }
}

/// RFC 9332, appendix A, with Linux's scheduler.
struct NaiveDualPi2 {
    l: VecDeque<Packet>,
    c: VecDeque<Packet>,
    rng: rand_chacha::ChaCha8Rng,
    most: usize,
    updates: u64,
    p: f64,
    prevq: f64,
    credit: i64,
}

impl NaiveDualPi2 {
    fn new(most: usize) -> Self {
        let rng = random_stream(5, "dualpi2/down");
        let (l, c) = (VecDeque::new(), VecDeque::new());
        NaiveDualPi2 { l, c, rng, most, updates: 0, p: 0.0, prevq: 0.0, credit: 1500 * -80 }
    }

    fn update(&mut self, now: u64) {
        while (self.updates + 1) * 16 * MS <= now {
            self.updates += 1;
            let at = self.updates * 16 * MS;
            let waited =
                [&self.l, &self.c].map(|queue| queue.front().map_or(0, |packet| at.saturating_sub(packet.entered)));
            let curq = waited[0].max(waited[1]) as f64 / 1e9;
            self.p = (self.p + 0.16 * (curq - 0.015) + 3.2 * (curq - self.prevq)).clamp(0.0, 1.0);
            self.prevq = curq;
        }
    }

    fn roll(&mut self, probability: f64) -> bool {
        uniform(&mut self.rng) < probability
    }
}

impl Naive for NaiveDualPi2 {
    fn enqueue(&mut self, now: u64, packet: Packet) -> Vec<Answer> {
        self.update(now);
        if self.l.len() + self.c.len() == self.most {
            return vec![Answer::Refused(Drop::QueueFull)];
        }
        let is_l = packet.ecn as u8 % 2 == 1;
        if is_l {
            self.l.push_back(packet)
        } else {
            self.c.push_back(packet)
        }
        vec![Answer::Accepted]
    }

    fn dequeue(&mut self, now: u64) -> Vec<Answer> {
        self.update(now);
        let mut answers = Vec::new();
        loop {
            let is_l = !self.l.is_empty() && (self.c.is_empty() || self.credit <= 0);
            let next = if is_l { self.l.pop_front() } else { self.c.pop_front() };
            let bytes: usize = self.l.iter().chain(&self.c).map(|packet| packet.bytes).sum();
            let is_spared = bytes < 3000;
            let Some(mut packet) = next else {
                self.credit = 1500 * -80;
                answers.push(Answer::Empty);
                return answers;
            };
            let (p, size) = (self.p, packet.bytes as i64);
            let is_overload = 2.0 * p > 1.0;
            let mut is_dropped = false;
            if is_l && !is_spared {
                if is_overload {
                    is_dropped = self.roll(p) && self.roll(p);
                    packet.ecn = Ecn::Ce;
                } else if self.roll(2.0 * p) {
                    packet.ecn = Ecn::Ce;
                }
            } else if !is_l && !is_spared && self.roll(p) && self.roll(p) {
                is_dropped = is_overload || packet.ecn == Ecn::NotEct;
                packet.ecn = Ecn::Ce;
            }
            if is_dropped {
                answers.push(Answer::Discarded(packet.number, Drop::Early));
                continue;
            }
            self.credit += match is_l {
                true if !self.c.is_empty() => 10 * size,
                false if !self.l.is_empty() => -90 * size,
                _ => 0,
            };
            if is_l && now - packet.entered > MS {
                packet.ecn = Ecn::Ce;
            }
            answers.push(served(Some(packet)));
            return answers;
        }
    }
}

fn kinds() -> [QueueKind; 4] {
    [
        QueueKind::CoDel(CoDelParams::default()),
        QueueKind::FqCoDel(FqCoDelParams { flows: 65536, ..FqCoDelParams::default() }),
        QueueKind::Pie(PieParams::default()),
        QueueKind::DualPi2(DualPi2Params::default()),
    ]
}

fn model(kind: QueueKind, most: usize) -> Box<dyn Naive> {
    let codel = |marks| NaiveCoDel { marks, ..NaiveCoDel::default() };
    match kind {
        QueueKind::DropTail => unreachable!("drop-tail has its own test"),
        QueueKind::CoDel(CoDelParams { marks, .. }) => Box::new(OneCoDel(codel(marks), most)),
        QueueKind::FqCoDel(params) => {
            let queues = (0..4).map(|_| (codel(true), 0)).collect();
            let mut hashed = FqCoDel::<usize>::new(FqCoDelParams { flows: 65536, ..params }, 5, "fq_codel/down");
            let mut order: Vec<usize> = (0..4).collect();
            order.sort_by_key(|flow| hashed.queue_of(*flow as u32));
            Box::new(NaiveFqCoDel { queues, order, new: Vec::new(), old: Vec::new(), most })
        }
        QueueKind::Pie(_) => Box::new(NaivePie::new(most)),
        QueueKind::DualPi2(_) => Box::new(NaiveDualPi2::new(most)),
    }
}

fn first_difference(ours: &[Answer], theirs: &[Answer]) -> Option<(usize, Option<Answer>, Option<Answer>)> {
    let at = |answers: &[Answer], index| answers.get(index).copied();
    let index = (0..ours.len().max(theirs.len())).find(|index| at(ours, *index) != at(theirs, *index))?;
    Some((index, at(ours, index), at(theirs, index)))
}

/// Calls of a link that is overloaded for four seconds: each ms a packet arrives and a packet is served, and another
/// packet arrives every `every` ms.
fn overload(every: u64) -> Vec<(u64, Call)> {
    let ecn = [Ecn::NotEct, Ecn::Ect0, Ecn::Ect1, Ecn::NotEct, Ecn::NotEct];
    let packet = |number: u64| {
        let (flow, ecn) = ((number % 3) as u32, ecn[(number % 5) as usize]);
        Call::Enqueue { bytes: 1000, flow, ecn }
    };
    let each = |at: u64| {
        let more = at.is_multiple_of(every).then_some((0, packet(2 * at + 1)));
        [Some((500, packet(2 * at))), more, Some((500, Call::Dequeue))]
    };
    (0..4000).flat_map(each).flatten().collect()
}

#[test]
fn overloaded_queues_answer_as_the_naive_models() {
    let without_marks = QueueKind::CoDel(CoDelParams { marks: false, ..CoDelParams::default() });
    for kind in kinds().into_iter().chain([without_marks]) {
        let (mut early, mut marked) = (0, 0);
        for (most, every) in [(200, 1), (2000, 1), (2000, 10)] {
            let (ours, theirs) = answers(kind, most, &mut *model(kind, most as usize), &overload(every));
            assert_eq!(first_difference(&ours, &theirs), None, "{kind:?}");
            let count = |wanted: fn(&Answer) -> bool| ours.iter().filter(|answer| wanted(answer)).count();
            early += count(|answer| matches!(answer, Answer::Refused(Drop::Early) | Answer::Discarded(_, Drop::Early)));
            marked += count(|answer| matches!(answer, Answer::Served(_, Ecn::Ce)));
        }
        // the comparison is worth something only if the queues have dropped and marked packets
        assert!(early > 5, "{kind:?}: {early} early drops");
        assert_eq!(marked > 5, kind != without_marks, "{kind:?}: {marked} marks");
    }
}

proptest! {
    #[test]
    fn any_calls_get_the_answers_of_the_naive_models(calls in calls(), most in 1usize..300, which in 0usize..4) {
        let kind = kinds()[which];
        let (ours, theirs) = answers(kind, most as u64, &mut *model(kind, most), &calls);
        prop_assert_eq!(first_difference(&ours, &theirs), None);
    }

    #[test]
    fn each_packet_gets_one_answer_although_the_discipline_changes(
        calls in calls(),
        most in 1u64..100,
        changes in prop::collection::vec((0usize..600, 0usize..5), 0..6),
    ) {
        let all = [&kinds()[..], &[QueueKind::DropTail]].concat();
        let mut queue = Queue::new(&QueueKind::DropTail, 5, Direction::Down);
        let (mut now, mut number, mut gone) = (SimTime::ZERO, 0, Vec::new());
        for (index, (pause, call)) in calls.iter().enumerate() {
            now += Duration::from_micros(*pause);
            for (_, to) in changes.iter().filter(|(at, _)| *at == index) {
                let before = queue.packets();
                queue.change(&all[*to], 5, Direction::Down);
                prop_assert_eq!(queue.packets(), before);
            }
            let mut discarded = Discarded::new();
            match *call {
                Call::Enqueue { bytes, flow, ecn } => {
                    let header = Header { bytes, has_data: true, sharer: Sharer::default(), flow, ecn };
                    let packet = Waiting { header, entered: now, fate: FateBy::NOTHING, item: number };
                    if queue.enqueue(now, packet, room(most), &mut discarded).is_err() {
                        gone.push(number);
                    }
                    number += 1;
                }
                Call::Dequeue => gone.extend(queue.dequeue(now, &mut discarded).map(|packet| packet.item)),
            }
            gone.extend(discarded.into_iter().map(|(_, _, packet)| packet));
            prop_assert_eq!(gone.len() + queue.packets(), number);
        }
        while let Some(packet) = queue.dequeue(now, &mut Discarded::new()) {
            gone.push(packet.item);
        }
        let count = gone.len();
        gone.sort_unstable();
        gone.dedup();
        prop_assert_eq!(gone.len(), count, "no packet left twice");
    }
}

/// Lets an overloaded queue change to `after` in the middle. Returns its answers, those from before the change first.
fn answers_with_change(before: QueueKind, after: QueueKind, calls: &[(u64, Call)]) -> [Vec<Answer>; 2] {
    let mut queue = Queue::new(&before, 5, Direction::Down);
    let (mut us, mut number, mut answers) = (0, 0, [Vec::new(), Vec::new()]);
    for (index, (pause, call)) in calls.iter().enumerate() {
        us += pause;
        let now = SimTime::from_us(us);
        if index == calls.len() / 2 {
            queue.change(&after, 5, Direction::Down);
        }
        let mut discarded = Discarded::new();
        let answer = match *call {
            Call::Enqueue { bytes, flow, ecn } => {
                let header = Header { bytes, has_data: true, sharer: Sharer::default(), flow, ecn };
                let packet = Waiting { header, entered: now, fate: FateBy::NOTHING, item: number };
                number += 1;
                queue
                    .enqueue(now, packet, room(2000), &mut discarded)
                    .map_or_else(Answer::Refused, |()| Answer::Accepted)
            }
            Call::Dequeue => queue
                .dequeue(now, &mut discarded)
                .map_or(Answer::Empty, |packet| Answer::Served(packet.item, packet.header.ecn)),
        };
        let answers = &mut answers[usize::from(index >= calls.len() / 2)];
        answers.extend(discarded.into_iter().map(|(_, reason, packet)| Answer::Discarded(packet, reason)));
        answers.push(answer);
    }
    answers
}

#[test]
fn a_change_to_the_same_settings_changes_no_answer() {
    for kind in kinds() {
        let calls = overload(10);
        let (whole, _) = answers(kind, 2000, &mut *model(kind, 2000), &calls);
        assert_eq!(first_difference(&answers_with_change(kind, kind, &calls).concat(), &whole), None, "{kind:?}");
    }
}

#[test]
fn an_overloaded_queue_follows_its_new_settings_from_the_change_on() {
    let codel = CoDelParams { marks: false, ..CoDelParams::default() };
    for (before, after) in kinds().into_iter().zip([
        QueueKind::CoDel(codel),
        QueueKind::FqCoDel(FqCoDelParams { codel, flows: 65536, ..FqCoDelParams::default() }),
        QueueKind::Pie(PieParams { target: Duration::from_secs(10), ..PieParams::default() }),
        QueueKind::DualPi2(DualPi2Params { marks: false, ..DualPi2Params::default() }),
    ]) {
        let [[first, second], [changed_first, changed_second]] =
            [before, after].map(|after| answers_with_change(before, after, &overload(10)));
        assert_eq!(first_difference(&changed_first, &first), None, "{before:?}");
        assert!(first_difference(&changed_second, &second).is_some(), "{before:?}");
    }
}

#[test]
fn packets_that_move_to_another_queue_leave_in_the_order_in_which_they_came() {
    let one_queue = QueueKind::FqCoDel(FqCoDelParams { flows: 1, ..FqCoDelParams::default() });
    for before in kinds() {
        for after in [QueueKind::DropTail, one_queue] {
            let mut queue = Queue::new(&before, 5, Direction::Down);
            for number in 0..60 {
                let header = Header { ecn: [Ecn::NotEct, Ecn::Ect1, Ecn::NotEct][number % 3], ..Header::data(1000) };
                let header = Header { flow: (number / 4) as u32 % 4, ..header };
                let entered = SimTime::from_us(number as u64);
                let packet = Waiting { header, entered, fate: FateBy::NOTHING, item: number };
                queue.enqueue(entered, packet, Room::UNLIMITED, &mut Discarded::new()).unwrap();
            }
            queue.change(&after, 5, Direction::Down);
            let now = SimTime::from_us(60);
            let left = std::iter::from_fn(|| queue.dequeue(now, &mut Discarded::new()).map(|packet| packet.item));
            assert!(left.eq(0..60), "from {before:?} to {after:?}");
        }
    }
}

#[test]
fn settings_outside_their_limits_are_refused() {
    let codel = CoDelParams::default();
    for (kind, message) in [
        (
            QueueKind::CoDel(CoDelParams { target: Duration::ZERO, ..codel }),
            "invalid queue.targetNs: 0 (must be 1–10^10)",
        ),
        (
            QueueKind::CoDel(CoDelParams { interval: Duration::from_secs(11), ..codel }),
            "invalid queue.intervalNs: 11000000000 (must be 1–10^10)",
        ),
        (
            QueueKind::CoDel(CoDelParams { mark_from: Some(Duration::ZERO), ..codel }),
            "invalid queue.markFromNs: 0 (must be 1–10^10)",
        ),
        (
            QueueKind::FqCoDel(FqCoDelParams { flows: 0, ..FqCoDelParams::default() }),
            "invalid queue.flows: 0 (must be 1–65536)",
        ),
        (
            QueueKind::FqCoDel(FqCoDelParams { quantum_bytes: 0, ..FqCoDelParams::default() }),
            "invalid queue.quantumBytes: 0 (must be 1–10^6)",
        ),
        (
            QueueKind::Pie(PieParams { update: Duration::ZERO, ..PieParams::default() }),
            "invalid queue.updateNs: 0 (must be 1–10^10)",
        ),
        (
            QueueKind::DualPi2(DualPi2Params { step: Duration::ZERO, ..DualPi2Params::default() }),
            "invalid queue.stepNs: 0 (must be 1–10^10)",
        ),
    ] {
        assert_eq!(kind.validate().unwrap_err().to_string(), message);
    }
}

#[test]
fn a_step_marks_every_capable_packet_that_waited_longer() {
    let params = CoDelParams { mark_from: Some(Duration::from_millis(1)), ..CoDelParams::default() };
    for kind in
        [QueueKind::CoDel(params), QueueKind::FqCoDel(FqCoDelParams { codel: params, ..FqCoDelParams::default() })]
    {
        let mut queue = Queue::new(&kind, 1, Direction::Down);
        for (number, ecn) in [Ecn::Ect0, Ecn::NotEct, Ecn::Ect1].into_iter().enumerate() {
            let header = Header { ecn, ..Header::data(1000) };
            let packet = Waiting { header, entered: SimTime::ZERO, fate: FateBy::NOTHING, item: number };
            queue.enqueue(SimTime::ZERO, packet, Room::UNLIMITED, &mut Discarded::new()).unwrap();
        }
        let mut served = |us| queue.dequeue(SimTime::from_us(us), &mut Discarded::new()).unwrap().header.ecn;
        assert_eq!([served(1000), served(1001), served(1001)], [Ecn::Ect0, Ecn::NotEct, Ecn::Ce]);
    }
}
