//! Tests of `ahead_bytes`: the application keeps a limited number of unsent bytes beyond the congestion window.

use std::num::NonZeroU64;
use std::time::Duration;

use super::*;
use crate::link::LossModel;
use crate::{quic, sctp, tcp};

const MARK_BYTES: u64 = 6000;
const PIECE_BYTES: u64 = 1400;
const ALL_BYTES: u64 = 200_000;

#[derive(Clone, Copy, Debug)]
enum Kind {
    Tcp,
    Sctp,
    Quic,
}

const KINDS: [Kind; 3] = [Kind::Tcp, Kind::Sctp, Kind::Quic];

/// A run in which the server writes [`ALL_BYTES`] once it is connected.
struct Load {
    sim: Simulation,
    server: EndpointId,
    kind: Kind,
    left_bytes: u64,
    /// How many bytes the server may still write before the next [`Event::Room`].
    room_bytes: i64,
    /// The bytes of each reported [`Event::Room`].
    reported_room: Vec<u64>,
    /// The most bytes that were buffered beyond the congestion window.
    ahead_bytes: u64,
    arrived_bytes: u64,
    arrived_at: SimTime,
}

impl Load {
    fn new(kind: Kind, ahead_bytes: Option<u64>, send_buffer_bytes: u64, loss: f64) -> Load {
        let path = PathParams::symmetric(1_000_000, Duration::from_millis(300), LossModel::Bernoulli { rate: loss });
        let options = SimulationOptions { seed: 1, path, recording: Recording::OFF };
        let mut sim = Simulation::new(options).unwrap();
        let ahead_bytes = ahead_bytes.and_then(NonZeroU64::new);
        let low_water_bytes = send_buffer_bytes / 2;
        let (client, server) = match kind {
            Kind::Tcp => {
                let client = tcp::Options::new(tcp::Profile::named("classic").unwrap());
                sim.open_tcp(client, tcp::Options { ahead_bytes, send_buffer_bytes, low_water_bytes, ..client })
                    .unwrap()
            }
            Kind::Sctp => {
                let client = sctp::Options::new(sctp::Profile::Classic, 1);
                let server = sctp::Options { ahead_bytes, send_buffer_bytes, low_water_bytes, ..client.clone() };
                sim.open_sctp(client, server).unwrap()
            }
            Kind::Quic => {
                let client = quic::Options::new(quic::Profile::Classic);
                let server = quic::Options { ahead_bytes, send_buffer_bytes, low_water_bytes, ..client };
                sim.open_quic(client, server).unwrap()
            }
        };
        sim.transport(client).unwrap().connect().unwrap();
        let room_bytes = ahead_bytes.map_or(i64::MAX, |_| MARK_BYTES as i64);
        let (reported_room, arrived_at) = (Vec::new(), SimTime::ZERO);
        Load {
            sim,
            server,
            kind,
            left_bytes: ALL_BYTES,
            room_bytes,
            reported_room,
            ahead_bytes: 0,
            arrived_bytes: 0,
            arrived_at,
        }
    }

    /// Runs until nothing is left to happen. Once the server is connected, it writes as much as it may after each
    /// instant that has events.
    fn run(mut self) -> Load {
        let mut is_connected = false;
        loop {
            let events = self.sim.advance(SimTime::MAX);
            if events.is_empty() {
                return self;
            }
            for AppEvent { endpoint, event } in events {
                match event {
                    Event::Connected { .. } => is_connected |= endpoint == self.server,
                    Event::Room { bytes } => {
                        assert_eq!(endpoint, self.server);
                        self.reported_room.push(bytes);
                        self.room_bytes = bytes as i64;
                    }
                    Event::Readable { stream } => {
                        let bytes = self.sim.transport(endpoint).unwrap().read(stream).unwrap().len();
                        self.arrive(bytes);
                    }
                    Event::Message { bytes, .. } => self.arrive(bytes.len()),
                    _ => {}
                }
            }
            if is_connected {
                self.write();
            }
        }
    }

    fn arrive(&mut self, bytes: usize) {
        self.arrived_bytes += bytes as u64;
        self.arrived_at = self.sim.now();
    }

    fn write(&mut self) {
        let server = self.sim.transport(self.server).unwrap();
        while self.room_bytes > 0 && self.left_bytes > 0 {
            let piece = vec![7; PIECE_BYTES.min(self.left_bytes) as usize];
            let taken = match self.kind {
                Kind::Tcp => server.write(0, &piece).unwrap(),
                Kind::Quic => server.write(3, &piece).unwrap(),
                Kind::Sctp if server.send(0, &piece).unwrap() => piece.len(),
                Kind::Sctp => 0,
            };
            self.left_bytes -= taken as u64;
            self.room_bytes -= taken as i64;
            if taken < piece.len() {
                return;
            }
        }
        let buffered_bytes = server.buffered_bytes();
        let cwnd_bytes = self.sim.endpoint(self.server).unwrap().sample().unwrap().cwnd_bytes;
        self.ahead_bytes = self.ahead_bytes.max(buffered_bytes.saturating_sub(cwnd_bytes));
    }
}

#[test]
fn writing_on_room_bounds_the_unsent_bytes_and_costs_no_time() {
    for kind in KINDS {
        let all_at_once = Load::new(kind, None, 4 << 20, 0.0).run();
        assert_eq!((all_at_once.arrived_bytes, all_at_once.reported_room), (ALL_BYTES, vec![]), "{kind:?}");
        let load = Load::new(kind, Some(MARK_BYTES), 4 << 20, 0.0).run();
        assert_eq!(load.arrived_bytes, ALL_BYTES, "{kind:?}");
        assert!(load.ahead_bytes < MARK_BYTES + PIECE_BYTES, "{kind:?}: {}", load.ahead_bytes);
        let later = load.arrived_at.saturating_since(all_at_once.arrived_at);
        assert!(later < Duration::from_millis(30), "{kind:?}: {later:?}");
        // at most one event for every second packet
        assert!((20..=80).contains(&load.reported_room.len()), "{kind:?}: {}", load.reported_room.len());
    }
}

#[test]
fn room_is_reported_despite_losses_and_a_small_send_buffer() {
    for kind in KINDS {
        for (loss, send_buffer_bytes) in [(0.1, 4 << 20), (0.1, 3000), (0.0, 2000)] {
            let load = Load::new(kind, Some(MARK_BYTES), send_buffer_bytes, loss).run();
            assert_eq!(load.arrived_bytes, ALL_BYTES, "{kind:?} {loss} {send_buffer_bytes}");
        }
    }
}
