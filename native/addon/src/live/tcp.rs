use std::net::{Ipv4Addr, SocketAddrV4};

use napi::Env;
use napi::bindgen_prelude::{Array, JsObjectValue, Object, This, Uint8ArraySlice, Unknown};
use napi_derive::napi;
use netsim::ip::{self, Flow};
use netsim::link::Direction;
use netsim::live::LivePlace;
use netsim::tcp;

use super::{CLIENT, HeldEnd, SERVER, live_end_class};
use crate::arguments::byte_array;
use crate::error::{Result, internal, invalid, invalid_state, refused};
use crate::options::{RawTcpConnection, parse};

/// One end of a TCP connection whose peer is on a real network. `index.d.ts` documents this class.
#[napi]
pub struct TcpConnection {
    end: HeldEnd,
}

#[napi]
impl TcpConnection {
    #[napi(constructor)]
    pub fn new(this: This<'_>, options: Unknown<'_>) -> Result<Self> {
        if !this.has_named_property("pollTransmit").map_err(internal)? {
            return Err(invalid_state("TcpConnection is a class: call it with new"));
        }
        let options = parse::<RawTcpConnection>(options, "options")?.read()?;
        let address = |port| SocketAddrV4::new(Ipv4Addr::LOCALHOST, port);
        let flow = Flow { local: address(options.port), remote: address(options.peer_port) };
        let open = if options.is_server { tcp::open_server } else { tcp::open_client };
        let connection = open(flow, options.mtu_bytes, options.seed, options.tcp).map_err(invalid)?;
        let (direction, endpoint, peer) =
            if options.is_server { (Direction::Down, SERVER, CLIENT) } else { (Direction::Up, CLIENT, SERVER) };
        let place = LivePlace { flow, protocol: ip::TCP, direction, endpoint, peer };
        Ok(TcpConnection { end: HeldEnd::new("connection", connection, place, options.recording) })
    }

    #[napi]
    pub fn write(&mut self, bytes: Unknown<'_>) -> Result<f64> {
        let bytes = byte_array(bytes)?;
        self.end.of(|transport| Ok(transport.write(0, &bytes).map_err(refused)? as f64))
    }

    #[napi]
    pub fn read<'env>(&mut self, env: &'env Env) -> Result<Uint8ArraySlice<'env>> {
        let bytes = self.end.of(|transport| transport.read(0).map_err(refused))?;
        Uint8ArraySlice::copy_from(env, bytes).map_err(internal)
    }
}

live_end_class!(TcpConnection);
