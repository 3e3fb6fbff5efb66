use std::num::NonZeroU64;

use crate::endpoint::Event;

/// Tells an application, which keeps its transport only so far ahead of the congestion window, when it should write more:
/// what Linux's TCP_NOTSENT_LOWAT is for, on every transport.
///
/// Where nothing is left to send, what the window has room for comes on top: otherwise a burst would end in a short
/// packet, though there is more to write.
#[derive(Debug)]
pub struct Ahead {
    mark_bytes: i64,
    /// What the application knows that it may write.
    known_bytes: i64,
}

/// How far a sender is.
#[derive(Clone, Copy, Debug)]
pub struct Progress {
    /// Written and never sent yet, bytes.
    pub unsent_bytes: u64,
    /// What may be sent now.
    pub window_bytes: u64,
}

impl Ahead {
    /// An application that does not know yet what the window is.
    pub fn new(mark_bytes: NonZeroU64) -> Self {
        let mark_bytes = signed(mark_bytes.get());
        Ahead { mark_bytes, known_bytes: mark_bytes }
    }

    /// So much was taken.
    pub fn note_written(&mut self, bytes: u64) {
        self.known_bytes -= signed(bytes);
    }

    /// After everything that can be sent was: there is more room than the application knows of, and by not too little.
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

/// Two packets, which an acknowledgement brings (RFC 5681 §4.2), are more than this part of a mark of four.
const STEP: i64 = 3;

/// Windows and buffers are far below what this holds.
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
    fn who_wrote_far_more_hears_of_room_only_when_there_is_some() {
        let mut ahead = ahead();
        ahead.note_written(100_000);
        assert_eq!(told(&mut ahead, 900, 0), None);
        assert_eq!(told(&mut ahead, 899, 0), Some(1));
    }
}
