use super::FlowPacket;
use crate::ip::Flow as Addresses;
use crate::link::Direction;
use crate::packet::{Packet, TypedPacket};
use crate::time::SimTime;
use crate::udp;

/// Sends datagrams of one size at regular intervals. Nobody answers them.
#[derive(Debug)]
pub struct ConstantRate {
    addresses: Addresses,
    direction: Direction,
    rate_bps: u64,
    packet_bytes: u16,
    /// The time of the first packet; `None` before the start and after the end.
    start: Option<SimTime>,
    /// How many packets were sent.
    sent: u64,
}

impl ConstantRate {
    /// `addresses` is the flow from the view of the client.
    pub fn new(addresses: Addresses, direction: Direction, rate_bps: u64, packet_bytes: u16) -> Self {
        let addresses = match direction {
            Direction::Up => addresses,
            Direction::Down => addresses.reversed(),
        };
        ConstantRate { addresses, direction, rate_bps, packet_bytes, start: None, sent: 0 }
    }

    pub fn start(&mut self, at: SimTime) {
        self.start = Some(at);
    }

    pub fn end(&mut self) {
        self.start = None;
    }

    /// The time of the next packet. It is computed from the time of the first packet, so that rounding errors do not
    /// add up.
    pub fn poll_timeout(&self) -> Option<SimTime> {
        let bit_ns = u128::from(self.sent) * u128::from(self.packet_bytes) * 8_000_000_000;
        let since_ns = u64::try_from(bit_ns / u128::from(self.rate_bps)).unwrap_or(u64::MAX);
        Some(self.start? + std::time::Duration::from_nanos(since_ns))
    }

    pub fn poll_transmit(&mut self, now: SimTime) -> Option<FlowPacket> {
        self.poll_timeout().filter(|at| *at <= now)?;
        let packet = Filler { addresses: self.addresses, number: self.sent, bytes: self.packet_bytes };
        self.sent += 1;
        Some(FlowPacket { direction: self.direction, has_data: true, packet: Packet::Typed(Box::new(packet)) })
    }
}

/// A datagram of zeros.
#[derive(Debug)]
struct Filler {
    addresses: Addresses,
    number: u64,
    bytes: u16,
}

impl TypedPacket for Filler {
    fn wire_bytes(&self) -> usize {
        usize::from(self.bytes)
    }

    fn to_wire(&self) -> Vec<u8> {
        let zeros = vec![0; usize::from(self.bytes) - udp::HEADERS_BYTES];
        udp::packet(&self.addresses, self.number as u16, &zeros)
    }
}
