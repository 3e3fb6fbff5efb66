use std::time::Duration;

use super::Sender;
use crate::congestion::{Counting, Phase, packet_segments};
use crate::time::SimTime;

/// The large packet that the sender is filling. Linux gives several segments to its network card as one packet
/// (`tcp_write_xmit`), and waits with a small packet if the next acknowledgement will soon permit a larger one.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Bundle {
    /// When the packet's segments are sent.
    at: SimTime,
    /// How many more segments belong to the packet.
    left: u64,
    /// Whether new data waits for the next acknowledgement, timeout or write.
    waits: bool,
    repeated: Repeated,
}

/// The packet of retransmissions that the sender is filling.
#[derive(Clone, Copy, Debug, Default)]
struct Repeated {
    /// When the packet's segments are sent.
    at: SimTime,
    /// How many more segments belong to the packet.
    left: u64,
}

impl Bundle {
    /// Notes that something happened after which new data may be sent.
    pub fn reconsider(&mut self) {
        self.waits = false;
    }
}

impl Sender {
    /// Whether new data waits for the next acknowledgement, although cwnd admits a segment (`tcp_tso_should_defer`).
    /// New data begins to wait only if the last segment was sent at most a millisecond ago, if less than a third of the
    /// window (the smaller of cwnd and the peer's window) is open, and if the acknowledgement of the first outstanding
    /// segment is due soon: within half of the SRTT, and within a millisecond.
    pub(super) fn waits_for_bundle(&mut self, now: SimTime) -> bool {
        self.bundle.waits = self.bundle.waits || self.is_too_small(now);
        self.bundle.waits
    }

    fn is_too_small(&self, now: SimTime) -> bool {
        let room = self.room();
        let is_open = self.recovery.phase() == Phase::Open;
        if !self.sends_bundles() || self.continues_bundle(now) || !is_open {
            return false;
        }
        // after the FIN was sent, the next sequence number is beyond the data
        if self.unsent_bytes() == 0 {
            return false;
        }
        let limit = self.window_of_peer().min(room);
        let unsent = self.buffer.segment_room(self.next);
        // data that fits in one segment does not wait, and neither does the rest of the data before a FIN if the
        // windows admit all of this data
        if unsent <= self.mss || (self.buffer.is_closed() && unsent <= limit) {
            return false;
        }
        if self.idle(now) > RECENT || limit >= self.bundle_segments() * self.mss {
            return false;
        }
        if limit >= self.peer.bytes.min(self.congestion.cwnd()) / WINDOW_DIVISOR {
            return false;
        }
        let (Some(first), Some(srtt)) = (self.board.first(), self.rtt.srtt()) else { return false };
        let wait = (first.sent_at + srtt).saturating_since(now);
        wait <= (srtt / 2).min(SOON)
    }

    /// Whether the stack of the profile gives several segments to its network card as one packet.
    fn sends_bundles(&self) -> bool {
        self.profile.congestion.counting == Counting::Segments
    }

    /// Whether the next segment belongs to the packet whose first segments were sent now.
    fn continues_bundle(&self, now: SimTime) -> bool {
        self.bundle.at == now && self.bundle.left > 0
    }

    /// Notes that a segment of new data is about to be sent.
    pub(super) fn note_bundled(&mut self, now: SimTime) {
        if !self.sends_bundles() {
            return;
        }
        let left = if self.continues_bundle(now) {
            self.bundle.left
        } else {
            // at least two packets are to be in flight (`tcp_cwnd_test`)
            let half = (self.congestion.cwnd() / 2 / self.mss).max(1);
            self.bundle_segments().min(half).min((self.room() / self.mss).max(1))
        };
        self.bundle = Bundle { at: now, left: left - 1, waits: false, ..self.bundle };
    }

    /// Notes that the segment at `index` is about to be sent again. Returns how many segments follow in the same
    /// packet, and whether this segment is the packet's first.
    ///
    /// Linux sends lost segments again as one packet if they are adjacent and were sent as one packet before, as far as
    /// cwnd admits them (`tcp_xmit_retransmit_queue`). With pacing, such a packet is a burst.
    pub(super) fn note_repeated(&mut self, now: SimTime, index: usize) -> (u64, bool) {
        let Repeated { at, left } = self.bundle.repeated;
        let continues = at == now && left > 0;
        let left = if continues { left } else { self.repeated_segments(index) } - 1;
        self.bundle.repeated = Repeated { at: now, left };
        (left, !continues)
    }

    fn repeated_segments(&self, index: usize) -> u64 {
        let most = (self.room() / self.mss).min(self.bundle_segments());
        let Some(sent_at) = self.board.get(index).map(|first| first.sent_at) else { return 1 };
        let waiting = self.board.segments().skip(index).take(most as usize);
        waiting.take_while(|segment| segment.waits_for_repetition() && segment.sent_at == sent_at).count().max(1) as u64
    }

    /// The most segments that a large packet may have: as many as the sender sends in a millisecond, but at least two
    /// (`tcp_tso_autosize`). Without pacing the rate is estimated from the window (`tcp_update_pacing_rate`).
    pub(super) fn bundle_segments(&self) -> u64 {
        if self.congestion.pacing_rate().is_some() {
            return self.congestion.burst_segments();
        }
        let Some(srtt) = self.rtt.srtt() else { return LEAST_SEGMENTS };
        let (cwnd, threshold) = (self.congestion.cwnd(), self.congestion.ssthresh());
        let percent = if cwnd < threshold / 2 { SLOW_START_PERCENT } else { AVOIDANCE_PERCENT };
        let window = cwnd.max(self.board.len() as u64 * self.mss);
        let rate = window * percent / 100 * 1_000_000 / (srtt.as_micros() as u64).max(1);
        packet_segments(rate, self.mss, LEAST_SEGMENTS)
    }
}

const RECENT: Duration = Duration::from_millis(1);
const SOON: Duration = Duration::from_millis(1);
/// `tcp_tso_win_divisor`.
const WINDOW_DIVISOR: u64 = 3;
/// `tcp_min_tso_segs`.
const LEAST_SEGMENTS: u64 = 2;
/// `tcp_pacing_ss_ratio` and `tcp_pacing_ca_ratio`.
const SLOW_START_PERCENT: u64 = 200;
const AVOIDANCE_PERCENT: u64 = 120;
