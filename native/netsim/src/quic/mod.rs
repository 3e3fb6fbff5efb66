//! QUIC (RFC 9000, 9001, 9002): an existing stack, quinn-proto, observed from outside.
//!
//! ```text
//! application ─ Connection ─ Streams        ours: what is written and read, which stream is next
//!                   ├─ Observed             ours: what the packets show (frames, acknowledgements, HOL blocking)
//!                   ├─ quinn_proto          the protocol
//!                   ├─ SharedWindow         ours, called by quinn: TCP's congestion control
//!                   └─ Unencrypted          ours, called by quinn: a handshake with TLS's sizes
//! ```
//! Nothing is encrypted, so that the same calls give the same bytes and the observer can read them. Tags, handshake and
//! headers have their real sizes. Tags and messages of the handshake are zeros, and packet numbers are in the clear. In a
//! capture the datagrams are complete, but Wireshark takes their payload for encrypted.
//!
//! A live connection (`Connection::encrypted`, `Listener`) has real TLS, which its caller provides. The observer sees
//! its packets without the encryption (`protection.rs`), and its handshake has TLS's own sizes.
//!
//! A profile has the meaning of TCP's profile of the same name: the first window in packets, growth and reduction of
//! the window, the effect of an application that does not use it, acknowledgement of every second packet, the delay of
//! other acknowledgements, and the first timeout. Because of quinn and the RFCs these things differ:
//!
//! - quinn paces: bursts of ten packets, then 5/4 of a window in each round trip (RFC 9002 §7.7). Our TCP does not.
//! - A probe timeout is SRTT + 4 · RTTVAR + the peer's delay, at least 1 ms + that delay. It has no minimum as TCP's
//!   RTO has. It sends two packets (with data, because of a patch of ours). The window is reduced only when they reveal
//!   a loss, and to two packets after three such timeouts (RFC 9002 §6.2, §7.6). A spurious timeout is not undone (RFC
//!   5682).
//! - Losses are detected by three packets or 9/8 of a round trip (RFC 9002 §6.1) in both profiles. TCP's `classic` does
//!   not use time, and `modern` has RACK with its adaptation.
//! - Lost data is sent again at the end of its stream's turn, not before all new data. `FirstCome` comes nearest to
//!   TCP.
//! - Acknowledgements are delayed as in the profile, but by no more than the larger of a round trip and 25 ms, once the
//!   peer was asked for that (draft-ietf-quic-ack-frequency-04). Before, the delay is 25 ms.
//! - Every acknowledgement measures the round trip. Known delays are subtracted, and samples are never forgotten.
//! - Recovery ends when a packet that was sent in it is acknowledged. ssthresh is a share of cwnd (RFC 9002 §7.3.2),
//!   not of the bytes in flight.
//! - Packets without data take no room in the window, as in TCP. RFC 9002 §2 counts those that ask for an
//!   acknowledgement. The handshake does not widen the first window, but TLS over TCP does, because its messages are
//!   TCP's data.
//! - An idle connection keeps its window. A lost packet of the handshake counts as any other loss.
//! - An end gives up after 180 s without an answer, not after a number of retransmissions.
//! - Some packet numbers are skipped on purpose (RFC 9000 §21.4), which draws immediate acknowledgements.
//! - No tokens validate an address in advance (RFC 9000 §8.1.3). Until the handshake is done, the server may send at
//!   most three times the client's bytes, also with 0-RTT. No session tickets are sent.

mod clock;
mod congestion;
mod connection;
mod crypto;
pub mod frame;
mod identifiers;
mod inbound;
mod listener;
mod observed;
mod options;
mod outbound;
pub mod packet;
mod probes;
mod profile;
mod protection;
mod ranges;
mod rtt;
mod setup;
mod streams;
mod transport;
pub mod wire;

pub use connection::{Connection, Opening};
pub use identifiers::Identifiers;
pub use listener::{Accepted, Answer, Listener};
pub use options::{Options, OptionsError, Scheduler};
pub use profile::{Profile, ProfileSettings};
pub use protection::{Protection, Role};
pub use transport::open;
