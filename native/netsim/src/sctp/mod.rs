//! SCTP (RFC 9260): a stock stack under our stream scheduler, watched from outside.
//!
//! ```text
//! application ─ Association ─ StreamScheduler      who is next (ours)
//!                   ├─ Observed                    what the packets show: flight, TSNs, HOL blocking (ours)
//!                   └─ Stack ─ DcsctpStack         the protocol (crate `dcsctp`), or another: `Options::stack`
//! ```
//! The stack gets a message only when it can send it at once, so that its own queue stays empty and a
//! message of one PMTU stays one chunk in one packet. Where messages interleave (RFC 8260), it gets one of
//! each stream as soon as one spans packets, and takes turns by fragment.

mod association;
pub mod checksum;
pub mod chunk;
mod cookie;
mod dcsctp;
mod handshake;
mod inbound;
mod interleaved;
mod listener;
mod observed;
mod options;
mod outbound;
mod packet;
mod profile;
mod scheduler;
mod send_error;
mod stack;
mod transport;

pub use association::{Association, Setup};
pub use cookie::CookieKey;
pub use dcsctp::DcsctpStack;
pub use listener::{Accepted, Answer, Listener};
pub use observed::Observed;
pub use options::{Options, OptionsError};
pub use profile::{Profile, ProfileSettings};
pub use scheduler::{Message, SchedulerPolicy, StreamScheduler};
pub use send_error::SendError;
pub use stack::{Stack, StackEvent, StackKind};
pub use transport::open;
