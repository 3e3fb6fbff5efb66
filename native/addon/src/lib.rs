//! netsim for Node. Thin: each call converts its arguments, calls netsim and converts the result.
//! `index.d.ts` is the contract.

mod arguments;
mod batch;
mod columns;
mod emulator;
mod error;
mod events;
mod guarded;
mod live;
mod live_end;
mod live_tcp;
mod options;
mod parts;
mod quic;
mod simulation;
#[cfg_attr(test, allow(dead_code, reason = "napi leaves functions out of tests"))]
mod tcp_info;
mod tls;
#[cfg(target_os = "linux")]
mod tunnel;

/// Whether the crates that this was built of have the patches of `native/patches`: results are those of the patched
/// ones, so `index.js` refuses an addon of the stock ones.
#[napi_derive::napi(js_name = "PATCHED")]
pub const PATCHED: bool = cfg!(patched);
