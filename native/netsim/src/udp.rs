//! Bare datagrams (RFC 768) over the path: no order, no repair, no congestion control.

use std::collections::VecDeque;

use etherparse::UdpHeader;

use crate::endpoint::{CloseReason, Endpoint, Event, Transmit};
use crate::ip::{self, Flow};
use crate::time::SimTime;
use crate::trace::{BlockedLog, DataChunk, DataChunks, PacketKind, Sample};
use crate::transport::{CallError, Ends, Place, Transport};

/// Opens a flow between client and server.
pub fn open(Place { flow, mtu_bytes, .. }: Place) -> Ends {
    let end = |flow| Box::new(UdpSocket::new(flow, mtu_bytes));
    Ends { client: end(flow), server: end(flow.reversed()) }
}

/// One end of a UDP flow.
#[derive(Debug)]
pub struct UdpSocket {
    flow: Flow,
    mtu_bytes: u16,
    sent: u64,
    outgoing: VecDeque<Vec<u8>>,
    events: VecDeque<Event>,
    closed: bool,
    blocked: BlockedLog,
}

/// Why a datagram was not taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SendError {
    #[error("datagram too large: {bytes} bytes (at most {limit} in one packet)")]
    TooLarge { bytes: usize, limit: usize },
    #[error("the socket is closed")]
    Closed,
}

impl UdpSocket {
    pub fn new(flow: Flow, mtu_bytes: u16) -> Self {
        UdpSocket {
            flow,
            mtu_bytes,
            sent: 0,
            outgoing: VecDeque::new(),
            events: VecDeque::new(),
            closed: false,
            blocked: BlockedLog::default(),
        }
    }

    /// The largest datagram that fits one packet, bytes.
    pub fn max_datagram_bytes(&self) -> usize {
        usize::from(self.mtu_bytes) - ip::HEADER_BYTES - UdpHeader::LEN
    }

    /// Queues one datagram.
    ///
    /// # Errors
    /// It does not fit one packet, or the socket is closed.
    pub fn send(&mut self, datagram: &[u8]) -> Result<(), SendError> {
        let limit = self.max_datagram_bytes();
        if self.closed {
            return Err(SendError::Closed);
        }
        if datagram.len() > limit {
            return Err(SendError::TooLarge { bytes: datagram.len(), limit });
        }
        self.outgoing.push_back(datagram.to_vec());
        Ok(())
    }

    /// Takes no more datagrams, in or out.
    pub fn close(&mut self) {
        if !self.closed {
            self.closed = true;
            self.events.push_back(Event::Closed(CloseReason::Finished));
        }
    }
}

impl Endpoint for UdpSocket {
    fn handle_packet(&mut self, _now: SimTime, packet: &[u8]) {
        let Some((header, segment)) = ip::parse(&self.flow, ip::UDP, packet) else { return };
        let Ok((udp, datagram)) = UdpHeader::from_slice(segment) else { return };
        let ports_match = udp.source_port == self.flow.remote.port() && udp.destination_port == self.flow.local.port();
        let Some(datagram) = datagram.get(..usize::from(udp.length).saturating_sub(UdpHeader::LEN)) else { return };
        // RFC 768: 0 means that the sender made none
        let intact = udp.checksum == 0 || ip::transport_checksum(&header, &segment[..usize::from(udp.length)]) == 0;
        if ports_match && intact && !self.closed {
            self.events.push_back(Event::Message { stream: 0, bytes: datagram.to_vec() });
        }
    }

    fn handle_timeout(&mut self, _now: SimTime) {}

    fn poll_timeout(&self) -> Option<SimTime> {
        None
    }

    fn poll_transmit(&mut self, _now: SimTime) -> Option<Transmit> {
        let datagram = self.outgoing.pop_front()?;
        let (source, destination) = (self.flow.local.ip().octets(), self.flow.remote.ip().octets());
        let (local, remote) = (self.flow.local.port(), self.flow.remote.port());
        let header = UdpHeader::with_ipv4_checksum(
            local,
            remote,
            &etherparse::Ipv4Header {
                source,
                destination,
                protocol: etherparse::IpNumber(ip::UDP),
                ..Default::default()
            },
            &datagram,
        )
        .ok()?;
        let mut segment = header.to_bytes().to_vec();
        segment.extend_from_slice(&datagram);
        let number = self.sent;
        self.sent += 1;
        Some(Transmit {
            packet: ip::packet(&self.flow, ip::UDP, number as u16, &segment).into(),
            kind: PacketKind::Data,
            cumulative_ack: None,
            chunks: DataChunks::from(DataChunk {
                first: number,
                bytes: datagram.len() as u32,
                stream: 0,
                message: number as u32,
                retransmission: false,
            }),
        })
    }

    fn poll_event(&mut self) -> Option<Event> {
        self.events.pop_front()
    }

    fn sample(&self) -> Option<Sample> {
        None
    }

    fn blocked(&self) -> &BlockedLog {
        &self.blocked
    }
}

/// A flow has one stream of messages, 0.
impl Transport for UdpSocket {
    fn name(&self) -> &'static str {
        "UDP"
    }

    fn send(&mut self, stream: u32, message: &[u8]) -> Result<bool, CallError> {
        self.only_stream(stream)?;
        match UdpSocket::send(self, message) {
            Ok(()) => Ok(true),
            Err(error @ SendError::Closed) => Err(CallError::state(error)),
            Err(error @ SendError::TooLarge { .. }) => Err(CallError::argument(error)),
        }
    }

    fn max_message_in_packet_bytes(&self) -> Result<usize, CallError> {
        Ok(self.max_datagram_bytes())
    }

    fn buffered_bytes(&self) -> u64 {
        0
    }

    fn close(&mut self) {
        UdpSocket::close(self);
    }

    fn abort(&mut self) {
        UdpSocket::close(self);
    }
}
