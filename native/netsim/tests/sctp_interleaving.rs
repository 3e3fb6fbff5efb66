//! Tests of messages that interleave (RFC 8260), and of the delay that a large message causes for others.

#![allow(clippy::unwrap_used)] // unwrap is allowed in tests

mod support;

use std::time::Duration;

use netsim::endpoint::Event;
use netsim::link::{Direction, LossModel};
use netsim::sctp::{Options, Profile, SchedulerPolicy};
use netsim::sim::EndpointId;
use netsim::time::SimTime;
use support::{Pair, PairOptions, message};

const LARGE: usize = 100_000;
const SMALL: usize = 1000;

/// How the server writes an object: cut into messages of one packet each, like the server of the paper N07 (README.md),
/// or as one message.
#[derive(Clone, Copy, PartialEq)]
enum Written {
    Cut,
    Whole,
}

fn options(idata: [bool; 2], scheduler: SchedulerPolicy) -> PairOptions {
    let end = |idata| Options { idata, scheduler: scheduler.clone(), ..Options::new(Profile::Classic, 4) };
    PairOptions { client: end(idata[0]), server: end(idata[1]), ..PairOptions::default() }
}

fn pair(idata: bool) -> Pair {
    Pair::connected(options([idata; 2], SchedulerPolicy::RoundRobin))
}

fn write(pair: &mut Pair, stream: u32, bytes: usize, written: Written) {
    let server = pair.sim.sctp(pair.server).unwrap();
    let most = if written == Written::Cut { server.max_message_in_packet_bytes() } else { bytes };
    for piece in message(stream, 0, bytes).chunks(most) {
        server.send(stream, piece).unwrap();
    }
}

/// The bytes of a stream that the client received, in order.
fn received(pair: &Pair, wanted: u32) -> Vec<u8> {
    let of_client = pair.events.iter().filter(|(_, end, _)| *end == pair.client);
    let bytes = of_client.filter_map(|(_, _, event)| match event {
        Event::Message { stream, bytes } if *stream == wanted => Some(bytes.clone()),
        _ => None,
    });
    bytes.flatten().collect()
}

/// The time from `from` until the client received the last byte of the stream `wanted`.
fn came_at(pair: &Pair, wanted: u32, from: SimTime) -> Duration {
    let is_it = |(_, end, event): &&(SimTime, EndpointId, Event)| {
        *end == pair.client && matches!(event, Event::Message { stream, .. } if *stream == wanted)
    };
    pair.events.iter().rev().find(is_it).unwrap().0 - from
}

/// The server writes a large object on stream 0, then a small object on stream 1. Returns the times in ms until the
/// small object and the large object have arrived.
fn small_and_large(idata: bool, written: Written) -> [u128; 2] {
    let mut pair = pair(idata);
    let from = pair.sim.now();
    write(&mut pair, 0, LARGE, written);
    write(&mut pair, 1, SMALL, written);
    pair.drive();
    assert!(received(&pair, 0) == message(0, 0, LARGE) && received(&pair, 1) == message(1, 0, SMALL));
    [1, 0].map(|stream| came_at(&pair, stream, from).as_millis())
}

/// For each chunk that the server sent, without retransmissions: its stream and the number of its user bytes.
fn fragments(pair: &Pair) -> Vec<(u32, u32)> {
    pair.first_sent(pair.server)
}

/// Paper N07, §4: without cutting, "a 100 KB object delays a 1 KB one". The RTT is 100 ms.
#[test]
fn a_small_object_waits_for_a_large_object_unless_the_large_one_is_cut_or_interleaves() {
    assert_eq!(small_and_large(false, Written::Whole), [1045, 1037]);
    assert_eq!(small_and_large(false, Written::Cut), [170, 1070]);
    assert_eq!(small_and_large(true, Written::Whole), [174, 1048]);
}

#[test]
fn i_data_is_sent_only_if_both_ends_offer_it() {
    for (idata, header_bytes) in [([true, true], 20), ([true, false], 16), ([false, true], 16), ([false, false], 16)] {
        let mut pair = Pair::connected(options(idata, SchedulerPolicy::RoundRobin));
        write(&mut pair, 0, SMALL, Written::Whole);
        pair.drive();
        let data = pair.sim.trace().packets.packets.bytes.iter().max().unwrap();
        assert_eq!(*data as usize, 20 + 12 + header_bytes + SMALL, "{idata:?}");
        assert!(received(&pair, 0) == message(0, 0, SMALL));
    }
}

#[test]
fn the_largest_message_in_a_packet_leaves_room_for_the_i_data_header() {
    for idata in [false, true] {
        let mut pair = pair(idata);
        write(&mut pair, 0, 10_000, Written::Cut);
        pair.drive();
        let most = pair.sim.sctp(pair.server).unwrap().max_message_in_packet_bytes();
        assert_eq!(most, if idata { 1448 } else { 1452 });
        assert!(fragments(&pair).iter().rev().skip(1).all(|(_, bytes)| *bytes as usize == most));
    }
}

/// The server writes three large messages at once. Returns the streams of its full-sized chunks in the order of
/// sending.
fn turns(scheduler: SchedulerPolicy) -> Vec<u32> {
    let mut pair = Pair::connected(options([true; 2], scheduler));
    for stream in 0..3 {
        write(&mut pair, stream, 30_000, Written::Whole);
    }
    pair.drive();
    // a chunk is smaller if it fills the rest of the window, or if it is the last of its message
    fragments(&pair).into_iter().filter(|(_, bytes)| *bytes == 1448).map(|(stream, _)| stream).collect()
}

fn share(turns: &[u32], stream: u32) -> usize {
    turns.iter().filter(|turn| **turn == stream).count()
}

#[test]
fn round_robin_alternates_by_fragment() {
    let turns = turns(SchedulerPolicy::RoundRobin);
    // the first message fills the initial window before the other messages are written, and it has the next turn, too
    assert_eq!(turns[..13], [0, 0, 0, 0, 1, 2, 0, 1, 2, 0, 2, 1, 0]);
    let shares = [0, 1, 2].map(|stream| share(&turns[3..33], stream));
    assert_eq!(shares, [10, 10, 10]);
}

#[test]
fn messages_that_interleave_share_bytes_by_weight() {
    let turns = turns(SchedulerPolicy::Weighted(vec![1, 4]));
    let shares = [0, 1, 2].map(|stream| share(&turns[3..21], stream));
    assert_eq!(shares, [3, 12, 3]);
}

#[test]
fn first_come_does_not_interleave_messages() {
    let turns = turns(SchedulerPolicy::FirstCome);
    assert!(turns.is_sorted(), "{turns:?}");
}

/// RFC 9260 §6.9: the parts of a message can be delivered before the whole message has arrived (partial delivery).
#[test]
fn each_fragment_of_an_interleaved_message_is_delivered_when_it_arrives() {
    let mut pair = pair(true);
    write(&mut pair, 0, LARGE, Written::Whole);
    pair.drive();
    let pieces = pair.messages(pair.client);
    assert_eq!(pieces.len(), fragments(&pair).len());
    assert!(received(&pair, 0) == message(0, 0, LARGE));
}

#[test]
fn without_partial_delivery_an_interleaved_message_is_delivered_whole() {
    let end = Options { idata: true, partial_delivery: false, ..Options::new(Profile::Classic, 4) };
    let mut pair = Pair::connected(PairOptions { client: end.clone(), server: end, ..PairOptions::default() });
    pair.lose_next(Direction::Down, &[4]);
    for stream in 0..3 {
        write(&mut pair, stream, 30_000, Written::Whole);
    }
    pair.drive();
    assert_eq!(pair.messages(pair.client).len(), 3);
    assert!((0..3).all(|stream| received(&pair, stream) == message(stream, 0, 30_000)));
    // of each message, all fragments have waited except the one that arrived last
    let rows = pair.sim.endpoint(pair.client).unwrap().blocked().rows();
    assert!(rows.len() > 60 && rows.iter().all(|row| row.end.is_some()), "{rows:?}");
}

#[test]
fn a_lost_fragment_blocks_only_its_own_stream() {
    let mut pair = pair(true);
    pair.lose_next(Direction::Down, &[5]);
    for stream in 0..3 {
        write(&mut pair, stream, 30_000, Written::Whole);
    }
    pair.drive();
    for stream in 0..3 {
        assert!(received(&pair, stream) == message(stream, 0, 30_000), "{stream}");
    }
    let rows = pair.sim.endpoint(pair.client).unwrap().blocked().rows();
    let chunks = &pair.sim.trace().packets.chunks;
    let lost = chunks.retransmission.iter().position(|is_one| *is_one == 1).map(|row| chunks.stream[row]).unwrap();
    assert!(rows.len() == 3 && rows.iter().all(|row| row.stream == lost && row.end.is_some()), "{rows:?}");
}

#[test]
fn interleaved_messages_arrive_whole_under_loss() {
    for seed in 1..=20 {
        let loss = LossModel::Bernoulli { rate: 0.1 };
        let mut pair = Pair::new(PairOptions { seed, loss, ..options([true; 2], SchedulerPolicy::RoundRobin) });
        pair.drive_to(|event| matches!(event, Event::Connected { .. }), pair.client);
        for stream in 0..4 {
            for number in 0..3 {
                let bytes = message(stream, number, 1 + (number * 7 + stream as usize) * 1000);
                pair.sim.sctp(pair.server).unwrap().send(stream, &bytes).unwrap();
            }
        }
        pair.drive();
        for stream in 0..4 {
            let sent: Vec<_> =
                (0..3).flat_map(|number| message(stream, number, 1 + (number * 7 + stream as usize) * 1000)).collect();
            assert!(received(&pair, stream) == sent, "seed {seed}, stream {stream}");
        }
        let rows = pair.sim.endpoint(pair.client).unwrap().blocked().rows();
        assert!(rows.iter().all(|row| row.end.is_some()), "seed {seed}");
        assert_eq!(pair.sim.sctp(pair.server).unwrap().buffered_bytes(), 0);
    }
}

/// RFC 9260 §6.1 D limits a burst, here to 4 packets. dcSCTP alone would apply this limit to each message.
#[test]
fn messages_written_at_once_are_sent_in_one_burst() {
    let mut pair = pair(true);
    write(&mut pair, 0, 200_000, Written::Whole);
    pair.drive();
    let now = pair.sim.now();
    for stream in 0..4 {
        write(&mut pair, stream, 20_000, Written::Whole);
    }
    pair.drive();
    let packets = &pair.sim.trace().packets.packets;
    let burst =
        packets.sent_ns.iter().zip(&packets.bytes).filter(|(sent, bytes)| **sent == now.as_ns() && **bytes > 100);
    assert_eq!(burst.count(), 4);
}

/// dcSCTP alone would split the message to make room for a delayed SACK.
#[test]
fn a_message_that_leaves_no_room_for_a_sack_stays_whole() {
    let mut pair = pair(true);
    for _ in 0..2 {
        // the first message is acknowledged at once, and the second after 200 ms
        pair.sim.sctp(pair.client).unwrap().send(0, &[1; 100]).unwrap();
        let until = pair.sim.now() + Duration::from_millis(150);
        while !pair.sim.advance(until).is_empty() {}
    }
    write(&mut pair, 0, 1434, Written::Whole);
    pair.drive();
    assert_eq!(fragments(&pair), [(0, 1434)]);
}
