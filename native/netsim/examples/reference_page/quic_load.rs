//! The reference page over one QUIC connection. Each request has its own stream, which ends with the response.

use std::collections::BTreeMap;

use netsim::endpoint::Event;
use netsim::link::PathParams;
use netsim::quic::Options;
use netsim::sim::{EndpointId, Simulation, SimulationOptions};
use netsim::time::SimTime;
use netsim::trace::Recording;

use crate::page::{Page, Progress};

/// Loads the page once. Returns `None` if the connection ended before the page was complete.
pub fn load(page: &Page, options: Options, path: PathParams, seed: u64) -> Option<Progress> {
    let simulation = SimulationOptions { seed, path, recording: Recording::OFF };
    let mut sim = Simulation::new(simulation).ok()?;
    let (client, server) = sim.open_quic(options, options).ok()?;
    sim.quic(client).ok()?.connect().ok()?;
    let mut load = Load { page: *page, client, server, progress: Progress::new(page), received: BTreeMap::new() };
    while !load.progress.is_complete() {
        let events = sim.advance(SimTime::MAX);
        if events.is_empty() {
            return None;
        }
        for event in events {
            match event.event {
                Event::Connected { .. } if event.endpoint == client => {
                    load.progress.start(sim.now());
                    load.request(&mut sim, 0)?;
                }
                Event::Readable { stream } => load.receive(&mut sim, event.endpoint, stream)?,
                Event::Finished { stream } if event.endpoint == server => load.respond(&mut sim, stream)?,
                Event::Closed(_) => return None,
                _ => {}
            }
        }
    }
    Some(load.progress)
}

struct Load {
    page: Page,
    client: EndpointId,
    server: EndpointId,
    progress: Progress,
    /// Bytes received on each stream: index.html on stream 0, object i (from 0) on stream 4 (i + 1).
    received: BTreeMap<u32, usize>,
}

impl Load {
    fn request(&self, sim: &mut Simulation, stream: u32) -> Option<()> {
        let client = sim.quic(self.client).ok()?;
        client.write(stream, &vec![b'G'; self.page.request_bytes]).ok()?;
        client.finish(stream).ok()
    }

    fn respond(&self, sim: &mut Simulation, stream: u32) -> Option<()> {
        let bytes = if stream == 0 { self.page.index_bytes } else { self.page.response_bytes() };
        let server = sim.quic(self.server).ok()?;
        server.write(stream, &vec![b'x'; bytes]).ok()?;
        server.finish(stream).ok()
    }

    fn receive(&mut self, sim: &mut Simulation, end: EndpointId, stream: u32) -> Option<()> {
        let bytes = sim.quic(end).ok()?.read(stream).ok()?.len();
        if end == self.server {
            return Some(());
        }
        let received = self.received.entry(stream).or_default();
        *received += bytes;
        if stream > 0 {
            self.progress.note_object(sim.now(), stream as usize / 4 - 1, bytes);
        } else if *received == self.page.index_bytes {
            (1..=self.page.objects as u32).try_for_each(|object| self.request(sim, 4 * object))?;
        }
        Some(())
    }
}
