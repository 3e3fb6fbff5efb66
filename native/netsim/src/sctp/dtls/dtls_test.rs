use std::time::Duration;

use proptest::prelude::*;

use super::*;
use crate::link::{LossModel, PathParams};
use crate::sctp::Profile;
use crate::sim::{AppEvent, EndpointId, Simulation, SimulationOptions};
use crate::trace::Recording;

struct Load {
    sim: Simulation,
    client: EndpointId,
    /// All events: the time in ms, the end that reported the event, and the event.
    told: Vec<(u64, EndpointId, Event)>,
}

/// Runs a client that sends a message as soon as it is connected, to a server that answers with 20 messages. The
/// client's packets with the numbers in `up` and the server's packets with the numbers in `down` are lost.
fn load(profile: Profile, up: &[u64], down: &[u64]) -> Load {
    let mut path = PathParams::symmetric(1_000_000_000, Duration::from_millis(100), LossModel::None);
    path.up.loss = LossModel::List(up.iter().copied().collect());
    path.down.loss = LossModel::List(down.iter().copied().collect());
    let mut sim = Simulation::new(SimulationOptions { seed: 5, path, recording: Recording::ALL }).unwrap();
    let data_with_cookie_echo = profile == Profile::Modern;
    let options = Options { dtls: true, data_with_cookie_echo, ..Options::new(profile, 4) };
    let (client, server) = sim.open_sctp(options.clone(), options).unwrap();
    sim.transport(client).unwrap().connect().unwrap();
    let mut told = Vec::new();
    loop {
        let events = sim.advance(SimTime::from_ms(60_000));
        if events.is_empty() {
            return Load { sim, client, told };
        }
        for AppEvent { endpoint, event } in events {
            let (sender, count) = match event {
                Event::Connected { .. } if endpoint == client => (client, 1),
                Event::Message { .. } if endpoint == server => (server, 20),
                _ => (client, 0),
            };
            (0..count).for_each(|_| assert_eq!(sim.transport(sender).unwrap().send(1, &[7; 1000]), Ok(true)));
            told.push((sim.now().as_ns() / 1_000_000, endpoint, event));
        }
    }
}

impl Load {
    fn messages(&self) -> usize {
        let is_it = |(_, end, event): &&(u64, EndpointId, Event)| {
            *end == self.client && matches!(event, Event::Message { bytes, .. } if bytes.len() == 1000)
        };
        self.told.iter().filter(is_it).count()
    }

    fn first_message_ms(&self) -> u64 {
        let is_it =
            |(_, end, event): &&(u64, EndpointId, Event)| *end == self.client && matches!(event, Event::Message { .. });
        self.told.iter().find(is_it).unwrap().0
    }
}

#[test]
fn the_handshake_takes_one_round_trip_before_that_of_sctp() {
    // one round trip each for DTLS, INIT, and COOKIE ECHO with the message; `classic` sends the message a round trip
    // later
    for (profile, expected) in [(Profile::Modern, 300), (Profile::Classic, 400)] {
        let load = load(profile, &[], &[]);
        assert_eq!((load.first_message_ms(), load.messages()), (expected, 20), "{profile:?}");
    }
}

#[test]
fn the_packets_have_the_sizes_of_dtls() {
    let load = load(Profile::Modern, &[], &[]);
    let packets = &load.sim.trace().packets;
    let sizes = |direction: u8, at_ms: u64| -> Vec<u32> {
        let is_it = |row: &usize| {
            packets.packets.direction[*row] == direction && packets.packets.sent_ns[*row] / 1_000_000 == at_ms
        };
        (0..packets.bytes.len()).filter(is_it).map(|row| packets.packets.bytes[row]).collect()
    };
    // ClientHello of 1911 bytes in two fragments, each with 25 bytes of headers
    assert_eq!(sizes(1, 0), [1500, 28 + 1911 - (1472 - 25) + 25]);
    // ServerHello, EncryptedExtensions, Certificate, CertificateVerify, Finished
    let server: u32 = sizes(0, 50).iter().sum();
    assert_eq!(server, 3 * 28 + (1174 + 25) + (36 + 34) + (2097 + 3 * 34) + (76 + 34) + (32 + 34));
    // Finished, then INIT
    assert_eq!(sizes(1, 100)[0], 28 + 32 + 34);
    for row in 0..packets.bytes.len() {
        assert_eq!(packets.bytes[row].len(), packets.packets.bytes[row] as usize);
        assert_eq!(packets.bytes[row][9], ip::UDP);
    }
    assert!(packets.packets.bytes.iter().all(|bytes| *bytes <= 1500));
}

#[test]
fn a_lost_flight_is_repeated() {
    for (up, down) in [(vec![0], vec![]), (vec![1], vec![]), (vec![2], vec![]), (vec![3], vec![])]
        .into_iter()
        .chain((0..5).map(|packet| (vec![], vec![packet])))
        .chain([(vec![0, 2, 4], vec![1, 3])])
    {
        let load = load(Profile::Modern, &up, &down);
        assert_eq!(load.messages(), 20, "{up:?} {down:?}");
    }
}

#[test]
fn a_client_gives_up_on_a_path_that_loses_everything() {
    let all: Vec<u64> = (0..1000).collect();
    let load = load(Profile::Modern, &all, &[]);
    assert!(load.told.is_empty(), "the ninth timeout is after four minutes");
    let mut sim = load.sim;
    let events = sim.advance(SimTime::MAX);
    assert_eq!(events, [AppEvent { endpoint: load.client, event: Event::Closed(CloseReason::ConnectTimeout) }]);
}

#[test]
fn an_abort_before_the_end_of_the_handshake_is_reported() {
    let path = PathParams::symmetric(1_000_000_000, Duration::from_millis(100), LossModel::None);
    let mut sim = Simulation::new(SimulationOptions { seed: 5, path, recording: Recording::OFF }).unwrap();
    let options = Options { dtls: true, ..Options::new(Profile::Modern, 4) };
    let (client, _) = sim.open_sctp(options.clone(), options).unwrap();
    sim.transport(client).unwrap().connect().unwrap();
    assert!(sim.advance(SimTime::from_ms(60)).is_empty());
    sim.transport(client).unwrap().abort();
    let aborted = AppEvent { endpoint: client, event: Event::Closed(CloseReason::LocalAbort) };
    assert_eq!(sim.advance(SimTime::from_ms(70)), [aborted]);
    assert!(sim.transport(client).unwrap().poll_timeout().is_none());
}

fn ends() -> [OverDtls; 2] {
    let address = |last| std::net::SocketAddrV4::new(std::net::Ipv4Addr::new(10, 0, 0, last), 443);
    let flow = Flow { local: address(1), remote: address(2) };
    let setup = |flow| Setup { flow, mtu_bytes: 1500, seed: 1 };
    let options = Options { dtls: true, ..Options::new(Profile::Modern, 4) };
    [OverDtls::new(true, setup(flow), options.clone()), OverDtls::new(false, setup(flow.reversed()), options)]
}

// RFC 9147 §5.8.1
#[test]
fn a_repeated_flight_is_answered_with_the_own_flight_at_once() {
    let [mut client, mut server] = ends();
    client.connect().unwrap();
    let sent = |end: &mut OverDtls| -> Vec<Vec<u8>> {
        let transmits = std::iter::from_fn(|| end.poll_transmit(SimTime::ZERO));
        transmits.map(|transmit| transmit.packet.into_wire()).collect()
    };
    let hello = sent(&mut client);
    let mut answers = Vec::new();
    for _ in 0..2 {
        hello.iter().for_each(|packet| server.handle_packet(SimTime::ZERO, packet));
        answers.push(sent(&mut server).len());
    }
    assert_eq!(answers, [3, 3]);
}

proptest! {
    #[test]
    fn hostile_datagrams_do_no_harm(
        changes in proptest::collection::vec((0..40usize, any::<u16>(), any::<u8>()), 0..20),
        garbage in proptest::collection::vec(proptest::collection::vec(any::<u8>(), 0..100), 0..8),
    ) {
        let mut ends = ends();
        ends[0].connect().unwrap();
        let (mut now, mut sent) = (SimTime::ZERO, 0);
        for bytes in &garbage {
            for end in &mut ends {
                end.take_datagram(now, bytes);
            }
        }
        for _ in 0..200 {
            let mut wire = Vec::new();
            for (from, end) in ends.iter_mut().enumerate() {
                while let Some(transmit) = end.poll_transmit(now) {
                    let mut bytes = transmit.packet.into_wire();
                    for (_, at, to) in changes.iter().filter(|(packet, ..)| *packet == sent) {
                        let at = 28 + usize::from(*at) % (bytes.len() - 28);
                        bytes[at] = *to;
                        (bytes[26], bytes[27]) = (0, 0);
                    }
                    sent += 1;
                    wire.push((1 - from, bytes));
                }
                while end.poll_event().is_some() {}
            }
            for (to, bytes) in wire {
                ends[to].handle_packet(now, &bytes);
            }
            let Some(next) = ends.iter().filter_map(Endpoint::poll_timeout).min() else { break };
            now = next.max(now);
            for end in &mut ends {
                if end.poll_timeout().is_some_and(|at| at <= now) {
                    end.handle_timeout(now);
                }
            }
        }
    }
}
