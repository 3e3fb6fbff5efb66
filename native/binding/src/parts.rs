use netsim::transport::Transport;

use crate::error::{Result, invalid};

/// The arguments of `Simulation.writeParts`, which writes to several streams in one call.
pub struct Parts<'a> {
    numbers: &'a [u32],
    bytes: &'a [u8],
}

impl<'a> Parts<'a> {
    /// `numbers` has three numbers for each part: its stream, its size in bytes, and 1 if the stream ends after the
    /// part, otherwise 0. `bytes` has the bytes of all parts in this order.
    ///
    /// # Errors
    /// The numbers do not match the bytes.
    pub fn new(numbers: &'a [u32], bytes: &'a [u8]) -> Result<Self> {
        let (rows, rest) = numbers.as_chunks::<ROW>();
        let described_bytes: u64 = rows.iter().map(|[_, bytes, _]| u64::from(*bytes)).sum();
        if !rest.is_empty() || described_bytes != bytes.len() as u64 || rows.iter().any(|[.., is_end]| *is_end > 1) {
            return Err(invalid(
                "invalid parts (must be three numbers for each part: its stream, its size in bytes, and 0 or 1; \
                 the sizes must add up to the length of bytes)",
            ));
        }
        Ok(Parts { numbers, bytes })
    }

    /// Writes one part after the other, up to the first part that is not accepted completely. Returns the number of
    /// accepted bytes.
    ///
    /// # Errors
    /// The stream of a part cannot be written to or finished. All earlier parts are written.
    pub fn write(&self, transport: &mut dyn Transport) -> Result<usize> {
        let mut at = 0;
        for &[stream, length, is_end] in self.numbers.as_chunks::<ROW>().0 {
            let end = at + length as usize;
            let taken = transport.write(stream, &self.bytes[at..end])?;
            at += taken;
            if at < end {
                break;
            }
            if is_end == 1 {
                transport.finish(stream)?;
            }
        }
        Ok(at)
    }
}

/// How many numbers describe one part.
const ROW: usize = 3;
