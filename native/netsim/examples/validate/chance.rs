//! How many cells may be far from their reference by chance.

/// Of the cells that vary: how many there are, and how many have a |z| of [`Z_LIMIT`] or more. T, P25 and P50 of a cell
/// rise and fall together (by 0.95), so that they are far together, too: they count once.
pub fn count_far<Z: Iterator<Item = f64>>(cells: impl Iterator<Item = Z>) -> (usize, usize) {
    let largest: Vec<f64> = cells.filter_map(|z| z.map(f64::abs).reduce(f64::max)).collect();
    (largest.len(), largest.iter().filter(|&&z| z >= Z_LIMIT).count())
}

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
const Z_LIMIT: f64 = 3.0;
const LEVEL: f64 = 0.99;
