//! Tests of stream resets (RFC 6525). An end that renews a stream resets its own direction of the stream. The peer then
//! resets the other direction.

#![allow(clippy::unwrap_used)] // unwrap is allowed in tests

mod support;

use std::time::Duration;

use netsim::endpoint::{CloseReason, Event};
use netsim::link::{Direction, LinkParams, LossApplies, LossModel};
use netsim::sctp::chunk::{self, Chunk};
use netsim::sctp::{Options, Profile, SendError};
use netsim::sim::EndpointId;
use netsim::time::SimTime;
use netsim::trace::PacketKind;
use support::{Pair, PairOptions, message};

fn pair(idata: bool) -> Pair {
    let options = Options { idata, ..Options::new(Profile::Classic, 4) };
    Pair::connected(PairOptions { client: options.clone(), server: options, ..PairOptions::default() })
}

fn send(pair: &mut Pair, end: EndpointId, stream: u32, numbers: std::ops::Range<usize>) {
    for number in numbers {
        pair.sim.sctp(end).unwrap().send(stream, &message(stream, number, 1000)).unwrap();
    }
}

fn renew(pair: &mut Pair, stream: u32) {
    pair.sim.sctp(pair.client).unwrap().renew(stream).unwrap();
}

/// The streams whose renewal was reported to the client, in order.
fn renewed(pair: &Pair) -> Vec<u32> {
    pair.happened(pair.client)
        .iter()
        .filter_map(|event| match event {
            Event::Renewed { stream } => Some(*stream),
            _ => None,
        })
        .collect()
}

/// For the data that `end` sent, without retransmissions: the stream, the message number on the wire and the message
/// number in the trace.
fn numbers(pair: &Pair, end: EndpointId) -> Vec<(u32, u32, u32)> {
    let packets = &pair.sim.trace().packets;
    let mut rows = 0;
    let mut numbers = Vec::new();
    for (at, bytes) in packets.bytes.iter().enumerate() {
        for chunk in chunk::parse(&bytes[20..]).unwrap() {
            let Chunk::Data(data) = chunk else { continue };
            let row = rows;
            rows += 1;
            if packets.packets.endpoint[at] == end.0 && packets.chunks.retransmission[row] == 0 {
                numbers.push((data.stream.into(), data.message.unwrapped(0), packets.chunks.message[row]));
            }
        }
    }
    numbers
}

/// The number of packets with a RE-CONFIG chunk (RFC 6525 §3.1) that `end` sent. Such a chunk has a request to reset
/// streams, or the answer to a request.
fn requests(pair: &Pair, end: EndpointId) -> usize {
    let packets = &pair.sim.trace().packets;
    let rows = packets.bytes.iter().enumerate().filter(|(at, _)| packets.packets.endpoint[*at] == end.0);
    rows.filter(|(_, bytes)| {
        chunk::parse(&bytes[20..]).unwrap().iter().any(|chunk| matches!(chunk, Chunk::Reconfigure(_)))
    })
    .count()
}

#[test]
fn a_renewed_stream_is_numbered_from_0_on_the_wire_but_not_in_the_trace() {
    for idata in [false, true] {
        let mut pair = pair(idata);
        let (client, server) = (pair.client, pair.server);
        send(&mut pair, client, 1, 0..1);
        send(&mut pair, server, 1, 0..3);
        send(&mut pair, server, 2, 0..2);
        pair.drive();
        renew(&mut pair, 1);
        pair.drive();
        assert_eq!(renewed(&pair), [1]);
        send(&mut pair, client, 1, 1..2);
        send(&mut pair, server, 1, 3..5);
        send(&mut pair, server, 2, 2..3);
        pair.drive();
        assert_eq!(numbers(&pair, client), [(1, 0, 0), (1, 0, 1)], "{idata}");
        let sent = numbers(&pair, server);
        assert_eq!(sent[..5], [(1, 0, 0), (1, 1, 1), (1, 2, 2), (2, 0, 0), (2, 1, 1)], "{idata}");
        assert_eq!(sent[5..], [(1, 0, 3), (1, 1, 4), (2, 2, 2)], "{idata}");
        assert_eq!(pair.messages(server).len(), 2);
        assert_eq!(pair.messages(client).len(), 8);
    }
}

#[test]
fn a_stream_is_renewed_after_one_round_trip() {
    let mut pair = pair(false);
    let from = pair.sim.now();
    renew(&mut pair, 3);
    pair.drive();
    let (at, _, _) = pair.events.iter().find(|(_, _, event)| *event == Event::Renewed { stream: 3 }).unwrap();
    assert_eq!((*at - from).as_millis(), 101);
    // the peer did not call `renew`, so it gets no event
    assert!(!pair.happened(pair.server).iter().any(|event| matches!(event, Event::Renewed { .. })));
}

#[test]
fn streams_renewed_at_one_instant_share_a_request() {
    let mut pair = pair(false);
    for stream in [2, 0, 3] {
        renew(&mut pair, stream);
    }
    pair.drive();
    assert_eq!(renewed(&pair), [0, 2, 3]);
    // the client's request, and its answer to the server's request
    assert_eq!(requests(&pair, pair.client), 2);
}

#[test]
fn a_renewal_waits_for_earlier_messages_and_later_messages_wait_for_it() {
    for idata in [false, true] {
        let mut pair = pair(idata);
        let server = pair.server;
        send(&mut pair, server, 1, 0..20);
        pair.sim.sctp(server).unwrap().renew(1).unwrap();
        pair.sim.advance(pair.sim.now() + Duration::from_millis(1));
        send(&mut pair, server, 1, 20..22);
        pair.sim.advance(pair.sim.now() + Duration::from_millis(1));
        assert_eq!(pair.sim.sctp(server).unwrap().buffered_bytes(), 22_000);
        pair.drive();
        let sent = numbers(&pair, server);
        let expected = (0..20).map(|number| (1, number, number)).chain([(1, 0, 20), (1, 1, 21)]);
        assert!(sent.iter().copied().eq(expected), "{sent:?}");
        let whole: Vec<_> = (0..22).map(|_| (1, 1000)).collect();
        assert_eq!(pair.messages(pair.client), whole);
    }
}

#[test]
fn a_lost_request_or_answer_is_repeated() {
    for direction in [Direction::Up, Direction::Down] {
        let mut pair = pair(false);
        pair.lose_next(direction, &[0]);
        renew(&mut pair, 1);
        pair.drive();
        assert_eq!(renewed(&pair), [1]);
    }
}

#[test]
fn the_timers_of_a_request_and_of_data_double_the_same_rto() {
    let mut pair = pair(false);
    let client = pair.client;
    let rto = |pair: &Pair| pair.sim.endpoint(client).unwrap().sample().unwrap().rto;
    let first = rto(&pair);
    pair.lose_next(Direction::Up, &[0, 1]);
    renew(&mut pair, 1);
    pair.drive();
    assert_eq!((renewed(&pair).len(), rto(&pair)), (1, 4 * first));
    pair.lose_next(Direction::Up, &[0]);
    send(&mut pair, client, 1, 0..1);
    pair.drive();
    assert_eq!(rto(&pair), 8 * first);
    pair.lose_next(Direction::Up, &[0]);
    renew(&mut pair, 2);
    pair.drive();
    let packets = &pair.sim.trace().packets.packets;
    let times = |kind: PacketKind| {
        let sent = (0..packets.kind.len()).filter(|row| packets.endpoint[*row] == client.0);
        let of_kind: Vec<_> = sent.filter(|row| packets.kind[*row] == kind as u8).collect();
        of_kind.into_iter().map(|row| Duration::from_nanos(packets.sent_ns[row])).collect::<Vec<_>>()
    };
    let data = times(PacketKind::Data);
    assert_eq!(data[1] - data[0], 4 * first);
    // `control[0..3]` are the three transmissions of the request for stream 1, and `control[3]` is the answer to the
    // server's request; the transmissions of the request for stream 2 follow
    let control = times(PacketKind::Control);
    assert_eq!([control[1] - control[0], control[2] - control[1]], [first, 2 * first]);
    assert_eq!(control[5] - control[4], 8 * first);
}

/// The client sends no data, so only the answers to its requests show that the server is alive.
#[test]
fn errors_of_requests_are_cleared_when_the_request_is_answered() {
    let mut pair = pair(false);
    for round in 0..15 {
        pair.lose_next(Direction::Up, &[0]);
        renew(&mut pair, round % 4);
        pair.drive();
        assert_eq!(renewed(&pair).len() as u32, round + 1);
    }
}

#[test]
fn answers_to_requests_do_not_keep_an_association_alive_whose_data_never_arrives() {
    let mut pair = pair(false);
    let server = pair.server;
    let link = LinkParams { loss_applies: LossApplies::Data, ..pair.path.down.clone() };
    let link = link.with_loss(LossModel::Bernoulli { rate: 1.0 });
    pair.sim.change_link(pair.sim.now(), Direction::Down, link).unwrap();
    while !pair.sim.advance(pair.sim.now()).is_empty() {}
    send(&mut pair, server, 1, 0..1);
    pair.sim.sctp(server).unwrap().renew(1).unwrap();
    pair.drive();
    // each answer says that the request cannot be performed yet (In progress)
    assert!(requests(&pair, pair.client) > 5);
    assert_eq!(pair.happened(server).last(), Some(&Event::Closed(CloseReason::DataTimeout)));
    let timeouts = pair.sim.trace().packets.chunks.retransmission.iter().filter(|again| **again == 1);
    assert_eq!(timeouts.count(), 10);
}

#[test]
fn messages_arrive_whole_under_loss_on_renewed_streams() {
    for (seed, idata) in (1..=10).flat_map(|seed| [(seed, false), (seed, true)]) {
        let options = Options { idata, ..Options::new(Profile::Classic, 2) };
        let loss = LossModel::Bernoulli { rate: 0.08 };
        let mut pair =
            Pair::new(PairOptions { seed, loss, client: options.clone(), server: options, ..PairOptions::default() });
        pair.drive_to(|event| matches!(event, Event::Connected { .. }), pair.client);
        let server = pair.server;
        for round in 0..4 {
            for stream in 0..2 {
                send(&mut pair, server, stream, round * 5..round * 5 + 5);
                pair.sim.sctp(server).unwrap().renew(stream).unwrap();
            }
            pair.drive();
        }
        for wanted in 0..2 {
            let bytes = pair.events.iter().filter_map(|(_, end, event)| match event {
                Event::Message { stream, bytes } if *end == pair.client && *stream == wanted => Some(bytes.clone()),
                _ => None,
            });
            let sent: Vec<_> = (0..20).map(|number| message(wanted, number, 1000)).collect();
            assert!(bytes.collect::<Vec<_>>().concat() == sent.concat(), "seed {seed}, stream {wanted}");
        }
        let again = numbers(&pair, server).into_iter().filter(|(_, on_wire, number)| (*on_wire, number % 5) == (0, 0));
        assert_eq!(again.count(), 8, "seed {seed}");
        let rows = pair.sim.endpoint(pair.client).unwrap().blocked().rows();
        assert!(rows.iter().all(|row| row.end > Some(SimTime::ZERO)), "seed {seed}");
    }
}

#[test]
fn messages_wait_only_for_the_reset_of_this_ends_direction() {
    let mut pair = pair(false);
    let (client, server) = (pair.client, pair.server);
    send(&mut pair, server, 1, 0..40);
    renew(&mut pair, 1);
    pair.drive_to(|event| matches!(event, Event::Message { .. }), client);
    pair.drive_to(|event| matches!(event, Event::Message { .. }), client);
    let end = pair.sim.now() + Duration::from_millis(110);
    while !pair.sim.advance(end).is_empty() {}
    send(&mut pair, client, 1, 0..1);
    pair.drive_to(|event| matches!(event, Event::Message { .. }), server);
    assert_eq!(renewed(&pair), []);
    pair.drive();
    assert_eq!(renewed(&pair), [1]);
}

#[test]
fn an_end_shuts_down_once_its_request_is_answered() {
    let mut pair = pair(false);
    pair.lose_next(Direction::Down, &[0]);
    renew(&mut pair, 1);
    pair.sim.sctp(pair.client).unwrap().shutdown();
    pair.drive();
    assert_eq!(requests(&pair, pair.client), 3);
    let ends = [pair.client, pair.server].map(|end| pair.happened(end).last().cloned());
    assert_eq!(ends, [const { Some(Event::Closed(CloseReason::Finished)) }; 2]);
}

#[test]
fn renewing_an_unknown_stream_is_refused() {
    let mut pair = pair(false);
    let client = pair.sim.sctp(pair.client).unwrap();
    assert_eq!(client.renew(4), Err(SendError::UnknownStream { stream: 4, streams: 4 }));
    client.shutdown();
    assert_eq!(client.renew(1), Err(SendError::Closing));
}
