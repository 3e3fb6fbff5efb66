use crate::time::SimTime;

/// Head-of-line blocking at one receiver: data that had arrived but could not be delivered until earlier data of its
/// stream arrived. Data that is delivered on arrival has no row.
#[derive(Clone, Debug, Default)]
pub struct BlockedLog {
    rows: Vec<BlockedRow>,
}

/// One range of data that waited.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlockedRow {
    pub stream: u32,
    /// Identifies the data; see [`super::DataChunk::first`].
    pub first: u64,
    pub bytes: u32,
    /// When the data arrived.
    pub start: SimTime,
    /// When the data was delivered; `None` if it is still waiting.
    pub end: Option<SimTime>,
}

impl BlockedLog {
    pub fn rows(&self) -> &[BlockedRow] {
        &self.rows
    }

    /// Notes that data has arrived and has to wait. Returns the row to pass to [`BlockedLog::deliver`].
    pub(crate) fn wait(&mut self, now: SimTime, stream: u32, first: u64, bytes: u32) -> usize {
        self.rows.push(BlockedRow { stream, first, bytes, start: now, end: None });
        self.rows.len() - 1
    }

    pub(crate) fn deliver(&mut self, now: SimTime, row: usize) {
        self.rows[row].end = Some(now);
    }
}
