use std::time::Duration;

use rand_chacha::ChaCha8Rng;

use super::{Discarded, Discipline, Drop, Fifo, LARGE_PACKET_BYTES, LinkError, Room, Waiting, check_time};
use crate::random::{random_stream, uniform};
use crate::time::SimTime;

/// The settings of PIE.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PieParams {
    /// How long packets shall wait (`QDELAY_REF`).
    pub target: Duration,
    /// The time between two updates of the drop probability (`T_UPDATE`).
    pub update: Duration,
    /// Whether packets of transports that use ECN are marked instead of dropped while the drop probability is low (RFC
    /// 8033 §5.1).
    pub marks: bool,
}

impl Default for PieParams {
    /// The values are those of RFC 8033 §4.
    fn default() -> Self {
        PieParams { target: Duration::from_millis(15), update: Duration::from_millis(15), marks: true }
    }
}

impl PieParams {
    pub(super) fn validate(&self) -> Result<(), LinkError> {
        check_time("queue.targetNs", self.target)?;
        check_time("queue.updateNs", self.update)
    }
}

/// Proportional integral controller enhanced (RFC 8033). Packets are dropped at random when they arrive, with a
/// probability that follows the delay.
#[derive(Debug)]
pub struct Pie<T> {
    pub params: PieParams,
    rng: ChaCha8Rng,
    fifo: Fifo<T>,
    next_update: SimTime,
    drop_probability: f64,
    /// The sum of the drop probabilities of the packets since the last drop or mark (§5.4).
    accumulated: f64,
    /// The remaining time in which packets are dropped only if the queue is full (§4.4).
    burst_allowance: Duration,
    /// How long the packet that was served last had waited; zero if it left the queue empty. RFC 8033 §5.2 allows this
    /// measurement. The basic algorithm (§4.2) estimates the delay from the departure rate instead.
    delay: Duration,
    old_delay: Duration,
}

impl<T> Pie<T> {
    pub fn new(params: PieParams, seed: u64, stream: &str) -> Self {
        Pie {
            params,
            rng: random_stream(seed, stream),
            fifo: Fifo::default(),
            next_update: SimTime::ZERO + params.update,
            drop_probability: 0.0,
            accumulated: 0.0,
            burst_allowance: MAX_BURST,
            delay: Duration::ZERO,
            old_delay: Duration::ZERO,
        }
    }

    /// Whether the packet that arrives shall be dropped or marked (§4.1, §5.4).
    fn drops_early(&mut self) -> bool {
        let is_calm = self.delay < self.params.target / 2 && self.drop_probability < 0.2;
        if !self.burst_allowance.is_zero() || is_calm || self.fifo.bytes() < 2 * LARGE_PACKET_BYTES {
            return false;
        }
        self.accumulated = if self.drop_probability == 0.0 { 0.0 } else { self.accumulated + self.drop_probability };
        if self.accumulated < 0.85 {
            return false;
        }
        self.accumulated >= 8.5 || uniform(&mut self.rng) < self.drop_probability
    }

    /// Makes all updates that are due by now.
    fn update(&mut self, now: SimTime) {
        while self.next_update <= now {
            self.next_update += self.params.update;
            self.update_probability();
            let is_at_rest = self.fifo.packets() == 0 && self.drop_probability == 0.0 && self.old_delay.is_zero();
            if is_at_rest && self.burst_allowance == MAX_BURST && self.next_update <= now {
                // all updates until now would change nothing
                let period_ns = self.params.update.as_nanos() as u64;
                let missed = (now - self.next_update).as_nanos() as u64 / period_ns;
                self.next_update += Duration::from_nanos(missed * period_ns);
            }
        }
    }

    /// One update of the drop probability (§4.2, §4.3).
    fn update_probability(&mut self) {
        let error = self.delay.as_secs_f64() - self.params.target.as_secs_f64();
        let trend = self.delay.as_secs_f64() - self.old_delay.as_secs_f64();
        let mut change = (ALPHA * error + BETA * trend) * gain(self.drop_probability);
        if self.drop_probability >= 0.1 {
            change = change.min(0.02);
        }
        if self.delay > LONG_DELAY {
            change += 0.02;
        }
        self.drop_probability = (self.drop_probability + change).clamp(0.0, 1.0);
        if self.delay.is_zero() && self.old_delay.is_zero() {
            self.drop_probability *= 0.98;
            if self.drop_probability < NEGLIGIBLE {
                self.drop_probability = 0.0;
            }
        }
        let half = self.params.target / 2;
        if self.drop_probability == 0.0 && self.delay < half && self.old_delay < half {
            self.burst_allowance = MAX_BURST;
            self.accumulated = 0.0;
        } else {
            self.burst_allowance = self.burst_allowance.saturating_sub(self.params.update);
        }
        self.old_delay = self.delay;
    }
}

impl<T> Discipline<T> for Pie<T> {
    fn enqueue(&mut self, now: SimTime, mut packet: Waiting<T>, room: Room, _: &mut Discarded<T>) -> Result<(), Drop> {
        self.update(now);
        let is_full = !room.holds(self.fifo.packets() + 1, self.fifo.bytes() + packet.header.bytes as u64);
        let is_early = !is_full && self.drops_early();
        if is_early {
            self.accumulated = 0.0;
        }
        if is_full || is_early && !(self.params.marks && self.drop_probability <= MOST_TO_MARK && packet.mark()) {
            self.accumulated = 0.0;
            return Err(if is_full { Drop::QueueFull } else { Drop::Early });
        }
        self.fifo.push(packet);
        Ok(())
    }

    fn dequeue(&mut self, now: SimTime, _: &mut Discarded<T>) -> Option<Waiting<T>> {
        self.update(now);
        let packet = self.fifo.pop()?;
        let waited = now.saturating_since(packet.entered);
        self.delay = if self.fifo.packets() == 0 { Duration::ZERO } else { waited };
        Some(packet)
    }

    fn take(&mut self) -> Option<Waiting<T>> {
        self.fifo.pop()
    }

    fn packets(&self) -> usize {
        self.fifo.packets()
    }
}

/// Returns the factor for a change of the drop probability: the lower the probability, the smaller the factor (RFC 8033
/// §4.2).
fn gain(probability: f64) -> f64 {
    match probability {
        p if p < 0.000_001 => 1.0 / 2048.0,
        p if p < 0.000_01 => 1.0 / 512.0,
        p if p < 0.000_1 => 1.0 / 128.0,
        p if p < 0.001 => 1.0 / 32.0,
        p if p < 0.01 => 1.0 / 8.0,
        p if p < 0.1 => 1.0 / 2.0,
        _ => 1.0,
    }
}

// The gains of one update, in probability per second of delay (RFC 8033 §4.2).
const ALPHA: f64 = 0.125;
const BETA: f64 = 1.25;
/// The burst allowance at the start, and each time congestion has ended (`MAX_BURST` of RFC 8033 §4.4).
const MAX_BURST: Duration = Duration::from_millis(150);
/// Up to this drop probability packets are marked instead of dropped (RFC 8033 §5.1: `mark_ecnth`).
const MOST_TO_MARK: f64 = 0.1;
/// While the delay is longer than this, the drop probability rises quickly (RFC 8033 §5.5, and Linux).
const LONG_DELAY: Duration = Duration::from_millis(250);
/// A probability below this is regarded as 0. The RFC leaves open how a decaying probability becomes 0.
const NEGLIGIBLE: f64 = 1e-9;
