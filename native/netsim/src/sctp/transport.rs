use std::time::Duration;

use rand_chacha::rand_core::Rng;

use super::{Association, Options, OptionsError, OverDtls, SendError, Setup};
use crate::ip;
use crate::random::random_stream;
use crate::transport::{CallError, Ends, Place, Transport};

/// Opens both ends of an association. The client's option `dtls` decides for both ends. [`Transport::connect`] on the
/// client starts the handshake.
///
/// # Errors
/// A setting is outside its limits.
pub fn open(place: Place, client: Options, server: Options) -> Result<Ends, OptionsError> {
    client.validate()?;
    server.validate()?;
    let server = Options { dtls: client.dtls, ..server };
    let place = if client.dtls { place.at_port(ip::HTTPS_PORT) } else { place };
    let Place { flow, mtu_bytes, seed, number } = place;
    let end = |name, flow, options: Options| -> Box<dyn Transport> {
        let name = if number == 0 { format!("tags/{name}") } else { format!("tags/{name}/{number}") };
        let seed = random_stream(seed, &name).next_u64();
        let setup = Setup { flow, mtu_bytes, seed };
        match options.dtls {
            true => Box::new(OverDtls::new(name.starts_with("tags/client"), setup, options)),
            false => Box::new(Association::new(setup, options)),
        }
    };
    Ok(Ends { client: end("client", flow, client), server: end("server", flow.reversed(), server) })
}

impl Transport for Association {
    fn name(&self) -> &'static str {
        "SCTP"
    }

    fn connect(&mut self) -> Result<(), CallError> {
        Association::connect(self);
        Ok(())
    }

    fn set_up_at_once(&mut self, rtt: Duration) -> Result<(), CallError> {
        Association::set_up_at_once(self, rtt);
        Ok(())
    }

    fn send(&mut self, stream: u32, message: &[u8]) -> Result<bool, CallError> {
        match Association::send(self, stream, message) {
            Ok(()) => Ok(true),
            Err(SendError::BufferFull { .. }) => Ok(false),
            Err(error @ (SendError::NotConnected | SendError::Closing)) => Err(CallError::state(error)),
            Err(error) => Err(CallError::argument(error)),
        }
    }

    fn renew(&mut self, stream: u32) -> Result<(), CallError> {
        Association::renew(self, stream).map_err(|error| match error {
            SendError::NotConnected | SendError::Closing => CallError::state(error),
            _ => CallError::argument(error),
        })
    }

    fn max_message_in_packet_bytes(&self) -> Result<usize, CallError> {
        Ok(Association::max_message_in_packet_bytes(self))
    }

    fn buffered_bytes(&self) -> u64 {
        Association::buffered_bytes(self)
    }

    fn close(&mut self) {
        self.shutdown();
    }

    fn abort(&mut self) {
        Association::abort(self);
    }
}
