use std::time::Duration;

use crate::time::SimTime;

/// Spreads segments over time at a rate that the congestion control sets (Linux: `tcp_update_skb_after_send`,
/// `tcp_pacing_check`).
///
/// As in Linux, several segments may be sent together as a burst, because a host gives several segments to its network
/// card as one large packet. The congestion control decides how many (`burst_segments`).
#[derive(Clone, Debug, Default)]
pub struct Pacer {
    /// When the next burst may be sent.
    next_at: SimTime,
    sent_segments: u64,
    burst: Burst,
}

#[derive(Clone, Copy, Debug, Default)]
struct Burst {
    at: SimTime,
    bytes: u64,
    /// How many more segments may be sent in this burst.
    left: u64,
    /// How late the burst was sent.
    late: Duration,
}

/// How many segments of `mss` bytes a host gives to its network card as one large packet (Linux: `tcp_tso_autosize`).
/// The packet has the bytes that are sent in 1/1024 s at `rate` bytes a second, up to the size of the largest packet,
/// but at least `least` segments.
pub fn packet_segments(rate: u64, mss: u64, least: u64) -> u64 {
    ((rate >> 10).min(LARGEST_PACKET_BYTES) / mss).max(least)
}

/// GSO_LEGACY_MAX_SIZE without the headers (MAX_TCP_HEADER), in bytes.
const LARGEST_PACKET_BYTES: u64 = 65_535 - 320;
/// The first segments are not paced.
const UNPACED_SEGMENTS: u64 = 10;

impl Pacer {
    /// When the next burst may begin. More segments of the current burst may be sent earlier ([`Self::admits`]).
    pub fn next_at(&self) -> SimTime {
        self.next_at
    }

    /// Whether a segment may be sent now.
    pub fn admits(&self, now: SimTime) -> bool {
        self.next_at <= now || (self.burst.at == now && self.burst.left > 0)
    }

    /// Notes that a segment of `bytes` is sent, at `rate` bytes a second, in bursts of up to `burst_segments`.
    pub fn handle_sent(&mut self, now: SimTime, bytes: u64, rate: u64, burst_segments: u64) {
        self.sent_segments += 1;
        let continues = self.burst.at == now && self.burst.left > 0;
        if continues {
            self.burst.left -= 1;
            self.burst.bytes += bytes;
        } else {
            let late = now.saturating_since(self.next_at);
            self.burst = Burst { at: now, bytes, left: burst_segments.saturating_sub(1), late };
        }
        let start = if continues { now } else { self.next_at.max(now) };
        if self.sent_segments > UNPACED_SEGMENTS && rate > 0 {
            let ns = u128::from(self.burst.bytes) * 1_000_000_000 / u128::from(rate);
            let takes = Duration::from_nanos(u64::try_from(ns).unwrap_or(u64::MAX));
            // after a burst that was late the next burst comes earlier
            self.next_at = start + (takes - self.burst.late.min(takes / 2));
        } else {
            self.next_at = start;
        }
    }

    /// Ends the current burst. The next segment is not part of the same large packet.
    pub fn end_burst(&mut self) {
        self.burst.left = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RATE: u64 = 1_000_000;

    fn at_us(us: u64) -> SimTime {
        SimTime::ZERO + Duration::from_micros(us)
    }

    /// A pacer that has sent its unpaced segments at 0.
    fn paced() -> Pacer {
        let mut pacer = Pacer::default();
        (0..UNPACED_SEGMENTS).for_each(|_| pacer.handle_sent(SimTime::ZERO, 1000, RATE, 1));
        pacer
    }

    #[test]
    fn the_first_ten_segments_are_not_paced() {
        let mut pacer = paced();
        assert!(pacer.admits(SimTime::ZERO));
        pacer.handle_sent(SimTime::ZERO, 1000, RATE, 1);
        assert!(!pacer.admits(at_us(999)) && pacer.admits(at_us(1000)));
    }

    #[test]
    fn a_burst_takes_as_long_as_its_bytes_at_the_rate() {
        let mut pacer = paced();
        for _ in 0..3 {
            assert!(pacer.admits(SimTime::ZERO));
            pacer.handle_sent(SimTime::ZERO, 1000, RATE, 3);
        }
        assert!(!pacer.admits(SimTime::ZERO));
        assert_eq!(pacer.next_at(), at_us(3000));
        pacer.handle_sent(at_us(3000), 1000, RATE, 3);
        pacer.end_burst();
        assert!(!pacer.admits(at_us(3000)));
        assert_eq!(pacer.next_at(), at_us(4000));
    }

    // tcp_update_skb_after_send: "take into account OS jitter"
    #[test]
    fn a_late_burst_is_followed_earlier_by_at_most_half_of_its_time() {
        for (late_us, next_us) in [(0, 1000), (300, 1000), (500, 1000), (2000, 2500)] {
            let mut pacer = paced();
            pacer.handle_sent(at_us(late_us), 1000, RATE, 1);
            assert_eq!(pacer.next_at(), at_us(next_us), "{late_us}");
        }
    }
}
