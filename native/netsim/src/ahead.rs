use std::num::NonZeroU64;

use crate::endpoint::Event;

/// Reports when an application should write more, so that its transport always holds about `mark_bytes` of unsent data.
/// Linux has this for TCP as TCP_NOTSENT_LOWAT; here TCP, SCTP and QUIC have it.
///
/// The room is the number of bytes that the application should write now: the mark minus the unsent bytes. If no byte
/// is unsent, the free part of the congestion window is added. Without this addition a burst would end in a short
/// packet although the application has more to write.
#[derive(Debug)]
pub struct Ahead {
    mark_bytes: i64,
    least_mark_bytes: i64,
    /// The room that was last reported to the application, minus the bytes that it has written since.
    known_bytes: i64,
}

/// How many bytes a sender has left to send, and how many it may send.
#[derive(Clone, Copy, Debug)]
pub struct Progress {
    /// Bytes that were written and never sent.
    pub unsent_bytes: u64,
    /// Bytes that may be sent now.
    pub window_bytes: u64,
}

impl Ahead {
    /// At the start the room is `mark_bytes`. This room is not reported.
    pub fn new(mark_bytes: NonZeroU64) -> Self {
        let mark_bytes = signed(mark_bytes.get());
        Ahead { mark_bytes, least_mark_bytes: mark_bytes, known_bytes: mark_bytes }
    }

    /// Sets the mark to `bytes`, or to the mark at the start if that is larger. A kernel's send buffer grows in this
    /// way with the congestion window (Linux, `tcp_sndbuf_expand`).
    pub fn set_mark(&mut self, bytes: u64) {
        self.mark_bytes = self.least_mark_bytes.max(signed(bytes));
    }

    /// Notes that the transport accepted `bytes` from the application.
    pub fn note_written(&mut self, bytes: u64) {
        self.known_bytes -= signed(bytes);
    }

    /// Call this when everything that can be sent now has been sent. Returns [`Event::Room`] if the room is positive
    /// and exceeds `known_bytes` by at least a third of the mark.
    pub fn poll(&mut self, Progress { unsent_bytes, window_bytes }: Progress) -> Option<Event> {
        let window_bytes = if unsent_bytes == 0 { window_bytes } else { 0 };
        let room_bytes = self.mark_bytes + signed(window_bytes) - signed(unsent_bytes);
        if room_bytes <= 0 || room_bytes - self.known_bytes < (self.mark_bytes / STEP).max(1) {
            return None;
        }
        self.known_bytes = room_bytes;
        Some(Event::Room { bytes: room_bytes.unsigned_abs() })
    }
}

/// The room is reported in steps of a third of the mark. An acknowledgement usually makes room for two packets (RFC
/// 5681 §4.2), so with a mark of four packets each acknowledgement causes a report.
const STEP: i64 = 3;

/// Converts a number of bytes. Windows and buffers are far smaller than the largest `i64`.
fn signed(bytes: u64) -> i64 {
    i64::try_from(bytes).unwrap_or(i64::MAX / 4)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mark_that_grows_makes_room_and_one_that_shrinks_takes_it_away_but_never_below_the_first_mark() {
        let mut ahead = ahead();
        ahead.note_written(900);
        ahead.set_mark(2000);
        assert_eq!(reported(&mut ahead, 900, 0), Some(1100));
        ahead.note_written(1100);
        ahead.set_mark(100);
        assert_eq!(reported(&mut ahead, 901, 0), None, "the mark is 900 again");
        assert_eq!(reported(&mut ahead, 600, 0), Some(300));
    }

    fn ahead() -> Ahead {
        Ahead::new(NonZeroU64::new(900).unwrap())
    }

    fn reported(ahead: &mut Ahead, unsent_bytes: u64, window_bytes: u64) -> Option<u64> {
        ahead.poll(Progress { unsent_bytes, window_bytes }).map(|event| match event {
            Event::Room { bytes } => bytes,
            event => panic!("{event:?}"),
        })
    }

    #[test]
    fn room_is_reported_once_when_it_has_grown_by_a_third_of_the_mark() {
        let mut ahead = ahead();
        assert_eq!(reported(&mut ahead, 0, 0), None, "the mark is the room at the start");
        ahead.note_written(900);
        assert_eq!(reported(&mut ahead, 900, 0), None);
        assert_eq!(reported(&mut ahead, 601, 0), None);
        assert_eq!(reported(&mut ahead, 600, 0), Some(300));
        assert_eq!(reported(&mut ahead, 600, 0), None, "reported only once");
        ahead.note_written(300);
        assert_eq!(reported(&mut ahead, 0, 0), Some(900));
    }

    #[test]
    fn room_is_reported_once_with_a_mark_of_one_byte() {
        let mut ahead = Ahead::new(NonZeroU64::MIN);
        assert_eq!(reported(&mut ahead, 0, 0), None);
        ahead.note_written(1);
        assert_eq!([reported(&mut ahead, 0, 0), reported(&mut ahead, 0, 0)], [Some(1), None]);
    }

    #[test]
    fn the_free_window_is_added_to_the_room_if_no_byte_is_unsent() {
        let mut ahead = ahead();
        assert_eq!(reported(&mut ahead, 0, 299), None);
        assert_eq!(reported(&mut ahead, 0, 4000), Some(4900));
        ahead.note_written(4900);
        assert_eq!(reported(&mut ahead, 1, 4000), Some(899), "a byte is unsent, so the window does not count");
    }

    #[test]
    fn after_too_much_was_written_room_is_reported_when_fewer_bytes_than_the_mark_are_unsent() {
        let mut ahead = ahead();
        ahead.note_written(100_000);
        assert_eq!(reported(&mut ahead, 900, 0), None);
        assert_eq!(reported(&mut ahead, 899, 0), Some(1));
    }
}
