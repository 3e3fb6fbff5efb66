//! UDP (RFC 768): datagrams without ordering, retransmission or congestion control.

use std::collections::VecDeque;
use std::net::SocketAddrV4;

use etherparse::UdpHeader;

use crate::endpoint::{CloseReason, Endpoint, Event, Transmit};
use crate::ip::{self, Flow};
use crate::time::SimTime;
use crate::trace::{BlockedLog, DataChunk, DataChunks, PacketKind, Sample};
use crate::transport::{CallError, Ends, Place, Transport};

/// Size of the IPv4 and UDP headers, in bytes.
pub(crate) const HEADERS_BYTES: usize = ip::HEADER_BYTES + UdpHeader::LEN;

/// Puts a datagram in an IPv4 packet. `identification` counts the packets of the sender.
///
/// Panics if the packet would be larger than 65535 bytes.
pub(crate) fn packet(flow: &Flow, identification: u16, datagram: &[u8]) -> Vec<u8> {
    let (source, destination) = (flow.local.ip().octets(), flow.remote.ip().octets());
    let protocol = etherparse::IpNumber(ip::UDP);
    let around = etherparse::Ipv4Header { source, destination, protocol, ..Default::default() };
    let ports = (flow.local.port(), flow.remote.port());
    let Ok(header) = UdpHeader::with_ipv4_checksum(ports.0, ports.1, &around, datagram) else {
        unreachable!("datagram of {} bytes is too large for UDP", datagram.len());
    };
    let segment = [&header.to_bytes()[..], datagram].concat();
    ip::packet(flow, ip::UDP, identification, &segment)
}

/// Returns the datagram in an IPv4 packet that the remote end of `flow` sent to the local end. Returns `None` if the
/// packet is truncated, is a fragment, has other addresses or ports or another protocol, or has a wrong checksum.
pub(crate) fn parse<'a>(flow: &Flow, packet: &'a [u8]) -> Option<&'a [u8]> {
    let (header, segment) = ip::parse(flow, ip::UDP, packet)?;
    let (udp, _) = UdpHeader::from_slice(segment).ok()?;
    let segment = segment.get(..usize::from(udp.length))?;
    let ports_match = udp.source_port == flow.remote.port() && udp.destination_port == flow.local.port();
    // RFC 768: 0 means that the sender computed no checksum
    let intact = udp.checksum == 0 || ip::transport_checksum(&header, segment) == 0;
    if ports_match && intact { segment.get(UdpHeader::LEN..) } else { None }
}

/// Returns the address and port of the sender of an IPv4 packet with UDP. Returns `None` if a header is truncated or
/// invalid.
pub(crate) fn sender(packet: &[u8]) -> Option<SocketAddrV4> {
    let (header, segment) = etherparse::Ipv4Header::from_slice(packet).ok()?;
    let (udp, _) = UdpHeader::from_slice(segment).ok()?;
    Some(SocketAddrV4::new(header.source.into(), udp.source_port))
}

/// Opens both ends of a UDP flow.
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

/// Why a datagram was refused.
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

    /// Size in bytes of the largest datagram that fits in one packet.
    pub fn max_datagram_bytes(&self) -> usize {
        usize::from(self.mtu_bytes) - HEADERS_BYTES
    }

    /// Queues one datagram.
    ///
    /// # Errors
    /// The datagram does not fit in one packet, or the socket is closed.
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

    /// Refuses all further datagrams in both directions. Datagrams that are queued are still sent.
    pub fn close(&mut self) {
        if !self.closed {
            self.closed = true;
            self.events.push_back(Event::Closed(CloseReason::Finished));
        }
    }
}

impl Endpoint for UdpSocket {
    fn handle_packet(&mut self, _now: SimTime, packet: &[u8]) {
        if let Some(datagram) = parse(&self.flow, packet)
            && !self.closed
        {
            self.events.push_back(Event::Message { stream: 0, bytes: datagram.to_vec() });
        }
    }

    fn handle_timeout(&mut self, _now: SimTime) {}

    fn poll_timeout(&self) -> Option<SimTime> {
        None
    }

    fn poll_transmit(&mut self, _now: SimTime) -> Option<Transmit> {
        let datagram = self.outgoing.pop_front()?;
        let number = self.sent;
        self.sent += 1;
        Some(Transmit {
            packet: packet(&self.flow, number as u16, &datagram).into(),
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

/// A UDP flow has one message stream, number 0.
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
