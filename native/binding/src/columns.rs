//! The columns of a trace, which JavaScript gets as typed arrays.

use netsim::trace::{BlockedLog, Trace};

/// An object with one typed array per column.
pub trait Columns: Sized {
    type Error;

    fn bytes(self, name: &str, column: &[u8]) -> Result<Self, Self::Error>;

    fn words(self, name: &str, column: &[u32]) -> Result<Self, Self::Error>;

    /// Adds a column as doubles. JavaScript gets `none` for each `u64::MAX`.
    fn doubles(self, name: &str, column: &[u64], none: f64) -> Result<Self, Self::Error>;
}

/// Converts a column to doubles for [`Columns::doubles`].
pub fn as_doubles(column: &[u64], none: f64) -> impl Iterator<Item = f64> {
    column.iter().map(move |number| if *number == u64::MAX { none } else { *number as f64 })
}

pub fn packets<C: Columns>(columns: C, trace: &Trace) -> Result<C, C::Error> {
    let packets = &trace.packets.packets;
    columns
        .words("endpoint", &packets.endpoint)?
        .bytes("direction", &packets.direction)?
        .words("bytes", &packets.bytes)?
        .doubles("sentNs", &packets.sent_ns, f64::NAN)?
        .bytes("fate", &packets.fate)?
        .doubles("fateNs", &packets.fate_ns, f64::NAN)?
        .bytes("kind", &packets.kind)?
        .doubles("cumulativeAck", &packets.cumulative_ack, f64::NAN)
}

pub fn chunks<C: Columns>(columns: C, trace: &Trace) -> Result<C, C::Error> {
    let chunks = &trace.packets.chunks;
    columns
        .words("packet", &chunks.packet)?
        .doubles("first", &chunks.first, f64::NAN)?
        .words("bytes", &chunks.bytes)?
        .words("stream", &chunks.stream)?
        .words("message", &chunks.message)?
        .bytes("retransmission", &chunks.retransmission)
}

pub fn samples<C: Columns>(columns: C, trace: &Trace) -> Result<C, C::Error> {
    let samples = &trace.samples.columns;
    columns
        .doubles("atNs", &samples.at_ns, f64::NAN)?
        .words("endpoint", &samples.endpoint)?
        .doubles("cwndBytes", &samples.cwnd_bytes, f64::NAN)?
        .doubles("ssthreshBytes", &samples.ssthresh_bytes, f64::INFINITY)?
        .doubles("flightBytes", &samples.flight_bytes, f64::NAN)?
        .doubles("srttNs", &samples.srtt_ns, f64::NAN)?
        .doubles("rtoNs", &samples.rto_ns, f64::NAN)?
        .bytes("state", &samples.state)?
        .words("timeouts", &samples.timeouts)?
        .words("probes", &samples.probes)
}

/// Returns the rows of all endpoints, ordered by endpoint.
pub fn blocked<'log, C: Columns>(
    columns: C,
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
        .doubles("first", &firsts, f64::NAN)?
        .words("bytes", &sizes)?
        .doubles("startNs", &starts, f64::NAN)?
        .doubles("endNs", &ends, f64::NAN)
}
