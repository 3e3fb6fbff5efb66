//! Computes how many cells may be far from their reference by chance alone.

/// Returns the number of cells whose times vary, and the number of these cells that have a |z| of [`Z_LIMIT`] or more.
/// A cell counts once, because its times T, P25 and P50 are correlated (0.95). P25 and P50 are the times until every
/// object has 25 and 50 % of its body.
pub fn count_far<Z: Iterator<Item = f64>>(cells: impl Iterator<Item = Z>) -> (usize, usize) {
    let largest: Vec<f64> = cells.filter_map(|z| z.map(f64::abs).reduce(f64::max)).collect();
    (largest.len(), largest.iter().filter(|&&z| z >= Z_LIMIT).count())
}

/// Returns the largest number of far cells that counts as chance. If the stacks are equal, at least 99 % of all
/// validations of `cells` cells have at most this number of far cells.
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

/// The chance that at least one of a cell's three differences has |z| ≥ 3 although the stacks are equal. It was
/// measured with the same stack on both sides (VALIDATION.md). A normal distribution would have 0.004, but means of 100
/// to 400 loads with heavy tails are not normally distributed.
const FAR_CELL: f64 = 0.01;
const Z_LIMIT: f64 = 3.0;
const LEVEL: f64 = 0.99;
