//! The allowance of `npm run validate`.

#[path = "../examples/validate/chance.rs"]
mod chance;

use chance::{count_far, most_far};

/// Binomial tails of 0.01 by hand: with 15 cells two or more are far with 0.0096, with 16 with 0.0109; with 32 three or
/// more with 0.0040.
#[test]
fn as_many_cells_are_far_as_chance_gives_99_times_of_100() {
    assert_eq!([0, 1, 2, 15, 16, 32, 56, 208].map(most_far), [0, 0, 1, 1, 2, 2, 3, 6]);
}

#[test]
fn a_cell_is_far_once_and_one_that_does_not_vary_is_none() {
    let cells = [vec![3.0, -3.2, 3.1], vec![2.9, -2.9, 0.0], vec![0.1, -5.4], vec![]];
    assert_eq!(count_far(cells.into_iter().map(Vec::into_iter)), (3, 2));
}
