use proptest::prelude::*;

use super::*;

const MSS: u64 = 1000;

fn receiver() -> Receiver {
    Receiver::new(10 * MSS, None, MSS)
}

fn bytes(first: u64, end: u64) -> Bytes {
    (first..end).map(|seq| seq as u8).collect()
}

fn at(ms: u64) -> SimTime {
    SimTime::from_ms(ms)
}

/// Delivers segment `index` at `ms`. Segments are counted from 0.
fn give(receiver: &mut Receiver, ms: u64, index: u64) -> Arrival {
    let first = 1 + index * MSS;
    receiver.handle_segment(at(ms), first, &bytes(first, first + MSS), false)
}

#[test]
fn bytes_are_read_in_order_after_a_gap_is_filled() {
    let mut receiver = receiver();
    assert_eq!(give(&mut receiver, 0, 0), Arrival::InOrder);
    assert_eq!(give(&mut receiver, 1, 2), Arrival::OutOfOrder);
    assert_eq!(receiver.next(), 1 + MSS);
    assert_eq!(give(&mut receiver, 2, 1), Arrival::FilledGap);
    assert_eq!(receiver.read(), bytes(1, 1 + 3 * MSS));
}

#[test]
fn blocked_bytes_are_counted_from_arrival_to_delivery() {
    let mut receiver = receiver();
    give(&mut receiver, 5, 1);
    give(&mut receiver, 9, 0);
    let row = receiver.blocked().rows()[0];
    assert_eq!((row.first, row.bytes, row.start, row.end), (MSS, MSS as u32, at(5), Some(at(9))));
}

// RFC 2018 §4: the first block has the segment that caused the acknowledgement; the others follow, latest first
#[test]
fn the_latest_block_is_reported_first() {
    let mut receiver = receiver();
    for index in [1, 3, 5] {
        give(&mut receiver, 0, index);
    }
    let block = |index: u64| (1 + index * MSS, 1 + (index + 1) * MSS);
    assert_eq!(receiver.sack_blocks(3), [block(5), block(3), block(1)]);
    give(&mut receiver, 0, 2);
    assert_eq!(receiver.sack_blocks(3), [(1 + MSS, 1 + 4 * MSS), block(5)]);
}

#[test]
fn data_enlarges_the_first_block_that_it_touches_or_starts_a_new_one() {
    let mut receiver = receiver();
    for index in [1, 3, 5] {
        give(&mut receiver, 0, index);
    }
    // the blocks are segments 5, 3 and 1, in this order
    let places = [7, 6, 4, 2].map(|index: u64| receiver.block_place(1 + index * MSS, 1 + (index + 1) * MSS));
    assert_eq!(places, [3, 0, 0, 1]);
}

// RFC 2883 §4: the first block of the acknowledgement reports the data that was received twice
#[test]
fn a_duplicate_is_reported_once_and_first() {
    let mut receiver = receiver();
    give(&mut receiver, 0, 0);
    give(&mut receiver, 0, 2);
    assert_eq!(give(&mut receiver, 0, 0), Arrival::Duplicate);
    let beyond = (1 + 2 * MSS, 1 + 3 * MSS);
    assert_eq!(receiver.sack_blocks(3), [(1, 1 + MSS), beyond]);
    assert_eq!(receiver.sack_blocks(3), [beyond]);
}

#[test]
fn unread_bytes_close_the_window_and_a_read_opens_it() {
    let mut receiver = receiver();
    for index in 0..10 {
        give(&mut receiver, 0, index);
    }
    assert_eq!(receiver.window(), 0);
    assert!(!receiver.accepts(1 + 10 * MSS, MSS));
    receiver.read();
    assert!(receiver.window_update_due());
    assert_eq!(receiver.window(), 10 * MSS);
}

// RFC 9293 §3.10.7.4, table 6: some part of the segment must be within the window
#[test]
fn a_segment_is_accepted_if_any_part_is_in_the_window() {
    let mut receiver = receiver();
    give(&mut receiver, 0, 0);
    let (next, edge) = (1 + MSS, 1 + 10 * MSS);
    for (seq, length, accepted) in [
        (next - 5, 5, false),
        (next - 5, 6, true),
        (next, 1, true),
        (edge - 1, 10, true),
        (edge, 1, false),
        (next - 5, edge - next + 10, true),
        // a segment without data is also accepted at the right edge
        (next - 1, 0, false),
        (next, 0, true),
        (edge, 0, true),
        (edge + 1, 0, false),
    ] {
        assert_eq!(receiver.accepts(seq, length), accepted, "{seq} {length}");
    }
}

// RFC 9293 §3.8.6.2.2
#[test]
fn a_window_update_is_due_if_the_window_grows_by_half_of_the_buffer_or_to_a_whole_segment() {
    let mut receiver = receiver();
    let mut read_of = |filled: u64, read: u64| {
        for index in 0..filled {
            give(&mut receiver, 0, index);
        }
        receiver.readable_bytes -= read;
        receiver.window_update_due()
    };
    assert!(!read_of(6, 4999));
    assert!(read_of(0, 1));
    // the window is closed, so an update needs one whole segment
    let mut receiver = Receiver::new(10 * MSS, None, MSS);
    for index in 0..10 {
        give(&mut receiver, 0, index);
    }
    receiver.readable_bytes -= 999;
    assert!(!receiver.window_update_due());
    receiver.readable_bytes -= 1;
    assert!(receiver.window_update_due());
    receiver.window();
    assert!(!receiver.window_update_due(), "the window was advertised already");
    // the window is smaller than a segment and must grow by a segment
    let mut receiver = Receiver::new(9 * MSS + 500, None, MSS);
    for index in 0..9 {
        give(&mut receiver, 0, index);
    }
    receiver.readable_bytes -= 999;
    assert!(!receiver.window_update_due());
    receiver.readable_bytes -= 1;
    assert!(receiver.window_update_due());
}

// RFC 9293 §3.8.6.2.2
#[test]
fn a_window_update_of_less_than_a_segment_is_not_offered() {
    let mut receiver = Receiver::new(MSS * 10, None, MSS);
    give(&mut receiver, 0, 0);
    receiver.readable_bytes -= 10;
    receiver.right_edge = 1 + 10 * MSS;
    assert_eq!(receiver.window(), 9 * MSS);
}

/// A receiver whose window is tuned, with segments 1 to `beyond` waiting behind a gap.
fn tuned(beyond: u64) -> Receiver {
    let mut receiver = Receiver::new(4 << 20, Some(WindowTuning::new(4 << 20, MSS, 0)), MSS);
    (1..=beyond).for_each(|index| assert_eq!(give(&mut receiver, 0, index), Arrival::OutOfOrder));
    assert_eq!(receiver.window(), 65 * MSS);
    receiver
}

// the buffer holds 81,920 bytes at first
#[test]
fn bytes_beyond_a_gap_leave_less_room_for_a_tuned_window() {
    for (beyond, grows) in [(1, true), (20, false)] {
        let mut receiver = tuned(beyond);
        assert_eq!(receiver.tune(at(1), (1 + (beyond + 1) * MSS, MSS), None, true), grows);
        assert_eq!(receiver.window(), if grows { 67 * MSS } else { 65 * MSS }, "{beyond} segments");
    }
}

// Linux, __tcp_select_window: free_space < full_space / 2
#[test]
fn data_behind_a_gap_counts_towards_a_half_full_tuned_buffer() {
    assert!(!tuned(40).is_half_full());
    assert!(tuned(41).is_half_full());
    assert!(!receiver().is_half_full(), "a window without tuning has no such rule");
}

// Linux, tcp_rcv_space_adjust: `copied -= inq`
#[test]
fn what_waited_behind_a_gap_does_not_enlarge_the_buffer_when_it_is_read() {
    let mut receiver = tuned(20);
    receiver.handle_established(at(0));
    let echo = |rtt_ms| Some((rtt_ms as u32, Duration::from_millis(rtt_ms)));
    receiver.tune(at(100), (1, MSS), echo(100), true);
    give(&mut receiver, 100, 0);
    receiver.read();
    for index in 21..=60 {
        receiver.tune(at(150), (1 + index * MSS, MSS), echo(100), true);
        give(&mut receiver, 150, index);
        receiver.read();
        receiver.window();
    }
    assert!(receiver.window() <= 81_920);
}

// RFC 5681 §2: an acknowledgement with another window is no duplicate acknowledgement
#[test]
fn without_sack_a_tuned_window_does_not_grow_behind_a_gap() {
    let mut receiver = tuned(1);
    receiver.tune(at(1), (1 + 2 * MSS, MSS), None, false);
    assert_eq!(receiver.window(), 65 * MSS);
    receiver.tune(at(2), (1, MSS), None, false);
    assert_eq!(receiver.window(), 67 * MSS);
}

#[test]
fn bytes_beyond_the_window_are_dropped() {
    let mut receiver = receiver();
    let first = 1 + 9 * MSS;
    receiver.handle_segment(at(0), first, &bytes(first, first + 2 * MSS), false);
    assert_eq!(receiver.sack_blocks(1), [(first, first + MSS)]);
}

#[test]
fn a_fin_counts_only_when_everything_before_it_has_arrived() {
    let mut receiver = receiver();
    assert_eq!(receiver.handle_segment(at(0), 1 + MSS, &bytes(1 + MSS, 1 + 2 * MSS), true), Arrival::OutOfOrder);
    assert!(!receiver.is_finished());
    give(&mut receiver, 1, 0);
    assert!(receiver.is_finished());
    assert_eq!(receiver.next(), 1 + 2 * MSS + 1);
}

proptest! {
    /// Compares the receiver with a naive model, which is the set of the bytes that arrived.
    #[test]
    fn reassembly_matches_a_set_of_bytes(
        segments in prop::collection::vec((0u64..400, 0usize..60, any::<bool>()), 1..80),
    ) {
        let capacity = 300;
        let mut receiver = Receiver::new(capacity, None, 50);
        let mut model = vec![false; 1 + 400 + 60];
        let (mut read, mut model_next) = (Vec::new(), 1u64);
        for (offset, length, reads) in segments {
            let right_edge = receiver.right_edge;
            let first = 1 + offset;
            let segment = bytes(first, first + length as u64);
            receiver.handle_segment(at(0), first, &segment, false);
            for seq in first..(first + length as u64).min(right_edge) {
                model[seq as usize] = true;
            }
            while model.get(model_next as usize) == Some(&true) {
                model_next += 1;
            }
            if reads {
                read.extend(receiver.read());
                receiver.window();
            }
            prop_assert_eq!(receiver.next(), model_next);

            receiver.duplicate = None;
            let mut blocks = receiver.sack_blocks(100);
            let reported: Vec<bool> = (0..model.len() as u64)
                .map(|seq| blocks.iter().any(|(from, to)| (*from..*to).contains(&seq)) && seq >= model_next)
                .collect();
            let expected: Vec<bool> =
                (0..model.len()).map(|seq| model[seq] && seq as u64 >= model_next).collect();
            prop_assert_eq!(reported, expected);
            blocks.sort_unstable();
            prop_assert!(blocks.windows(2).all(|pair| pair[0].1 < pair[1].0));
        }
        read.extend(receiver.read());
        prop_assert_eq!(read, bytes(1, model_next));
    }
}

// RFC 2883 §4: the duplicate covers only bytes that had arrived before
#[test]
fn the_duplicate_of_an_unaccepted_segment_ends_at_rcv_nxt() {
    let next = 1 + 3 * MSS;
    for (seq, length, reported) in [
        (1, MSS, Some((1, 1 + MSS))),
        (next - 10, 10, Some((next - 10, next))),
        (next - 10, 30, Some((next - 10, next))),
        (next, 10, None),
        (next + 10, 10, None),
    ] {
        let mut receiver = receiver();
        for index in 0..3 {
            give(&mut receiver, 0, index);
        }
        receiver.note_duplicate(seq, length);
        assert_eq!(receiver.sack_blocks(4), reported.into_iter().collect::<Vec<_>>(), "{seq} {length}");
    }
}
