//! Access to transports by their own types, for Rust callers that know which transport they opened.

use std::any::Any;
use std::convert::Infallible;

use super::{EndpointId, OpenError, Simulation};
use crate::sctp::{Association, OverDtls};
use crate::tcp::Connection;
use crate::udp::UdpSocket;
use crate::{quic, sctp, tcp, udp};

impl Simulation {
    /// Opens both ends of a TCP connection. The server listens.
    ///
    /// # Errors
    /// An option is outside its limits.
    pub fn open_tcp(
        &mut self,
        client: tcp::Options,
        server: tcp::Options,
    ) -> Result<(EndpointId, EndpointId), tcp::Error> {
        self.open(|place| tcp::open(place, client, server))
    }

    /// Opens both ends of an SCTP association. [`crate::transport::Transport::connect`] on the client starts the
    /// handshake. Without DTLS, [`Association::connect`] also starts it.
    ///
    /// # Errors
    /// A setting is outside its limits.
    pub fn open_sctp(
        &mut self,
        client: sctp::Options,
        server: sctp::Options,
    ) -> Result<(EndpointId, EndpointId), sctp::OptionsError> {
        self.open(|place| sctp::open(place, client, server))
    }

    /// Opens both ends of a QUIC connection. The server listens.
    ///
    /// # Errors
    /// An option is outside its limits, or the path's MTU is too small.
    pub fn open_quic(
        &mut self,
        client: quic::Options,
        server: quic::Options,
    ) -> Result<(EndpointId, EndpointId), quic::OptionsError> {
        self.open(|place| quic::open(place, client, server))
    }

    /// Opens a UDP flow between client and server.
    pub fn open_udp(&mut self) -> (EndpointId, EndpointId) {
        let Ok(ends) = self.open(|place| Ok::<_, Infallible>(udp::open(place)));
        ends
    }

    /// # Errors
    /// There is no such endpoint, or the endpoint is not TCP.
    pub fn tcp(&mut self, id: EndpointId) -> Result<&mut Connection, OpenError> {
        self.typed(id, "TCP")
    }

    /// Returns an association, which may be inside of DTLS.
    ///
    /// # Errors
    /// There is no such endpoint, or the endpoint is not SCTP.
    pub fn sctp(&mut self, id: EndpointId) -> Result<&mut Association, OpenError> {
        let transport: &mut dyn Any = self.transport(id)?;
        match transport.is::<OverDtls>() {
            true => Ok(self.typed::<OverDtls>(id, "SCTP")?.association()),
            false => self.typed(id, "SCTP"),
        }
    }

    /// # Errors
    /// There is no such endpoint, or the endpoint is not QUIC.
    pub fn quic(&mut self, id: EndpointId) -> Result<&mut quic::Connection, OpenError> {
        self.typed(id, "QUIC")
    }

    /// # Errors
    /// There is no such endpoint, or the endpoint is not UDP.
    pub fn udp(&mut self, id: EndpointId) -> Result<&mut UdpSocket, OpenError> {
        self.typed(id, "UDP")
    }

    fn typed<T: Any>(&mut self, id: EndpointId, name: &'static str) -> Result<&mut T, OpenError> {
        let transport: &mut dyn Any = self.transport(id)?;
        transport.downcast_mut().ok_or(OpenError::WrongTransport(id.0, name))
    }
}
