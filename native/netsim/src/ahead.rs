use std::num::NonZeroU64;

use crate::endpoint::Event;

/// Tells an application when it should write more, if it wants to have only a limited number of unsent bytes in its
/// transport (the mark). Linux offers this for TCP as TCP_NOTSENT_LOWAT; here every transport has it.
///
/// If nothing is left to send, the room is the mark plus what the congestion window has room for. Otherwise a burst
/// would end in a short packet although the application has more to write.
#[derive(Debug)]
pub struct Ahead {
    mark_bytes: i64,
    /// How many bytes the application has been told that it may write, less what it has written since.
    known_bytes: i64,
}

/// How much a sender has left to send, and how much it may send.
#[derive(Clone, Copy, Debug)]
pub struct Progress {
    /// Bytes that were written and never sent.
    pub unsent_bytes: u64,
    /// Bytes that may be sent now.
    pub window_bytes: u64,
}

impl Ahead {
    /// The application may first write as many bytes as the mark.
    pub fn new(mark_bytes: NonZeroU64) -> Self {
        let mark_bytes = signed(mark_bytes.get());
        Ahead { mark_bytes, known_bytes: mark_bytes }
    }

    /// The transport took so many bytes from the application.
    pub fn note_written(&mut self, bytes: u64) {
        self.known_bytes -= signed(bytes);
    }

    /// Call this after everything that can be sent was sent. It returns an event if the room has grown by at least a
    /// third of the mark since the application was last told.
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

/// Room is announced in steps of a third of the mark. An acknowledgement makes room for two packets (RFC 5681 §4.2), so
/// with a mark of four packets each acknowledgement is announced.
const STEP: i64 = 3;

/// Windows and buffers are far below the largest `i64`.
fn signed(bytes: u64) -> i64 {
    i64::try_from(bytes).unwrap_or(i64::MAX / 4)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ahead() -> Ahead {
        Ahead::new(NonZeroU64::new(900).unwrap())
    }

    fn told(ahead: &mut Ahead, unsent_bytes: u64, window_bytes: u64) -> Option<u64> {
        ahead.poll(Progress { unsent_bytes, window_bytes }).map(|event| match event {
            Event::Room { bytes } => bytes,
            event => panic!("{event:?}"),
        })
    }

    #[test]
    fn room_is_told_once_when_a_third_of_the_mark_more_was_sent() {
        let mut ahead = ahead();
        assert_eq!(told(&mut ahead, 0, 0), None, "it knows of the mark");
        ahead.note_written(900);
        assert_eq!(told(&mut ahead, 900, 0), None);
        assert_eq!(told(&mut ahead, 601, 0), None);
        assert_eq!(told(&mut ahead, 600, 0), Some(300));
        assert_eq!(told(&mut ahead, 600, 0), None, "once");
        ahead.note_written(300);
        assert_eq!(told(&mut ahead, 0, 0), Some(900));
    }

    #[test]
    fn a_mark_of_a_byte_is_told_once_too() {
        let mut ahead = Ahead::new(NonZeroU64::MIN);
        assert_eq!(told(&mut ahead, 0, 0), None);
        ahead.note_written(1);
        assert_eq!([told(&mut ahead, 0, 0), told(&mut ahead, 0, 0)], [Some(1), None]);
    }

    #[test]
    fn the_window_s_room_is_on_top_where_nothing_is_left_to_send() {
        let mut ahead = ahead();
        assert_eq!(told(&mut ahead, 0, 299), None);
        assert_eq!(told(&mut ahead, 0, 4000), Some(4900));
        ahead.note_written(4900);
        assert_eq!(
            told(&mut ahead, 1, 4000),
            Some(899),
            "what is left does not fit the window, or is to be sent first"
        );
    }

    #[test]
    fn an_application_that_wrote_too_much_is_told_only_once_there_is_room() {
        let mut ahead = ahead();
        ahead.note_written(100_000);
        assert_eq!(told(&mut ahead, 900, 0), None);
        assert_eq!(told(&mut ahead, 899, 0), Some(1));
    }
}
