//! Tests of the number of far cells that `npm run validate` allows. A cell is far if one of its times differs from the
//! reference by three standard errors or more.

#[path = "../examples/validate/chance.rs"]
mod chance;

use chance::{count_far, most_far};

/// The expected values were computed by hand from binomial tails with the probability 0.01: two or more of 15 cells are
/// far with probability 0.0096, two or more of 16 with 0.0109, and three or more of 32 with 0.0040.
#[test]
fn the_allowed_number_of_far_cells_is_the_99_percent_quantile() {
    assert_eq!([0, 1, 2, 15, 16, 32, 56, 208].map(most_far), [0, 0, 1, 1, 2, 2, 3, 6]);
}

#[test]
fn a_cell_counts_as_far_at_most_once_and_only_if_its_times_vary() {
    let cells = [vec![3.0, -3.2, 3.1], vec![2.9, -2.9, 0.0], vec![0.1, -5.4], vec![]];
    assert_eq!(count_far(cells.into_iter().map(Vec::into_iter)), (3, 2));
}
