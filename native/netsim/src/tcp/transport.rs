use std::time::Duration;

use bytes::Bytes;
use rand_chacha::rand_core::Rng;

use super::{Connection, Error, Options};
use crate::ip::Flow;
use crate::random::random_stream;
use crate::transport::{CallError, Ends, Place, Transport};

/// Opens both ends of a TCP connection. The server listens.
///
/// # Errors
/// An option is outside its limits.
pub fn open(place: Place, client: Options, server: Options) -> Result<Ends, Error> {
    client.validate()?;
    server.validate()?;
    let Place { flow, mtu_bytes, seed, number } = place;
    let mut initial = random_stream(seed, &format!("tcp/{}", 2 * number));
    Ok(Ends {
        client: Box::new(Connection::client(flow, mtu_bytes, client, initial.next_u32())),
        server: Box::new(Connection::server(flow.reversed(), mtu_bytes, server, initial.next_u32())),
    })
}

/// Opens a client whose server is on a real network.
///
/// # Errors
/// An option is outside its limits.
pub fn open_client(flow: Flow, mtu_bytes: u16, seed: u64, options: Options) -> Result<Connection, Error> {
    options.validate()?;
    Ok(Connection::client(flow, mtu_bytes, options, initial_sequence(seed)))
}

/// Opens a server whose client is on a real network. It accepts the first SYN that it receives.
///
/// # Errors
/// An option is outside its limits.
pub fn open_server(flow: Flow, mtu_bytes: u16, seed: u64, options: Options) -> Result<Connection, Error> {
    options.validate()?;
    Ok(Connection::server(flow, mtu_bytes, options, initial_sequence(seed)))
}

/// Returns an initial sequence number, which is as hard to guess as the seed (RFC 9293 §3.4.1).
fn initial_sequence(seed: u64) -> u32 {
    random_stream(seed, "tcp/live").next_u32()
}

/// A TCP connection has one byte stream, number 0.
impl Transport for Connection {
    fn name(&self) -> &'static str {
        "TCP"
    }

    fn connect(&mut self) -> Result<(), CallError> {
        Connection::connect(self).map_err(CallError::state)
    }

    fn set_up_at_once(&mut self, rtt: Duration) -> Result<(), CallError> {
        Connection::set_up_at_once(self, rtt);
        Ok(())
    }

    fn write(&mut self, stream: u32, bytes: &[u8]) -> Result<usize, CallError> {
        self.only_stream(stream)?;
        Connection::write(self, bytes).map_err(CallError::state)
    }

    fn read(&mut self, stream: u32) -> Result<Bytes, CallError> {
        self.only_stream(stream)?;
        Ok(Connection::read(self))
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
