//! Other traffic of a path: flows that share its queues with page loads. A flow has both of its ends here, because no
//! application outside of netsim uses it.

mod bulk;
mod constant_rate;

use std::net::{Ipv4Addr, SocketAddrV4};
use std::time::Duration;

use bulk::Bulk;
use constant_rate::ConstantRate;
use rand_chacha::rand_core::Rng;

use crate::ip::Flow as Addresses;
use crate::link::{Direction, Header, LinkError, Sharer};
use crate::packet::{Ecn, Packet};
use crate::random::random_stream;
use crate::tcp;
use crate::time::SimTime;

/// The settings of one flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FlowOptions {
    pub kind: FlowKind,
    /// The direction of the flow's data.
    pub direction: Direction,
    /// The flow starts up to [`START_SPREAD`] after this time. The seed decides by how much, so that flows with equal
    /// settings do not send in lockstep.
    pub start: SimTime,
    /// From this time on, the flow writes no new data. A TCP flow still sends what it has written before. `None` if the
    /// flow never ends.
    pub end: Option<SimTime>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FlowKind {
    /// A TCP connection whose sender always has more to send. It starts with its handshake and with slow start.
    Tcp { profile: tcp::Profile },
    /// UDP datagrams at regular intervals, without any congestion control.
    ConstantRate {
        /// Rate in bits per second: at least 1, and at most a million packets per second. All bytes of the IP packets
        /// count.
        rate_bps: u64,
        /// Size of each IP packet in bytes, from 28 to the path's MTU.
        packet_bytes: u16,
    },
}

/// The error for a setting that is outside its limits.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("invalid {name}: {value} (must be {limit})")]
pub struct FlowError {
    pub name: &'static str,
    pub value: u64,
    pub limit: String,
}

/// Why other traffic was refused.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum TrafficError {
    #[error(transparent)]
    Flow(#[from] FlowError),
    #[error(transparent)]
    Link(#[from] LinkError),
}

/// A flow of other traffic with both of its ends, sans-IO.
///
/// After each `handle_*`, drain [`Flow::poll_transmit`], then ask [`Flow::poll_timeout`] when to call
/// [`Flow::handle_timeout`].
#[derive(Debug)]
pub struct Flow {
    /// When the flow will start; `None` once it has started.
    starts: Option<SimTime>,
    /// When the flow will end; `None` once it has ended, or if it never ends.
    ends: Option<SimTime>,
    source: Source,
}

#[derive(Debug)]
enum Source {
    Bulk(Box<Bulk>),
    ConstantRate(ConstantRate),
}

/// A packet of a flow that goes on the path.
#[derive(Debug)]
pub struct FlowPacket {
    pub direction: Direction,
    pub has_data: bool,
    pub packet: Packet,
}

impl Flow {
    /// `number` is the flow's number on its path, `seed` the seed of the run.
    ///
    /// # Errors
    /// A setting is outside its limits.
    pub fn new(seed: u64, number: u16, mtu_bytes: u16, options: FlowOptions) -> Result<Self, FlowError> {
        let mut random = random_stream(seed, &format!("traffic/{number}"));
        let spread_ns = START_SPREAD.as_nanos() as u64;
        let start = options.start + Duration::from_nanos(random.next_u64() % spread_ns);
        let addresses = Addresses {
            local: SocketAddrV4::new(Ipv4Addr::new(10, 0, 0, 3), FIRST_PORT.wrapping_add(number)),
            remote: SocketAddrV4::new(Ipv4Addr::new(10, 0, 0, 4), DISCARD_PORT),
        };
        let direction = options.direction;
        let source = match options.kind {
            FlowKind::Tcp { profile } => {
                let sequences = [random.next_u32(), random.next_u32()];
                Source::Bulk(Box::new(Bulk::new(addresses, mtu_bytes, profile, direction, sequences)))
            }
            FlowKind::ConstantRate { rate_bps, packet_bytes } => {
                check_rate(rate_bps, packet_bytes, mtu_bytes)?;
                Source::ConstantRate(ConstantRate::new(addresses, direction, rate_bps, packet_bytes))
            }
        };
        Ok(Flow { starts: Some(start), ends: options.end, source })
    }

    /// Handles a packet that has arrived at the end to which `direction` leads.
    pub fn handle_packet(&mut self, now: SimTime, direction: Direction, packet: Packet) {
        match &mut self.source {
            Source::Bulk(bulk) => bulk.handle_packet(now, direction, packet),
            Source::ConstantRate(_) => {} // the receiver discards it
        }
    }

    /// Starts or ends the flow if its time has come, and fires every timer whose deadline is at or before `now`.
    pub fn handle_timeout(&mut self, now: SimTime) {
        let is_due = |at: &mut SimTime| *at <= now;
        let (has_started, has_ended) = (self.starts.take_if(is_due), self.ends.take_if(is_due).is_some());
        if has_ended {
            self.starts = None;
        }
        match &mut self.source {
            Source::Bulk(bulk) => {
                if has_started.is_some() && !has_ended {
                    bulk.start();
                }
                if has_ended {
                    bulk.end();
                }
                bulk.handle_timeout(now);
            }
            Source::ConstantRate(source) => {
                if let Some(start) = has_started.filter(|_| !has_ended) {
                    source.start(start);
                }
                if has_ended {
                    source.end();
                }
            }
        }
    }

    /// The earliest time at which the flow has something to do; `None` if there is no such time.
    pub fn poll_timeout(&self) -> Option<SimTime> {
        let source = match &self.source {
            Source::Bulk(bulk) => bulk.poll_timeout(),
            Source::ConstantRate(source) => source.poll_timeout(),
        };
        [self.starts, self.ends, source].into_iter().flatten().min()
    }

    /// Returns the next packet to send now.
    pub fn poll_transmit(&mut self, now: SimTime) -> Option<FlowPacket> {
        match &mut self.source {
            Source::Bulk(bulk) => bulk.poll_transmit(now),
            Source::ConstantRate(source) => source.poll_transmit(now),
        }
    }
}

/// Returns what a link reads of a packet. `number` is the number of the packet's flow.
pub fn flow_header(number: u16, has_data: bool, bytes: usize) -> Header {
    let flow = FIRST_FLOW + u32::from(number);
    Header { bytes, has_data, sharer: Sharer::Flow(number), flow, ecn: Ecn::NotEct }
}

fn check_rate(rate_bps: u64, packet_bytes: u16, mtu_bytes: u16) -> Result<(), FlowError> {
    let refuse = |name, value, limit| Err(FlowError { name, value, limit });
    if packet_bytes < LEAST_PACKET_BYTES || packet_bytes > mtu_bytes {
        return refuse("packetBytes", packet_bytes.into(), format!("{LEAST_PACKET_BYTES}–{mtu_bytes}, the path's MTU"));
    }
    let most_bps = MOST_PACKETS_PER_SECOND * u64::from(packet_bytes) * 8;
    if !(1..=most_bps).contains(&rate_bps) {
        return refuse(
            "rateBps",
            rate_bps,
            format!("1–{most_bps}, a million packets of {packet_bytes} bytes a second"),
        );
    }
    Ok(())
}

/// A flow starts at a random time in this span. The span is about a round trip, which is enough to end the lockstep of
/// flows that would start together (Floyd and Jacobson 1991, "On traffic phase effects in packet-switched gateways").
pub const START_SPREAD: Duration = Duration::from_millis(100);
/// The first number by which queues identify flows of other traffic. All other flows have lower numbers.
const FIRST_FLOW: u32 = 1 << 31;
/// Size of the IPv4 header and the UDP header together, in bytes.
const LEAST_PACKET_BYTES: u16 = crate::udp::HEADERS_BYTES as u16;
const MOST_PACKETS_PER_SECOND: u64 = 1_000_000;
/// The first of the dynamic ports (RFC 6335 §6).
const FIRST_PORT: u16 = 49152;
/// The port of a service that discards what it receives (RFC 863).
const DISCARD_PORT: u16 = 9;

#[cfg(test)]
#[path = "traffic_test.rs"]
mod tests;
