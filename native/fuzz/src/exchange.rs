//! Two ends of a transport whose packets the fuzzer holds: the fuzzer decides which packets arrive, and what is in
//! them.

use std::collections::VecDeque;
use std::net::{Ipv4Addr, SocketAddrV4};
use std::time::Duration;

use netsim::endpoint::Event;
use netsim::ip::{self, Flow};
use netsim::link::Direction;
use netsim::live::{LiveEnd, LivePlace};
use netsim::sctp::checksum;
use netsim::time::SimTime;
use netsim::trace::Recording;
use netsim::transport::Ends;

use crate::input::Input;

pub const MTU_BYTES: u16 = 1500;

/// The flow from the view of the client.
pub fn flow() -> Flow {
    let address = |host, port| SocketAddrV4::new(Ipv4Addr::new(10, 0, 0, host), port);
    Flow { local: address(1, 5000), remote: address(2, 80) }
}

/// Carries out the steps that the input names, then lets the link deliver everything for a while.
///
/// # Panics
/// An end breaks a promise of its interface: it sends a packet above the MTU, buffers more than 8 MiB, closes twice, or
/// sends without end.
pub fn exchange(input: &mut Input<'_>, protocol: u8, Ends { client, server }: Ends) {
    let end = |transport, flow, direction, [endpoint, peer]: [u32; 2]| {
        let place = LivePlace { flow, protocol, direction, endpoint, peer };
        LiveEnd::new(transport, place, Recording { bytes: false, ..Recording::ALL })
    };
    let ends = [end(client, flow(), Direction::Up, [0, 1]), end(server, flow().reversed(), Direction::Down, [1, 0])];
    let mut link = HeldLink {
        protocol,
        ends,
        held: Default::default(),
        last: Default::default(),
        closed: [0; 2],
        sent: 0,
        now: SimTime::ZERO,
    };
    if link.ends[0].transport().connect().is_ok() {
        link.settle();
    }
    for _ in 0..MOST_STEPS {
        if input.is_empty() {
            break;
        }
        link.step(input);
    }
    for _ in 0..FINAL_STEPS {
        for to in [0, 1] {
            while let Some(packet) = link.held[to].pop_front() {
                link.arrive(to, &packet);
            }
        }
        link.wake();
    }
}

struct HeldLink {
    protocol: u8,
    ends: [LiveEnd; 2],
    /// The packets to each end that have not arrived, without their headers of IP and UDP.
    held: [VecDeque<Vec<u8>>; 2],
    /// The last packet to each end.
    last: [Vec<u8>; 2],
    closed: [u32; 2],
    sent: u64,
    now: SimTime,
}

impl HeldLink {
    /// Carries out one step. The low four bits of its first byte say what happens, and bit 7 says at which end.
    fn step(&mut self, input: &mut Input<'_>) {
        let step = input.byte();
        let to = usize::from(step >> 7);
        match step & 0x0f {
            0..=3 => {
                let Some(packet) = self.held[to].pop_front() else { return self.wake() };
                match step & 0x0f {
                    0 => self.arrive(to, &packet),
                    1 => {}
                    2 => {
                        self.arrive(to, &packet);
                        self.held[to].push_back(packet);
                    }
                    _ => self.held[to].push_back(packet),
                }
            }
            4 | 5 => {
                let packet = self.held[to].pop_front().unwrap_or_else(|| self.last[to].clone());
                let (at, piece) = (input.byte(), input.piece());
                self.arrive_mended(to, changed(packet, at.into(), piece));
            }
            6 => {
                let packet = self.held[to].pop_front().unwrap_or_else(|| self.last[to].clone());
                let (kept, piece) = (usize::from(input.byte()), input.piece());
                let kept = &packet[..kept.min(packet.len())];
                self.arrive_mended(to, [kept, piece].concat());
            }
            7 => self.arrive_mended(to, input.piece().to_vec()),
            8 => self.arrive(to, input.piece()),
            9 => self.wake(),
            10 => self.pass(Duration::from_millis(input.byte().into())),
            _ => {
                self.call(to, input);
                self.settle();
            }
        }
    }

    /// Makes one of the calls that an application can make. Whether the call is refused does not matter here.
    fn call(&mut self, of: usize, input: &mut Input<'_>) {
        let (call, stream) = (input.byte(), u32::from(input.byte() & 0x0f));
        let bytes = vec![call; usize::from(input.short() % 9000)];
        let transport = self.ends[of].transport();
        match call % 10 {
            0..=2 => drop(transport.write(stream, &bytes)),
            3 | 4 => drop(transport.send(stream, &bytes)),
            5 => drop(transport.renew(stream)),
            6 => drop(transport.finish(stream)),
            7 => drop(transport.reset(stream, call.into())),
            8 => transport.close(),
            _ => transport.abort(),
        }
        assert!(transport.buffered_bytes() <= 8 << 20, "{} bytes are buffered", transport.buffered_bytes());
    }

    fn arrive(&mut self, to: usize, packet: &[u8]) {
        self.pass(Duration::from_millis(1));
        self.ends[to].handle_packet(self.now, packet);
        self.settle();
    }

    /// Corrects the checksum of a packet, and delivers the packet.
    fn arrive_mended(&mut self, to: usize, mut packet: Vec<u8>) {
        match self.protocol {
            ip::SCTP => checksum::write_checksum(&mut packet),
            ip::TCP => write_tcp_checksum(&mut packet, if to == 1 { flow() } else { flow().reversed() }),
            _ => {} // the live end adds the header of UDP, which has the checksum
        }
        self.arrive(to, &packet);
    }

    fn pass(&mut self, time: Duration) {
        self.now += time;
        for end in &mut self.ends {
            end.handle_timeout(self.now);
        }
        self.settle();
    }

    /// Advances the time to the next timeout.
    fn wake(&mut self) {
        if let Some(at) = self.ends.iter().filter_map(LiveEnd::poll_timeout).min() {
            self.pass(at.saturating_since(self.now));
        }
    }

    /// Takes the packets and events of both ends.
    fn settle(&mut self) {
        for from in [0, 1] {
            while let Some(event) = self.ends[from].poll_event() {
                match event {
                    Event::Readable { stream } => drop(self.ends[from].transport().read(stream)),
                    Event::Closed(_) => self.closed[from] += 1,
                    _ => {}
                }
            }
            assert!(self.closed[from] <= 1, "end {from} closed {} times", self.closed[from]);
            while let Some(packet) = self.ends[from].poll_transmit(self.now) {
                assert!(packet.len() <= usize::from(MTU_BYTES), "a packet of {} bytes", packet.len());
                self.sent += 1;
                assert!(self.sent < MOST_PACKETS, "{} packets by {:?}", self.sent, self.now);
                self.last[1 - from].clone_from(&packet);
                self.held[1 - from].push_back(packet);
            }
        }
    }
}

fn changed(mut packet: Vec<u8>, at: usize, piece: &[u8]) -> Vec<u8> {
    for (byte, new) in packet.iter_mut().skip(at).zip(piece) {
        *byte = *new;
    }
    packet
}

fn write_tcp_checksum(segment: &mut [u8], flow: Flow) {
    let Some(field) = segment.get_mut(TCP_CHECKSUM_AT..TCP_CHECKSUM_AT + 2) else { return };
    field.fill(0);
    let packet = ip::packet(&flow, ip::TCP, 0, segment);
    let Some((header, _)) = ip::parse(&flow.reversed(), ip::TCP, &packet) else { return };
    let checksum = ip::transport_checksum(&header, segment).to_be_bytes();
    segment[TCP_CHECKSUM_AT..TCP_CHECKSUM_AT + 2].copy_from_slice(&checksum);
}

/// The offset of the checksum in a TCP segment (RFC 9293 §3.1).
const TCP_CHECKSUM_AT: usize = 16;
/// The most steps of one input. With this limit an input takes at most some hundredths of a second, so that thousands
/// of inputs are tried in a minute.
const MOST_STEPS: usize = 200;
const FINAL_STEPS: usize = 20;
/// The limit of the number of packets that both ends send, counted together. Each step causes at most a window of
/// packets, so the ends can reach this limit only if they answer each other without end.
const MOST_PACKETS: u64 = 100_000;
