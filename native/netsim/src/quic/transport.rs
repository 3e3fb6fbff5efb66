use bytes::Bytes;
use quinn_proto::Side;

use super::packet::MIN_MTU_BYTES;
use super::{Connection, Options, OptionsError};
use crate::ip::HTTPS_PORT;
use crate::random::random_stream;
use crate::transport::{CallError, Ends, Place, Transport};

/// Opens both ends of a QUIC connection. The server listens.
///
/// # Errors
/// An option is outside its limits, or the path's MTU is too small for QUIC.
pub fn open(place: Place, client: Options, server: Options) -> Result<Ends, OptionsError> {
    client.validate()?;
    server.validate()?;
    let Place { flow, mtu_bytes, seed, number } = place.at_port(HTTPS_PORT);
    if mtu_bytes < MIN_MTU_BYTES {
        return Err(OptionsError::Mtu { mtu_bytes });
    }
    let end = |side, name, flow, options| {
        let random = random_stream(seed, &format!("quic/{name}/{number}"));
        Box::new(Connection::new(side, flow, mtu_bytes, options, random))
    };
    Ok(Ends {
        client: end(Side::Client, "client", flow, client),
        server: end(Side::Server, "server", flow.reversed(), server),
    })
}

impl Transport for Connection {
    fn name(&self) -> &'static str {
        "QUIC"
    }

    fn connect(&mut self) -> Result<(), CallError> {
        Connection::connect(self)
    }

    fn write(&mut self, stream: u32, bytes: &[u8]) -> Result<usize, CallError> {
        Connection::write(self, stream, bytes)
    }

    fn read(&mut self, stream: u32) -> Result<Bytes, CallError> {
        Connection::read(self, stream)
    }

    fn finish(&mut self, stream: u32) -> Result<(), CallError> {
        Connection::finish(self, stream)
    }

    fn reset(&mut self, stream: u32, code: u32) -> Result<(), CallError> {
        Connection::reset(self, stream, code)
    }

    fn set_priority(&mut self, stream: u32, priority: i32) -> Result<(), CallError> {
        Connection::set_priority(self, stream, priority)
    }

    fn buffered_bytes(&self) -> u64 {
        Connection::buffered_bytes(self)
    }

    fn close(&mut self) {
        Connection::close(self);
    }

    fn abort(&mut self) {
        Connection::abort(self);
    }
}
