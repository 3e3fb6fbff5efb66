//! The reference page over one SCTP association. index.html is requested on stream 0. With m streams, object i (from 0)
//! is requested on stream i mod m. A response has the stream of its request. It consists of messages that each fill a
//! packet of one PMTU, except for the last message (fixtures/reference/README.md).

use std::collections::{BTreeMap, VecDeque};

use netsim::endpoint::Event;
use netsim::link::{Direction, LossModel, PathParams};
use netsim::sctp::{Options, Profile};
use netsim::sim::{EndpointId, Simulation, SimulationOptions};
use netsim::time::SimTime;
use netsim::trace::Recording;

use crate::page::{Page, Progress};

/// The settings of a load.
#[derive(Clone, Copy, Debug)]
pub struct Setup {
    pub profile: Profile,
    pub streams: u16,
    /// Whether nothing is lost until the association is established. From the first request on, `path` applies.
    pub clean_handshake: bool,
}

/// Loads the page once. Returns `None` if the association ended before the page was complete.
pub fn load(page: &Page, setup: Setup, path: PathParams, seed: u64) -> Option<Progress> {
    let mut at_first = path.clone();
    if setup.clean_handshake {
        (at_first.down.loss, at_first.up.loss) = (LossModel::None, LossModel::None);
    }
    let options = SimulationOptions { seed, path: at_first, recording: Recording::OFF };
    let mut sim = Simulation::new(options).ok()?;
    let options = Options::new(setup.profile, setup.streams);
    let (client, server) = sim.open_sctp(options.clone(), options).ok()?;
    sim.sctp(client).ok()?.connect();
    let mut load = Load {
        page: *page,
        client,
        server,
        streams: setup.streams,
        progress: Progress::new(page),
        asked: BTreeMap::new(),
        answered: 0,
    };
    while !load.progress.is_complete() {
        let events = sim.advance(SimTime::MAX);
        if events.is_empty() {
            return None;
        }
        for event in events {
            match event.event {
                Event::Connected { .. } if event.endpoint == client => {
                    sim.change_link(sim.now(), Direction::Down, path.down.clone()).ok()?;
                    sim.change_link(sim.now(), Direction::Up, path.up.clone()).ok()?;
                    sim.advance(sim.now()); // the change of the path applies before the first request
                    load.progress.start(sim.now());
                    load.request(&mut sim, Document::Index)?;
                }
                Event::Message { stream, .. } if event.endpoint == server => load.respond(&mut sim, stream)?,
                Event::Message { stream, bytes } => load.receive(&mut sim, stream, bytes.len())?,
                Event::Closed(_) => return None,
                _ => {}
            }
        }
    }
    Some(load.progress)
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Document {
    Index,
    Object(usize),
}

struct Load {
    page: Page,
    client: EndpointId,
    server: EndpointId,
    streams: u16,
    progress: Progress,
    /// For each stream: the documents that were requested and are not complete, with the bytes received so far. Data
    /// that arrives on a stream belongs to the first of its documents (N07 §4).
    asked: BTreeMap<u32, VecDeque<(Document, usize)>>,
    /// The number of requests that the server has answered.
    answered: usize,
}

impl Load {
    fn request(&mut self, sim: &mut Simulation, document: Document) -> Option<()> {
        let stream = match document {
            Document::Index => 0,
            Document::Object(object) => object as u32 % u32::from(self.streams),
        };
        self.asked.entry(stream).or_default().push_back((document, 0));
        sim.sctp(self.client).ok()?.send(stream, &vec![b'G'; self.page.request_bytes]).ok()
    }

    /// Answers the next request on its stream. The first answer is index.html, and the others are objects of the same
    /// size.
    fn respond(&mut self, sim: &mut Simulation, stream: u32) -> Option<()> {
        let mut left = if self.answered == 0 { self.page.index_bytes } else { self.page.response_bytes() };
        self.answered += 1;
        let server = sim.sctp(self.server).ok()?;
        while left > 0 {
            let bytes = left.min(server.max_message_in_packet_bytes());
            server.send(stream, &vec![b'x'; bytes]).ok()?;
            left -= bytes;
        }
        Some(())
    }

    fn receive(&mut self, sim: &mut Simulation, stream: u32, bytes: usize) -> Option<()> {
        let queue = self.asked.get_mut(&stream)?;
        let (document, received) = queue.front_mut()?;
        *received += bytes;
        let (document, received) = (*document, *received);
        let whole = match document {
            Document::Index => self.page.index_bytes,
            Document::Object(_) => self.page.response_bytes(),
        };
        if received == whole {
            queue.pop_front();
        }
        match document {
            Document::Object(object) => self.progress.note_object(sim.now(), object, bytes),
            Document::Index if received == whole => {
                for object in 0..self.page.objects {
                    self.request(sim, Document::Object(object))?;
                }
            }
            Document::Index => {}
        }
        Some(())
    }
}
