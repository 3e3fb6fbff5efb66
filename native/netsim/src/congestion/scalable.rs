use std::time::Duration;

/// The share of marked bytes, by which a scalable congestion control reduces its window (RFC 8257 §3.3), with the
/// integer arithmetic of Linux (net/ipv4/tcp_dctcp.c).
#[derive(Clone, Debug)]
pub struct MarkedShare {
    /// DCTCP.Alpha, in 1/1024.
    alpha: u64,
    /// Bytes that were acknowledged in this round.
    acked: u64,
    /// How many of the bytes of this round had marks.
    marked: u64,
    /// The round ends when SND.UNA reaches this sequence number.
    round_end: u64,
    /// The pacing rate, bytes a second; `None` before the first RTT.
    pacing_rate: Option<u64>,
}

const SCALE: u64 = 1024;
/// g = 1/16 (RFC 8257 §4.2).
const GAIN_SHIFT: u32 = 4;

impl Default for MarkedShare {
    /// Alpha begins with 1, so a mark in the first round trips nearly halves the window (RFC 8257 §3.3).
    fn default() -> Self {
        MarkedShare { alpha: SCALE, acked: 0, marked: 0, round_end: 0, pacing_rate: None }
    }
}

impl MarkedShare {
    /// Notes that `bytes` of the delivered bytes had marks.
    pub fn handle_marked(&mut self, bytes: u64) {
        self.marked += bytes;
    }

    /// Notes delivered bytes. At the end of a round, alpha moves toward the round's share of marked bytes.
    pub fn handle_ack(&mut self, delivered: u64, una: u64, next: u64) {
        self.acked += delivered;
        if una < self.round_end {
            return;
        }
        let decay = self.alpha >> GAIN_SHIFT;
        self.alpha -= if decay == 0 { self.alpha } else { decay };
        let share = (self.marked * (SCALE >> GAIN_SHIFT)) / self.acked.max(1);
        self.alpha = (self.alpha + share).min(SCALE);
        (self.acked, self.marked, self.round_end) = (0, 0, next);
    }

    /// Returns the window after a reduction by half of alpha (RFC 8257 §3.3, equation 4).
    pub fn reduced(&self, window: u64) -> u64 {
        window - window * self.alpha / (2 * SCALE)
    }

    /// Sets the pacing rate. It is 120 % of `cwnd` bytes in an RTT, and 200 % in slow start, so that the window can
    /// grow (Linux: `tcp_update_pacing_rate`).
    pub fn set_pacing_rate(&mut self, cwnd: u64, srtt: Duration, in_slow_start: bool) {
        let percent = if in_slow_start { 200 } else { 120 };
        let ns = srtt.as_nanos();
        let rate = u128::from(cwnd) * percent * 10_000_000 / ns.max(1);
        self.pacing_rate = (ns > 0).then(|| u64::try_from(rate).unwrap_or(u64::MAX));
    }

    /// The rate in bytes a second; `None` before the first RTT.
    pub fn pacing_rate(&self) -> Option<u64> {
        self.pacing_rate
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Runs a round of 100 bytes, of which `marked` have marks.
    fn round(share: &mut MarkedShare, marked: u64) -> u64 {
        let next = share.round_end + 100;
        share.handle_marked(marked);
        share.handle_ack(100, share.round_end, next);
        share.alpha
    }

    // RFC 8257 §3.3: alpha = (1 - g) · alpha + g · M
    #[test]
    fn alpha_follows_the_share_of_marked_bytes() {
        let mut share = MarkedShare::default();
        assert_eq!(round(&mut share, 100), SCALE);
        assert_eq!(round(&mut share, 0), 960);
        assert_eq!(round(&mut share, 50), 900 + 32);
        for _ in 0..200 {
            round(&mut share, 25);
        }
        assert!((SCALE / 4).abs_diff(share.alpha) < 16, "{}", share.alpha);
        for _ in 0..200 {
            round(&mut share, 0);
        }
        assert_eq!(share.alpha, 0);
    }

    #[test]
    fn a_round_lasts_until_what_was_sent_in_it_is_acknowledged() {
        let mut share = MarkedShare { alpha: 0, round_end: 1000, ..MarkedShare::default() };
        share.handle_marked(100);
        share.handle_ack(100, 999, 2000);
        assert_eq!(share.alpha, 0);
        share.handle_ack(100, 1000, 2000);
        assert_eq!((share.alpha, share.round_end), (32, 2000));
    }

    #[test]
    fn the_window_falls_by_half_of_alpha() {
        for (alpha, reduced) in [(0, 10_000), (SCALE / 4, 8750), (SCALE, 5000)] {
            assert_eq!(MarkedShare { alpha, ..MarkedShare::default() }.reduced(10_000), reduced);
        }
    }

    #[test]
    fn a_window_is_spread_over_an_rtt() {
        let mut share = MarkedShare::default();
        for (in_slow_start, rate) in [(true, 200_000), (false, 120_000)] {
            share.set_pacing_rate(10_000, Duration::from_millis(100), in_slow_start);
            assert_eq!(share.pacing_rate(), Some(rate));
        }
    }
}
