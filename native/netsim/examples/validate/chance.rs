//! How many cells may be far from their reference by chance.

/// The largest number of `cells` that are far by chance in all but 1 % of validations.
pub fn most_far(cells: usize) -> usize {
    let mut of_exactly = (1.0 - FAR_CELL).powi(cells as i32);
    let mut of_at_most = of_exactly;
    let mut far = 0;
    while far < cells && of_at_most < LEVEL {
        of_exactly *= (cells - far) as f64 / (far + 1) as f64 * FAR_CELL / (1.0 - FAR_CELL);
        of_at_most += of_exactly;
        far += 1;
    }
    far
}

/// The chance that one of a cell's three differences has |z| ≥ 3 where there is none: measured with ours on both sides
/// (VALIDATION.md). A normal distribution would have 0.004, but means of 100 to 400 loads with heavy tails are none.
const FAR_CELL: f64 = 0.01;
const LEVEL: f64 = 0.99;
