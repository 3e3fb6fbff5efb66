//! A test that always fails. `goldens.test.ts` checks that it detects the failure.

#[test]
fn two_numbers_are_equal() {
    assert_eq!(1, 2);
}
