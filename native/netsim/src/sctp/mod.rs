//! SCTP (RFC 9260). A stream scheduler of this crate decides which message is sent next, and the existing stack dcSCTP
//! does the protocol. The stack's state is observed from its packets.
//!
//! ```text
//! application ─ Association ─ StreamScheduler      chooses the next message
//!                   ├─ Observed                    observes the packets (flight, TSNs, head-of-line blocking)
//!                   └─ Stack ─ DcsctpStack         does the protocol: crate `dcsctp`, or another `Options::stack`
//! ```
//! With [`Options::dtls`] the association is inside an `OverDtls`, which carries its packets over DTLS and UDP.
//!
//! The stack gets a message only when it can send the message immediately. If the message spans packets, it is enough
//! that the stack can send the first of these packets. A message that fits in one packet therefore stays one chunk in
//! one packet. While the stack is sending a message that spans packets, all other messages wait. If messages interleave
//! (RFC 8260), they do not wait: the stack gets one message of each stream and alternates between their fragments. With
//! [`SchedulerPolicy::FirstCome`] they wait nevertheless.

mod association;
pub mod checksum;
pub mod chunk;
mod cookie;
mod dcsctp;
mod dtls;
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
pub use dtls::OverDtls;
pub use listener::{Accepted, Answer, Listener};
pub use observed::Observed;
pub use options::{Options, OptionsError};
pub use profile::{Profile, ProfileSettings};
pub use scheduler::{Message, SchedulerPolicy, StreamScheduler};
pub use send_error::SendError;
pub use stack::{Stack, StackEvent, StackKind};
pub use transport::open;
