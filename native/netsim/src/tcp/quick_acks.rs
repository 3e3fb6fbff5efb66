use std::time::Duration;

use crate::time::SimTime;

/// Decides when a receiver acknowledges every segment at once, as Linux does (net/ipv4/tcp_input.c).
///
/// The receiver does so for the first 16 acknowledgements of a connection, for 16 acknowledgements after a duplicate,
/// and while its receive window grows. On an interactive connection it delays acknowledgements. A connection becomes
/// interactive when the application answers soon, because acknowledgements can be sent with its answers. The connection
/// stops being interactive when an acknowledgement has waited and no answer came, or when a duplicate arrives.
#[derive(Debug)]
pub struct QuickAcks {
    left: u32,
    interactive: bool,
    window: GrowingWindow,
}

/// The size of the receive window, as far as it matters for acknowledgements (`tcp_rcv_space_adjust`,
/// `tcp_grow_window`).
#[derive(Debug)]
struct GrowingWindow {
    mss: u64,
    bytes: u64,
    limit: u64,
    /// The most bytes that arrived in one round trip.
    most_in_round: u64,
    round_start: SimTime,
    in_round: u64,
}

/// TCP_MAX_QUICKACKS.
const QUICK_ACKS: u32 = 16;
/// The first window.
const FIRST_WINDOW_BYTES: u64 = 64_240;
/// The limit of the window at the start. It follows from the default value of `tcp_rmem`, 128 KiB.
const FIRST_LIMIT_BYTES: u64 = 80_000;
/// The largest limit of the window. It follows from the maximum of `tcp_rmem`, 6 MiB.
const LARGEST_LIMIT_BYTES: u64 = 3_800_000;

impl QuickAcks {
    pub fn new(mss: u64) -> Self {
        let window = GrowingWindow {
            mss,
            bytes: FIRST_WINDOW_BYTES,
            limit: FIRST_LIMIT_BYTES,
            most_in_round: 10 * mss,
            round_start: SimTime::ZERO,
            in_round: 0,
        };
        QuickAcks { left: QUICK_ACKS, interactive: false, window }
    }

    /// Handles a segment with new data. `bytes` is the number of its bytes that are in order.
    pub fn handle_data(&mut self, now: SimTime, bytes: u64, rtt: Option<Duration>) {
        if self.window.grows(now, bytes, rtt) {
            self.left = self.left.max(1);
        }
    }

    pub fn handle_duplicate(&mut self) {
        (self.left, self.interactive) = (QUICK_ACKS, false);
    }

    /// Makes the receiver acknowledge at least the next two segments at once.
    pub fn hurry(&mut self) {
        (self.left, self.interactive) = (self.left.max(2), false);
    }

    /// Notes that the application has answered soon after data arrived.
    pub fn answered(&mut self) {
        self.interactive = true;
    }

    /// Notes that a delayed acknowledgement has waited for an answer that did not come.
    pub fn waited(&mut self) {
        self.interactive = false;
    }

    /// Notes that data was acknowledged.
    pub fn acknowledged(&mut self) {
        self.left = self.left.saturating_sub(1);
    }

    /// Whether the next segment is acknowledged at once.
    pub fn is_on(&self) -> bool {
        self.left > 0 && !self.interactive
    }
}

impl GrowingWindow {
    /// Whether a segment with `bytes` in order makes the window grow.
    fn grows(&mut self, now: SimTime, bytes: u64, rtt: Option<Duration>) -> bool {
        self.in_round += bytes;
        if rtt.is_some_and(|rtt| now.saturating_since(self.round_start) >= rtt) {
            if self.in_round > self.most_in_round {
                self.raise_limit();
            }
            (self.round_start, self.in_round) = (now, 0);
        }
        let grown = (self.bytes + 2 * self.mss).min(self.limit);
        std::mem::replace(&mut self.bytes, grown) < grown
    }

    fn raise_limit(&mut self) {
        let (copied, before) = (self.in_round, self.most_in_round);
        let twice = 2 * copied + 16 * self.mss;
        let window = twice + 2 * (twice * (copied - before) / before);
        self.limit = self.limit.max(window.min(LARGEST_LIMIT_BYTES));
        self.most_in_round = copied;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MSS: u64 = 1448;
    const RTT: Option<Duration> = Some(Duration::from_millis(100));

    /// How many of `count` segments that arrive at `ms` are acknowledged at once.
    fn quick(acks: &mut QuickAcks, ms: u64, count: u32) -> u32 {
        let mut quick = 0;
        for _ in 0..count {
            acks.handle_data(SimTime::from_ms(ms), MSS, RTT);
            quick += u32::from(acks.is_on());
            if acks.is_on() {
                acks.acknowledged();
            }
        }
        quick
    }

    // 16 is TCP_MAX_QUICKACKS. The growth of the window from 64240 to 80000 bytes adds none, because it happens during
    // the same 16 segments.
    #[test]
    fn the_first_segments_are_acknowledged_at_once() {
        assert_eq!(quick(&mut QuickAcks::new(MSS), 1, 50), 16);
    }

    #[test]
    fn segments_are_acknowledged_at_once_while_the_window_grows() {
        let mut acks = QuickAcks::new(MSS);
        assert!(quick(&mut acks, 1, 50) < 50);
        // the first round trip had 50 segments, which is more than the 10 of the initial state, so the limit of the
        // window rises
        assert!(quick(&mut acks, 101, 60) > 50);
        // with few segments in each round trip the window soon stops growing
        let mut slow = QuickAcks::new(MSS);
        let all: u32 = (1..20).map(|round| quick(&mut slow, 100 * round, 10)).sum();
        assert_eq!(all, 16);
    }

    #[test]
    fn an_interactive_connection_has_no_quick_acknowledgements_until_one_has_waited_in_vain() {
        let mut acks = QuickAcks::new(MSS);
        acks.answered();
        assert!(!acks.is_on());
        acks.waited();
        assert!(acks.is_on());
        acks.answered();
        acks.handle_duplicate();
        assert!(acks.is_on());
    }
}
