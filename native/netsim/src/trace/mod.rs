//! What happened in a run, in columns. Row i of all columns of a table describes one thing.

mod blocked;
mod capture;
mod packets;
mod samples;

pub use blocked::{BlockedLog, BlockedRow};
pub use capture::write_pcapng;
pub(crate) use packets::Offered;
pub use packets::{ChunkColumns, DataChunk, DataChunks, Fate, PacketColumns, PacketKind, PacketLog};
pub use samples::{Sample, SampleColumns, SampleLog, SenderState, Timeouts};

/// What a run records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Recording {
    /// Packets with their fates, and the data in them.
    pub packets: bool,
    /// Each endpoint's view of the path (cwnd, SRTT and so on) at every change.
    pub samples: bool,
    /// The packets' bytes, for a capture file. Needs `packets`.
    pub bytes: bool,
}

impl Recording {
    pub const OFF: Recording = Recording { packets: false, samples: false, bytes: false };
    pub const ALL: Recording = Recording { packets: true, samples: true, bytes: true };
}

/// Everything that is recorded, except what the endpoints keep themselves ([`BlockedLog`]).
#[derive(Clone, Debug, Default)]
pub struct Trace {
    pub packets: PacketLog,
    pub samples: SampleLog,
}
