//! One end of a connection, on a UDP socket.

use std::io::ErrorKind;
use std::net::{Ipv4Addr, SocketAddr, UdpSocket};
use std::sync::Arc;
use std::sync::mpsc::Receiver;
use std::time::{Duration, Instant};

use bytes::{Bytes, BytesMut};
use quinn_proto::{
    AckFrequencyConfig, ClientConfig, Connection, ConnectionHandle, DatagramEvent, Endpoint, EndpointConfig, Event,
    ServerConfig, Side, StreamEvent, TransportConfig, VarInt,
};

use crate::Failure;
use crate::lines::{Request, requests};
use crate::streams::Streams;
use crate::tls;

pub struct Peer {
    socket: UdpSocket,
    endpoint: Endpoint,
    connection: Option<(ConnectionHandle, Connection)>,
    streams: Streams,
    requests: Receiver<Request>,
    /// The number of datagrams sent and received, including those that were dropped.
    seen: [u64; 2],
    /// Every datagram whose number is a multiple of this is dropped. If it is 0, none is dropped.
    drop_each: u64,
    start: Instant,
}

impl Peer {
    pub fn new(words: &[String]) -> Result<Peer, Failure> {
        let socket = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0))?;
        println!("port {}", socket.local_addr()?.port());
        let config = Arc::new(EndpointConfig::default());
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let (side, endpoint, connection, drop_each) = match words[..] {
            ["client", certificate, port, drop_each] => {
                let mut client = ClientConfig::new(Arc::new(tls::client(certificate)?));
                client.transport_config(Arc::new(transport()));
                let mut endpoint = Endpoint::new(config, None, false, None);
                let to = SocketAddr::from((Ipv4Addr::LOCALHOST, port.parse()?));
                let connection = endpoint.connect(Instant::now(), client, to, "localhost")?;
                (Side::Client, endpoint, Some(connection), drop_each)
            }
            ["server", certificate, key, drop_each] => {
                let mut server = ServerConfig::with_crypto(Arc::new(tls::server(certificate, key)?));
                server.transport_config(Arc::new(transport()));
                (Side::Server, Endpoint::new(config, Some(Arc::new(server)), false, None), None, drop_each)
            }
            _ => return Err(format!("invalid arguments: {words:?}").into()),
        };
        Ok(Peer {
            socket,
            endpoint,
            connection,
            streams: Streams::new(side),
            requests: requests(),
            seen: [0; 2],
            drop_each: drop_each.parse()?,
            start: Instant::now(),
        })
    }

    pub fn run(mut self) -> Result<(), Failure> {
        let mut buffer = [0; 65_536];
        loop {
            if self.start.elapsed() > TIME_LIMIT {
                return Err(format!("not done after {} s", TIME_LIMIT.as_secs()).into());
            }
            self.take_requests();
            if self.advance()? {
                return Ok(());
            }
            self.socket.set_read_timeout(Some(TICK))?;
            match self.socket.recv_from(&mut buffer) {
                Ok((bytes, from)) => self.take_datagram(&buffer[..bytes], from)?,
                Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {}
                // the peer has closed its socket
                Err(error) if error.kind() == ErrorKind::ConnectionRefused => {}
                Err(error) => return Err(error.into()),
            }
        }
    }

    fn take_requests(&mut self) {
        while let Ok(request) = self.requests.try_recv() {
            match request {
                Request::Write { stream, bytes } => self.streams.write(stream, bytes),
                Request::Finish { stream } => self.streams.finish(stream),
                Request::Close => {
                    if let Some((_, connection)) = &mut self.connection {
                        connection.close(Instant::now(), NO_ERROR, Bytes::new());
                    }
                }
            }
        }
    }

    fn take_datagram(&mut self, datagram: &[u8], from: SocketAddr) -> Result<(), Failure> {
        if self.is_lost(1) {
            return Ok(());
        }
        let (now, mut response) = (Instant::now(), Vec::new());
        match self.endpoint.handle(now, from, None, None, BytesMut::from(datagram), &mut response) {
            Some(DatagramEvent::ConnectionEvent(_, event)) => {
                if let Some((_, connection)) = &mut self.connection {
                    connection.handle_event(event);
                }
            }
            Some(DatagramEvent::NewConnection(incoming)) if self.connection.is_none() => {
                let accepted = self.endpoint.accept(incoming, now, &mut response, None);
                self.connection = Some(accepted.map_err(|error| error.cause)?);
            }
            Some(DatagramEvent::NewConnection(incoming)) => self.endpoint.ignore(incoming),
            Some(DatagramEvent::Response(_)) | None => {}
        }
        Ok(())
    }

    /// Handles expired timers and events, and sends datagrams. Returns whether the connection has ended.
    fn advance(&mut self) -> Result<bool, Failure> {
        let Some((handle, connection)) = &mut self.connection else { return Ok(false) };
        let now = Instant::now();
        if connection.poll_timeout().is_some_and(|deadline| deadline <= now) {
            connection.handle_timeout(now);
        }
        while let Some(event) = connection.poll_endpoint_events() {
            if let Some(event) = self.endpoint.handle_event(*handle, event) {
                connection.handle_event(event);
            }
        }
        let mut is_over = false;
        while let Some(event) = connection.poll() {
            match event {
                Event::Connected => println!("connected"),
                Event::ConnectionLost { reason } => {
                    println!("closed {reason}");
                    is_over = true;
                }
                Event::Stream(StreamEvent::Opened { dir }) => {
                    while let Some(id) = connection.streams().accept(dir) {
                        self.streams.receive(connection, id);
                    }
                }
                Event::Stream(StreamEvent::Readable { id }) => self.streams.receive(connection, id),
                _ => {}
            }
        }
        if !connection.is_closed() && !connection.is_handshaking() {
            self.streams.flush(connection);
        }
        let is_closed = connection.is_closed();
        self.transmit()?;
        if is_closed && !is_over {
            println!("closed by us");
        }
        Ok(is_over || is_closed)
    }

    fn transmit(&mut self) -> Result<(), Failure> {
        loop {
            let Some((_, connection)) = &mut self.connection else { return Ok(()) };
            let mut bytes = Vec::new();
            let Some(transmit) = connection.poll_transmit(Instant::now(), 1, &mut bytes) else { return Ok(()) };
            if !self.is_lost(0) {
                self.socket.send_to(&bytes, transmit.destination)?;
            }
        }
    }

    /// Counts a datagram (direction 0: sent, 1: received), and returns whether it is dropped.
    fn is_lost(&mut self, direction: usize) -> bool {
        self.seen[direction] += 1;
        self.drop_each > 0 && self.seen[direction].is_multiple_of(self.drop_each)
    }
}

/// There is no search for a larger MTU. As in netsim, this end asks the peer to acknowledge immediately every second
/// packet and each packet that is out of order. Only a peer that supports the ACK frequency extension gets this request
/// (draft-ietf-quic-ack-frequency-04).
fn transport() -> TransportConfig {
    let mut ack_frequency = AckFrequencyConfig::default();
    ack_frequency.ack_eliciting_threshold(VarInt::from_u32(1)).reordering_threshold(VarInt::from_u32(1));
    let mut transport = TransportConfig::default();
    transport.mtu_discovery_config(None).ack_frequency_config(Some(ack_frequency));
    transport
}

/// H3_NO_ERROR (RFC 9114 §8.1).
const NO_ERROR: VarInt = VarInt::from_u32(0x100);
const TIME_LIMIT: Duration = Duration::from_secs(100);
/// The longest wait for a datagram before standard input and the timers are checked again.
const TICK: Duration = Duration::from_millis(1);
