use napi::bindgen_prelude::{Array, Object, Uint8ArraySlice};
use napi::{Env, JsValue};
use netsim::endpoint::Event;
use netsim::sim::AppEvent;

/// Converts events to an array of objects, each with its `type`.
pub fn to_array<'env>(env: &'env Env, events: Vec<AppEvent>) -> napi::Result<Array<'env>> {
    let mut array = env.create_array(events.len() as u32)?;
    for (index, event) in events.into_iter().enumerate() {
        array.set(index as u32, to_object(env, event)?)?;
    }
    Ok(array)
}

fn to_object<'env>(env: &'env Env, AppEvent { endpoint, event }: AppEvent) -> napi::Result<Object<'env>> {
    let mut object = Object::new(env)?;
    object.set("endpoint", endpoint.0)?;
    let name = match event {
        Event::Connected { streams } => {
            object.set("streams", streams)?;
            "connected"
        }
        Event::Readable { stream } => {
            object.set("stream", stream)?;
            "readable"
        }
        Event::Message { stream, bytes } => {
            object.set("stream", stream)?;
            object.set("bytes", Uint8ArraySlice::copy_from(env, bytes)?.to_unknown())?;
            "message"
        }
        Event::Renewed { stream } => {
            object.set("stream", stream)?;
            "renewed"
        }
        Event::Finished { stream } => {
            object.set("stream", stream)?;
            "finished"
        }
        Event::Reset { stream, code } => {
            object.set("stream", stream)?;
            object.set("code", code)?;
            "reset"
        }
        Event::Writable => "writable",
        Event::Room { bytes } => {
            object.set("bytes", bytes as f64)?;
            "room"
        }
        Event::PeerClosed => "peer-closed",
        Event::Closed(reason) => {
            object.set("reason", reason.name())?;
            "closed"
        }
    };
    object.set("type", name)?;
    Ok(object)
}
