use super::LinkError;
use super::params::check;
use crate::time::SimTime;

/// The settings of a token bucket that drops the packets that exceed it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PolicerParams {
    /// The rate at which the bucket fills, in bits per second, 1–10^12.
    pub rate_bps: u64,
    /// The size of the bucket in bytes, 1–10^9. The bucket is full at first. A larger packet than this never passes.
    pub burst_bytes: u64,
}

impl PolicerParams {
    pub(super) fn validate(&self) -> Result<(), LinkError> {
        check((1..=1_000_000_000_000).contains(&self.rate_bps), "policer.rateBps", self.rate_bps, "1–10^12")?;
        check((1..=1_000_000_000).contains(&self.burst_bytes), "policer.burstBytes", self.burst_bytes, "1–10^9")
    }
}

/// A token bucket (RFC 2697 §3 with one colour): a packet passes if the bucket holds at least as many bytes as the
/// packet has. The packet then takes these bytes out of the bucket.
#[derive(Debug, Default)]
pub(super) struct Policer {
    /// What the bucket lacks to be full, in bits times 10^9, at the time `at`.
    missing: u128,
    at: SimTime,
}

impl Policer {
    pub fn passes(&mut self, params: PolicerParams, now: SimTime, bytes: usize) -> bool {
        let elapsed_ns = now.saturating_since(self.at).as_nanos();
        self.missing = self.missing.saturating_sub(elapsed_ns * u128::from(params.rate_bps));
        self.at = self.at.max(now);
        let needed = bytes as u128 * BIT_NS_PER_BYTE;
        let passes = self.missing + needed <= u128::from(params.burst_bytes) * BIT_NS_PER_BYTE;
        if passes {
            self.missing += needed;
        }
        passes
    }
}

const BIT_NS_PER_BYTE: u128 = 8_000_000_000;

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_burst_passes_and_then_the_rate() {
        // 1000 bytes a ms
        let params = PolicerParams { rate_bps: 8_000_000, burst_bytes: 3000 };
        let mut policer = Policer::default();
        let at_us = |us| SimTime::from_us(us);
        let passed = [(0, 1500), (0, 1500), (0, 40), (999, 1000), (1000, 1000), (1000, 40), (9000, 3001), (9000, 3000)]
            .map(|(us, bytes)| policer.passes(params, at_us(us), bytes));
        assert_eq!(passed, [true, true, false, false, true, false, false, true]);
    }

    proptest! {
        #[test]
        fn no_interval_passes_more_than_the_burst_and_the_rate(
            rate_bps in 1u64..10_000_000_000,
            burst_bytes in 1u64..100_000,
            packets in prop::collection::vec((0u64..2_000_000, 20usize..1500), 1..80),
        ) {
            let (params, mut policer) = (PolicerParams { rate_bps, burst_bytes }, Policer::default());
            let mut now = SimTime::ZERO;
            let mut passed: Vec<(SimTime, u64)> = Vec::new();
            for (pause_ns, bytes) in packets {
                now += Duration::from_nanos(pause_ns);
                let mut fits = true;
                let mut sum = bytes as u64;
                // the packet passes if no interval that ends with it gets too much
                for (at, earlier) in passed.iter().rev() {
                    let allowed = (now - *at).as_nanos() * u128::from(rate_bps) + u128::from(burst_bytes) * BIT_NS_PER_BYTE;
                    sum += earlier;
                    fits &= u128::from(sum) * BIT_NS_PER_BYTE <= allowed;
                }
                fits &= bytes as u64 <= burst_bytes;
                prop_assert_eq!(policer.passes(params, now, bytes), fits);
                if fits {
                    passed.push((now, bytes as u64));
                }
            }
        }
    }
}
