//! Reads options and checks numbers.

use std::num::NonZeroU64;

use serde::de::{DeserializeOwned, Deserializer};

use crate::error::{Result, invalid};

/// The largest integer up to which doubles are exact, 2^53 − 1.
pub const MAX_SAFE_INTEGER: f64 = 9_007_199_254_740_991.0;

/// Reads options from JSON. Unknown keys are errors. `name` is the name of the options in errors.
pub fn parse_json<T: DeserializeOwned>(text: &str, name: &str) -> Result<T> {
    let mut reader = serde_json::Deserializer::from_str(text);
    let parsed = parse_with(&mut reader, name)?;
    reader.end().map_err(|error| invalid(format!("invalid {name}: {error}")))?;
    Ok(parsed)
}

/// Reads options with any deserializer of serde. The error contains the path of the wrong value.
pub fn parse_with<'de, T: DeserializeOwned>(reader: impl Deserializer<'de>, name: &str) -> Result<T> {
    serde_path_to_error::deserialize(reader).map_err(|error| {
        let path = error.path().to_string();
        let at = if path == "." { name.to_owned() } else { format!("{name}.{path}") };
        invalid(format!("invalid {at}: {}", error.inner()))
    })
}

/// Checks that the number is a whole number from `low` to `high`.
pub fn whole(number: f64, name: &str, low: f64, high: f64) -> Result<f64> {
    if number.fract() == 0.0 && (low..=high).contains(&number) {
        return Ok(number);
    }
    Err(invalid(format!("invalid {name}: {number} (must be a whole number, {low}–{high})")))
}

pub fn mtu(bytes: f64) -> Result<u16> {
    Ok(whole(bytes, "mtuBytes", 576.0, 65535.0)? as u16)
}

/// Checks the size of a buffer, which is `default` if none is given.
pub fn buffer(bytes: Option<f64>, name: &str, key: &str, default: u64) -> Result<u64> {
    let Some(bytes) = bytes else { return Ok(default) };
    Ok(whole(bytes, &format!("{name}.{key}"), 1024.0, f64::from(1 << 30))? as u64)
}

pub(crate) fn low_water(bytes: Option<f64>, name: &str, send_buffer_bytes: u64) -> Result<u64> {
    let Some(bytes) = bytes else { return Ok(send_buffer_bytes / 2) };
    Ok(whole(bytes, &format!("{name}.lowWaterBytes"), 0.0, send_buffer_bytes as f64)? as u64)
}

pub(crate) fn grows_from(bytes: Option<f64>, name: &str) -> Result<Option<u64>> {
    let Some(bytes) = bytes else { return Ok(None) };
    Ok(Some(whole(bytes, &format!("{name}.aheadGrowsFromBytes"), 0.0, f64::from(1 << 30))? as u64))
}

pub(crate) fn ahead(bytes: Option<f64>, name: &str) -> Result<Option<NonZeroU64>> {
    let Some(bytes) = bytes else { return Ok(None) };
    Ok(NonZeroU64::new(whole(bytes, &format!("{name}.aheadBytes"), 1.0, f64::from(1 << 30))? as u64))
}
