//! Page loads' network in virtual time: a path emulator, TCP, SCTP, QUIC and datagrams.
//!
//! The crate is sans-IO: no clock, no sockets, no threads. Time is an argument, randomness comes from
//! one seed, so the same calls give the same packets, byte for byte, on every machine.
//!
//! From the ground up; `tests/layers.rs` holds that each uses only what stands before it:
//!
//! - [`time`], [`random`], [`event_queue`]: virtual time, named random streams, what is to happen
//! - [`ip`], [`packet`]: addresses and packets; [`tls`]: how large a handshake is
//! - [`link`]: one direction of the path: loss, queue, serialisation, propagation; [`emulator`]: both, for ends that are
//!   elsewhere
//! - [`trace`]: what happened: packets and their fates, transport samples, head-of-line blocking, captures
//! - [`endpoint`]: one end of a transport as the driver sees it; [`transport`]: as its application does; [`ahead`]: when
//!   that should write more
//! - [`tcp`]: our TCP; [`sctp`]: a stock SCTP stack under our stream scheduler; [`udp`]: bare datagrams
//! - [`quic`]: a stock QUIC stack in datagrams, with TCP's congestion control
//! - [`live`]: one end alone, whose peer is elsewhere; [`sim`]: [`sim::Simulation`], which drives the rest

#![forbid(unsafe_code)]

pub mod ahead;
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
pub mod transport;
pub mod udp;
