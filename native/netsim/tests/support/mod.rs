//! Two ends of an association on one path, for the tests of SCTP.

#![allow(dead_code)] // each test file uses only a part of this module

use std::collections::BTreeSet;
use std::time::Duration;

use netsim::endpoint::Event;
use netsim::link::{Direction, LossModel, PathParams};
use netsim::sctp::{Options, Profile, SchedulerPolicy};
use netsim::sim::{EndpointId, Simulation, SimulationOptions};
use netsim::time::SimTime;
use netsim::trace::Recording;

pub struct Pair {
    pub sim: Simulation,
    pub client: EndpointId,
    pub server: EndpointId,
    pub path: PathParams,
    /// All events so far, with their times and endpoints.
    pub events: Vec<(SimTime, EndpointId, Event)>,
}

/// The options of a pair. The defaults are 1 Mbps, an RTT of 100 ms, no loss and one stream.
pub struct PairOptions {
    pub seed: u64,
    pub rate_bps: u64,
    pub rtt: Duration,
    pub loss: LossModel,
    pub client: Options,
    pub server: Options,
}

impl Default for PairOptions {
    fn default() -> Self {
        PairOptions {
            seed: 1,
            rate_bps: 1_000_000,
            rtt: Duration::from_millis(100),
            loss: LossModel::None,
            client: Options::new(Profile::Classic, 1),
            server: Options::new(Profile::Classic, 1),
        }
    }
}

impl PairOptions {
    pub fn streams(streams: u16) -> Self {
        let options = Options::new(Profile::Classic, streams);
        PairOptions { client: options.clone(), server: options, ..Default::default() }
    }

    pub fn scheduler(streams: u16, scheduler: SchedulerPolicy) -> Self {
        let server = Options { scheduler, ..Options::new(Profile::Classic, streams) };
        PairOptions { server, ..Self::streams(streams) }
    }
}

impl Pair {
    pub fn new(options: PairOptions) -> Pair {
        let path = PathParams::symmetric(options.rate_bps, options.rtt, options.loss);
        let simulation = SimulationOptions { seed: options.seed, path: path.clone(), recording: Recording::ALL };
        let mut sim = Simulation::new(simulation).unwrap();
        let (client, server) = sim.open_sctp(options.client, options.server).unwrap();
        sim.sctp(client).unwrap().connect();
        Pair { sim, client, server, path, events: Vec::new() }
    }

    /// Makes a pair whose handshake is done.
    pub fn connected(options: PairOptions) -> Pair {
        let mut pair = Pair::new(options);
        pair.drive_to(|event| matches!(event, Event::Connected { .. }), pair.client);
        pair
    }

    fn advance(&mut self, until: SimTime) -> bool {
        let events = self.sim.advance(until);
        let now = self.sim.now();
        assert!(now < SimTime::ZERO + Duration::from_secs(3600), "no end");
        let some = !events.is_empty();
        self.events.extend(events.into_iter().map(|event| (now, event.endpoint, event.event)));
        some
    }

    /// Advances to the next instant with events. Returns false if nothing is left to happen.
    pub fn step(&mut self) -> bool {
        self.advance(SimTime::MAX)
    }

    pub fn drive(&mut self) {
        while self.step() {}
    }

    pub fn drive_to(&mut self, until: impl Fn(&Event) -> bool, end: EndpointId) {
        let mut seen = self.events.len();
        loop {
            assert!(self.step(), "the expected event never happened; events: {:?}", self.events);
            if self.events[seen..].iter().any(|(_, endpoint, event)| *endpoint == end && until(event)) {
                return;
            }
            seen = self.events.len();
        }
    }

    /// Changes the loss of a direction from now on. Packets that earlier calls have caused are sent first, with the old
    /// loss.
    pub fn lose(&mut self, direction: Direction, loss: LossModel) {
        let link = match direction {
            Direction::Down => self.path.down.clone(),
            Direction::Up => self.path.up.clone(),
        };
        self.sim.change_link(self.sim.now(), direction, link.with_loss(loss)).unwrap();
        while self.advance(self.sim.now()) {}
    }

    /// Loses the packets with these numbers among those that are sent next in this direction. The next packet has the
    /// number 0.
    pub fn lose_next(&mut self, direction: Direction, packets: &[u64]) {
        let column = &self.sim.trace().packets.packets.direction;
        let sent = column.iter().filter(|sent| **sent == direction as u8).count() as u64;
        self.lose(direction, LossModel::List(packets.iter().map(|packet| sent + packet).collect::<BTreeSet<_>>()));
    }

    /// The messages that arrived at `end`, in order: stream and length.
    pub fn messages(&self, end: EndpointId) -> Vec<(u32, usize)> {
        let messages = self.events.iter().filter(|(_, endpoint, _)| *endpoint == end);
        messages
            .filter_map(|(_, _, event)| match event {
                Event::Message { stream, bytes } => Some((*stream, bytes.len())),
                _ => None,
            })
            .collect()
    }

    /// The events of `end` other than messages, in order.
    pub fn happened(&self, end: EndpointId) -> Vec<Event> {
        let of_end = self.events.iter().filter(|(_, endpoint, _)| *endpoint == end);
        of_end.map(|(_, _, event)| event.clone()).filter(|event| !matches!(event, Event::Message { .. })).collect()
    }

    /// For each chunk that `end` sent, without retransmissions, in order: its stream and the number of its user bytes.
    pub fn first_sent(&self, end: EndpointId) -> Vec<(u32, u32)> {
        let packets = &self.sim.trace().packets;
        let chunks = &packets.chunks;
        let rows = 0..chunks.packet.len();
        let of_end = rows.filter(|row| packets.packets.endpoint[chunks.packet[*row] as usize] == end.0);
        of_end
            .filter(|row| chunks.retransmission[*row] == 0)
            .map(|row| (chunks.stream[row], chunks.bytes[row]))
            .collect()
    }
}

/// Returns a message whose bytes all depend on the stream and the number.
pub fn message(stream: u32, number: usize, bytes: usize) -> Vec<u8> {
    (0..bytes).map(|at| (at * 7 + number * 31 + stream as usize * 101) as u8).collect()
}
