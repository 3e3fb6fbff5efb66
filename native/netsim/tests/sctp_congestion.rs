//! Tests of the window, bursts and timers of one association, by its packets and samples.

#![allow(clippy::unwrap_used)] // unwrap is allowed in tests

mod support;

use std::collections::BTreeMap;
use std::time::Duration;

use netsim::endpoint::{CloseReason, Event};
use netsim::link::{Direction, LossModel};
use netsim::sctp::{Options, Profile};
use netsim::time::SimTime;
use netsim::trace::Sample;
use support::{Pair, PairOptions};

/// Size of the largest message that fits in one packet of 1500 bytes as one chunk.
const FULL: usize = 1452;
/// Size of the largest SCTP packet in a packet of 1500 bytes.
const PACKET: u64 = 1480;

fn fast(profile: Profile) -> PairOptions {
    let options = Options::new(profile, 1);
    PairOptions {
        rate_bps: 100_000_000,
        rtt: Duration::from_millis(50),
        client: options.clone(),
        server: options,
        ..Default::default()
    }
}

fn write(pair: &mut Pair, messages: usize, bytes: usize) {
    for _ in 0..messages {
        pair.sim.sctp(pair.server).unwrap().send(0, &vec![7; bytes]).unwrap();
    }
}

fn sample(pair: &Pair) -> Sample {
    pair.sim.endpoint(pair.server).unwrap().sample().unwrap()
}

/// A connected pair in which the server's window has grown to at least 52 packets and the server is idle.
fn grown(profile: Profile) -> Pair {
    let mut pair = Pair::connected(fast(profile));
    write(&mut pair, 600, FULL);
    while pair.messages(pair.client).len() < 600 {
        assert!(pair.step());
    }
    while sample(&pair).flight_bytes > 0 {
        pair.sim.advance(pair.sim.now() + Duration::from_millis(1)); // the last SACK is delayed
    }
    assert!(sample(&pair).cwnd_bytes >= 52 * PACKET);
    pair
}

/// Advances until `wait` has passed since either end last sent data.
fn idle(pair: &mut Pair, wait: Duration) {
    let log = &pair.sim.trace().packets;
    let last_sent = log.packets.sent_ns[*log.chunks.packet.last().unwrap() as usize];
    let until = SimTime::ZERO + Duration::from_nanos(last_sent) + wait;
    while !pair.sim.advance(until).is_empty() {}
}

/// The most packets with data that were sent at one instant.
fn largest_burst(pair: &Pair) -> usize {
    let log = &pair.sim.trace().packets;
    let mut packets = log.chunks.packet.clone();
    packets.dedup();
    let mut bursts = BTreeMap::new();
    for packet in packets {
        *bursts.entry(log.packets.sent_ns[packet as usize]).or_insert(0) += 1;
    }
    bursts.into_values().max().unwrap()
}

#[test]
fn data_written_at_one_instant_is_limited_by_max_burst() {
    for (profile, max_burst) in [(Profile::Classic, 4), (Profile::Modern, 10)] {
        let mut pair = grown(profile);
        write(&mut pair, 100, FULL);
        let since = pair.sim.trace().packets.packets.kind.len();
        assert!(pair.sim.advance(pair.sim.now()).is_empty());
        assert_eq!(pair.sim.trace().packets.packets.kind.len() - since, max_burst, "{profile:?}");
        pair.drive();
        assert_eq!(pair.messages(pair.client).len(), 700);
        assert_eq!(largest_burst(&pair), max_burst, "{profile:?}");
    }
}

#[test]
fn writes_at_one_instant_share_a_burst_and_a_later_write_has_its_own() {
    let mut pair = grown(Profile::Classic);
    let mut left = Vec::new();
    for wait_ms in [0, 0, 1] {
        let at = pair.sim.now() + Duration::from_millis(wait_ms);
        assert!(pair.sim.advance(at).is_empty());
        let since = pair.sim.trace().packets.packets.kind.len();
        write(&mut pair, 20, FULL);
        assert!(pair.sim.advance(at).is_empty());
        left.push(pair.sim.trace().packets.packets.kind.len() - since);
    }
    assert_eq!(left, [4, 0, 4]);
}

#[test]
fn a_burst_is_limited_in_bytes_so_many_small_messages_are_sent_at_once() {
    let mut pair = grown(Profile::Classic);
    write(&mut pair, 40, 200);
    let since = pair.sim.trace().packets.packets.kind.len();
    assert!(pair.sim.advance(pair.sim.now()).is_empty());
    // each chunk has 216 bytes of the limit of 4 · 1480
    assert_eq!(pair.sim.trace().packets.packets.kind.len() - since, 27);
}

#[test]
fn a_message_of_many_packets_does_not_wait_for_the_next_burst() {
    // A burst has four packets. If a message spans packets, the stack sends a whole burst of it, even after a small
    // message in the same burst. `ReferenceFreebsd` gives each SACK to the stack in two parts (L = 2, RFC 9260 §7.2.1),
    // and each part may release a burst.
    for (profile, most) in [(Profile::Classic, 5), (Profile::ReferenceFreebsd, 8)] {
        let mut pair = grown(profile);
        write(&mut pair, 1, 300);
        write(&mut pair, 1, 100_000);
        let since = pair.sim.trace().packets.packets.kind.len();
        assert!(pair.sim.advance(pair.sim.now()).is_empty());
        // the small message and a burst of packets of the large message are sent at the same instant
        assert_eq!(pair.sim.trace().packets.packets.kind.len() - since, 1 + 4, "{profile:?}");
        pair.drive();
        assert_eq!(pair.messages(pair.client).len(), 602);
        assert_eq!(largest_burst(&pair), most, "{profile:?}");
    }
}

#[test]
fn the_window_of_an_idle_association_is_halved_every_rto() {
    for (profile, rtos) in [(Profile::Classic, 1), (Profile::Classic, 2), (Profile::Modern, 1)] {
        let mut pair = grown(profile);
        let before = sample(&pair);
        idle(&mut pair, rtos * before.rto);
        write(&mut pair, 1, FULL);
        assert!(pair.sim.advance(pair.sim.now()).is_empty());
        let after = sample(&pair);
        assert_eq!((after.cwnd_bytes, after.ssthresh_bytes), (before.cwnd_bytes >> rtos, before.cwnd_bytes));
        assert_eq!((after.rto, after.srtt), (before.rto, before.srtt));
        // slow start continues from the reduced window to the old window
        write(&mut pair, 1500, FULL);
        pair.drive();
        let grown_bytes = sample(&pair).cwnd_bytes - before.cwnd_bytes;
        assert!(grown_bytes < 10 * PACKET, "{profile:?} {rtos}: {grown_bytes}");
        assert_eq!(pair.messages(pair.client).len(), 2101);
    }
}

#[test]
fn after_an_idle_time_an_answer_is_sent_with_the_halved_window_and_no_sack_is_lost() {
    let mut pair = grown(Profile::Classic);
    let before = sample(&pair);
    // the SACK of the first message is sent at once (RFC 9260 §5.1), and the SACK of the second is delayed
    for _ in 0..2 {
        idle(&mut pair, before.rto);
        pair.sim.sctp(pair.client).unwrap().send(0, &[7; 100]).unwrap();
        pair.drive_to(|event| matches!(event, Event::Message { .. }), pair.server);
    }
    write(&mut pair, 1, FULL);
    assert!(pair.sim.advance(pair.sim.now()).is_empty());
    assert_eq!(sample(&pair).cwnd_bytes, before.cwnd_bytes / 4);
    pair.drive();
    assert!(!pair.sim.trace().packets.chunks.retransmission.contains(&1));
}

#[test]
fn an_idle_window_does_not_fall_below_four_packets() {
    let mut pair = grown(Profile::Classic);
    idle(&mut pair, Duration::from_secs(600));
    write(&mut pair, 1, FULL);
    assert!(pair.sim.advance(pair.sim.now()).is_empty());
    assert_eq!(sample(&pair).cwnd_bytes, 4 * PACKET);

    // the initial window is three packets
    let mut pair = Pair::connected(fast(Profile::Classic));
    write(&mut pair, 1, 10);
    pair.drive();
    idle(&mut pair, Duration::from_secs(600));
    write(&mut pair, 1, 10);
    assert!(pair.sim.advance(pair.sim.now()).is_empty());
    assert_eq!(sample(&pair).cwnd_bytes, 3 * PACKET);
}

#[test]
fn a_pause_shorter_than_the_rto_keeps_the_window() {
    let mut pair = grown(Profile::Classic);
    let before = sample(&pair);
    idle(&mut pair, before.rto - Duration::from_nanos(1));
    write(&mut pair, 1, FULL);
    assert!(pair.sim.advance(pair.sim.now()).is_empty());
    assert_eq!(sample(&pair).cwnd_bytes, before.cwnd_bytes);
}

/// For each retransmission of the server: its time, and the RTO that was recorded then.
fn recorded_rtos(pair: &Pair) -> Vec<(Duration, Duration)> {
    let (log, samples) = (&pair.sim.trace().packets, &pair.sim.trace().samples.columns);
    let again = (0..log.chunks.packet.len()).filter(|row| log.chunks.retransmission[*row] == 1);
    again
        .map(|row| {
            let sent_ns = log.packets.sent_ns[log.chunks.packet[row] as usize];
            let rows = (0..samples.at_ns.len()).rev();
            let mut of_server = rows.filter(|row| samples.endpoint[*row] == pair.server.0);
            let sample = of_server.find(|row| samples.at_ns[*row] <= sent_ns).unwrap();
            (Duration::from_nanos(sent_ns), Duration::from_nanos(samples.rto_ns[sample]))
        })
        .collect()
}

#[test]
fn the_recorded_rto_is_the_time_to_the_next_timeout() {
    for profile in [Profile::Classic, Profile::Modern] {
        let mut pair = Pair::connected(fast(profile));
        write(&mut pair, 3, FULL);
        pair.drive();
        let steady = sample(&pair).rto;
        pair.lose(Direction::Down, LossModel::Bernoulli { rate: 1.0 });
        write(&mut pair, 1, FULL);
        pair.drive_to(|event| *event == Event::Closed(CloseReason::DataTimeout), pair.server);
        let recorded = recorded_rtos(&pair);
        assert_eq!(recorded.len(), 10);
        for pair in recorded.windows(2) {
            assert_eq!(pair[1].0 - pair[0].0, pair[0].1, "{profile:?}");
        }
        // RFC 9260 §6.3.3 E2
        assert_eq!(recorded[0].1, steady * 2);
        assert_eq!(recorded[9].1, Duration::from_secs(60).min(steady * 1024));
    }
}

#[test]
fn the_rto_stays_doubled_until_a_chunk_that_was_sent_once_measures_the_rtt() {
    let mut pair = Pair::connected(fast(Profile::Classic));
    pair.lose_next(Direction::Down, &[0, 1, 2]);
    write(&mut pair, 1, FULL);
    let steady = sample(&pair).rto;
    pair.drive();
    let recorded: Vec<_> = recorded_rtos(&pair).into_iter().map(|(_, rto)| rto).collect();
    assert_eq!(recorded, [2 * steady, 4 * steady, 8 * steady]);
    assert_eq!(sample(&pair).rto, 8 * steady);

    // so the next message is retransmitted after eight times the initial timeout
    pair.lose_next(Direction::Down, &[0]);
    let at = pair.sim.now();
    write(&mut pair, 1, FULL);
    pair.drive();
    let (again_at, rto) = *recorded_rtos(&pair).last().unwrap();
    assert_eq!((SimTime::ZERO + again_at - at, rto), (8 * steady, 16 * steady));
    write(&mut pair, 1, FULL);
    pair.drive();
    assert_eq!(sample(&pair).rto, steady);
}

#[test]
fn a_sack_with_gaps_measures_the_rtt() {
    let mut pair = Pair::connected(fast(Profile::Classic));
    pair.lose_next(Direction::Down, &[0]);
    write(&mut pair, 1, FULL);
    let steady = sample(&pair).rto;
    pair.drive();
    assert_eq!(sample(&pair).rto, 2 * steady);
    // the first of two messages is lost
    pair.lose_next(Direction::Down, &[0]);
    write(&mut pair, 2, FULL);
    pair.sim.advance(pair.sim.now() + Duration::from_millis(100));
    assert_eq!(sample(&pair).rto, steady);
}

/// A pair on a slow path. The packets of the handshake are small, so the first RTO is below 400 ms, but the
/// serialisation of a packet of 1500 bytes takes 800 ms.
fn narrow() -> Pair {
    let options = Options::new(Profile::Modern, 1);
    let pair_options = PairOptions {
        rate_bps: 15_000,
        rtt: Duration::from_millis(1),
        client: options.clone(),
        server: options,
        ..Default::default()
    };
    Pair::connected(pair_options)
}

#[test]
fn a_much_too_short_rto_grows_above_the_rtt() {
    for bytes in [FULL, 18_000] {
        let mut pair = narrow();
        let first = sample(&pair).rto;
        assert!(first < Duration::from_millis(400));
        write(&mut pair, 180_000 / bytes, bytes);
        pair.drive();
        assert_eq!(pair.messages(pair.client).len(), 180_000 / bytes);
        let chunks = &pair.sim.trace().packets.chunks;
        let again: u64 = (0..chunks.packet.len())
            .filter(|row| chunks.retransmission[*row] == 1)
            .map(|row| u64::from(chunks.bytes[row]))
            .sum();
        assert!(again < 40_000, "{again} of 180,000 bytes were retransmitted");
        assert!(sample(&pair).rto > Duration::from_millis(800));
    }
}

/// Seed 20,000,894 of the swarm (`tests/swarm`): nothing is lost, but the RTO is too short, and the retransmissions
/// fill the queue.
#[test]
fn an_association_is_not_given_up_on_a_slow_path_without_loss() {
    for idata in [false, true] {
        let options = Options { idata, ..Options::new(Profile::Modern, 1) };
        let pair_options = PairOptions {
            rate_bps: 20_000,
            rtt: Duration::from_millis(60),
            client: options.clone(),
            server: options,
            ..Default::default()
        };
        let mut pair = Pair::connected(pair_options);
        write(&mut pair, 16, 1448); // the message fits in one packet as one I-DATA chunk
        // the timer of the reset request runs at the same time as T3-rtx
        pair.sim.sctp(pair.client).unwrap().renew(0).unwrap();
        pair.drive();
        assert_eq!(pair.messages(pair.client).len(), 16);
        assert_eq!(pair.happened(pair.client).last(), Some(&Event::Renewed { stream: 0 }));
        let sent = pair.sim.trace().packets.chunks.packet.len();
        assert!(sent < 40, "{sent} chunks for 16");
    }
}
