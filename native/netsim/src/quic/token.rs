//! The tokens with which a client shows that the server has validated its address in an earlier connection (NEW_TOKEN,
//! RFC 9000 §8.1.3). The server may then send more than three times as many bytes as it has received (§8.1).

use std::net::Ipv4Addr;
use std::time::Duration;

use bytes::{BufMut, Bytes, BytesMut};
use quinn_proto::{TimeSource, TokenLog, TokenReuseError, TokenStore};

use super::clock::SystemTime;
use super::packet::TAG_BYTES;

/// Returns the token of an earlier connection from `address`, in the format of quinn and without encryption.
pub fn token(address: Ipv4Addr) -> Bytes {
    let mut token = BytesMut::new();
    token.put_u8(VALIDATION);
    token.put_u8(IPV4);
    token.put_slice(&address.octets());
    token.put_u64(0); // the time at which the token was issued
    token.put_bytes(0, TAG_BYTES);
    token.put_u128(0); // the nonce
    token.freeze()
}

/// A client's memory of one token.
pub struct Remembered(pub Bytes);

impl TokenStore for Remembered {
    fn insert(&self, _server_name: &str, _token: Bytes) {}

    fn take(&self, _server_name: &str) -> Option<Bytes> {
        Some(self.0.clone())
    }
}

/// Accepts every token. A server of a simulation has one client, which uses its token once.
pub struct EachToken;

impl TokenLog for EachToken {
    fn check_and_insert(&self, _: u128, _: SystemTime, _: Duration) -> Result<(), TokenReuseError> {
        Ok(())
    }
}

/// A clock that stands still, so that tokens do not depend on the time of day.
pub struct NoClock;

impl TimeSource for NoClock {
    fn now(&self) -> SystemTime {
        SystemTime::UNIX_EPOCH
    }
}

// The types of quinn's tokens and addresses (`token.rs` of quinn-proto).
const VALIDATION: u8 = 1;
const IPV4: u8 = 0;
