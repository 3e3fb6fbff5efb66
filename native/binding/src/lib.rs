//! The common parts of the bindings of netsim for JavaScript. `addon` is the binding for Node, and `wasm` is the
//! binding for browsers. Both read the same options, report the same errors, and return the same columns and batches of
//! events. `addon/index.d.ts` documents the API.

#![forbid(unsafe_code)]

mod batch;
mod capture;
pub mod columns;
mod error;
mod link_layer;
mod link_parts;
mod link_trace;
mod options;
mod parts;
mod path;
mod traffic;
mod transports;

pub use batch::Batch;
pub use capture::{Capture, read_capture};
pub use error::{Code, Error, Result, invalid, invalid_state, link, open};
pub use options::{MAX_SAFE_INTEGER, buffer, mtu, parse_json, parse_with, whole};
pub use parts::Parts;
pub use path::{RawDrops, RawEmulator, RawLink, RawPath, RawSimulation, direction};
pub use traffic::RawTraffic;
pub use transports::{Opening, RawEnds, RawQuic, RawSctp, RawTcp};
