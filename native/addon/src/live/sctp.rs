use std::net::{Ipv4Addr, SocketAddrV4};

use napi::Env;
use napi::bindgen_prelude::{Array, JsObjectValue, JsValue, Object, This, Uint8ArraySlice, Unknown};
use napi_derive::napi;
use netsim::ip::{self, Flow};
use netsim::link::Direction;
use netsim::live::LivePlace;
use netsim::sctp;
use netsim::trace::Recording;

use super::{CLIENT, HeldEnd, SERVER, live_end_class};
use crate::arguments::{byte_array, stream_number, time};
use crate::error::{Result, internal, invalid, invalid_state, refused};
use crate::guarded::Guarded;
use crate::options::{RawAssociation, RawListener, parse};

/// One end of an SCTP association whose peer is on a real network. `index.d.ts` documents this class.
#[napi]
pub struct Association {
    end: HeldEnd,
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
        Association { end: HeldEnd::new("association", association, place, recording) }
    }

    #[napi]
    pub fn send(&mut self, stream: Unknown<'_>, bytes: Unknown<'_>) -> Result<bool> {
        let (stream, bytes) = (stream_number(stream)?, byte_array(bytes)?);
        self.end.of(|transport| transport.send(stream, &bytes).map_err(refused))
    }

    #[napi]
    pub fn renew(&mut self, stream: Unknown<'_>) -> Result<()> {
        let stream = stream_number(stream)?;
        self.end.of(|transport| transport.renew(stream).map_err(refused))
    }

    #[napi]
    pub fn max_message_in_packet_bytes(&mut self) -> Result<f64> {
        self.end.of(|transport| Ok(transport.max_message_in_packet_bytes().map_err(refused)? as f64))
    }
}

live_end_class!(Association);

/// Accepts associations that peers start. `index.d.ts` documents this class.
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
