//! Converts the arguments that JavaScript passes: stream numbers, times, arrays.

use binding::MAX_SAFE_INTEGER;
use napi::bindgen_prelude::{
    FromNapiValue, Function, JsObjectValue, Object, Uint8ArraySlice, Uint32ArraySlice, Unknown,
};
use netsim::time::SimTime;

use crate::error::{Result, invalid};
use crate::options::integer;

pub fn stream_number(value: Unknown<'_>) -> Result<u32> {
    Ok(integer(value, "stream", 0.0, f64::from(u32::MAX))? as u32)
}

pub fn time(value: Unknown<'_>, name: &str) -> Result<SimTime> {
    Ok(SimTime::from_ns(integer(value, name, 0.0, MAX_SAFE_INTEGER)? as u64))
}

pub fn byte_array(value: Unknown<'_>) -> Result<Uint8ArraySlice<'_>> {
    let bytes = Uint8ArraySlice::from_unknown(value).map_err(|_| invalid("invalid bytes (must be a Uint8Array)"))?;
    if bytes.is_empty() {
        assert_attached(value).map_err(invalid)?;
    }
    Ok(bytes)
}

pub fn word_array(value: Unknown<'_>) -> Result<Uint32ArraySlice<'_>> {
    Uint32ArraySlice::from_unknown(value).map_err(|_| invalid("invalid parts (must be a Uint32Array)"))
}

/// Fails on a detached array with the TypeError of JavaScript. Node-API below version 7 cannot distinguish a detached
/// array from an empty array, but every method of a detached array throws (ECMAScript, ValidateTypedArray).
fn assert_attached(array: Unknown<'_>) -> napi::Result<()> {
    let array = Object::from_unknown(array)?;
    let values = array.get_named_property::<Function<'_, (), Unknown<'_>>>("values")?;
    values.apply(array, ()).map(drop)
}
