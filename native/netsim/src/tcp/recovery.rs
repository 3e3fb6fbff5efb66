use super::congestion::Halved;
use super::scoreboard::Delivery;

/// Where the sender stands with the repair of losses, and the counters that go with it.
#[derive(Debug, Default)]
pub struct Recovery {
    phase: Phase,
    /// RecoveryPoint (RFC 6675 §2), `recover` (RFC 6582 §3.2): SND.NXT when recovery began.
    point: u64,
    /// Proportional rate reduction (RFC 6937 §3): prr_delivered, prr_out, RecoverFS.
    delivered: u64,
    out: u64,
    prior_cwnd: u64,
    /// The rescue retransmission of this recovery is still to be had (RFC 6675 §4, NextSeg rule 4).
    rescue: bool,
    f_rto: FRto,
    /// cwnd and ssthresh before the timeout.
    before_timeout: Option<(u64, u64)>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Phase {
    #[default]
    Open,
    /// RFC 6675 §5, RFC 6582 §3.2.
    FastRecovery,
    /// After a retransmission timeout (RFC 6675 §5.1).
    Loss,
}

/// F-RTO (RFC 5682 §2.1).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum FRto {
    #[default]
    Off,
    /// Step 2: the next acknowledgement decides whether to try new data.
    Waiting,
    /// Step 2b: new data goes out in place of retransmissions.
    NewData,
}

impl Recovery {
    pub fn phase(&self) -> Phase {
        self.phase
    }

    /// `una` ends the recovery.
    pub fn is_over(&self, una: u64) -> bool {
        una >= self.point
    }

    /// The last recovery covered `una` (RFC 6582 §3.2 step 2).
    pub fn covers(&self, una: u64) -> bool {
        una <= self.point
    }

    pub fn enter_fast_recovery(&mut self, next: u64, prior_cwnd: u64) {
        *self = Recovery { phase: Phase::FastRecovery, point: next, prior_cwnd, rescue: true, ..Recovery::default() };
    }

    pub fn enter_loss(&mut self, next: u64, f_rto: bool) {
        let f_rto = if f_rto { FRto::Waiting } else { FRto::Off };
        let before_timeout = self.before_timeout;
        *self = Recovery { phase: Phase::Loss, point: next, f_rto, before_timeout, ..Recovery::default() };
    }

    pub fn leave(&mut self) {
        *self = Recovery { point: self.point, ..Recovery::default() };
    }

    /// Bytes that may be sent on top of `pipe` after `delivered` more arrived (RFC 6937 §3, with the slow start
    /// reduction bound where the acknowledgement made `progress`, the conservative bound elsewhere).
    /// In whole segments; at least one until the first retransmission is out.
    pub fn proportional_rate(&mut self, pipe: u64, ssthresh: u64, delivered: u64, progress: bool, mss: u64) -> u64 {
        self.delivered += delivered;
        let allowed = if pipe > ssthresh {
            let share = (self.delivered * ssthresh).div_ceil(self.prior_cwnd.max(1));
            share.next_multiple_of(mss).saturating_sub(self.out)
        } else {
            let owed = self.delivered.saturating_sub(self.out).max(delivered);
            let bound = if progress { owed + mss } else { owed };
            bound.min(ssthresh - pipe)
        };
        if self.out == 0 { allowed.max(mss) } else { allowed }
    }

    /// A segment went out.
    pub fn note_sent(&mut self, bytes: u64) {
        self.out += bytes;
    }

    /// The rescue retransmission, once a recovery.
    pub fn take_rescue(&mut self) -> bool {
        std::mem::take(&mut self.rescue)
    }

    /// This timeout lowers ssthresh: the first of its segment (RFC 5681 §3.1, equation 4).
    ///
    /// Linux also leaves ssthresh alone when fast recovery has lowered it for the same window.
    pub fn timeout_reduces(&self, retries: u32, una: u64, halved: Halved) -> bool {
        let reduced_already = halved == Halved::Cwnd && self.phase == Phase::FastRecovery && self.covers(una);
        retries == 1 && !reduced_already
    }

    pub fn note_before_timeout(&mut self, cwnd: u64, ssthresh: u64) {
        self.before_timeout = Some((cwnd, ssthresh));
    }

    /// RFC 5682 §2.1: something that was sent once, before the timeout, was acknowledged after it. Without SACK an
    /// acknowledgement that covers a retransmission as well does not tell: what lay behind the gap may have come before.
    pub fn timeout_was_spurious(&self, delivery: &Delivery, sack: bool) -> bool {
        if !sack && delivery.acked_retransmission {
            return false;
        }
        let original = delivery.segments.iter().any(|segment| segment.sends == 1 && segment.end <= self.point);
        self.f_rto != FRto::Off && original
    }

    /// RFC 5682 §2.1 steps 2 and 3.
    pub fn step_f_rto(&mut self, advanced: bool, delivery: &Delivery, next: u64, can_send_new: bool) {
        self.f_rto = match self.f_rto {
            FRto::Waiting if advanced && can_send_new => {
                self.point = next;
                FRto::NewData
            }
            FRto::Waiting if !advanced && delivery.sacked_bytes == 0 => FRto::Waiting,
            // step 3a: the loss was real, or there is nothing to tell by
            _ => FRto::Off,
        };
    }

    /// RFC 5682 §2.1 step 2b: send new data before retransmissions.
    pub fn prefers_new_data(&self) -> bool {
        self.f_rto == FRto::NewData
    }

    /// Takes the timeout back; gives cwnd and ssthresh from before.
    pub fn undo(&mut self) -> Option<(u64, u64)> {
        let before = self.before_timeout.take();
        self.leave();
        before
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MSS: u64 = 1000;

    // RFC 6937 §3, and its example of a halved window: one segment out for every two delivered
    #[test]
    fn the_window_comes_down_in_proportion_to_what_is_delivered() {
        let mut recovery = Recovery::default();
        recovery.enter_fast_recovery(1, 20 * MSS);
        let mut sent = Vec::new();
        for pipe in (10..18).rev() {
            let allowed = recovery.proportional_rate((pipe + 1) * MSS, 10 * MSS, MSS, false, MSS);
            recovery.note_sent(allowed);
            sent.push(allowed / MSS);
        }
        assert_eq!(sent, [1, 0, 1, 0, 1, 0, 1, 0]);
    }

    // RFC 6937 §3.1
    #[test]
    fn below_ssthresh_the_pipe_grows_by_no_more_than_one_segment_beyond_what_is_delivered() {
        let mut recovery = Recovery::default();
        recovery.enter_fast_recovery(1, 20 * MSS);
        recovery.note_sent(MSS);
        assert_eq!(recovery.proportional_rate(5 * MSS, 10 * MSS, MSS, true, MSS), 2 * MSS);
        assert_eq!(recovery.proportional_rate(5 * MSS, 10 * MSS, MSS, false, MSS), MSS);
    }

    #[test]
    fn the_rescue_retransmission_is_had_once() {
        let mut recovery = Recovery::default();
        recovery.enter_fast_recovery(1, MSS);
        assert!(recovery.take_rescue());
        assert!(!recovery.take_rescue());
    }
}
