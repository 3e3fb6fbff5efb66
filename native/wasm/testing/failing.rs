//! This test fails. `goldens.test.ts` checks that it notices that.

#[test]
fn two_numbers_are_equal() {
    assert_eq!(1, 2);
}
