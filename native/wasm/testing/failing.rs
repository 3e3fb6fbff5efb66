//! A test that always fails. `goldens.test.ts` runs it to check that a failure is detected.

#[test]
fn two_numbers_are_equal() {
    assert_eq!(1, 2);
}
