use crate::time::SimTime;

/// Finds out whether a token bucket limits the path ("long-term" sampling of Linux: `bbr_lt_bw_sampling`). If two
/// successive intervals with many losses have about the same rate, BBR uses the mean of the two rates for 48 round
/// trips in its mode `ProbeBandwidth`. Rates are in segments per microsecond × 2²⁴.
#[derive(Clone, Debug, Default)]
pub struct Policer {
    is_sampling: bool,
    /// Whether BBR uses the rate.
    in_use: bool,
    rounds: u64,
    /// The rate of the last interval. If the rate is used, it is the mean of the last two intervals.
    rate: u64,
    start: Totals,
}

/// What was delivered and lost so far, in segments.
#[derive(Clone, Copy, Debug, Default)]
pub struct Totals {
    pub delivered: u64,
    pub lost: u64,
    /// When the last segment was delivered.
    pub at: SimTime,
}

/// What an acknowledgement means for the sampling.
#[derive(Clone, Copy, Debug)]
pub struct Sample {
    pub totals: Totals,
    pub has_losses: bool,
    pub app_limited: bool,
    pub round_start: bool,
    pub in_probe_bandwidth: bool,
}

/// What the sampling has found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Finding {
    Nothing,
    /// The path is limited to a rate, which is used from now on.
    Limited,
    /// The rate is no longer used.
    Expired,
}

const LEAST_ROUNDS: u64 = 4;
const MOST_ROUNDS: u64 = 4 * LEAST_ROUNDS;
const ROUNDS_IN_USE: u64 = 48;
/// The number of lost segments must be at least 50/256 of the number of delivered segments.
const LOSS_THRESHOLD: u64 = 50;
/// The rates of two intervals may differ by an eighth, or by this many bytes a second.
const LARGEST_DIFFERENCE: u64 = 4000 / 8;

impl Policer {
    /// The rate of the path, if it is limited.
    pub fn rate(&self) -> Option<u64> {
        self.in_use.then_some(self.rate)
    }

    /// Discards the rate and all samples.
    pub fn reset(&mut self, totals: Totals) {
        *self = Policer { start: totals, ..Policer::default() };
    }

    /// Handles an acknowledgement. `bytes_per_second` converts a rate of this module to bytes a second.
    pub fn handle_ack(&mut self, sample: &Sample, bytes_per_second: impl Fn(u64) -> u64) -> Finding {
        let Sample { totals, has_losses, app_limited, round_start, in_probe_bandwidth } = *sample;
        if self.in_use {
            if in_probe_bandwidth && round_start {
                self.rounds += 1;
                if self.rounds >= ROUNDS_IN_USE {
                    self.reset(totals);
                    return Finding::Expired;
                }
            }
            return Finding::Nothing;
        }
        // the first loss shows that the bucket is empty
        if !self.is_sampling {
            if !has_losses {
                return Finding::Nothing;
            }
            self.restart(totals);
            self.is_sampling = true;
        }
        if app_limited {
            self.reset(totals);
            return Finding::Nothing;
        }
        self.rounds += u64::from(round_start);
        if self.rounds < LEAST_ROUNDS {
            return Finding::Nothing;
        }
        if self.rounds > MOST_ROUNDS {
            self.reset(totals);
            return Finding::Nothing;
        }
        if !has_losses {
            return Finding::Nothing;
        }
        let (lost, delivered) = (totals.lost - self.start.lost, totals.delivered - self.start.delivered);
        if delivered == 0 || lost * 256 < LOSS_THRESHOLD * delivered {
            return Finding::Nothing;
        }
        let ms = totals.at.as_ns() / 1_000_000 - self.start.at.as_ns() / 1_000_000;
        if ms == 0 {
            return Finding::Nothing;
        }
        self.end_interval(totals, (delivered << super::RATE_BITS) / (1000 * ms), bytes_per_second)
    }

    fn end_interval(&mut self, totals: Totals, rate: u64, bytes_per_second: impl Fn(u64) -> u64) -> Finding {
        let difference = rate.abs_diff(self.rate);
        if self.rate > 0 && (8 * difference <= self.rate || bytes_per_second(difference) <= LARGEST_DIFFERENCE) {
            (self.rate, self.in_use, self.rounds) = (u64::midpoint(rate, self.rate), true, 0);
            return Finding::Limited;
        }
        self.rate = rate;
        self.restart(totals);
        Finding::Nothing
    }

    fn restart(&mut self, totals: Totals) {
        (self.start, self.rounds) = (totals, 0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Runs `count` rounds of 100 ms. In each round `delivered` segments arrive and `lost` segments are lost.
    fn rounds(policer: &mut Policer, totals: &mut Totals, count: u64, delivered: u64, lost: u64) -> Vec<Finding> {
        (0..count)
            .map(|_| {
                totals.delivered += delivered;
                totals.lost += lost;
                totals.at += std::time::Duration::from_millis(100);
                let sample = Sample {
                    totals: *totals,
                    has_losses: lost > 0,
                    app_limited: false,
                    round_start: true,
                    in_probe_bandwidth: true,
                };
                policer.handle_ack(&sample, |rate| rate)
            })
            .collect()
    }

    #[test]
    fn two_lossy_intervals_of_the_same_rate_limit_the_rate_for_48_rounds() {
        let (mut policer, mut totals) = (Policer::default(), Totals::default());
        let found = rounds(&mut policer, &mut totals, 9, 80, 20);
        assert_eq!(found.iter().position(|finding| *finding == Finding::Limited), Some(7));
        let rate = policer.rate().unwrap();
        assert!(rate.abs_diff((800 << super::super::RATE_BITS) / 1_000_000) < rate / 10, "{rate}");
        let found = rounds(&mut policer, &mut totals, 48, 80, 0);
        assert_eq!(found.iter().position(|finding| *finding == Finding::Expired), Some(46));
        assert_eq!(policer.rate(), None);
    }

    #[test]
    fn rates_that_differ_and_few_losses_limit_nothing() {
        for (second, lost) in [(40, 20), (80, 15)] {
            let (mut policer, mut totals) = (Policer::default(), Totals::default());
            rounds(&mut policer, &mut totals, 4, 80, lost);
            rounds(&mut policer, &mut totals, 4, second, lost);
            assert_eq!(policer.rate(), None, "{second} {lost}");
        }
    }
}
