use std::net::{Ipv4Addr, SocketAddrV4};

use super::chunk::{self, COMMON_HEADER_BYTES, Chunk};
use super::cookie::{self, CookieKey, Sealed};
use super::{Association, Options, OptionsError, Setup, checksum};
use crate::endpoint::Endpoint;
use crate::ip::{self, Flow};
use crate::time::SimTime;

/// Accepts associations that peers start.
///
/// The listener keeps no state for an INIT (RFC 9260 §5.1.3). The cookie in its INIT ACK contains the INIT and the
/// stack's own cookie, and is authenticated. When a COOKIE ECHO returns this cookie, the listener recreates the
/// association that answered the INIT. dcSCTP's own cookie would not be enough: it is not authenticated, because WebRTC
/// protects associations with DTLS.
///
/// A stale cookie is dropped without an ERROR, although RFC 9260 §5.1.5 requires an ERROR.
pub struct Listener {
    options: Options,
    mtu_bytes: u16,
    /// The listener's port in the SCTP header.
    port: u16,
    key: CookieKey,
}

/// The listener's reaction to a packet.
pub enum Answer {
    Nothing,
    /// Send this packet to the sender.
    Send(Vec<u8>),
    /// A new association, which has already handled the packet.
    Accept(Box<Accepted>),
}

/// A new association and its flow.
pub struct Accepted {
    pub association: Association,
    pub flow: Flow,
}

impl Listener {
    /// # Errors
    /// A setting is outside its limits.
    pub fn new(options: Options, mtu_bytes: u16, port: u16, key: CookieKey) -> Result<Self, OptionsError> {
        options.validate()?;
        Ok(Listener { options, mtu_bytes, port, key })
    }

    /// Handles a packet that belongs to no association. `from` identifies the address of its sender.
    ///
    /// A packet is ignored if it has a wrong checksum, is for another port, is malformed or has no chunks. Otherwise, a
    /// packet with neither an INIT nor a COOKIE ECHO is answered with ABORT, unless RFC 9260 §8.4 forbids an ABORT. The
    /// ABORT is never longer than the packet.
    ///
    /// A SHUTDOWN ACK is also answered with ABORT, although RFC 9260 §8.4 rule 5 asks for SHUTDOWN COMPLETE.
    pub fn handle_packet(&self, now: SimTime, from: &[u8], packet: &[u8]) -> Answer {
        if !checksum::is_intact(packet) || packet.get(2..4) != Some(&self.port.to_be_bytes()) {
            return Answer::Nothing;
        }
        let chunks = chunk::parse(packet).unwrap_or_default();
        let begins = |chunk: &Chunk| matches!(chunk, Chunk::Init { .. } | Chunk::CookieEcho);
        match chunks[..] {
            // an INIT is alone in its packet, whose verification tag is 0 (RFC 9260 §8.5.1 A)
            [Chunk::Init { .. }] if packet[4..8] == [0; 4] => self.answer(now, from, packet),
            [Chunk::CookieEcho, ..] => self.accept(now, from, packet),
            _ if chunks.iter().any(begins) => Answer::Nothing,
            _ => chunk::abort_for(packet, &chunks).map_or(Answer::Nothing, Answer::Send),
        }
    }

    /// Returns the packet with the stack's own cookie in its COOKIE ECHO, instead of the listener's cookie. An accepted
    /// association must get this packet instead of a repeated COOKIE ECHO. Returns `None` if the packet does not have a
    /// cookie that this listener made for the peer `from`.
    pub fn unsealed(&self, from: &[u8], packet: &[u8]) -> Option<Vec<u8>> {
        let (echo, rest) = first_chunk(packet, COOKIE_ECHO).filter(|_| checksum::is_intact(packet))?;
        let sealed = cookie::open(&self.key, from, echo)?;
        Some(with_cookie(packet, sealed.cookie, rest))
    }

    fn answer(&self, now: SimTime, from: &[u8], init: &[u8]) -> Answer {
        if init.len() > MOST_INIT_BYTES {
            return Answer::Nothing;
        }
        let Some(init_ack) = self.begin(now, from, init).1 else { return Answer::Nothing };
        let Some((at, bytes)) = state_cookie(&init_ack) else { return Answer::Nothing };
        let sealed = cookie::seal(&self.key, from, &Sealed { at: now, cookie: &init_ack[at..at + bytes], init });
        let answer = with_state_cookie(&init_ack, at, bytes, &sealed);
        if answer.len() + ip::HEADER_BYTES > self.mtu_bytes.into() { Answer::Nothing } else { Answer::Send(answer) }
    }

    fn accept(&self, now: SimTime, from: &[u8], packet: &[u8]) -> Answer {
        let opened = first_chunk(packet, COOKIE_ECHO)
            .and_then(|(echo, rest)| Some((cookie::open(&self.key, from, echo)?, rest)))
            .filter(|(sealed, _)| now.saturating_since(sealed.at).as_secs() < COOKIE_LIFE_S);
        let Some((sealed, rest)) = opened else { return Answer::Nothing };
        // The association is recreated as it was when the INIT arrived, with the same random numbers. It notes that it
        // sent its INIT ACK at that time, so the COOKIE ECHO measures the RTT of the handshake.
        let Accepted { mut association, flow } = self.begin(sealed.at, from, sealed.init).0;
        let echo = with_cookie(packet, sealed.cookie, rest);
        association.handle_packet(now, &ip::packet(&flow.reversed(), ip::SCTP, 0, &echo));
        // the association is not connected if the packet's tag does not match the cookie
        if association.is_connected() {
            Answer::Accept(Box::new(Accepted { association, flow }))
        } else {
            Answer::Nothing
        }
    }

    /// Makes an association that answers this INIT. Returns the association and its INIT ACK.
    fn begin(&self, at: SimTime, from: &[u8], init: &[u8]) -> (Accepted, Option<Vec<u8>>) {
        let peer_port = u16::from_be_bytes([init[0], init[1]]);
        let flow = Flow {
            local: SocketAddrV4::new(Ipv4Addr::LOCALHOST, self.port),
            remote: SocketAddrV4::new(Ipv4Addr::LOCALHOST, peer_port),
        };
        let seed = cookie::seed(&self.key, at, from, init);
        let setup = Setup { flow, mtu_bytes: self.mtu_bytes, seed };
        let mut association = Association::new(setup, self.options.clone());
        association.handle_packet(at, &ip::packet(&flow.reversed(), ip::SCTP, 0, init));
        let mut init_ack = None;
        while let Some(transmit) = association.poll_transmit(at) {
            init_ack = Some(transmit.packet.to_wire().split_off(ip::HEADER_BYTES));
        }
        (Accepted { association, flow }, init_ack)
    }
}

/// Returns the body of the packet's first chunk, if the chunk has this type, and the offset of the next chunk.
fn first_chunk(packet: &[u8], chunk_type: u8) -> Option<(&[u8], usize)> {
    let chunk = packet.get(COMMON_HEADER_BYTES..)?;
    let [found, _, length @ ..] = *chunk.first_chunk::<4>()?;
    let length = usize::from(u16::from_be_bytes(length));
    let body = chunk.get(4..length).filter(|_| found == chunk_type)?;
    Some((body, (COMMON_HEADER_BYTES + length.next_multiple_of(4)).min(packet.len())))
}

/// Returns a packet with this cookie in its COOKIE ECHO, followed by the bytes of `packet` from `rest` on.
fn with_cookie(packet: &[u8], cookie: &[u8], rest: usize) -> Vec<u8> {
    let mut made = packet[..COMMON_HEADER_BYTES].to_vec();
    made.extend([COOKIE_ECHO, 0]);
    made.extend(((4 + cookie.len()) as u16).to_be_bytes());
    made.extend_from_slice(cookie);
    made.resize(made.len().next_multiple_of(4), 0);
    made.extend_from_slice(&packet[rest..]);
    checksum::write_checksum(&mut made);
    made
}

/// Returns the offset and the length of the cookie in a packet with an INIT ACK.
fn state_cookie(init_ack: &[u8]) -> Option<(usize, usize)> {
    let mut at = PARAMETERS_AT;
    loop {
        let [kind @ .., length_high, length_low] = *init_ack.get(at..)?.first_chunk::<4>()?;
        let length = usize::from(u16::from_be_bytes([length_high, length_low])).max(4);
        if u16::from_be_bytes(kind) == STATE_COOKIE {
            return (at + length <= init_ack.len()).then_some((at + 4, length - 4));
        }
        at += length.next_multiple_of(4);
    }
}

/// Returns the INIT ACK with `cookie` in place of the `bytes` bytes at `at`.
fn with_state_cookie(init_ack: &[u8], at: usize, bytes: usize, cookie: &[u8]) -> Vec<u8> {
    let mut made = init_ack[..at - 2].to_vec();
    made.extend(((4 + cookie.len()) as u16).to_be_bytes());
    made.extend_from_slice(cookie);
    let rest = init_ack.get((at + bytes).next_multiple_of(4)..).unwrap_or_default();
    // the chunk's length does not count the padding of its last parameter (RFC 9260 §3.2.1)
    let length = made.len() - COMMON_HEADER_BYTES;
    made.resize(made.len().next_multiple_of(4), 0);
    let length = if rest.is_empty() { length } else { made.len() + rest.len() - COMMON_HEADER_BYTES };
    made.extend_from_slice(rest);
    made[COMMON_HEADER_BYTES + 2..COMMON_HEADER_BYTES + 4].copy_from_slice(&(length as u16).to_be_bytes());
    checksum::write_checksum(&mut made);
    made
}

const COOKIE_ECHO: u8 = 10;
/// The type of the parameter State Cookie (RFC 9260 §3.3.3).
const STATE_COOKIE: u16 = 7;
/// The offset of the parameters of an INIT ACK: after the common header and the chunk's fixed part (RFC 9260 §3.3.3).
const PARAMETERS_AT: usize = COMMON_HEADER_BYTES + 20;
/// Valid.Cookie.Life, in seconds (RFC 9260 §16).
const COOKIE_LIFE_S: u64 = 60;
/// Size in bytes of the longest packet with an INIT that is answered. An INIT of a real stack has a few dozen bytes of
/// addresses and extensions. The limit is needed because the INIT ACK repeats the whole INIT.
const MOST_INIT_BYTES: usize = 400;

#[cfg(test)]
#[path = "listener_test.rs"]
mod tests;
