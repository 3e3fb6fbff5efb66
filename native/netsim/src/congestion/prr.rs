/// Proportional rate reduction, which lowers cwnd to ssthresh in fast recovery (RFC 9937, which replaces RFC 6937). All
/// values are in bytes.
#[derive(Clone, Debug)]
pub struct ProportionalRate {
    /// RecoverFS: the FlightSize or cwnd from which ssthresh was computed when recovery began.
    reduced: u64,
    /// prr_delivered of RFC 9937.
    delivered: u64,
    /// prr_out of RFC 9937.
    out: u64,
}

impl ProportionalRate {
    pub fn new(reduced: u64) -> Self {
        ProportionalRate { reduced, delivered: 0, out: 0 }
    }

    /// Notes that a segment was sent.
    pub fn handle_sent(&mut self, bytes: u64) {
        self.out += bytes;
    }

    /// Returns how many bytes may be sent on top of `pipe` after `delivered` more bytes were delivered. If `pipe` is at
    /// most `ssthresh`, a bound applies: the slow start reduction bound if the acknowledgement made `progress` (SafeACK),
    /// otherwise the conservative reduction bound. RFC 9937 chooses the bound for each acknowledgement, and both bounds
    /// allow what was just delivered. At least one segment is allowed until something is sent in this recovery.
    pub fn allowed(&mut self, pipe: u64, ssthresh: u64, delivered: u64, progress: bool, mss: u64) -> u64 {
        self.delivered += delivered;
        let allowed = if pipe > ssthresh {
            let share = (self.delivered * ssthresh).div_ceil(self.reduced.max(1));
            share.next_multiple_of(mss).saturating_sub(self.out)
        } else {
            let owed = self.delivered.saturating_sub(self.out).max(delivered);
            let bound = if progress { owed + mss } else { owed };
            bound.min(ssthresh - pipe)
        };
        if self.out == 0 { allowed.max(mss) } else { allowed }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MSS: u64 = 1000;

    // RFC 6937 §3, with its example of a halved window: one segment is sent for every two that are delivered
    #[test]
    fn the_window_falls_in_proportion_to_the_delivered_bytes() {
        let mut rate = ProportionalRate::new(20 * MSS);
        let mut sent = Vec::new();
        for pipe in (10..18).rev() {
            let allowed = rate.allowed((pipe + 1) * MSS, 10 * MSS, MSS, false, MSS);
            rate.handle_sent(allowed);
            sent.push(allowed / MSS);
        }
        assert_eq!(sent, [1, 0, 1, 0, 1, 0, 1, 0]);
    }

    // RFC 6937 §3.1
    #[test]
    fn below_ssthresh_the_pipe_grows_by_at_most_one_segment_beyond_the_delivered_bytes() {
        let mut rate = ProportionalRate::new(20 * MSS);
        rate.handle_sent(MSS);
        assert_eq!(rate.allowed(5 * MSS, 10 * MSS, MSS, true, MSS), 2 * MSS);
        assert_eq!(rate.allowed(5 * MSS, 10 * MSS, MSS, false, MSS), MSS);
    }

    // RFC 6937 §3.1: at most ssthresh is in flight; §3: what was delivered and not replaced yet may be sent
    #[test]
    fn below_ssthresh_delivered_bytes_are_replaced_until_ssthresh_is_in_flight() {
        let mut rate = ProportionalRate::new(20 * MSS);
        rate.handle_sent(MSS);
        assert_eq!(rate.allowed(4 * MSS, 10 * MSS, 5 * MSS, false, MSS), 5 * MSS);
        assert_eq!(rate.allowed(9 * MSS, 10 * MSS, MSS, true, MSS), MSS);
        assert_eq!(rate.allowed(4 * MSS, 10 * MSS, 0, false, MSS), 5 * MSS, "6 were delivered and 1 was sent");
    }

    // RFC 6937 §3: the retransmission that starts recovery is sent whatever the proportion allows
    #[test]
    fn the_first_retransmission_is_always_allowed() {
        let mut rate = ProportionalRate::new(20 * MSS);
        assert_eq!(rate.allowed(19 * MSS, 10 * MSS, 0, false, MSS), MSS);
        rate.handle_sent(MSS);
        assert_eq!(rate.allowed(19 * MSS, 10 * MSS, 0, false, MSS), 0);
    }
}
