use napi::bindgen_prelude::{Float64ArraySlice, Object, Uint8ArraySlice, Uint32ArraySlice};
use napi::{Env, JsValue};
use netsim::trace::{BlockedLog, Trace};

/// A JavaScript object with one typed array per column. Columns are copied into arrays that JavaScript owns, because
/// Electron does not accept external memory.
struct Columns<'env> {
    env: &'env Env,
    object: Object<'env>,
}

impl<'env> Columns<'env> {
    fn new(env: &'env Env) -> napi::Result<Self> {
        Ok(Columns { env, object: Object::new(env)? })
    }

    fn bytes(mut self, name: &str, column: &[u8]) -> napi::Result<Self> {
        self.object.set(name, Uint8ArraySlice::copy_from(self.env, column)?.to_unknown())?;
        Ok(self)
    }

    fn words(mut self, name: &str, column: &[u32]) -> napi::Result<Self> {
        self.object.set(name, Uint32ArraySlice::copy_from(self.env, column)?.to_unknown())?;
        Ok(self)
    }

    /// Adds a column as doubles. JavaScript gets `none` for each `u64::MAX`.
    fn doubles(mut self, name: &str, column: &[u64], none: f64) -> napi::Result<Self> {
        let numbers: Vec<f64> = column.iter().map(|n| if *n == u64::MAX { none } else { *n as f64 }).collect();
        self.object.set(name, Float64ArraySlice::copy_from(self.env, numbers)?.to_unknown())?;
        Ok(self)
    }
}

pub fn packets<'env>(env: &'env Env, trace: &Trace) -> napi::Result<Object<'env>> {
    let packets = &trace.packets.packets;
    let columns = Columns::new(env)?
        .words("endpoint", &packets.endpoint)?
        .bytes("direction", &packets.direction)?
        .words("bytes", &packets.bytes)?
        .doubles("sentNs", &packets.sent_ns, f64::NAN)?
        .bytes("fate", &packets.fate)?
        .doubles("fateNs", &packets.fate_ns, f64::NAN)?
        .bytes("kind", &packets.kind)?
        .doubles("cumulativeAck", &packets.cumulative_ack, f64::NAN)?;
    Ok(columns.object)
}

pub fn chunks<'env>(env: &'env Env, trace: &Trace) -> napi::Result<Object<'env>> {
    let chunks = &trace.packets.chunks;
    let columns = Columns::new(env)?
        .words("packet", &chunks.packet)?
        .doubles("first", &chunks.first, f64::NAN)?
        .words("bytes", &chunks.bytes)?
        .words("stream", &chunks.stream)?
        .words("message", &chunks.message)?
        .bytes("retransmission", &chunks.retransmission)?;
    Ok(columns.object)
}

pub fn samples<'env>(env: &'env Env, trace: &Trace) -> napi::Result<Object<'env>> {
    let samples = &trace.samples.columns;
    let columns = Columns::new(env)?
        .doubles("atNs", &samples.at_ns, f64::NAN)?
        .words("endpoint", &samples.endpoint)?
        .doubles("cwndBytes", &samples.cwnd_bytes, f64::NAN)?
        .doubles("ssthreshBytes", &samples.ssthresh_bytes, f64::INFINITY)?
        .doubles("flightBytes", &samples.flight_bytes, f64::NAN)?
        .doubles("srttNs", &samples.srtt_ns, f64::NAN)?
        .doubles("rtoNs", &samples.rto_ns, f64::NAN)?
        .bytes("state", &samples.state)?
        .words("timeouts", &samples.timeouts)?
        .words("probes", &samples.probes)?;
    Ok(columns.object)
}

/// Returns the rows of all endpoints, ordered by endpoint.
pub fn blocked<'env, 'log>(
    env: &'env Env,
    logs: impl IntoIterator<Item = (u32, &'log BlockedLog)>,
) -> napi::Result<Object<'env>> {
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
    let columns = Columns::new(env)?
        .words("endpoint", &endpoints)?
        .words("stream", &streams)?
        .doubles("first", &firsts, f64::NAN)?
        .words("bytes", &sizes)?
        .doubles("startNs", &starts, f64::NAN)?
        .doubles("endNs", &ends, f64::NAN)?;
    Ok(columns.object)
}
