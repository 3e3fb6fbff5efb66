use std::collections::BTreeMap;

/// A set of byte ranges of a stream, for example the bytes that have arrived or that were acknowledged.
#[derive(Clone, Debug, Default)]
pub struct Ranges {
    /// The end of each range, keyed by its start. Ranges neither overlap nor touch.
    ends: BTreeMap<u64, u64>,
}

impl Ranges {
    /// Adds `start..end`. Returns how many of these bytes are new.
    pub fn insert(&mut self, start: u64, end: u64) -> u64 {
        if end <= start {
            return 0;
        }
        let (mut from, mut to, mut known) = (start, end, 0);
        while let Some((&first, &last)) = self.ends.range(..=to).next_back()
            && last >= from
        {
            known += last.min(end).saturating_sub(first.max(start));
            (from, to) = (from.min(first), to.max(last));
            self.ends.remove(&first);
        }
        self.ends.insert(from, to);
        end - start - known
    }

    /// How many bytes from offset 0 are in the set without a gap.
    pub fn contiguous(&self) -> u64 {
        self.ends.get(&0).copied().unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn bytes_that_were_inserted_before_are_not_counted_again() {
        let mut ranges = Ranges::default();
        assert_eq!(ranges.insert(10, 20), 10);
        assert_eq!(ranges.insert(30, 40), 10);
        assert_eq!(ranges.contiguous(), 0);
        assert_eq!(ranges.insert(15, 35), 10);
        assert_eq!(ranges.insert(12, 13), 0);
        assert_eq!(ranges.insert(0, 10), 10);
        assert_eq!(ranges.contiguous(), 40);
        assert_eq!(ranges.insert(40, 40), 0);
    }

    proptest! {
        #[test]
        fn ranges_count_as_a_set_of_bytes_does(inserts in proptest::collection::vec((0u64..60, 0u64..12), 0..40)) {
            let (mut ranges, mut bytes) = (Ranges::default(), [false; 80]);
            for (start, length) in inserts {
                let fresh = (start..start + length).filter(|at| !bytes[*at as usize]).count() as u64;
                bytes[start as usize..(start + length) as usize].fill(true);
                prop_assert_eq!(ranges.insert(start, start + length), fresh);
                let contiguous = bytes.iter().position(|there| !there).unwrap_or(80) as u64;
                prop_assert_eq!(ranges.contiguous(), contiguous);
            }
        }
    }
}
