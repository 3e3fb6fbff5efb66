//! Reads numbers and pieces from the bytes that the fuzzer chose.

/// The bytes that are left. Past their end every number is 0 and every piece is empty, so any input is valid.
pub struct Input<'a>(&'a [u8]);

impl<'a> Input<'a> {
    pub fn new(bytes: &'a [u8]) -> Self {
        Input(bytes)
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn byte(&mut self) -> u8 {
        let Some((first, rest)) = self.0.split_first() else { return 0 };
        self.0 = rest;
        *first
    }

    pub fn short(&mut self) -> u16 {
        u16::from_be_bytes([self.byte(), self.byte()])
    }

    pub fn word(&mut self) -> u32 {
        u32::from(self.short()) << 16 | u32::from(self.short())
    }

    /// Reads a length from two bytes, and returns a piece of this length, or all that is left if that is shorter.
    pub fn piece(&mut self) -> &'a [u8] {
        let bytes = usize::from(self.short()).min(self.0.len());
        let (piece, rest) = self.0.split_at(bytes);
        self.0 = rest;
        piece
    }

    pub fn rest(&mut self) -> &'a [u8] {
        std::mem::take(&mut self.0)
    }
}

/// Returns the bytes that [`Input::piece`] reads as this piece.
pub fn written(piece: &[u8]) -> Vec<u8> {
    let bytes = piece.len().min(u16::MAX.into());
    [&(bytes as u16).to_be_bytes()[..], &piece[..bytes]].concat()
}
