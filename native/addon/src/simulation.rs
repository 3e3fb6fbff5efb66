use binding::columns::{blocked_of, chunks, packets, samples, traffic};
use binding::{Batch, Opening, Parts, RawDrops, RawEnds, RawLink, RawPath, RawQuic, RawSctp, RawSimulation, RawTcp};
use napi::Env;
use napi::bindgen_prelude::{
    Array, BufferSlice, FromNapiValue, JsObjectValue, JsValue, Object, This, Uint8ArraySlice, Unknown,
};
use napi_derive::napi;
use netsim::sim::{EndpointId, Simulation as Run};
use netsim::time::SimTime;
use netsim::trace::Trace;
use netsim::transport::{Ends, Place, Transport};
use netsim::{quic, sctp, tcp, trace, udp};

use crate::arguments::{byte_array, stream_number, time, word_array};
use crate::columns::Columns;
use crate::error::{Result, internal, invalid, invalid_state, link, open, refused};
use crate::guarded::Guarded;
use crate::options::{direction, integer, parse};
use crate::{columns, events};

/// A run of netsim. `index.d.ts` documents this class.
#[napi]
pub struct Simulation {
    run: Guarded<Run>,
    /// The last batch that `advance_into` made.
    batch: Batch,
    /// Whether the batch did not fit the caller's memory and must be written by the next call.
    is_waiting: bool,
}

#[napi]
impl Simulation {
    #[napi(constructor)]
    pub fn new(this: This<'_>, options: Unknown<'_>) -> Result<Self> {
        if !this.has_named_property("advance").map_err(internal)? {
            return Err(invalid_state("Simulation is a class: call it with new"));
        }
        let run = parse::<RawSimulation>(options, "options")?.open()?;
        Ok(Simulation { run: Guarded::new("simulation", run), batch: Batch::default(), is_waiting: false })
    }

    #[napi(getter)]
    pub fn now_ns(&mut self) -> Result<f64> {
        self.run.call(|run| Ok(run.now().as_ns() as f64))
    }

    #[napi]
    pub fn open_tcp<'env>(&mut self, env: &'env Env, options: Unknown<'_>) -> Result<Object<'env>> {
        let RawEnds { client, server, path, page, port, host, free_set_up } =
            parse::<RawEnds<RawTcp>>(options, "options")?;
        let (client, server) = (client.read("client")?, server.read("server")?);
        self.open(env, Opening { path, page, free_set_up }, |place| {
            let place = port.map_or(place, |port| place.at_port(port.get())).at_host(host);
            tcp::open(place, client, server).map_err(binding::invalid)
        })
    }

    #[napi]
    pub fn open_sctp<'env>(&mut self, env: &'env Env, options: Unknown<'_>) -> Result<Object<'env>> {
        let RawEnds { client, server, path, page, host, free_set_up, .. } =
            parse::<RawEnds<RawSctp>>(options, "options")?;
        let (client, server) = (client.read("client")?, server.read("server")?);
        self.open(env, Opening { path, page, free_set_up }, |place| {
            sctp::open(place.at_host(host), client, server).map_err(binding::invalid)
        })
    }

    #[napi]
    pub fn open_udp<'env>(&mut self, env: &'env Env, page: Option<Unknown<'_>>) -> Result<Object<'env>> {
        let opening = Opening { path: 0, page: page_number(page)?, free_set_up: false };
        self.open(env, opening, |place| Ok(udp::open(place)))
    }

    #[napi]
    pub fn open_quic<'env>(&mut self, env: &'env Env, options: Unknown<'_>) -> Result<Object<'env>> {
        let RawEnds { client, server, path, page, host, free_set_up, .. } =
            parse::<RawEnds<RawQuic>>(options, "options")?;
        let (client, server) = (client.read("client")?, server.read("server")?);
        self.open(env, Opening { path, page, free_set_up }, |place| {
            quic::open(place.at_host(host), client, server).map_err(binding::invalid)
        })
    }

    /// Adds a path with its own losses and returns the path's number.
    #[napi]
    pub fn add_path(&mut self, path: Unknown<'_>) -> Result<u32> {
        let params = parse::<RawPath>(path, "path")?.read()?;
        self.run.call(|run| Ok(run.add_path(params).map_err(link)?.0))
    }

    /// Adds a page load that shares the path, and returns its number.
    #[napi]
    pub fn add_page(&mut self) -> Result<u32> {
        self.run.call(|run| Ok(run.add_page().into()))
    }

    #[napi]
    pub fn connect(&mut self, endpoint: Unknown<'_>) -> Result<()> {
        self.of(endpoint, |transport| transport.connect().map_err(refused))
    }

    #[napi]
    pub fn write(&mut self, endpoint: Unknown<'_>, stream: Unknown<'_>, bytes: Unknown<'_>) -> Result<f64> {
        let (stream, bytes) = (stream_number(stream)?, byte_array(bytes)?);
        self.of(endpoint, |transport| Ok(transport.write(stream, &bytes).map_err(refused)? as f64))
    }

    #[napi]
    pub fn write_parts(&mut self, endpoint: Unknown<'_>, parts: Unknown<'_>, bytes: Unknown<'_>) -> Result<f64> {
        let (numbers, bytes) = (word_array(parts)?, byte_array(bytes)?);
        let parts = Parts::new(&numbers, &bytes)?;
        self.of(endpoint, |transport| Ok(parts.write(transport)? as f64))
    }

    #[napi]
    pub fn read<'env>(
        &mut self,
        env: &'env Env,
        endpoint: Unknown<'_>,
        stream: Unknown<'_>,
    ) -> Result<Uint8ArraySlice<'env>> {
        let stream = stream_number(stream)?;
        let bytes = self.of(endpoint, |transport| transport.read(stream).map_err(refused))?;
        Uint8ArraySlice::copy_from(env, bytes).map_err(internal)
    }

    #[napi]
    pub fn finish(&mut self, endpoint: Unknown<'_>, stream: Unknown<'_>) -> Result<()> {
        let stream = stream_number(stream)?;
        self.of(endpoint, |transport| transport.finish(stream).map_err(refused))
    }

    #[napi]
    pub fn reset(&mut self, endpoint: Unknown<'_>, stream: Unknown<'_>, code: Unknown<'_>) -> Result<()> {
        let (stream, code) = (stream_number(stream)?, integer(code, "code", 0.0, f64::from(u32::MAX))? as u32);
        self.of(endpoint, |transport| transport.reset(stream, code).map_err(refused))
    }

    #[napi]
    pub fn set_priority(&mut self, endpoint: Unknown<'_>, stream: Unknown<'_>, priority: Unknown<'_>) -> Result<()> {
        let stream = stream_number(stream)?;
        let priority = integer(priority, "priority", f64::from(i32::MIN), f64::from(i32::MAX))? as i32;
        self.of(endpoint, |transport| transport.set_priority(stream, priority).map_err(refused))
    }

    #[napi]
    pub fn send(&mut self, endpoint: Unknown<'_>, stream: Unknown<'_>, bytes: Unknown<'_>) -> Result<bool> {
        let (stream, bytes) = (stream_number(stream)?, byte_array(bytes)?);
        self.of(endpoint, |transport| transport.send(stream, &bytes).map_err(refused))
    }

    #[napi]
    pub fn renew(&mut self, endpoint: Unknown<'_>, stream: Unknown<'_>) -> Result<()> {
        let stream = stream_number(stream)?;
        self.of(endpoint, |transport| transport.renew(stream).map_err(refused))
    }

    #[napi]
    pub fn buffered_bytes(&mut self, endpoint: Unknown<'_>) -> Result<f64> {
        self.of(endpoint, |transport| Ok(transport.buffered_bytes() as f64))
    }

    /// Returns the congestion window in bytes; 0 for UDP, which has none.
    #[napi]
    pub fn cwnd_bytes(&mut self, endpoint: Unknown<'_>) -> Result<f64> {
        let id = endpoint_id(endpoint)?;
        self.run.call(|run| {
            let sample = run.endpoint(id).map_err(open)?.sample();
            Ok(sample.map_or(0, |sample| sample.cwnd_bytes) as f64)
        })
    }

    /// Returns the size in bytes of the largest message that fits in one packet as one chunk.
    #[napi]
    pub fn max_message_in_packet_bytes(&mut self, endpoint: Unknown<'_>) -> Result<f64> {
        self.of(endpoint, |transport| Ok(transport.max_message_in_packet_bytes().map_err(refused)? as f64))
    }

    #[napi]
    pub fn close(&mut self, endpoint: Unknown<'_>) -> Result<()> {
        self.of(endpoint, |transport| {
            transport.close();
            Ok(())
        })
    }

    #[napi]
    pub fn abort(&mut self, endpoint: Unknown<'_>) -> Result<()> {
        self.of(endpoint, |transport| {
            transport.abort();
            Ok(())
        })
    }

    #[napi]
    pub fn change_link(&mut self, at_ns: Unknown<'_>, way: Unknown<'_>, params: Unknown<'_>) -> Result<()> {
        let at = time(at_ns, "atNs")?;
        let (way, params) = (direction(way)?, parse::<RawLink>(params, "params")?.read("params")?);
        self.run.call(|run| run.change_link(at, way, params).map_err(link))
    }

    /// Whether a client's connection would continue at a new address if the client moved now.
    #[napi]
    pub fn can_change_address(&mut self, endpoint: Unknown<'_>) -> Result<bool> {
        self.of(endpoint, |transport| Ok(transport.can_change_address()))
    }

    #[napi]
    pub fn hand_over(&mut self, down: Unknown<'_>, up: Unknown<'_>) -> Result<()> {
        let down = parse::<RawLink>(down, "down")?.read("down")?;
        let up = parse::<RawLink>(up, "up")?.read("up")?;
        self.run.call(|run| run.hand_over(down, up).map_err(link))
    }

    #[napi]
    pub fn set_drops(&mut self, way: Unknown<'_>, drops: Unknown<'_>, page: Option<Unknown<'_>>) -> Result<()> {
        let page = page_number(page)?;
        let (way, drops) = (direction(way)?, parse::<RawDrops>(drops, "drops")?.read("drops")?);
        self.run.call(|run| {
            let page = run.page(page).map_err(open)?;
            run.set_drops(page, way, drops);
            Ok(())
        })
    }

    #[napi]
    pub fn advance<'env>(&mut self, env: &'env Env, until_ns: Option<Unknown<'_>>) -> Result<Array<'env>> {
        let until = until_ns.map_or(Ok(SimTime::MAX), |until| time(until, "untilNs"))?;
        let events = self.run.call(|run| Ok(run.advance(until)))?;
        events::to_array(env, events).map_err(internal)
    }

    #[napi]
    pub fn advance_into(&mut self, until_ns: Unknown<'_>, into: Unknown<'_>) -> Result<f64> {
        let until = time(until_ns, "untilNs")?;
        let mut into = memory(into)?;
        let mut batch = std::mem::take(&mut self.batch);
        let is_waiting = self.is_waiting;
        batch = self.run.call(|run| {
            if !is_waiting {
                let events = run.advance(until);
                batch.fill(run, events)?;
            }
            Ok(batch)
        })?;
        self.is_waiting = batch.size() > into.len();
        if !self.is_waiting {
            batch.write(&mut into);
        }
        self.batch = batch;
        Ok(self.batch.size() as f64)
    }

    #[napi]
    pub fn packets<'env>(&mut self, env: &'env Env, page: Option<Unknown<'_>>) -> Result<Object<'env>> {
        self.columns(env, page, packets)
    }

    #[napi]
    pub fn chunks<'env>(&mut self, env: &'env Env, page: Option<Unknown<'_>>) -> Result<Object<'env>> {
        self.columns(env, page, chunks)
    }

    #[napi]
    pub fn samples<'env>(&mut self, env: &'env Env, page: Option<Unknown<'_>>) -> Result<Object<'env>> {
        self.columns(env, page, samples)
    }

    #[napi]
    pub fn blocked<'env>(&mut self, env: &'env Env, page: Option<Unknown<'_>>) -> Result<Object<'env>> {
        let page = page_number(page)?;
        self.run.call(|run| {
            let page = run.page(page).map_err(open)?;
            columns::object(env, |columns| blocked_of(columns, run, page)).map_err(internal)
        })
    }

    #[napi]
    pub fn traffic<'env>(&mut self, env: &'env Env) -> Result<Object<'env>> {
        self.run.call(|run| {
            columns::object(env, |columns| traffic(columns, run.traffic(), run.trace().start)).map_err(internal)
        })
    }

    #[napi]
    pub fn pcapng<'env>(
        &mut self,
        env: &'env Env,
        application: Option<String>,
        page: Option<Unknown<'_>>,
    ) -> Result<Uint8ArraySlice<'env>> {
        let application = application.as_deref().unwrap_or("interleave");
        let page = page_number(page)?;
        let bytes = self.run.call(|run| {
            let trace = run.trace_of(run.page(page).map_err(open)?);
            trace::write_pcapng(trace, application, Vec::new()).map_err(invalid_state)
        })?;
        Uint8ArraySlice::copy_from(env, bytes).map_err(internal)
    }

    #[napi]
    pub fn free(&mut self) -> Result<()> {
        self.run.free()
    }

    fn columns<'env>(
        &mut self,
        env: &'env Env,
        page: Option<Unknown<'_>>,
        add: impl FnOnce(Columns<'env>, &Trace) -> napi::Result<Columns<'env>>,
    ) -> Result<Object<'env>> {
        let page = page_number(page)?;
        self.run.call(|run| {
            let trace = run.trace_of(run.page(page).map_err(open)?);
            columns::object(env, |columns| add(columns, trace)).map_err(internal)
        })
    }

    fn open<'env>(
        &mut self,
        env: &'env Env,
        opening: Opening,
        open_ends: impl FnOnce(Place) -> binding::Result<Ends>,
    ) -> Result<Object<'env>> {
        let (client, server) = self.run.call(|run| Ok(opening.open(run, open_ends)?))?;
        let mut object = Object::new(env).map_err(internal)?;
        object.set("client", client.0).map_err(internal)?;
        object.set("server", server.0).map_err(internal)?;
        Ok(object)
    }

    /// Makes a call of the application to one end of a transport.
    fn of<T>(&mut self, endpoint: Unknown<'_>, call: impl FnOnce(&mut dyn Transport) -> Result<T>) -> Result<T> {
        let id = endpoint_id(endpoint)?;
        self.run.call(|run| call(run.transport(id).map_err(open)?))
    }
}

fn endpoint_id(value: Unknown<'_>) -> Result<EndpointId> {
    Ok(EndpointId(integer(value, "endpoint", 0.0, f64::from(u32::MAX))? as u32))
}

/// Reads the number of a page load, which is 0 by default.
fn page_number(value: Option<Unknown<'_>>) -> Result<u32> {
    value.map_or(Ok(0), |value| Ok(integer(value, "page", 0.0, f64::from(u16::MAX))? as u32))
}

/// Returns the caller's memory, which may be written to during the call.
fn memory(value: Unknown<'_>) -> Result<BufferSlice<'_>> {
    let wrong = |_| invalid("invalid into (must be a Uint8Array)");
    // without this check Node-API aborts on a value of another type
    if !value.is_buffer().map_err(wrong)? {
        return Err(invalid("invalid into (must be a Uint8Array)"));
    }
    BufferSlice::from_unknown(value).map_err(wrong)
}
