//! Compares the transports with page loads of real stacks: `npm run validate`, or `cargo run --release --example
//! validate`.
//!
//! - `FILE…`: files of reference cells, by default `tcp-kernel.json`, `tcp-congestion.json` and `sctp-freebsd.json` of
//!   `fixtures/reference`
//! - `--seeds N`: seeds for each cell, by default 200. A cell without losses has at most 100
//! - `--skip N`: skips the first N seeds of each cell
//! - `--rtt MS`: only the cells with this RTT
//! - `--only sctp`, `--only a` to `--only d`, `--only cubic`, `--only bbr`: only this transport or configuration
//! - `--json`: one JSON object on each line instead of Markdown
//!
//! The exit code is 1 if a load does not complete, or if the transports differ from the references by more than
//! `row::all_pass` allows. It is 2 if an argument or a file is invalid.

mod cell;
mod chance;
#[path = "../reference_page/jitter.rs"]
mod jitter;
#[path = "../reference_page/page.rs"]
mod page;
mod print;
mod row;
#[path = "../reference_page/sctp_load.rs"]
mod sctp_load;
mod statistic;
#[path = "../reference_page/tcp_load.rs"]
mod tcp_load;

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use cell::{Cell, Transport};
use netsim::link::{Direction, PathParams};
use netsim::sim::{Simulation, SimulationOptions};
use netsim::tcp;
use netsim::trace::{Fate, Recording};
use page::Progress;
use row::Row;

fn main() -> ExitCode {
    let arguments = match Arguments::parse(std::env::args().skip(1)) {
        Ok(arguments) => arguments,
        Err(error) => {
            eprintln!("validate: {error}");
            return ExitCode::from(2);
        }
    };
    let mut cells = Vec::new();
    for file in &arguments.files {
        match cell::read(file) {
            Ok(read) => cells.extend(read),
            Err(error) => {
                eprintln!("validate: {}: {error}", file.display());
                return ExitCode::from(2);
            }
        }
    }
    cells.retain(|cell| arguments.admits(cell));
    cells.iter_mut().for_each(|cell| cell.first_seed += arguments.skip);
    let rows = compare(&cells, arguments.seeds);
    if arguments.is_json {
        print::print_json(&rows)
    } else {
        print::print_markdown(&rows)
    }
    if row::all_pass(&rows) { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Runs all cells, two at a time.
fn compare(cells: &[Cell], seeds: u64) -> Vec<Row> {
    let (next, rows) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    let Some(cell) = cells.get(number) else { break };
                    // loads without losses differ little
                    let seeds = if cell.loss == 0.0 { seeds.min(100) } else { seeds };
                    let loads: Vec<_> = (0..seeds).map(|run| load(cell, run, seeds)).collect();
                    let row = Row::new(cell, &loads);
                    rows.lock().unwrap_or_else(PoisonError::into_inner).push((number, row));
                }
            });
        }
    });
    let mut rows = rows.into_inner().unwrap_or_else(PoisonError::into_inner);
    rows.sort_by_key(|(number, _)| *number);
    rows.into_iter().map(|(_, row)| row).collect()
}

/// A load of this project's stack.
pub struct Load {
    progress: Progress,
    /// Packets that the queue towards the client dropped. They are only counted for cells whose reference has this
    /// number.
    drops: u64,
}

/// Makes load `run` of `runs`. Returns `None` if it did not complete.
fn load(cell: &Cell, run: u64, runs: u64) -> Option<Load> {
    let (path, seed) = (cell.path(run, runs), cell.first_seed + run);
    match &cell.transport {
        Transport::Tcp { profile, .. } => load_tcp(cell, *profile, path, seed),
        Transport::Sctp { profile, streams, clean_handshake, .. } => {
            let (profile, streams, clean_handshake) = (*profile, *streams, *clean_handshake);
            let setup = sctp_load::Setup { profile, streams, clean_handshake };
            let progress = sctp_load::load(&cell.page(), setup, path, seed)?;
            Some(Load { progress, drops: 0 })
        }
    }
}

fn load_tcp(cell: &Cell, profile: tcp::Profile, path: PathParams, seed: u64) -> Option<Load> {
    let recording = Recording { packets: cell.drops.is_some(), ..Recording::OFF };
    let mut sim = Simulation::new(SimulationOptions { seed, path, recording }).ok()?;
    let progress = tcp_load::load(&mut sim, &cell.page(), profile)?;
    let packets = &sim.trace().packets.packets;
    let fates = packets.direction.iter().zip(&packets.fate);
    let dropped = (&(Direction::Down as u8), &(Fate::QueueFull as u8));
    let drops = fates.filter(|fate| *fate == dropped).count() as u64;
    Some(Load { progress, drops })
}

struct Arguments {
    files: Vec<PathBuf>,
    seeds: u64,
    /// How many seeds of each cell are skipped.
    skip: u64,
    rtt_ms: Option<u64>,
    /// `sctp`, or a configuration of TCP: `a` to `d`, `cubic`, `bbr`.
    only: Option<String>,
    is_json: bool,
}

impl Arguments {
    fn parse(mut words: impl Iterator<Item = String>) -> Result<Arguments, String> {
        let mut arguments =
            Arguments { files: Vec::new(), seeds: 200, skip: 0, rtt_ms: None, only: None, is_json: false };
        while let Some(word) = words.next() {
            let mut value = || words.next().ok_or(format!("{word} needs a value"));
            let number = |value: String| {
                value.parse::<u64>().map_err(|_| format!("invalid {word}: {value} (must be a whole number)"))
            };
            match word.as_str() {
                "--seeds" => arguments.seeds = number(value()?)?.max(1),
                "--skip" => match number(value()?)? {
                    skip @ ..=MOST_SKIPPED => arguments.skip = skip,
                    skip => return Err(format!("invalid --skip: {skip} (must be {MOST_SKIPPED} at most)")),
                },
                "--rtt" => arguments.rtt_ms = Some(number(value()?)?),
                "--json" => arguments.is_json = true,
                "--only" => arguments.only = Some(value()?.to_lowercase()),
                _ if word.starts_with("--") => return Err(format!("unknown option {word}")),
                _ => arguments.files.push(PathBuf::from(word)),
            }
        }
        if arguments.files.is_empty() {
            arguments.files.extend(DEFAULT_FILES.map(|file| PathBuf::from(REFERENCE).join(file)));
        }
        Ok(arguments)
    }

    fn admits(&self, cell: &Cell) -> bool {
        let name = match &cell.transport {
            Transport::Tcp { config, .. } => config.to_lowercase(),
            Transport::Sctp { .. } => "sctp".to_owned(),
        };
        self.rtt_ms.is_none_or(|rtt| rtt == cell.rtt_ms) && self.only.as_ref().is_none_or(|only| *only == name)
    }
}

const REFERENCE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/reference");
/// The largest value of `--skip`. The first seeds of successive cells are a million apart.
const MOST_SKIPPED: u64 = 900_000;
const DEFAULT_FILES: [&str; 3] = ["tcp-kernel.json", "tcp-congestion.json", "sctp-freebsd.json"];
