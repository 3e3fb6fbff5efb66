use std::net::{Ipv4Addr, SocketAddrV4};

use super::*;
use crate::packet::EcnMode;
use crate::tcp::handshake::HandshakeLoss;
use crate::tcp::segment::SegmentOptions;
use crate::tcp::timer_clock::TimerRule;

/// Two ends, and a link with a delay of 50 ms in each direction.
struct Pair {
    ends: [Connection; 2],
    now: SimTime,
    /// For each packet: its arrival, the end that it goes to, and its bytes.
    in_flight: Vec<(SimTime, usize, Vec<u8>)>,
    /// The indexes in `sent` of the packets that the link drops. A test that clears `sent` counts from 0 again.
    drop_packet: Vec<usize>,
    /// For each packet: when it was sent in ms, the end that sent it, and the segment.
    sent: Vec<(u64, usize, Segment)>,
    events: [Vec<Event>; 2],
}

const CLIENT: usize = 0;
const SERVER: usize = 1;
const DELAY: Duration = Duration::from_millis(50);

fn flow(side: usize) -> Flow {
    let address = |host, port| SocketAddrV4::new(Ipv4Addr::new(10, 0, 0, host), port);
    let client = Flow { local: address(1, 5000), remote: address(2, 80) };
    if side == CLIENT { client } else { client.reversed() }
}

/// Returns the options of a profile, with timers that fire exactly at their times.
fn options(name: &str) -> Options {
    // the window does not start small, because in most tests the application reads late, and then a small window would
    // not grow
    Options::new(Profile { timers: TimerRule::Exact, tunes_window: false, ..Profile::named(name).unwrap() })
}

/// The sequence numbers of both SYNs. The sequence numbers of the client's data wrap.
const INITIAL: [u32; 2] = [u32::MAX - 1000, 7000];

impl Pair {
    fn new(client: Options, server: Options) -> Pair {
        let ends = [
            Connection::client(flow(CLIENT), 1500, client, INITIAL[CLIENT]),
            Connection::server(flow(SERVER), 1500, server, INITIAL[SERVER]),
        ];
        Pair::of(ends)
    }

    fn of(ends: [Connection; 2]) -> Pair {
        let events = [Vec::new(), Vec::new()];
        Pair { ends, now: SimTime::ZERO, in_flight: Vec::new(), drop_packet: Vec::new(), sent: Vec::new(), events }
    }

    /// Returns a connected pair. Its time is 200 ms.
    fn connected(name: &str) -> Pair {
        Pair::connected_with(options(name), options(name))
    }

    fn connected_with(client: Options, server: Options) -> Pair {
        let mut pair = Pair::new(client, server);
        pair.ends[CLIENT].connect().unwrap();
        pair.drive_to(200);
        assert_eq!(pair.states(), [State::Established; 2]);
        pair.sent.clear();
        pair
    }

    fn states(&self) -> [State; 2] {
        [self.ends[0].state, self.ends[1].state]
    }

    /// Delivers packets and fires timers until `ms`.
    fn drive_to(&mut self, ms: u64) {
        let until = SimTime::from_ms(ms);
        for _ in 0..10_000 {
            self.flush(CLIENT);
            self.flush(SERVER);
            let arrival = self.in_flight.iter().map(|(at, ..)| *at).min();
            let timer = self.ends.iter().filter_map(Endpoint::poll_timeout).min();
            let Some(next) = arrival.into_iter().chain(timer).min().filter(|next| *next <= until) else {
                self.now = until;
                return;
            };
            self.now = self.now.max(next);
            if arrival == Some(next) {
                let first = self.in_flight.iter().position(|(at, ..)| *at == next).unwrap();
                let (_, to, packet) = self.in_flight.remove(first);
                self.ends[to].handle_packet(self.now, &packet);
            } else {
                self.ends.iter_mut().for_each(|end| end.handle_timeout(next));
            }
        }
        panic!("packets or timers never end before {until:?}: {:?}", self.states());
    }

    fn flush(&mut self, from: usize) {
        while let Some(transmit) = self.ends[from].poll_transmit(self.now) {
            let number = self.sent.len();
            let packet = transmit.packet.into_wire();
            let segment = Segment::parse(&flow(1 - from), &packet).unwrap();
            self.sent.push((self.now.as_ns() / 1_000_000, from, segment));
            if !self.drop_packet.contains(&number) {
                self.in_flight.push((self.now + DELAY, 1 - from, packet));
            }
        }
        self.events[from].extend(std::iter::from_fn(|| self.ends[from].poll_event()));
    }

    /// Delivers a segment to `side` now. Returns what `side` sends in answer.
    fn inject(&mut self, side: usize, segment: Segment) -> Vec<Segment> {
        let before = self.sent.len();
        self.ends[side].handle_segment(self.now, Ecn::NotEct, &segment);
        self.flush(side);
        self.sent[before..].iter().map(|(_, _, segment)| segment.clone()).collect()
    }

    /// Returns the segment without data that the client would send next.
    fn next_of_client(&self) -> Segment {
        let client = &self.ends[CLIENT];
        let times = client.timestamps.on.then(|| client.timestamps.option(self.now));
        let options = SegmentOptions { timestamps: times, ..SegmentOptions::default() };
        Segment { window: 1000, options, ..client.bare_segment() }
    }

    /// Returns every packet that was sent, as text: the sender (c or s), letters for what the segment has (S: SYN, R:
    /// RST, D: data, F: FIN, A: an acknowledgement alone or with a SYN), and the time in ms.
    fn log(&self) -> Vec<String> {
        self.sent
            .iter()
            .map(|(ms, from, segment)| {
                let flags =
                    [(segment.syn, 'S'), (segment.rst, 'R'), (!segment.payload.is_empty(), 'D'), (segment.fin, 'F')];
                let mut kind: String = flags.iter().filter(|(set, _)| *set).map(|(_, letter)| *letter).collect();
                if segment.ack.is_some() && (kind.is_empty() || segment.syn) {
                    kind.push('A');
                }
                format!("{}{kind} {ms}", ["c", "s"][*from])
            })
            .collect()
    }

    fn write(&mut self, side: usize, bytes: usize) {
        assert_eq!(self.ends[side].write(&vec![side as u8; bytes]), Ok(bytes));
    }
}

// RFC 9293 §3.5, figure 6; §3.7.1; RFC 7323 §2, §3; RFC 2018 §2
#[test]
fn the_handshake_negotiates_its_options() {
    let mut pair = Pair::new(options("modern"), options("modern"));
    pair.ends[CLIENT].connect().unwrap();
    pair.drive_to(200);
    assert_eq!(pair.log(), ["cS 0", "sSA 50", "cA 100"]);
    let [(_, _, syn), (_, _, syn_ack), (_, _, ack)] = &pair.sent[..] else { panic!() };
    for segment in [syn, syn_ack] {
        assert_eq!((segment.options.mss, segment.options.sack_permitted, segment.window), (Some(1460), true, 65535));
        // the smallest shift with which a window of 4 MiB can be advertised
        assert_eq!(segment.options.window_scale, Some(7));
    }
    assert_eq!((syn.seq, syn_ack.seq, syn_ack.ack), (INITIAL[0], INITIAL[1], Some(INITIAL[0].wrapping_add(1))));
    let (value, echo) = syn_ack.options.timestamps.unwrap();
    assert_eq!(echo, syn.options.timestamps.unwrap().0);
    assert_eq!(ack.options.timestamps.unwrap().1, value);
    assert_eq!((ack.window, ack.options.mss), (4 << (20 - 7), None));
    assert_eq!(pair.events, [vec![Event::Connected { streams: 1 }], vec![Event::Connected { streams: 1 }]]);
    assert_eq!(pair.ends[CLIENT].sender.sample().srtt, Duration::from_millis(100));
}

#[test]
fn an_mss_of_the_peer_below_48_is_treated_as_48() {
    for (mss, most_bytes) in [(0, 36), (1, 36), (47, 36), (48, 36), (49, 37), (100, 88)] {
        let mut pair = Pair::new(options("modern"), options("modern"));
        pair.ends[CLIENT].connect().unwrap();
        pair.flush(CLIENT);
        pair.in_flight.clear();
        let mut syn = pair.sent[0].2.clone();
        syn.options.mss = Some(mss);
        pair.inject(SERVER, syn);
        pair.drive_to(200);
        pair.write(SERVER, 13_500);
        pair.drive_to(20_000);
        assert_eq!(pair.ends[CLIENT].read().len(), 13_500, "{mss}");
        let lengths = pair.sent.iter().map(|(_, _, segment)| segment.payload.len());
        assert_eq!(lengths.max(), Some(most_bytes), "{mss}");
    }
}

// RFC 7323 §2.2, §3.2, RFC 2018 §2: an option that one end does not support is off for both
#[test]
fn options_that_the_peer_did_not_offer_stay_off() {
    let bare = Options { profile: Profile { timestamps: false, ..options("reno").profile }, ..options("reno") };
    let mut pair = Pair::connected_with(bare, options("modern"));
    pair.write(CLIENT, 8000);
    pair.drop_packet = vec![0];
    pair.drive_to(3000);
    assert!(pair.sent.iter().all(|(_, _, segment)| segment.options.timestamps.is_none()));
    assert!(pair.sent.iter().all(|(_, _, segment)| segment.options.sack.is_empty()), "RFC 2018 §3");
    assert_eq!(pair.ends[SERVER].read().len(), 8000);
}

// RFC 6298 §2.1, §5.5; RFC 9293 §3.8.1
#[test]
fn a_lost_syn_and_a_lost_syn_ack_are_sent_again() {
    let mut pair = Pair::new(options("modern"), options("modern"));
    pair.drop_packet = vec![0, 1];
    pair.ends[CLIENT].connect().unwrap();
    pair.drive_to(4000);
    assert_eq!(pair.log(), ["cS 0", "cS 1000", "cS 3000", "sSA 3050", "cA 3100"]);
    assert_eq!([CLIENT, SERVER].map(|side| pair.ends[side].timeouts().retransmission), [2, 0]);

    let mut pair = Pair::new(options("modern"), options("modern"));
    pair.drop_packet = vec![1];
    pair.ends[CLIENT].connect().unwrap();
    pair.drive_to(1200);
    assert_eq!(pair.states(), [State::Established; 2]);
    // the timestamp shows which SYN ACK was answered (RFC 6298 §3, RFC 7323 §4)
    assert_eq!(pair.ends[SERVER].sender.sample().srtt, Duration::from_millis(100));
}

// RFC 5681 §3.1, RFC 6298 §5.7
#[test]
fn a_lost_syn_ack_reduces_the_window_to_one_segment_and_raises_an_unmeasured_rto_to_3_s() {
    for (timestamps, rto_ms) in [(true, 300), (false, 3000)] {
        let end = options("modern");
        let one_segment_after = Some(HandshakeLoss::Once);
        let end = Options { profile: Profile { timestamps, one_segment_after, ..end.profile }, ..end };
        let mut pair = Pair::new(end, end);
        // the test loses the SYN ACK and not the SYN, because the server is the end that sends data
        pair.drop_packet = vec![1];
        pair.ends[CLIENT].connect().unwrap();
        pair.drive_to(1500);
        assert_eq!(pair.states(), [State::Established; 2]);
        let sample = pair.ends[SERVER].sender.sample();
        assert_eq!(sample.rto, Duration::from_millis(rto_ms), "timestamps: {timestamps}");
        pair.sent.clear();
        pair.write(SERVER, 20_000);
        pair.drive_to(1520);
        assert_eq!(pair.log(), ["sD 1500"], "timestamps: {timestamps}");
    }
}

// RFC 9293 §3.8.3: R2 of the SYN
#[test]
fn a_handshake_without_an_answer_is_given_up() {
    let mut pair = Pair::new(options("modern"), options("modern"));
    pair.drop_packet = (0..20).collect();
    pair.ends[CLIENT].connect().unwrap();
    pair.drive_to(300_000);
    assert_eq!(pair.sent.len(), 1 + 6);
    assert_eq!(pair.events[CLIENT], [Event::Closed(CloseReason::ConnectTimeout)]);
    assert_eq!(pair.ends[CLIENT].poll_timeout(), None);
}

// RFC 9293 §3.5: the packet with the ACK of the handshake is lost
#[test]
fn a_lost_ack_of_the_handshake_is_replaced_by_data_or_by_the_answer_to_a_repeated_syn_ack() {
    for written in [0, 100] {
        let mut pair = Pair::new(options("modern"), options("modern"));
        pair.drop_packet = vec![2];
        pair.ends[CLIENT].connect().unwrap();
        pair.write(CLIENT, written);
        pair.drive_to(3000);
        assert_eq!(pair.states(), [State::Established; 2]);
        assert_eq!(pair.ends[SERVER].read().len(), written);
    }
}

// RFC 9293 §3.5, figure 7
#[test]
fn a_simultaneous_open_gives_one_connection() {
    let client = |side| Connection::client(flow(side), 1500, options("modern"), INITIAL[side]);
    let mut pair = Pair::of([client(CLIENT), client(SERVER)]);
    pair.ends.iter_mut().for_each(|end| end.connect().unwrap());
    pair.drive_to(400);
    assert_eq!(pair.states(), [State::Established; 2]);
    pair.write(CLIENT, 100_000);
    pair.write(SERVER, 100_000);
    pair.drive_to(3000);
    assert_eq!((pair.ends[0].read().len(), pair.ends[1].read().len()), (100_000, 100_000));
}

// RFC 9293 §3.10.7.1, §3.10.7.3
#[test]
fn a_syn_to_a_closed_end_is_answered_with_a_reset() {
    let mut pair = Pair::new(options("modern"), options("modern"));
    pair.ends[SERVER].close();
    pair.ends[CLIENT].connect().unwrap();
    pair.drive_to(1000);
    assert_eq!(pair.log(), ["cS 0", "sR 50"]);
    assert_eq!(pair.events[CLIENT], [Event::Closed(CloseReason::PeerAbort)]);
}

// RFC 9293 §3.10.7.3: the stray segments are a reset that does not acknowledge the SYN, and an acknowledgement of
// another sequence number
#[test]
fn a_client_in_syn_sent_accepts_no_stray_segment() {
    let mut pair = Pair::new(options("modern"), options("modern"));
    pair.ends[CLIENT].connect().unwrap();
    pair.drop_packet = vec![0];
    pair.drive_to(10);
    let syn_ack = Segment { seq: 5, ack: Some(INITIAL[0]), syn: true, ..Segment::default() };
    assert_eq!(pair.inject(CLIENT, Segment { rst: true, ack: None, ..syn_ack.clone() }), []);
    let answer = pair.inject(CLIENT, syn_ack);
    assert!(answer.len() == 1 && answer[0].rst && answer[0].seq == INITIAL[0]);
    assert_eq!(pair.states()[CLIENT], State::SynSent);
}

#[test]
fn data_flows_both_ways_over_losses() {
    for name in Profile::NAMES {
        let mut pair = Pair::connected(name);
        pair.drop_packet = vec![0, 5, 6, 7, 20, 33];
        pair.write(CLIENT, 60_000);
        pair.write(SERVER, 90_000);
        pair.drive_to(60_000);
        let (client, server) = (pair.ends[CLIENT].read(), pair.ends[SERVER].read());
        assert_eq!((client, server), (vec![1; 90_000].into(), vec![0; 60_000].into()), "{name}");
        assert!(pair.events[CLIENT].contains(&Event::Readable { stream: 0 }));
    }
}

// RFC 9293 §3.8.6.3, RFC 5681 §4.2
#[test]
fn a_single_segment_is_acknowledged_after_the_delay_and_every_second_segment_at_once() {
    let mut pair = Pair::connected("classic");
    pair.write(CLIENT, 100);
    pair.drive_to(1000);
    assert_eq!(pair.log(), ["cD 200", "sA 450"]);
    pair.sent.clear();
    pair.write(CLIENT, 2 * 1448);
    pair.drive_to(2000);
    assert_eq!(pair.log(), ["cD 1000", "cD 1000", "sA 1050"]);
}

// RFC 9293 §3.9.1: the last segment of the written data has PSH
#[test]
fn the_last_segment_of_a_write_has_psh() {
    let mut pair = Pair::connected("modern");
    pair.write(CLIENT, 2 * 1448);
    pair.drive_to(220);
    assert_eq!(pair.sent.iter().map(|(_, _, segment)| segment.psh).collect::<Vec<_>>(), [false, true]);
}

/// Returns the length and the PSH flag of each segment with data that the server sends if it makes these writes and
/// closes.
fn segments_of(writes: &[usize], writes_apart: bool) -> Vec<(usize, bool)> {
    let mut pair = Pair::connected_with(options("modern"), Options { writes_apart, ..options("modern") });
    pair.sent.clear();
    writes.iter().for_each(|bytes| pair.write(SERVER, *bytes));
    pair.ends[SERVER].close();
    pair.drive_to(2000);
    assert!(pair.sent.iter().any(|(_, from, segment)| *from == SERVER && segment.fin));
    let data = pair.sent.iter().filter(|(_, from, segment)| *from == SERVER && !segment.payload.is_empty());
    data.map(|(_, _, segment)| (segment.payload.len(), segment.psh)).collect()
}

// Linux: tcp_sendmsg with TCP_NODELAY
#[test]
fn writes_that_are_apart_share_no_segment_while_the_window_is_open() {
    let writes = [100, 1500, 300];
    assert_eq!(segments_of(&writes, true), [(100, true), (1448, false), (52, true), (300, true)]);
    assert_eq!(segments_of(&writes, false), [(1448, false), (452, true)]);
}

#[test]
fn the_end_of_a_write_that_is_sent_again_has_psh_again() {
    let mut pair = Pair::connected_with(options("modern"), Options { writes_apart: true, ..options("modern") });
    pair.drop_packet = vec![0];
    [100, 1448, 300].into_iter().for_each(|bytes| pair.write(SERVER, bytes));
    pair.drive_to(2000);
    let first: Vec<_> = pair.sent.iter().filter(|(_, _, segment)| segment.payload.len() == 100).collect();
    assert_eq!(first.iter().map(|(_, _, segment)| segment.psh).collect::<Vec<_>>(), [true, true]);
    // a segment that does not end a write has no PSH, also when it is sent again
    let mut pair = Pair::connected("modern");
    pair.drop_packet = vec![0];
    pair.write(SERVER, 3000);
    pair.drive_to(2000);
    let start = pair.sent[0].2.seq;
    let first: Vec<_> = pair.sent.iter().filter(|(_, from, segment)| *from == SERVER && segment.seq == start).collect();
    assert_eq!(first.iter().map(|(_, _, segment)| segment.psh).collect::<Vec<_>>(), [false, false]);
}

#[test]
fn writes_that_wait_for_the_window_are_joined() {
    // the first window has ten segments
    let lengths: Vec<_> = segments_of(&[100, 10 * 1448, 50, 60], true).iter().map(|(bytes, _)| *bytes).collect();
    assert_eq!(lengths, [vec![100], vec![1448; 9], vec![1448, 110]].concat());
    let lengths: Vec<_> = segments_of(&[50; 20], true).iter().map(|(bytes, _)| *bytes).collect();
    assert_eq!(lengths, [vec![50; 10], vec![500]].concat());
}

#[test]
fn writes_that_wait_for_the_window_of_the_peer_are_joined() {
    let client = Options { receive_buffer_bytes: 2000, ..options("classic") };
    let mut pair = Pair::connected_with(client, Options { writes_apart: true, ..options("classic") });
    [100, 1448, 300, 300, 50].into_iter().for_each(|bytes| pair.write(SERVER, bytes));
    pair.drive_to(500);
    assert_eq!(pair.ends[CLIENT].read().len(), 1848);
    pair.drive_to(1000);
    let data = pair.sent.iter().map(|(_, _, segment)| segment.payload.len()).filter(|bytes| *bytes > 0);
    assert_eq!(data.collect::<Vec<_>>(), [100, 1448, 300, 350]);
}

#[test]
fn samples_show_the_handshake_and_the_end() {
    let mut pair = Pair::new(options("modern"), options("modern"));
    let state = |pair: &Pair, side: usize| pair.ends[side].sample().map(|sample| sample.state);
    pair.ends[CLIENT].connect().unwrap();
    pair.drive_to(60);
    assert_eq!([state(&pair, CLIENT), state(&pair, SERVER)], [Some(SenderState::Connecting); 2]);
    pair.drive_to(200);
    assert_eq!([state(&pair, CLIENT), state(&pair, SERVER)], [Some(SenderState::SlowStart); 2]);
    pair.ends[CLIENT].close();
    pair.drive_to(400);
    pair.ends[SERVER].close();
    pair.drive_to(600);
    assert_eq!(pair.states(), [State::TimeWait, State::Closed]);
    assert_eq!([state(&pair, CLIENT), state(&pair, SERVER)], [Some(SenderState::Closed); 2]);
}

// RFC 9293 §3.8.6.3: data carries the acknowledgement
#[test]
fn data_in_answer_carries_the_acknowledgement() {
    let mut pair = Pair::connected("classic");
    pair.write(CLIENT, 100);
    pair.drive_to(260);
    pair.write(SERVER, 100);
    pair.drive_to(1000);
    assert_eq!(pair.log(), ["cD 200", "sD 260", "cA 510"]);
}

// in Linux quick acknowledgements end when the application answers
#[test]
fn data_in_answer_ends_the_quick_acknowledgements() {
    for (answer, acknowledged_ms) in [(0, 450), (100, 490)] {
        let mut pair = Pair::connected("reference-d");
        pair.write(CLIENT, 100);
        pair.drive_to(250);
        pair.write(SERVER, answer);
        pair.drive_to(400);
        pair.sent.clear();
        pair.write(CLIENT, 100);
        pair.drive_to(1000);
        assert_eq!(pair.log(), ["cD 400".to_owned(), format!("sA {acknowledged_ms}")]);
    }
}

// RFC 2018 §3: a segment has as many blocks as fit beside the data, and at most three beside timestamps
#[test]
fn a_segment_has_as_many_sack_blocks_as_fit_beside_its_data() {
    let mut pair = Pair::connected("modern");
    let next = pair.next_of_client();
    for index in [1, 3, 5, 7, 9] {
        pair.inject(
            SERVER,
            Segment { seq: next.seq.wrapping_add(index * 100), payload: vec![1; 100].into(), ..next.clone() },
        );
    }
    let (now, server) = (pair.now, &mut pair.ends[SERVER]);
    // the headers take 40 of 1500 bytes, the timestamps 12, the SACK option 4, and each block 8
    for (payload, blocks) in [(0, 3), (1420, 3), (1421, 2), (1428, 2), (1429, 1), (1436, 1), (1437, 0), (1448, 0)] {
        assert_eq!(server.acknowledging(now, payload).options.sack.len(), blocks, "{payload}");
    }
}

// tcp_cleanup_rbuf: the acknowledgement is sent while the application reads, before it writes its answer
#[test]
fn in_linux_the_acknowledgement_of_what_was_read_precedes_the_answer() {
    let mut pair = Pair::connected("modern");
    // the client's answer makes the connection interactive
    pair.write(SERVER, 100);
    pair.drive_to(260);
    pair.ends[CLIENT].read();
    pair.write(CLIENT, 100);
    pair.drive_to(500);
    pair.sent.clear();
    for ms in [510, 551] {
        pair.write(SERVER, 100);
        pair.flush(SERVER);
        pair.drive_to(ms);
    }
    pair.ends[CLIENT].read();
    pair.flush(CLIENT);
    pair.drive_to(561);
    pair.ends[CLIENT].read();
    pair.write(CLIENT, 100);
    pair.flush(CLIENT);
    let of_client: Vec<_> = pair.log().into_iter().filter(|line| line.starts_with('c')).collect();
    assert_eq!(of_client, ["cA 561", "cD 561"]);
}

#[test]
fn in_linux_data_carries_an_acknowledgement_that_was_not_caused_by_reading() {
    let mut pair = Pair::connected("modern");
    let data = Segment { payload: vec![7; 100].into(), ..pair.next_of_client() };
    assert_eq!(pair.inject(SERVER, data.clone()).len(), 1, "a quick acknowledgement");
    pair.write(SERVER, 100);
    let next = Segment { seq: data.seq.wrapping_add(100), ..data };
    let answers: Vec<usize> = pair.inject(SERVER, next).iter().map(|answer| answer.payload.len()).collect();
    assert_eq!(answers, [100]);
}

/// Returns a pair whose server has no quick acknowledgements left and is not interactive, and the next segment of the
/// client, without data.
fn patient_server() -> (Pair, Segment) {
    let mut pair = Pair::connected("modern");
    pair.ends[SERVER].acks.handle_half_full();
    let next = pair.next_of_client();
    (pair, next)
}

/// Returns `bytes` bytes of data `offset` bytes after the beginning of `next`.
fn data(next: &Segment, offset: i32, bytes: usize, psh: bool) -> Segment {
    Segment { seq: next.seq.wrapping_add_signed(offset), payload: vec![7; bytes].into(), psh, ..next.clone() }
}

/// The server reads. Returns how many acknowledgements it sends for that reason.
fn acknowledged_when_read(pair: &mut Pair) -> usize {
    let before = pair.sent.len();
    pair.ends[SERVER].read();
    pair.flush(SERVER);
    pair.sent.len() - before
}

// tcp_measure_rcv_mss
#[test]
fn in_linux_a_full_segment_is_acknowledged_when_it_is_read_only_if_it_has_psh() {
    for psh in [false, true] {
        let (mut pair, next) = patient_server();
        assert_eq!(pair.inject(SERVER, data(&next, 0, 1448, psh)).len(), 0);
        assert_eq!(acknowledged_when_read(&mut pair), usize::from(psh), "{psh}");
    }
}

// tcp_data_queue: of a segment that is partly old, the whole size counts
#[test]
fn in_linux_a_small_segment_that_is_partly_old_is_acknowledged_when_it_is_read() {
    let (mut pair, next) = patient_server();
    assert_eq!(pair.inject(SERVER, data(&next, 0, 1448, false)).len(), 0);
    assert_eq!(acknowledged_when_read(&mut pair), 0);
    let overlapping = data(&next, 1348, 300, false);
    pair.ends[SERVER].acks.sent();
    assert_eq!(pair.inject(SERVER, overlapping).len(), 0);
    assert_eq!(acknowledged_when_read(&mut pair), 1);
}

// tcp_data_queue_ofo of Linux 6.12 does not call tcp_measure_rcv_mss
#[test]
fn in_linux_the_size_of_a_full_segment_is_not_learnt_beyond_a_gap() {
    for (is_beyond_gap, acks) in [(true, [0, 1]), (false, [0, 0])] {
        let (mut pair, next) = patient_server();
        // a segment with 1448 bytes arrives before or after 100 other bytes
        let [small, large] = [data(&next, 0, 100, false), data(&next, 100, 1448, false)];
        for segment in if is_beyond_gap { [large, small] } else { [small, large] } {
            pair.inject(SERVER, segment);
            pair.ends[SERVER].acks.sent();
        }
        // two segments with 400 bytes are more than one full segment of 536 bytes, and less than one of 1448 bytes
        let sent = [1548, 1948].map(|offset| pair.inject(SERVER, data(&next, offset, 400, false)).len());
        assert_eq!(sent, acks, "{is_beyond_gap}");
    }
}

// RFC 2018 §4
// __tcp_ack_snd_check
#[test]
fn in_linux_acknowledgements_without_sack_do_not_wait_for_further_segments() {
    for (sack, acks) in [(true, 3), (false, 6)] {
        let client = Options::new(Profile { sack, ..options("modern").profile });
        let mut pair = Pair::connected_with(client, options("modern"));
        pair.ends[SERVER].acks.handle_half_full();
        let next = pair.next_of_client();
        let answered = (1..=6).filter(|index| {
            let seq = next.seq.wrapping_add(index * 100);
            !pair.inject(SERVER, Segment { seq, payload: vec![7; 100].into(), ..next.clone() }).is_empty()
        });
        assert_eq!(answered.count(), acks, "{sack}");
    }
}

/// Returns options with which the receive window starts small and grows.
fn tuned() -> Options {
    Options::new(Profile { timers: TimerRule::Exact, ..Profile::named("modern").unwrap() })
}

// tcp_grow_window
#[test]
fn in_linux_a_segment_that_raises_the_window_is_acknowledged_at_once() {
    for (bytes, acks) in [(100, 0), (200, 1)] {
        let mut pair = Pair::connected_with(tuned(), tuned());
        pair.ends[SERVER].acks.handle_half_full();
        let data = Segment { payload: vec![7; bytes].into(), ..pair.next_of_client() };
        assert_eq!(pair.inject(SERVER, data).len(), acks, "{bytes}");
    }
}

// __tcp_select_window
#[test]
fn in_linux_acknowledgements_of_a_half_full_buffer_end_quick_ones() {
    let mut pair = Pair::connected_with(tuned(), Options { receive_buffer_bytes: 4000, ..tuned() });
    let next = pair.next_of_client();
    let acks = [(0, 1448), (1448, 1448), (2896, 500)].map(|(offset, bytes): (u32, usize)| {
        let data = Segment { seq: next.seq.wrapping_add(offset), payload: vec![7; bytes].into(), ..next.clone() };
        pair.inject(SERVER, data).len()
    });
    assert_eq!(acks, [1, 1, 0]);
}

// tcp_sack_new_ofo_skb
#[test]
fn in_linux_segments_that_wait_are_acknowledged_before_a_segment_of_the_third_block() {
    let mut pair = Pair::connected("modern");
    pair.ends[SERVER].acks.handle_half_full();
    let next = pair.next_of_client();
    let mut arrive = |index: u32| -> Vec<u32> {
        let seq = next.seq.wrapping_add(index * 100);
        let answers = pair.inject(SERVER, Segment { seq, payload: vec![7; 100].into(), ..next.clone() });
        let latest = |answer: &Segment| answer.options.sack[0].0.wrapping_sub(next.seq) / 100;
        answers.iter().map(latest).collect()
    };
    assert_eq!([1, 3, 5].map(&mut arrive), [[1], [3], [5]]);
    assert_eq!([7, 8].map(&mut arrive), [[0; 0]; 2], "no segment waits when 7 arrives, and 8 is in the first block");
    assert_eq!(arrive(10), [7], "without the block of segment 10");
    assert_eq!(arrive(6), [], "the second block");
    assert_eq!(arrive(2), [5], "the third block");
}

#[test]
fn segments_beyond_a_gap_are_reported_in_sack_blocks() {
    let mut pair = Pair::connected("classic");
    pair.drop_packet = vec![0];
    pair.write(CLIENT, 3 * 1448);
    pair.drive_to(260);
    let first = INITIAL[0].wrapping_add(1);
    let block = |to: u32| vec![(first.wrapping_add(1448), first.wrapping_add(to * 1448))];
    let acks: Vec<_> = pair.sent[3..].iter().map(|(_, _, ack)| (ack.ack, ack.options.sack.clone())).collect();
    assert_eq!(acks, [(Some(first), block(2)), (Some(first), block(3))]);
}

// RFC 9293 §3.6.1, figure 12
#[test]
fn one_side_closes_and_then_the_other() {
    for first in [CLIENT, SERVER] {
        let second = 1 - first;
        let mut pair = Pair::connected("modern");
        pair.ends[first].close();
        pair.drive_to(400);
        assert_eq!((pair.states()[first], pair.states()[second]), (State::FinWait2, State::CloseWait));
        assert_eq!(pair.events[second].last(), Some(&Event::PeerClosed));
        // the connection is half closed: the other end may still write
        pair.write(second, 5000);
        pair.ends[second].close();
        pair.drive_to(1000);
        assert_eq!(pair.ends[first].read().len(), 5000);
        assert_eq!((pair.states()[first], pair.states()[second]), (State::TimeWait, State::Closed));
        for events in &pair.events {
            assert_eq!(events.last(), Some(&Event::Closed(CloseReason::Finished)));
            assert_eq!(events.iter().filter(|event| **event == Event::PeerClosed).count(), 1);
        }
        pair.drive_to(70_000);
        assert_eq!(pair.states()[first], State::Closed);
        assert!(pair.ends.iter().all(|end| end.poll_timeout().is_none()));
    }
}

// RFC 9293 §3.6.1, figure 13
#[test]
fn both_sides_close_at_once() {
    let mut pair = Pair::connected("modern");
    pair.ends.iter_mut().for_each(Connection::close);
    pair.drive_to(255);
    assert_eq!(pair.states(), [State::Closing; 2]);
    pair.drive_to(500);
    assert_eq!(pair.states(), [State::TimeWait; 2]);
    assert_eq!(pair.log(), ["cF 200", "sF 200", "sA 250", "cA 250"]);
}

// RFC 9293 §3.10.7.4, eighth check
#[test]
fn a_fin_whose_acknowledgement_was_lost_is_answered_in_every_state() {
    // the acknowledgement of the client's FIN is lost, so the FIN arrives again when the server is in CLOSE-WAIT
    let mut pair = Pair::connected("modern");
    pair.drop_packet = vec![1];
    pair.ends[CLIENT].close();
    pair.drive_to(2000);
    assert_eq!(pair.states(), [State::FinWait2, State::CloseWait]);
    // the acknowledgement of the server's FIN is lost, so the FIN arrives again when the client is in TIME-WAIT, which
    // then starts again
    pair.sent.clear();
    pair.ends[SERVER].close();
    pair.drive_to(5000);
    assert_eq!(pair.states(), [State::TimeWait, State::Closed]);
    let again = pair.sent.iter().filter(|(_, from, segment)| *from == SERVER && segment.fin).count();
    assert_eq!(again, 2);
    assert!(pair.ends[CLIENT].time_wait_until > Some(SimTime::from_ms(62_200)));
}

// RFC 9293 §3.10.7.4: the FIN uses the last sequence number of the window; empty segments after it are acceptable
// although the window is closed
#[test]
fn a_fin_at_the_end_of_the_window_starts_no_exchange_of_acknowledgements() {
    let small = Options { receive_buffer_bytes: 1024, ..options("classic") };
    let mut pair = Pair::connected_with(small, small);
    for side in [CLIENT, SERVER] {
        pair.write(side, 1023);
        pair.ends[side].close();
    }
    pair.drive_to(10_000);
    assert_eq!(pair.states(), [State::TimeWait; 2]);
    assert!(pair.sent.len() < 12, "{:?}", pair.log());
}

// RFC 9293 §3.10.7.4: the data that filled each window is lost, so acknowledgements have the sequence number of the
// window's right edge
#[test]
fn windows_filled_both_ways_start_no_exchange_of_acknowledgements() {
    let small = Options { receive_buffer_bytes: 1024, ..options("classic") };
    let mut pair = Pair::connected_with(small, small);
    pair.drop_packet = vec![0, 1];
    pair.write(CLIENT, 1024);
    pair.write(SERVER, 1024);
    pair.drive_to(300);
    let old = Segment { seq: INITIAL[0], ..pair.next_of_client() };
    assert_eq!(pair.inject(SERVER, old).len(), 1);
    pair.drive_to(900);
    assert_eq!(pair.log(), ["cD 200", "sD 200", "sA 300"]);
    pair.drive_to(3000);
    assert_eq!((pair.ends[0].read().len(), pair.ends[1].read().len()), (1024, 1024));
}

// RFC 9293 §3.10.4
#[test]
fn a_close_in_syn_sent_ends_the_connection_and_in_syn_received_sends_a_fin() {
    let mut pair = Pair::new(options("modern"), options("modern"));
    pair.ends[CLIENT].connect().unwrap();
    pair.drive_to(10);
    pair.ends[CLIENT].close();
    assert_eq!((pair.states()[CLIENT], pair.ends[CLIENT].poll_timeout()), (State::Closed, None));

    let mut pair = Pair::new(options("modern"), options("modern"));
    pair.ends[CLIENT].connect().unwrap();
    pair.drive_to(60);
    assert_eq!(pair.states()[SERVER], State::SynReceived);
    pair.ends[SERVER].close();
    pair.drive_to(400);
    assert_eq!(pair.states(), [State::CloseWait, State::FinWait2]);
}

// RFC 5961 §3.2
#[test]
fn only_a_reset_at_rcv_nxt_is_accepted() {
    let mut pair = Pair::connected("modern");
    let reset = Segment { rst: true, ..pair.next_of_client() };
    let at = |by: i32| Segment { seq: reset.seq.wrapping_add_signed(by), ..reset.clone() };
    assert_eq!(pair.inject(SERVER, at(-1)), []);
    assert_eq!(pair.inject(SERVER, at(-100_000)), []);
    assert_eq!(pair.inject(SERVER, at(10_000_000)), [], "beyond the window");
    let challenge = pair.inject(SERVER, at(1));
    assert!(challenge.len() == 1 && !challenge[0].rst && challenge[0].ack == Some(reset.seq));
    assert_eq!(pair.states()[SERVER], State::Established);
    assert_eq!(pair.inject(SERVER, at(0)), []);
    pair.flush(SERVER);
    assert_eq!(pair.events[SERVER].last(), Some(&Event::Closed(CloseReason::PeerAbort)));
}

// RFC 5961 §4.2
#[test]
fn a_syn_in_an_established_connection_is_answered_with_a_challenge_ack() {
    let mut pair = Pair::connected("modern");
    let next = pair.next_of_client();
    for seq in [next.seq, next.seq.wrapping_add(500), next.seq.wrapping_sub(5000)] {
        let challenge = pair.inject(SERVER, Segment { seq, syn: true, ack: None, ..next.clone() });
        assert!(challenge.len() == 1 && challenge[0].ack == Some(next.seq) && !challenge[0].rst);
    }
    assert_eq!(pair.states()[SERVER], State::Established);
}

// RFC 9293 §3.10.7.4, fifth check
#[test]
fn a_segment_that_acknowledges_unsent_data_is_answered_and_its_data_is_dropped() {
    let mut pair = Pair::connected("modern");
    let next = pair.next_of_client();
    let ack = next.ack.map(|ack| ack.wrapping_add(1));
    let answer = pair.inject(SERVER, Segment { ack, payload: vec![1; 10].into(), ..next.clone() });
    assert!(answer.len() == 1 && answer[0].ack == Some(next.seq));
    assert!(pair.ends[SERVER].read().is_empty());
}

// RFC 7323 §5.3
#[test]
fn a_segment_with_an_older_timestamp_is_acknowledged_and_dropped() {
    let mut pair = Pair::connected("modern");
    let next = pair.next_of_client();
    let (value, echo) = next.options.timestamps.unwrap();
    // the first segment is in order, so that it sets TS.Recent
    let with = |seq: u32, value: u32, payload: Vec<u8>| {
        let options = SegmentOptions { timestamps: Some((value, echo)), ..SegmentOptions::default() };
        Segment { seq, options, payload: payload.into(), ..next.clone() }
    };
    pair.inject(SERVER, with(next.seq, value + 10, vec![1; 10]));
    let later = next.seq.wrapping_add(10);
    let answer = pair.inject(SERVER, with(later, value + 9, vec![1; 10]));
    assert!(answer.len() == 1 && answer[0].ack == Some(later), "{answer:?}");
    assert_eq!(pair.ends[SERVER].read().len(), 10);
    pair.inject(SERVER, with(later, value + 10, vec![1; 10]));
    assert_eq!(pair.ends[SERVER].read().len(), 10);
}

// RFC 7323 §4.3, and the deviation of Linux and FreeBSD from §5.3
#[test]
fn the_timestamp_of_a_repeated_segment_is_echoed_if_the_segment_ends_at_the_last_acknowledgement() {
    let mut pair = Pair::connected("classic");
    let next = pair.next_of_client();
    let (value, echo) = next.options.timestamps.unwrap();
    let mut echoed = |by: u32, value: u32| {
        let options = SegmentOptions { timestamps: Some((value, echo)), ..SegmentOptions::default() };
        let segment = Segment { seq: next.seq.wrapping_add(by), options, payload: vec![1; 10].into(), ..next.clone() };
        pair.inject(SERVER, segment).last().map(|answer| answer.options.timestamps.unwrap().1)
    };
    echoed(0, value + 1);
    // the segment had not been acknowledged when it was repeated
    assert_eq!(echoed(0, value + 2), Some(value + 1));
    assert_eq!(echoed(0, value + 1000), Some(value + 1000));
    echoed(10, value + 1001);
    assert_eq!(echoed(10, value + 1002), Some(value + 1001));
    // the segment ends below the last acknowledgement
    assert_eq!(echoed(0, value + 2000), Some(value + 1001));
    // PAWS drops the segment
    assert_eq!(echoed(10, value + 5), Some(value + 1001));
}

// RFC 7323 §4.3: PAWS does not drop a segment that was overtaken
#[test]
fn reordered_segments_pass_paws() {
    let mut pair = Pair::connected("modern");
    let next = pair.next_of_client();
    let (value, echo) = next.options.timestamps.unwrap();
    for (by, value) in [(100, value + 5), (0, value)] {
        let options = SegmentOptions { timestamps: Some((value, echo)), ..SegmentOptions::default() };
        pair.inject(SERVER, Segment { seq: next.seq + by, options, payload: vec![1; 100].into(), ..next.clone() });
    }
    assert_eq!(pair.ends[SERVER].read().len(), 200);
}

// RFC 9293 §3.10.7.4: SND.WL1
#[test]
fn an_old_segment_does_not_reopen_a_closed_window() {
    let mut pair = Pair::connected("modern");
    pair.write(CLIENT, 10);
    pair.drive_to(400);
    let next = pair.next_of_client();
    pair.inject(SERVER, Segment { window: 0, ..next.clone() });
    pair.inject(SERVER, Segment { seq: next.seq.wrapping_sub(5), window: 500, payload: vec![1; 5].into(), ..next });
    pair.sent.clear();
    pair.write(SERVER, 100);
    pair.flush(SERVER);
    assert_eq!(pair.log(), [""; 0]);
}

// RFC 9293 §3.8.6, §3.8.6.1
#[test]
fn a_full_receive_buffer_stops_the_sender_and_a_read_restarts_it() {
    for lost in [false, true] {
        let server = Options { receive_buffer_bytes: 10_000, ..options("modern") };
        let mut pair = Pair::connected_with(options("modern"), server);
        pair.write(CLIENT, 30_000);
        pair.ends[CLIENT].close();
        pair.drive_to(5000);
        assert_eq!(pair.ends[SERVER].receiver.readable_bytes(), 10_000);
        if lost {
            pair.drop_packet = vec![pair.sent.len()];
        }
        let mut read = pair.ends[SERVER].read().len();
        pair.drive_to(if lost { 20_000 } else { 5400 });
        assert!(pair.ends[SERVER].receiver.readable_bytes() > 0, "lost: {lost}");
        for second in 21..30 {
            read += pair.ends[SERVER].read().len();
            pair.drive_to(second * 1000);
        }
        assert_eq!((read, pair.states()[SERVER]), (30_000, State::CloseWait));
    }
}

// RFC 9293 §3.8.6.2.2
#[test]
fn a_small_read_causes_no_window_update() {
    let server = Options { receive_buffer_bytes: 10_000, ..options("modern") };
    let mut pair = Pair::connected_with(options("modern"), server);
    pair.write(CLIENT, 2000);
    pair.drive_to(1000);
    pair.sent.clear();
    pair.ends[SERVER].read();
    pair.drive_to(2000);
    assert_eq!(pair.log(), [""; 0]);
}

// RFC 9293 §3.8.4: keepalive is off
#[test]
fn an_idle_connection_has_no_timer() {
    let mut pair = Pair::connected("modern");
    pair.write(CLIENT, 100_000);
    pair.drive_to(10_000);
    assert_eq!([pair.ends[0].poll_timeout(), pair.ends[1].poll_timeout()], [None, None]);
}

// RFC 9293 §3.9.1
#[test]
fn calls_in_a_wrong_state_are_refused() {
    let mut pair = Pair::connected("modern");
    assert_eq!(pair.ends[CLIENT].connect(), Err(Error::NotIdle));
    assert_eq!(pair.ends[SERVER].connect(), Err(Error::NotIdle));
    pair.ends[CLIENT].close();
    pair.ends[CLIENT].close();
    assert_eq!(pair.ends[CLIENT].write(&[1]), Err(Error::Closed));
    pair.ends[SERVER].abort();
    assert_eq!(pair.ends[SERVER].write(&[1]), Err(Error::Closed));
    assert!(pair.ends[SERVER].read().is_empty());
}

#[test]
fn a_write_accepts_what_fits_and_writable_is_reported_when_there_is_room() {
    let client = Options { send_buffer_bytes: 5000, low_water_bytes: 1000, ..options("modern") };
    let mut pair = Pair::connected_with(client, options("modern"));
    assert_eq!(pair.ends[CLIENT].write(&[0; 8000]), Ok(5000));
    assert_eq!(pair.ends[CLIENT].buffered_bytes(), 5000);
    pair.drive_to(1000);
    assert_eq!(pair.events[CLIENT].iter().filter(|event| **event == Event::Writable).count(), 1);
    assert_eq!(pair.ends[CLIENT].buffered_bytes(), 0);
}

// RFC 9293 §3.10.5
#[test]
fn an_abort_resets_the_peer() {
    let mut pair = Pair::connected("modern");
    pair.write(CLIENT, 100_000);
    pair.drive_to(220);
    pair.ends[CLIENT].abort();
    pair.drive_to(1000);
    assert_eq!(pair.states(), [State::Closed; 2]);
    assert_eq!(pair.events[CLIENT].last(), Some(&Event::Closed(CloseReason::LocalAbort)));
    assert_eq!(pair.events[SERVER].last(), Some(&Event::Closed(CloseReason::PeerAbort)));
    assert!(pair.ends.iter().all(|end| end.poll_timeout().is_none()));
}

// RFC 9293 §3.10.5: there is no peer yet, or both ends have finished
#[test]
fn an_abort_before_the_handshake_and_after_the_close_sends_nothing() {
    let mut pair = Pair::new(options("modern"), options("modern"));
    pair.ends[SERVER].abort();
    pair.ends[CLIENT].connect().unwrap();
    pair.drive_to(10);
    pair.ends[CLIENT].abort();
    pair.drive_to(40);
    assert_eq!(pair.log(), ["cS 0"]);
    let mut pair = Pair::connected("modern");
    pair.ends.iter_mut().for_each(Connection::close);
    pair.drive_to(1000);
    pair.sent.clear();
    pair.ends[CLIENT].abort();
    pair.ends[SERVER].abort();
    pair.drive_to(2000);
    assert_eq!(pair.log(), [""; 0]);
}

// RFC 9293 §3.10.5, §3.10.7.4: the end was already reported when TIME-WAIT began
#[test]
fn the_end_is_reported_once() {
    for reset in [false, true] {
        let mut pair = Pair::connected("modern");
        pair.ends.iter_mut().for_each(Connection::close);
        pair.drive_to(1000);
        assert_eq!(pair.states(), [State::TimeWait; 2]);
        if reset {
            let segment = Segment { rst: true, ..pair.next_of_client() };
            pair.inject(SERVER, segment);
        } else {
            pair.ends[SERVER].abort();
        }
        pair.flush(SERVER);
        assert_eq!(pair.states()[SERVER], State::Closed);
        let closed = |event: &&Event| matches!(event, Event::Closed(_));
        assert_eq!(pair.events[SERVER].iter().filter(closed).count(), 1);
        assert_eq!(pair.ends[SERVER].poll_timeout(), None);
    }
}

// RFC 9293 §3.8.3: R2
#[test]
fn data_without_an_answer_is_given_up_with_a_reset() {
    let mut pair = Pair::connected("modern");
    pair.drop_packet = (0..100).collect();
    pair.write(CLIENT, 100);
    pair.drive_to(2_000_000);
    assert_eq!(pair.events[CLIENT].last(), Some(&Event::Closed(CloseReason::DataTimeout)));
    assert!(pair.sent.last().is_some_and(|(_, _, segment)| segment.rst));
    assert!(pair.sent.len() <= 1 + 1 + 15 + 1, "{:?}", pair.log());
}

// RFC 9293 §3.8.6.2.2: after its FIN the peer sends nothing more, so it needs no window update
#[test]
fn reading_after_the_fin_sends_nothing() {
    let server = Options { receive_buffer_bytes: 4000, ..options("modern") };
    let mut pair = Pair::connected_with(options("modern"), server);
    pair.write(CLIENT, 3900);
    pair.ends[CLIENT].close();
    pair.drive_to(1000);
    pair.sent.clear();
    assert_eq!(pair.ends[SERVER].read().len(), 3900);
    pair.drive_to(2000);
    assert_eq!(pair.log(), [""; 0]);
}

/// Returns the server's acknowledgement of the client's first `bytes` bytes of data.
fn acknowledgement_of(pair: &Pair, bytes: u64) -> Segment {
    let server = &pair.ends[SERVER];
    let options = SegmentOptions { timestamps: Some(server.timestamps.option(pair.now)), ..SegmentOptions::default() };
    let ack = Some(pair.ends[CLIENT].local.wrap(1 + bytes));
    Segment { ack, window: 1000, options, ..server.bare_segment() }
}

#[test]
fn writable_is_reported_when_the_buffer_falls_to_the_low_water_mark() {
    let client = Options { send_buffer_bytes: 5000, low_water_bytes: 1000, ..options("modern") };
    let is_reported = |pair: &Pair| pair.events[CLIENT].contains(&Event::Writable);
    for (written, acknowledged, expected) in
        [(1000, 1000, false), (1001, 1000, true), (3000, 1999, false), (3000, 2000, true)]
    {
        let mut pair = Pair::connected_with(client, options("modern"));
        pair.write(CLIENT, written);
        pair.flush(CLIENT);
        pair.inject(CLIENT, acknowledgement_of(&pair, acknowledged));
        assert_eq!(is_reported(&pair), expected, "{acknowledged} of {written}");
    }
    // if a write was cut, `writable` is reported even if the buffer never exceeded the mark
    let mut pair = Pair::connected_with(Options { low_water_bytes: 5000, ..client }, options("modern"));
    assert_eq!(pair.ends[CLIENT].write(&[0; 5001]), Ok(5000));
    pair.drive_to(1000);
    assert!(is_reported(&pair));
    let mut pair = Pair::connected_with(Options { low_water_bytes: 5000, ..client }, options("modern"));
    pair.write(CLIENT, 5000);
    pair.drive_to(1000);
    assert!(!is_reported(&pair), "the write was not cut, and the buffer did not exceed the mark");
}

// RFC 7323 §2.2: the SYN ACK has the option only if the SYN had it
#[test]
fn a_syn_ack_has_a_window_scale_if_the_syn_had_one() {
    for (offered, buffer, answered) in
        [(None, 4 << 20, None), (None, 32 << 10, None), (Some(0), 4 << 20, Some(7)), (Some(3), 32 << 10, Some(0))]
    {
        let server = Options { receive_buffer_bytes: buffer, ..options("modern") };
        let mut pair = Pair::new(options("modern"), server);
        let with = SegmentOptions { window_scale: offered, ..SegmentOptions::default() };
        let answer = pair.inject(SERVER, Segment { seq: 5, syn: true, options: with, ..Segment::default() });
        assert_eq!(answer[0].options.window_scale, answered, "{offered:?} {buffer}");
    }
}

// RFC 2883 §4: only data is reported as a duplicate
#[test]
fn an_old_segment_is_reported_as_a_duplicate_if_it_has_data() {
    let mut pair = Pair::connected("modern");
    pair.write(CLIENT, 1000);
    pair.drive_to(1000);
    let next = pair.next_of_client();
    let old = Segment { seq: next.seq.wrapping_sub(500), ..next.clone() };
    let empty = pair.inject(SERVER, old.clone());
    assert_eq!((empty.len(), &empty[0].options.sack[..]), (1, &[][..]));
    let data = pair.inject(SERVER, Segment { payload: vec![1; 200].into(), ..old.clone() });
    assert_eq!(data[0].options.sack, [(old.seq, old.seq.wrapping_add(200))]);
    assert_eq!(pair.inject(SERVER, Segment { rst: true, ..old }), [], "a reset is not answered");
}

#[test]
fn the_acknowledgement_in_an_old_segment_counts_unless_the_segment_is_a_syn() {
    for (syn, buffered) in [(false, 0), (true, 1000)] {
        let mut pair = Pair::connected("modern");
        pair.write(CLIENT, 1000);
        pair.flush(CLIENT);
        let ack = acknowledgement_of(&pair, 1000);
        let old = Segment { seq: ack.seq.wrapping_sub(1), syn, ..ack };
        pair.inject(CLIENT, old);
        assert_eq!(pair.ends[CLIENT].buffered_bytes(), buffered, "SYN: {syn}");
    }
}

#[test]
fn a_segment_of_another_flow_is_ignored_as_bytes_and_as_a_value() {
    let ours = flow(CLIENT).reversed();
    let other_port = |mut address: SocketAddrV4| {
        address.set_port(address.port() + 1);
        address
    };
    let others = [
        flow(CLIENT),
        Flow { local: other_port(ours.local), ..ours },
        Flow { remote: other_port(ours.remote), ..ours },
        ours,
    ];
    for (index, flow) in others.into_iter().enumerate() {
        for typed in [false, true] {
            let mut pair = Pair::connected("modern");
            let reset = Segment { rst: true, ..pair.ends[SERVER].bare_segment() };
            let packet = SegmentPacket { flow, identification: 0, ecn: Ecn::NotEct, segment: reset };
            let now = pair.now;
            match typed {
                true => pair.ends[CLIENT].handle_typed(now, Box::new(packet)),
                false => pair.ends[CLIENT].handle_packet(now, &packet.to_wire()),
            }
            let is_ours = index == 3;
            assert_eq!(pair.states()[CLIENT] == State::Closed, is_ours, "{index} {typed}");
        }
    }
}

/// Options with ECN.
fn with_ecn(name: &str, ecn: EcnMode) -> Options {
    Options { ecn, ..options(name) }
}

impl Pair {
    /// Returns the sender of each segment, and its three ECN flags as a number of three bits.
    fn ecn_flags(&self) -> Vec<(usize, u8)> {
        self.sent.iter().map(|(_, from, segment)| (*from, segment.ecn_flags.number())).collect()
    }

    /// Marks all packets in flight that are ECN-capable (not Not-ECT). Returns the number of these packets.
    fn mark(&mut self) -> usize {
        let capable = self.in_flight.iter_mut().filter(|(.., packet)| Ecn::of_packet(packet) != Ecn::NotEct);
        capable.map(|(.., packet)| crate::packet::set_codepoint(packet, Ecn::Ce)).count()
    }
}

// RFC 3168 §6.1.1, RFC 9768 §3.1.1
#[test]
fn ecn_is_negotiated_in_the_flags_of_the_handshake() {
    for (ecn, handshake) in [
        (EcnMode::Off, [(CLIENT, 0), (SERVER, 0), (CLIENT, 0)]),
        (EcnMode::Classic, [(CLIENT, 0b011), (SERVER, 0b001), (CLIENT, 0)]),
        (EcnMode::L4s, [(CLIENT, 0b111), (SERVER, 0b010), (CLIENT, 0b010)]),
    ] {
        let mut pair = Pair::new(with_ecn("modern", ecn), with_ecn("modern", ecn));
        pair.ends[CLIENT].connect().unwrap();
        pair.drive_to(200);
        assert_eq!(pair.ecn_flags(), handshake, "{ecn:?}");
        assert_eq!([CLIENT, SERVER].map(|side| pair.ends[side].ecn.agreed()), [ecn; 2]);
    }
}

// RFC 3168 §6.1.2, §6.1.3
#[test]
fn a_mark_is_echoed_until_the_sender_says_that_it_has_reduced_its_window() {
    let classic = with_ecn("modern", EcnMode::Classic);
    let mut pair = Pair::connected_with(classic, classic);
    pair.ends[SERVER].write(&[7; 100_000]).unwrap();
    pair.flush(SERVER);
    assert_eq!(pair.mark(), 10);
    pair.drive_to(1000);
    let flags = pair.ecn_flags();
    let cwr = flags.iter().position(|flags| *flags == (SERVER, 0b010)).unwrap();
    assert_eq!(flags.iter().filter(|flags| **flags == (SERVER, 0b010)).count(), 1, "{flags:?}");
    let acks: Vec<u8> = flags.iter().filter(|(from, _)| *from == CLIENT).map(|(_, number)| *number).collect();
    let echoes = acks.iter().take_while(|number| **number == 1).count();
    assert!(echoes >= 10, "{acks:?}");
    assert!(acks.len() > echoes && acks[echoes..].iter().all(|number| *number == 0), "{acks:?}");
    assert!(cwr > 10);
    assert_eq!(pair.ends[CLIENT].read().len(), 100_000);
}

// RFC 9768 §3.2.2
#[test]
fn marks_are_counted_in_acknowledgements_with_accurate_feedback() {
    let l4s = with_ecn("modern", EcnMode::L4s);
    let mut pair = Pair::connected_with(l4s, l4s);
    pair.ends[SERVER].write(&[7; 4000]).unwrap();
    pair.flush(SERVER);
    assert_eq!(pair.mark(), 3);
    pair.drive_to(400);
    let (last, number) = *pair.ecn_flags().last().unwrap();
    assert_eq!((last, number), (CLIENT, (5 + 3) % 8));
}
