//! Reads the options that JavaScript passes, checks them, and converts them to options of netsim.

use std::num::NonZeroU64;

use napi::ValueType;
use napi::bindgen_prelude::{FromNapiValue, Unknown};
use serde::de::DeserializeOwned;

use crate::error::{Code, Result, invalid};

mod live;
mod path;
mod transports;

pub use live::{RawAssociation, RawListener, RawQuicClient, RawQuicListener, RawTcpConnection};
pub use path::{RawDrops, RawEmulator, RawLink, RawPath, RawSimulation, direction};
pub use transports::{RawEnds, RawQuic, RawSctp, RawTcp};

/// The largest integer up to which doubles are exact, 2^53 − 1.
pub const MAX_SAFE_INTEGER: f64 = 9_007_199_254_740_991.0;

/// Reads options from a plain object or from JSON. JSON is faster, because it is passed from JavaScript in one step.
/// Unknown keys are errors.
pub fn parse<T: DeserializeOwned>(value: Unknown<'_>, name: &str) -> Result<T> {
    let is_text = value.get_type().is_ok_and(|kind| kind == ValueType::String);
    if is_text && let Ok(text) = String::from_unknown(value) {
        return parse_text(&text, name);
    }
    let plain = serde_json::Value::from_unknown(value)
        .map_err(|error| invalid(format!("invalid {name}: {} (must be plain data)", error.reason)))?;
    serde_path_to_error::deserialize(plain).map_err(|error| unfit(name, &error))
}

/// Reads options from JSON.
pub fn parse_text<T: DeserializeOwned>(text: &str, name: &str) -> Result<T> {
    let mut reader = serde_json::Deserializer::from_str(text);
    let parsed = serde_path_to_error::deserialize(&mut reader).map_err(|error| unfit(name, &error))?;
    reader.end().map_err(|error| invalid(format!("invalid {name}: {error}")))?;
    Ok(parsed)
}

fn unfit(name: &str, error: &serde_path_to_error::Error<serde_json::Error>) -> napi::Error<Code> {
    let path = error.path().to_string();
    let at = if path == "." { name.to_owned() } else { format!("{name}.{path}") };
    invalid(format!("invalid {at}: {}", error.inner()))
}

/// Reads a whole number.
pub fn integer(value: Unknown<'_>, name: &str, low: f64, high: f64) -> Result<f64> {
    let number = f64::from_unknown(value)
        .map_err(|_| invalid(format!("invalid {name}: not a number (must be {low}–{high})")))?;
    whole(number, name, low, high)
}

fn whole(number: f64, name: &str, low: f64, high: f64) -> Result<f64> {
    if number.fract() == 0.0 && (low..=high).contains(&number) {
        return Ok(number);
    }
    Err(invalid(format!("invalid {name}: {number} (must be a whole number, {low}–{high})")))
}

pub fn mtu(bytes: f64) -> Result<u16> {
    Ok(whole(bytes, "mtuBytes", 576.0, 65535.0)? as u16)
}

fn buffer(bytes: Option<f64>, name: &str, key: &str, default: u64) -> Result<u64> {
    let Some(bytes) = bytes else { return Ok(default) };
    Ok(whole(bytes, &format!("{name}.{key}"), 1024.0, f64::from(1 << 30))? as u64)
}

fn low_water(bytes: Option<f64>, name: &str, send_buffer_bytes: u64) -> Result<u64> {
    let Some(bytes) = bytes else { return Ok(send_buffer_bytes / 2) };
    Ok(whole(bytes, &format!("{name}.lowWaterBytes"), 0.0, send_buffer_bytes as f64)? as u64)
}

fn ahead(bytes: Option<f64>, name: &str) -> Result<Option<NonZeroU64>> {
    let Some(bytes) = bytes else { return Ok(None) };
    Ok(NonZeroU64::new(whole(bytes, &format!("{name}.aheadBytes"), 1.0, f64::from(1 << 30))? as u64))
}
