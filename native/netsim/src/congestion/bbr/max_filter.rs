/// Estimates the largest value in a sliding window from three samples (Kathleen Nichols' algorithm; Linux:
/// lib/win_minmax.c).
#[derive(Clone, Debug, Default)]
pub struct MaxFilter {
    /// The largest sample of the window, the largest after it, and the largest after that one. Each has its time and
    /// its value.
    best: [(u64, u64); 3],
}

impl MaxFilter {
    pub fn max(&self) -> u64 {
        self.best[0].1
    }

    /// Adds the `value` of time `at`. Values older than `window` no longer count. Times may have any unit, and must not
    /// decrease from call to call.
    pub fn add(&mut self, window: u64, at: u64, value: u64) {
        let new = (at, value);
        let best = &mut self.best;
        if value >= best[0].1 || at - best[2].0 > window {
            *best = [new; 3];
            return;
        }
        if value >= best[1].1 {
            (best[1], best[2]) = (new, new);
        } else if value >= best[2].1 {
            best[2] = new;
        }
        let age = at - best[0].0;
        if age > window {
            *best = [best[1], best[2], new];
            if at - best[0].0 > window {
                *best = [best[1], best[2], new];
            }
        } else if best[1].0 == best[0].0 && age > window / 4 {
            // a quarter of the window has passed since the best sample, and there is no second-best sample yet
            (best[1], best[2]) = (new, new);
        } else if best[2].0 == best[1].0 && age > window / 2 {
            best[2] = new;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_larger_value_counts_at_once_and_a_smaller_one_after_the_window() {
        let mut filter = MaxFilter::default();
        filter.add(10, 0, 5);
        filter.add(10, 1, 9);
        (2..=11).for_each(|at| filter.add(10, at, 4));
        assert_eq!(filter.max(), 9);
        filter.add(10, 12, 4);
        assert_eq!(filter.max(), 4);
    }

    #[test]
    fn the_best_of_the_later_part_of_the_window_follows() {
        let mut filter = MaxFilter::default();
        for (at, value) in [(0, 9), (3, 7), (6, 5), (9, 3)] {
            filter.add(10, at, value);
        }
        filter.add(10, 11, 1);
        assert_eq!(filter.max(), 7);
        filter.add(10, 14, 1);
        assert_eq!(filter.max(), 5);
    }

    proptest::proptest! {
        // the estimate is never larger than the true maximum of the window, and never smaller than the newest value
        #[test]
        fn the_estimate_is_between_the_newest_value_and_the_true_maximum(
            steps in proptest::collection::vec((0u64..4, 0u64..100), 1..60),
        ) {
            let (mut filter, mut at, mut all) = (MaxFilter::default(), 0, Vec::new());
            for (passed, value) in steps {
                at += passed;
                all.push((at, value));
                filter.add(10, at, value);
                let largest = all.iter().filter(|(then, _)| at - then <= 10).map(|(_, value)| *value).max();
                proptest::prop_assert!(filter.max() >= value && Some(filter.max()) <= largest);
            }
        }
    }
}
