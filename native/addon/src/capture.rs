use binding::columns;
use napi::Env;
use napi::bindgen_prelude::{Object, Unknown};
use napi_derive::napi;

use crate::arguments::byte_array;
use crate::columns::object;
use crate::error::{Result, internal};
use crate::guarded::Guarded;

/// `index.d.ts` documents this function.
#[napi]
pub fn read_capture<'env>(env: &'env Env, bytes: Unknown<'_>) -> Result<Object<'env>> {
    let file = byte_array(bytes)?;
    let capture = Guarded::new("capture", ()).call(|()| Ok(binding::read_capture(&file)?))?;
    object(env, |into| columns::capture(into, &capture)).map_err(internal)
}
