//! `npm run bench` runs this program. It measures speed in CPU time, which depends little on other programs on the
//! machine.

#[path = "../reference_page/page.rs"]
mod page;
#[path = "../reference_page/quic_load.rs"]
mod quic_load;
#[path = "../reference_page/sctp_load.rs"]
mod sctp_load;
#[path = "../reference_page/tcp_load.rs"]
mod tcp_load;

use std::time::Duration;

use cpu_time::ThreadTime;
use netsim::endpoint::Event;
use netsim::link::{LossModel, PathParams};
use netsim::sim::{Simulation, SimulationOptions};
use netsim::time::SimTime;
use netsim::trace::Recording;
use netsim::{quic, sctp, tcp};
use page::{Page, Progress};

fn main() {
    // INTERLEAVE_BENCH=tiny only checks that the benchmark runs
    let share = if std::env::var_os("INTERLEAVE_BENCH").is_some_and(|bench| bench == "tiny") { 100 } else { 1 };
    println!("page of 11 objects of 10 KB, 1 Mbps, RTT 350 ms, 3 % loss each way:");
    let page = Page { index_bytes: 10_250, ..Page::reference(10, 10_000) };
    let path = PathParams::symmetric(1_000_000, Duration::from_millis(350), LossModel::Bernoulli { rate: 0.03 });
    for name in ["classic", "modern"] {
        let Some(profile) = tcp::Profile::named(name) else { continue };
        let options = |seed| SimulationOptions { seed, path: path.clone(), recording: Recording::OFF };
        report(&format!("TCP {name}"), 2000 / share, |seed| {
            tcp_load::load(&mut Simulation::new(options(seed)).ok()?, &page, profile)
        });
    }
    for (name, profile) in [("classic", sctp::Profile::Classic), ("modern", sctp::Profile::Modern)] {
        let setup = sctp_load::Setup { profile, streams: 10, clean_handshake: false };
        report(&format!("SCTP {name}"), 2000 / share, |seed| sctp_load::load(&page, setup, path.clone(), seed));
    }
    for (name, profile) in [("classic", quic::Profile::Classic), ("modern", quic::Profile::Modern)] {
        let options = quic::Options::new(profile);
        report(&format!("QUIC {name}"), 2000 / share, |seed| quic_load::load(&page, options, path.clone(), seed));
    }
    let bulk_bytes = 100_000_000 / share as usize;
    println!("bulk of {} MB over a clean path, 1 Gbps, RTT 10 ms, TCP modern:", bulk_bytes / 1_000_000);
    let start = ThreadTime::now();
    if let Some((packets, simulated)) = bulk(bulk_bytes) {
        let cpu = start.elapsed().as_secs_f64();
        println!("  {:.0} packets/CPU s, {:.2} simulated s/CPU s", packets as f64 / cpu, simulated / cpu);
    }
}

fn report(name: &str, loads: u64, load: impl Fn(u64) -> Option<Progress>) {
    let start = ThreadTime::now();
    let simulated: f64 = (0..loads).filter_map(&load).map(|progress| progress.seconds(3)).sum();
    let cpu = start.elapsed().as_secs_f64();
    let (rate, each) = (loads as f64 / cpu, 1000.0 * cpu / loads as f64);
    println!("  {name:13} {rate:6.0} loads/CPU s ({each:.2} ms each), {:6.0} simulated s/CPU s", simulated / cpu);
}

/// Returns the number of packets sent and the simulated seconds.
fn bulk(bytes: usize) -> Option<(u64, f64)> {
    let path = PathParams::symmetric(1_000_000_000, Duration::from_millis(10), LossModel::None);
    let recording = Recording { packets: true, ..Recording::OFF };
    let mut sim = Simulation::new(SimulationOptions { seed: 1, path, recording }).ok()?;
    let options = tcp::Options::new(tcp::Profile::named("modern")?);
    let (client, server) = sim.open_tcp(options, options).ok()?;
    sim.tcp(client).ok()?.connect().ok()?;
    let chunk = vec![7; 1 << 20];
    let (mut written, mut read) = (0, 0);
    while read < bytes {
        let events = sim.advance(SimTime::MAX);
        if events.is_empty() {
            return None;
        }
        for event in events {
            match event.event {
                Event::Connected { .. } | Event::Writable if event.endpoint == server => {
                    while written < bytes {
                        let part = &chunk[..chunk.len().min(bytes - written)];
                        let taken = sim.tcp(server).ok()?.write(part).ok()?;
                        written += taken;
                        if taken < part.len() {
                            break;
                        }
                    }
                }
                Event::Readable { .. } => read += sim.tcp(event.endpoint).ok()?.read().len(),
                _ => {}
            }
        }
    }
    Some((sim.trace().packets.packets.sent_ns.len() as u64, sim.now().as_secs_f64()))
}
