use serde_json::Value;

/// Statistics of one number over many loads. Times are in seconds.
#[derive(Clone, Copy, Debug)]
pub struct Statistic {
    pub mean: f64,
    pub median: f64,
    /// The standard error of the mean.
    pub standard_error: f64,
}

impl Statistic {
    /// All fields are NaN if there are no values.
    pub fn of(values: &[f64]) -> Self {
        let count = values.len() as f64;
        let mean = values.iter().sum::<f64>() / count;
        let variance = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (count - 1.0);
        Statistic { mean, median: median(values), standard_error: (variance / count).sqrt() }
    }

    /// Reads a reference's statistics, which have either the standard deviation or a 95 % interval of the mean.
    pub fn parse(value: &Value, runs: f64) -> Result<Self, String> {
        let number = |value: &Value, what: &str| value.as_f64().ok_or(format!("no {what} in {value}"));
        let deviation = value["stdev"].as_f64().map(|deviation| deviation / runs.sqrt());
        let standard_error = match deviation {
            Some(error) => error,
            None => {
                let [low, high] = [0, 1].map(|end| number(&value["ci95"][end], "ci95"));
                (high? - low?) / (2.0 * NORMAL_95)
            }
        };
        let (mean, median) = (number(&value["mean"], "mean")?, number(&value["median"], "median")?);
        Ok(Statistic { mean, median, standard_error })
    }

    /// z of the difference of the means; `None` if the times of neither side vary, as without loss.
    pub fn z_against(&self, reference: &Statistic) -> Option<f64> {
        let error = self.standard_error.hypot(reference.standard_error);
        (error > reference.mean * LEAST_VARIATION).then(|| (self.mean - reference.mean) / error)
    }
}

fn median(values: &[f64]) -> f64 {
    let mut values = values.to_vec();
    values.sort_by(f64::total_cmp);
    match values.len() {
        0 => f64::NAN,
        count if count % 2 == 1 => values[count / 2],
        count => (values[count / 2 - 1] + values[count / 2]) / 2.0,
    }
}

/// The 97.5 % quantile of the normal distribution.
const NORMAL_95: f64 = 1.959_964;
/// A standard error below this share of the mean is caused by clocks, not by the path. Even without loss, the times of
/// loads over real kernels vary by 0.0002 s.
const LEAST_VARIATION: f64 = 1e-3;
