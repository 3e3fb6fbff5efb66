/// Reads bytes in the encodings of QUIC. Methods that return an `Option` return `None` if not enough bytes are left.
#[derive(Clone, Copy, Debug)]
pub struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    pub fn new(bytes: &'a [u8]) -> Self {
        Reader(bytes)
    }

    pub fn len(&self) -> usize {
        self.0.len()
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn byte(&mut self) -> Option<u8> {
        self.take(1).map(|bytes| bytes[0])
    }

    /// Reads a number with this many bytes, at most 8, in network order.
    pub fn number(&mut self, bytes: usize) -> Option<u64> {
        Some(self.take(bytes)?.iter().fold(0, |number, byte| number << 8 | u64::from(*byte)))
    }

    /// Reads a variable-length integer, whose two highest bits encode its length (RFC 9000 §16).
    pub fn varint(&mut self) -> Option<u64> {
        let bytes = 1 << (self.0.first()? >> 6);
        Some(self.number(bytes)? & (u64::MAX >> (66 - 8 * bytes)))
    }

    pub fn take(&mut self, bytes: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(bytes)?;
        self.0 = rest;
        Some(taken)
    }

    /// Reads a length as a variable-length integer, and then this many bytes.
    pub fn sized(&mut self) -> Option<&'a [u8]> {
        let bytes = self.varint()?;
        self.take(usize::try_from(bytes).ok()?)
    }

    /// Reads all bytes that are left.
    pub fn rest(&mut self) -> &'a [u8] {
        std::mem::take(&mut self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // RFC 9000 §A.1
    #[test]
    fn the_example_varints_of_the_rfc_are_read() {
        for (bytes, number) in [
            (&[0xc2, 0x19, 0x7c, 0x5e, 0xff, 0x14, 0xe8, 0x8c][..], 151_288_809_941_952_652),
            (&[0x9d, 0x7f, 0x3e, 0x7d], 494_878_333),
            (&[0x7b, 0xbd], 15_293),
            (&[0x25], 37),
            (&[0x40, 0x25], 37),
        ] {
            assert_eq!(Reader::new(bytes).varint(), Some(number));
            assert_eq!(Reader::new(&bytes[..bytes.len() - 1]).varint(), None);
        }
    }

    #[test]
    fn reading_past_the_end_returns_none() {
        let mut reader = Reader::new(&[5, 1, 2]);
        assert_eq!(reader.sized(), None);
        assert_eq!((reader.byte(), reader.number(2), reader.byte()), (Some(1), None, Some(2)));
        assert!(reader.is_empty() && reader.byte().is_none());
    }
}
