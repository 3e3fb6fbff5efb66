//! The record of a run, as tables of columns. Row i of all columns of a table describes one packet, chunk or sample.

mod blocked;
mod capture;
mod packets;
mod samples;
mod traffic;

pub use blocked::{BlockedLog, BlockedRow};
pub use capture::write_pcapng;
pub(crate) use packets::Offered;
pub use packets::{ChunkColumns, DataChunk, DataChunks, Fate, PacketColumns, PacketKind, PacketLog};
pub use samples::{Sample, SampleColumns, SampleLog, SenderState, Timeouts};
pub use traffic::TrafficColumns;

use crate::time::SimTime;

/// Which records a run keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Recording {
    /// Whether packets, their fates and their data ranges are recorded.
    pub packets: bool,
    /// Whether each change of an endpoint's view of the path (cwnd, SRTT and so on) is recorded.
    pub samples: bool,
    /// Whether the bytes of the packets are recorded, for a capture file. This requires `packets`.
    pub bytes: bool,
}

impl Recording {
    pub const OFF: Recording = Recording { packets: false, samples: false, bytes: false };
    pub const ALL: Recording = Recording { packets: true, samples: true, bytes: true };
}

/// The packets and samples of a page load. The endpoints keep their [`BlockedLog`] themselves, and the simulation keeps
/// the packets of other traffic ([`TrafficColumns`]).
#[derive(Clone, Debug, Default)]
pub struct Trace {
    /// When the run starts, in the time of the simulation. It is zero unless other flows on the path (`src/traffic`)
    /// start before the run. The times of all columns are times of the simulation.
    pub start: SimTime,
    pub packets: PacketLog,
    pub samples: SampleLog,
}

impl Trace {
    /// An empty trace of a run that starts at this time of its simulation.
    pub(crate) fn starting_at(start: SimTime) -> Self {
        Trace { start, ..Trace::default() }
    }
}
