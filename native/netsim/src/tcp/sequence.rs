/// Converts sequence numbers between their form on the wire and their unwrapped form: the SYN is 0, the first byte of
/// data is 1, and the numbers continue beyond 2^32.
///
/// Numbers on the wire wrap (RFC 9293 §3.4), so comparing them is error-prone. They are unwrapped once, when a segment
/// arrives, and then compared as plain integers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SequenceSpace {
    initial: u32,
}

impl SequenceSpace {
    /// `initial` is the sequence number of the SYN on the wire.
    pub fn new(initial: u32) -> Self {
        SequenceSpace { initial }
    }

    pub fn wrap(self, sequence: u64) -> u32 {
        self.initial.wrapping_add(sequence as u32)
    }

    /// Returns the unwrapped number nearest to `near` whose form on the wire is `wire`; `None` if this number would be
    /// before the SYN.
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
    fn a_number_before_the_syn_does_not_unwrap() {
        assert_eq!(SequenceSpace::new(100).unwrap_wire(90, 3), None);
    }
}
