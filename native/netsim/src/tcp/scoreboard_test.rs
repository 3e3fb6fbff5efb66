use proptest::prelude::*;

use super::*;
use crate::congestion::AtSending;

const MSS: u64 = 100;

fn at(ms: u64) -> SimTime {
    SimTime::from_ms(ms)
}

/// One past the last byte of segment `index`. Segments are counted from 0.
fn end(index: u64) -> u64 {
    1 + (index + 1) * MSS
}

fn block(first: u64, last: u64) -> (u64, u64) {
    (1 + first * MSS, end(last))
}

fn board(segments: u64) -> Scoreboard {
    let mut board = Scoreboard::new(1);
    for index in 0..segments {
        board.push(at(index), end(index), AtSending::default());
    }
    board
}

fn sack(board: &mut Scoreboard, blocks: &[(u64, u64)]) -> Delivery {
    let mut delivery = Delivery::default();
    board.apply_sack(blocks, &mut delivery);
    delivery
}

fn acknowledge(board: &mut Scoreboard, una: u64) -> Delivery {
    let mut delivery = Delivery::default();
    board.acknowledge(una, &mut delivery);
    delivery
}

fn lost(board: &Scoreboard) -> Vec<u64> {
    board.segments().filter(|segment| segment.lost).map(|segment| (segment.seq - 1) / MSS).collect()
}

// RFC 6675 §4, IsLost
#[test]
fn a_segment_is_lost_once_three_later_segments_are_sacked_but_not_after_two() {
    let mut board = board(6);
    sack(&mut board, &[block(1, 2)]);
    assert_eq!(board.mark_lost_by_sack(), Lost::default());
    sack(&mut board, &[block(4, 4), block(1, 2)]);
    assert_eq!(board.mark_lost_by_sack(), Lost { any: true, segments: 1, retransmission: false, end: end(0) });
    assert_eq!(lost(&board), [0]);
    assert_eq!(board.mark_lost_by_sack(), Lost::default(), "the segments were marked before");
}

// Linux (tcp_sacktag_write_queue) sorts the blocks
#[test]
fn sacked_segments_are_delivered_in_the_order_of_their_numbers() {
    let delivery = sack(&mut board(6), &[block(4, 4), block(1, 2)]);
    let ends: Vec<u64> = delivery.segments.iter().map(|segment| segment.end).collect();
    assert_eq!(ends, [end(1), end(2), end(4)]);
    assert_eq!((delivery.sacked_once, delivery.sacked_once_last), (Some(at(1)), Some(at(4))));
}

// RFC 6675 §4, SetPipe: sacked and lost segments do not count, but retransmissions do
#[test]
fn the_pipe_excludes_sacked_and_lost_segments_and_includes_retransmissions() {
    let mut board = board(6);
    assert_eq!((board.pipe_bytes(MSS), board.outstanding_bytes()), (6 * MSS, 6 * MSS));
    sack(&mut board, &[block(2, 4)]);
    assert_eq!(board.pipe_bytes(MSS), 3 * MSS);
    board.mark_lost_by_sack();
    assert_eq!(lost(&board), [0, 1]);
    assert_eq!(board.pipe_bytes(MSS), MSS);
    board.retransmitted(at(10), 0, AtSending::default());
    assert_eq!(board.pipe_bytes(MSS), 2 * MSS);
    assert_eq!(board.outstanding_bytes(), 6 * MSS);
}

// RFC 6675 §4, NextSeg rules 1 and 3
#[test]
fn lost_segments_come_first_and_then_segments_in_doubt() {
    let mut board = board(8);
    sack(&mut board, &[block(2, 4), block(6, 6)]);
    board.mark_lost_by_sack();
    assert_eq!(lost(&board), [0, 1]);
    assert_eq!(board.next_lost(), Some(0));
    board.retransmitted(at(10), 0, AtSending::default());
    assert_eq!(board.next_lost(), Some(1));
    board.retransmitted(at(10), 1, AtSending::default());
    assert_eq!(board.next_lost(), None);
    assert_eq!(board.next_in_doubt(), Some(5), "7 is above everything that was sacked");
}

// SACK blocks never show that a retransmission is lost (RFC 6675 §4). RACK, which detects losses by time, can find this
// (RFC 8985 §6).
#[test]
fn a_lost_retransmission_is_the_next_lost_segment_again() {
    let mut board = board(5);
    sack(&mut board, &[block(1, 3)]);
    board.mark_lost_by_sack();
    board.retransmitted(at(10), 0, AtSending::default());
    sack(&mut board, &[block(1, 4)]);
    assert_eq!(board.mark_lost_by_sack(), Lost::default());
    assert!(board.mark_lost(0));
    assert!(!board.has_retransmissions());
    assert_eq!(board.next_lost(), Some(0));
    board.retransmitted(at(20), 0, AtSending::default());
    assert_eq!(board.get(0).map(|segment| (segment.sends, segment.sent_at)), Some((3, at(20))));
}

// RFC 9293 §3.10.7.4: an acknowledgement may end within a segment
#[test]
fn a_partial_acknowledgement_shortens_the_segment() {
    let mut board = board(3);
    board.mark_first_lost();
    board.retransmitted(at(5), 0, AtSending::default());
    let delivery = acknowledge(&mut board, 1 + 30);
    assert_eq!((delivery.bytes, delivery.acked_segments), (30, 0));
    assert_eq!(board.first().map(|segment| (segment.seq, segment.end)), Some((31, 101)));
    assert_eq!((board.outstanding_bytes(), board.pipe_bytes(MSS)), (270, 270));
    acknowledge(&mut board, end(2));
    assert_eq!((board.outstanding_bytes(), board.pipe_bytes(MSS)), (0, 0));
    assert!(board.is_empty());
}

// RFC 2883 §4 (duplicates are reported at or below SND.UNA), RFC 2018 §8 (beyond SND.NXT nothing was sent)
#[test]
fn blocks_of_duplicates_and_forged_blocks_are_ignored() {
    let mut board = board(4);
    acknowledge(&mut board, end(0));
    for blocks in [[block(0, 0)], [block(3, 4)], [(1 + 2 * MSS, 1 + 2 * MSS)], [(300, 200)], [(u64::MAX - 5, u64::MAX)]]
    {
        assert_eq!(sack(&mut board, &blocks).bytes, 0, "{blocks:?}");
    }
    assert_eq!((board.sacked_bytes(), board.pipe_bytes(MSS)), (0, 3 * MSS));
}

// RFC 2018 §3: a block may end within a segment, in which case the receiver does not have the whole segment
#[test]
fn a_partially_covered_segment_is_not_sacked() {
    let mut board = board(3);
    sack(&mut board, &[(1 + MSS + 1, end(2) - 1)]);
    assert_eq!(board.sacked_bytes(), 0);
}

#[test]
fn a_sacked_segment_is_delivered_once() {
    let mut board = board(3);
    assert_eq!(sack(&mut board, &[block(1, 1)]).bytes, MSS);
    assert_eq!(sack(&mut board, &[block(1, 1)]).bytes, 0);
    let delivery = acknowledge(&mut board, end(1));
    assert_eq!((delivery.bytes, delivery.acked_segments, delivery.segments.len()), (MSS, 2, 1));
}

// RFC 6298 §3 (Karn): only a segment that was sent once gives an RTT
#[test]
fn a_retransmitted_segment_gives_no_send_time() {
    let mut board = board(3);
    board.retransmitted(at(9), 0, AtSending::default());
    let delivery = acknowledge(&mut board, end(1));
    assert!(delivery.acked_retransmission);
    assert_eq!(delivery.first_once, Some(at(1)));
    board.retransmitted(at(9), 0, AtSending::default());
    assert_eq!(sack(&mut board, &[block(2, 2)]).sacked_once, None);
}

// RFC 6582 §3.2: each duplicate shows that one segment has left the network. A partial acknowledgement subtracts the
// segments that it covers, except the first, from this count.
#[test]
fn without_sack_each_duplicate_removes_a_segment_from_the_pipe() {
    let mut board = board(5);
    for _ in 0..3 {
        board.count_duplicate();
    }
    assert_eq!(board.pipe_bytes(MSS), 2 * MSS);
    for _ in 0..10 {
        board.count_duplicate();
    }
    assert_eq!(board.duplicates(), 4, "the missing segment causes no duplicate");
    acknowledge(&mut board, end(2));
    assert_eq!(board.duplicates(), 2);
    acknowledge(&mut board, end(4));
    assert_eq!(board.duplicates(), 0);
}

// RFC 6675 §5.1
#[test]
fn a_timeout_marks_all_segments_that_are_not_sacked() {
    let mut board = board(4);
    board.retransmitted(at(5), 0, AtSending::default());
    sack(&mut board, &[block(2, 2)]);
    board.mark_lost_after_timeout(|_| false);
    assert_eq!(lost(&board), [0, 1, 3]);
    assert_eq!(board.pipe_bytes(MSS), 0);
    // RFC 5682: the timeout was spurious
    board.unmark_lost();
    assert_eq!(board.pipe_bytes(MSS), 3 * MSS);
}

// RFC 2018 §8
#[test]
fn reneging_discards_all_sack_marks() {
    let mut board = board(8);
    sack(&mut board, &[block(1, 2), block(4, 6)]);
    board.forget_sacked();
    assert_eq!((board.sacked_bytes(), board.pipe_bytes(MSS)), (0, 8 * MSS));
    assert_eq!(board.next_in_doubt(), None);
    board.mark_lost_after_timeout(|_| false);
    assert_eq!(lost(&board).len(), 8);
    // later selective acknowledgements count
    assert_eq!(sack(&mut board, &[block(1, 1)]).bytes, MSS);
}

/// What the sender knows about one byte in the naive model.
#[derive(Clone, Copy, Default)]
struct Byte {
    sacked: bool,
    lost: bool,
    retransmitted: bool,
}

#[derive(Clone, Debug)]
enum Step {
    Push(u64),
    /// The acknowledged share of the outstanding bytes, in 1/255.
    Acknowledge(u8),
    /// The ends of the SACK block in any order, each as a share of the outstanding bytes in 1/255.
    Sack(u8, u8),
    MarkBySack,
    MarkFirst,
    Mark(prop::sample::Index),
    Retransmit(prop::sample::Index),
    RetransmitNext,
    Timeout,
    Renege,
    Unmark,
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        4 => (1u64..40).prop_map(Step::Push),
        2 => any::<u8>().prop_map(Step::Acknowledge),
        4 => any::<(u8, u8)>().prop_map(|(from, to)| Step::Sack(from, to)),
        2 => Just(Step::MarkBySack),
        1 => Just(Step::MarkFirst),
        1 => any::<prop::sample::Index>().prop_map(Step::Mark),
        1 => any::<prop::sample::Index>().prop_map(Step::Retransmit),
        2 => Just(Step::RetransmitNext),
        1 => Just(Step::Timeout),
        1 => Just(Step::Renege),
        1 => Just(Step::Unmark),
    ]
}

/// The segments and what the sender knows about their bytes.
#[derive(Default)]
struct Model {
    /// For each segment: its first byte, one past its last byte, and how often it was sent. Segments shrink only at the
    /// front, up to `una`.
    segments: Vec<(u64, u64, u32)>,
    bytes: Vec<Byte>,
    una: u64,
}

impl Model {
    fn set(&mut self, (from, to, _): (u64, u64, u32), change: impl Fn(&mut Byte)) {
        self.bytes[from as usize..to as usize].iter_mut().for_each(change);
    }

    fn is(&self, segment: (u64, u64, u32), ask: impl Fn(&Byte) -> bool) -> bool {
        ask(&self.bytes[segment.1 as usize - 1])
    }

    fn count(&self, ask: impl Fn(&Byte) -> bool) -> u64 {
        self.bytes[self.una as usize..].iter().filter(|byte| ask(byte)).count() as u64
    }

    /// RFC 6675 §4, SetPipe, byte by byte.
    fn pipe(&self) -> u64 {
        self.count(|byte| !byte.sacked && !byte.lost) + self.count(|byte| !byte.sacked && byte.retransmitted)
    }

    fn acknowledge(&mut self, una: u64) {
        self.una = una;
        self.segments.retain(|(_, to, _)| *to > una);
        if let Some(first) = self.segments.first_mut() {
            first.0 = first.0.max(una);
        }
    }

    fn sack(&mut self, from: u64, to: u64) {
        for segment in self.segments.clone() {
            if segment.0 >= from && segment.1 <= to {
                self.set(segment, |byte| *byte = Byte { sacked: true, ..Byte::default() });
            }
        }
    }

    fn mark(&mut self, segment: (u64, u64, u32)) {
        self.set(segment, |byte| (byte.lost, byte.retransmitted) = (true, false));
    }

    fn mark_by_sack(&mut self) {
        for (index, segment) in self.segments.clone().into_iter().enumerate() {
            let above = self.segments[index..].iter().filter(|above| self.is(**above, |byte| byte.sacked)).count();
            if above >= 3 && segment.2 == 1 && !self.is(segment, |byte| byte.sacked || byte.lost) {
                self.set(segment, |byte| byte.lost = true);
            }
        }
    }

    fn retransmit(&mut self, index: usize) {
        self.segments[index].2 += 1;
        self.set(self.segments[index], |byte| byte.retransmitted = true);
    }
}

proptest! {
    #[test]
    fn counts_match_a_model_of_single_bytes(steps in prop::collection::vec(step(), 1..120)) {
        let mut board = Scoreboard::new(0);
        let mut model = Model::default();
        for (tick, step) in steps.into_iter().enumerate() {
            let now = at(tick as u64);
            let next = model.bytes.len() as u64;
            let share = |part: u8| model.una + (next - model.una) * u64::from(part) / 255;
            let open = |index: prop::sample::Index, model: &Model| {
                let open: Vec<usize> = (0..model.segments.len())
                    .filter(|at| !model.is(model.segments[*at], |byte| byte.sacked)).collect();
                (!open.is_empty()).then(|| *index.get(&open))
            };
            match step {
                Step::Push(length) => {
                    board.push(now, next + length, AtSending::default());
                    model.segments.push((next, next + length, 1));
                    model.bytes.resize((next + length) as usize, Byte::default());
                }
                Step::Acknowledge(part) => {
                    let (una, before) = (share(part), model.count(|byte| byte.sacked));
                    let new = una - model.una;
                    let delivery = acknowledge(&mut board, una);
                    model.acknowledge(una);
                    prop_assert_eq!(delivery.bytes, new - (before - model.count(|byte| byte.sacked)));
                }
                Step::Sack(from, to) => {
                    let (from, to) = (share(from.min(to)), share(from.max(to)));
                    let before = model.count(|byte| byte.sacked);
                    let delivery = sack(&mut board, &[(from, to)]);
                    model.sack(from, to);
                    prop_assert_eq!(delivery.sacked_bytes, model.count(|byte| byte.sacked) - before);
                }
                Step::MarkBySack => {
                    board.mark_lost_by_sack();
                    model.mark_by_sack();
                }
                Step::MarkFirst => {
                    board.mark_first_lost();
                    if let Some(first) = model.segments.first().copied().filter(|first| !model.is(*first, |byte| byte.sacked)) {
                        model.mark(first);
                    }
                }
                Step::Mark(index) => if let Some(index) = open(index, &model) {
                    board.mark_lost(index);
                    model.mark(model.segments[index]);
                },
                Step::Retransmit(index) => if let Some(index) = open(index, &model) {
                    board.retransmitted(now, index, AtSending::default());
                    model.retransmit(index);
                },
                Step::RetransmitNext => {
                    let naive = model.segments.iter().position(|segment| model.is(*segment, |byte| byte.lost && !byte.retransmitted));
                    prop_assert_eq!(board.next_lost(), naive);
                    if let Some(index) = naive {
                        board.retransmitted(now, index, AtSending::default());
                        model.retransmit(index);
                    }
                }
                Step::Timeout => {
                    board.mark_lost_after_timeout(|_| false);
                    for segment in model.segments.clone() {
                        if !model.is(segment, |byte| byte.sacked) {
                            model.mark(segment);
                        }
                    }
                }
                Step::Renege => {
                    board.forget_sacked();
                    model.bytes.iter_mut().for_each(|byte| byte.sacked = false);
                }
                Step::Unmark => {
                    board.unmark_lost();
                    model.bytes.iter_mut().for_each(|byte| byte.lost = false);
                }
            }
            prop_assert_eq!(board.outstanding_bytes(), model.bytes.len() as u64 - model.una);
            prop_assert_eq!(board.sacked_bytes(), model.count(|byte| byte.sacked));
            prop_assert_eq!(board.sacked_segments(), board.segments().filter(|segment| segment.sacked).count() as u64);
            let waits = |segment: &SentSegment| segment.lost && !segment.retransmitted;
            prop_assert_eq!(board.next_lost(), board.segments().position(waits));
            prop_assert_eq!(board.pipe_bytes(MSS), model.pipe());
            prop_assert_eq!(board.has_retransmissions(), model.count(|byte| byte.retransmitted) > 0);
        }
    }
}
