use std::time::Duration;

use proptest::prelude::*;

use super::*;
use crate::endpoint::{CloseReason, Event};
use crate::sctp::Profile;

const PORT: u16 = 80;
const PEER: &[u8] = b"127.0.0.1:40000";
const RTT: SimTime = SimTime::from_ms(100);

fn listener() -> Listener {
    Listener::new(Options::new(Profile::Modern, 4), 1492, PORT, [3; 64]).unwrap()
}

/// A client association and its flow.
struct Client {
    association: Association,
    flow: Flow,
}

impl Client {
    fn new() -> Client {
        let address = |port| SocketAddrV4::new(Ipv4Addr::LOCALHOST, port);
        let flow = Flow { local: address(40_000), remote: address(PORT) };
        let setup = Setup { flow, mtu_bytes: 1492, seed: 1 };
        let mut association = Association::new(setup, Options::new(Profile::Modern, 4));
        association.connect();
        Client { association, flow }
    }

    fn sent(&mut self, now: SimTime) -> Vec<Vec<u8>> {
        payloads(&mut self.association, now)
    }

    fn take(&mut self, now: SimTime, packet: &[u8]) {
        self.association.handle_packet(now, &ip::packet(&self.flow.reversed(), ip::SCTP, 0, packet));
    }

    fn init(&mut self) -> Vec<u8> {
        self.sent(SimTime::ZERO).remove(0)
    }

    fn cookie_echo(&mut self, listener: &Listener) -> Vec<u8> {
        let Answer::Send(init_ack) = listener.handle_packet(SimTime::ZERO, PEER, &self.init()) else { panic!() };
        self.take(RTT, &init_ack);
        self.sent(RTT).remove(0)
    }
}

fn payloads(association: &mut Association, now: SimTime) -> Vec<Vec<u8>> {
    let transmits = std::iter::from_fn(|| association.poll_transmit(now));
    transmits.map(|transmit| transmit.packet.to_wire().split_off(ip::HEADER_BYTES)).collect()
}

fn accepted(answer: Answer) -> Option<Accepted> {
    if let Answer::Accept(accepted) = answer { Some(*accepted) } else { None }
}

fn is_nothing(answer: &Answer) -> bool {
    matches!(answer, Answer::Nothing)
}

/// Returns the packet with one bit of byte `at` inverted and a correct checksum.
fn changed(packet: &[u8], at: usize) -> Vec<u8> {
    let mut changed = packet.to_vec();
    changed[at] ^= 1;
    checksum::write_checksum(&mut changed);
    changed
}

#[test]
fn a_cookie_echo_creates_the_association() {
    let (listener, mut client) = (listener(), Client::new());
    let echo = client.cookie_echo(&listener);
    let mut server = accepted(listener.handle_packet(RTT, PEER, &echo)).unwrap().association;
    assert_eq!(server.poll_event(), Some(Event::Connected { streams: 4 }));
    server.send(2, b"hello").unwrap();
    for packet in payloads(&mut server, RTT) {
        client.take(RTT, &packet);
    }
    assert_eq!(client.association.poll_event(), Some(Event::Connected { streams: 4 }));
    assert_eq!(client.association.poll_event(), Some(Event::Message { stream: 2, bytes: b"hello".to_vec() }));
}

#[test]
fn the_rtt_of_the_handshake_is_measured_across_the_cookie() {
    let (listener, mut client) = (listener(), Client::new());
    let echo = client.cookie_echo(&listener);
    let server = accepted(listener.handle_packet(RTT, PEER, &echo)).unwrap().association;
    let rto = server.sample().unwrap().rto;
    assert_eq!(rto, Duration::from_millis(300).max(Profile::Modern.settings(1472).rto_min));
}

#[test]
fn a_cookie_is_valid_for_its_peer_and_listener_only() {
    let (listener, mut client) = (listener(), Client::new());
    let echo = client.cookie_echo(&listener);
    assert!(is_nothing(&listener.handle_packet(RTT, b"127.0.0.1:40001", &echo)));
    let other = Listener::new(Options::new(Profile::Modern, 4), 1492, PORT, [4; 64]).unwrap();
    assert!(is_nothing(&other.handle_packet(RTT, PEER, &echo)));
    let mut damaged = echo.clone();
    damaged[8] ^= 1; // the checksum
    assert!(is_nothing(&listener.handle_packet(RTT, PEER, &damaged)));
    assert_eq!(listener.unsealed(PEER, &damaged), None);
    // changes each byte of the tag and of the sealed cookie, one at a time
    let end = COMMON_HEADER_BYTES + usize::from(u16::from_be_bytes([echo[14], echo[15]]));
    for at in (4..8).chain(16..end) {
        assert!(is_nothing(&listener.handle_packet(RTT, PEER, &changed(&echo, at))), "byte {at}");
    }
}

#[test]
fn a_cookie_is_stale_after_a_minute() {
    let (listener, mut client) = (listener(), Client::new());
    let echo = client.cookie_echo(&listener);
    assert!(accepted(listener.handle_packet(SimTime::from_ms(59_999), PEER, &echo)).is_some());
    assert!(is_nothing(&listener.handle_packet(SimTime::from_ms(60_000), PEER, &echo)));
}

#[test]
fn the_association_answers_a_repeated_cookie_echo_again() {
    let (listener, mut client) = (listener(), Client::new());
    let echo = client.cookie_echo(&listener);
    let Accepted { mut association, flow } = accepted(listener.handle_packet(RTT, PEER, &echo)).unwrap();
    assert_eq!(payloads(&mut association, RTT).len(), 1);
    let unsealed = listener.unsealed(PEER, &echo).unwrap();
    association.handle_packet(RTT, &ip::packet(&flow.reversed(), ip::SCTP, 0, &unsealed));
    let again = payloads(&mut association, RTT);
    assert_eq!(chunk::parse(&again[0]), Some(vec![Chunk::CookieAck]));
    assert_eq!(listener.unsealed(b"another", &echo), None);
    assert_eq!(listener.unsealed(PEER, &init_of(100)), None);
}

#[test]
fn chunks_bundled_with_the_cookie_echo_are_kept() {
    let (listener, mut client) = (listener(), Client::new());
    let mut echo = client.cookie_echo(&listener);
    echo.extend([0xff, 0, 0, 4]); // a chunk that is reported and skipped (RFC 9260 §3.2)
    checksum::write_checksum(&mut echo);
    let unsealed = listener.unsealed(PEER, &echo).unwrap();
    assert_eq!(chunk::parse(&unsealed), Some(vec![Chunk::CookieEcho, Chunk::Other(0xff)]));
    assert!(checksum::is_intact(&unsealed));
    assert!(accepted(listener.handle_packet(RTT, PEER, &echo)).is_some());
}

#[test]
fn an_init_is_answered_if_it_is_alone_intact_untagged_and_for_the_port() {
    let (listener, init) = (listener(), Client::new().init());
    assert!(matches!(listener.handle_packet(RTT, PEER, &init), Answer::Send(_)));
    let mut broken = init.clone();
    broken[20] ^= 1;
    assert!(is_nothing(&listener.handle_packet(RTT, PEER, &broken)), "checksum");
    assert!(is_nothing(&listener.handle_packet(RTT, PEER, &changed(&init, 7))), "tag");
    assert!(is_nothing(&listener.handle_packet(RTT, PEER, &changed(&init, 3))), "port");
    let mut two = [&init[..], &[0xff, 0, 0, 4]].concat();
    checksum::write_checksum(&mut two);
    assert!(is_nothing(&listener.handle_packet(RTT, PEER, &two)), "alone");
}

#[test]
fn an_init_that_is_too_long_is_not_answered() {
    let listener = listener();
    let Answer::Send(answer) = listener.handle_packet(RTT, PEER, &init_of(MOST_INIT_BYTES)) else { panic!() };
    assert!(answer.len() < MOST_INIT_BYTES + 250, "{}", answer.len());
    assert!(is_nothing(&listener.handle_packet(RTT, PEER, &init_of(MOST_INIT_BYTES + 4))));
}

/// An INIT of `bytes` bytes. It has a parameter that the receiver skips (RFC 9260 §3.2.1).
fn init_of(bytes: usize) -> Vec<u8> {
    let mut init = Client::new().init();
    let parameter_bytes = (bytes - init.len()) as u16;
    init.extend([0xbf, 0xff]);
    init.extend(parameter_bytes.to_be_bytes());
    init.resize(bytes, 0);
    init[14..16].copy_from_slice(&((bytes - COMMON_HEADER_BYTES) as u16).to_be_bytes());
    checksum::write_checksum(&mut init);
    init
}

#[test]
fn out_of_the_blue_data_is_answered_with_abort_and_an_abort_is_not_answered() {
    let listener = listener();
    let mut data =
        vec![156, 64, 0, 80, 1, 2, 3, 4, 0, 0, 0, 0, 0, 3, 0, 17, 0, 0, 0, 9, 0, 3, 0, 7, 0, 0, 0, 0, 1, 0, 0, 0];
    checksum::write_checksum(&mut data);
    let Answer::Send(abort) = listener.handle_packet(RTT, PEER, &data) else { panic!() };
    assert_eq!((&abort[4..8], chunk::parse(&abort)), (&[1, 2, 3, 4][..], Some(vec![Chunk::Abort])));
    let mut back = abort.clone();
    back[..4].copy_from_slice(&data[..4]);
    checksum::write_checksum(&mut back);
    assert!(is_nothing(&listener.handle_packet(RTT, PEER, &back)));
}

#[test]
fn an_accepted_association_shuts_down_gracefully() {
    let (listener, mut client) = (listener(), Client::new());
    let echo = client.cookie_echo(&listener);
    let Accepted { mut association, flow } = accepted(listener.handle_packet(RTT, PEER, &echo)).unwrap();
    for packet in payloads(&mut association, RTT) {
        client.take(RTT, &packet);
    }
    client.association.shutdown();
    for _ in 0..3 {
        for packet in client.sent(RTT) {
            association.handle_packet(RTT, &ip::packet(&flow.reversed(), ip::SCTP, 0, &packet));
        }
        for packet in payloads(&mut association, RTT) {
            client.take(RTT, &packet);
        }
    }
    let mut events = std::iter::from_fn(|| association.poll_event());
    assert!(events.any(|event| event == Event::Closed(CloseReason::Finished)));
}

proptest! {
    #[test]
    fn arbitrary_packets_never_panic_and_create_no_association(bytes in prop::collection::vec(any::<u8>(), 0..120), first in 0..12_u8) {
        let mut packet = [&[156, 64, 0, 80, 0, 0, 0, 0, 0, 0, 0, 0, first][..], &bytes].concat();
        checksum::write_checksum(&mut packet);
        let listener = listener();
        prop_assert!(accepted(listener.handle_packet(RTT, PEER, &packet)).is_none());
        prop_assert_eq!(listener.unsealed(PEER, &packet), None);
    }

    #[test]
    fn a_changed_init_is_ignored_or_gets_a_well_formed_answer(at in 0..50_usize, to in any::<u8>()) {
        let mut init = Client::new().init();
        let at = at % init.len();
        init[at] = to;
        checksum::write_checksum(&mut init);
        if let Answer::Send(answer) = listener().handle_packet(RTT, PEER, &init) {
            prop_assert!(checksum::is_intact(&answer) && chunk::parse(&answer).is_some());
        }
    }
}
