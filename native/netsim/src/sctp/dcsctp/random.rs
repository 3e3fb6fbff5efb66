/// The random numbers of one association.
///
/// dcsctp draws tags and initial TSNs from the thread's `fastrand` generator. During a call, an association puts its
/// own state into this generator, so that associations on the same thread do not influence each other's numbers.
pub struct RandomState(pub u64);

impl RandomState {
    pub fn lend(&mut self, call: impl FnOnce()) {
        let of_thread = fastrand::get_seed();
        fastrand::seed(self.0);
        call();
        self.0 = fastrand::get_seed();
        fastrand::seed(of_thread);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lending_a_random_state_does_not_change_the_random_numbers_of_the_thread() {
        fastrand::seed(1);
        let expected = [fastrand::u64(..), fastrand::u64(..)];
        fastrand::seed(1);
        let mut state = RandomState(2);
        let mut drawn = Vec::new();
        let first = fastrand::u64(..);
        state.lend(|| drawn.push(fastrand::u64(..)));
        let second = fastrand::u64(..);
        state.lend(|| drawn.push(fastrand::u64(..)));
        assert_eq!([first, second], expected);
        fastrand::seed(2);
        assert_eq!(drawn, [fastrand::u64(..), fastrand::u64(..)]);
    }
}
