use std::path::Path;
use std::time::Duration;

use netsim::congestion::Kind;
use netsim::link::{LossModel, PathParams};
use netsim::{sctp, tcp};
use serde_json::Value;

use crate::jitter::jitter;
use crate::page::{PERCENTS, Page};
use crate::statistic::Statistic;

/// One reference cell: a path, a page, and the load times of a real stack in seconds.
#[derive(Clone, Debug)]
pub struct Cell {
    pub transport: Transport,
    pub rate_bps: u64,
    pub rtt_ms: u64,
    /// The largest difference between the RTT of a load and `rtt_ms`, as a share of `rtt_ms`. The RTTs are spread
    /// evenly.
    pub rtt_spread: f64,
    /// The largest difference between the delay of a packet in one direction and half of the load's RTT. Packets stay
    /// in order.
    pub jitter: Duration,
    pub loss: f64,
    /// The limit of each queue in packets; `None` means the default.
    pub queue_packets: Option<u32>,
    pub objects: usize,
    pub object_bytes: usize,
    /// The first seed of the cell. The cells of one configuration have different seeds, because with the same seeds
    /// their results would be correlated.
    pub first_seed: u64,
    /// PEach at 25, 50, 75 and 100 %: the time until every object has this percentage of its body. The last of these
    /// times is T.
    pub each: [Statistic; 4],
    /// Packets that the queue towards the client dropped; `None` if they were not counted.
    pub drops: Option<Statistic>,
}

/// The stack of the reference loads, and the profile of this project that is compared with it.
#[derive(Clone, Debug)]
pub enum Transport {
    /// The Linux kernel's TCP in one of the configurations A to D (`fixtures/reference/README.md`), or with its
    /// defaults and CUBIC or BBR.
    Tcp { config: String, profile: tcp::Profile },
    /// FreeBSD's SCTP. With `clean_handshake` nothing is lost until the association is established.
    Sctp { set: String, profile: sctp::Profile, streams: u16, clean_handshake: bool },
}

/// Reads the cells of a file in their order. Leaves out the cells for whose settings this project has no profile, such
/// as those of usrsctp with its defaults (`default-…`).
pub fn read(file: &Path) -> Result<Vec<Cell>, String> {
    let text = std::fs::read_to_string(file).map_err(|error| error.to_string())?;
    let cells: Value = serde_json::from_str(&text).map_err(|error| error.to_string())?;
    let cells = cells.as_array().ok_or("not an array of cells")?;
    let seeds = (0..).step_by(SEEDS_APART);
    let parse =
        |(cell, seed): (&Value, usize)| parse(cell, cell["firstSeed"].as_u64().unwrap_or(seed as u64)).transpose();
    cells.iter().zip(seeds).filter_map(parse).collect()
}

impl Cell {
    pub fn page(&self) -> Page {
        Page::reference(self.objects, self.object_bytes)
    }

    /// The path of load `run` of `runs`.
    pub fn path(&self, run: u64, runs: u64) -> PathParams {
        let loss = LossModel::Bernoulli { rate: self.loss };
        let share = (run as f64 + 0.5) / runs as f64;
        let factor = 1.0 - self.rtt_spread + 2.0 * self.rtt_spread * share;
        let rtt = Duration::from_millis(self.rtt_ms).mul_f64(factor);
        let mut path = PathParams::symmetric(self.rate_bps, rtt, loss);
        let jitter = jitter(self.jitter);
        (path.down.jitter, path.up.jitter) = (jitter, jitter);
        if let Some(packets) = self.queue_packets {
            (path.down.queue_packets, path.up.queue_packets) = (packets, packets);
        }
        path
    }
}

fn parse(cell: &Value, first_seed: u64) -> Result<Option<Cell>, String> {
    let number = |name: &str| cell[name].as_f64().ok_or(format!("no number {name} in {cell}"));
    let Some(transport) = transport(cell)? else { return Ok(None) };
    let runs = number("runs")?;
    let [p25, p50, p75, p100] = PERCENTS.map(|percent| {
        let value = &cell["PEach"][percent.to_string()];
        Statistic::parse(value, runs).map_err(|error| format!("PEach {percent}: {error}"))
    });
    let each = [p25?, p50?, p75?, p100?];
    let (objects, object_bytes) = match cell["objects"].as_str() {
        Some(both) => split(both).ok_or(format!("no N x bytes in {cell}"))?,
        None => (number("objects")? as usize, number("objectBytes")? as usize),
    };
    let (rate_bps, rtt_ms) = (number("rateBps")? as u64, number("rttMs")? as u64);
    let queue_packets = cell["queuePackets"].as_u64().and_then(|packets| u32::try_from(packets).ok());
    let drops = cell.get("drops").map(|drops| Statistic::parse(drops, runs)).transpose()?;
    let loss = number("loss")?;
    Ok(Some(Cell {
        transport,
        rate_bps,
        rtt_ms,
        rtt_spread: cell["rttSpread"].as_f64().unwrap_or(0.0),
        jitter: Duration::from_micros(cell["jitterUs"].as_u64().unwrap_or(0)),
        loss,
        queue_packets,
        objects,
        object_bytes,
        first_seed,
        each,
        drops,
    }))
}

fn transport(cell: &Value) -> Result<Option<Transport>, String> {
    if let Some(config) = cell["config"].as_str() {
        let profile = match config {
            "cubic" | "bbr" => {
                let profile = tcp::Profile::named("reference-b").zip(Kind::named(config));
                profile.map(|(profile, kind)| profile.with_congestion(kind))
            }
            _ => tcp::Profile::named(&format!("reference-{}", config.to_lowercase())),
        };
        return Ok(profile.map(|profile| Transport::Tcp { config: config.to_owned(), profile }));
    }
    let set = cell["set"].as_str().ok_or(format!("neither config nor set in {cell}"))?;
    if !set.starts_with("paper") {
        return Ok(None);
    }
    let streams = cell["streams"].as_u64().and_then(|streams| u16::try_from(streams).ok());
    Ok(Some(Transport::Sctp {
        set: set.to_owned(),
        profile: sctp::Profile::ReferenceFreebsd,
        streams: streams.ok_or(format!("no streams in {cell}"))?,
        clean_handshake: set.ends_with("cleanhs"),
    }))
}

/// Splits `10x10000` into the number of objects and the bytes of each.
fn split(both: &str) -> Option<(usize, usize)> {
    let (objects, bytes) = both.split_once('x')?;
    Some((objects.parse().ok()?, bytes.parse().ok()?))
}

const SEEDS_APART: usize = 1_000_000;
