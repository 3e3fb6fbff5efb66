use std::time::Duration;

use quinn_proto::{ConnectionId, ConnectionIdGenerator};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::Rng;

use super::packet::CONNECTION_ID_BYTES;

/// Connection ids from a random stream of the run's.
#[derive(Clone, Debug)]
pub struct Identifiers(pub ChaCha8Rng);

impl ConnectionIdGenerator for Identifiers {
    fn generate_cid(&mut self) -> ConnectionId {
        let mut bytes = [0; CONNECTION_ID_BYTES];
        self.0.fill_bytes(&mut bytes);
        ConnectionId::new(&bytes)
    }

    fn cid_len(&self) -> usize {
        CONNECTION_ID_BYTES
    }

    fn cid_lifetime(&self) -> Option<Duration> {
        None
    }
}
