//! The reference page over one pipelined TCP connection (fixtures/reference/README.md).

use netsim::endpoint::Event;
use netsim::sim::Simulation;
use netsim::tcp;
use netsim::time::SimTime;

use crate::page::{Page, Progress};

/// Loads the page once in `sim`, which must be new. Returns `None` if the connection ended before the page was
/// complete.
pub fn load(sim: &mut Simulation, page: &Page, profile: tcp::Profile) -> Option<Progress> {
    let (client, server) = sim.open_tcp(tcp::Options::new(profile), tcp::Options::new(profile)).ok()?;
    sim.tcp(client).ok()?.connect().ok()?;
    let mut progress = Progress::new(page);
    let (mut received, mut requested, mut answered) = (0, 0, 0);
    loop {
        let events = sim.advance(SimTime::MAX);
        if events.is_empty() {
            return None;
        }
        for event in events {
            match event.event {
                Event::Connected { .. } if event.endpoint == client => {
                    progress.start(sim.now());
                    sim.tcp(client).ok()?.write(&vec![0; page.request_bytes]).ok()?;
                }
                Event::Readable { .. } if event.endpoint == server => {
                    requested += sim.tcp(server).ok()?.read().len();
                    while answered < requested / page.request_bytes {
                        let bytes = if answered == 0 { page.index_bytes } else { page.response_bytes() };
                        sim.tcp(server).ok()?.write(&vec![0; bytes]).ok()?;
                        answered += 1;
                    }
                }
                Event::Readable { .. } if event.endpoint == client => {
                    let before = received;
                    received += sim.tcp(client).ok()?.read().len();
                    if before < page.index_bytes && received >= page.index_bytes {
                        sim.tcp(client).ok()?.write(&vec![0; page.objects * page.request_bytes]).ok()?;
                    }
                    progress.note_stream(sim.now(), received.saturating_sub(page.index_bytes));
                    if progress.is_complete() {
                        return Some(progress);
                    }
                }
                Event::Closed(_) => return None,
                _ => {}
            }
        }
    }
}
