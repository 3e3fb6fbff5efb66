//! Tests of whole runs of one association.

#![allow(clippy::unwrap_used)] // unwrap is allowed in tests

mod support;

use std::time::Duration;

use netsim::endpoint::{CloseReason, Endpoint, Event};
use netsim::link::{Direction, LossModel};
use netsim::sctp::{Options, Profile, SchedulerPolicy, SendError};
use netsim::time::SimTime;
use netsim::trace::{BlockedRow, Fate, PacketKind, SenderState};
use support::{Pair, PairOptions, message};

/// Size of the largest message that fits in one packet of 1500 bytes as one chunk.
const FULL: usize = 1452;

#[test]
fn the_handshake_negotiates_the_smaller_stream_count() {
    let options = |streams| Options::new(Profile::Classic, streams);
    for (requested, offered) in [(5, 3), (3, 5), (4, 4), (1, 65_535)] {
        let pair_options = PairOptions { client: options(requested), server: options(offered), ..Default::default() };
        let mut pair = Pair::connected(pair_options);
        let streams = requested.min(offered);
        assert_eq!(pair.happened(pair.client), [Event::Connected { streams: streams.into() }]);
        assert_eq!(pair.happened(pair.server), [Event::Connected { streams: streams.into() }]);
        for end in [pair.client, pair.server] {
            let refused = pair.sim.sctp(end).unwrap().send(streams.into(), b"x");
            assert_eq!(refused, Err(SendError::UnknownStream { stream: streams.into(), streams }));
            assert_eq!(pair.sim.sctp(end).unwrap().send(u32::from(streams) - 1, b"x"), Ok(()));
        }
    }
}

#[test]
fn the_handshake_takes_two_round_trips_and_four_packets() {
    let pair = Pair::connected(PairOptions::default());
    let packets = &pair.sim.trace().packets.packets;
    assert_eq!(packets.kind, [PacketKind::Setup as u8; 4]);
    assert_eq!(packets.direction, [1, 0, 1, 0]);
    let bits: u32 = packets.bytes.iter().map(|bytes| bytes * 8).sum();
    assert_eq!(pair.sim.now().as_ns(), 200_000_000 + u64::from(bits) * 1000);
}

/// The server answers `requests` requests with 200 messages, each of which fills one packet, while packets are lost and
/// more requests arrive. Returns how many SACKs were sent in packets of their own directly before a message, at the
/// same instant.
fn sacks_before_pmtu_messages(profile: Profile, requests: usize) -> usize {
    let options = Options::new(profile, 4);
    let mut pair = Pair::connected(PairOptions { client: options.clone(), server: options, ..Default::default() });
    assert_eq!(pair.sim.sctp(pair.server).unwrap().max_message_in_packet_bytes(), FULL);
    pair.lose(Direction::Down, LossModel::Bernoulli { rate: 0.05 });
    for _ in 0..requests {
        pair.sim.sctp(pair.client).unwrap().send(0, b"GET").unwrap();
    }
    while pair.messages(pair.server).len() < requests {
        assert!(pair.step());
    }
    for number in 0..200 {
        pair.sim.sctp(pair.server).unwrap().send(number % 4, &message(0, 0, FULL)).unwrap();
    }
    while pair.step() {
        if pair.messages(pair.server).len() < 60 {
            pair.sim.sctp(pair.client).unwrap().send(0, b"GET").unwrap();
        }
    }
    assert_eq!(pair.messages(pair.client).len(), 200);
    let in_turn: Vec<_> = (0..200).map(|number| (number % 4, FULL as u32)).collect();
    assert_eq!(pair.first_sent(pair.server), in_turn);

    let (packets, chunks) = (&pair.sim.trace().packets.packets, &pair.sim.trace().packets.chunks);
    assert!(packets.bytes.iter().all(|bytes| *bytes <= 1500));
    let of_server: Vec<_> =
        chunks.packet.iter().copied().filter(|row| packets.endpoint[*row as usize] == pair.server.0).collect();
    let mut alone = of_server.clone();
    alone.dedup();
    assert_eq!(alone, of_server, "a packet carries two chunks");
    let again = (0..chunks.packet.len()).filter(|row| chunks.retransmission[*row] == 1);
    let again: Vec<_> = again.filter(|row| packets.endpoint[chunks.packet[*row] as usize] == pair.server.0).collect();
    assert!(!again.is_empty() && again.iter().all(|row| chunks.bytes[*row] == FULL as u32));

    let is_sack_before_data = |row: usize| {
        packets.endpoint[row] == pair.server.0
            && packets.kind[row] == PacketKind::Ack as u8
            && of_server.contains(&(row as u32 + 1))
            && packets.sent_ns[row] == packets.sent_ns[row + 1]
    };
    (0..packets.kind.len()).filter(|row| is_sack_before_data(*row)).count()
}

#[test]
fn pmtu_messages_stay_one_chunk_in_one_packet_under_loss() {
    for profile in [Profile::Classic, Profile::Modern] {
        let sacks: usize = (1..=4).map(|requests| sacks_before_pmtu_messages(profile, requests)).sum();
        // if these SACKs were not sent in packets of their own, the stack would split a message to make room for each
        assert!(sacks > 0, "{profile:?}: no SACK was owed when a message was sent");
    }
}

#[test]
fn small_messages_that_had_to_wait_share_a_packet() {
    let mut pair = Pair::connected(PairOptions::default());
    let server = pair.sim.sctp(pair.server).unwrap();
    for _ in 0..3 {
        server.send(0, &[1; FULL]).unwrap(); // this fills the window of 3 packets
    }
    for _ in 0..6 {
        server.send(0, &[2; 200]).unwrap();
    }
    pair.drive();
    let chunks = &pair.sim.trace().packets.chunks;
    assert_eq!(chunks.bytes, [1452, 1452, 1452, 200, 200, 200, 200, 200, 200]);
    assert!(chunks.packet[3..].iter().all(|packet| *packet == chunks.packet[3]));
}

/// Five messages are written to each of three streams, stream by stream. Returns the streams of the messages in the
/// order of sending. The first three messages are sent before the scheduler has a choice.
fn served(scheduler: SchedulerPolicy) -> Vec<u32> {
    let mut pair = Pair::connected(PairOptions::scheduler(3, scheduler));
    for stream in 0..3 {
        for _ in 0..5 {
            pair.sim.sctp(pair.server).unwrap().send(stream, &[0; FULL]).unwrap();
        }
    }
    pair.drive();
    pair.first_sent(pair.server).into_iter().map(|(stream, _)| stream).collect()
}

#[test]
fn round_robin_takes_one_message_of_each_stream_in_turn() {
    assert_eq!(served(SchedulerPolicy::RoundRobin), [0, 0, 0, 1, 2, 0, 1, 2, 0, 1, 2, 1, 2, 1, 2]);
}

#[test]
fn first_come_sends_in_the_order_of_writing() {
    assert_eq!(served(SchedulerPolicy::FirstCome), [0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2]);
}

#[test]
fn weighted_sends_bytes_in_proportion() {
    let served = served(SchedulerPolicy::Weighted(vec![1, 1, 4]));
    let count = |stream| served[3..11].iter().filter(|served| **served == stream).count();
    assert_eq!((count(0) + count(1), count(2)), (3, 5));
}

#[test]
fn messages_of_one_stream_arrive_in_order() {
    let mut pair = Pair::connected(PairOptions::default());
    pair.lose(Direction::Down, LossModel::Bernoulli { rate: 0.1 });
    let sent: Vec<Vec<u8>> = (0..60).map(|number| message(0, number, 1 + 37 * number % FULL)).collect();
    for message in &sent {
        pair.sim.sctp(pair.server).unwrap().send(0, message).unwrap();
    }
    pair.drive();
    let arrived = pair.events.iter().filter_map(|(_, _, event)| match event {
        Event::Message { bytes, .. } => Some(bytes.clone()),
        _ => None,
    });
    assert_eq!(arrived.collect::<Vec<_>>(), sent);
}

#[test]
fn data_waits_behind_a_lost_packet_of_its_own_stream_only() {
    let mut pair = Pair::connected(PairOptions::streams(2));
    pair.lose_next(Direction::Down, &[0]);
    let start = pair.sim.now();
    for stream in [0, 0, 1] {
        pair.sim.sctp(pair.server).unwrap().send(stream, &[0; FULL]).unwrap();
    }
    pair.drive();
    // The first packet is lost before the queue. The second arrives after 12 ms of serialisation and 50 ms of
    // propagation, and the third 12 ms later. Two gap reports cause no fast retransmit, so T3-rtx retransmits the first
    // packet after RTO.Min.
    let second = start + Duration::from_millis(62);
    let repaired = start + Duration::from_millis(1062);
    let row = BlockedRow { stream: 0, first: 1, bytes: FULL as u32, start: second, end: Some(repaired) };
    let client = pair.sim.endpoint(pair.client).unwrap();
    assert_eq!(client.blocked().rows(), [row]);
    let messages =
        pair.events.iter().filter(|(_, end, event)| *end == pair.client && matches!(event, Event::Message { .. }));
    let arrivals: Vec<_> = messages.map(|(at, _, _)| *at).collect();
    assert_eq!(arrivals, [start + Duration::from_millis(74), repaired, repaired]);
}

#[test]
fn the_third_gap_report_triggers_fast_retransmit() {
    let mut pair = Pair::connected(PairOptions::default());
    pair.lose_next(Direction::Down, &[5]);
    for _ in 0..30 {
        pair.sim.sctp(pair.server).unwrap().send(0, &[0; FULL]).unwrap();
    }
    pair.drive();
    let (log, samples) = (&pair.sim.trace().packets, &pair.sim.trace().samples.columns);
    let again = (0..log.chunks.packet.len()).find(|row| log.chunks.retransmission[*row] == 1).unwrap();
    assert_eq!(log.chunks.first[again], 5);
    let sent_at = log.packets.sent_ns[log.chunks.packet[again] as usize];
    let gap_reports = (0..log.packets.sent_ns.len()).filter(|row| {
        log.packets.direction[*row] == Direction::Up as u8
            && log.packets.cumulative_ack[*row] == 5
            && log.packets.bytes[*row] > 48
            && log.packets.fate_ns[*row] <= sent_at
    });
    assert_eq!(gap_reports.count(), 3);
    let at = (0..samples.at_ns.len())
        .find(|row| samples.endpoint[*row] == pair.server.0 && samples.at_ns[*row] >= sent_at)
        .unwrap();
    assert_eq!(samples.state[at], SenderState::FastRecovery as u8);
    assert_eq!(samples.ssthresh_bytes[at], samples.cwnd_bytes[at]);
    assert!(samples.at_ns[at] < log.packets.sent_ns[0] + 1_000_000_000, "before any timeout");
}

/// RFC 9260 §7.2.1: the window grows by the acknowledged bytes, but by at most L packets.
#[test]
fn in_slow_start_a_sack_opens_the_window_by_at_most_l_packets() {
    let grown = |profile| {
        let (client, server) = (Options::new(profile, 1), Options::new(profile, 1));
        let mut pair = Pair::connected(PairOptions { client, server, ..PairOptions::default() });
        for _ in 0..20 {
            pair.sim.sctp(pair.server).unwrap().send(0, &[0; FULL]).unwrap();
        }
        pair.drive();
        let samples = &pair.sim.trace().samples.columns;
        let of_server = (0..samples.at_ns.len()).filter(|row| samples.endpoint[*row] == pair.server.0);
        let mut windows: Vec<_> = of_server.map(|row| samples.cwnd_bytes[row]).collect();
        windows.dedup();
        [1, 2, 3].map(|step| windows[step] - windows[step - 1])
    };
    // the first packet is acknowledged at once (RFC 9260 §5.1), then every second packet; two chunks of 1468 bytes are
    // less than two packets
    assert_eq!(grown(Profile::Classic), [1468, 1480, 1480]);
    assert_eq!(grown(Profile::ReferenceFreebsd), [1468, 2 * 1468, 2 * 1468]);
}

#[test]
fn a_timeout_reduces_the_window_to_one_packet_and_starts_loss_recovery() {
    let mut pair = Pair::connected(PairOptions::default());
    pair.lose_next(Direction::Down, &[0]);
    pair.sim.sctp(pair.server).unwrap().send(0, b"alone").unwrap();
    pair.drive();
    let samples = &pair.sim.trace().samples.columns;
    let row = samples.state.iter().position(|state| *state == SenderState::LossRecovery as u8).unwrap();
    assert_eq!((samples.cwnd_bytes[row], samples.ssthresh_bytes[row]), (1480, 4 * 1480));
    // this is the only timeout
    assert_eq!((samples.timeouts[row], samples.timeouts[row - 1]), (1, 0));
    assert!((0..row).all(|earlier| samples.timeouts[earlier] == 0));
    assert_eq!(samples.timeouts.iter().max(), Some(&1));
    assert_eq!(samples.state.last(), Some(&(SenderState::SlowStart as u8)));
}

#[test]
fn a_full_send_buffer_refuses_messages_and_reports_when_it_has_room() {
    let server = Options { send_buffer_bytes: 10_000, low_water_bytes: 4_000, ..Options::new(Profile::Classic, 1) };
    let mut pair = Pair::connected(PairOptions { server, ..Default::default() });
    let association = pair.sim.sctp(pair.server).unwrap();
    for _ in 0..10 {
        association.send(0, &[0; 1000]).unwrap();
    }
    assert_eq!(association.buffered_bytes(), 10_000);
    assert_eq!(association.send(0, b"x"), Err(SendError::BufferFull { bytes: 1, room: 0 }));
    pair.drive_to(|event| *event == Event::Writable, pair.server);
    let buffered = pair.sim.sctp(pair.server).unwrap().buffered_bytes();
    assert!(buffered <= 4_000 && buffered > 2_000, "{buffered}");
    pair.drive();
    assert_eq!(pair.sim.sctp(pair.server).unwrap().buffered_bytes(), 0);
    assert_eq!(pair.happened(pair.server), [Event::Connected { streams: 1 }, Event::Writable]);
}

#[test]
fn writable_is_reported_once_the_buffer_has_room_for_a_large_refused_message() {
    let server = Options { send_buffer_bytes: 10_000, low_water_bytes: 9_000, ..Options::new(Profile::Classic, 1) };
    let mut pair = Pair::connected(PairOptions { server, ..Default::default() });
    let association = pair.sim.sctp(pair.server).unwrap();
    association.send(0, &[0; 2000]).unwrap();
    assert_eq!(association.send(0, &[0; 9000]), Err(SendError::BufferFull { bytes: 9000, room: 8000 }));
    pair.drive_to(|event| *event == Event::Writable, pair.server);
    assert_eq!(pair.sim.sctp(pair.server).unwrap().send(0, &[0; 9000]), Ok(()));
}

#[test]
fn a_message_must_have_bytes_and_fit_the_buffer() {
    let server = Options { send_buffer_bytes: 5_000, low_water_bytes: 0, ..Options::new(Profile::Classic, 1) };
    let mut pair = Pair::new(PairOptions { server, ..Default::default() });
    let server = pair.server;
    assert_eq!(pair.sim.sctp(server).unwrap().send(0, b"x"), Err(SendError::NotConnected));
    pair.drive_to(|event| matches!(event, Event::Connected { .. }), server);
    let association = pair.sim.sctp(server).unwrap();
    assert_eq!(association.send(0, b""), Err(SendError::Empty));
    assert_eq!(association.send(0, &[0; 5001]), Err(SendError::TooLarge { bytes: 5001, limit: 5000 }));
    assert_eq!(association.send(0, &[0; 5000]), Ok(()));
}

#[test]
fn messages_larger_than_a_packet_and_than_the_window_arrive_whole() {
    for profile in [Profile::Classic, Profile::Modern] {
        let options = Options::new(profile, 3);
        let mut pair = Pair::connected(PairOptions { client: options.clone(), server: options, ..Default::default() });
        pair.lose(Direction::Down, LossModel::Bernoulli { rate: 0.03 });
        pair.lose(Direction::Up, LossModel::Bernoulli { rate: 0.03 });
        let sizes = [100_000, 1453, 1, 300_000, 1452, 2905, 50_000];
        for (number, bytes) in sizes.into_iter().enumerate() {
            let stream = number as u32 % 3;
            pair.sim.sctp(pair.server).unwrap().send(stream, &message(stream, number, bytes)).unwrap();
        }
        pair.drive();
        let arrived = pair.events.iter().filter_map(|(_, _, event)| match event {
            Event::Message { stream, bytes } => Some((*stream, bytes.clone())),
            _ => None,
        });
        let mut arrived: Vec<_> = arrived.collect();
        let sent = sizes
            .into_iter()
            .enumerate()
            .map(|(number, bytes)| (number as u32 % 3, message(number as u32 % 3, number, bytes)));
        let mut sent: Vec<_> = sent.collect();
        arrived.sort();
        sent.sort();
        assert!(arrived == sent);
    }
}

#[test]
fn a_shutdown_waits_for_all_buffered_data() {
    let mut pair = Pair::connected(PairOptions::streams(2));
    pair.lose(Direction::Down, LossModel::Bernoulli { rate: 0.1 });
    for number in 0..40 {
        pair.sim.sctp(pair.server).unwrap().send(number % 2, &[0; FULL]).unwrap();
    }
    pair.sim.sctp(pair.server).unwrap().shutdown();
    assert_eq!(pair.sim.sctp(pair.server).unwrap().send(0, b"x"), Err(SendError::Closing));
    pair.drive();
    assert_eq!(pair.messages(pair.client).len(), 40);
    let finished = Event::Closed(CloseReason::Finished);
    let connected = Event::Connected { streams: 2 };
    assert_eq!(pair.happened(pair.client), [connected.clone(), Event::PeerClosed, finished.clone()]);
    assert_eq!(pair.happened(pair.server), [connected, finished]);
}

#[test]
fn after_a_shutdown_of_the_peer_buffered_data_is_still_sent() {
    for seed in 0..20 {
        let mut pair = Pair::connected(PairOptions { seed, ..PairOptions::streams(2) });
        pair.lose(Direction::Down, LossModel::Bernoulli { rate: 0.1 });
        pair.lose(Direction::Up, LossModel::Bernoulli { rate: 0.1 });
        for number in 0..40 {
            pair.sim.sctp(pair.server).unwrap().send(number % 2, &[0; FULL]).unwrap();
        }
        pair.sim.sctp(pair.client).unwrap().shutdown();
        pair.drive();
        assert_eq!(pair.messages(pair.client).len(), 40, "seed {seed}");
        let finished = Event::Closed(CloseReason::Finished);
        assert_eq!(pair.happened(pair.client).last(), Some(&finished), "seed {seed}");
        assert_eq!(pair.happened(pair.server)[1..], [Event::PeerClosed, finished], "seed {seed}");
    }
}

#[test]
fn abort_ends_both_sides_at_once() {
    let mut pair = Pair::connected(PairOptions::default());
    for _ in 0..40 {
        pair.sim.sctp(pair.server).unwrap().send(0, &[0; FULL]).unwrap();
    }
    pair.step();
    let aborted = pair.sim.now();
    pair.sim.sctp(pair.server).unwrap().abort();
    pair.drive();
    let packets = &pair.sim.trace().packets.packets;
    let abort = packets.kind.iter().position(|kind| *kind == PacketKind::Abort as u8).unwrap();
    assert_eq!(packets.sent_ns[abort], aborted.as_ns());
    assert_eq!(pair.happened(pair.server).last(), Some(&Event::Closed(CloseReason::LocalAbort)));
    assert_eq!(pair.happened(pair.client).last(), Some(&Event::Closed(CloseReason::PeerAbort)));
    let last = pair.events.last().unwrap();
    assert!(pair.sim.is_idle() && last.0 < aborted + Duration::from_secs(1));
}

#[test]
fn a_lost_abort_is_repeated_when_the_peer_sends_again() {
    let mut pair = Pair::connected(PairOptions::default());
    pair.lose_next(Direction::Down, &[0]);
    pair.sim.sctp(pair.server).unwrap().abort();
    pair.sim.sctp(pair.client).unwrap().send(0, b"anybody there?").unwrap();
    pair.drive();
    assert_eq!(pair.happened(pair.client).last(), Some(&Event::Closed(CloseReason::PeerAbort)));
    let packets = &pair.sim.trace().packets.packets;
    let aborts: Vec<_> = (0..packets.kind.len()).filter(|row| packets.kind[*row] == PacketKind::Abort as u8).collect();
    assert_eq!(
        aborts.iter().map(|row| packets.fate[*row]).collect::<Vec<_>>(),
        [Fate::Lost as u8, Fate::Delivered as u8]
    );
}

#[test]
fn the_handshake_is_given_up_after_eight_retransmissions() {
    let mut pair = Pair::new(PairOptions { loss: LossModel::Bernoulli { rate: 1.0 }, ..Default::default() });
    pair.drive();
    assert_eq!(pair.happened(pair.client), [Event::Closed(CloseReason::ConnectTimeout)]);
    assert_eq!(pair.sim.trace().packets.packets.kind, [PacketKind::Setup as u8; 9]);
    assert_eq!(pair.sim.trace().samples.columns.timeouts.last(), Some(&8));
}

#[test]
fn data_is_given_up_after_ten_retransmissions() {
    let mut pair = Pair::connected(PairOptions::default());
    pair.lose(Direction::Down, LossModel::Bernoulli { rate: 1.0 });
    pair.sim.sctp(pair.server).unwrap().send(0, b"lost").unwrap();
    pair.drive_to(|event| matches!(event, Event::Closed(_)), pair.server);
    assert_eq!(pair.happened(pair.server).last(), Some(&Event::Closed(CloseReason::DataTimeout)));
    let chunks = &pair.sim.trace().packets.chunks;
    assert_eq!(chunks.retransmission, [0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1]);
}

#[test]
fn the_first_rto_is_three_times_the_rtt_of_the_handshake() {
    // 3 · RTT > RTO.Min
    let options = PairOptions { rtt: Duration::from_millis(600), ..Default::default() };
    let mut pair = Pair::connected(options);
    let sample = pair.sim.endpoint(pair.server).unwrap().sample().unwrap();
    assert_eq!((sample.rto, sample.state), (3 * sample.srtt, SenderState::SlowStart));
    assert!(sample.srtt >= Duration::from_millis(600) && sample.srtt < Duration::from_millis(610));
    pair.lose_next(Direction::Down, &[0]);
    let start = pair.sim.now();
    pair.sim.sctp(pair.server).unwrap().send(0, b"lost").unwrap();
    pair.drive_to(|event| matches!(event, Event::Message { .. }), pair.client);
    let waited = pair.sim.now().saturating_since(start + sample.rto + Duration::from_millis(300));
    assert!(waited < Duration::from_millis(1), "{waited:?}");
}

#[test]
fn a_corrupt_packet_is_dropped() {
    let mut pair = Pair::connected(PairOptions::default());
    let mut packet = pair.sim.trace().packets.bytes[3].clone();
    let last = packet.len() - 1;
    packet[last] ^= 1;
    let before = pair.sim.trace().packets.packets.kind.len();
    pair.sim.sctp(pair.client).unwrap().handle_packet(SimTime::from_ms(300), &packet);
    pair.drive();
    assert_eq!(pair.sim.trace().packets.packets.kind.len(), before);
}

#[test]
fn modern_sends_ten_packets_at_once() {
    let options = Options::new(Profile::Modern, 1);
    let mut pair = Pair::connected(PairOptions { client: options.clone(), server: options, ..Default::default() });
    let start = pair.sim.now().as_ns();
    for _ in 0..20 {
        pair.sim.sctp(pair.server).unwrap().send(0, &[0; FULL]).unwrap();
    }
    pair.drive();
    let log = &pair.sim.trace().packets;
    let at_once = log.chunks.packet.iter().filter(|packet| log.packets.sent_ns[**packet as usize] == start);
    assert_eq!(at_once.count(), 10);
}

/// A connected pair whose server has this send buffer and low-water mark.
fn buffered(send_buffer_bytes: u64, low_water_bytes: u64) -> Pair {
    let server = Options { send_buffer_bytes, low_water_bytes, ..Options::new(Profile::Classic, 1) };
    Pair::connected(PairOptions { server, ..Default::default() })
}

#[test]
fn the_buffer_counts_a_message_from_the_call_until_it_is_acknowledged() {
    let mut pair = Pair::connected(PairOptions::streams(2));
    let (server, total) = (pair.server, 200_000);
    for stream in 0..2 {
        pair.sim.sctp(server).unwrap().send(stream, &[0; 100_000]).unwrap();
        assert_eq!(pair.sim.sctp(server).unwrap().buffered_bytes(), 100_000 * (u64::from(stream) + 1));
    }
    for _ in 0..40 {
        let until = pair.sim.now() + Duration::from_millis(20);
        while !pair.sim.advance(until).is_empty() {}
        let sent: u64 = pair.first_sent(server).iter().map(|(_, bytes)| u64::from(*bytes)).sum();
        let sample = pair.sim.endpoint(server).unwrap().sample().unwrap();
        assert!(sample.flight_bytes <= sample.cwnd_bytes, "{sample:?}");
        let buffered = pair.sim.sctp(server).unwrap().buffered_bytes();
        // the buffer has the bytes that were not sent yet, and the bytes in flight without the headers of their chunks
        assert!(buffered >= total - sent && buffered <= total - sent + sample.cwnd_bytes, "{buffered} after {sent}");
    }
    pair.drive();
    assert_eq!(pair.sim.sctp(server).unwrap().buffered_bytes(), 0);
    assert_eq!(pair.messages(pair.client), [(0, 100_000), (1, 100_000)]);
}

#[test]
fn writable_is_reported_if_the_buffer_exceeded_the_low_water_mark() {
    for (bytes, is_reported) in [(2000, false), (2001, true)] {
        let mut pair = buffered(4096, 2000);
        pair.sim.sctp(pair.server).unwrap().send(0, &vec![0; bytes]).unwrap();
        pair.drive();
        assert_eq!(pair.happened(pair.server)[1..].contains(&Event::Writable), is_reported, "{bytes}");
    }
}

#[test]
fn writable_is_reported_when_the_refused_message_fits() {
    let mut pair = buffered(4096, 3500);
    // the last message is lost
    pair.lose_next(Direction::Down, &[2]);
    let written = pair.sim.now();
    for bytes in [1000, 1000, 50] {
        pair.sim.sctp(pair.server).unwrap().send(0, &vec![0; bytes]).unwrap();
    }
    let refused = pair.sim.sctp(pair.server).unwrap().send(0, &[0; 4000]);
    assert_eq!(refused, Err(SendError::BufferFull { bytes: 4000, room: 2046 }));
    pair.drive_to(|event| *event == Event::Writable, pair.server);
    assert!(pair.sim.now().saturating_since(written) < Duration::from_secs(1)); // RTO.Min
    assert_eq!(pair.sim.sctp(pair.server).unwrap().buffered_bytes(), 50);
    assert_eq!(pair.sim.sctp(pair.server).unwrap().send(0, &[0; 4000]), Ok(()));
}

#[test]
fn a_message_is_at_most_half_of_a_receive_buffer() {
    let mut pair = buffered(1 << 30, 0);
    let limit = 2 << 20;
    assert_eq!(pair.sim.sctp(pair.server).unwrap().max_message_bytes(), limit);
    let refused = pair.sim.sctp(pair.server).unwrap().send(0, &vec![0; limit + 1]);
    assert_eq!(refused, Err(SendError::TooLarge { bytes: limit + 1, limit }));
}

#[test]
fn an_idle_association_shuts_down_at_once() {
    let mut pair = Pair::connected(PairOptions::default());
    pair.drive();
    let asked = pair.sim.now();
    pair.sim.sctp(pair.server).unwrap().shutdown();
    pair.drive_to(|event| *event == Event::Closed(CloseReason::Finished), pair.server);
    assert!(pair.sim.now().saturating_since(asked) < Duration::from_millis(110));
}

#[test]
fn messages_are_refused_after_a_shutdown_of_the_peer_or_an_abort() {
    let mut pair = Pair::connected(PairOptions::default());
    pair.sim.sctp(pair.server).unwrap().send(0, &[0; 10 * FULL]).unwrap();
    pair.sim.sctp(pair.client).unwrap().shutdown();
    pair.drive_to(|event| *event == Event::PeerClosed, pair.server);
    assert_eq!(pair.sim.sctp(pair.server).unwrap().send(0, b"x"), Err(SendError::Closing));

    let mut pair = Pair::connected(PairOptions::default());
    pair.sim.sctp(pair.server).unwrap().abort();
    assert_eq!(pair.sim.sctp(pair.server).unwrap().send(0, b"x"), Err(SendError::Closing));
}

#[test]
fn the_flight_excludes_packets_deemed_lost() {
    let mut pair = Pair::connected(PairOptions::default());
    pair.lose_next(Direction::Down, &[0, 1, 2]);
    for _ in 0..3 {
        pair.sim.sctp(pair.server).unwrap().send(0, &[0; FULL]).unwrap();
    }
    while !pair.sim.trace().packets.chunks.retransmission.contains(&1) {
        let until = pair.sim.now() + Duration::from_millis(10);
        pair.sim.advance(until);
    }
    // T3-rtx deems all packets lost and retransmits one of them (RFC 9260 §6.3.3)
    assert_eq!(pair.sim.endpoint(pair.server).unwrap().sample().unwrap().flight_bytes, FULL as u64 + 16);
}

#[test]
fn a_delayed_sack_is_bundled_if_the_packet_has_room() {
    // a SACK has 16 bytes, like the header of a DATA chunk
    for (bytes, packets) in [(FULL - 16, 1), (FULL - 15, 2)] {
        let mut pair = Pair::connected(PairOptions::default());
        for _ in 0..2 {
            // the first message is acknowledged at once (RFC 9260 §5.1)
            pair.sim.sctp(pair.client).unwrap().send(0, b"GET").unwrap();
            pair.drive_to(|event| matches!(event, Event::Message { .. }), pair.server);
        }
        let before = pair.sim.trace().packets.packets.kind.len();
        pair.sim.sctp(pair.server).unwrap().send(0, &vec![0; bytes]).unwrap();
        assert!(pair.sim.advance(pair.sim.now()).is_empty());
        assert_eq!(pair.sim.trace().packets.packets.kind.len() - before, packets, "{bytes}");
    }
}

#[test]
fn messages_that_do_not_fit_in_a_packet_together_stay_whole() {
    let mut pair = Pair::connected(PairOptions::default());
    for _ in 0..40 {
        // two chunks of 736 bytes have four bytes more than fit in a packet after its header
        pair.sim.sctp(pair.server).unwrap().send(0, &[0; 720]).unwrap();
    }
    pair.drive();
    assert_eq!(pair.first_sent(pair.server), [(0, 720); 40]);
}
