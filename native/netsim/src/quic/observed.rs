//! The state of a connection, as observed from its packets without their encryption.

use std::collections::BTreeMap;
use std::time::Duration;

use super::frame::{Ack, Frame, Frames, Stream};
use super::inbound::Inbound;
use super::outbound::{Leaving, Outbound};
use super::packet::{Level, QuicPacket};
use super::rtt::Rtt;
use crate::endpoint::Arrival;
use crate::time::SimTime;
use crate::trace::{DataChunk, DataChunks, PacketKind};

/// The state of a connection, as observed from its packets.
#[derive(Debug, Default)]
pub struct Observed {
    pub outbound: Outbound,
    pub inbound: Inbound,
    /// The sending times of packets that ask for an acknowledgement, keyed by packet number: first those of Initial
    /// packets, then those of Handshake packets. Only the largest packet of an acknowledgement is removed.
    handshake: [BTreeMap<u64, SimTime>; 2],
    rtt: Rtt,
    /// When the current path began.
    path_since: SimTime,
    ack_delay: AckDelay,
}

/// A packet number space (RFC 9000 §12.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Space {
    Initial = 0,
    Handshake = 1,
    Application = 2,
}

impl Space {
    fn of(level: Level) -> Space {
        match level {
            Level::Initial => Space::Initial,
            Level::Handshake => Space::Handshake,
            Level::ZeroRtt | Level::OneRtt => Space::Application,
        }
    }
}

/// The longest delay of the peer's acknowledgements (RFC 9000 §13.2.1).
#[derive(Debug)]
struct AckDelay {
    agreed: Duration,
    /// The number of the packet that asked for a new delay, and the new delay.
    asked: Option<(u64, Duration)>,
}

/// The contents of an outgoing datagram.
#[derive(Debug)]
pub struct Carried {
    pub chunks: DataChunks,
    /// One past the largest number of a 0-RTT or 1-RTT packet that the datagram acknowledges.
    pub cumulative_ack: Option<u64>,
    pub kind: PacketKind,
    /// Whether the datagram counts as in flight (RFC 9002 §2).
    pub in_flight: bool,
}

/// The kinds of frames in a datagram, which determine the kind of the datagram.
#[derive(Debug, Default)]
struct Contents {
    data: bool,
    close: Option<PacketKind>,
    setup: bool,
    control: bool,
}

impl Default for AckDelay {
    /// max_ack_delay is 25 ms by default (RFC 9000 §18.2), and neither end changes it.
    fn default() -> Self {
        AckDelay { agreed: Duration::from_millis(25), asked: None }
    }
}

impl Carried {
    /// Returns the contents of a datagram that belongs to no connection: a stateless reset, whose bytes are random (RFC
    /// 9000 §10.3), or a refusal.
    pub fn outside_a_connection() -> Self {
        Carried { kind: PacketKind::Abort, ..Carried::nothing() }
    }

    fn nothing() -> Self {
        let kind = PacketKind::Ack;
        Carried { chunks: DataChunks::default(), cumulative_ack: None, kind, in_flight: false }
    }
}

impl Observed {
    /// Notes the packets of a datagram that is sent at `now`.
    pub fn send<'a>(&mut self, now: SimTime, packets: impl Iterator<Item = QuicPacket<'a>>) -> Carried {
        let (mut contents, mut carried) = (Contents::default(), Carried::nothing());
        for packet in packets {
            let space = Space::of(packet.level);
            let number = match space {
                Space::Application => packet.whole_number(self.outbound.next_number()),
                Space::Initial | Space::Handshake => packet.number,
            };
            let (mut streams, mut is_ack_eliciting) = (Vec::new(), false);
            contents.setup |= space != Space::Application;
            for frame in Frames::new(packet.payload) {
                contents.note(&frame);
                is_ack_eliciting |= frame.is_ack_eliciting();
                // RFC 9002 §2: a packet with PADDING also counts as in flight
                carried.in_flight |= frame.is_ack_eliciting() || frame == Frame::Padding;
                self.note_sent(&frame, space, number, &mut carried, &mut streams);
            }
            match space {
                Space::Application => {
                    let leaving = Leaving { number, bytes: packet.bytes as u64, is_ack_eliciting };
                    self.outbound.send_packet(now, leaving, streams);
                }
                Space::Initial | Space::Handshake if is_ack_eliciting => {
                    self.handshake[space as usize].insert(number, now);
                }
                // a handshake packet that only acknowledges is not acknowledged
                Space::Initial | Space::Handshake => {}
            }
        }
        carried.kind = contents.kind();
        carried
    }

    fn note_sent(
        &mut self,
        frame: &Frame,
        space: Space,
        number: u64,
        carried: &mut Carried,
        streams: &mut Vec<Stream>,
    ) {
        match frame {
            Frame::Stream(stream) => {
                if let Some(chunk) = self.outbound.send(stream) {
                    carried.chunks.push(chunk);
                }
                streams.push(*stream);
            }
            Frame::Ack(ack) if space == Space::Application => carried.cumulative_ack = Some(ack.largest() + 1),
            Frame::AckFrequency { max_ack_delay_us } => {
                self.ack_delay.asked = Some((number, Duration::from_micros(*max_ack_delay_us)));
            }
            _ => {}
        }
    }

    /// Notes the packets of a datagram that arrived. `takes_application` says whether quinn accepted the 0-RTT and
    /// 1-RTT packets; if not, they are ignored.
    pub fn receive<'a>(
        &mut self,
        now: SimTime,
        packets: impl Iterator<Item = QuicPacket<'a>>,
        takes_application: bool,
    ) {
        for packet in packets {
            let space = Space::of(packet.level);
            if space == Space::Application && !takes_application {
                continue;
            }
            for frame in Frames::new(packet.payload) {
                match frame {
                    Frame::Ack(ack) => self.receive_ack(now, space, &ack),
                    Frame::Stream(stream) => self.inbound.arrive(now, &stream),
                    _ => {}
                }
            }
        }
    }

    fn receive_ack(&mut self, now: SimTime, space: Space, ack: &Ack) {
        let (sent, delay) = match space {
            Space::Application => {
                self.ack_delay.acknowledge(ack);
                let delay = Duration::from_micros(ack.delay << ACK_DELAY_EXPONENT).min(self.ack_delay.agreed);
                (self.outbound.acknowledge(ack), delay)
            }
            // RFC 9002 §5.3: acknowledgements are not delayed in the handshake
            Space::Initial | Space::Handshake => {
                (self.handshake[space as usize].remove(&ack.largest()), Duration::ZERO)
            }
        };
        if let Some(sent) = sent.filter(|sent| *sent >= self.path_since) {
            self.rtt.sample(now - sent, delay);
        }
    }

    /// Forgets the RTT of the old path. Packets that were sent before are not measured any more (RFC 9000 §9.4).
    pub fn start_path(&mut self, now: SimTime) {
        (self.rtt, self.path_since) = (Rtt::default(), now);
    }

    pub fn smoothed_rtt(&self) -> Duration {
        self.rtt.smoothed()
    }

    /// The probe timeout without backoff (RFC 9002 §6.2.1). See [`Rtt::probe_timeout`].
    pub fn probe_timeout(&self, initial_rtt: Duration, rttvar_factor: u8) -> Duration {
        let asked = self.ack_delay.asked.map_or(Duration::ZERO, |(_, delay)| delay);
        self.rtt.probe_timeout(initial_rtt, rttvar_factor) + self.ack_delay.agreed.max(asked)
    }
}

/// Returns what the trace records of a datagram that arrived; `None` if none of its packets could be read.
pub fn arrival<'a>(packets: impl Iterator<Item = QuicPacket<'a>>) -> Option<Arrival> {
    let (mut contents, mut carried, mut is_empty) = (Contents::default(), Carried::nothing(), true);
    for packet in packets {
        is_empty = false;
        let space = Space::of(packet.level);
        contents.setup |= space != Space::Application;
        for frame in Frames::new(packet.payload) {
            contents.note(&frame);
            match frame {
                Frame::Ack(ack) if space == Space::Application => carried.cumulative_ack = Some(ack.largest() + 1),
                Frame::Stream(stream) => {
                    if let Some(chunk) = chunk(&stream) {
                        carried.chunks.push(chunk);
                    }
                }
                _ => {}
            }
        }
    }
    let Carried { cumulative_ack, chunks, .. } = carried;
    (!is_empty).then(|| Arrival { kind: contents.kind(), cumulative_ack, chunks })
}

fn chunk(frame: &Stream) -> Option<DataChunk> {
    let (stream, bytes) = (u32::try_from(frame.stream).ok()?, u32::try_from(frame.bytes).ok()?);
    (bytes > 0).then_some(DataChunk { first: frame.offset, bytes, stream, message: 0, retransmission: false })
}

impl AckDelay {
    fn acknowledge(&mut self, ack: &Ack) {
        if let Some((number, delay)) = self.asked
            && ack.has(number)
        {
            *self = AckDelay { agreed: delay, asked: None };
        }
    }
}

impl Contents {
    fn note(&mut self, frame: &Frame) {
        match frame {
            Frame::Stream(stream) if stream.bytes > 0 => self.data = true,
            Frame::ConnectionClose { by_application: true, code } if is_finished(*code) => {
                self.close = Some(PacketKind::Close);
            }
            Frame::ConnectionClose { .. } => self.close = Some(PacketKind::Abort),
            Frame::Crypto | Frame::HandshakeDone => self.setup = true,
            Frame::Padding | Frame::Ack(_) => {}
            _ => self.control = true,
        }
    }

    fn kind(&self) -> PacketKind {
        match self {
            Contents { data: true, .. } => PacketKind::Data,
            Contents { close: Some(kind), .. } => *kind,
            Contents { setup: true, .. } => PacketKind::Setup,
            Contents { control: true, .. } => PacketKind::Control,
            _ => PacketKind::Ack,
        }
    }
}

/// Whether this code of CONNECTION_CLOSE means a normal end. This project uses 0, and HTTP/3 uses H3_NO_ERROR (RFC 9114
/// §8.1).
pub fn is_finished(code: u64) -> bool {
    code == 0 || code == 0x100
}

/// The default of ack_delay_exponent (RFC 9000 §18.2), which neither end changes.
const ACK_DELAY_EXPONENT: u32 = 3;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_codes_of_a_normal_close_mean_finished() {
        let codes = [0, 1, 0x100, 0x101];
        assert_eq!(codes.map(is_finished), [true, false, true, false]);
    }
}
