use std::net::{Ipv4Addr, SocketAddr, SocketAddrV4};

use bytes::BytesMut;
use hmac::{Hmac, KeyInit, Mac};
use quinn_proto::{DatagramEvent, Endpoint as LibraryEndpoint, Incoming, Side};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use sha2::Sha256;

use super::clock::Clock;
use super::congestion::SharedWindow;
use super::connection::Opening;
use super::identifiers::Identifiers;
use super::packet::MIN_MTU_BYTES;
use super::profile::ProfileSettings;
use super::protection::Protection;
use super::setup::{Configured, Setup};
use super::{Connection, Options, OptionsError};
use crate::endpoint::Endpoint;
use crate::ip::Flow;
use crate::time::SimTime;
use crate::udp;

/// Accepts encrypted connections that peers start.
///
/// The listener keeps no state for accepted connections. Each connection has its own endpoint of quinn, which starts
/// with the datagram that started the connection. The connection ids of a connection begin with its number, so that the
/// caller can find the connection of a datagram.
pub struct Listener {
    settings: Settings,
    protection: Protection,
    key: [u8; 64],
    random: ChaCha8Rng,
    next_number: u32,
    clock: Clock,
    front: LibraryEndpoint,
}

#[derive(Clone, Copy)]
struct Settings {
    options: Options,
    mtu_bytes: u16,
    receive_bytes: u32,
}

/// The listener's reaction to a datagram.
pub enum Answer {
    Nothing,
    /// Send this datagram to the sender.
    Send(Vec<u8>),
    /// A new connection, which has already handled the datagram.
    Accept(Box<Accepted>),
}

/// A new connection and its flow.
pub struct Accepted {
    pub connection: Connection,
    pub flow: Flow,
    /// The first four bytes, in network order, of the connection ids to which the peer sends.
    pub number: u32,
}

impl Listener {
    /// `receive_bytes` is the most bytes, over all streams of a connection, that may have arrived without having been
    /// read. `key` is 64 random bytes.
    ///
    /// # Errors
    /// A setting is outside its limits.
    pub fn new(
        options: Options,
        mtu_bytes: u16,
        receive_bytes: u32,
        protection: Protection,
        key: [u8; 64],
    ) -> Result<Self, OptionsError> {
        options.validate()?;
        if mtu_bytes < MIN_MTU_BYTES {
            return Err(OptionsError::Mtu { mtu_bytes });
        }
        let mut random = ChaCha8Rng::from_seed(hash(&key, Purpose::Seed, b""));
        let clock = Clock::new();
        let settings = ProfileSettings::of(&options, Side::Server, mtu_bytes);
        let window = SharedWindow::new(clock, settings.congestion, settings.first_datagram_bytes.into(), 0);
        let setup =
            Setup { settings, receive_bytes: Some(receive_bytes), tokens: None, migration: false, keeps_alive: false };
        let identifiers = Identifiers { random: split(&mut random), prefix: None };
        let Configured { endpoint, .. } = setup.configure(&window, identifiers, protection.clone());
        let settings = Settings { options, mtu_bytes, receive_bytes };
        let next_number = random.next_u32();
        Ok(Listener { settings, protection, key, random, next_number, clock, front: endpoint })
    }

    /// Handles a datagram that belongs to no connection. `from` identifies the address of its sender. If `validates` is
    /// true, a peer first has to prove that it receives packets at its address (RFC 9000 §8.1.2).
    pub fn handle_datagram(&mut self, now: SimTime, from: &[u8], datagram: &[u8], validates: bool) -> Answer {
        let flow = self.flow(from);
        let (at, mut response) = (self.clock.instant(now), Vec::new());
        let remote = SocketAddr::V4(flow.remote);
        match self.front.handle(at, remote, None, None, BytesMut::from(datagram), &mut response) {
            Some(DatagramEvent::NewConnection(incoming)) if validates && !incoming.remote_address_validated() => {
                self.retry(incoming)
            }
            Some(DatagramEvent::NewConnection(incoming)) => {
                self.front.ignore(incoming);
                self.accept(now, flow, datagram)
            }
            Some(DatagramEvent::Response(_)) => Answer::Send(response),
            Some(DatagramEvent::ConnectionEvent(..)) | None => Answer::Nothing,
        }
    }

    fn retry(&mut self, incoming: Incoming) -> Answer {
        let mut packet = Vec::new();
        match self.front.retry(incoming, &mut packet) {
            Ok(_) => Answer::Send(packet),
            Err(error) => {
                self.front.ignore(error.into_incoming());
                Answer::Nothing
            }
        }
    }

    fn accept(&mut self, now: SimTime, flow: Flow, datagram: &[u8]) -> Answer {
        let Settings { options, mtu_bytes, receive_bytes } = self.settings;
        let number = self.next_number;
        self.next_number = number.wrapping_add(1);
        let identifiers = Identifiers { random: split(&mut self.random), prefix: Some(number) };
        let opening = Opening { flow, mtu_bytes, options, identifiers, receive_bytes: Some(receive_bytes) };
        let mut connection = Connection::encrypted(opening, &self.protection);
        connection.handle_packet(now, &udp::packet(&flow.reversed(), 0, datagram));
        if !connection.has_begun() {
            // the packet is not authentic, or the connection is refused
            let refusal = connection.poll_transmit(now).map(|transmit| transmit.packet.into_wire());
            return refusal.map_or(Answer::Nothing, |packet| Answer::Send(packet[udp::HEADERS_BYTES..].to_vec()));
        }
        Answer::Accept(Box::new(Accepted { connection, flow, number }))
    }

    /// Returns the flow of a peer. quinn binds its tokens to the remote address. The listener knows no such address, so
    /// it makes one up for each sender: a keyed hash of `from`. Nobody without the key can find two senders that get
    /// the same address.
    fn flow(&self, from: &[u8]) -> Flow {
        let [a, b, c, d, high, low, ..] = hash(&self.key, Purpose::Address, from);
        let remote = SocketAddrV4::new(Ipv4Addr::new(a, b, c, d), u16::from_be_bytes([high, low]));
        Flow { local: SocketAddrV4::new(Ipv4Addr::LOCALHOST, PORT), remote }
    }
}

#[derive(Clone, Copy)]
#[repr(u8)]
enum Purpose {
    Seed,
    Address,
}

fn hash(key: &[u8; 64], purpose: Purpose, of: &[u8]) -> [u8; 32] {
    let mut mac = <Hmac<Sha256> as KeyInit>::new(key.into());
    mac.update(&[purpose as u8]);
    mac.update(of);
    mac.finalize().into_bytes().into()
}

fn split(random: &mut ChaCha8Rng) -> ChaCha8Rng {
    let mut seed = [0; 32];
    random.fill_bytes(&mut seed);
    ChaCha8Rng::from_seed(seed)
}

/// A placeholder for the port of the real socket, which the listener does not know.
const PORT: u16 = 443;
