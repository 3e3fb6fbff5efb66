//! One end of an SCTP association over UDP (RFC 6951) on loopback in real time, for interoperability tests with other
//! stacks (`native/interop/`).
//!
//! ```text
//! sctp_udp_peer <client|server> [--port N] [--streams N] [--messages N] [--loss RATE] [--seed N]
//!     [--lossless none|first] [--closer us|them] [--chunks data|idata]
//! ```
//!
//! The client sends to UDP port `--port`. The server answers the first sender. Both print their UDP port as `port N`,
//! and at the end `done` with counts. Both ends send `--messages` messages on each stream. [`message`] defines the
//! messages, and the other end must send the same messages.
//!
//! First, one message is exchanged on every stream. Then packets are lost, with the probability `--loss` in each
//! direction, until everything is exchanged. With `--lossless none` packets are lost from the beginning. At the end
//! this end shuts the association down, or with `--closer them` the other end does.

#![allow(clippy::disallowed_methods)] // this example uses real sockets in real time

use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::net::{Ipv4Addr, SocketAddr, SocketAddrV4, UdpSocket};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use netsim::endpoint::{CloseReason, Endpoint, Event};
use netsim::ip::{self, Flow};
use netsim::link::{LossModel, LossProcess};
use netsim::sctp::chunk::{self, Chunk, Data, MessageNumber};
use netsim::sctp::{Association, Options, Profile, Setup};
use netsim::time::SimTime;

fn main() -> ExitCode {
    match Arguments::parse(std::env::args().skip(1)).and_then(|arguments| Peer::new(arguments)?.run()) {
        Ok(counts) => {
            println!("done: {counts}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("sctp_udp_peer: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Returns message `number` (from 0) of a stream. A message has 1 to 4000 bytes, so the largest need several packets.
/// `native/interop/testing/sctpMessages.ts` has the same function.
fn message(stream: u32, number: usize) -> Vec<u8> {
    let bytes = [1, 100, 1400, 1440, 4000][(number + stream as usize) % 5];
    (0..bytes).map(|at| (at * 7 + number * 31 + stream as usize * 101) as u8).collect()
}

struct Peer {
    arguments: Arguments,
    socket: UdpSocket,
    peer: Option<SocketAddr>,
    start: Instant,
    flow: Flow,
    association: Association,
    loss: [LossProcess; 2],
    phase: Phase,
    received: BTreeMap<u32, usize>,
    /// For each stream: the part of the current message that has arrived.
    pieces: BTreeMap<u32, Vec<u8>>,
    /// How many packets with I-DATA have arrived.
    idata_packets: u64,
    dropped: u64,
    packets: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    Connecting,
    /// One message is exchanged on each stream, by default without loss.
    First,
    /// The other messages are exchanged, with loss.
    Rest,
    /// Everything is exchanged. This phase gives the peer time to receive the last acknowledgements.
    Settling {
        until: SimTime,
    },
    Closing,
}

impl Peer {
    fn new(arguments: Arguments) -> Result<Peer, String> {
        let socket = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).map_err(|error| error.to_string())?;
        let port = socket.local_addr().map_err(|error| error.to_string())?.port();
        println!("port {port}");
        let address = SocketAddrV4::new(Ipv4Addr::LOCALHOST, SCTP_PORT);
        let flow = Flow { local: address, remote: address };
        let options = Options { idata: arguments.is_idata, ..Options::new(Profile::Classic, arguments.streams) };
        options.validate().map_err(|error| error.to_string())?;
        let setup = Setup { flow, mtu_bytes: 1500, seed: arguments.seed };
        let association = Association::new(setup, options);
        let peer = arguments.client.then(|| SocketAddr::from((Ipv4Addr::LOCALHOST, arguments.port)));
        let loss = ["loss/down", "loss/up"].map(|name| LossProcess::new(arguments.seed, name));
        let (phase, received, start) = (Phase::Connecting, BTreeMap::new(), Instant::now());
        Ok(Peer {
            arguments,
            socket,
            peer,
            start,
            flow,
            association,
            loss,
            phase,
            received,
            pieces: BTreeMap::new(),
            idata_packets: 0,
            dropped: 0,
            packets: 0,
        })
    }

    fn now(&self) -> SimTime {
        SimTime::ZERO + self.start.elapsed()
    }

    fn run(mut self) -> Result<String, String> {
        let mut buffer = [0; 2048];
        loop {
            let now = self.now();
            if now > SimTime::ZERO + TIME_LIMIT {
                return Err(format!(
                    "not done after {} s: {:?}, {:?}",
                    TIME_LIMIT.as_secs(),
                    self.phase,
                    self.received
                ));
            }
            if self.association.poll_timeout().is_some_and(|deadline| deadline <= now) {
                self.association.handle_timeout(now);
            }
            self.flush(now)?;
            while let Some(event) = self.association.poll_event() {
                if let Some(reason) = self.handle(event)? {
                    self.flush(now)?;
                    return self.result(reason);
                }
            }
            self.go_on(now)?;
            self.flush(now)?;
            let wait =
                self.association.poll_timeout().map_or(TICK, |deadline| deadline.saturating_since(now).min(TICK));
            self.socket
                .set_read_timeout(Some(wait.max(Duration::from_millis(1))))
                .map_err(|error| error.to_string())?;
            match self.socket.recv_from(&mut buffer) {
                Ok((bytes, from)) => self.take(&buffer[..bytes], from),
                Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {}
                // the peer's socket is not open yet, or it is already closed
                Err(error) if error.kind() == ErrorKind::ConnectionRefused => {}
                Err(error) => return Err(error.to_string()),
            }
        }
    }

    fn take(&mut self, datagram: &[u8], from: SocketAddr) {
        if *self.peer.get_or_insert(from) != from || self.is_lost(0) {
            return;
        }
        let is_idata = |chunk: &Chunk| matches!(chunk, Chunk::Data(Data { message: MessageNumber::Mid(_), .. }));
        let has_idata = chunk::parse(datagram).is_some_and(|chunks| chunks.iter().any(is_idata));
        self.idata_packets += u64::from(has_idata);
        let packet = ip::packet(&self.flow.reversed(), ip::SCTP, 0, datagram);
        let now = self.now();
        self.association.handle_packet(now, &packet);
    }

    fn flush(&mut self, now: SimTime) -> Result<(), String> {
        while let Some(transmit) = self.association.poll_transmit(now) {
            self.packets += 1;
            let Some(peer) = self.peer else { continue };
            if !self.is_lost(1) {
                let sent = self.socket.send_to(&transmit.packet.to_wire()[ip::HEADER_BYTES..], peer);
                sent.map_err(|error| error.to_string())?;
            }
        }
        Ok(())
    }

    fn is_lost(&mut self, way: usize) -> bool {
        let is_lossy = match self.phase {
            Phase::Connecting | Phase::First => !self.arguments.is_start_lossless,
            Phase::Rest => true,
            Phase::Settling { .. } | Phase::Closing => false,
        };
        let rate = if is_lossy { self.arguments.loss } else { 0.0 };
        let lost = self.loss[way].draw(&LossModel::Bernoulli { rate });
        self.dropped += u64::from(lost);
        lost
    }

    /// Handles an event. Returns the reason if the association has ended.
    fn handle(&mut self, event: Event) -> Result<Option<CloseReason>, String> {
        match event {
            Event::Connected { streams } if streams != self.arguments.streams.into() => {
                return Err(format!("{streams} streams, not {}", self.arguments.streams));
            }
            Event::Connected { .. } => {
                self.phase = Phase::First;
                self.send(0..1)?;
            }
            Event::Message { stream, bytes } => {
                let number = self.received.entry(stream).or_default();
                let pieces = self.pieces.entry(stream).or_default();
                pieces.extend(bytes);
                let sent = message(stream, *number);
                if !sent.starts_with(pieces) {
                    return Err(format!("message {number} of stream {stream} differs from the sent message"));
                }
                if *pieces == sent {
                    pieces.clear();
                    *number += 1;
                }
            }
            Event::Closed(reason) => return Ok(Some(reason)),
            _ => {}
        }
        Ok(None)
    }

    fn go_on(&mut self, now: SimTime) -> Result<(), String> {
        let exchanged = |count| {
            let all = (0..u32::from(self.arguments.streams)).all(|stream| self.received.get(&stream) >= Some(&count));
            all && self.association.buffered_bytes() == 0
        };
        match self.phase {
            // the peer may have to learn the port of this end first
            Phase::Connecting if self.arguments.client && now >= SimTime::ZERO + SETTLE => self.association.connect(),
            Phase::First if exchanged(1) => {
                self.phase = Phase::Rest;
                self.send(1..self.arguments.messages)?;
            }
            Phase::Rest if exchanged(self.arguments.messages) => {
                self.phase = Phase::Settling { until: now + SETTLE };
            }
            Phase::Settling { until } if now >= until && self.arguments.is_closer => {
                self.phase = Phase::Closing;
                self.association.shutdown();
            }
            _ => {}
        }
        Ok(())
    }

    fn send(&mut self, numbers: std::ops::Range<usize>) -> Result<(), String> {
        for number in numbers {
            for stream in 0..u32::from(self.arguments.streams) {
                self.association.send(stream, &message(stream, number)).map_err(|error| error.to_string())?;
            }
        }
        Ok(())
    }

    fn result(&self, reason: CloseReason) -> Result<String, String> {
        let counts = format!(
            "{} messages received, {} packets sent, {} dropped, {} packets with I-DATA received",
            self.received.values().sum::<usize>(),
            self.packets,
            self.dropped,
            self.idata_packets
        );
        match (reason, self.phase) {
            (CloseReason::Finished, Phase::Closing) => Ok(counts),
            (CloseReason::Finished, Phase::Settling { .. }) if !self.arguments.is_closer => Ok(counts),
            _ => Err(format!("ended in {:?}: {}; {counts}", self.phase, reason.name())),
        }
    }
}

struct Arguments {
    client: bool,
    port: u16,
    streams: u16,
    messages: usize,
    loss: f64,
    seed: u64,
    /// Whether nothing is lost until every stream has exchanged a message.
    is_start_lossless: bool,
    /// Whether this end shuts the association down.
    is_closer: bool,
    /// Whether this end offers I-DATA.
    is_idata: bool,
}

impl Arguments {
    fn parse(mut words: impl Iterator<Item = String>) -> Result<Arguments, String> {
        let client = match words.next().as_deref() {
            Some("client") => true,
            Some("server") => false,
            other => return Err(format!("invalid role: {other:?} (must be client or server)")),
        };
        let mut arguments = Arguments {
            client,
            port: 0,
            streams: 4,
            messages: 20,
            loss: 0.0,
            seed: 1,
            is_start_lossless: true,
            is_closer: true,
            is_idata: false,
        };
        while let Some(word) = words.next() {
            let value = words.next().ok_or(format!("{word} needs a value"))?;
            let invalid = format!("invalid {word}: {value}");
            match word.as_str() {
                "--port" => arguments.port = value.parse().map_err(|_| invalid)?,
                "--streams" => arguments.streams = value.parse().map_err(|_| invalid)?,
                "--messages" => arguments.messages = value.parse().map_err(|_| invalid)?,
                "--loss" => arguments.loss = value.parse().map_err(|_| invalid)?,
                "--seed" => arguments.seed = value.parse().map_err(|_| invalid)?,
                "--lossless" => arguments.is_start_lossless = value == "first",
                "--chunks" => arguments.is_idata = value == "idata",
                "--closer" => arguments.is_closer = value == "us",
                _ => return Err(format!("unknown option {word}")),
            }
        }
        Ok(arguments)
    }
}

/// The SCTP port of both ends. Their UDP ports differ.
const SCTP_PORT: u16 = 5000;
const TIME_LIMIT: Duration = Duration::from_secs(100);
const TICK: Duration = Duration::from_millis(50);
/// A time that is longer than the delay of the peer's SACKs.
const SETTLE: Duration = Duration::from_millis(500);
