//! The inputs with which fuzzing begins.

use std::time::Duration;

use netsim::endpoint::{Endpoint, Event};
use netsim::ip;
use netsim::quic;
use netsim::sctp;
use netsim::tcp;
use netsim::time::SimTime;
use netsim::transport::{Ends, Place};

use crate::exchange::{MTU_BYTES, flow};
use crate::input::written;
use crate::targets::{self, SCTP_PEER};
use crate::tls;

/// Returns the name of each target with its inputs.
pub fn all() -> Vec<(&'static str, Vec<Vec<u8>>)> {
    let (tcp, sctp, quic) = (tcp_packets(), sctp_packets(), quic_packets());
    let payloads = |packets: &[Vec<u8>], headers: usize| -> Vec<Vec<u8>> {
        packets.iter().filter_map(|packet| Some(packet.get(headers..)?.to_vec())).collect()
    };
    let (chunks, datagrams) = (payloads(&sctp, ip::HEADER_BYTES), payloads(&quic, UDP_HEADERS_BYTES));
    vec![
        ("ip_packets", [&tcp[..], &sctp, &quic].concat()),
        ("tcp_connection", exchanges(&payloads(&tcp, ip::HEADER_BYTES))),
        ("sctp_packets", chunks.clone()),
        ("sctp_association", exchanges(&chunks)),
        ("sctp_listener", sctp_strangers()),
        ("quic_packets", datagrams.clone()),
        ("quic_connection", exchanges(&datagrams)),
        ("quic_listener", quic_strangers()),
        ("emulator", emulator()),
        ("options", OPTIONS.iter().map(|(kind, text)| [&[*kind], text.as_bytes()].concat()).collect()),
        ("capture_file", CAPTURES.map(<[u8]>::to_vec).to_vec()),
        ("parts", vec![vec![0], [&[3, 0, 0, 0, 2, 0, 0, 0, 2, 0, 0, 0, 1][..], b"ab"].concat()]),
    ]
}

/// A capture file of each format.
const CAPTURES: [&[u8]; 2] = [
    include_bytes!("../../../fixtures/captures/tcp/curl-python.pcapng"),
    include_bytes!("../../../fixtures/captures/tcp/curl-python-ipv6.pcap"),
];

fn place() -> Place {
    Place { flow: flow(), mtu_bytes: MTU_BYTES, seed: 1, number: 0 }
}

fn tcp_packets() -> Vec<Vec<u8>> {
    let profiles = ["modern", "classic"].into_iter().filter_map(tcp::Profile::named);
    let ends =
        profiles.filter_map(|profile| tcp::open(place(), tcp::Options::new(profile), tcp::Options::new(profile)).ok());
    ends.flat_map(packets).collect()
}

fn sctp_packets() -> Vec<Vec<u8>> {
    let options = |idata| sctp::Options { idata, ..sctp::Options::new(sctp::Profile::Modern, 4) };
    let ends = [false, true].into_iter().filter_map(|idata| sctp::open(place(), options(idata), options(idata)).ok());
    ends.flat_map(packets).collect()
}

fn quic_packets() -> Vec<Vec<u8>> {
    let options = |resumes| quic::Options { resumes, early_data: resumes, ..quic::Options::new(quic::Profile::Modern) };
    let ends = [false, true].into_iter().filter_map(|zero| quic::open(place(), options(zero), options(zero)).ok());
    ends.flat_map(packets).collect()
}

/// Returns the IP packets of a short load, in which the fourth packet of the server is lost.
fn packets(Ends { client, server }: Ends) -> Vec<Vec<u8>> {
    let (mut ends, mut now, mut packets, mut sent) = ([client, server], SimTime::ZERO, Vec::new(), [0; 2]);
    drop(ends[0].connect());
    for _ in 0..200 {
        for from in [0, 1] {
            while let Some(event) = ends[from].poll_event() {
                if let Event::Readable { stream } = event {
                    drop(ends[from].read(stream));
                }
                if matches!(event, Event::Connected { .. }) {
                    for stream in [0, 1] {
                        drop(ends[from].write(stream, &[7; 5000]));
                        drop(ends[from].send(stream, &[7; 1000]));
                        drop(ends[from].finish(stream));
                    }
                }
            }
            while let Some(transmit) = ends[from].poll_transmit(now) {
                let packet = transmit.packet.into_wire();
                sent[from] += 1;
                if from == 0 || sent[from] != 4 {
                    ends[1 - from].handle_packet(now, &packet);
                }
                packets.push(packet);
            }
        }
        now += Duration::from_millis(20);
        for end in &mut ends {
            end.handle_timeout(now);
        }
        if now == SimTime::from_ms(3000) {
            ends[0].close();
            ends[1].close();
        }
    }
    packets.truncate(MOST_PACKETS);
    packets
}

/// Inputs of an exchange: some in which everything arrives, one with losses, one in which both ends close, and some
/// that change or forge packets.
fn exchanges(payloads: &[Vec<u8>]) -> Vec<Vec<u8>> {
    // deliveries for the handshake, calls of the server to write on stream 0 and to send on stream 1, then deliveries
    // in both directions
    let honest = |header: [u8; 3]| {
        let calls = [0x8b, 0, 0, 0x20, 0, 0x8b, 3, 1, 4, 0];
        [&header[..], &[0x80, 0, 0x80, 0, 0x80, 0], &calls, &[0, 0, 0x80, 0, 9].repeat(12)].concat()
    };
    let lossy = [&honest([1, 1, 2])[..], &[1, 0, 0, 9, 0x80, 2, 3].repeat(12)].concat();
    let closing = [&honest([2, 2, 1])[..], &[0x8b, 8, 0, 0, 0, 0x0b, 8, 0, 0, 0], &[0, 0x80, 9].repeat(6)].concat();
    let mut all = vec![honest([0, 0, 1]), honest([1, 1, 1]), honest([0x32, 0x33, 1]), lossy, closing];
    for (number, payload) in payloads.iter().enumerate().step_by(5) {
        let forged = [&[7 | (number as u8 & 1) << 7][..], &written(payload), &[4, 12, 0, 2, 1, 2, 9, 0, 0x80]].concat();
        all.push([honest([number as u8, 1, 1]), forged].concat());
    }
    all
}

/// What strangers send to the listener: the INIT and the COOKIE ECHO of a client, and packets of no association.
fn sctp_strangers() -> Vec<Vec<u8>> {
    let Some(listener) = targets::listener() else { return Vec::new() };
    let setup = sctp::Setup { flow: flow(), mtu_bytes: MTU_BYTES, seed: 1 };
    let options = sctp::Options { idata: true, ..sctp::Options::new(sctp::Profile::Modern, 4) };
    let mut client = sctp::Association::new(setup, options);
    client.connect();
    let mut sent = Vec::new();
    for _ in 0..2 {
        let Some(transmit) = client.poll_transmit(SimTime::ZERO) else { break };
        let packet = transmit.packet.into_wire().split_off(ip::HEADER_BYTES);
        if let sctp::Answer::Send(answer) = listener.handle_packet(SimTime::ZERO, SCTP_PEER, &packet) {
            client.handle_packet(SimTime::ZERO, &ip::packet(&flow().reversed(), ip::SCTP, 0, &answer));
        }
        sent.push(written(&packet));
    }
    let others = sctp_packets().into_iter().step_by(7).map(|packet| written(&packet[ip::HEADER_BYTES..]));
    let others: Vec<_> = others.collect();
    [&sent[..], &[sent.concat()], &others].concat()
}

/// What strangers send to the listener: a packet of an unknown version, a packet with a short header, and the first
/// datagrams of QUIC clients with TLS.
fn quic_strangers() -> Vec<Vec<u8>> {
    let mut inputs = vec![vec![0, 0, 5, 0xc0, 9, 9, 9, 9], vec![0, 0, 3, 0x40, 1, 2]];
    for number in 0..3 {
        let Ok((protection, _)) = tls::client([0; 32], &[number; 32]) else { break };
        let opening = quic::Opening {
            flow: flow(),
            mtu_bytes: MTU_BYTES,
            options: quic::Options::new(quic::Profile::Modern),
            identifiers: quic::Identifiers::from_seed([number; 32]),
            receive_bytes: None,
        };
        let mut client = quic::Connection::encrypted(opening, &protection);
        drop(client.connect());
        let mut input = vec![number];
        while let Some(transmit) = client.poll_transmit(SimTime::ZERO) {
            input.extend(written(&transmit.packet.into_wire()[UDP_HEADERS_BYTES..]));
        }
        inputs.push(input);
    }
    inputs
}

fn emulator() -> Vec<Vec<u8>> {
    let link = |loss: &[u8]| [&[20, 0, 0, 255, 255][..], loss, &[0, 15, 66, 64, 0, 200]].concat();
    let offers = [0, 0, 9, 5, 220, 1, 0, 0, 0, 40, 2, 1, 0, 2, 0];
    let changes = [0x80, 0, 1, 0, 1, 0, 0, 0xc1, 0, 0];
    [vec![0], vec![1, 25], vec![2, 3, 60, 0, 255]]
        .map(|loss| [link(&loss), link(&[0]), vec![1], offers.repeat(10), changes.to_vec(), offers.repeat(5)].concat())
        .to_vec()
}

/// Each input has the number of a kind of options in [`targets::options`], and a JSON text for this kind.
const OPTIONS: [(u8, &str); 11] = [
    (
        0,
        r#"{"seed":1,"path":{"down":{"rateBps":1000000,"delayNs":175000000,"loss":{"model":"none"},"queuePackets":1000},"up":{"rateBps":1000000,"delayNs":175000000,"loss":{"model":"bernoulli","rate":0.03,"applies":"data","at":"exit"},"queuePackets":10,"queueBytes":15000},"mtuBytes":1500},"record":{"packets":true,"samples":true,"bytes":true},"limits":{"packets":1000,"steps":1000}}"#,
    ),
    (
        1,
        r#"{"seed":7,"path":{"down":{"rateBps":1,"delayNs":0,"loss":{"model":"gilbert-elliott","p":0.1,"r":0.5,"h":0,"k":1},"queuePackets":1},"up":{"rateBps":1000,"delayNs":1,"loss":{"model":"list","packets":[1,2,3]},"queuePackets":1},"mtuBytes":576}}"#,
    ),
    (2, r#"{"rateBps":1e12,"delayNs":3.6e12,"loss":{"model":"none","at":"entry"},"queuePackets":1}"#),
    (
        3,
        r#"{"client":{"profile":"classic"},"server":{"profile":"modern","sendBufferBytes":1024,"receiveBufferBytes":4096,"lowWaterBytes":512,"aheadBytes":1},"path":0,"port":443}"#,
    ),
    (
        4,
        r#"{"client":{"profile":"modern","streams":10},"server":{"profile":"classic","streams":65535,"scheduler":"weighted","weights":[1,2],"idata":true,"partialDelivery":false,"sendBufferBytes":2048,"receiveBufferBytes":2048,"lowWaterBytes":1,"aheadBytes":9}}"#,
    ),
    (
        5,
        r#"{"client":{"profile":"classic","resumes":true,"earlyData":true},"server":{"profile":"modern","scheduler":"first-come","sendBufferBytes":2048,"lowWaterBytes":1}}"#,
    ),
    (
        6,
        r#"{"sctp":{"profile":"modern","streams":4},"mtuBytes":1492,"port":9899,"peerPort":80,"seed":1,"record":{"packets":true}}"#,
    ),
    (7, r#"{"role":"server","tcp":{"profile":"reno"},"mtuBytes":1500,"port":80,"peerPort":5000,"seed":1}"#),
    (
        8,
        r#"{"quic":{"profile":"modern"},"mtuBytes":1500,"fingerprint":"0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef","record":{"samples":true}}"#,
    ),
    (3, "[]"),
    (9, r#"{"packets":[1,2,300],"applies":"data"}"#),
];

/// The most packets of one load. They are enough for a handshake, data, a loss and its repair.
const MOST_PACKETS: usize = 60;
const UDP_HEADERS_BYTES: usize = ip::HEADER_BYTES + 8;
