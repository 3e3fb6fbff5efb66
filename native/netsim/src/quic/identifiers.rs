use std::time::Duration;

use quinn_proto::{ConnectionId, ConnectionIdGenerator};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

use super::packet::CONNECTION_ID_BYTES;

/// Generates connection ids from a random stream.
#[derive(Clone, Debug)]
pub struct Identifiers {
    pub(super) random: ChaCha8Rng,
    /// The first four bytes of all ids of this end. They identify the end if several ends share a port.
    pub(super) prefix: Option<u32>,
}

impl Identifiers {
    /// Generates the ids of an end that has a port of its own. The ids are computed from `seed`, so `seed` must stay
    /// secret.
    pub fn from_seed(seed: [u8; 32]) -> Self {
        Identifiers { random: ChaCha8Rng::from_seed(seed), prefix: None }
    }

    /// Returns the destination id that a client uses until the server has chosen an id (RFC 9000 §7.2).
    pub fn first_destination(&mut self) -> ConnectionId {
        let mut bytes = [0; CONNECTION_ID_BYTES];
        self.random.fill_bytes(&mut bytes);
        ConnectionId::new(&bytes)
    }
}

impl ConnectionIdGenerator for Identifiers {
    fn generate_cid(&mut self) -> ConnectionId {
        let mut bytes = [0; CONNECTION_ID_BYTES];
        self.random.fill_bytes(&mut bytes);
        if let Some(prefix) = self.prefix {
            bytes[..4].copy_from_slice(&prefix.to_be_bytes());
        }
        ConnectionId::new(&bytes)
    }

    fn cid_len(&self) -> usize {
        CONNECTION_ID_BYTES
    }

    fn cid_lifetime(&self) -> Option<Duration> {
        None
    }
}
