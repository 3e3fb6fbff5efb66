//! The State Cookie of a listener (RFC 9260 §5.1.3). The cookie is authenticated and contains everything that the
//! listener needs from an INIT, so the listener keeps no state.

use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

use crate::time::SimTime;

/// The key of a listener's cookies. It must be random, and each listener must have its own. It has the length of a
/// block of the hash function.
pub type CookieKey = [u8; 64];

/// The contents of a sealed cookie, which the listener sends in place of the cookie that the stack made.
#[derive(Debug, PartialEq, Eq)]
pub struct Sealed<'a> {
    /// When the INIT arrived.
    pub at: SimTime,
    /// The cookie that the stack made.
    pub cookie: &'a [u8],
    /// The packet with the INIT.
    pub init: &'a [u8],
}

/// Returns the seed of the association that answers an INIT. `from` identifies the peer. With one key, the same INIT
/// from the same peer at the same time gives the same seed. Nobody can compute the seed without the key.
pub fn seed(key: &CookieKey, at: SimTime, from: &[u8], init: &[u8]) -> u64 {
    let tag = authenticate(key, SEED, from, &[&at.as_ns().to_be_bytes(), init]).finalize().into_bytes();
    u64::from_be_bytes(std::array::from_fn(|at| tag[at]))
}

/// Makes a sealed cookie for the peer `from`. The cookie in `sealed` must be shorter than 64 KiB, which is always true
/// if it comes from a packet.
pub fn seal(key: &CookieKey, from: &[u8], sealed: &Sealed<'_>) -> Vec<u8> {
    let mut bytes = sealed.at.as_ns().to_be_bytes().to_vec();
    bytes.extend((sealed.cookie.len() as u16).to_be_bytes());
    bytes.extend_from_slice(sealed.cookie);
    bytes.extend_from_slice(sealed.init);
    let tag = authenticate(key, COOKIE, from, &[&bytes]).finalize().into_bytes();
    bytes.extend_from_slice(&tag);
    bytes
}

/// Returns the contents of a sealed cookie; `None` if the cookie was not sealed with this key for the peer `from`.
pub fn open<'a>(key: &CookieKey, from: &[u8], bytes: &'a [u8]) -> Option<Sealed<'a>> {
    let (sealed, tag) = bytes.split_at_checked(bytes.len().checked_sub(TAG_BYTES)?)?;
    authenticate(key, COOKIE, from, &[sealed]).verify_slice(tag).ok()?;
    let (at, rest) = sealed.split_first_chunk()?;
    let (cookie_bytes, rest) = rest.split_first_chunk()?;
    let (cookie, init) = rest.split_at_checked(u16::from_be_bytes(*cookie_bytes).into())?;
    Some(Sealed { at: SimTime::from_ns(u64::from_be_bytes(*at)), cookie, init })
}

/// Computes HMAC-SHA-256 (RFC 2104) over the purpose, the peer and the parts.
fn authenticate(key: &CookieKey, purpose: u8, from: &[u8], parts: &[&[u8]]) -> Hmac<Sha256> {
    let mut mac = <Hmac<Sha256> as KeyInit>::new(key.into());
    mac.update(&[purpose]);
    // The length is written first. Otherwise a peer's name followed by the start of a cookie could equal another peer's
    // name.
    mac.update(&(from.len() as u64).to_be_bytes());
    mac.update(from);
    for part in parts {
        mac.update(part);
    }
    mac
}

const TAG_BYTES: usize = 32;
const COOKIE: u8 = 0;
const SEED: u8 = 1;

#[cfg(test)]
mod tests {
    use super::*;

    const KEY: CookieKey = [7; 64];
    const AT: SimTime = SimTime::from_ms(5);

    fn sealed() -> Vec<u8> {
        seal(&KEY, b"peer", &Sealed { at: AT, cookie: b"cookie", init: b"init" })
    }

    #[test]
    fn a_cookie_opens_to_what_was_sealed() {
        assert_eq!(open(&KEY, b"peer", &sealed()), Some(Sealed { at: AT, cookie: b"cookie", init: b"init" }));
    }

    #[test]
    fn a_cookie_opens_only_with_its_key_and_for_its_peer() {
        assert_eq!(open(&[8; 64], b"peer", &sealed()), None);
        assert_eq!(open(&KEY, b"pee", &sealed()), None);
        assert_eq!(open(&KEY, b"peers", &sealed()), None);
    }

    #[test]
    fn a_changed_or_truncated_cookie_does_not_open() {
        for at in 0..sealed().len() {
            let mut changed = sealed();
            changed[at] ^= 1;
            assert_eq!(open(&KEY, b"peer", &changed), None, "byte {at}");
            assert_eq!(open(&KEY, b"peer", &sealed()[..at]), None, "{at} bytes");
        }
    }

    #[test]
    fn the_seed_depends_on_the_key_the_peer_the_init_and_the_time() {
        let seeds = [
            seed(&KEY, AT, b"peer", b"init"),
            seed(&[8; 64], AT, b"peer", b"init"),
            seed(&KEY, SimTime::from_ms(6), b"peer", b"init"),
            seed(&KEY, AT, b"peers", b"init"),
            seed(&KEY, AT, b"peer", b"inits"),
        ];
        for (at, one) in seeds.iter().enumerate() {
            assert!(seeds[at + 1..].iter().all(|other| other != one));
        }
        assert_eq!(seed(&KEY, AT, b"peer", b"init"), seeds[0]);
    }
}
