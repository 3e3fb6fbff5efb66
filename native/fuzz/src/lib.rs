//! The targets of cargo-fuzz. Each function of [`targets`] is one target: it reads any bytes and must neither panic nor
//! run for long. `fuzz_targets/` has a file for each, and `src/bin/seeds.rs` writes the inputs to begin with.

mod exchange;
pub mod input;
pub mod seeds;
pub mod targets;

// The parts of the addon that read what JavaScript or the network gives them. The addon itself is a library for Node, to
// which a Rust program cannot be linked, so its files are included here. They name each other from the crate's root.
#[path = "../../addon/src/error.rs"]
#[allow(dead_code, reason = "the targets call only a part of the addon")]
mod error;
#[path = "../../addon/src/options/mod.rs"]
#[allow(dead_code, unused_imports, reason = "the targets call only a part of the addon")]
mod options;
#[path = "../../addon/src/parts.rs"]
mod parts;
#[path = "../../addon/src/live/tls.rs"]
#[allow(dead_code, reason = "the targets call only a part of the addon")]
mod tls;
