use std::time::Duration;

/// A value that changes at given times, as a step function.
#[derive(Clone, Debug, PartialEq)]
pub struct Steps {
    /// Times in ns, strictly increasing from 0, each with the value from then on.
    rows: Vec<(u64, u64)>,
    period_ns: u64,
}

/// A step of [`Steps`] that has not ended yet.
pub(super) struct Step {
    pub value: u64,
    /// How long the step still lasts, in ns.
    pub left_ns: u64,
}

impl Steps {
    /// `rows` has times, strictly increasing from 0, each with the value from then on. The last value lasts until
    /// `period`. Returns `None` if the times are not as described.
    pub fn new(rows: Vec<(Duration, u64)>, period: Duration) -> Option<Self> {
        let ns = |time: Duration| u64::try_from(time.as_nanos()).ok();
        let rows = rows.into_iter().map(|(time, value)| Some((ns(time)?, value))).collect::<Option<Vec<_>>>()?;
        let period_ns = ns(period)?;
        let is_ordered = rows.windows(2).all(|pair| pair[0].0 < pair[1].0);
        let is_within = rows.first()?.0 == 0 && rows.last()?.0 < period_ns;
        (is_ordered && is_within).then_some(Steps { rows, period_ns })
    }

    pub fn period(&self) -> Duration {
        Duration::from_nanos(self.period_ns)
    }

    pub fn values(&self) -> impl Iterator<Item = u64> {
        self.rows.iter().map(|(_, value)| *value)
    }

    /// The sum of value × duration in ns over the whole period.
    pub(super) fn integral(&self) -> u128 {
        let ends = self.rows.iter().skip(1).map(|(time, _)| *time).chain([self.period_ns]);
        self.rows.iter().zip(ends).map(|((start, value), end)| u128::from(*value) * u128::from(end - start)).sum()
    }

    /// The value at a time within the period.
    pub(super) fn value_at(&self, offset_ns: u64) -> u64 {
        self.rows[self.rows.partition_point(|(time, _)| *time <= offset_ns) - 1].1
    }

    /// The steps from a time within the period to its end.
    pub(super) fn from(&self, offset_ns: u64) -> impl Iterator<Item = Step> {
        let first = self.rows.partition_point(|(time, _)| *time <= offset_ns) - 1;
        (first..self.rows.len()).map(move |row| {
            let (start, value) = self.rows[row];
            let end = self.rows.get(row + 1).map_or(self.period_ns, |(time, _)| *time);
            Step { value, left_ns: end - start.max(offset_ns) }
        })
    }

    pub(super) fn period_ns(&self) -> u64 {
        self.period_ns
    }
}
