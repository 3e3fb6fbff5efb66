use binding::columns::{self, Doubles};
use napi::bindgen_prelude::{Float64ArraySlice, Object, Uint8ArraySlice, Uint32ArraySlice};
use napi::{Env, JsValue};

/// A JavaScript object with one typed array per column. Columns are copied into arrays that JavaScript owns, because
/// Electron does not accept external memory.
pub struct Columns<'env> {
    env: &'env Env,
    object: Object<'env>,
}

/// Makes an object of the columns that `add` adds.
pub fn object<'env>(
    env: &'env Env,
    add: impl FnOnce(Columns<'env>) -> napi::Result<Columns<'env>>,
) -> napi::Result<Object<'env>> {
    Ok(add(Columns { env, object: Object::new(env)? })?.object)
}

impl columns::Columns for Columns<'_> {
    type Error = napi::Error;

    fn bytes(mut self, name: &str, column: &[u8]) -> napi::Result<Self> {
        self.object.set(name, Uint8ArraySlice::copy_from(self.env, column)?.to_unknown())?;
        Ok(self)
    }

    fn words(mut self, name: &str, column: &[u32]) -> napi::Result<Self> {
        self.object.set(name, Uint32ArraySlice::copy_from(self.env, column)?.to_unknown())?;
        Ok(self)
    }

    fn doubles(mut self, name: &str, column: Doubles<'_>) -> napi::Result<Self> {
        let numbers: Vec<f64> = column.iter().collect();
        self.object.set(name, Float64ArraySlice::copy_from(self.env, numbers)?.to_unknown())?;
        Ok(self)
    }
}
