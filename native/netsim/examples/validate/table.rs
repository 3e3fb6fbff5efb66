use crate::cell::{Cell, Transport};
use crate::page::{PERCENTS, Progress};

/// A cell with our medians beside the reference's.
pub struct Row {
    cell: Cell,
    /// Medians of PEach 25, 50, 75 and T, seconds.
    ours: [f64; 4],
    failed: usize,
}

impl Row {
    pub fn new(cell: &Cell, loads: &[Option<Progress>]) -> Row {
        let whole: Vec<&Progress> = loads.iter().flatten().collect();
        let ours =
            std::array::from_fn(|column| median(whole.iter().map(|progress| progress.seconds(column)).collect()));
        Row { cell: cell.clone(), ours, failed: loads.len() - whole.len() }
    }

    /// Every load ended, and every measure that the issue names is within its tolerance.
    pub fn passes(&self) -> bool {
        self.failed == 0 && self.judged().iter().all(|column| self.is_within(*column))
    }

    /// T and PEach 50; for SCTP PEach 25 as well, but three streams are shown only.
    fn judged(&self) -> &'static [usize] {
        match self.cell.transport {
            Transport::Tcp { .. } => &[T, 1],
            Transport::Sctp { streams: 3, .. } => &[],
            Transport::Sctp { .. } => &[T, 0, 1],
        }
    }

    fn tolerance(&self) -> f64 {
        let (low, high, high_from) = match &self.cell.transport {
            Transport::Tcp { config, .. } if config == "A" || config == "B" => (0.15, 0.20, 0.05),
            Transport::Tcp { .. } => (0.10, 0.15, 0.05),
            Transport::Sctp { .. } => (0.20, 0.25, 0.10),
        };
        if self.cell.loss >= high_from { high } else { low }
    }

    fn ratio(&self, column: usize) -> f64 {
        self.ours[column] / self.cell.each[column]
    }

    fn is_within(&self, column: usize) -> bool {
        (self.ratio(column) - 1.0).abs() <= self.tolerance()
    }

    fn measure(&self, column: usize) -> String {
        let missed = self.judged().contains(&column) && !self.is_within(column);
        let mark = if missed { " **miss**" } else { "" };
        format!("{:.3} / {:.3} = {:.2}{mark}", self.ours[column], self.cell.each[column], self.ratio(column))
    }

    fn verdict(&self) -> String {
        match self.failed {
            0 if self.judged().is_empty() => "shown".to_owned(),
            0 if self.passes() => "pass".to_owned(),
            0 => "miss".to_owned(),
            failed => format!("{failed} failed"),
        }
    }
}

/// Prints the rows as Markdown: ours / reference = ratio, medians in seconds.
pub fn print(rows: &[Row]) {
    println!("| reference | RTT ms | loss | N × bytes | T | PEach 25 | PEach 50 | PEach 75 | ± | |");
    println!("|---|---|---|---|---|---|---|---|---|---|");
    for row in rows {
        let cell = &row.cell;
        let reference = match &cell.transport {
            Transport::Tcp { config, .. } => format!("TCP {config}"),
            Transport::Sctp { set, streams, .. } => format!("SCTP {set}, {streams} streams"),
        };
        let each = [T, 0, 1, 2].map(|column| row.measure(column)).join(" | ");
        println!(
            "| {reference} | {} | {} % | {} × {} | {each} | {} % | {} |",
            cell.rtt_ms,
            100.0 * cell.loss,
            cell.objects,
            cell.object_bytes,
            100.0 * row.tolerance(),
            row.verdict(),
        );
    }
    let passed = rows.iter().filter(|row| row.passes()).count();
    println!("\n{passed} of {} cells pass.", rows.len());
}

/// The column of PEach 100.
const T: usize = PERCENTS.len() - 1;

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    match values.len() {
        0 => f64::NAN,
        count if count % 2 == 1 => values[count / 2],
        count => (values[count / 2 - 1] + values[count / 2]) / 2.0,
    }
}
