//! SCTP over DTLS 1.3 over UDP (RFC 8261, RFC 9147), as in WebRTC. The round trip and the sizes are those of DTLS, but
//! nothing is encrypted. The messages are as large as those of TLS over TCP and in QUIC ([`crate::tls`]).
//!
//! ```text
//! OverDtls           the handshake with its timer, and the association that begins after it
//! ├─ flight          the messages of one end, in datagrams
//! └─ record          writes and reads records, and has the type of the packets that carry them
//! ```
//!
//! In two points this is unlike WebRTC. The client has no certificate, because a browser shows none to a web server; in
//! WebRTC both ends have one. Packets are as large as the path allows; those of WebRTC have at most 1191 bytes.
//!
//! As in WebRTC, no session is resumed, and the server does not verify the client's address by a cookie (RFC 9147
//! §5.1), because the ends of WebRTC have verified their addresses by ICE.
//!
//! Unlike in RFC 9147 §7, a flight is always repeated as a whole, and only the client's last flight is acknowledged by
//! ACK.

mod flight;
mod record;

use std::any::Any;
use std::collections::VecDeque;
use std::time::Duration;

pub use self::record::OVERHEAD_BYTES;

use self::flight::{Flight, Incoming, Sizes};
use self::record::{Content, ContentType, DtlsPacket, records};
use super::{Association, Options, Setup};
use crate::endpoint::{CloseReason, Endpoint, Event, Transmit};
use crate::ip::{self, Flow};
use crate::packet::{Packet, TypedPacket};
use crate::time::SimTime;
use crate::tls;
use crate::trace::{BlockedLog, DataChunks, PacketKind, Sample, Timeouts};
use crate::transport::{CallError, Transport};
use crate::udp;

/// One end of an association over DTLS.
pub struct OverDtls {
    association: Association,
    flow: Flow,
    sizes: Sizes,
    stage: Stage,
    /// The messages of the peer's handshake that have arrived.
    incoming: Incoming,
    /// Whether the application has called [`Transport::connect`] since the last [`Endpoint::poll_transmit`].
    asked: bool,
    timer: Option<Timer>,
    outgoing: VecDeque<Vec<u8>>,
    closed: VecDeque<CloseReason>,
    sent_packets: u16,
    timeouts: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    /// The client has not begun the handshake, or the server waits for a client.
    Waiting,
    /// This end has sent its first flight.
    Sent,
    /// This end has the peer's Finished.
    Done,
    Failed,
}

/// The timer that repeats the last flight.
#[derive(Clone, Copy, Debug)]
struct Timer {
    at: SimTime,
    period: Duration,
    fired: u32,
    flight: Flight,
}

impl OverDtls {
    /// `options` must be valid ([`Options::validate`]). `setup` holds the MTU of the path.
    pub fn new(is_client: bool, setup: Setup, options: Options) -> Self {
        let Setup { flow, mtu_bytes, seed } = setup;
        let handshake = tls::Handshake {
            is_modern: options.profile == super::Profile::Modern,
            resumes: false,
            compresses_certificate: false,
            lacks_hybrid_share: false,
        };
        let inner = Setup { flow, mtu_bytes: mtu_bytes - OVERHEAD_BYTES as u16, seed };
        OverDtls {
            association: Association::new(inner, options),
            flow,
            sizes: Sizes { is_client, handshake, datagram_bytes: usize::from(mtu_bytes) - udp::HEADERS_BYTES },
            stage: Stage::Waiting,
            incoming: Incoming::new(!is_client),
            asked: false,
            timer: None,
            outgoing: VecDeque::new(),
            closed: VecDeque::new(),
            sent_packets: 0,
            timeouts: 0,
        }
    }

    pub fn association(&mut self) -> &mut Association {
        &mut self.association
    }

    fn send(&mut self, now: SimTime, flight: Flight) {
        self.outgoing.extend(self.sizes.datagrams(flight));
        if flight != Flight::Ack {
            self.timer = Some(Timer { at: now + FIRST_TIMEOUT, period: FIRST_TIMEOUT, fired: 0, flight });
        }
    }

    fn repeat(&mut self) {
        if let Some(Timer { flight, .. }) = self.timer {
            self.outgoing.extend(self.sizes.datagrams(flight));
        }
    }

    fn take_datagram(&mut self, now: SimTime, datagram: &[u8]) {
        for record in records(datagram) {
            match record.content_type {
                ContentType::Handshake => self.take_fragment(now, record.content),
                ContentType::Ack => self.note_answer(),
                ContentType::Data if self.stage == Stage::Done => {
                    self.note_answer();
                    let packet = ip::packet(&self.flow.reversed(), ip::SCTP, 0, record.content);
                    self.association.handle_packet(now, &packet);
                }
                ContentType::Data => {}
            }
        }
    }

    /// Notes that the peer has everything that this end has sent in its handshake.
    fn note_answer(&mut self) {
        if self.stage == Stage::Done {
            self.timer = None;
        }
    }

    fn take_fragment(&mut self, now: SimTime, fragment: &[u8]) {
        if self.stage == Stage::Failed {
            return;
        }
        let Some(is_repeated) = self.incoming.take(fragment) else { return };
        match (self.stage, self.sizes.is_client) {
            (Stage::Sent, true) if self.incoming.is_complete() => {
                self.stage = Stage::Done;
                self.send(now, Flight::ClientFinished);
                self.association.connect();
            }
            (Stage::Waiting, false) if self.incoming.has_hello() => {
                self.stage = Stage::Sent;
                self.send(now, Flight::Server);
            }
            (Stage::Sent, false) if self.incoming.is_complete() => {
                self.stage = Stage::Done;
                self.timer = None;
                self.send(now, Flight::Ack);
            }
            (Stage::Done, false) if is_repeated => self.send(now, Flight::Ack),
            (Stage::Sent, false) | (Stage::Done, true) if is_repeated => self.repeat(),
            _ => {}
        }
    }

    fn fire(&mut self, now: SimTime) {
        let Some(timer) = self.timer.filter(|timer| timer.at <= now) else { return };
        if timer.fired == MOST_REPETITIONS {
            self.timer = None;
            if self.stage != Stage::Done {
                self.end(CloseReason::ConnectTimeout);
            }
            return;
        }
        let period = (timer.period * 2).min(LONGEST_TIMEOUT);
        self.timer = Some(Timer { at: now + period, period, fired: timer.fired + 1, flight: timer.flight });
        self.timeouts += 1;
        self.repeat();
    }

    /// Ends a handshake that failed or was aborted.
    fn end(&mut self, reason: CloseReason) {
        self.stage = Stage::Failed;
        self.timer = None;
        self.outgoing.clear();
        self.closed.push_back(reason);
    }
}

impl Endpoint for OverDtls {
    fn handle_packet(&mut self, now: SimTime, packet: &[u8]) {
        if let Some(datagram) = udp::parse(&self.flow, packet) {
            self.take_datagram(now, datagram);
        }
    }

    fn handle_typed(&mut self, now: SimTime, packet: Box<dyn TypedPacket>) {
        let packet: Box<dyn Any> = packet;
        let Ok(packet) = packet.downcast::<DtlsPacket>() else { return };
        if packet.flow != self.flow.reversed() {
            return;
        }
        match packet.content {
            Content::Handshake(datagram) => self.take_datagram(now, &datagram),
            Content::Sctp { packet, .. } if self.stage == Stage::Done => {
                self.note_answer();
                self.association.handle_typed(now, packet);
            }
            Content::Sctp { .. } => {}
        }
    }

    fn handle_timeout(&mut self, now: SimTime) {
        self.fire(now);
        if self.stage == Stage::Done && self.association.poll_timeout().is_some_and(|at| at <= now) {
            self.association.handle_timeout(now);
        }
    }

    fn poll_timeout(&self) -> Option<SimTime> {
        let inner = self.association.poll_timeout().filter(|_| self.stage == Stage::Done);
        self.timer.map(|timer| timer.at).into_iter().chain(inner).min()
    }

    fn poll_transmit(&mut self, now: SimTime) -> Option<Transmit> {
        if std::mem::take(&mut self.asked) && self.stage == Stage::Waiting && self.sizes.is_client {
            self.stage = Stage::Sent;
            self.send(now, Flight::ClientHello);
        }
        let (content, kind, cumulative_ack, chunks) = match self.outgoing.pop_front() {
            Some(datagram) => (Content::Handshake(datagram), PacketKind::Setup, None, DataChunks::default()),
            None if self.stage != Stage::Done => return None,
            None => {
                let Transmit { packet, kind, cumulative_ack, chunks } = self.association.poll_transmit(now)?;
                let packet: Box<dyn Any> = match packet {
                    Packet::Typed(packet) => packet,
                    Packet::Wire(_) => return None,
                };
                let Ok(packet) = packet.downcast() else { return None };
                (Content::Sctp { packet, number: self.sent_packets }, kind, cumulative_ack, chunks)
            }
        };
        let packet = DtlsPacket { flow: self.flow, identification: self.sent_packets, content };
        self.sent_packets = self.sent_packets.wrapping_add(1);
        Some(Transmit { packet: Packet::Typed(Box::new(packet)), kind, cumulative_ack, chunks })
    }

    fn poll_event(&mut self) -> Option<Event> {
        self.closed.pop_front().map(Event::Closed).or_else(|| self.association.poll_event())
    }

    fn sample(&self) -> Option<Sample> {
        self.association.sample()
    }

    fn timeouts(&self) -> Timeouts {
        let inner = self.association.timeouts();
        Timeouts { retransmission: inner.retransmission + self.timeouts, ..inner }
    }

    fn blocked(&self) -> &BlockedLog {
        self.association.blocked()
    }
}

impl Transport for OverDtls {
    fn name(&self) -> &'static str {
        "SCTP"
    }

    fn connect(&mut self) -> Result<(), CallError> {
        self.asked = true;
        Ok(())
    }

    fn set_up_at_once(&mut self, rtt: Duration) -> Result<(), CallError> {
        Transport::set_up_at_once(&mut self.association, rtt)
    }

    fn send(&mut self, stream: u32, message: &[u8]) -> Result<bool, CallError> {
        Transport::send(&mut self.association, stream, message)
    }

    fn renew(&mut self, stream: u32) -> Result<(), CallError> {
        Transport::renew(&mut self.association, stream)
    }

    fn max_message_in_packet_bytes(&self) -> Result<usize, CallError> {
        Transport::max_message_in_packet_bytes(&self.association)
    }

    fn buffered_bytes(&self) -> u64 {
        self.association.buffered_bytes()
    }

    fn close(&mut self) {
        self.association.shutdown();
    }

    fn abort(&mut self) {
        match self.stage {
            Stage::Done => self.association.abort(),
            Stage::Failed => {}
            Stage::Waiting | Stage::Sent => self.end(CloseReason::LocalAbort),
        }
    }
}

/// The first timeout (RFC 9147 §5.8.2). WebRTC's first timeout is twice the RTT that ICE has measured.
const FIRST_TIMEOUT: Duration = Duration::from_secs(1);
/// The longest timeout (RFC 9147 §5.8.2).
const LONGEST_TIMEOUT: Duration = Duration::from_secs(60);
/// The largest number of times that a flight is repeated. The limit for the INIT of an association is the same (RFC
/// 9260 §16, Max.Init.Retransmits).
const MOST_REPETITIONS: u32 = 8;

#[cfg(test)]
#[path = "dtls_test.rs"]
mod tests;
