//! SCTP (RFC 9260): a stock stack under our stream scheduler, watched from outside.
//!
//! ```text
//! application ─ Association ─ StreamScheduler      who is next (ours)
//!                   │      └─ Outbound, Inbound    what the packets say: flight, TSNs, HOL blocking (ours)
//!                   └─ Stack ─ DcsctpStack         the protocol (crate `dcsctp`)
//! ```
//! The stack gets a message only when it can send it at once, so that its own queue stays empty and a
//! message of one PMTU stays one chunk in one packet.

mod association;
pub mod checksum;
pub mod chunk;
mod congestion;
mod dcsctp;
mod handshake;
mod inbound;
mod options;
mod outbound;
mod profile;
mod rto;
mod scheduler;
mod send_error;
mod stack;
mod transport;

pub use association::{Association, Setup};
pub use dcsctp::DcsctpStack;
pub use options::{Options, OptionsError};
pub use profile::{Profile, ProfileSettings};
pub use scheduler::{Message, SchedulerPolicy, StreamScheduler};
pub use send_error::SendError;
pub use stack::{Stack, StackEvent, StackMetrics, Start, Window};
pub use transport::open;
