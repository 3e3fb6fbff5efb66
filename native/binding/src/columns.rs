//! The columns of a trace, which JavaScript gets as typed arrays.

use netsim::sim::{EndpointId, Simulation};
use netsim::time::SimTime;
use netsim::trace::{BlockedLog, Trace, TrafficColumns};

use crate::capture::Capture;

/// An object with one typed array per column.
pub trait Columns: Sized {
    type Error;

    fn bytes(self, name: &str, column: &[u8]) -> Result<Self, Self::Error>;

    fn words(self, name: &str, column: &[u32]) -> Result<Self, Self::Error>;

    /// Adds a column as doubles.
    fn doubles(self, name: &str, column: Doubles<'_>) -> Result<Self, Self::Error>;
}

/// A column of numbers that JavaScript gets as doubles.
pub struct Doubles<'a> {
    column: &'a [u64],
    /// What is subtracted from each number.
    from: u64,
    /// What JavaScript gets for each `u64::MAX`, which stands for a value that does not exist.
    none: f64,
}

impl<'a> Doubles<'a> {
    fn of(column: &'a [u64]) -> Self {
        Doubles { column, from: 0, none: f64::NAN }
    }

    /// Converts times of a simulation to times since `start`, when the run starts.
    fn times(column: &'a [u64], start: SimTime) -> Self {
        Doubles { from: start.as_ns(), ..Doubles::of(column) }
    }

    pub fn len(&self) -> usize {
        self.column.len()
    }

    pub fn is_empty(&self) -> bool {
        self.column.is_empty()
    }

    pub fn iter(&self) -> impl Iterator<Item = f64> {
        let Doubles { from, none, .. } = *self;
        let signed = move |number: u64| if number < from { -((from - number) as f64) } else { (number - from) as f64 };
        self.column.iter().map(move |number| if *number == u64::MAX { none } else { signed(*number) })
    }
}

pub fn packets<C: Columns>(columns: C, trace: &Trace) -> Result<C, C::Error> {
    let packets = &trace.packets.packets;
    columns
        .words("endpoint", &packets.endpoint)?
        .bytes("direction", &packets.direction)?
        .words("bytes", &packets.bytes)?
        .doubles("sentNs", Doubles::times(&packets.sent_ns, trace.start))?
        .doubles("leftNs", Doubles::times(&packets.left_ns, trace.start))?
        .bytes("fate", &packets.fate)?
        .doubles("fateNs", Doubles::times(&packets.fate_ns, trace.start))?
        .doubles("copyNs", Doubles::times(&packets.copy_ns, trace.start))?
        .bytes("ecn", &packets.ecn)?
        .bytes("marked", &packets.marked)?
        .bytes("kind", &packets.kind)?
        .doubles("cumulativeAck", Doubles::of(&packets.cumulative_ack))
}

/// Adds the packets of other traffic. Packets that were sent before the start of the run have negative times.
pub fn traffic<C: Columns>(columns: C, log: &TrafficColumns, start: SimTime) -> Result<C, C::Error> {
    columns
        .words("flow", &log.flow)?
        .bytes("direction", &log.direction)?
        .words("bytes", &log.bytes)?
        .doubles("sentNs", Doubles::times(&log.sent_ns, start))?
        .doubles("leftNs", Doubles::times(&log.left_ns, start))?
        .bytes("fate", &log.fate)?
        .doubles("fateNs", Doubles::times(&log.fate_ns, start))
}

pub fn chunks<C: Columns>(columns: C, trace: &Trace) -> Result<C, C::Error> {
    let chunks = &trace.packets.chunks;
    columns
        .words("packet", &chunks.packet)?
        .doubles("first", Doubles::of(&chunks.first))?
        .words("bytes", &chunks.bytes)?
        .words("stream", &chunks.stream)?
        .words("message", &chunks.message)?
        .bytes("retransmission", &chunks.retransmission)
}

pub fn samples<C: Columns>(columns: C, trace: &Trace) -> Result<C, C::Error> {
    let samples = &trace.samples.columns;
    columns
        .doubles("atNs", Doubles::times(&samples.at_ns, trace.start))?
        .words("endpoint", &samples.endpoint)?
        .doubles("cwndBytes", Doubles::of(&samples.cwnd_bytes))?
        .doubles("ssthreshBytes", Doubles { none: f64::INFINITY, ..Doubles::of(&samples.ssthresh_bytes) })?
        .doubles("flightBytes", Doubles::of(&samples.flight_bytes))?
        .doubles("srttNs", Doubles::of(&samples.srtt_ns))?
        .doubles("rtoNs", Doubles::of(&samples.rto_ns))?
        .bytes("state", &samples.state)?
        .words("timeouts", &samples.timeouts)?
        .words("probes", &samples.probes)
}

pub fn capture<C: Columns>(columns: C, capture: &Capture) -> Result<C, C::Error> {
    columns
        .doubles("atNs", Doubles::of(&capture.at_ns))?
        .words("bytes", &capture.bytes)?
        .words("start", &capture.start)?
        .words("length", &capture.length)?
        .bytes("way", &capture.way)?
        .words("interface", &capture.interface)?
        .words("comment", &capture.comment)?
        .bytes("texts", &capture.texts)
}

/// Adds the data that waited at a page load's endpoints because of head-of-line blocking. Rows are ordered by endpoint.
pub fn blocked_of<C: Columns>(columns: C, run: &Simulation, page: u16) -> Result<C, C::Error> {
    let logs = run.endpoints_of(page).map(|(EndpointId(number), endpoint)| (number, endpoint.blocked()));
    blocked(columns, run.trace().start, logs)
}

/// Adds the data in these logs, each of which has the number of its endpoint. The data waited because of head-of-line
/// blocking. Rows are in the order of the logs. `start` is when the run starts.
pub fn blocked<'log, C: Columns>(
    columns: C,
    start: SimTime,
    logs: impl IntoIterator<Item = (u32, &'log BlockedLog)>,
) -> Result<C, C::Error> {
    let (mut endpoints, mut streams, mut sizes) = (Vec::new(), Vec::new(), Vec::new());
    let (mut firsts, mut starts, mut ends) = (Vec::new(), Vec::new(), Vec::new());
    for (id, log) in logs {
        for row in log.rows() {
            endpoints.push(id);
            streams.push(row.stream);
            firsts.push(row.first);
            sizes.push(row.bytes);
            starts.push(row.start.as_ns());
            ends.push(row.end.map_or(u64::MAX, |end| end.as_ns()));
        }
    }
    columns
        .words("endpoint", &endpoints)?
        .words("stream", &streams)?
        .doubles("first", Doubles::of(&firsts))?
        .words("bytes", &sizes)?
        .doubles("startNs", Doubles::times(&starts, start))?
        .doubles("endNs", Doubles::times(&ends, start))
}
