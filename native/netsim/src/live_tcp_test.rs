use std::net::{Ipv4Addr, SocketAddrV4};
use std::time::Duration;

use super::*;
use crate::endpoint::CloseReason;
use crate::tcp::{Options, Profile, open_client, open_server};
use crate::trace::{Fate, PacketKind};

fn flow() -> Flow {
    let address = |port| SocketAddrV4::new(Ipv4Addr::LOCALHOST, port);
    Flow { local: address(40_000), remote: address(80) }
}

fn options() -> Options {
    Options::new(Profile::named("modern").unwrap())
}

/// A client and a server. The RTT is 25 ms.
struct Pair {
    now: SimTime,
    client: LiveEnd,
    server: LiveEnd,
}

impl Pair {
    fn new() -> Pair {
        let recording = Recording { bytes: false, ..Recording::ALL };
        let up = LivePlace { flow: flow(), protocol: ip::TCP, direction: Direction::Up, endpoint: 0, peer: 1 };
        let down = LivePlace { flow: flow().reversed(), direction: Direction::Down, endpoint: 1, peer: 0, ..up };
        let client = open_client(up.flow, 1492, 1, options()).unwrap();
        let server = open_server(down.flow, 1492, 2, options()).unwrap();
        let mut pair = Pair {
            now: SimTime::ZERO,
            client: LiveEnd::new(Box::new(client), up, recording),
            server: LiveEnd::new(Box::new(server), down, recording),
        };
        pair.client.transport().connect().unwrap();
        pair.exchange(|_| false);
        pair
    }

    /// Carries packets in both directions for 10 s. A packet from the server is lost if `drop` returns true for its
    /// number.
    fn exchange(&mut self, drop: impl Fn(usize) -> bool) {
        let mut down = 0;
        for _ in 0..400 {
            let sent: Vec<_> = std::iter::from_fn(|| self.server.poll_transmit(self.now)).collect();
            self.now += Duration::from_millis(25);
            self.client.handle_timeout(self.now);
            for packet in sent {
                if !drop(down) {
                    self.client.handle_packet(self.now, &packet);
                }
                down += 1;
            }
            let sent: Vec<_> = std::iter::from_fn(|| self.client.poll_transmit(self.now)).collect();
            self.server.handle_timeout(self.now);
            sent.iter().for_each(|packet| self.server.handle_packet(self.now, packet));
        }
    }

    /// The server writes `bytes` bytes, and the client receives all of them.
    fn download(&mut self, bytes: usize, drop: impl Fn(usize) -> bool) {
        let written: Vec<u8> = (0..bytes).map(|at| (at % 251) as u8).collect();
        assert_eq!(self.server.transport().write(0, &written), Ok(bytes));
        self.exchange(drop);
        assert!(self.client.transport().read(0).unwrap() == written);
    }
}

/// The chunks that `from` sent, as `end` has recorded them: (first, bytes).
fn chunks(end: &LiveEnd, from: u32) -> Vec<(u64, u32)> {
    let trace = &end.trace().packets;
    let rows = 0..trace.chunks.first.len();
    let of = rows.filter(|row| trace.packets.endpoint[trace.chunks.packet[*row] as usize] == from);
    of.map(|row| (trace.chunks.first[row], trace.chunks.bytes[row])).collect()
}

fn kinds(end: &LiveEnd, from: u32) -> Vec<u8> {
    let packets = &end.trace().packets.packets;
    (0..packets.kind.len()).filter(|row| packets.endpoint[*row] == from).map(|row| packets.kind[row]).collect()
}

fn acknowledgements(end: &LiveEnd, from: u32) -> Vec<u64> {
    let packets = &end.trace().packets.packets;
    let rows = (0..packets.kind.len()).filter(|row| packets.endpoint[*row] == from);
    rows.map(|row| packets.cumulative_ack[row]).collect()
}

#[test]
fn arrivals_are_recorded_as_the_sender_records_them() {
    let mut pair = Pair::new();
    pair.download(20_000, |_| false);
    assert!(chunks(&pair.client, 1).len() > 10);
    assert_eq!(chunks(&pair.client, 1), chunks(&pair.server, 1));
    assert_eq!(kinds(&pair.client, 1), kinds(&pair.server, 1));
    assert_eq!(acknowledgements(&pair.client, 0), acknowledgements(&pair.server, 0));
    assert_eq!(acknowledgements(&pair.server, 0).last(), Some(&20_000));
    assert!(pair.client.trace().packets.packets.fate.contains(&(Fate::Delivered as u8)));
}

#[test]
fn a_segment_that_arrives_after_later_bytes_is_recorded_as_a_retransmission() {
    let mut pair = Pair::new();
    pair.download(20_000, |packet| packet == 2);
    let trace = &pair.client.trace().packets.chunks;
    let late: Vec<_> = (0..trace.first.len()).filter(|row| trace.retransmission[*row] == 1).collect();
    let sent = &pair.server.trace().packets.chunks;
    let again: Vec<_> = (0..sent.first.len()).filter(|row| sent.retransmission[*row] == 1).collect();
    assert!(!late.is_empty());
    assert_eq!(late.len(), again.len());
    assert!(late.iter().zip(&again).all(|(late, again)| trace.first[*late] == sent.first[*again]));
    assert!(!pair.client.endpoint().blocked().rows().is_empty());
}

#[test]
fn a_damaged_segment_or_a_segment_with_other_ports_is_ignored() {
    let mut pair = Pair::new();
    assert_eq!(pair.server.transport().write(0, &[7; 1000]), Ok(1000));
    let segment = pair.server.poll_transmit(pair.now).unwrap();
    let rows = |end: &LiveEnd| end.trace().packets.packets.kind.len();
    let before = rows(&pair.client);
    for bit in 0..8 * segment.len() {
        let mut damaged = segment.clone();
        damaged[bit / 8] ^= 1 << (bit % 8);
        pair.client.handle_packet(pair.now, &damaged);
    }
    let others = [flow(), Flow { local: SocketAddrV4::new(Ipv4Addr::LOCALHOST, 81), ..flow().reversed() }];
    for flow in others {
        let reset = tcp_segment(flow, |segment| segment.rst = true);
        pair.client.handle_packet(pair.now, &reset);
    }
    for cut in [0, 10, 19, segment.len() - 1] {
        pair.client.handle_packet(pair.now, &segment[..cut]);
    }
    assert_eq!((rows(&pair.client), pair.client.poll_transmit(pair.now)), (before, None));
    pair.client.handle_packet(pair.now, &segment);
    assert_eq!(pair.client.transport().read(0).unwrap().len(), 1000);
}

#[test]
fn data_of_forged_segments_is_not_recorded() {
    let mut pair = Pair::new();
    pair.download(2000, |_| false);
    let before = chunks(&pair.client, 1);
    for far in 1..64_u32 {
        let guess = tcp_segment(flow().reversed(), |segment| {
            (segment.seq, segment.ack) = (far << 26, Some(far << 26));
            segment.payload = vec![0; 100].into();
        });
        pair.client.handle_packet(pair.now, &guess);
    }
    let behind = chunks(&pair.client, 1).split_off(before.len());
    assert!(behind.iter().all(|(first, _)| *first < 2000), "{behind:?}");
    assert!(acknowledgements(&pair.client, 1).iter().all(|ack| *ack == u64::MAX || *ack == 0));
    pair.download(3000, |_| false);
}

#[test]
fn an_abort_is_reported_to_the_peer() {
    let mut pair = Pair::new();
    pair.server.transport().abort();
    pair.exchange(|_| false);
    let events: Vec<_> = std::iter::from_fn(|| pair.client.poll_event()).collect();
    assert_eq!(events.last(), Some(&Event::Closed(CloseReason::PeerAbort)));
    assert_eq!(kinds(&pair.client, 1).last(), Some(&(PacketKind::Abort as u8)));
}

/// A segment that the local end of `flow` sends, without its IP header.
fn tcp_segment(flow: Flow, change: impl FnOnce(&mut crate::tcp::Segment)) -> Vec<u8> {
    let mut segment = crate::tcp::Segment { ack: Some(0), ..Default::default() };
    change(&mut segment);
    segment.encode(&flow, 0).split_off(ip::HEADER_BYTES)
}
