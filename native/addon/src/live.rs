use std::net::{Ipv4Addr, SocketAddrV4};

use napi::Env;
use napi::bindgen_prelude::{Array, JsObjectValue, JsValue, Object, This, Uint8ArraySlice, Unknown};
use napi_derive::napi;
use netsim::ip::{self, Flow};
use netsim::link::Direction;
use netsim::live::{LiveEnd, LivePlace};
use netsim::sctp;
use netsim::sim::{AppEvent, EndpointId};
use netsim::trace::Recording;
use netsim::transport::Transport;

use crate::arguments::{byte_array, stream_number, time};
use crate::error::{Result, internal, invalid, invalid_state, refused};
use crate::guarded::Guarded;
use crate::options::{RawAssociation, RawListener, parse};
use crate::{columns, events};

/// One end of an association whose peer is elsewhere. `index.d.ts` documents it.
#[napi]
pub struct Association {
    end: Guarded<LiveEnd>,
}

#[napi]
impl Association {
    #[napi(constructor)]
    pub fn new(this: This<'_>, options: Unknown<'_>) -> Result<Self> {
        if !this.has_named_property("pollTransmit").map_err(internal)? {
            return Err(invalid_state("Association is a class: call it with new"));
        }
        let options = parse::<RawAssociation>(options, "options")?.read()?;
        let address = |port| SocketAddrV4::new(Ipv4Addr::LOCALHOST, port);
        let flow = Flow { local: address(options.port), remote: address(options.peer_port) };
        let setup = sctp::Setup { flow, mtu_bytes: options.mtu_bytes, seed: options.seed };
        let association = sctp::Association::new(setup, options.sctp);
        let place = LivePlace { flow, protocol: ip::SCTP, direction: Direction::Up, endpoint: CLIENT, peer: SERVER };
        Ok(Self::over(association, place, options.recording))
    }

    fn over(association: sctp::Association, place: LivePlace, recording: Recording) -> Self {
        Association { end: Guarded::new("association", LiveEnd::new(Box::new(association), place, recording)) }
    }

    #[napi]
    pub fn handle_packet(&mut self, bytes: Unknown<'_>, now_ns: Unknown<'_>) -> Result<()> {
        let (bytes, now) = (byte_array(bytes)?, time(now_ns, "nowNs")?);
        self.end.call(|end| {
            end.handle_packet(now, &bytes);
            Ok(())
        })
    }

    #[napi]
    pub fn handle_timeout(&mut self, now_ns: Unknown<'_>) -> Result<()> {
        let now = time(now_ns, "nowNs")?;
        self.end.call(|end| {
            end.handle_timeout(now);
            Ok(())
        })
    }

    #[napi]
    pub fn poll_transmit<'env>(&mut self, env: &'env Env, now_ns: Unknown<'_>) -> Result<Array<'env>> {
        let now = time(now_ns, "nowNs")?;
        let packets = self.end.call(|end| Ok(std::iter::from_fn(|| end.poll_transmit(now)).collect::<Vec<_>>()))?;
        let mut array = env.create_array(packets.len() as u32).map_err(internal)?;
        for (index, packet) in packets.into_iter().enumerate() {
            let bytes = Uint8ArraySlice::copy_from(env, packet).map_err(internal)?;
            array.set(index as u32, bytes.to_unknown()).map_err(internal)?;
        }
        Ok(array)
    }

    #[napi]
    pub fn poll_events<'env>(&mut self, env: &'env Env) -> Result<Array<'env>> {
        let events = self.end.call(|end| {
            let endpoint = EndpointId(end.number());
            Ok(std::iter::from_fn(|| end.poll_event()).map(|event| AppEvent { endpoint, event }).collect())
        })?;
        events::to_array(env, events).map_err(internal)
    }

    /// Infinity if there is none.
    #[napi(getter)]
    pub fn next_timeout_ns(&mut self) -> Result<f64> {
        self.end.call(|end| Ok(end.poll_timeout().map_or(f64::INFINITY, |at| at.as_ns() as f64)))
    }

    #[napi]
    pub fn connect(&mut self) -> Result<()> {
        self.of(|transport| transport.connect().map_err(refused))
    }

    #[napi]
    pub fn send(&mut self, stream: Unknown<'_>, bytes: Unknown<'_>) -> Result<bool> {
        let (stream, bytes) = (stream_number(stream)?, byte_array(bytes)?);
        self.of(|transport| transport.send(stream, &bytes).map_err(refused))
    }

    #[napi]
    pub fn renew(&mut self, stream: Unknown<'_>) -> Result<()> {
        let stream = stream_number(stream)?;
        self.of(|transport| transport.renew(stream).map_err(refused))
    }

    #[napi]
    pub fn buffered_bytes(&mut self) -> Result<f64> {
        self.of(|transport| Ok(transport.buffered_bytes() as f64))
    }

    #[napi]
    pub fn max_message_in_packet_bytes(&mut self) -> Result<f64> {
        self.of(|transport| Ok(transport.max_message_in_packet_bytes().map_err(refused)? as f64))
    }

    #[napi]
    pub fn close(&mut self) -> Result<()> {
        self.of(|transport| {
            transport.close();
            Ok(())
        })
    }

    #[napi]
    pub fn abort(&mut self) -> Result<()> {
        self.of(|transport| {
            transport.abort();
            Ok(())
        })
    }

    #[napi]
    pub fn packets<'env>(&mut self, env: &'env Env) -> Result<Object<'env>> {
        self.end.call(|end| columns::packets(env, end.trace()).map_err(internal))
    }

    #[napi]
    pub fn chunks<'env>(&mut self, env: &'env Env) -> Result<Object<'env>> {
        self.end.call(|end| columns::chunks(env, end.trace()).map_err(internal))
    }

    #[napi]
    pub fn samples<'env>(&mut self, env: &'env Env) -> Result<Object<'env>> {
        self.end.call(|end| columns::samples(env, end.trace()).map_err(internal))
    }

    #[napi]
    pub fn blocked<'env>(&mut self, env: &'env Env) -> Result<Object<'env>> {
        self.end.call(|end| columns::blocked(env, [(end.number(), end.endpoint().blocked())]).map_err(internal))
    }

    #[napi]
    pub fn free(&mut self) -> Result<()> {
        self.end.free()
    }

    fn of<T>(&mut self, call: impl FnOnce(&mut dyn Transport) -> Result<T>) -> Result<T> {
        self.end.call(|end| call(end.transport()))
    }
}

/// Where associations begin that peers ask for. `index.d.ts` documents it.
#[napi]
pub struct Listener {
    listener: Guarded<sctp::Listener>,
    recording: Recording,
}

#[napi]
impl Listener {
    #[napi(constructor)]
    pub fn new(this: This<'_>, options: Unknown<'_>, key: Unknown<'_>) -> Result<Self> {
        if !this.has_named_property("unsealed").map_err(internal)? {
            return Err(invalid_state("Listener is a class: call it with new"));
        }
        let options = parse::<RawListener>(options, "options")?.read()?;
        let key =
            sctp::CookieKey::try_from(&*byte_array(key)?).map_err(|_| invalid("invalid key (must be 64 bytes)"))?;
        let listener = sctp::Listener::new(options.sctp, options.mtu_bytes, options.port, key).map_err(invalid)?;
        Ok(Listener { listener: Guarded::new("listener", listener), recording: options.recording })
    }

    #[napi]
    pub fn handle_packet<'env>(
        &mut self,
        env: &'env Env,
        from: String,
        bytes: Unknown<'_>,
        now_ns: Unknown<'_>,
    ) -> Result<Object<'env>> {
        let (bytes, now) = (byte_array(bytes)?, time(now_ns, "nowNs")?);
        let answer = self.listener.call(|listener| Ok(listener.handle_packet(now, from.as_bytes(), &bytes)))?;
        let mut object = Object::new(env).map_err(internal)?;
        match answer {
            sctp::Answer::Nothing => {}
            sctp::Answer::Send(packet) => {
                let bytes = Uint8ArraySlice::copy_from(env, packet).map_err(internal)?;
                object.set("send", bytes.to_unknown()).map_err(internal)?;
            }
            sctp::Answer::Accept(accepted) => {
                let sctp::Accepted { association, flow } = *accepted;
                let place =
                    LivePlace { flow, protocol: ip::SCTP, direction: Direction::Down, endpoint: SERVER, peer: CLIENT };
                let accepted = Association::over(association, place, self.recording);
                object.set("association", accepted).map_err(internal)?;
            }
        }
        Ok(object)
    }

    #[napi]
    pub fn unsealed<'env>(
        &mut self,
        env: &'env Env,
        from: String,
        bytes: Unknown<'_>,
    ) -> Result<Option<Uint8ArraySlice<'env>>> {
        let bytes = byte_array(bytes)?;
        let packet = self.listener.call(|listener| Ok(listener.unsealed(from.as_bytes(), &bytes)))?;
        packet.map(|packet| Uint8ArraySlice::copy_from(env, packet).map_err(internal)).transpose()
    }
}

/// An association's ends in its traces.
const CLIENT: u32 = 0;
const SERVER: u32 = 1;
