use std::collections::{BTreeSet, VecDeque};
use std::error::Error;
use std::fs::File;
use std::io::BufWriter;
use std::time::Duration;

use netsim::endpoint::{CloseReason, Event};
use netsim::link::LinkParams;
use netsim::packet::EcnMode;
use netsim::random::random_stream;
use netsim::sim::{AppEvent, EndpointId, PathId, Simulation, SimulationOptions};
use netsim::time::SimTime;
use netsim::trace::{Fate, PacketKind, Recording, write_pcapng};
use netsim::transport::{Ends, Place};
use netsim::{quic, sctp, tcp};
use rand_chacha::rand_core::Rng;

use crate::scenario::{Scenario, Transport};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    Complete,
    GaveUp { only_the_close: bool },
}

/// The facts that may explain why a run was given up.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GivenUp {
    /// Whether everything had arrived and one end had finished, so that only the other end was ended by RST or ABORT.
    pub only_the_close: bool,
    /// For each direction, down and up: the share of its last packets, up to 64, that its queue or its policer dropped.
    pub queue_full: [f64; 2],
    /// Whether all packets belonged to handshakes.
    pub only_handshakes: bool,
    /// The longest delay of a packet down plus the longest delay of a packet up.
    pub longest_rtt: Duration,
}

/// Runs the scenario to its end. A run is given up if a timeout or an abort of the peer closes an end. In this case
/// returns the facts that may explain this. Returns `None` if the run was complete. Also returns `None` if the run was
/// given up and the client had got a new address that its connection could not follow.
///
/// # Errors
/// A check failed; the error describes what was wrong.
pub fn run(scenario: &Scenario) -> Result<Option<GivenUp>, String> {
    let capture = std::env::var_os("INTERLEAVE_SWARM_CAPTURE");
    let recording = Recording { packets: true, bytes: capture.is_some(), ..Recording::OFF };
    let options = SimulationOptions { seed: scenario.seed, path: scenario.path.clone(), recording };
    let mut sim = Simulation::new(options).map_err(|error| error.to_string())?;
    for (at, direction, params) in &scenario.changes {
        sim.change_link(*at, *direction, params.clone()).map_err(|error| error.to_string())?;
    }
    let mut moves = Moves::new(scenario);
    let ending = match &scenario.transport {
        Transport::Tcp { client, server } => {
            TcpExchange::open(scenario, &mut sim, client, server)?.run(&mut sim, &mut moves)
        }
        Transport::Sctp { client, server } => {
            SctpExchange::open(scenario, &mut sim, client.clone(), server.clone())?.run(&mut sim, &mut moves)
        }
        Transport::Quic { client, server } => {
            QuicExchange::open(scenario, &mut sim, *client, *server)?.run(&mut sim, &mut moves)
        }
    };
    if let Some(path) = capture {
        let file = File::create(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        write_pcapng(sim.trace(), "swarm", BufWriter::new(file)).map_err(|error| error.to_string())?;
    }
    check_packet_count(scenario, &sim)
        .and(moves.check(&sim))
        .and(ending)
        .map(|ending| match ending {
            Ending::Complete => None,
            // a connection that cannot follow the client to its new address is given up
            Ending::GaveUp { .. } if moves.left_behind.is_some() => None,
            Ending::GaveUp { only_the_close } => Some(GivenUp {
                only_the_close,
                queue_full: [0, 1].map(|direction| queue_full(&sim, direction)),
                only_handshakes: sim.trace().packets.packets.kind.iter().all(|kind| *kind == PacketKind::Setup as u8),
                longest_rtt: longest_delay(&sim, 0) + longest_delay(&sim, 1),
            }),
        })
        .map_err(|problem| format!("{problem}; the last packets:\n{}", last_packets(&sim)))
}

/// The hand-overs of a run. In a hand-over the client moves to another path and gets a new address.
pub struct Moves {
    /// The hand-overs that are still to come, each with the new links down and up.
    coming: VecDeque<(SimTime, LinkParams, LinkParams)>,
    /// The time of the first hand-over that the connection could not follow; `None` if there was none.
    left_behind: Option<SimTime>,
}

impl Moves {
    fn new(scenario: &Scenario) -> Self {
        Moves { coming: scenario.hand_overs.iter().cloned().collect(), left_behind: None }
    }

    /// Returns the next events, or none if the run is over. Makes the hand-overs that come before these events.
    fn advance(&mut self, sim: &mut Simulation, client: EndpointId) -> Result<Vec<AppEvent>, String> {
        loop {
            let until = self.coming.front().map_or(SimTime::MAX, |(at, ..)| *at);
            let events = sim.advance(until);
            if !events.is_empty() {
                return Ok(events);
            }
            let Some((at, down, up)) = self.coming.pop_front() else { return Ok(events) };
            let follows = sim.transport(client).map_err(|error| error.to_string())?.can_change_address();
            if !follows {
                self.left_behind.get_or_insert(at);
            }
            sim.hand_over(down, up).map_err(|error| error.to_string())?;
        }
    }

    /// Checks all packets that were sent after the time `left_behind`. They must have the fate [`Fate::HandedOver`], so
    /// that none of them arrives.
    fn check(&self, sim: &Simulation) -> Result<(), String> {
        let (packets, since) = (&sim.trace().packets.packets, self.left_behind.map_or(u64::MAX, SimTime::as_ns));
        let late = (0..packets.fate.len()).filter(|row| packets.sent_ns[*row] > since);
        match late.into_iter().find(|row| packets.fate[*row] != Fate::HandedOver as u8) {
            None => Ok(()),
            Some(row) => Err(format!("packet {row} was sent to or from an address that the client had left")),
        }
    }
}

/// Returns the share of a direction's last packets, up to 64, that its queue or its policer dropped.
fn queue_full(sim: &Simulation, direction: u8) -> f64 {
    let packets = &sim.trace().packets.packets;
    let of_direction = (0..packets.fate.len()).rev().filter(|row| packets.direction[*row] == direction);
    let fates: Vec<_> = of_direction.take(64).map(|row| packets.fate[row]).collect();
    let drops = [Fate::QueueFull, Fate::Early, Fate::Policed].map(|fate| fate as u8);
    let dropped = fates.iter().filter(|fate| drops.contains(fate)).count();
    dropped as f64 / fates.len().max(1) as f64
}

fn longest_delay(sim: &Simulation, direction: u8) -> Duration {
    let packets = &sim.trace().packets.packets;
    let arrived = (0..packets.fate.len())
        .filter(|row| packets.direction[*row] == direction && packets.fate[*row] == Fate::Delivered as u8);
    Duration::from_nanos(arrived.map(|row| packets.fate_ns[row] - packets.sent_ns[row]).max().unwrap_or(0))
}

/// Returns the last packets of the log, up to 40, one on each line.
fn last_packets(sim: &Simulation) -> String {
    let (packets, chunks) = (&sim.trace().packets.packets, &sim.trace().packets.chunks);
    let count = packets.sent_ns.len();
    (count.saturating_sub(40)..count)
        .map(|row| {
            let data: Vec<String> = (0..chunks.packet.len())
                .filter(|chunk| chunks.packet[*chunk] as usize == row)
                .map(|chunk| format!("{}+{}", chunks.first[chunk], chunks.bytes[chunk]))
                .collect();
            let (sent, way, kind) = (packets.sent_ns[row], packets.direction[row], packets.kind[row]);
            let (ack, fate) = (packets.cumulative_ack[row] as i64, packets.fate[row]);
            format!("{:12.6} way {way} kind {kind} ack {ack} data {data:?} fate {fate}\n", sent as f64 / 1e9)
        })
        .collect()
}

/// Checks that timers do not cause too many packets. The limit depends on the data, the transport and the congestion
/// control. For the packets of the close, it also depends on the longest delays down and up.
fn check_packet_count(scenario: &Scenario, sim: &Simulation) -> Result<(), String> {
    let kinds = &sim.trace().packets.packets.kind;
    let closing = kinds.iter().filter(|kind| **kind == PacketKind::Close as u8).count();
    let unit = usize::from(scenario.path.mtu_bytes - 100).min(scenario.message_bytes);
    let per_unit = match scenario.transport {
        Transport::Tcp { .. } | Transport::Sctp { .. } => 20,
        // a probe timeout sends two packets
        Transport::Quic { .. } => 40,
    };
    // BBR does not send less after losses. If its first window holds all of the data and the path loses most packets,
    // its samples of the rate count as limited by the application until the end, so it does not leave its phase
    // Startup. It sent up to 5 times the limit of the others.
    let is_congestion = |name| scenario.congestion.is_some_and(|kind| kind.name == name);
    // SCTP with an unlimited window may send bursts of up to 1000 packets, also after a loss. Such bursts overfill a
    // short queue. In a million runs, this SCTP sent up to 8.3 times the limit of the others.
    let is_burst = scenario.unlimited_window && matches!(scenario.transport, Transport::Sctp { .. });
    let factor = match is_burst {
        true => 12,
        false if is_congestion("bbr") => 8,
        // A loss leaves 70 % of its window, however little of the window was used. With an unlimited first window, it
        // sent up to 3.4 times the limit of the others over TCP, which no pane can choose.
        false if is_congestion("reno-70") => 8,
        false => 1,
    };
    let limit = 1000 + per_unit * factor * scenario.total_bytes().div_ceil(unit);
    // While a queue drains, which can take minutes, each SHUTDOWN that arrives restarts the timer T2-shutdown in the
    // state SHUTDOWN-ACK-SENT, so this timer does not back off. A SHUTDOWN ACK is sent every RTO.Min, and each is
    // answered later by a SHUTDOWN COMPLETE (RFC 9260 §9.2, §8.4).
    let close_limit = limit + 4 * ((longest_delay(sim, 0) + longest_delay(sim, 1)).as_millis() / RTO_MIN_MS) as usize;
    let check = |packets, limit, what| {
        if packets > limit { Err(format!("{packets} packets {what}, more than {limit}")) } else { Ok(()) }
    };
    check(kinds.len() - closing, limit, "before the close")?;
    check(closing, close_limit, "of the close")
}

/// The smallest RTO.Min of all profiles, in ms.
const RTO_MIN_MS: u128 = 200;

/// The bytes of one direction or stream, which depend only on the seed and a name.
pub struct Content(Vec<u8>);

impl Content {
    pub fn new(seed: u64, name: &str, bytes: usize) -> Self {
        let mut rng = random_stream(seed, name);
        Content((0..bytes).map(|_| rng.next_u32() as u8).collect())
    }
}

/// The progress of one direction or stream.
struct Flow {
    content: Vec<u8>,
    written: usize,
    received: usize,
}

impl Flow {
    fn new(content: Content) -> Self {
        Flow { content: content.0, written: 0, received: 0 }
    }

    fn is_complete(&self) -> bool {
        self.received == self.content.len()
    }

    fn take(&mut self, bytes: &[u8], what: &str) -> Result<(), String> {
        let expected = self.content.get(self.received..self.received + bytes.len());
        if expected != Some(bytes) {
            return Err(format!("{what}: {} bytes at {} differ from what was sent", bytes.len(), self.received));
        }
        self.received += bytes.len();
        Ok(())
    }
}

/// Opens a transport, whose handshake takes no time if the scenario says so.
fn opened(
    scenario: &Scenario,
    sim: &mut Simulation,
    open: impl FnOnce(Place) -> Result<Ends, Box<dyn Error>>,
) -> Result<(EndpointId, EndpointId), String> {
    let ends = match scenario.free_set_up {
        true => sim.open_to_set_up_at_once(PathId::default(), 0, open),
        false => sim.open(open),
    };
    ends.map_err(|error| error.to_string())
}

/// Returns how a run ended. Call this when nothing is left to do in the run.
fn ending(closed: &[Option<CloseReason>; 2], flows: &[Flow]) -> Result<Ending, String> {
    let finished = |closed: &Option<CloseReason>| *closed == Some(CloseReason::Finished);
    if flows.iter().all(Flow::is_complete) && closed.iter().all(finished) {
        return Ok(Ending::Complete);
    }
    if closed.contains(&Some(CloseReason::ProtocolViolation)) {
        return Err(format!("an end reported a protocol violation of its peer: closed {closed:?}"));
    }
    let timed_out = |closed: &Option<CloseReason>| {
        matches!(closed, Some(CloseReason::ConnectTimeout | CloseReason::DataTimeout | CloseReason::PeerAbort))
    };
    if closed.iter().any(timed_out) {
        let is_told = closed.iter().any(finished) && closed.contains(&Some(CloseReason::PeerAbort));
        return Ok(Ending::GaveUp { only_the_close: is_told && flows.iter().all(Flow::is_complete) });
    }
    let received: Vec<_> = flows.iter().map(|flow| (flow.received, flow.content.len())).collect();
    Err(format!("stuck: closed {closed:?}, received {received:?}"))
}

struct TcpExchange {
    ends: [EndpointId; 2],
    /// The data of the client, and the data of the server.
    flows: [Flow; 2],
    closed: [Option<CloseReason>; 2],
    closing: [bool; 2],
}

impl TcpExchange {
    fn open(scenario: &Scenario, sim: &mut Simulation, client: &str, server: &str) -> Result<Self, String> {
        let options = |name: &str, ecn: EcnMode| -> Result<tcp::Options, String> {
            let profile = tcp::Profile::named(name).ok_or("no such profile")?;
            let profile = scenario.congestion.map_or(profile, |kind| profile.with_congestion(kind));
            let profile = if scenario.unlimited_window { profile.with_unlimited_window() } else { profile };
            Ok(tcp::Options {
                ecn,
                send_buffer_bytes: scenario.buffer_bytes,
                receive_buffer_bytes: scenario.buffer_bytes,
                low_water_bytes: scenario.buffer_bytes / 2,
                writes_apart: scenario.message_bytes.is_multiple_of(2),
                ..tcp::Options::new(profile)
            })
        };
        let (client, server) = (options(client, scenario.ecn[0])?, options(server, scenario.ecn[1])?);
        let (client, server) = opened(scenario, sim, |place| Ok(tcp::open(place, client, server)?))?;
        let download = scenario.objects.iter().sum();
        let flow = |name, bytes| Flow::new(Content::new(scenario.seed, name, bytes));
        let mut exchange = TcpExchange {
            ends: [client, server],
            flows: [flow("upload", scenario.upload), flow("download", download)],
            closed: [None; 2],
            closing: [false; 2],
        };
        exchange.tcp(sim, 0)?.connect().map_err(|error| error.to_string())?;
        Ok(exchange)
    }

    fn run(mut self, sim: &mut Simulation, moves: &mut Moves) -> Result<Ending, String> {
        loop {
            let events = moves.advance(sim, self.ends[0])?;
            if events.is_empty() {
                return self.ending();
            }
            for AppEvent { endpoint, event } in events {
                let side = usize::from(endpoint == self.ends[1]);
                match event {
                    Event::Connected { .. } | Event::Writable => self.write(sim, side)?,
                    Event::Readable { .. } => {
                        let bytes = self.tcp(sim, side)?.read();
                        self.flows[1 - side].take(&bytes, "TCP")?;
                    }
                    Event::PeerClosed if !self.flows[1 - side].is_complete() => {
                        return Err("the peer closed before everything had arrived".into());
                    }
                    Event::Closed(reason) => self.closed[side] = Some(reason),
                    _ => {}
                }
            }
        }
    }

    fn write(&mut self, sim: &mut Simulation, side: usize) -> Result<(), String> {
        let flow = &mut self.flows[side];
        let connection = sim.tcp(self.ends[side]).map_err(|error| error.to_string())?;
        if self.closing[side] {
            return Ok(());
        }
        flow.written += connection.write(&flow.content[flow.written..]).map_err(|error| error.to_string())?;
        if flow.written == flow.content.len() {
            self.closing[side] = true;
            connection.close();
        }
        Ok(())
    }

    fn ending(&self) -> Result<Ending, String> {
        ending(&self.closed, &self.flows)
    }

    fn tcp<'a>(&mut self, sim: &'a mut Simulation, side: usize) -> Result<&'a mut tcp::Connection, String> {
        sim.tcp(self.ends[side]).map_err(|error| error.to_string())
    }
}

/// The server sends objects on streams, and the messages of each stream are in order. The client sends its upload on
/// stream 0.
struct SctpExchange {
    ends: [EndpointId; 2],
    message_bytes: usize,
    /// The upload, then the streams of the download. The objects are assigned to streams once the number of streams is
    /// known.
    flows: Vec<Flow>,
    objects: Vec<Content>,
    closed: [Option<CloseReason>; 2],
    shut: bool,
    /// Whether the client renews each stream once. Both directions of a renewed stream are reset (RFC 6525).
    renews: bool,
    renewed: BTreeSet<u32>,
}

impl SctpExchange {
    fn open(
        scenario: &Scenario,
        sim: &mut Simulation,
        client: sctp::Options,
        server: sctp::Options,
    ) -> Result<Self, String> {
        let (client, server) = opened(scenario, sim, |place| Ok(sctp::open(place, client, server)?))?;
        let transport = sim.transport(client).map_err(|error| error.to_string())?;
        transport.connect().map_err(|error| error.to_string())?;
        let object = |(index, bytes): (usize, &usize)| Content::new(scenario.seed, &format!("object/{index}"), *bytes);
        Ok(SctpExchange {
            ends: [client, server],
            message_bytes: scenario.message_bytes,
            flows: vec![Flow::new(Content::new(scenario.seed, "upload", scenario.upload))],
            objects: scenario.objects.iter().enumerate().map(object).collect(),
            closed: [None; 2],
            shut: false,
            renews: scenario.renews,
            renewed: BTreeSet::new(),
        })
    }

    fn run(mut self, sim: &mut Simulation, moves: &mut Moves) -> Result<Ending, String> {
        loop {
            let events = moves.advance(sim, self.ends[0])?;
            if events.is_empty() {
                return ending(&self.closed, &self.flows);
            }
            for AppEvent { endpoint, event } in events {
                let side = usize::from(endpoint == self.ends[1]);
                match event {
                    Event::Connected { streams } => {
                        self.share_out(streams);
                        self.write(sim, side)?;
                    }
                    Event::Writable => self.write(sim, side)?,
                    Event::Message { stream, bytes } => {
                        let flow = if side == 1 { 0 } else { 1 + stream as usize };
                        let flow = self.flows.get_mut(flow).ok_or("a message on an unknown stream")?;
                        flow.take(&bytes, "SCTP")?;
                        if side == 0 && self.renews && !self.shut && !self.renewed.contains(&stream) {
                            let association = sim.sctp(endpoint).map_err(|error| error.to_string())?;
                            match association.renew(stream) {
                                Ok(()) => drop(self.renewed.insert(stream)),
                                // the client is not connected yet: the server's COOKIE ACK was lost, and data overtook
                                // its next COOKIE ACK
                                Err(sctp::SendError::NotConnected) => {}
                                Err(error) => return Err(error.to_string()),
                            }
                        }
                    }
                    Event::Closed(reason) => self.closed[side] = Some(reason),
                    _ => {}
                }
            }
            self.shut_down_when_complete(sim)?;
        }
    }

    /// Puts object i on stream i mod `streams`.
    fn share_out(&mut self, streams: u32) {
        for (index, Content(object)) in std::mem::take(&mut self.objects).into_iter().enumerate() {
            let flow = 1 + index % streams as usize;
            while self.flows.len() <= flow {
                self.flows.push(Flow::new(Content(Vec::new())));
            }
            self.flows[flow].content.extend(object);
        }
    }

    /// Writes one message of each stream in turn, until everything is written or the buffer is full.
    fn write(&mut self, sim: &mut Simulation, side: usize) -> Result<(), String> {
        let association = sim.sctp(self.ends[side]).map_err(|error| error.to_string())?;
        let flows = if side == 0 { 0..1 } else { 1..self.flows.len() };
        loop {
            let mut wrote = false;
            for index in flows.clone() {
                let flow = &mut self.flows[index];
                let end = flow.content.len().min(flow.written + self.message_bytes);
                if flow.written == end {
                    continue;
                }
                match association.send(index.saturating_sub(1) as u32, &flow.content[flow.written..end]) {
                    Ok(()) => (flow.written, wrote) = (end, true),
                    Err(sctp::SendError::BufferFull { .. }) => return Ok(()),
                    Err(error) => return Err(error.to_string()),
                }
            }
            if !wrote {
                return Ok(());
            }
        }
    }

    fn shut_down_when_complete(&mut self, sim: &mut Simulation) -> Result<(), String> {
        let (upload, download) = self.flows.split_at(1);
        let complete = self.objects.is_empty() && download.iter().all(Flow::is_complete);
        if !self.shut && complete && upload[0].written == upload[0].content.len() {
            self.shut = true;
            sim.sctp(self.ends[0]).map_err(|error| error.to_string())?.shutdown();
        }
        Ok(())
    }
}

/// The server sends each object on a stream of its own, and the client sends the upload on a stream.
struct QuicExchange {
    ends: [EndpointId; 2],
    /// The upload, then the streams of the download.
    flows: Vec<Flow>,
    /// For each flow: whether its end was written, and whether its end has arrived.
    ended: Vec<[bool; 2]>,
    closed: [Option<CloseReason>; 2],
    shut: bool,
}

impl QuicExchange {
    fn open(
        scenario: &Scenario,
        sim: &mut Simulation,
        client: quic::Options,
        server: quic::Options,
    ) -> Result<Self, String> {
        let buffered = |options: quic::Options, ecn: EcnMode| quic::Options {
            ecn,
            send_buffer_bytes: scenario.buffer_bytes,
            low_water_bytes: scenario.buffer_bytes / 2,
            congestion: scenario.congestion,
            ..options
        };
        let (client, server) = sim
            .open_quic(buffered(client, scenario.ecn[0]), buffered(server, scenario.ecn[1]))
            .map_err(|error| error.to_string())?;
        let has_early_data =
            matches!(scenario.transport, Transport::Quic { client, .. } if client.resumes && client.early_data);
        let upload = Flow::new(Content::new(scenario.seed, "upload", scenario.upload));
        let object = |(index, bytes): (usize, &usize)| {
            Flow::new(Content::new(scenario.seed, &format!("object/{index}"), *bytes))
        };
        let flows: Vec<Flow> = std::iter::once(upload).chain(scenario.objects.iter().enumerate().map(object)).collect();
        let ended = vec![[false; 2]; flows.len()];
        let mut exchange = QuicExchange { ends: [client, server], flows, ended, closed: [None; 2], shut: false };
        exchange.quic(sim, 0)?.connect().map_err(|error| error.to_string())?;
        if has_early_data {
            exchange.write(sim, 0)?;
        }
        Ok(exchange)
    }

    /// Returns the stream of a flow. The streams are unidirectional: 2 of the client, and 3, 7, … of the server.
    fn stream(flow: usize) -> u32 {
        if flow == 0 { 2 } else { 4 * flow as u32 - 1 }
    }

    fn run(mut self, sim: &mut Simulation, moves: &mut Moves) -> Result<Ending, String> {
        loop {
            let events = moves.advance(sim, self.ends[0])?;
            if events.is_empty() {
                return self.ending();
            }
            for AppEvent { endpoint, event } in events {
                let side = usize::from(endpoint == self.ends[1]);
                match event {
                    Event::Connected { .. } | Event::Writable => self.write(sim, side)?,
                    Event::Readable { stream } => {
                        let bytes = self.quic(sim, side)?.read(stream).map_err(|error| error.to_string())?;
                        self.flow(stream)?.take(&bytes, "QUIC")?;
                    }
                    Event::Finished { stream } => {
                        let flow = self.flow(stream)?;
                        if !flow.is_complete() {
                            return Err(format!("stream {stream} ended before everything had arrived"));
                        }
                        let ended = &mut self.ended[(stream as usize + 1) / 4][1];
                        if std::mem::replace(ended, true) {
                            return Err(format!("stream {stream} ended twice"));
                        }
                    }
                    Event::Reset { stream, .. } => return Err(format!("stream {stream} was reset")),
                    Event::Closed(reason) => self.closed[side] = Some(reason),
                    _ => {}
                }
            }
            self.close_when_complete(sim)?;
        }
    }

    fn flow(&mut self, stream: u32) -> Result<&mut Flow, String> {
        let flow = self.flows.get_mut((stream as usize + 1) / 4);
        flow.ok_or_else(|| format!("unknown stream {stream}"))
    }

    fn write(&mut self, sim: &mut Simulation, side: usize) -> Result<(), String> {
        if self.closed[side].is_some() || self.shut {
            return Ok(());
        }
        let flows = if side == 0 { 0..1 } else { 1..self.flows.len() };
        for index in flows {
            let connection = sim.quic(self.ends[side]).map_err(|error| error.to_string())?;
            let (flow, stream) = (&mut self.flows[index], Self::stream(index));
            if self.ended[index][0] {
                continue;
            }
            flow.written +=
                connection.write(stream, &flow.content[flow.written..]).map_err(|error| error.to_string())?;
            if flow.written == flow.content.len() {
                self.ended[index][0] = true;
                connection.finish(stream).map_err(|error| error.to_string())?;
            }
        }
        Ok(())
    }

    fn close_when_complete(&mut self, sim: &mut Simulation) -> Result<(), String> {
        let download_came = self.ended[1..].iter().all(|[_, came]| *came);
        if !self.shut && download_came && self.ended[0][0] {
            self.shut = true;
            self.quic(sim, 0)?.close();
        }
        Ok(())
    }

    fn ending(&self) -> Result<Ending, String> {
        // all data has arrived, but the CONNECTION_CLOSE was lost, so the idle timeout closed the server's end
        let all_came = self.ended.iter().all(|[_, came]| *came);
        if all_came && self.closed == [Some(CloseReason::Finished), Some(CloseReason::DataTimeout)] {
            return Ok(Ending::Complete);
        }
        ending(&self.closed, &self.flows)
    }

    fn quic<'a>(&mut self, sim: &'a mut Simulation, side: usize) -> Result<&'a mut quic::Connection, String> {
        sim.quic(self.ends[side]).map_err(|error| error.to_string())
    }
}
