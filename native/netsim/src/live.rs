//! One end of a transport whose peer is on a real network.

use std::collections::BTreeMap;
use std::net::SocketAddrV4;

use crate::endpoint::{Endpoint, Event};
use crate::ip::{self, Flow};
use crate::link::Direction;
use crate::packet::Ecn;
use crate::time::SimTime;
use crate::trace::{Offered, Recording, Trace};
use crate::transport::Transport;
use crate::udp;

/// One end of a transport, sans-IO. The caller's clock gives the time.
///
/// Packets go in and out without their IP header, so that the caller can carry them in UDP (RFC 6951 §4). Packets of a
/// transport that runs over UDP also go without their UDP header. The calls are those of [`Endpoint`]. The end keeps
/// its own trace.
pub struct LiveEnd {
    transport: Box<dyn Transport>,
    place: LivePlace,
    recording: Recording,
    trace: Trace,
    /// For each stream, one past the highest number of a chunk that has arrived (`DataChunk::first`). SCTP has one
    /// entry, with the key 0, because TSNs number the data of all streams together.
    arrived: BTreeMap<u32, u64>,
}

/// Identifies one end of a transport.
#[derive(Clone, Copy, Debug)]
pub struct LivePlace {
    /// The transport's flow, with the ports in the headers of its packets.
    pub flow: Flow,
    /// The transport's IP protocol number.
    pub protocol: u8,
    /// The direction in which this end sends.
    pub direction: Direction,
    /// The numbers of this end and of its peer in the trace.
    pub endpoint: u32,
    pub peer: u32,
}

impl LiveEnd {
    pub fn new(transport: Box<dyn Transport>, place: LivePlace, recording: Recording) -> Self {
        LiveEnd { transport, place, recording, trace: Trace::default(), arrived: BTreeMap::new() }
    }

    /// Handles a packet without its IP header. If the transport runs over UDP, the packet has no UDP header either. A
    /// packet that does not parse, or that is addressed to another end, is ignored.
    pub fn handle_packet(&mut self, now: SimTime, payload: &[u8]) {
        self.handle_packet_from(now, 0, payload);
    }

    /// Handles a packet like [`LiveEnd::handle_packet`]. The caller numbers the addresses from which the peer has sent;
    /// the first has the number 0.
    pub fn handle_packet_from(&mut self, now: SimTime, address: u16, payload: &[u8]) {
        if payload.len() > MOST_PAYLOAD_BYTES {
            return;
        }
        let LivePlace { flow, protocol, .. } = self.place;
        // the transport sees a made-up address for each number
        let host = u32::from(*flow.remote.ip()).wrapping_add(address.into());
        let received = Flow { remote: SocketAddrV4::new(host.into(), flow.remote.port()), ..flow }.reversed();
        let packet = match protocol {
            ip::UDP => udp::packet(&received, 0, payload),
            _ => ip::packet(&received, protocol, 0, payload),
        };
        self.transport.handle_packet(now, &packet);
        self.note_arrival(now, payload);
        self.note_sample(now);
    }

    /// Fires every timer whose deadline is at or before `now`.
    pub fn handle_timeout(&mut self, now: SimTime) {
        if self.transport.poll_timeout().is_some_and(|deadline| deadline <= now) {
            self.transport.handle_timeout(now);
            self.note_sample(now);
        }
    }

    /// Returns the next packet to send now, without its IP header. If the transport runs over UDP, the packet has no
    /// UDP header either.
    pub fn poll_transmit(&mut self, now: SimTime) -> Option<Vec<u8>> {
        let Some(transmit) = self.transport.poll_transmit(now) else {
            self.note_sample(now); // nothing more can be sent at this instant
            return None;
        };
        let packet = transmit.packet.into_wire();
        if self.recording.packets {
            let LivePlace { endpoint, direction, .. } = self.place;
            let (bytes, kind, cumulative_ack) = (packet.len() as u32, transmit.kind, transmit.cumulative_ack);
            let chunks = &transmit.chunks;
            // UDP sockets send without ECN
            let offered = Offered { endpoint, direction, bytes, ecn: Ecn::NotEct, kind, cumulative_ack, chunks };
            self.trace.packets.push(now, &offered);
        }
        Some(packet[self.header_bytes()..].to_vec())
    }

    /// The number of the peer's address to which the last packet of [`LiveEnd::poll_transmit`] goes.
    pub fn destination(&self) -> u16 {
        let first = u32::from(*self.place.flow.remote.ip());
        self.transport.destination().map_or(0, |host| u32::from(host).wrapping_sub(first) as u16)
    }

    /// Tells a client that it has another address. Returns false if its transport or its connection cannot change the
    /// address.
    pub fn change_address(&mut self, now: SimTime) -> bool {
        if !self.transport.can_change_address() {
            return false;
        }
        let host = u32::from(*self.place.flow.local.ip()).wrapping_add(1).into();
        self.transport.change_address(now, host);
        self.place.flow.local.set_ip(host);
        true
    }

    /// The earliest deadline of all timers; `None` if no timer is set.
    pub fn poll_timeout(&self) -> Option<SimTime> {
        self.transport.poll_timeout()
    }

    /// Returns the next event for the application.
    pub fn poll_event(&mut self) -> Option<Event> {
        self.transport.poll_event()
    }

    /// Returns the transport, so that the application can call it.
    pub fn transport(&mut self) -> &mut dyn Transport {
        &mut *self.transport
    }

    /// Returns the transport for reading.
    pub fn endpoint(&self) -> &dyn Endpoint {
        &*self.transport
    }

    pub fn number(&self) -> u32 {
        self.place.endpoint
    }

    /// The trace, as far as this end knows it. The time of sending of a packet that arrived is unknown, so the trace
    /// has its arrival time instead. The fate of a packet that this end sent is unknown. A chunk that arrived counts as
    /// a retransmission if a chunk with the same or a higher number arrived earlier. This rule is wrong if the path
    /// reorders packets. The rule also misses a retransmission that arrives before all chunks with the same or a higher
    /// number.
    pub fn trace(&self) -> &Trace {
        &self.trace
    }

    fn note_arrival(&mut self, now: SimTime, payload: &[u8]) {
        if !self.recording.packets {
            return;
        }
        let Some(arrival) = self.transport.arrival(payload) else { return };
        let mut chunks = arrival.chunks;
        for chunk in chunks.iter_mut() {
            // TSNs number the data of all streams together
            let numbering = if self.place.protocol == ip::SCTP { 0 } else { chunk.stream };
            let arrived = self.arrived.entry(numbering).or_default();
            chunk.retransmission = chunk.first < *arrived;
            *arrived = (*arrived).max(chunk.first.saturating_add(1));
        }
        let LivePlace { peer, direction, .. } = self.place;
        let bytes = (self.header_bytes() + payload.len()) as u32;
        let (kind, cumulative_ack) = (arrival.kind, arrival.cumulative_ack);
        let direction = direction.reversed();
        let ecn = Ecn::NotEct;
        let offered = Offered { endpoint: peer, direction, bytes, ecn, kind, cumulative_ack, chunks: &chunks };
        let row = self.trace.packets.push(now, &offered);
        self.trace.packets.delivered(row, now);
    }

    /// Size in bytes of the headers without which packets go in and out: IP, and UDP if the transport runs over UDP.
    fn header_bytes(&self) -> usize {
        if self.place.protocol == ip::UDP { udp::HEADERS_BYTES } else { ip::HEADER_BYTES }
    }

    fn note_sample(&mut self, now: SimTime) {
        if self.recording.samples
            && let Some(sample) = self.transport.sample()
        {
            self.trace.samples.push(now, self.place.endpoint, sample, self.transport.timeouts());
        }
    }
}

/// Size in bytes of the largest payload of an IPv4 packet that also has a UDP header.
const MOST_PAYLOAD_BYTES: usize = u16::MAX as usize - udp::HEADERS_BYTES;

#[cfg(test)]
#[path = "live_test.rs"]
mod tests;

#[cfg(test)]
#[path = "live_tcp_test.rs"]
mod tcp_tests;
