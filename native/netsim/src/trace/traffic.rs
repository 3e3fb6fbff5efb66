use super::Fate;
use super::packets::room_for;
use crate::link::Direction;
use crate::time::SimTime;

/// Columns of the packets of other traffic: the flows that share the path with page loads (`src/traffic`). Rows are in
/// the order of sending. Times are ns since the simulation's start, which may be before the run's start
/// ([`super::Trace::start`]).
#[derive(Clone, Debug, Default)]
pub struct TrafficColumns {
    /// The number of the flow.
    pub flow: Vec<u32>,
    /// The [`Direction`] as a number: 0 is down, 1 is up.
    pub direction: Vec<u8>,
    /// Size of the IP packet in bytes, header included.
    pub bytes: Vec<u32>,
    pub sent_ns: Vec<u64>,
    /// When the packet left the queue: its serialisation ended, or it was dropped after the queue had accepted it.
    /// `u64::MAX` if neither happened, or if this is not known.
    pub left_ns: Vec<u64>,
    /// The [`Fate`] as a number.
    pub fate: Vec<u8>,
    /// When the packet arrives or was dropped; `u64::MAX` with [`Fate::InFlight`].
    pub fate_ns: Vec<u64>,
}

impl TrafficColumns {
    /// Adds a packet that is offered to the path at `now`. Returns its row.
    pub(crate) fn push(&mut self, now: SimTime, flow: u16, direction: Direction, bytes: usize) -> u32 {
        self.make_room();
        let row = self.sent_ns.len() as u32;
        self.flow.push(flow.into());
        self.direction.push(direction as u8);
        self.bytes.push(bytes as u32);
        self.sent_ns.push(now.as_ns());
        self.left_ns.push(u64::MAX);
        self.fate.push(Fate::InFlight as u8);
        self.fate_ns.push(u64::MAX);
        row
    }

    pub(crate) fn left(&mut self, row: u32, at: SimTime) {
        self.left_ns[row as usize] = at.as_ns();
    }

    pub(crate) fn set_fate(&mut self, row: u32, at: SimTime, fate: Fate) {
        self.fate[row as usize] = fate as u8;
        self.fate_ns[row as usize] = at.as_ns();
    }

    /// Reserves memory for at least one more row; see [`room_for`].
    fn make_room(&mut self) {
        if self.sent_ns.len() < self.sent_ns.capacity() {
            return;
        }
        let rows = room_for(self.sent_ns.len());
        self.flow.reserve_exact(rows);
        self.direction.reserve_exact(rows);
        self.bytes.reserve_exact(rows);
        self.sent_ns.reserve_exact(rows);
        self.left_ns.reserve_exact(rows);
        self.fate.reserve_exact(rows);
        self.fate_ns.reserve_exact(rows);
    }
}
