//! N-API bindings of netsim for Node. Most calls only convert their arguments, call netsim and convert the result.
//! Three modules do work for which netsim has no code: `live/tls.rs`, `tcp_info.rs` and `tunnel.rs`. The crate
//! `binding` reads capture files. `index.d.ts` documents the API.

mod arguments;
#[cfg_attr(test, allow(dead_code, reason = "napi leaves functions out of tests"))]
mod capture;
mod columns;
mod emulator;
mod error;
mod events;
mod guarded;
mod live;
mod options;
mod simulation;
#[cfg_attr(test, allow(dead_code, reason = "napi leaves functions out of tests"))]
mod tcp_info;
#[cfg(target_os = "linux")]
mod tunnel;

/// Whether the addon was built from crates with the patches of `native/patches`. All published results come from the
/// patched crates, so `index.js` refuses an addon that was built from unpatched crates.
#[napi_derive::napi(js_name = "PATCHED")]
pub const PATCHED: bool = cfg!(patched);
