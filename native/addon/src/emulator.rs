use binding::{MAX_SAFE_INTEGER, RawEmulator, RawLink, RawTraffic};
use napi::Env;
use napi::bindgen_prelude::{Array, Float64ArraySlice, FromNapiValue, JsObjectValue, JsValue, Object, This, Unknown};
use napi_derive::napi;
use netsim::emulator::{Counts, Emulator as Path, FlowCounts, Offer};
use netsim::link::{Direction, Header, Sharer};
use netsim::packet::Ecn;

use crate::arguments::time;
use crate::error::{Result, internal, invalid, invalid_state, link};
use crate::guarded::Guarded;
use crate::options::{direction, integer, parse};

/// The emulated path without endpoints. `index.d.ts` documents this class.
#[napi]
pub struct Emulator {
    /// A packet is represented by the number that the caller gives it.
    path: Guarded<Path<u64>>,
}

#[napi]
impl Emulator {
    #[napi(constructor)]
    pub fn new(this: This<'_>, options: Unknown<'_>) -> Result<Self> {
        if !this.has_named_property("restartLoss").map_err(internal)? {
            return Err(invalid_state("Emulator is a class: call it with new"));
        }
        let path = parse::<RawEmulator>(options, "options")?.open()?;
        Ok(Emulator { path: Guarded::new("emulator", path) })
    }

    #[napi]
    #[allow(clippy::too_many_arguments, reason = "an object for each packet would be slower")]
    pub fn handle_packet(
        &mut self,
        way: Unknown<'_>,
        bytes: Unknown<'_>,
        has_data: Unknown<'_>,
        number: Unknown<'_>,
        now_ns: Unknown<'_>,
        flow: Unknown<'_>,
        ecn: Unknown<'_>,
    ) -> Result<bool> {
        let direction = direction(way)?;
        let bytes = integer(bytes, "bytes", 1.0, MOST_PACKET_BYTES)? as usize;
        let has_data = bool::from_unknown(has_data).map_err(|_| invalid("invalid hasData (must be true or false)"))?;
        let item = integer(number, "number", 0.0, MAX_SAFE_INTEGER)? as u64;
        let now = time(now_ns, "nowNs")?;
        let flow = integer(flow, "flow", 0.0, f64::from(u32::MAX))? as u32;
        let ecn = Ecn::of_packet(&[0, integer(ecn, "ecn", 0.0, 3.0)? as u8]);
        let header = Header { bytes, has_data, sharer: Sharer::default(), flow, ecn };
        self.path.call(|path| Ok(path.handle_packet(now, Offer { direction, header, item })))
    }

    #[napi]
    pub fn poll_transmit<'env>(&mut self, env: &'env Env, now_ns: Unknown<'_>) -> Result<Float64ArraySlice<'env>> {
        let now = time(now_ns, "nowNs")?;
        let rows = self.path.call(|path| {
            let mut rows = Vec::new();
            while let Some(delivery) = path.poll_transmit(now) {
                let flags = u8::from(delivery.is_marked) + 2 * u8::from(!delivery.is_last);
                rows.extend([delivery.item as f64, delivery.at.as_ns() as f64, flags.into()]);
            }
            while let Some(number) = path.poll_lost(now) {
                rows.extend([number as f64, f64::INFINITY, 0.0]);
            }
            Ok(rows)
        })?;
        Float64ArraySlice::copy_from(env, rows).map_err(internal)
    }

    /// Returns Infinity if the path holds no packet and other traffic has no more events.
    #[napi(getter)]
    pub fn next_timeout_ns(&mut self) -> Result<f64> {
        self.path.call(|path| Ok(path.poll_timeout().map_or(f64::INFINITY, |at| at.as_ns() as f64)))
    }

    #[napi]
    pub fn set_link(&mut self, way: Unknown<'_>, params: Unknown<'_>, now_ns: Unknown<'_>) -> Result<()> {
        let (way, params) = (direction(way)?, parse::<RawLink>(params, "params")?.read("params")?);
        let now = time(now_ns, "nowNs")?;
        self.path.call(|path| path.set_link(now, way, params).map_err(link))
    }

    #[napi]
    pub fn hand_over(&mut self, down: Unknown<'_>, up: Unknown<'_>, now_ns: Unknown<'_>) -> Result<()> {
        let down = parse::<RawLink>(down, "down")?.read("down")?;
        let up = parse::<RawLink>(up, "up")?.read("up")?;
        let now = time(now_ns, "nowNs")?;
        self.path.call(|path| path.hand_over(now, down, up).map_err(link))
    }

    #[napi]
    pub fn set_traffic(&mut self, traffic: Unknown<'_>, now_ns: Unknown<'_>) -> Result<()> {
        let flows = parse::<RawTraffic>(traffic, "traffic")?.read()?;
        let now = time(now_ns, "nowNs")?;
        self.path.call(|path| path.set_traffic(now, &flows).map_err(invalid))
    }

    #[napi]
    pub fn traffic_counts<'env>(&mut self, env: &'env Env) -> Result<Array<'env>> {
        let counts: Vec<_> = self.path.call(|path| Ok(path.traffic_counts().collect()))?;
        let mut array = env.create_array(counts.len() as u32).map_err(internal)?;
        for (index, FlowCounts { passed, passed_bytes, dropped }) in counts.into_iter().enumerate() {
            let mut object = Object::new(env).map_err(internal)?;
            for (key, count) in [("passed", passed), ("passedBytes", passed_bytes), ("dropped", dropped)] {
                object.set(key, count as f64).map_err(internal)?;
            }
            array.set(index as u32, object.to_unknown()).map_err(internal)?;
        }
        Ok(array)
    }

    #[napi]
    pub fn restart_loss(&mut self, seed: Unknown<'_>) -> Result<()> {
        let seed = integer(seed, "seed", 0.0, MAX_SAFE_INTEGER)? as u64;
        self.path.call(|path| {
            path.restart_loss(seed);
            Ok(())
        })
    }

    #[napi]
    pub fn counts<'env>(&mut self, env: &'env Env) -> Result<Object<'env>> {
        let (down, up) = self.path.call(|path| Ok((path.counts(Direction::Down), path.counts(Direction::Up))))?;
        let mut object = Object::new(env).map_err(internal)?;
        object.set("down", counts_object(env, down)?).map_err(internal)?;
        object.set("up", counts_object(env, up)?).map_err(internal)?;
        Ok(object)
    }
}

fn counts_object<'env>(env: &'env Env, counts: Counts) -> Result<Object<'env>> {
    let Counts { passed, lost, queue_full, early, policed, copied, marked, too_large, handed_over } = counts;
    let mut object = Object::new(env).map_err(internal)?;
    for (key, count) in [
        ("passed", passed),
        ("lost", lost),
        ("queueFull", queue_full),
        ("early", early),
        ("policed", policed),
        ("copied", copied),
        ("marked", marked),
        ("tooLarge", too_large),
        ("handedOver", handed_over),
    ] {
        object.set(key, count as f64).map_err(internal)?;
    }
    Ok(object)
}

/// Size of the largest packet: an IPv6 header of 40 bytes, a UDP header of 8 bytes, and 65,535 bytes of data.
const MOST_PACKET_BYTES: f64 = 65_583.0;
