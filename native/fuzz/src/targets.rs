//! The targets. Their names are those of the files in `fuzz_targets/`.

use std::sync::LazyLock;
use std::time::Duration;

use binding::{
    Parts, RawDrops, RawEmulator, RawEnds, RawLink, RawQuic, RawSctp, RawSimulation, RawTcp, parse_json, read_capture,
};
use netsim::congestion;
use netsim::emulator::{Emulator, Offer};
use netsim::endpoint::Endpoint;
use netsim::ip;
use netsim::link::{
    CoDelParams, Direction, Distribution, DualPi2Params, Duplication, FqCoDelParams, Header, Jitter, LinkParams,
    LossModel, PathParams, PieParams, PolicerParams, QueueKind, Reordering,
};
use netsim::packet::Ecn;
use netsim::quic::frame::Frames;
use netsim::quic::packet::Packets;
use netsim::quic::{self, Protection};
use netsim::sctp::{self, checksum, chunk};
use netsim::tcp::{self, Segment};
use netsim::time::SimTime;
use netsim::transport::Place;
use netsim::udp::UdpSocket;

use crate::exchange::{MTU_BYTES, exchange, flow};
use crate::input::Input;
use crate::live_options::{RawAssociation, RawQuicClient, RawTcpConnection};
use crate::tls;

/// IP packets: their headers, TCP segments with their options, and UDP datagrams.
pub fn ip_packets(bytes: &[u8]) {
    let flow = flow();
    for protocol in [ip::TCP, ip::UDP, ip::SCTP] {
        let made = ip::packet(&flow.reversed(), protocol, 0, &bytes[..bytes.len().min(60_000)]);
        for packet in [bytes, &made] {
            if let Some((_, payload)) = ip::parse(&flow, protocol, packet) {
                assert!(payload.len() < packet.len());
            }
            let mut socket = UdpSocket::new(flow, MTU_BYTES);
            socket.handle_packet(SimTime::ZERO, packet);
            if let Some(segment) = Segment::parse(&flow, packet) {
                assert!(segment.sequence_length() < 2 + packet.len() as u64);
                let again = Segment::parse(&flow, &segment.encode(&flow.reversed(), 7));
                assert_eq!(again.as_ref(), Some(&segment), "a segment that was parsed and encoded");
            }
        }
    }
}

/// A TCP connection whose packets are lost, repeated, changed and forged.
pub fn tcp_connection(bytes: &[u8]) {
    let mut input = Input::new(bytes);
    let options = |number: u8| {
        let profile = tcp::Profile::NAMES[usize::from(number) % tcp::Profile::NAMES.len()];
        let Some(profile) = tcp::Profile::named(profile) else { unreachable!("a name of NAMES") };
        let kind = congestion_control(usize::from(number) / tcp::Profile::NAMES.len());
        let profile = kind.map_or(profile, |kind| profile.with_congestion(kind));
        let receive_buffer_bytes = [1024, 20_000, 65_535, 4 << 20][usize::from(number >> 6)];
        tcp::Options { receive_buffer_bytes, ..tcp::Options::new(profile) }
    };
    let [client, server] = [options(input.byte()), options(input.byte())];
    let place = Place { seed: input.byte().into(), ..place() };
    if let Ok(ends) = tcp::open(place, client, server) {
        exchange(&mut input, ip::TCP, ends);
    }
}

/// The reader of SCTP chunks, and the functions that make a packet from another packet.
pub fn sctp_packets(bytes: &[u8]) {
    let (mut chunks, parsed) = (Vec::new(), chunk::parse(bytes));
    assert_eq!(chunk::read(bytes, &mut chunks), parsed.is_some());
    chunk::without_shutdown(bytes);
    chunk::only_shutdown(bytes);
    chunk::with_cumulative_tsn(bytes, chunk::Tsn(1));
    chunk::sack(bytes, chunk::Tsn(1), 1);
    let Some(parsed) = parsed else { return };
    assert_eq!(parsed, chunks);
    chunk::kind(&parsed);
    for one in &parsed {
        if let chunk::Chunk::Data(data) = one {
            assert!(bytes.get(data.at..data.at + data.bytes as usize).is_some(), "{data:?}");
        }
    }
    if let Some(abort) = chunk::abort_for(bytes, &parsed) {
        assert!(abort.len() <= bytes.len(), "the answer is longer than the packet (RFC 9260 §8.4)");
        assert!(matches!(chunk::parse(&abort).as_deref(), Some([chunk::Chunk::Abort])));
    }
}

/// An SCTP association whose packets are lost, repeated, changed and forged. After the handshake and after idle times,
/// netsim moves the state of the stack dcSCTP into a new instance of dcSCTP. This is also tested.
pub fn sctp_association(bytes: &[u8]) {
    let mut input = Input::new(bytes);
    let options = |number: u8| {
        let profile = sctp::Profile::ALL[usize::from(number & 1)];
        let streams = u16::from(number >> 4) + 1;
        sctp::Options { idata: number & 2 != 0, ..sctp::Options::new(profile, streams) }
    };
    let [client, server] = [options(input.byte()), options(input.byte())];
    let place = Place { seed: input.byte().into(), ..place() };
    if let Ok(ends) = sctp::open(place, client, server) {
        exchange(&mut input, ip::SCTP, ends);
    }
}

/// The key and the address with which the seeds of [`sctp_listener`] are made. A listener with another key, or for
/// another address, would not accept the cookies of the seeds.
pub const SCTP_KEY: sctp::CookieKey = [7; 64];
pub const SCTP_PEER: &[u8] = b"peer";

/// Returns the listener of [`sctp_listener`].
pub fn listener() -> Option<sctp::Listener> {
    let options = sctp::Options { idata: true, ..sctp::Options::new(sctp::Profile::Modern, 4) };
    sctp::Listener::new(options, MTU_BYTES, flow().remote.port(), SCTP_KEY).ok()
}

/// The packets of strangers that reach an SCTP listener, with correct checksums: INIT, COOKIE ECHO, and others.
pub fn sctp_listener(bytes: &[u8]) {
    let (mut input, Some(listener)) = (Input::new(bytes), listener()) else { return };
    for _ in 0..MOST_PIECES {
        if input.is_empty() {
            break;
        }
        let mut packet = input.piece().to_vec();
        checksum::write_checksum(&mut packet);
        listener.unsealed(SCTP_PEER, &packet);
        match listener.handle_packet(SimTime::ZERO, SCTP_PEER, &packet) {
            sctp::Answer::Nothing => {}
            sctp::Answer::Send(answer) => assert!(answer.len() <= usize::from(MTU_BYTES)),
            sctp::Answer::Accept(mut accepted) => {
                while let Some(transmit) = accepted.association.poll_transmit(SimTime::ZERO) {
                    assert!(transmit.packet.wire_bytes() <= usize::from(MTU_BYTES));
                }
            }
        }
    }
}

/// The reader of QUIC packets and frames without encryption.
pub fn quic_packets(bytes: &[u8]) {
    assert!(Frames::new(bytes).count() <= bytes.len());
    for packet in Packets::new(bytes) {
        assert!(packet.bytes <= bytes.len() && packet.payload.len() <= packet.bytes, "{packet:?}");
        assert!(packet.whole_number(1 << 40) < 1 << 41, "{packet:?}");
        assert!(Frames::new(packet.payload).count() <= packet.payload.len());
    }
}

/// A QUIC connection without encryption, whose packets are lost, repeated, changed and forged.
pub fn quic_connection(bytes: &[u8]) {
    let mut input = Input::new(bytes);
    let options = |number: u8, kind: u8| quic::Options {
        resumes: number & 2 != 0,
        early_data: number & 4 != 0,
        compresses_certificate: number & 8 != 0,
        lacks_hybrid_share: number & 128 != 0,
        decimates_acks: kind & 128 != 0,
        searches_mtu: number & 16 == 0,
        first_window_packets: (number & 32 != 0).then_some(32),
        first_datagram_bytes: (number & 64 != 0).then_some(1200),
        congestion: congestion_control(kind.into()),
        ..quic::Options::new(quic::Profile::ALL[usize::from(number & 1)])
    };
    let [client, server] = [0, 1].map(|_| options(input.byte(), input.byte()));
    let place = Place { seed: input.byte().into(), ..place() };
    if let Ok(ends) = quic::open(place, client, server) {
        exchange(&mut input, ip::UDP, ends);
    }
}

/// Returns a congestion control, or `None` for that of the profile.
fn congestion_control(number: usize) -> Option<congestion::Kind> {
    congestion::LIST.get(number % (congestion::LIST.len() + 1)).copied()
}

/// The datagrams of strangers that reach a QUIC listener with TLS.
pub fn quic_listener(bytes: &[u8]) {
    let (mut input, options) = (Input::new(bytes), quic::Options::new(quic::Profile::Modern));
    let protection = SERVER.clone().unwrap_or_else(|| unreachable!("the names are valid"));
    let Ok(mut listener) = quic::Listener::new(options, MTU_BYTES, 1 << 20, protection, QUIC_KEY) else { return };
    let validates = input.byte() & 1 == 1;
    for number in 0..MOST_PIECES {
        if input.is_empty() {
            break;
        }
        let now = SimTime::from_ms(number as u64);
        match listener.handle_datagram(now, b"peer", input.piece(), validates) {
            quic::Answer::Nothing => {}
            quic::Answer::Send(answer) => assert!(answer.len() <= usize::from(MTU_BYTES)),
            quic::Answer::Accept(mut accepted) => {
                while let Some(transmit) = accepted.connection.poll_transmit(now) {
                    assert!(transmit.packet.wire_bytes() <= usize::from(MTU_BYTES));
                }
            }
        }
    }
}

const QUIC_KEY: [u8; 64] = [9; 64];
static SERVER: LazyLock<Option<Protection>> =
    LazyLock::new(|| Some(tls::server(vec!["localhost".to_owned()], &QUIC_KEY[..32]).ok()?.0));

/// The emulated path, through which the packets of the TUN device pass. Each packet has one fate.
pub fn emulator(bytes: &[u8]) {
    let mut input = Input::new(bytes);
    let mut link = || LinkParams {
        queue_packets: u32::from(input.byte()) + 1,
        queue_bytes: Some(u64::from(input.word()) + 1).filter(|bytes| bytes % 2 == 1),
        loss: match input.byte() % 3 {
            0 => LossModel::None,
            1 => LossModel::Bernoulli { rate: f64::from(input.byte()) / 255.0 },
            _ => {
                let [p, r, h, k] = [0; 4].map(|_: u8| f64::from(input.byte()) / 255.0);
                LossModel::GilbertElliott { p, r, h, k }
            }
        },
        queue: match input.byte() % 5 {
            0 => QueueKind::DropTail,
            1 => QueueKind::CoDel(CoDelParams::default()),
            2 => QueueKind::FqCoDel(FqCoDelParams { flows: 3, ..FqCoDelParams::default() }),
            3 => QueueKind::Pie(PieParams::default()),
            _ => QueueKind::DualPi2(DualPi2Params::default()),
        },
        jitter: input.byte().is_multiple_of(3).then(|| Jitter {
            spread: Duration::from_micros(input.short().into()),
            distribution: Distribution::Pareto,
            correlation: f64::from(input.byte()) / 255.0,
            in_order: input.byte().is_multiple_of(2),
        }),
        reorder: input.byte().is_multiple_of(4).then_some(Reordering { rate: 0.3, correlation: 0.0, gap: 2 }),
        duplicate: input.byte().is_multiple_of(4).then_some(Duplication { rate: 0.3, correlation: 0.0 }),
        policer: input.byte().is_multiple_of(4).then(|| PolicerParams {
            rate_bps: u64::from(input.word()) + 1,
            burst_bytes: u64::from(input.short()) + 1,
        }),
        ..LinkParams::new(u64::from(input.word()) + 1, Duration::from_micros(input.short().into()))
    };
    let params = PathParams { down: link(), up: link(), mtu_bytes: MTU_BYTES };
    let Ok(mut path) = Emulator::new(input.byte().into(), params) else { return };
    let (mut now, mut offered, mut lost) = (SimTime::ZERO, 0u64, 0u64);
    for _ in 0..MOST_PIECES * 10 {
        if input.is_empty() {
            break;
        }
        let step = input.byte();
        now += Duration::from_micros(input.short().into());
        let direction = if step & 1 == 0 { Direction::Down } else { Direction::Up };
        match step >> 6 {
            0 | 1 => {
                offered += 1;
                let ecn = Ecn::of_packet(&[0, step >> 2]);
                let (flow, has_data) = (u32::from(step >> 4), step & 2 != 0);
                let header = Header { has_data, flow, ecn, ..Header::data(input.short().into()) };
                let offer = Offer { direction, header, item: offered };
                path.handle_packet(now, offer);
            }
            2 => {
                let rate_bps = u64::from(input.word());
                // a rate of 0 is refused, and then nothing changes
                let changed = path.set_link(now, direction, LinkParams::new(rate_bps, Duration::from_millis(1)));
                assert_eq!(changed.is_ok(), rate_bps > 0);
            }
            _ => path.restart_loss(step.into()),
        }
        drain(&mut path, now, &mut lost);
    }
    while let Some(at) = path.poll_timeout() {
        drain(&mut path, at, &mut lost);
    }
    let fates: u64 = [Direction::Down, Direction::Up]
        .map(|direction| path.counts(direction))
        .iter()
        .map(|counts| {
            let dropped = counts.lost + counts.queue_full + counts.early + counts.policed;
            counts.passed + dropped + counts.too_large
        })
        .sum();
    assert_eq!(fates, offered, "each packet has one fate");
}

fn drain(path: &mut Emulator<u64>, now: SimTime, lost: &mut u64) {
    let mut last = SimTime::ZERO;
    while let Some(delivery) = path.poll_transmit(now) {
        assert!(last <= delivery.at && delivery.at <= now, "arrivals are in order");
        last = delivery.at;
    }
    while path.poll_lost(now).is_some() {
        *lost += 1;
    }
}

/// The options that JavaScript passes to the addon as JSON. Options that are accepted must work.
pub fn options(bytes: &[u8]) {
    let Some((kind, bytes)) = bytes.split_first() else { return };
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let place = place();
    match kind % 10 {
        0 => {
            drop(parse_json::<RawSimulation>(text, "options").and_then(RawSimulation::open));
        }
        1 => {
            drop(parse_json::<RawEmulator>(text, "options").and_then(RawEmulator::open::<u64>));
        }
        2 => drop(parse_json::<RawLink>(text, "link").and_then(|raw| raw.read("link"))),
        3 => {
            let ends = parse_json::<RawEnds<RawTcp>>(text, "options");
            if let Ok((client, server)) =
                ends.and_then(|raw| Ok((raw.client.read("client")?, raw.server.read("server")?)))
            {
                drop(tcp::open(place, client, server));
            }
        }
        4 => {
            let ends = parse_json::<RawEnds<RawSctp>>(text, "options");
            if let Ok((client, server)) =
                ends.and_then(|raw| Ok((raw.client.read("client")?, raw.server.read("server")?)))
            {
                drop(sctp::open(place, client, server));
            }
        }
        5 => {
            let ends = parse_json::<RawEnds<RawQuic>>(text, "options");
            if let Ok((client, server)) =
                ends.and_then(|raw| Ok((raw.client.read("client")?, raw.server.read("server")?)))
            {
                drop(quic::open(place, client, server));
            }
        }
        6 => drop(parse_json::<RawAssociation>(text, "options").and_then(|raw| raw.read())),
        7 => drop(parse_json::<RawTcpConnection>(text, "options").and_then(|raw| raw.read())),
        8 => drop(parse_json::<RawQuicClient>(text, "options").and_then(|raw| raw.read())),
        _ => drop(parse_json::<RawDrops>(text, "drops").and_then(|raw| raw.read("drops"))),
    }
}

/// Capture files: pcapng and pcap.
pub fn capture_file(bytes: &[u8]) {
    let Ok(capture) = read_capture(bytes) else { return };
    assert!(capture.at_ns.is_sorted());
    for (start, length) in capture.start.iter().zip(&capture.length) {
        assert!(bytes.get(*start as usize..(start + length) as usize).is_some());
    }
}

/// The numbers that describe the parts of a write to several streams.
pub fn parts(bytes: &[u8]) {
    let mut input = Input::new(bytes);
    let numbers: Vec<u32> = (0..input.byte() % 16).map(|_| input.word()).collect();
    let rest = input.rest();
    let (Ok(parts), Ok(ends)) = (
        Parts::new(&numbers, rest),
        quic::open(place(), quic::Options::new(quic::Profile::Modern), quic::Options::new(quic::Profile::Modern)),
    ) else {
        return;
    };
    let mut client = ends.client;
    drop(client.connect());
    if let Ok(written) = parts.write(&mut *client) {
        assert!(written <= rest.len());
    }
}

fn place() -> Place {
    Place { flow: flow(), mtu_bytes: MTU_BYTES, seed: 1, number: 0 }
}

/// The most packets of one input for a listener. An input for the emulator has up to ten times as many steps.
const MOST_PIECES: usize = 20;
