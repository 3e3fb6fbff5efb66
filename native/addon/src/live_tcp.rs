use std::net::{Ipv4Addr, SocketAddrV4};

use napi::Env;
use napi::bindgen_prelude::{Array, JsObjectValue, Object, This, Uint8ArraySlice, Unknown};
use napi_derive::napi;
use netsim::ip::{self, Flow};
use netsim::link::Direction;
use netsim::live::LivePlace;
use netsim::tcp;

use crate::arguments::byte_array;
use crate::error::{Result, internal, invalid, invalid_state, refused};
use crate::live_end::{CLIENT, HeldEnd, SERVER};
use crate::options::{RawTcpConnection, parse};

/// One end of a TCP connection whose peer is elsewhere. `index.d.ts` documents it.
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
    pub fn handle_packet(&mut self, bytes: Unknown<'_>, now_ns: Unknown<'_>) -> Result<()> {
        self.end.handle_packet(bytes, now_ns)
    }

    #[napi]
    pub fn handle_timeout(&mut self, now_ns: Unknown<'_>) -> Result<()> {
        self.end.handle_timeout(now_ns)
    }

    #[napi]
    pub fn poll_transmit<'env>(&mut self, env: &'env Env, now_ns: Unknown<'_>) -> Result<Array<'env>> {
        self.end.poll_transmit(env, now_ns)
    }

    #[napi]
    pub fn poll_events<'env>(&mut self, env: &'env Env) -> Result<Array<'env>> {
        self.end.poll_events(env)
    }

    #[napi(getter)]
    pub fn next_timeout_ns(&mut self) -> Result<f64> {
        self.end.next_timeout_ns()
    }

    #[napi]
    pub fn connect(&mut self) -> Result<()> {
        self.end.of(|transport| transport.connect().map_err(refused))
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

    #[napi]
    pub fn buffered_bytes(&mut self) -> Result<f64> {
        self.end.of(|transport| Ok(transport.buffered_bytes() as f64))
    }

    #[napi]
    pub fn close(&mut self) -> Result<()> {
        self.end.of(|transport| {
            transport.close();
            Ok(())
        })
    }

    #[napi]
    pub fn abort(&mut self) -> Result<()> {
        self.end.of(|transport| {
            transport.abort();
            Ok(())
        })
    }

    #[napi]
    pub fn packets<'env>(&mut self, env: &'env Env) -> Result<Object<'env>> {
        self.end.packets(env)
    }

    #[napi]
    pub fn chunks<'env>(&mut self, env: &'env Env) -> Result<Object<'env>> {
        self.end.chunks(env)
    }

    #[napi]
    pub fn samples<'env>(&mut self, env: &'env Env) -> Result<Object<'env>> {
        self.end.samples(env)
    }

    #[napi]
    pub fn blocked<'env>(&mut self, env: &'env Env) -> Result<Object<'env>> {
        self.end.blocked(env)
    }

    #[napi]
    pub fn free(&mut self) -> Result<()> {
        self.end.free()
    }
}
