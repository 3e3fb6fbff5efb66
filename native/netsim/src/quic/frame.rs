//! Reads the frames of packets without encryption (RFC 9000 §19).

use super::wire::Reader;

/// A frame with the fields that this crate needs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Frame {
    Padding,
    Ping,
    Ack(Ack),
    ResetStream {
        stream: u64,
    },
    Crypto,
    Stream(Stream),
    ConnectionClose {
        by_application: bool,
        code: u64,
    },
    HandshakeDone,
    /// ACK_FREQUENCY with the requested delay, in µs (draft-ietf-quic-ack-frequency-04 §4).
    AckFrequency {
        max_ack_delay_us: u64,
    },
    /// IMMEDIATE_ACK (draft-ietf-quic-ack-frequency-04 §5).
    ImmediateAck,
    /// Any other frame of a known type, such as those for flow control, connection ids and paths.
    Other,
}

/// An ACK frame (RFC 9000 §19.3).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ack {
    /// The field ACK Delay as on the wire: the delay in µs divided by 2^ack_delay_exponent.
    pub delay: u64,
    /// First and last packet number of each range, from the highest range down. There is at least one.
    pub ranges: Vec<(u64, u64)>,
}

/// A STREAM frame without its data (RFC 9000 §19.8).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stream {
    pub stream: u64,
    pub offset: u64,
    pub bytes: u64,
    pub fin: bool,
}

impl Ack {
    /// The field Largest Acknowledged.
    pub fn largest(&self) -> u64 {
        self.ranges.first().map_or(0, |(_, last)| *last)
    }

    /// Whether the ACK acknowledges the packet `number`.
    pub fn has(&self, number: u64) -> bool {
        self.ranges.iter().any(|(first, last)| (*first..=*last).contains(&number))
    }
}

impl Frame {
    /// Whether the frame asks for an acknowledgement (RFC 9000 §13.2).
    pub fn is_ack_eliciting(&self) -> bool {
        !matches!(self, Frame::Padding | Frame::Ack(_) | Frame::ConnectionClose { .. })
    }
}

/// Iterates over the frames of a packet's payload, up to the first frame that is malformed or of an unknown type. A run
/// of PADDING counts as one frame.
#[derive(Clone, Debug)]
pub struct Frames<'a> {
    rest: Reader<'a>,
}

impl<'a> Frames<'a> {
    pub fn new(payload: &'a [u8]) -> Self {
        Frames { rest: Reader::new(payload) }
    }
}

impl Iterator for Frames<'_> {
    type Item = Frame;

    fn next(&mut self) -> Option<Frame> {
        let frame = read(&mut self.rest);
        if frame.is_none() {
            self.rest = Reader::new(&[]);
        }
        frame
    }
}

/// Reads a frame by its type (RFC 9000 §12.4, table 3).
fn read(rest: &mut Reader<'_>) -> Option<Frame> {
    let kind = rest.varint()?;
    Some(match kind {
        0x00 => {
            skip_padding(rest);
            Frame::Padding
        }
        0x01 => Frame::Ping,
        0x02 | 0x03 => Frame::Ack(read_ack(rest, kind == 0x03)?),
        0x04 => {
            let stream = rest.varint()?;
            skip_varints(rest, 2)?;
            Frame::ResetStream { stream }
        }
        0x06 => {
            rest.varint()?;
            rest.sized()?;
            Frame::Crypto
        }
        0x07 => {
            rest.sized()?;
            Frame::Other
        }
        0x08..=0x0f => Frame::Stream(read_stream(rest, kind)?),
        // MAX_DATA, MAX_STREAMS, DATA_BLOCKED, STREAMS_BLOCKED, RETIRE_CONNECTION_ID
        0x10 | 0x12..=0x14 | 0x16 | 0x17 | 0x19 => skipped(skip_varints(rest, 1))?,
        // STOP_SENDING, MAX_STREAM_DATA, STREAM_DATA_BLOCKED
        0x05 | 0x11 | 0x15 => skipped(skip_varints(rest, 2))?,
        0x18 => {
            skip_varints(rest, 2)?;
            let id_bytes = rest.byte()?;
            // the id is followed by the stateless reset token
            skipped(rest.take(usize::from(id_bytes) + 16).map(|_| ()))?
        }
        // PATH_CHALLENGE, PATH_RESPONSE
        0x1a | 0x1b => skipped(rest.take(8).map(|_| ()))?,
        0x1c | 0x1d => read_close(rest, kind == 0x1d)?,
        0x1e => Frame::HandshakeDone,
        // 0x1f and 0xaf are from draft-ietf-quic-ack-frequency-04
        0x1f => Frame::ImmediateAck,
        0xaf => {
            skip_varints(rest, 2)?;
            let max_ack_delay_us = rest.varint()?;
            rest.varint()?;
            Frame::AckFrequency { max_ack_delay_us }
        }
        _ => return None,
    })
}

fn skip_padding(rest: &mut Reader<'_>) {
    let mut ahead = *rest;
    while ahead.byte() == Some(0) {
        *rest = ahead;
    }
}

fn skip_varints(rest: &mut Reader<'_>, count: usize) -> Option<()> {
    for _ in 0..count {
        rest.varint()?;
    }
    Some(())
}

fn skipped(read: Option<()>) -> Option<Frame> {
    read.map(|()| Frame::Other)
}

fn read_ack(rest: &mut Reader<'_>, with_ecn: bool) -> Option<Ack> {
    let (largest, delay, count) = (rest.varint()?, rest.varint()?, rest.varint()?);
    let mut first = largest.checked_sub(rest.varint()?)?;
    let mut ranges = vec![(first, largest)];
    for _ in 0..count {
        let (gap, length) = (rest.varint()?, rest.varint()?);
        // RFC 9000 §19.3.1: at least one number lies between two ranges
        let last = first.checked_sub(gap + 2)?;
        first = last.checked_sub(length)?;
        ranges.push((first, last));
    }
    if with_ecn {
        skip_varints(rest, 3)?;
    }
    Some(Ack { delay, ranges })
}

fn read_stream(rest: &mut Reader<'_>, kind: u64) -> Option<Stream> {
    let stream = rest.varint()?;
    let offset = if kind & 0x04 == 0 { 0 } else { rest.varint()? };
    let data = if kind & 0x02 == 0 { rest.rest() } else { rest.sized()? };
    Some(Stream { stream, offset, bytes: data.len() as u64, fin: kind & 0x01 != 0 })
}

fn read_close(rest: &mut Reader<'_>, by_application: bool) -> Option<Frame> {
    let code = rest.varint()?;
    if !by_application {
        rest.varint()?; // the type of the frame that caused the error
    }
    rest.sized()?;
    Some(Frame::ConnectionClose { by_application, code })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frames(payload: &[u8]) -> Vec<Frame> {
        Frames::new(payload).collect()
    }

    // RFC 9000 §19.8: OFF, LEN and FIN
    #[test]
    fn stream_frames_are_read_with_any_of_their_bits() {
        let stream = |stream, offset, bytes, fin| vec![Frame::Stream(Stream { stream, offset, bytes, fin })];
        assert_eq!(frames(&[0x08, 4, 1, 2, 3]), stream(4, 0, 3, false));
        assert_eq!(frames(&[0x0c, 4, 0x41, 0, 2, 3]), stream(4, 256, 2, false));
        assert_eq!(frames(&[0x0b, 4, 1, 9]), stream(4, 0, 1, true));
        assert_eq!(frames(&[0x0f, 5, 7, 0]), stream(5, 7, 0, true));
        let both = [Frame::Stream(Stream { stream: 4, offset: 0, bytes: 1, fin: false }), Frame::Ping];
        assert_eq!(frames(&[0x0a, 4, 1, 9, 1]), both);
    }

    // RFC 9000 §19.3.1
    #[test]
    fn the_ranges_of_an_acknowledgement_are_read_from_the_highest_down() {
        let ack = Ack { delay: 5, ranges: vec![(8, 10), (4, 5), (0, 1)] };
        assert_eq!(ack.largest(), 10);
        assert_eq!(frames(&[0x02, 10, 5, 2, 2, 1, 1, 1, 1]), [Frame::Ack(ack.clone())]);
        assert_eq!(frames(&[0x03, 10, 5, 2, 2, 1, 1, 1, 1, 7, 8, 9]), [Frame::Ack(ack)]);
        assert_eq!(frames(&[0x02, 10, 5, 0, 11]), [], "a range below packet 0");
        assert_eq!(frames(&[0x02, 10, 5, 1, 10, 0, 0]), [], "a gap below packet 0");
    }

    #[test]
    fn frames_without_needed_fields_are_skipped_whole() {
        for frame in [
            &[0x05, 1, 2][..],
            &[0x07, 2, 1, 1],
            &[0x10, 1],
            &[0x11, 1, 2],
            &[0x12, 1],
            &[0x15, 1, 2],
            &[0x18, 1, 0, 2, 9, 9, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
            &[0x19, 1],
            &[0x1a, 0, 0, 0, 0, 0, 0, 0, 0],
        ] {
            assert_eq!(frames(&[frame, &[0x01]].concat()), [Frame::Other, Frame::Ping], "{frame:x?}");
            assert_eq!(frames(&frame[..frame.len() - 1]), [], "{frame:x?}");
        }
    }

    #[test]
    fn close_ack_frequency_and_reset_frames_are_read() {
        assert_eq!(frames(&[0x1c, 0x0a, 0x06, 1, 65]), [Frame::ConnectionClose { by_application: false, code: 10 }]);
        assert_eq!(
            frames(&[0x1d, 1, 0, 0x1e]),
            [Frame::ConnectionClose { by_application: true, code: 1 }, Frame::HandshakeDone]
        );
        assert_eq!(frames(&[0x40, 0xaf, 0, 1, 0x43, 0xe8, 1]), [Frame::AckFrequency { max_ack_delay_us: 1000 }]);
        assert_eq!(frames(&[0x04, 8, 1, 9, 0x1f]), [Frame::ResetStream { stream: 8 }, Frame::ImmediateAck]);
    }

    #[test]
    fn a_run_of_padding_is_one_frame_and_a_malformed_frame_ends_the_frames() {
        assert_eq!(frames(&[0, 0, 0, 1, 0]), [Frame::Padding, Frame::Ping, Frame::Padding]);
        assert_eq!(frames(&[1, 0x06, 0, 5, 1, 1]), [Frame::Ping]);
        assert_eq!(frames(&[1, 0x3f, 1]), [Frame::Ping]);
    }
}
