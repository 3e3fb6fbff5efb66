//! Reads the options that JavaScript passes, checks them, and converts them to options of netsim.

use binding::{parse_json, parse_with};
use napi::ValueType;
use napi::bindgen_prelude::{FromNapiValue, Unknown};
use netsim::link::Direction;
use serde::de::DeserializeOwned;

use crate::error::{Result, invalid};

mod live;

pub use live::{RawAssociation, RawListener, RawQuicClient, RawQuicListener, RawTcpConnection};

/// Reads options from a plain object or from JSON. JSON is faster, because it is passed from JavaScript in one step.
/// Unknown keys are errors.
pub fn parse<T: DeserializeOwned>(value: Unknown<'_>, name: &str) -> Result<T> {
    let is_text = value.get_type().is_ok_and(|kind| kind == ValueType::String);
    if is_text && let Ok(text) = String::from_unknown(value) {
        return Ok(parse_json(&text, name)?);
    }
    let plain = serde_json::Value::from_unknown(value)
        .map_err(|error| invalid(format!("invalid {name}: {} (must be plain data)", error.reason)))?;
    Ok(parse_with(plain, name)?)
}

/// Reads a whole number.
pub fn integer(value: Unknown<'_>, name: &str, low: f64, high: f64) -> Result<f64> {
    let number = f64::from_unknown(value)
        .map_err(|_| invalid(format!("invalid {name}: not a number (must be {low}–{high})")))?;
    Ok(binding::whole(number, name, low, high)?)
}

pub fn direction(value: Unknown<'_>) -> Result<Direction> {
    Ok(binding::direction(String::from_unknown(value).ok().as_deref())?)
}
