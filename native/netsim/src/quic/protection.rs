//! Wraps the TLS of a live connection, which is a connection over a real network, so that its packets can be observed
//! without their encryption.

use std::any::Any;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bytes::BytesMut;
use quinn_proto::crypto::{
    ClientConfig, CryptoError, ExportKeyingMaterialError, HandshakeTokenKey, HeaderKey, HmacKey, KeyPair, Keys,
    PacketKey, ServerConfig, Session, UnsupportedVersion,
};
use quinn_proto::transport_parameters::TransportParameters;
use quinn_proto::{ConnectError, ConnectionId, Side, TransportError};

use super::packet::{Level, QuicPacket};

/// The TLS implementation of a client, or of all connections of a server. In a simulation, the handshake of `crypto.rs`
/// takes its place.
#[derive(Clone)]
pub struct Protection {
    pub role: Role,
    /// The key of stateless resets (RFC 9000 §10.3).
    pub reset_key: Arc<dyn HmacKey>,
}

#[derive(Clone)]
pub enum Role {
    Client(Arc<dyn ClientConfig>),
    /// The second value seals the tokens of Retry packets (RFC 9000 §8.1.2).
    Server(Arc<dyn ServerConfig>, Arc<dyn HandshakeTokenKey>),
}

/// Collects decrypted packets until [`Connection`](super::Connection) takes them.
#[derive(Clone, Debug, Default)]
pub struct Tap(Arc<Mutex<Taps>>);

#[derive(Debug, Default)]
struct Taps {
    sent: Vec<Tapped>,
    received: Vec<Tapped>,
}

#[derive(Clone, Copy, Debug)]
enum Way {
    Sent,
    Received,
}

/// A packet without its encryption.
#[derive(Debug)]
pub struct Tapped {
    level: Level,
    number: u64,
    /// Size of the packet in bytes, header and tag included.
    bytes: usize,
    payload: Vec<u8>,
}

struct Watched<C: ?Sized> {
    config: Arc<C>,
    tap: Tap,
}

struct WatchedSession {
    session: Box<dyn Session>,
    tap: Tap,
    /// Whether the keys of the handshake were returned to quinn (RFC 9001 §4.1).
    has_handshake_keys: bool,
}

struct WatchedKey {
    key: Box<dyn PacketKey>,
    level: Level,
    way: Way,
    tap: Tap,
}

impl Role {
    /// Returns the same role, whose connections also give each packet to `tap` without its encryption.
    pub fn watched(&self, tap: &Tap) -> Role {
        match self {
            Role::Client(config) => Role::Client(Arc::new(Watched { config: config.clone(), tap: tap.clone() })),
            Role::Server(config, token_key) => {
                Role::Server(Arc::new(Watched { config: config.clone(), tap: tap.clone() }), token_key.clone())
            }
        }
    }

    pub fn side(&self) -> Side {
        match self {
            Role::Client(_) => Side::Client,
            Role::Server(..) => Side::Server,
        }
    }
}

impl Tap {
    pub fn take_sent(&self) -> Vec<Tapped> {
        std::mem::take(&mut self.lock().sent)
    }

    pub fn take_received(&self) -> Vec<Tapped> {
        std::mem::take(&mut self.lock().received)
    }

    fn lock(&self) -> MutexGuard<'_, Taps> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn keys(&self, level: Level, keys: Keys) -> Keys {
        Keys { header: keys.header, packet: self.pair(level, keys.packet) }
    }

    fn pair(&self, level: Level, pair: KeyPair<Box<dyn PacketKey>>) -> KeyPair<Box<dyn PacketKey>> {
        let watch = |key, way| Box::new(WatchedKey { key, level, way, tap: self.clone() }) as Box<dyn PacketKey>;
        KeyPair { local: watch(pair.local, Way::Sent), remote: watch(pair.remote, Way::Received) }
    }
}

impl Tapped {
    /// Returns the packet as it would be without encryption. Its number has four bytes, which is the maximum (RFC 9000
    /// §17.1).
    pub fn packet(&self) -> QuicPacket<'_> {
        let Tapped { level, number, bytes, ref payload } = *self;
        QuicPacket { level, bytes, number: number & u64::from(u32::MAX), number_bytes: 4, payload }
    }
}

impl ClientConfig for Watched<dyn ClientConfig> {
    fn start_session(
        self: Arc<Self>,
        version: u32,
        server_name: &str,
        parameters: &TransportParameters,
    ) -> Result<Box<dyn Session>, ConnectError> {
        let session = self.config.clone().start_session(version, server_name, parameters)?;
        Ok(Box::new(WatchedSession { session, tap: self.tap.clone(), has_handshake_keys: false }))
    }
}

impl ServerConfig for Watched<dyn ServerConfig> {
    fn initial_keys(&self, version: u32, destination: &ConnectionId) -> Result<Keys, UnsupportedVersion> {
        Ok(self.tap.keys(Level::Initial, self.config.initial_keys(version, destination)?))
    }

    fn retry_tag(&self, version: u32, destination: &ConnectionId, packet: &[u8]) -> [u8; 16] {
        self.config.retry_tag(version, destination, packet)
    }

    fn start_session(self: Arc<Self>, version: u32, parameters: &TransportParameters) -> Box<dyn Session> {
        let session = self.config.clone().start_session(version, parameters);
        Box::new(WatchedSession { session, tap: self.tap.clone(), has_handshake_keys: false })
    }
}

impl Session for WatchedSession {
    fn initial_keys(&self, destination: &ConnectionId, side: Side) -> Keys {
        self.tap.keys(Level::Initial, self.session.initial_keys(destination, side))
    }

    fn handshake_data(&self) -> Option<Box<dyn Any>> {
        self.session.handshake_data()
    }

    fn peer_identity(&self) -> Option<Box<dyn Any>> {
        self.session.peer_identity()
    }

    fn early_crypto(&self) -> Option<(Box<dyn HeaderKey>, Box<dyn PacketKey>)> {
        None // no session is resumed
    }

    fn early_data_accepted(&self) -> Option<bool> {
        self.session.early_data_accepted()
    }

    fn is_handshaking(&self) -> bool {
        self.session.is_handshaking()
    }

    fn read_handshake(&mut self, bytes: &[u8]) -> Result<bool, TransportError> {
        self.session.read_handshake(bytes)
    }

    fn transport_parameters(&self) -> Result<Option<TransportParameters>, TransportError> {
        self.session.transport_parameters()
    }

    fn write_handshake(&mut self, into: &mut Vec<u8>) -> Option<Keys> {
        let keys = self.session.write_handshake(into)?;
        let level = if self.has_handshake_keys { Level::OneRtt } else { Level::Handshake };
        self.has_handshake_keys = true;
        Some(self.tap.keys(level, keys))
    }

    fn next_1rtt_keys(&mut self) -> Option<KeyPair<Box<dyn PacketKey>>> {
        Some(self.tap.pair(Level::OneRtt, self.session.next_1rtt_keys()?))
    }

    fn is_valid_retry(&self, destination: &ConnectionId, header: &[u8], payload: &[u8]) -> bool {
        self.session.is_valid_retry(destination, header, payload)
    }

    fn export_keying_material(
        &self,
        output: &mut [u8],
        label: &[u8],
        context: &[u8],
    ) -> Result<(), ExportKeyingMaterialError> {
        self.session.export_keying_material(output, label, context)
    }
}

impl WatchedKey {
    fn note(&self, number: u64, bytes: usize, payload: &[u8]) {
        let tapped = Tapped { level: self.level, number, bytes, payload: payload.to_vec() };
        let mut taps = self.tap.lock();
        match self.way {
            Way::Sent => taps.sent.push(tapped),
            Way::Received => taps.received.push(tapped),
        }
    }
}

impl PacketKey for WatchedKey {
    fn encrypt(&self, number: u64, packet: &mut [u8], header_bytes: usize) {
        self.note(number, packet.len(), &packet[header_bytes..packet.len() - self.key.tag_len()]);
        self.key.encrypt(number, packet, header_bytes);
    }

    fn decrypt(&self, number: u64, header: &[u8], payload: &mut BytesMut) -> Result<(), CryptoError> {
        let bytes = header.len() + payload.len();
        self.key.decrypt(number, header, payload)?;
        self.note(number, bytes, payload);
        Ok(())
    }

    fn tag_len(&self) -> usize {
        self.key.tag_len()
    }

    fn confidentiality_limit(&self) -> u64 {
        self.key.confidentiality_limit()
    }

    fn integrity_limit(&self) -> u64 {
        self.key.integrity_limit()
    }
}
