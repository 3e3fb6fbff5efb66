//! The targets of cargo-fuzz. Each function of [`targets`] is one target: it reads any bytes and must neither panic nor
//! run for long. `fuzz_targets/` has a file for each target, and `src/bin/seeds.rs` writes the first inputs.

mod exchange;
pub mod input;
pub mod seeds;
pub mod targets;

// The files of the addon that the targets need. The addon is a library for Node, to which a Rust program cannot be
// linked, so its files are included here.
#[path = "../../addon/src/options/live.rs"]
#[allow(dead_code, reason = "the targets call only a part of the addon")]
mod live_options;
#[path = "../../addon/src/live/tls.rs"]
#[allow(dead_code, reason = "the targets call only a part of the addon")]
mod tls;

/// Stands in for the module `error` of the addon, which needs Node-API. It has only what `tls` uses.
mod error {
    pub use binding::{Result, invalid};
}
