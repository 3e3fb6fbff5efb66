use std::time::Duration;

use super::packets::room_for;
use crate::time::SimTime;

/// The phase of a sender's congestion control. While the endpoint is connecting, and after it has closed, the state
/// says so instead.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum SenderState {
    Connecting = 0,
    SlowStart = 1,
    CongestionAvoidance = 2,
    FastRecovery = 3,
    /// After a retransmission timeout, until all data that was in flight at the timeout is acknowledged.
    LossRecovery = 4,
    Closed = 5,
}

/// A sender's view of the path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sample {
    pub cwnd_bytes: u64,
    /// The slow start threshold in bytes; `u64::MAX` before it is first set.
    pub ssthresh_bytes: u64,
    /// Bytes in flight, as the congestion control counts them: they were sent and are neither acknowledged nor deemed
    /// lost.
    pub flight_bytes: u64,
    /// The smoothed RTT; zero before the first measurement.
    pub srtt: Duration,
    pub rto: Duration,
    pub state: SenderState,
}

/// How often the timers of an endpoint have fired because no acknowledgement arrived. The counts start when the
/// endpoint is opened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Timeouts {
    /// The number of expiries of the retransmission timer, both for data and for the handshake.
    pub retransmission: u32,
    /// TCP: the number of tail loss probes (RFC 8985 §7). QUIC: the number of probe timeouts, which replace
    /// retransmission timeouts and tail loss probes (RFC 9002 §6.2).
    pub probe: u32,
}

/// The samples of the endpoints of one page load. An endpoint has a new sample when one of its values has changed.
#[derive(Clone, Debug, Default)]
pub struct SampleLog {
    pub columns: SampleColumns,
    last: Vec<Option<(Sample, Timeouts)>>,
}

/// Columns of samples. Times are ns since the simulation's start, which may be before the run's start
/// ([`super::Trace::start`]).
#[derive(Clone, Debug, Default)]
pub struct SampleColumns {
    pub at_ns: Vec<u64>,
    pub endpoint: Vec<u32>,
    pub cwnd_bytes: Vec<u64>,
    pub ssthresh_bytes: Vec<u64>,
    pub flight_bytes: Vec<u64>,
    pub srtt_ns: Vec<u64>,
    pub rto_ns: Vec<u64>,
    /// The [`SenderState`] as a number.
    pub state: Vec<u8>,
    /// The number of retransmission timeouts since the endpoint was opened ([`Timeouts::retransmission`]).
    pub timeouts: Vec<u32>,
    pub probes: Vec<u32>,
}

impl SampleLog {
    /// Adds a sample if the sample or the counts of timeouts have changed since the endpoint's previous sample.
    pub(crate) fn push(&mut self, now: SimTime, endpoint: u32, sample: Sample, timeouts: Timeouts) {
        let index = endpoint as usize;
        if self.last.len() <= index {
            self.last.resize(index + 1, None);
        }
        if self.last[index].replace((sample, timeouts)) == Some((sample, timeouts)) {
            return;
        }
        let columns = &mut self.columns;
        columns.make_room();
        columns.at_ns.push(now.as_ns());
        columns.endpoint.push(endpoint);
        columns.cwnd_bytes.push(sample.cwnd_bytes);
        columns.ssthresh_bytes.push(sample.ssthresh_bytes);
        columns.flight_bytes.push(sample.flight_bytes);
        columns.srtt_ns.push(sample.srtt.as_nanos() as u64);
        columns.rto_ns.push(sample.rto.as_nanos() as u64);
        columns.state.push(sample.state as u8);
        columns.timeouts.push(timeouts.retransmission);
        columns.probes.push(timeouts.probe);
    }
}

impl SampleColumns {
    /// Reserves memory for at least one more row; see [`room_for`].
    fn make_room(&mut self) {
        if self.at_ns.len() < self.at_ns.capacity() {
            return;
        }
        let rows = room_for(self.at_ns.len());
        self.at_ns.reserve_exact(rows);
        self.endpoint.reserve_exact(rows);
        self.cwnd_bytes.reserve_exact(rows);
        self.ssthresh_bytes.reserve_exact(rows);
        self.flight_bytes.reserve_exact(rows);
        self.srtt_ns.reserve_exact(rows);
        self.rto_ns.reserve_exact(rows);
        self.state.reserve_exact(rows);
        self.timeouts.reserve_exact(rows);
        self.probes.reserve_exact(rows);
    }
}
