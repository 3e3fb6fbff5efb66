//! The messages of the handshake (RFC 9147 §5), as fragments in datagrams.

use super::record::{ContentType, PLAIN_BYTES, SEALED_BYTES, write_plain, write_sealed};
use crate::tls;

/// The messages that an end sends together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flight {
    ClientHello,
    /// ServerHello to Finished.
    Server,
    ClientFinished,
    /// The server's acknowledgement of the client's last flight.
    Ack,
}

/// The sizes of one end's messages and datagrams.
#[derive(Clone, Copy, Debug)]
pub struct Sizes {
    pub is_client: bool,
    pub handshake: tls::Handshake,
    /// Size of the largest UDP payload, in bytes.
    pub datagram_bytes: usize,
}

/// A message of the handshake. `body_bytes` includes no header: neither that of TLS (4 bytes), which is part of the
/// sizes in [`crate::tls`], nor that of DTLS (12 bytes), which each fragment has.
struct Message {
    number: u16,
    kind: u8,
    body_bytes: usize,
    is_sealed: bool,
}

impl Sizes {
    /// Returns the datagrams of a flight.
    pub fn datagrams(&self, flight: Flight) -> Vec<Vec<u8>> {
        if flight == Flight::Ack {
            let mut datagram = Vec::new();
            write_sealed(&mut datagram, HANDSHAKE_EPOCH + 1, ContentType::Ack, &[0; ACK_BYTES]);
            return vec![datagram];
        }
        let mut datagrams = vec![Vec::new()];
        for message in self.messages(flight) {
            self.write(&message, &mut datagrams);
        }
        datagrams
    }

    fn messages(&self, flight: Flight) -> Vec<Message> {
        let of = |number, kind, bytes: usize| Message {
            number,
            kind,
            body_bytes: bytes - TLS_HEADER_BYTES,
            is_sealed: kind != CLIENT_HELLO && kind != SERVER_HELLO,
        };
        let handshake = &self.handshake;
        match flight {
            Flight::ClientHello => vec![of(0, CLIENT_HELLO, handshake.client_hello_bytes())],
            Flight::Server => vec![
                of(0, SERVER_HELLO, handshake.server_hello_bytes()),
                of(1, ENCRYPTED_EXTENSIONS, tls::ENCRYPTED_EXTENSIONS_BYTES),
                of(2, CERTIFICATE, handshake.certificate_bytes()),
                of(3, CERTIFICATE_VERIFY, tls::CERTIFICATE_VERIFY_BYTES),
                of(4, FINISHED, tls::FINISHED_BYTES),
            ],
            Flight::ClientFinished => vec![of(1, FINISHED, tls::FINISHED_BYTES)],
            Flight::Ack => Vec::new(),
        }
    }

    /// Writes a message as one or more fragments. The fragments are appended to the last datagram, and further
    /// datagrams are added as needed.
    fn write(&self, message: &Message, datagrams: &mut Vec<Vec<u8>>) {
        let around = FRAGMENT_HEADER_BYTES + if message.is_sealed { SEALED_BYTES } else { PLAIN_BYTES };
        let mut at = 0;
        while at < message.body_bytes {
            let used = datagrams.last().map_or(0, Vec::len);
            let room = self.datagram_bytes.saturating_sub(used + around);
            if room < LEAST_FRAGMENT_BYTES.min(message.body_bytes - at) {
                datagrams.push(Vec::new());
                continue;
            }
            let bytes = room.min(message.body_bytes - at);
            let mut fragment = vec![message.kind];
            fragment.extend_from_slice(&(message.body_bytes as u32).to_be_bytes()[1..]);
            fragment.extend_from_slice(&message.number.to_be_bytes());
            fragment.extend_from_slice(&(at as u32).to_be_bytes()[1..]);
            fragment.extend_from_slice(&(bytes as u32).to_be_bytes()[1..]);
            fragment.resize(fragment.len() + bytes, 0);
            if let Some(datagram) = datagrams.last_mut() {
                match message.is_sealed {
                    true => write_sealed(datagram, HANDSHAKE_EPOCH, ContentType::Handshake, &fragment),
                    false => write_plain(datagram, &fragment),
                }
            }
            at += bytes;
        }
    }
}

/// Notes which parts of the peer's messages have arrived. The contents are not kept.
#[derive(Debug)]
pub struct Incoming {
    messages: Vec<Joining>,
}

#[derive(Debug)]
struct Joining {
    kind: u8,
    /// Whether each byte of the body has arrived; empty until the size of the body is known.
    has: Vec<bool>,
    /// How many bytes of the body are missing; `None` until its size is known.
    left: Option<usize>,
}

impl Incoming {
    pub fn new(from_client: bool) -> Self {
        let kinds: &[u8] = match from_client {
            true => &[CLIENT_HELLO, FINISHED],
            false => &[SERVER_HELLO, ENCRYPTED_EXTENSIONS, CERTIFICATE, CERTIFICATE_VERIFY, FINISHED],
        };
        Incoming { messages: kinds.iter().map(|kind| Joining { kind: *kind, has: Vec::new(), left: None }).collect() }
    }

    /// Takes a fragment. Returns true if the fragment begins a message that is complete already, which means that the
    /// peer repeats its flight. Returns `None` if the fragment is invalid.
    pub fn take(&mut self, fragment: &[u8]) -> Option<bool> {
        let (header, body) = fragment.split_first_chunk::<FRAGMENT_HEADER_BYTES>()?;
        let number = |at: usize| u32::from_be_bytes([0, header[at], header[at + 1], header[at + 2]]) as usize;
        let (total, at, bytes) = (number(1), number(6), number(9));
        let message = self.messages.get_mut(usize::from(u16::from_be_bytes([header[4], header[5]])))?;
        if header[0] != message.kind || total > MOST_BODY_BYTES || bytes != body.len() || at + bytes > total {
            return None;
        }
        if message.left.is_none() {
            (message.has, message.left) = (vec![false; total], Some(total));
        }
        if message.has.len() != total {
            return None;
        }
        if message.left == Some(0) {
            return Some(at == 0);
        }
        let new = message.has[at..at + bytes].iter_mut().filter(|has| !**has).map(|has| *has = true).count();
        message.left = message.left.map(|left| left - new);
        Some(false)
    }

    /// Whether the first message is complete.
    pub fn has_hello(&self) -> bool {
        self.messages[0].left == Some(0)
    }

    pub fn is_complete(&self) -> bool {
        self.messages.iter().all(|message| message.left == Some(0))
    }
}

// HandshakeType (RFC 8446 §4)
const CLIENT_HELLO: u8 = 1;
const SERVER_HELLO: u8 = 2;
const ENCRYPTED_EXTENSIONS: u8 = 8;
const CERTIFICATE: u8 = 11;
const CERTIFICATE_VERIFY: u8 = 15;
const FINISHED: u8 = 20;

const TLS_HEADER_BYTES: usize = 4;
/// Size of the header of a fragment (RFC 9147 §5.2).
const FRAGMENT_HEADER_BYTES: usize = 12;
/// A message begins or continues in the next datagram if this datagram has no room for the rest of the message, and also
/// no room for this many bytes.
const LEAST_FRAGMENT_BYTES: usize = 64;
const HANDSHAKE_EPOCH: u8 = 2;
/// Size of an ACK of one record (RFC 9147 §7): a length, and the epoch and number of the record.
const ACK_BYTES: usize = 2 + 16;
/// The largest message that is accepted. It bounds the memory of a handshake.
const MOST_BODY_BYTES: usize = 16_384;
