//! Page loads' network in virtual time: a path emulator, TCP, SCTP and datagrams.
//!
//! The crate is sans-IO: no clock, no sockets, no threads. Time is an argument, randomness comes from
//! one seed, so the same calls give the same packets, byte for byte, on every machine.
//!
//! - [`sim`]: virtual time, the event queue, named random streams and [`sim::Simulation`], which drives the rest
//! - [`link`]: one direction of the path: loss, queue, serialisation, propagation
//! - [`tcp`]: our TCP; [`sctp`]: a stock SCTP stack under our stream scheduler; [`udp`]: bare datagrams
//! - [`trace`]: what happened: packets and their fates, transport samples, head-of-line blocking, captures

#![forbid(unsafe_code)]

pub mod ip;
pub mod link;
pub mod sctp;
pub mod sim;
pub mod tcp;
pub mod trace;
pub mod udp;
