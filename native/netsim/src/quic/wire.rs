/// Reads bytes in QUIC's encodings. All methods return `None` past the end.
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

    /// A number of this many bytes, at most 8, in network order.
    pub fn number(&mut self, bytes: usize) -> Option<u64> {
        Some(self.take(bytes)?.iter().fold(0, |number, byte| number << 8 | u64::from(*byte)))
    }

    /// A variable-length integer: its two highest bits give its length (RFC 9000 §16).
    pub fn varint(&mut self) -> Option<u64> {
        let bytes = 1 << (self.0.first()? >> 6);
        Some(self.number(bytes)? & (u64::MAX >> (66 - 8 * bytes)))
    }

    pub fn take(&mut self, bytes: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(bytes)?;
        self.0 = rest;
        Some(taken)
    }

    /// Bytes that follow their length in a varint.
    pub fn sized(&mut self) -> Option<&'a [u8]> {
        let bytes = self.varint()?;
        self.take(usize::try_from(bytes).ok()?)
    }

    /// Takes everything that is left.
    pub fn rest(&mut self) -> &'a [u8] {
        std::mem::take(&mut self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // RFC 9000 §A.1
    #[test]
    fn varints_are_read_as_the_rfc_s_examples() {
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
    fn nothing_is_read_past_the_end() {
        let mut reader = Reader::new(&[5, 1, 2]);
        assert_eq!(reader.sized(), None);
        assert_eq!((reader.byte(), reader.number(2), reader.byte()), (Some(1), None, Some(2)));
        assert!(reader.is_empty() && reader.byte().is_none());
    }
}
