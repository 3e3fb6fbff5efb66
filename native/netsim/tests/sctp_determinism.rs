//! Checks that the same seed gives the same packets, independent of other runs on the thread.

#![allow(clippy::unwrap_used)] // unwrap is allowed in tests

#[path = "support/on_wire.rs"]
mod on_wire;
mod support;

use std::time::Duration;

use netsim::endpoint::Event;
use netsim::link::{LossModel, PathParams};
use netsim::sctp::{self, Options, Profile};
use netsim::sim::{Simulation, SimulationOptions};
use netsim::time::SimTime;
use netsim::trace::Recording;
use netsim::transport::Ends;
use on_wire::on_wire;
use support::{Pair, PairOptions, message};

fn pair(seed: u64) -> Pair {
    pair_of(Profile::Classic, seed)
}

fn pair_of(profile: Profile, seed: u64) -> Pair {
    let options = Options::new(profile, 5);
    let loss = LossModel::Bernoulli { rate: 0.05 };
    Pair::new(PairOptions { seed, loss, client: options.clone(), server: options, ..PairOptions::default() })
}

/// Does one step of a load. The server writes when the client is connected. Returns false at the end.
fn step(pair: &mut Pair) -> bool {
    let before = pair.events.len();
    let goes_on = pair.step();
    for at in before..pair.events.len() {
        if matches!(pair.events[at], (_, end, Event::Connected { .. }) if end == pair.client) {
            for number in 0..60 {
                let stream = number as u32 % 5;
                pair.sim.sctp(pair.server).unwrap().send(stream, &message(stream, number, 1 + number * 50)).unwrap();
            }
            pair.sim.sctp(pair.server).unwrap().shutdown();
        }
    }
    goes_on
}

fn log(pair: &Pair) -> Vec<u8> {
    pair.sim.trace().packets.to_bytes()
}

fn alone(seed: u64) -> Pair {
    whole(pair(seed))
}

fn whole(mut pair: Pair) -> Pair {
    while step(&mut pair) {}
    pair
}

#[test]
fn runs_that_alternate_on_a_thread_equal_the_same_runs_alone() {
    let expected: Vec<_> = [7, 8, 7].into_iter().map(|seed| log(&alone(seed))).collect();
    let mut pairs = [pair(7), pair(8), pair(7)];
    let mut going = [true; 3];
    while going.contains(&true) {
        for (pair, going) in pairs.iter_mut().zip(&mut going) {
            *going = *going && step(pair);
        }
    }
    let together: Vec<_> = pairs.iter().map(log).collect();
    assert!(together == expected);
    assert!(expected[0] == expected[2] && expected[0] != expected[1]);
}

#[test]
fn two_runs_give_the_same_events_and_blocking() {
    let (first, second) = (alone(3), alone(3));
    assert_eq!(first.events, second.events);
    let rows = |pair: &Pair| pair.sim.endpoint(pair.client).unwrap().blocked().rows().to_vec();
    assert_eq!(rows(&first), rows(&second));
    assert!(!rows(&first).is_empty() && rows(&first).iter().all(|row| row.end > Some(SimTime::ZERO)));
}

/// Runs an exchange of requests and answers on five streams for at most 200 s, with a close at the end. `change` may
/// wrap the ends. Returns the packet log.
fn exchange(profile: Profile, seed: u64, idata: bool, change: fn(Ends) -> Ends) -> Vec<u8> {
    let path = PathParams::symmetric(1_000_000, Duration::from_millis(350), LossModel::Bernoulli { rate: 0.05 });
    let mut sim = Simulation::new(SimulationOptions { seed, path, recording: Recording::ALL }).unwrap();
    let options = Options { idata, ..Options::new(profile, 5) };
    let (client, server) = sim.open(|place| sctp::open(place, options.clone(), options).map(change)).unwrap();
    sim.transport(client).unwrap().connect().unwrap();
    let mut delivered = 0;
    loop {
        let events = sim.advance(SimTime::from_ms(200_000));
        if events.is_empty() {
            break;
        }
        for event in events {
            match event.event {
                Event::Connected { .. } if event.endpoint == client => {
                    for stream in 0..5 {
                        sim.transport(client).unwrap().send(stream, &[1; 300]).unwrap();
                    }
                }
                Event::Message { stream, .. } if event.endpoint == server => {
                    for number in 0..9 {
                        sim.transport(server).unwrap().send(stream, &vec![2; 1452 - 150 * number]).unwrap();
                    }
                }
                Event::Message { bytes, .. } => delivered += bytes.len(),
                _ => {}
            }
            if delivered == ANSWERS {
                sim.transport(client).unwrap().close();
            }
        }
    }
    assert_eq!(delivered, ANSWERS);
    sim.trace().packets.to_bytes()
}

/// The bytes of nine messages on each of five streams.
const ANSWERS: usize = 5 * (9 * 1452 - 36 * 150);

#[test]
fn typed_packets_have_the_same_effect_as_their_bytes() {
    for (profile, seed) in [Profile::Classic, Profile::Modern].into_iter().flat_map(|p| (1..6).map(move |s| (p, s))) {
        for idata in [false, true] {
            let typed = exchange(profile, seed, idata, |ends| ends);
            assert!(typed == exchange(profile, seed, idata, on_wire), "{profile:?} {seed} {idata}");
        }
    }
}

#[test]
fn two_associations_of_a_run_have_different_tags() {
    let mut pair = pair(1);
    let options = netsim::sctp::Options::new(netsim::sctp::Profile::Classic, 1);
    let (second, _) = pair.sim.open_sctp(options.clone(), options).unwrap();
    pair.sim.sctp(second).unwrap().connect();
    pair.sim.advance(SimTime::from_ms(1));
    let inits: Vec<_> = pair.sim.trace().packets.bytes.iter().map(|packet| packet[36..40].to_vec()).collect();
    assert_eq!(inits.len(), 2);
    assert_ne!(inits[0], inits[1]);
}

/// The 64-bit FNV-1a hash.
fn hash(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3))
}

/// Compares hashes of the packet log. If a hash changes, results have changed, and the commit must say which results
/// and why.
#[test]
fn the_packet_log_is_the_same_in_every_build() {
    for (profile, golden) in Profile::ALL.into_iter().zip(GOLDENS) {
        let hashes = [1, 2, 3].map(|seed| hash(&log(&whole(pair_of(profile, seed)))));
        assert_eq!(hashes, golden, "{profile:?}");
    }
}

/// The hashes of each profile.
const GOLDENS: [[u64; 3]; 3] = [
    [12_994_001_655_726_253_761, 1_007_721_694_983_385_218, 17_039_631_361_820_000_956],
    [304_567_001_524_055_126, 4_425_413_088_838_493_669, 6_343_634_492_395_742_309],
    [18_237_844_221_698_837_701, 13_833_061_790_527_511_916, 5_901_184_473_204_314_827],
];

/// Sends two messages of several packets on each stream, and resets the stream after each message (RFC 6525), at 5 %
/// loss. Returns the packet log.
fn interleaved(seed: u64) -> Vec<u8> {
    let options = Options { idata: true, ..Options::new(Profile::Classic, 5) };
    let loss = LossModel::Bernoulli { rate: 0.05 };
    let mut pair =
        Pair::new(PairOptions { seed, loss, client: options.clone(), server: options, ..PairOptions::default() });
    pair.drive_to(|event| matches!(event, Event::Connected { .. }), pair.client);
    for round in 0..2 {
        for stream in 0..5 {
            let server = pair.sim.sctp(pair.server).unwrap();
            server.send(stream, &message(stream, round, 10_000 + 1000 * round)).unwrap();
            server.renew(stream).unwrap();
        }
        pair.drive();
    }
    pair.sim.sctp(pair.client).unwrap().shutdown();
    pair.drive();
    log(&pair)
}

#[test]
fn the_packet_log_of_i_data_and_resets_is_the_same_in_every_build() {
    assert_eq!([1, 2, 3].map(|seed| hash(&interleaved(seed))), GOLDEN_INTERLEAVED);
}

const GOLDEN_INTERLEAVED: [u64; 3] = [8_074_434_696_573_544_989, 11_071_932_239_067_706_868, 5_844_512_364_796_051_238];
