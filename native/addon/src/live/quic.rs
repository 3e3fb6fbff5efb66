use std::net::{Ipv4Addr, SocketAddrV4};

use binding::Parts;
use napi::Env;
use napi::bindgen_prelude::{Array, JsObjectValue, JsValue, Object, This, Uint8ArraySlice, Unknown};
use napi_derive::napi;
use netsim::ip::{self, Flow};
use netsim::link::Direction;
use netsim::live::LivePlace;
use netsim::quic::{self, Identifiers, Opening};
use netsim::trace::Recording;

use super::tls::{self, Fingerprint, Identity, Shown};
use super::{CLIENT, HeldEnd, SERVER, live_end_class};
use crate::arguments::{byte_array, stream_number, time, word_array};
use crate::error::{Result, internal, invalid, invalid_state, refused};
use crate::guarded::Guarded;
use crate::options::{RawQuicClient, RawQuicListener, integer, parse};

/// One end of an encrypted QUIC connection whose peer is on a real network. `index.d.ts` documents this class.
#[napi]
pub struct QuicConnection {
    end: HeldEnd,
    /// The fingerprint that the server has shown to this client; always empty on a server.
    shown: Shown,
}

#[napi]
impl QuicConnection {
    #[napi(constructor)]
    pub fn new(this: This<'_>, options: Unknown<'_>, key: Unknown<'_>) -> Result<Self> {
        if !this.has_named_property("pollTransmit").map_err(internal)? {
            return Err(invalid_state("QuicConnection is a class: call it with new"));
        }
        let options = parse::<RawQuicClient>(options, "options")?.read()?;
        let key = key_of(key)?;
        let [mut seed, mut secret] = [[0; 32]; 2];
        seed.copy_from_slice(&key[..32]);
        secret.copy_from_slice(&key[32..]);
        let (protection, shown) = tls::client(options.fingerprint, &secret)?;
        let address = |port| SocketAddrV4::new(Ipv4Addr::LOCALHOST, port);
        let flow = Flow { local: address(CLIENT_PORT), remote: address(SERVER_PORT) };
        let identifiers = Identifiers::from_seed(seed);
        let (mtu_bytes, options, recording) = (options.mtu_bytes, options.quic, options.recording);
        let opening = Opening { flow, mtu_bytes, options, identifiers, receive_bytes: None };
        let connection = quic::Connection::encrypted(opening, &protection);
        let place = LivePlace { flow, protocol: ip::UDP, direction: Direction::Up, endpoint: CLIENT, peer: SERVER };
        Ok(Self::over(connection, place, recording, shown))
    }

    fn over(connection: quic::Connection, place: LivePlace, recording: Recording, shown: Shown) -> Self {
        QuicConnection { end: HeldEnd::new("connection", connection, place, recording), shown }
    }

    /// Returns null until the server has shown its certificate.
    #[napi(getter)]
    pub fn shown_fingerprint(&self) -> Option<String> {
        self.shown.get().map(|fingerprint| to_hex(&fingerprint))
    }

    #[napi]
    pub fn handle_packet_from(&mut self, bytes: Unknown<'_>, now_ns: Unknown<'_>, address: Unknown<'_>) -> Result<()> {
        let address = integer(address, "address", 0.0, f64::from(u16::MAX))? as u16;
        self.end.handle_packet_from(bytes, now_ns, address)
    }

    #[napi]
    pub fn poll_transmit_to<'env>(&mut self, env: &'env Env, now_ns: Unknown<'_>) -> Result<Object<'env>> {
        self.end.poll_transmit_to(env, now_ns)
    }

    #[napi]
    pub fn change_address(&mut self, now_ns: Unknown<'_>) -> Result<bool> {
        self.end.change_address(now_ns)
    }

    #[napi]
    pub fn write_parts(&mut self, parts: Unknown<'_>, bytes: Unknown<'_>) -> Result<f64> {
        let (numbers, bytes) = (word_array(parts)?, byte_array(bytes)?);
        let parts = Parts::new(&numbers, &bytes)?;
        self.end.of(|transport| Ok(parts.write(transport)? as f64))
    }

    #[napi]
    pub fn read<'env>(&mut self, env: &'env Env, stream: Unknown<'_>) -> Result<Uint8ArraySlice<'env>> {
        let stream = stream_number(stream)?;
        let bytes = self.end.of(|transport| transport.read(stream).map_err(refused))?;
        Uint8ArraySlice::copy_from(env, bytes).map_err(internal)
    }

    #[napi]
    pub fn reset(&mut self, stream: Unknown<'_>, code: Unknown<'_>) -> Result<()> {
        let (stream, code) = (stream_number(stream)?, integer(code, "code", 0.0, f64::from(u32::MAX))? as u32);
        self.end.of(|transport| transport.reset(stream, code).map_err(refused))
    }
}

live_end_class!(QuicConnection);

/// Accepts connections that peers start. `index.d.ts` documents this class.
#[napi]
pub struct QuicListener {
    listener: Guarded<quic::Listener>,
    identity: Identity,
    recording: Recording,
}

#[napi]
impl QuicListener {
    #[napi(constructor)]
    pub fn new(this: This<'_>, options: Unknown<'_>, key: Unknown<'_>) -> Result<Self> {
        if !this.has_named_property("fingerprint").map_err(internal)? {
            return Err(invalid_state("QuicListener is a class: call it with new"));
        }
        let options = parse::<RawQuicListener>(options, "options")?.read()?;
        let key = key_of(key)?;
        let (protection, identity) = tls::server(options.names, &key)?;
        let listener = quic::Listener::new(options.quic, options.mtu_bytes, options.receive_bytes, protection, key)
            .map_err(invalid)?;
        Ok(QuicListener { listener: Guarded::new("listener", listener), identity, recording: options.recording })
    }

    #[napi(getter)]
    pub fn fingerprint(&self) -> String {
        to_hex(&self.identity.fingerprint())
    }

    #[napi(getter)]
    pub fn certificate<'env>(&self, env: &'env Env) -> Result<Uint8ArraySlice<'env>> {
        Uint8ArraySlice::copy_from(env, &self.identity.certificate).map_err(internal)
    }

    #[napi(getter)]
    pub fn private_key<'env>(&self, env: &'env Env) -> Result<Uint8ArraySlice<'env>> {
        Uint8ArraySlice::copy_from(env, &self.identity.private_key).map_err(internal)
    }

    #[napi]
    pub fn handle_packet<'env>(
        &mut self,
        env: &'env Env,
        from: String,
        bytes: Unknown<'_>,
        now_ns: Unknown<'_>,
        validates: bool,
    ) -> Result<Object<'env>> {
        let (bytes, now) = (byte_array(bytes)?, time(now_ns, "nowNs")?);
        let answer =
            self.listener.call(|listener| Ok(listener.handle_datagram(now, from.as_bytes(), &bytes, validates)))?;
        let mut object = Object::new(env).map_err(internal)?;
        match answer {
            quic::Answer::Nothing => {}
            quic::Answer::Send(packet) => {
                let bytes = Uint8ArraySlice::copy_from(env, packet).map_err(internal)?;
                object.set("send", bytes.to_unknown()).map_err(internal)?;
            }
            quic::Answer::Accept(accepted) => {
                let quic::Accepted { connection, flow, number } = *accepted;
                let place =
                    LivePlace { flow, protocol: ip::UDP, direction: Direction::Down, endpoint: SERVER, peer: CLIENT };
                let connection = QuicConnection::over(connection, place, self.recording, Shown::default());
                object.set("number", number).map_err(internal)?;
                object.set("connection", connection).map_err(internal)?;
            }
        }
        Ok(object)
    }
}

fn key_of(value: Unknown<'_>) -> Result<[u8; 64]> {
    <[u8; 64]>::try_from(&*byte_array(value)?).map_err(|_| invalid("invalid key (must be 64 bytes)"))
}

fn to_hex(fingerprint: &Fingerprint) -> String {
    fingerprint.iter().map(|byte| format!("{byte:02x}")).collect()
}

// Placeholders for the ports of the real sockets, which this end does not know.
const CLIENT_PORT: u16 = 49_152;
const SERVER_PORT: u16 = 443;
