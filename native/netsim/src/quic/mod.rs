//! QUIC (RFC 9000, 9001, 9002). The existing stack quinn-proto implements the protocol. This module infers the stack's
//! state from its packets.
//!
//! ```text
//! application ─ Connection ─ Streams        keeps unread data, orders the streams
//!                   ├─ Observed             observes the packets (frames, acknowledgements, head-of-line blocking)
//!                   ├─ quinn_proto          implements the protocol: crate `quinn-proto`
//!                   ├─ SharedWindow         the congestion control of TCP, called by quinn
//!                   └─ Unencrypted          a handshake with the sizes of TLS, called by quinn
//! ```
//! In a simulation nothing is encrypted, so that the same calls give the same bytes and the observer can read them.
//! Tags, handshake and headers have their real sizes, and packet numbers are not protected. In a capture the datagrams
//! are complete, but Wireshark assumes that their payload is encrypted.
//!
//! A live connection (`Connection::encrypted`, `Listener`) has real TLS, which its caller provides. The observer sees
//! the packets without their encryption (`protection.rs`), and the handshake has the sizes that TLS gives it.
//!
//! A profile and the TCP profile of the same name agree in these points: the initial window in packets, how the window
//! grows and shrinks, how many packets are acknowledged together, how long an acknowledgement may be delayed, and the
//! first timeout. Because of quinn and the RFCs, QUIC differs from TCP in these points:
//!
//! - quinn paces: it sends at a rate of 5/4 of a window in each round trip, in bursts of at least ten packets (RFC 9002
//!   §7.7). With [`Options::paces_each`] each datagram is paced by itself. The TCP of this crate paces only with BBR
//!   and with L4S.
//! - A probe timeout is SRTT + max(k · RTTVAR, 1 ms) + the peer's delay of acknowledgements. The factor k is 4, or
//!   [`Options::rttvar_factor`]. Unlike TCP's RTO, this timeout has no further minimum. When it expires, two packets are
//!   sent. A patch in `native/patches` makes them carry data. The window is reduced only if the probes reveal a loss. It
//!   falls to two packets if everything that was sent in a time of three such timeouts is lost (RFC 9002 §6.2, §7.6). A
//!   spurious timeout is not undone, unlike in RFC 5682.
//! - In both profiles a packet is deemed lost in two cases: a packet that was sent at least three packets later is
//!   acknowledged, or any later packet is acknowledged and 9/8 of a round trip has passed since the packet was sent
//!   (RFC 9002 §6.1). TCP's `classic` does not use time, and TCP's `modern` has RACK, which adapts to reordering.
//! - Lost data is retransmitted when it is its stream's turn. In TCP it goes before new data. `FirstCome` is the
//!   scheduler that is most similar to TCP.
//! - Acknowledgements are delayed by at most 25 ms until the peer has been asked for another delay
//!   (draft-ietf-quic-ack-frequency-04). The peer is asked for the delay of the profile, but for no more than the
//!   larger of a round trip and 25 ms.
//! - Each acknowledgement whose largest packet is newly acknowledged measures the round trip. The delay that the peer
//!   reports is subtracted, and the samples stay valid after a timeout.
//! - Recovery ends when a packet is acknowledged that was sent during recovery. ssthresh is a share of cwnd (RFC 9002
//!   §7.3.2), not of the bytes in flight.
//! - The handshake does not increase the initial window. TLS over TCP does, because its messages are data for TCP. In
//!   one point QUIC follows TCP and not RFC 9002 §2: packets without data do not count against the window, even if they
//!   ask for an acknowledgement.
//! - The window does not grow while less than half of it is used (RFC 7661 §4.1). TCP's `modern` has Linux's rule
//!   instead, by which the window must have been full. An idle connection keeps its window. The loss of a handshake
//!   packet has the same effect as any other loss.
//! - An end gives up after 180 s without an answer, and not after a number of retransmissions.
//! - quinn skips some packet numbers on purpose (RFC 9000 §21.4), which causes immediate acknowledgements.
//! - Until the handshake is done, the server may send at most three times as many bytes as it has received, unless the
//!   client resumes a session. The client then has a token of the earlier connection (RFC 9000 §8.1.3).
//! - `modern` begins with datagrams of 1250 bytes (client) and 1280 bytes (server). quinn searches for larger datagrams
//!   up to 1452 bytes, with one probe in each round trip (DPLPMTUD, RFC 8899). After four bursts of losses that a
//!   smaller MTU of the path would explain, quinn returns to 1200 bytes for a minute. `classic` fills the path's MTU
//!   from the start.

mod clock;
mod congestion;
mod connection;
mod crypto;
mod early;
pub mod frame;
mod identifiers;
mod inbound;
mod listener;
mod observed;
mod options;
mod outbound;
pub mod packet;
mod profile;
mod protection;
mod ranges;
mod rtt;
mod setup;
mod streams;
mod token;
mod transport;
pub mod wire;

pub use connection::{Connection, Opening};
pub use identifiers::Identifiers;
pub use listener::{Accepted, Answer, Listener};
pub use options::{Options, OptionsError, Scheduler};
pub use profile::{Profile, ProfileSettings};
pub use protection::{Protection, Role};
pub use transport::open;
