use std::time::Duration;

use crate::time::SimTime;

/// Spreads datagrams over time by a token bucket (RFC 9002 §7.7), as quic-go does (`internal/congestion/pacer.go`).
///
/// Tokens are bytes. The bucket is full at first. It holds ten datagrams, or what the rate brings in 2 ms if that is
/// more. A datagram is sent if the bucket has enough tokens for a full one. A sender that has to wait for tokens waits
/// until at least 1 ms after its last datagram.
#[derive(Clone, Copy, Debug, Default)]
pub struct TokenBucket {
    /// The tokens that were left after the last datagram, and when it was sent; `None` before the first one.
    left: Option<(u64, SimTime)>,
}

/// What fills the bucket.
#[derive(Clone, Copy, Debug)]
pub struct Refill {
    /// Bytes per second; `None` if the RTT is not known, so that nothing is paced.
    pub rate: Option<u64>,
    /// Size of a full datagram in bytes.
    pub datagram_bytes: u64,
}

impl Refill {
    /// The rate is 1.25 congestion windows in a round trip (RFC 9002 §7.7).
    pub fn of_window(cwnd: u64, srtt: Option<Duration>, datagram_bytes: u64) -> Refill {
        let srtt = srtt.filter(|srtt| !srtt.is_zero());
        let rate = srtt.map(|srtt| (u128::from(cwnd) * 1_250_000_000 / srtt.as_nanos()) as u64);
        Refill { rate: rate.filter(|rate| *rate > 0), datagram_bytes }
    }

    fn most_tokens(self) -> u64 {
        let in_burst_time = self.rate.map_or(0, |rate| bytes_in(rate, BURST_TIME));
        (BURST_DATAGRAMS * self.datagram_bytes).max(in_burst_time)
    }
}

impl TokenBucket {
    /// The bytes that may be sent now, if the rate is known.
    pub fn tokens(&self, now: SimTime, refill: Refill) -> u64 {
        let most = refill.most_tokens();
        match (self.left, refill.rate) {
            (Some((left, at)), Some(rate)) => (left + bytes_in(rate, now.saturating_since(at))).min(most),
            _ => most,
        }
    }

    /// When a sender that waits for tokens tries again; `None` if a full datagram may be sent now.
    pub fn next_at(&self, now: SimTime, refill: Refill) -> Option<SimTime> {
        let ((left, at), rate) = (self.left?, refill.rate?);
        if self.tokens(now, refill) >= refill.datagram_bytes {
            return None;
        }
        let missing = u128::from(refill.datagram_bytes.saturating_sub(left)) * 1_000_000_000;
        let wait = Duration::from_nanos(missing.div_ceil(u128::from(rate)) as u64);
        Some(at + wait.max(LEAST_WAIT))
    }

    /// Notes that a datagram of `bytes` is sent.
    pub fn handle_sent(&mut self, now: SimTime, bytes: u64, refill: Refill) {
        self.left = Some((self.tokens(now, refill).saturating_sub(bytes), now));
    }
}

fn bytes_in(rate: u64, time: Duration) -> u64 {
    u64::try_from(u128::from(rate) * time.as_nanos() / 1_000_000_000).unwrap_or(u64::MAX)
}

/// `maxBurstSizePackets`
const BURST_DATAGRAMS: u64 = 10;
/// `MinPacingDelay` and `TimerGranularity` together
const BURST_TIME: Duration = Duration::from_millis(2);
/// `MinPacingDelay`: a waiting sender does not try again earlier than this after its last datagram.
const LEAST_WAIT: Duration = Duration::from_millis(1);

#[cfg(test)]
mod tests {
    use super::*;

    fn at_ms(ms: u64) -> SimTime {
        SimTime::ZERO + Duration::from_millis(ms)
    }

    /// 32 datagrams in 100 ms: one each 2.5 ms.
    fn refill() -> Refill {
        Refill::of_window(32_000, Some(Duration::from_millis(100)), 1000)
    }

    fn emptied(now: SimTime) -> TokenBucket {
        let mut bucket = TokenBucket::default();
        (0..10).for_each(|_| bucket.handle_sent(now, 1000, refill()));
        bucket
    }

    #[test]
    fn ten_datagrams_are_sent_at_once_and_the_others_at_the_rate() {
        let mut bucket = TokenBucket::default();
        for sent in 0..10 {
            assert_eq!(bucket.next_at(at_ms(0), refill()), None, "{sent}");
            bucket.handle_sent(at_ms(0), 1000, refill());
        }
        let first = SimTime::ZERO + Duration::from_micros(2500);
        assert_eq!(bucket.next_at(at_ms(0), refill()), Some(first));
        assert_eq!(bucket.next_at(first, refill()), None);
        bucket.handle_sent(first, 1000, refill());
        assert_eq!(bucket.next_at(first, refill()), Some(at_ms(5)));
    }

    #[test]
    fn a_sender_that_waited_may_send_ten_datagrams_again_and_not_more() {
        let bucket = emptied(at_ms(0));
        assert_eq!(bucket.tokens(at_ms(10), refill()), 4000);
        assert_eq!(bucket.tokens(at_ms(1000), refill()), 10_000);
    }

    #[test]
    fn at_a_high_rate_the_bucket_holds_what_comes_in_two_milliseconds() {
        let fast = Refill::of_window(10_000_000, Some(Duration::from_millis(100)), 1000);
        assert_eq!(TokenBucket::default().tokens(at_ms(0), fast), 250_000);
        // tokens for a datagram come after 8 µs, but the sender waits for a millisecond
        let mut bucket = TokenBucket::default();
        bucket.handle_sent(at_ms(0), 250_000, fast);
        assert_eq!(bucket.next_at(at_ms(0), fast), Some(at_ms(1)));
    }

    #[test]
    fn without_an_rtt_nothing_is_paced() {
        let unknown = Refill::of_window(32_000, None, 1000);
        assert_eq!(emptied(at_ms(0)).next_at(at_ms(0), unknown), None);
        assert_eq!(Refill::of_window(32_000, Some(Duration::ZERO), 1000).rate, None);
    }
}
