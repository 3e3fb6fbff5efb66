use std::convert::Infallible;

use binding::columns::{Columns, Doubles};
use binding::{Result, invalid};

/// The buffer that JavaScript fills before it calls a function of the module.
#[derive(Default)]
pub struct Input {
    /// The memory keeps its largest size, so that most calls allocate nothing.
    memory: Vec<u8>,
    used: usize,
}

impl Input {
    /// Returns the address to which the caller writes `bytes` bytes.
    pub fn room_for(&mut self, bytes: usize) -> *mut u8 {
        if self.memory.len() < bytes {
            self.memory.resize(bytes, 0);
        }
        self.used = bytes;
        self.memory.as_mut_ptr()
    }

    pub fn bytes(&self) -> &[u8] {
        &self.memory[..self.used]
    }

    pub fn text(&self) -> Result<&str> {
        std::str::from_utf8(self.bytes()).map_err(invalid)
    }

    /// Splits the input into `words` numbers of 32 bits and the bytes after them.
    pub fn words_and_bytes(&self, words: usize) -> (Vec<u32>, &[u8]) {
        let (numbers, bytes) = self.bytes().split_at(words * size_of::<u32>());
        (numbers.as_chunks().0.iter().map(|word| u32::from_le_bytes(*word)).collect(), bytes)
    }
}

/// Writes columns one after the other. A column consists of four words of 32 bits (its type, its number of rows, the
/// length of its name, 0), its name, and its rows. Name and rows are padded to multiples of 8 bytes.
pub struct ColumnWriter<'a> {
    output: &'a mut Vec<u8>,
}

impl<'a> ColumnWriter<'a> {
    pub fn new(output: &'a mut Vec<u8>) -> Self {
        output.clear();
        ColumnWriter { output }
    }

    fn column(mut self, kind: u32, name: &str, rows: usize, bytes: impl IntoIterator<Item = u8>) -> Self {
        for word in [kind, rows as u32, name.len() as u32, 0] {
            self.output.extend(word.to_le_bytes());
        }
        self.output.extend(name.as_bytes());
        self.pad();
        self.output.extend(bytes);
        self.pad();
        self
    }

    fn pad(&mut self) {
        self.output.resize(self.output.len().next_multiple_of(8), 0);
    }
}

impl Columns for ColumnWriter<'_> {
    type Error = Infallible;

    fn bytes(self, name: &str, column: &[u8]) -> std::result::Result<Self, Infallible> {
        Ok(self.column(0, name, column.len(), column.iter().copied()))
    }

    fn words(self, name: &str, column: &[u32]) -> std::result::Result<Self, Infallible> {
        Ok(self.column(1, name, column.len(), column.iter().flat_map(|word| word.to_le_bytes())))
    }

    fn doubles(self, name: &str, column: Doubles<'_>) -> std::result::Result<Self, Infallible> {
        Ok(self.column(2, name, column.len(), column.iter().flat_map(f64::to_le_bytes)))
    }
}
