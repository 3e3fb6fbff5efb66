use std::time::Duration;

use netsim::link::{LossModel, PathParams};

use crate::jitter::jitter;
use crate::page::Page;

/// One path and one page.
#[derive(Clone, Debug)]
pub struct Cell {
    pub rate_bps: u64,
    pub rtt_ms: u64,
    pub loss: f64,
    /// The limit of the queue in each direction, in packets.
    pub queue_packets: u32,
    /// The largest difference between the delay of a packet in one direction and half of the RTT, in microseconds.
    /// Packets stay in order. Without this difference, packets that left a full queue one after the other would be
    /// acknowledged at the same intervals. New packets would then arrive exactly when another packet leaves the queue,
    /// and the order of two events of one instant would decide which packets the queue drops.
    pub jitter_us: u64,
    pub objects: usize,
    pub object_bytes: usize,
    /// The seed of the cell's first load. The cells of one configuration have different seeds, because with the same
    /// seeds their results would be correlated. The example `validate` takes the same seeds, so the same packets are
    /// lost there.
    pub first_seed: u64,
}

/// The paths at 1 Mbit/s of the oldest reference data.
pub fn narrow() -> Vec<Cell> {
    let mut cells = Vec::new();
    for rtt_ms in [120, 350] {
        for loss in [0.0, 0.01, 0.03, 0.05, 0.1] {
            let first_seed = cells.len() as u64 * SEEDS_APART;
            let (rate_bps, queue_packets, jitter_us, objects, object_bytes) = (1_000_000, 1000, 0, 10, 10_000);
            let cell = Cell { rate_bps, rtt_ms, loss, queue_packets, jitter_us, objects, object_bytes, first_seed };
            cells.push(cell);
        }
    }
    cells
}

/// All combinations of rate, RTT, loss and queue. On paths with a higher rate the objects are larger, so that at every
/// rate the serialisation of all objects of a page takes 0.2 to 1 s.
pub fn wide() -> Vec<Cell> {
    let mut cells = Vec::new();
    for (mbps, object_bytes) in [(1, 10_000), (2, 25_000), (10, 50_000), (50, 200_000), (100, 300_000)] {
        for rtt_ms in [20, 100, 300] {
            for loss in [0.0, 0.01, 0.05] {
                for large in [false, true] {
                    let rate_bps = mbps * 1_000_000;
                    let queue_packets = if large { 1000 } else { half_of_product(rate_bps, rtt_ms) };
                    let first_seed = cells.len() as u64 * SEEDS_APART;
                    let (jitter_us, objects) = (JITTER_US, 10);
                    let cell =
                        Cell { rate_bps, rtt_ms, loss, queue_packets, jitter_us, objects, object_bytes, first_seed };
                    cells.push(cell);
                }
            }
        }
    }
    cells
}

/// The distance between the first seeds of successive cells.
const SEEDS_APART: u64 = 1_000_000;

/// The largest difference between the RTT of a load and the RTT of its cell, as a share of the cell's RTT.
pub const RTT_SPREAD: f64 = 0.05;

/// The jitter of the cells of [`wide`], in microseconds.
const JITTER_US: u64 = 100;

/// Half of the bandwidth-delay product, in packets of 1500 bytes and at least 4.
fn half_of_product(rate_bps: u64, rtt_ms: u64) -> u32 {
    let bits = rate_bps * rtt_ms / 1000;
    u32::try_from(bits / (2 * 1500 * 8)).unwrap_or(u32::MAX).max(4)
}

impl Cell {
    pub fn name(&self) -> String {
        let Cell { rate_bps, rtt_ms, loss, queue_packets, objects, object_bytes, .. } = self;
        format!("r{}k_rtt{rtt_ms}_p{loss}_q{queue_packets}_{objects}x{object_bytes}", rate_bps / 1000)
    }

    pub fn page(&self) -> Page {
        Page::reference(self.objects, self.object_bytes)
    }

    /// The path of load `run` of `runs`. The RTTs of the loads are spread evenly around the RTT of the cell. Otherwise
    /// loads without losses would all be equal, and microseconds would decide which packets a full queue drops.
    pub fn path(&self, run: u64, runs: u64) -> PathParams {
        let loss = if self.loss == 0.0 { LossModel::None } else { LossModel::Bernoulli { rate: self.loss } };
        let share = (run as f64 + 0.5) / runs as f64;
        let rtt = Duration::from_millis(self.rtt_ms).mul_f64(1.0 - RTT_SPREAD + 2.0 * RTT_SPREAD * share);
        let mut path = PathParams::symmetric(self.rate_bps, rtt, loss);
        (path.down.queue_packets, path.up.queue_packets) = (self.queue_packets, self.queue_packets);
        let jitter = jitter(Duration::from_micros(self.jitter_us));
        (path.down.jitter, path.up.jitter) = (jitter, jitter);
        path
    }
}
