use std::time::Duration;

use crate::time::SimTime;

/// Decides when slow start ends because the path is full: HyStart (Ha & Rhee 2011), with the constants of Linux
/// (net/ipv4/tcp_cubic.c, `hystart_update`).
#[derive(Clone, Debug, Default)]
pub struct HyStart {
    round: Round,
    left: bool,
    /// Whether only the delay counts, and not the train of acknowledgements.
    by_delay: bool,
}

#[derive(Clone, Copy, Debug, Default)]
struct Round {
    start: SimTime,
    /// The round ends when this sequence number is acknowledged.
    end: u64,
    /// When the last acknowledgement of the train arrived. A train is a series of acknowledgements with short gaps
    /// ([`TRAIN_GAP`]). It begins with the round.
    train_end: SimTime,
    min: Option<Duration>,
    samples: u32,
}

/// What an acknowledgement in slow start shows.
#[derive(Clone, Copy, Debug)]
pub struct HyStartSample {
    pub now: SimTime,
    pub rtt: Duration,
    /// The smallest RTT that the congestion control has kept. CUBIC forgets it after a timeout.
    pub min: Duration,
    pub una: u64,
    pub next: u64,
    pub cwnd_segments: u64,
    /// Whether the sender spreads its segments over the round trip.
    pub paced: bool,
}

/// HyStart does not end slow start while the window is smaller than this many segments.
const LOW_WINDOW_SEGMENTS: u64 = 16;
/// The longest gap between two successive acknowledgements of a train.
const TRAIN_GAP: Duration = Duration::from_millis(2);
/// The allowance for segments that are sent together. Linux computes it from the rate at which it paces, up to this
/// value. Below 2 Gbit/s the result is always this value (`hystart_ack_delay`).
const TRAIN_ALLOWANCE: Duration = Duration::from_millis(1);
/// How many samples a round must have before its RTT is compared.
const MIN_SAMPLES: u32 = 8;
const DELAY_MIN: Duration = Duration::from_millis(4);
const DELAY_MAX: Duration = Duration::from_millis(16);

impl HyStart {
    /// HyStart without the rule for trains of acknowledgements, as in quic-go and QUICHE (`HybridSlowStart`).
    pub fn by_delay() -> Self {
        HyStart { by_delay: true, ..HyStart::default() }
    }

    /// Adds a sample. Returns true once, when the path is full.
    pub fn ends_slow_start(&mut self, sample: &HyStartSample) -> bool {
        if self.left {
            return false;
        }
        if sample.una > self.round.end {
            let now = sample.now;
            self.round = Round { start: now, end: sample.next, train_end: now, min: None, samples: 0 };
        }
        if sample.cwnd_segments < LOW_WINDOW_SEGMENTS {
            return false;
        }
        let is_long = !self.by_delay && self.train_is_long(sample);
        let rises = self.delay_rises(sample);
        self.left = is_long || rises;
        self.left
    }

    /// Whether the acknowledgements of this round have arrived closely together for longer than a limit. The limit is
    /// the sum of the smallest RTT and [`TRAIN_ALLOWANCE`] with pacing, and half of this sum without. Beyond the limit,
    /// the segments of a window occupy the whole path.
    fn train_is_long(&mut self, sample: &HyStartSample) -> bool {
        let round = &mut self.round;
        if sample.now.saturating_since(round.train_end) > TRAIN_GAP {
            return false;
        }
        round.train_end = sample.now;
        let whole = sample.min + TRAIN_ALLOWANCE;
        sample.now.saturating_since(round.start) > if sample.paced { whole } else { whole / 2 }
    }

    /// Whether the smallest RTT of this round shows that a queue is growing.
    fn delay_rises(&mut self, sample: &HyStartSample) -> bool {
        let round = &mut self.round;
        let round_min = round.min.map_or(sample.rtt, |min| min.min(sample.rtt));
        round.min = Some(round_min);
        if round.samples < MIN_SAMPLES {
            round.samples += 1;
            return false;
        }
        round_min > sample.min + (sample.min / 8).clamp(DELAY_MIN, DELAY_MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An acknowledgement of the round with this number at `us` microseconds. Each round has 100 bytes.
    fn sample(us: u64, rtt_ms: u64, round: u64) -> HyStartSample {
        HyStartSample {
            now: SimTime::ZERO + Duration::from_micros(us),
            rtt: Duration::from_millis(rtt_ms),
            min: Duration::from_millis(100),
            una: 100 * round + 1,
            next: 100 * round + 100,
            cwnd_segments: 20,
            paced: false,
        }
    }

    #[test]
    fn by_delay_a_long_train_does_not_end_slow_start() {
        let long_train = |mut hystart: HyStart| (0..70).any(|ms| hystart.ends_slow_start(&sample(1000 * ms, 100, 0)));
        assert!(long_train(HyStart::default()));
        assert!(!long_train(HyStart::by_delay()));
        let mut hystart = HyStart::by_delay();
        assert!((0..20).any(|step| hystart.ends_slow_start(&sample(10_000 * step, 120, 0))));
    }

    #[test]
    fn a_rise_of_the_rtt_in_a_whole_round_ends_slow_start() {
        let mut hystart = HyStart::default();
        let mut leaves = |step: u64, rtt_ms, round| hystart.ends_slow_start(&sample(10_000 * step, rtt_ms, round));
        assert!((0..10).all(|step| !leaves(step, 100, 0)));
        let rising: Vec<bool> = (10..20).map(|step| leaves(step, 130, 1)).collect();
        assert_eq!(rising.iter().position(|left| *left), Some(8));
        assert_eq!(rising.iter().filter(|left| **left).count(), 1);
    }

    #[test]
    fn a_small_window_stays_in_slow_start() {
        let mut hystart = HyStart::default();
        assert!((0..400).all(|step| {
            let small = HyStartSample { cwnd_segments: 15, ..sample(1000 * step, 100 + step, step / 100) };
            !hystart.ends_slow_start(&small)
        }));
    }

    /// When slow start ends in a round whose acknowledgements follow each other every `gap_us`, with an RTT of 100 ms.
    fn left_after_ms(paced: bool, gap_us: u64) -> Option<u64> {
        let mut hystart = HyStart::default();
        (0..200_000 / gap_us)
            .map(|step| step * gap_us)
            .find(|us| hystart.ends_slow_start(&HyStartSample { paced, ..sample(*us, 100, 0) }))
            .map(|us| us / 1000)
    }

    // Linux: half of the sum of the smallest RTT and the allowance of 1 ms; with pacing the whole sum
    #[test]
    fn a_train_of_acknowledgements_that_lasts_half_of_the_rtt_ends_slow_start() {
        assert_eq!(left_after_ms(false, 500), Some(51));
        assert_eq!(left_after_ms(true, 500), Some(101));
        assert_eq!(left_after_ms(false, 2000), Some(52));
        assert_eq!(left_after_ms(false, 2001), None, "the acknowledgements are too far apart");
    }

    #[test]
    fn a_new_round_begins_a_new_train() {
        let mut hystart = HyStart::default();
        let mut leaves = |us: u64| hystart.ends_slow_start(&sample(us, 100, us / 40_000));
        assert!((0..400).all(|step| !leaves(500 * step)));
    }
}
