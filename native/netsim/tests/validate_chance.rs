//! The allowance of `npm run validate`.

#[path = "../examples/validate/chance.rs"]
mod chance;

use chance::most_far;

/// Binomial tails of 0.01 by hand: with 15 cells two or more are far with 0.0096, with 16 with 0.0109; with 32 three or
/// more with 0.0040.
#[test]
fn as_many_cells_are_far_as_chance_gives_99_times_of_100() {
    assert_eq!([0, 1, 2, 15, 16, 32, 56, 208].map(most_far), [0, 0, 1, 1, 2, 2, 3, 6]);
}
