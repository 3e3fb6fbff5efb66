use super::scoreboard::{Delivery, Lost};
use crate::congestion::{Halved, Phase};

/// The phase of the sender's loss repair, and the state of this phase.
#[derive(Debug, Default)]
pub struct Recovery {
    phase: Phase,
    /// RecoveryPoint (RFC 6675 §2), `recover` (RFC 6582 §3.2): SND.NXT when recovery began. If the recovery continues a
    /// reduction of the window because of ECN marks, this is SND.NXT when that reduction began. Step 2b of F-RTO sets
    /// it to the current SND.NXT.
    point: u64,
    /// Whether the rescue retransmission of this recovery may still be sent (RFC 6675 §4, NextSeg rule 4).
    rescue: bool,
    /// Whether a segment that was first sent during this recovery has been deemed lost.
    lost_within: bool,
    /// Whether a partial acknowledgement has arrived during this recovery.
    partial_seen: bool,
    f_rto: FRto,
}

/// The state of F-RTO, the detection of spurious timeouts (RFC 5682 §2.1).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum FRto {
    #[default]
    Off,
    /// Step 2: the next acknowledgement decides whether new data is sent.
    Waiting,
    /// Step 2b: new data is sent instead of retransmissions.
    NewData,
}

impl Recovery {
    pub fn phase(&self) -> Phase {
        self.phase
    }

    /// Whether an acknowledgement up to `una` ends the recovery.
    pub fn is_over(&self, una: u64) -> bool {
        una >= self.point
    }

    /// Whether an acknowledgement up to `una` ends exactly at the recovery point.
    pub fn is_at_point(&self, una: u64) -> bool {
        una == self.point
    }

    /// Whether `una` is not beyond the point of the last recovery, so that duplicates may be due to that recovery (RFC
    /// 6582 §3.2 step 2).
    pub fn covers(&self, una: u64) -> bool {
        una <= self.point
    }

    /// Notes that losses were detected.
    pub fn note_lost(&mut self, lost: &Lost) {
        self.lost_within |= self.phase != Phase::Open && lost.end > self.point;
    }

    /// Whether data that was sent during this recovery was lost. Such a loss is in another window and causes another
    /// reduction (RFC 5681 §4.3).
    ///
    /// RFC 5681 §4.3 also counts the loss of a retransmission. We do not count it, and neither does Linux in fast
    /// recovery.
    pub fn has_lost_within(&self) -> bool {
        self.lost_within
    }

    /// Returns true at the first partial acknowledgement of a recovery (RFC 6582 §3.2 step 3).
    pub fn take_first_partial(&mut self) -> bool {
        !std::mem::replace(&mut self.partial_seen, true)
    }

    pub fn enter_fast_recovery(&mut self, next: u64) {
        *self = Recovery { phase: Phase::FastRecovery, point: next, rescue: true, ..Recovery::default() };
    }

    pub fn enter_loss(&mut self, next: u64, f_rto: bool) {
        let f_rto = if f_rto { FRto::Waiting } else { FRto::Off };
        *self = Recovery { phase: Phase::Loss, point: next, f_rto, ..Recovery::default() };
    }

    pub fn leave(&mut self) {
        *self = Recovery { point: self.point, ..Recovery::default() };
    }

    /// Requests the rescue retransmission. Returns true once in each fast recovery.
    pub fn take_rescue(&mut self) -> bool {
        std::mem::take(&mut self.rescue)
    }

    /// Whether this timeout lowers ssthresh. Only the first timeout of a segment lowers it (RFC 5681 §3.1, equation 4).
    ///
    /// With [`Halved::Cwnd`], as in Linux, a timeout does not lower ssthresh if fast recovery or a mark has already
    /// lowered it for this window.
    pub fn timeout_reduces(&self, retries: u32, reduced_by_mark: bool, halved: Halved) -> bool {
        let reduced_already = halved == Halved::Cwnd && (self.phase == Phase::FastRecovery || reduced_by_mark);
        retries == 1 && !reduced_already
    }

    /// Whether F-RTO shows that the timeout was spurious: a segment that ends at or before the recovery point and was
    /// sent only once was acknowledged after the timeout (RFC 5682 §2.1). Without SACK an acknowledgement that also
    /// covers a retransmission proves nothing, because the segments behind the gap may have arrived before the timeout.
    pub fn timeout_was_spurious(&self, delivery: &Delivery, sack: bool) -> bool {
        if !sack && delivery.acked_retransmission {
            return false;
        }
        let original = delivery.segments.iter().any(|segment| segment.sends == 1 && segment.end <= self.point);
        self.f_rto != FRto::Off && original
    }

    /// Advances F-RTO (RFC 5682 §2.1 steps 2 and 3).
    pub fn step_f_rto(&mut self, advanced: bool, delivery: &Delivery, next: u64, can_send_new: bool) {
        self.f_rto = match self.f_rto {
            FRto::Waiting if advanced && can_send_new => {
                self.point = next;
                FRto::NewData
            }
            FRto::Waiting if !advanced && delivery.sacked_bytes == 0 => FRto::Waiting,
            // step 3a: the loss was real, or this cannot be determined
            _ => FRto::Off,
        };
    }

    /// Whether new data is to be sent before retransmissions (RFC 5682 §2.1 step 2b).
    pub fn prefers_new_data(&self) -> bool {
        self.f_rto == FRto::NewData
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::congestion::AtSending;
    use crate::tcp::scoreboard::SentSegment;
    use crate::time::SimTime;

    #[test]
    fn the_rescue_retransmission_is_available_once() {
        let mut recovery = Recovery::default();
        recovery.enter_fast_recovery(1);
        assert!(recovery.take_rescue());
        assert!(!recovery.take_rescue());
    }

    fn segment(end: u64, sends: u32) -> SentSegment {
        let sent_at = SimTime::ZERO;
        SentSegment {
            seq: end - 10,
            end,
            sent_at,
            sends,
            sacked: false,
            lost: true,
            retransmitted: false,
            at_sending: AtSending::default(),
        }
    }

    fn delivery(segments: &[SentSegment]) -> Delivery {
        Delivery { segments: segments.to_vec(), ..Delivery::default() }
    }

    fn after_timeout() -> Recovery {
        let mut recovery = Recovery::default();
        recovery.enter_loss(100, true);
        recovery
    }

    // RFC 5682 §2.1 steps 2 and 3
    #[test]
    fn f_rto_prefers_new_data_after_the_first_acknowledgement_that_advances() {
        let sacked = Delivery { sacked_bytes: 10, ..Delivery::default() };
        let nothing = Delivery::default();
        // the acknowledgements (whether SND.UNA advances, what is delivered, whether new data can be sent), and whether
        // new data is preferred afterwards
        for (steps, prefers) in [
            (&[(true, &nothing, true)][..], true),
            (&[(true, &sacked, true)], true),
            (&[(true, &nothing, false)], false),
            (&[(true, &nothing, false), (true, &nothing, true)], false),
            (&[(false, &nothing, true)], false),
            (&[(false, &nothing, true), (true, &nothing, true)], true),
            (&[(false, &sacked, true), (true, &nothing, true)], false),
            (&[(true, &nothing, true), (false, &nothing, true)], false),
            (&[(true, &nothing, true), (true, &nothing, true), (true, &nothing, true)], false),
        ] {
            let mut recovery = after_timeout();
            for (advanced, delivery, can_send_new) in steps {
                recovery.step_f_rto(*advanced, delivery, 150, *can_send_new);
            }
            assert_eq!(recovery.prefers_new_data(), prefers, "{steps:?}");
        }
        let mut without = Recovery::default();
        without.enter_loss(100, false);
        without.step_f_rto(true, &nothing, 150, true);
        assert!(!without.prefers_new_data());
    }

    // RFC 5682 §2.1 step 3b
    #[test]
    fn a_timeout_was_spurious_if_data_that_was_sent_only_before_the_timeout_is_acknowledged() {
        let recovery = after_timeout();
        assert!(recovery.timeout_was_spurious(&delivery(&[segment(100, 1)]), true));
        assert!(recovery.timeout_was_spurious(&delivery(&[segment(50, 2), segment(90, 1)]), false));
        assert!(!recovery.timeout_was_spurious(&delivery(&[segment(100, 2)]), true), "a retransmission");
        assert!(
            !recovery.timeout_was_spurious(&delivery(&[segment(101, 1)]), true),
            "the segment was sent after the timeout"
        );
        assert!(!recovery.timeout_was_spurious(&Delivery::default(), true));
        let with_retransmission = Delivery { acked_retransmission: true, ..delivery(&[segment(90, 1)]) };
        assert!(recovery.timeout_was_spurious(&with_retransmission, true));
        assert!(
            !recovery.timeout_was_spurious(&with_retransmission, false),
            "the segment may have arrived before the timeout"
        );
        let mut later = after_timeout();
        later.step_f_rto(true, &Delivery::default(), 150, true);
        assert!(later.timeout_was_spurious(&delivery(&[segment(150, 1)]), true), "the recovery point has moved");
        let mut without = Recovery::default();
        without.enter_loss(100, false);
        assert!(!without.timeout_was_spurious(&delivery(&[segment(100, 1)]), true));
    }
}
