//! The classes of ends whose peer is on a real network: SCTP and TCP in UDP, and QUIC.

use binding::columns::{blocked, chunks, packets, samples};
use napi::Env;
use napi::bindgen_prelude::{Array, JsValue, Object, Uint8ArraySlice, Unknown};
use netsim::live::{LiveEnd, LivePlace};
use netsim::sim::{AppEvent, EndpointId};
use netsim::time::SimTime;
use netsim::trace::Recording;
use netsim::transport::Transport;

use crate::arguments::{byte_array, time};
use crate::error::{Result, internal};
use crate::guarded::Guarded;
use crate::{columns, events};

mod quic;
mod sctp;
mod tcp;
mod tls;

/// One end and its calls. [`live_end_class`] defines the methods that all classes have, and they make these calls. Only
/// `QuicConnection` has methods for [`HeldEnd::handle_packet_from`], [`HeldEnd::poll_transmit_to`] and
/// [`HeldEnd::change_address`].
pub struct HeldEnd {
    end: Guarded<LiveEnd>,
}

impl HeldEnd {
    /// `name` is the name of this end in errors.
    pub fn new(
        name: &'static str,
        transport: impl Transport + 'static,
        place: LivePlace,
        recording: Recording,
    ) -> Self {
        HeldEnd { end: Guarded::new(name, LiveEnd::new(Box::new(transport), place, recording)) }
    }

    pub fn handle_packet(&mut self, bytes: Unknown<'_>, now_ns: Unknown<'_>) -> Result<()> {
        let (bytes, now) = (byte_array(bytes)?, time(now_ns, "nowNs")?);
        self.end.call(|end| {
            end.handle_packet(now, &bytes);
            Ok(())
        })
    }

    /// Handles a packet from the peer. `address` is the number of the address from which the peer sent the packet.
    pub fn handle_packet_from(&mut self, bytes: Unknown<'_>, now_ns: Unknown<'_>, address: u16) -> Result<()> {
        let (bytes, now) = (byte_array(bytes)?, time(now_ns, "nowNs")?);
        self.end.call(|end| {
            end.handle_packet_from(now, address, &bytes);
            Ok(())
        })
    }

    /// Tells a client's end that it has another address. Returns whether the connection continues there.
    pub fn change_address(&mut self, now_ns: Unknown<'_>) -> Result<bool> {
        let now = time(now_ns, "nowNs")?;
        self.end.call(|end| Ok(end.change_address(now)))
    }

    /// Returns the packets to send now, and for each the number of the peer's address.
    pub fn poll_transmit_to<'env>(&mut self, env: &'env Env, now_ns: Unknown<'_>) -> Result<Object<'env>> {
        let now = time(now_ns, "nowNs")?;
        let next = |end: &mut LiveEnd| end.poll_transmit(now).map(|packet| (packet, end.destination()));
        let sent = self.end.call(|end| Ok(std::iter::from_fn(|| next(end)).collect::<Vec<_>>()))?;
        let mut packets = env.create_array(sent.len() as u32).map_err(internal)?;
        let mut addresses = env.create_array(sent.len() as u32).map_err(internal)?;
        for (index, (packet, address)) in sent.into_iter().enumerate() {
            let bytes = Uint8ArraySlice::copy_from(env, packet).map_err(internal)?;
            packets.set(index as u32, bytes.to_unknown()).map_err(internal)?;
            addresses.set(index as u32, u32::from(address)).map_err(internal)?;
        }
        let mut object = Object::new(env).map_err(internal)?;
        object.set("packets", packets).map_err(internal)?;
        object.set("addresses", addresses).map_err(internal)?;
        Ok(object)
    }

    pub fn handle_timeout(&mut self, now_ns: Unknown<'_>) -> Result<()> {
        let now = time(now_ns, "nowNs")?;
        self.end.call(|end| {
            end.handle_timeout(now);
            Ok(())
        })
    }

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

    pub fn poll_events<'env>(&mut self, env: &'env Env) -> Result<Array<'env>> {
        let events = self.end.call(|end| {
            let endpoint = EndpointId(end.number());
            Ok(std::iter::from_fn(|| end.poll_event()).map(|event| AppEvent { endpoint, event }).collect())
        })?;
        events::to_array(env, events).map_err(internal)
    }

    /// Returns Infinity if no timer is set.
    pub fn next_timeout_ns(&mut self) -> Result<f64> {
        self.end.call(|end| Ok(end.poll_timeout().map_or(f64::INFINITY, |at| at.as_ns() as f64)))
    }

    pub fn packets<'env>(&mut self, env: &'env Env) -> Result<Object<'env>> {
        self.end.call(|end| columns::object(env, |columns| packets(columns, end.trace())).map_err(internal))
    }

    pub fn chunks<'env>(&mut self, env: &'env Env) -> Result<Object<'env>> {
        self.end.call(|end| columns::object(env, |columns| chunks(columns, end.trace())).map_err(internal))
    }

    pub fn samples<'env>(&mut self, env: &'env Env) -> Result<Object<'env>> {
        self.end.call(|end| columns::object(env, |columns| samples(columns, end.trace())).map_err(internal))
    }

    pub fn blocked<'env>(&mut self, env: &'env Env) -> Result<Object<'env>> {
        self.end.call(|end| {
            let logs = [(end.number(), end.endpoint().blocked())];
            columns::object(env, |columns| blocked(columns, SimTime::ZERO, logs)).map_err(internal)
        })
    }

    pub fn free(&mut self) -> Result<()> {
        self.end.free()
    }

    /// Makes a call of the application to the transport.
    pub fn of<T>(&mut self, call: impl FnOnce(&mut dyn Transport) -> Result<T>) -> Result<T> {
        self.end.call(|end| call(end.transport()))
    }
}

/// Defines the methods that every class has. The class must have a [`HeldEnd`] in its field `end`.
macro_rules! live_end_class {
    ($class:ident) => {
        #[napi_derive::napi]
        impl $class {
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
    };
}
use live_end_class;

// The numbers of both ends in the trace.
const CLIENT: u32 = 0;
const SERVER: u32 = 1;
