use std::collections::BTreeMap;

use super::frame::Stream;
use super::ranges::Ranges;
use crate::time::SimTime;
use crate::trace::BlockedLog;

/// Which data has arrived, and which of it waited for earlier data of its stream, or still waits. QUIC delivers each
/// stream in order, independent of gaps in other streams (RFC 9000 §2.2).
#[derive(Debug, Default)]
pub struct Inbound {
    streams: BTreeMap<u32, Received>,
    blocked: BlockedLog,
}

#[derive(Debug, Default)]
struct Received {
    ranges: Ranges,
    /// The data that waits, keyed by its offset. The value is the index of the data's row in the log.
    waiting: BTreeMap<u64, usize>,
}

impl Inbound {
    /// Notes a STREAM frame of a packet that was accepted.
    pub fn arrive(&mut self, now: SimTime, frame: &Stream) {
        let Ok(stream) = u32::try_from(frame.stream) else { return };
        let Received { ranges, waiting } = self.streams.entry(stream).or_default();
        let fresh = ranges.insert(frame.offset, frame.offset + frame.bytes);
        let in_order = ranges.contiguous();
        if fresh > 0 && frame.offset > in_order {
            let row = self.blocked.wait(now, stream, frame.offset, frame.bytes as u32);
            // this frame replaces a shorter frame with the same offset, whose row ends now
            if let Some(shorter) = waiting.insert(frame.offset, row) {
                self.blocked.deliver(now, shorter);
            }
        }
        while let Some(first) = waiting.first_entry()
            && *first.key() < in_order
        {
            self.blocked.deliver(now, first.remove());
        }
    }

    pub fn blocked(&self) -> &BlockedLog {
        &self.blocked
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::BlockedRow;

    fn frame(stream: u64, offset: u64) -> Stream {
        Stream { stream, offset, bytes: 100, fin: false }
    }

    fn at(ms: u64) -> SimTime {
        SimTime::from_ms(ms)
    }

    #[test]
    fn data_waits_behind_a_gap_of_its_own_stream_only() {
        let mut inbound = Inbound::default();
        inbound.arrive(at(1), &frame(0, 100));
        inbound.arrive(at(2), &frame(4, 0));
        inbound.arrive(at(3), &frame(0, 100)); // a duplicate
        inbound.arrive(at(4), &frame(0, 200));
        inbound.arrive(at(5), &frame(0, 0));
        inbound.arrive(at(6), &frame(0, 300));
        let row = |first, start| BlockedRow { stream: 0, first, bytes: 100, start: at(start), end: Some(at(5)) };
        assert_eq!(inbound.blocked().rows(), [row(100, 1), row(200, 4)]);
    }

    #[test]
    fn data_that_still_waits_has_no_end_time() {
        let mut inbound = Inbound::default();
        inbound.arrive(at(1), &frame(0, 100));
        inbound.arrive(at(2), &frame(0, 300));
        inbound.arrive(at(3), &frame(0, 0));
        let ends: Vec<_> = inbound.blocked().rows().iter().map(|row| row.end).collect();
        assert_eq!(ends, [Some(at(3)), None]);
    }
}
