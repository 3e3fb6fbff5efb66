/// Converts sequence numbers between the wire and their unwrapped form: 0 is the SYN, 1 is the first byte of data, and
/// the numbers go on past 2^32.
///
/// Numbers on the wire wrap (RFC 9293 §3.4), so every comparison of them needs care. They are unwrapped once, when a
/// segment arrives, and then compared as plain integers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SequenceSpace {
    initial: u32,
}

impl SequenceSpace {
    /// `initial` is the SYN's number on the wire.
    pub fn new(initial: u32) -> Self {
        SequenceSpace { initial }
    }

    pub fn wrap(self, sequence: u64) -> u32 {
        self.initial.wrapping_add(sequence as u32)
    }

    /// The number nearest to `near` that is `wire` on the wire; `None` if that would be before the SYN.
    pub fn unwrap_wire(self, wire: u32, near: u64) -> Option<u64> {
        let distance = wire.wrapping_sub(self.wrap(near)) as i32;
        near.checked_add_signed(i64::from(distance))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn survives_the_wire_within_half_the_space(initial: u32, near in 0u64..1 << 40, ahead in 0u64..1 << 31) {
            let space = SequenceSpace::new(initial);
            prop_assert_eq!(space.unwrap_wire(space.wrap(near + ahead), near), Some(near + ahead));
            prop_assert_eq!(space.unwrap_wire(space.wrap(near), near + ahead), Some(near));
        }
    }

    #[test]
    fn a_number_before_the_syn_is_none() {
        assert_eq!(SequenceSpace::new(100).unwrap_wire(90, 3), None);
    }
}
