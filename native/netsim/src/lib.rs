//! Computes the network of a page load in virtual time: a path emulator, TCP, SCTP, QUIC and UDP.
//!
//! The crate is sans-IO: it has no clock, sockets or threads. Time is an argument, and all randomness comes from one
//! seed. The same calls therefore produce the same packets, byte for byte, on every machine.
//!
//! These are the modules. A module uses only modules that are listed before it, which `tests/layers.rs` checks.
//!
//! - [`time`], [`random`], [`event_queue`]: virtual time, named random streams, future events
//! - [`ip`], [`packet`]: addresses and packets; [`tls`]: the sizes of a TLS handshake
//! - [`link`]: one direction of the path: loss, queue, serialisation, propagation
//! - [`trace`]: the record of a run: packets and their fates, transport samples, head-of-line blocking, captures
//! - [`endpoint`]: one end of a transport as its driver sees it; [`transport`]: the same end as its application sees
//!   it; [`ahead`]: when the application should write more
//! - [`congestion`]: congestion control of TCP and QUIC
//! - [`tcp`]: a TCP written for this project; [`udp`]: plain datagrams; [`sctp`]: the dcSCTP stack below a stream
//!   scheduler of this project
//! - [`quic`]: the quinn stack with the congestion control of [`congestion`]
//! - [`traffic`]: flows of other traffic, with both of their ends
//! - [`emulator`]: the path and its other traffic, for endpoints outside of the simulation
//! - [`live`]: one end alone, whose peer is on a real network; [`sim`]: [`sim::Simulation`], which drives a whole run

#![forbid(unsafe_code)]

pub mod ahead;
pub mod congestion;
pub mod emulator;
pub mod endpoint;
pub mod event_queue;
pub mod ip;
pub mod link;
pub mod live;
pub mod packet;
pub mod quic;
pub mod random;
pub mod sctp;
pub mod sim;
pub mod tcp;
pub mod time;
pub mod tls;
pub mod trace;
pub mod traffic;
pub mod transport;
pub mod udp;
