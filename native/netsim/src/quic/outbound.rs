use std::collections::BTreeMap;

use super::frame::{Ack, Stream};
use super::ranges::Ranges;
use crate::time::SimTime;
use crate::trace::DataChunk;

/// Which data of each stream was written, sent and acknowledged, and the packets that carried it.
#[derive(Debug, Default)]
pub struct Outbound {
    streams: BTreeMap<u32, Sent>,
    /// The 0-RTT and 1-RTT packets that are not acknowledged, keyed by number. A packet that is deemed lost is kept,
    /// because it may only be late.
    packets: BTreeMap<u64, SentPacket>,
    /// The sizes in bytes of those packets that ask for an acknowledgement and have no STREAM frame, keyed by number.
    control: BTreeMap<u64, u64>,
    next_number: u64,
    largest_acknowledged: Option<u64>,
    unsent_bytes: u64,
    unacknowledged_bytes: u64,
    unacknowledged_fins: u64,
}

#[derive(Debug, Default)]
struct Sent {
    /// How many bytes the application has written.
    written: u64,
    /// Bytes up to this offset were sent at least once.
    sent_to: u64,
    acknowledged: Ranges,
    acknowledged_bytes: u64,
    fin: Fin,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Fin {
    #[default]
    Open,
    Unacknowledged,
    Acknowledged,
}

#[derive(Debug)]
struct SentPacket {
    at: SimTime,
    is_ack_eliciting: bool,
    frames: Vec<Stream>,
}

/// An outgoing packet.
#[derive(Clone, Copy, Debug)]
pub struct Leaving {
    pub number: u64,
    pub bytes: u64,
    pub is_ack_eliciting: bool,
}

/// kPacketThreshold, in packets (RFC 9002 §6.1.1).
const PACKET_THRESHOLD: u64 = 3;

impl Outbound {
    /// Notes that the application wrote `bytes` bytes.
    pub fn write(&mut self, stream: u32, bytes: u64) {
        self.streams.entry(stream).or_default().written += bytes;
        self.unsent_bytes += bytes;
        self.unacknowledged_bytes += bytes;
    }

    /// Notes that the application ended the stream.
    pub fn finish(&mut self, stream: u32) {
        let fin = &mut self.streams.entry(stream).or_default().fin;
        if *fin == Fin::Open {
            *fin = Fin::Unacknowledged;
            self.unacknowledged_fins += 1;
        }
    }

    /// Notes that the stream was reset, so that its data needs no acknowledgement.
    pub fn reset(&mut self, stream: u32) {
        let sent = self.streams.entry(stream).or_default();
        self.unsent_bytes -= sent.written - sent.sent_to;
        sent.sent_to = sent.written;
        self.unacknowledged_bytes -= sent.written - sent.acknowledged_bytes;
        sent.acknowledged_bytes = sent.written;
        sent.acknowledged.insert(0, sent.written);
        self.unacknowledged_fins -= u64::from(sent.fin == Fin::Unacknowledged);
        sent.fin = Fin::Acknowledged;
    }

    /// One past the largest packet number that was sent.
    pub fn next_number(&self) -> u64 {
        self.next_number
    }

    /// Notes a STREAM frame that is sent. Returns the frame's row for the trace, if the frame has data.
    pub fn send(&mut self, frame: &Stream) -> Option<DataChunk> {
        let stream = u32::try_from(frame.stream).ok()?;
        let sent = self.streams.entry(stream).or_default();
        let retransmission = frame.offset < sent.sent_to;
        let fresh = (frame.offset + frame.bytes).saturating_sub(sent.sent_to);
        sent.sent_to += fresh;
        self.unsent_bytes -= fresh;
        let chunk = DataChunk { first: frame.offset, bytes: frame.bytes as u32, stream, message: 0, retransmission };
        (frame.bytes > 0).then_some(chunk)
    }

    /// Notes a 0-RTT or 1-RTT packet that was sent with these frames.
    pub fn send_packet(&mut self, now: SimTime, packet: Leaving, frames: Vec<Stream>) {
        let Leaving { number, bytes, is_ack_eliciting } = packet;
        self.next_number = self.next_number.max(number + 1);
        if is_ack_eliciting && frames.is_empty() {
            self.control.insert(number, bytes);
        }
        self.packets.insert(number, SentPacket { at: now, is_ack_eliciting, frames });
    }

    /// Whether any 0-RTT or 1-RTT packet was acknowledged.
    pub fn is_acknowledged(&self) -> bool {
        self.largest_acknowledged.is_some()
    }

    /// Bytes in flight in packets that ask for an acknowledgement and have no STREAM frame.
    pub fn control_bytes(&self) -> u64 {
        // packets whose numbers are smaller than `in_doubt` are deemed lost (RFC 9002 §6.1.1)
        let in_doubt = self.largest_acknowledged.map_or(0, |largest| (largest + 1).saturating_sub(PACKET_THRESHOLD));
        self.control.range(in_doubt..).map(|(_, bytes)| bytes).sum()
    }

    /// Handles an acknowledgement. If the acknowledgement measures a round trip, returns the time at which its largest
    /// packet was sent. An acknowledgement measures a round trip if this packet is newly acknowledged and at least one
    /// newly acknowledged packet asked for an acknowledgement (RFC 9002 §5.1).
    pub fn acknowledge(&mut self, ack: &Ack) -> Option<SimTime> {
        let largest = self.packets.get(&ack.largest()).map(|packet| packet.at);
        self.largest_acknowledged = self.largest_acknowledged.max(Some(ack.largest()));
        let mut is_measured = false;
        for (first, last) in &ack.ranges {
            while let Some((&number, _)) = self.packets.range(first..=last).next() {
                let Some(packet) = self.packets.remove(&number) else { break };
                is_measured |= packet.is_ack_eliciting;
                if packet.frames.is_empty() {
                    self.control.remove(&number);
                }
                packet.frames.iter().for_each(|frame| self.acknowledge_frame(frame));
            }
        }
        largest.filter(|_| is_measured)
    }

    fn acknowledge_frame(&mut self, frame: &Stream) {
        let Ok(stream) = u32::try_from(frame.stream) else { return };
        let Some(sent) = self.streams.get_mut(&stream) else { return };
        let fresh = sent.acknowledged.insert(frame.offset, frame.offset + frame.bytes);
        sent.acknowledged_bytes += fresh;
        self.unacknowledged_bytes -= fresh;
        if frame.fin && sent.fin == Fin::Unacknowledged {
            sent.fin = Fin::Acknowledged;
            self.unacknowledged_fins -= 1;
        }
    }

    /// Bytes that were written and never sent.
    pub fn unsent_bytes(&self) -> u64 {
        self.unsent_bytes
    }

    /// Bytes that were written and are not acknowledged.
    pub fn unacknowledged_bytes(&self) -> u64 {
        self.unacknowledged_bytes
    }

    /// Whether all bytes and all ends of streams are acknowledged.
    pub fn is_drained(&self) -> bool {
        self.unacknowledged_bytes == 0 && self.unacknowledged_fins == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: SimTime = SimTime::from_ms(10);

    fn frame(offset: u64, fin: bool) -> Stream {
        Stream { stream: 4, offset, bytes: 100, fin }
    }

    fn ack(ranges: &[(u64, u64)]) -> Ack {
        Ack { delay: 0, ranges: ranges.to_vec() }
    }

    fn send(outbound: &mut Outbound, number: u64, frames: &[Stream]) -> Vec<bool> {
        let rows: Vec<_> = frames.iter().filter_map(|frame| outbound.send(frame)).collect();
        outbound.send_packet(NOW, Leaving { number, bytes: 1200, is_ack_eliciting: true }, frames.to_vec());
        rows.iter().map(|row| row.retransmission).collect()
    }

    #[test]
    fn data_of_a_reset_stream_is_not_counted_as_unsent() {
        let mut outbound = Outbound::default();
        outbound.write(4, 250);
        assert_eq!(outbound.unsent_bytes(), 250);
        send(&mut outbound, 0, &[frame(0, false)]);
        send(&mut outbound, 1, &[frame(0, false)]);
        assert_eq!(outbound.unsent_bytes(), 150, "a retransmission sends no new data");
        outbound.write(8, 30);
        outbound.reset(4);
        assert_eq!(outbound.unsent_bytes(), 30);
    }

    #[test]
    fn a_frame_at_an_offset_that_was_sent_before_is_a_retransmission() {
        let mut outbound = Outbound::default();
        outbound.write(4, 300);
        assert_eq!(send(&mut outbound, 0, &[frame(0, false), frame(100, false)]), [false, false]);
        assert_eq!(send(&mut outbound, 1, &[frame(100, false), frame(200, false)]), [true, false]);
        let fin = Stream { stream: 4, offset: 300, bytes: 0, fin: true };
        assert_eq!(send(&mut outbound, 2, &[fin]), [], "a frame with only the end has no data");
        assert_eq!(outbound.next_number(), 3);
    }

    #[test]
    fn written_bytes_are_buffered_until_they_are_acknowledged_once() {
        let mut outbound = Outbound::default();
        outbound.write(4, 200);
        outbound.finish(4);
        outbound.finish(4);
        send(&mut outbound, 0, &[frame(0, false)]);
        send(&mut outbound, 1, &[frame(0, false), frame(100, true)]);
        assert_eq!(outbound.acknowledge(&ack(&[(0, 0)])), Some(NOW));
        assert_eq!((outbound.unacknowledged_bytes(), outbound.is_drained()), (100, false));
        assert_eq!(outbound.acknowledge(&ack(&[(0, 0)])), None, "the packet was acknowledged before");
        outbound.acknowledge(&ack(&[(0, 1)]));
        assert_eq!((outbound.unacknowledged_bytes(), outbound.is_drained()), (0, true));
    }

    // RFC 9002 §5.1
    #[test]
    fn the_rtt_is_measured_if_a_packet_asked_for_the_acknowledgement() {
        let mut outbound = Outbound::default();
        outbound.write(4, 100);
        send(&mut outbound, 0, &[frame(0, false)]);
        for number in 1..4 {
            let packet = Leaving { number, bytes: 40, is_ack_eliciting: false };
            outbound.send_packet(SimTime::from_ms(20), packet, Vec::new());
        }
        assert_eq!(outbound.acknowledge(&ack(&[(2, 2)])), None);
        assert_eq!(outbound.acknowledge(&ack(&[(0, 3)])), Some(SimTime::from_ms(20)));
    }

    #[test]
    fn the_end_of_a_stream_must_be_acknowledged_too() {
        let mut outbound = Outbound::default();
        outbound.write(4, 100);
        outbound.finish(4);
        send(&mut outbound, 0, &[frame(0, false)]);
        outbound.acknowledge(&ack(&[(0, 0)]));
        assert_eq!((outbound.unacknowledged_bytes(), outbound.is_drained()), (0, false));
    }

    #[test]
    fn packets_without_data_count_until_they_are_acknowledged_or_lost() {
        let mut outbound = Outbound::default();
        outbound.write(4, 1000);
        for (number, is_ack_eliciting) in [(0, true), (1, true), (2, false)] {
            outbound.send_packet(NOW, Leaving { number, bytes: 50, is_ack_eliciting }, Vec::new());
        }
        (3..6).for_each(|number| drop(send(&mut outbound, number, &[frame(0, false)])));
        assert_eq!(outbound.control_bytes(), 100);
        outbound.acknowledge(&ack(&[(1, 1)]));
        assert_eq!(outbound.control_bytes(), 50);
        outbound.acknowledge(&ack(&[(3, 3)]));
        assert_eq!(outbound.control_bytes(), 0);
    }

    #[test]
    fn data_of_a_reset_stream_needs_no_acknowledgement() {
        let mut outbound = Outbound::default();
        outbound.write(4, 300);
        outbound.write(8, 50);
        outbound.finish(4);
        send(&mut outbound, 0, &[frame(0, false)]);
        send(&mut outbound, 1, &[frame(100, false)]);
        outbound.acknowledge(&ack(&[(0, 0)]));
        outbound.reset(4);
        assert_eq!(outbound.unacknowledged_bytes(), 50);
        outbound.acknowledge(&ack(&[(1, 1)]));
        assert_eq!(outbound.unacknowledged_bytes(), 50);
    }
}
