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
mod options;
mod parts;
mod simulation;
