//! QUIC (RFC 9000, 9001, 9002): a stock stack, quinn-proto, in datagrams, watched from outside.
//!
//! ```text
//! application ─ Connection ─ Streams        what is written and read, who is next
//!                   ├─ Observed             what the packets show: frames, acknowledgements, HOL blocking (ours)
//!                   ├─ quinn_proto          the protocol
//!                   ├─ SharedWindow         TCP's congestion control (ours), as the library's
//!                   └─ Unencrypted          a handshake with TLS's sizes (ours), as the library's
//! ```
//! Nothing is encrypted, so that the same calls give the same bytes and the observer can read them: tags, handshake and
//! headers have their sizes, tags and messages of the handshake are zeros, and packet numbers are in the clear. In a
//! capture the datagrams are whole, but what decodes QUIC (Wireshark) takes their payload for encrypted.
//!
//! A real connection (`Connection::encrypted`, `Listener`) has TLS of a library's, given by whoever opens it, and the
//! observer sees its packets below that (`protection.rs`). Its handshake has no sizes of ours.
//!
//! A profile means what TCP's of its name does: first window in packets, growth and reduction of the window, what a
//! limited application does to it, acknowledgement of every second packet, the delay of others, the first timeout. What
//! the library does not let be equal:
//!
//! - It paces: bursts of ten packets, then 5/4 of a window a round trip (RFC 9002 §7.7); TCP here does not.
//! - A probe timeout is SRTT + 4 · RTTVAR + the peer's delay, at least 1 ms + that delay, and has no minimum like TCP's
//!   RTO; two packets probe (with data, by a patch of ours), and the window falls only when they show a loss, to two
//!   packets after three such timeouts (RFC 9002 §6.2, §7.6). A timeout that was spurious takes nothing back (RFC
//!   5682).
//! - Losses are found by three packets or 9/8 of a round trip (RFC 9002 §6.1), in both profiles; `classic`'s TCP has no
//!   time, `modern`'s has RACK with its adaptation.
//! - What is lost goes to the end of its stream's turn, not before all new data: `FirstCome` comes nearest to TCP.
//! - The delay of acknowledgements is that of the profile, but no more than the larger of a round trip and 25 ms, from
//!   the time on that the peer was asked for it (draft-ietf-quic-ack-frequency-04); before, 25 ms.
//! - It measures a round trip with every acknowledgement, takes known delays off, and never forgets it.
//! - Recovery ends when something sent in it is acknowledged, and its ssthresh is a share of cwnd (RFC 9002 §7.3.2),
//!   not of what is in flight.
//! - Packets without data take no room in the window here, as in TCP; RFC 9002 §2 counts those that ask for an
//!   acknowledgement. The handshake does not widen the first window. TLS over TCP does: its flight is TCP's data.
//! - An idle connection keeps its window; the loss of a handshake's packet leaves it as any other loss.
//! - An end gives up after 180 s without an answer, not after a number of retransmissions.
//! - Some packet numbers are left out on purpose (RFC 9000 §21.4), which draws acknowledgements at once.
//! - No tokens validate an address in advance (RFC 9000 §8.1.3): until the handshake is done, three times the client's
//!   bytes limit the server, with 0-RTT too. No session tickets are sent.

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
