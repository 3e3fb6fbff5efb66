//! The sender's detection of losses and its reaction to them.

use super::{Forced, Sender};
use crate::congestion::{Counting, Phase};
use crate::tcp::profile::LossDetection;
use crate::tcp::scoreboard::{DUP_THRESH, Delivery, Lost};
use crate::time::SimTime;

impl Sender {
    /// Detects losses, reacts to ECN marks, and enters and leaves fast recovery and the recovery from a timeout
    /// ([`Phase`]).
    pub(super) fn react(&mut self, now: SimTime, advanced: bool, hears_marks: bool, delivery: &Delivery) {
        self.end_reduction();
        let was = self.recovery.phase();
        if was != Phase::Open && self.recovery.is_at_point(self.una) && self.holds_recovery() {
            self.board.forget_duplicates();
            let nothing = Delivery { prior_in_flight: delivery.prior_in_flight, ..Delivery::default() };
            let delivery = if advanced { delivery } else { &nothing };
            return self.report(now, advanced, delivery, &Lost::default());
        }
        if advanced && was != Phase::Open && self.recovery.is_over(self.una) {
            self.leave_recovery(was);
        }
        let in_loss = self.recovery.phase() == Phase::Loss;
        if in_loss && self.recovery.timeout_was_spurious(delivery, self.sack) {
            self.undo_timeout();
        }
        let lost = self.detect_loss(now, advanced, delivery);
        self.recovery.note_lost(&lost);
        match self.recovery.phase() {
            Phase::Open if lost.any => self.enter_fast_recovery(),
            // as in Linux, the loss of a retransmission is a new indication of congestion
            Phase::Loss if lost.retransmission => self.enter_fast_recovery(),
            Phase::Loss => self.recovery.step_f_rto(advanced, delivery, self.next, self.can_send_new()),
            Phase::Open if hears_marks => self.reduce_for_marks(),
            Phase::Open | Phase::FastRecovery | Phase::Reduction => {}
        }
        // In Linux the acknowledgement that ends fast recovery also makes the window grow. The RFCs do not say this.
        let grows = was != Phase::FastRecovery || self.profile.congestion.counting == Counting::Segments;
        let in_recovery = self.recovery.phase() == Phase::FastRecovery;
        self.report(now, advanced && (grows || in_recovery), delivery, &lost);
    }

    /// Whether recovery only ends when something beyond its point is acknowledged. Until then, duplicates may still be
    /// caused by retransmissions of this recovery (RFC 6582 §3.2 step 2; Linux: `tcp_is_non_sack_preventing_reopen`).
    fn holds_recovery(&self) -> bool {
        !self.sack && self.profile.congestion.counting == Counting::Segments
    }

    /// Handles the expiry of the reordering timer (RFC 8985 §6.2 step 5). If fast recovery starts, one segment may be
    /// sent, as if one had been delivered (Linux: `tcp_rack_reo_timeout`).
    pub(super) fn handle_reordering_timeout(&mut self, now: SimTime) {
        let lost = self.detect_loss(now, false, &Delivery::default());
        self.recovery.note_lost(&lost);
        if lost.any && self.recovery.phase() != Phase::FastRecovery {
            self.enter_fast_recovery();
            self.report_delivered(now, false, self.mss, &Delivery::default(), &lost);
        }
        if self.timers.reordering.is_none() && !self.board.is_empty() {
            self.timers.retransmission = Some(self.clock.after(now, self.until_timeout(now)));
        }
    }

    fn detect_loss(&mut self, now: SimTime, advanced: bool, delivery: &Delivery) -> Lost {
        if !self.sack {
            return self.detect_loss_by_duplicates(advanced);
        }
        if self.profile.recovery.detection == LossDetection::DupThresh {
            let in_loss = self.recovery.phase() == Phase::Loss;
            let looks = !in_loss && delivery.sacked_bytes > 0;
            return if looks { self.board.mark_lost_by_sack() } else { Lost::default() };
        }
        let context = self.rack_context(now);
        self.rack.handle_delivery(&context, delivery);
        self.timers.reordering = None;
        // the common case: no segment is outstanding that was sent before the delivered segments
        let in_order = self.board.sacked_bytes() == 0 && !self.board.has_retransmissions();
        if in_order && self.board.first().is_none_or(|first| !self.rack.has_passed(first)) {
            return Lost::default();
        }
        let (lost, look_again) = self.rack.detect_loss(&context, &mut self.board);
        self.timers.reordering =
            look_again.map(|at| self.clock.after(now, at.saturating_since(now) + self.clock.allowance()));
        lost
    }

    /// Detects losses without SACK: by the third duplicate acknowledgement, and in fast recovery by each partial
    /// acknowledgement (RFC 6582 §3.2).
    fn detect_loss_by_duplicates(&mut self, advanced: bool) -> Lost {
        let any = match self.recovery.phase() {
            Phase::Open => {
                // step 2: duplicates for data that the last recovery covered do not start a new recovery
                let covered = self.recovery.covers(self.una);
                !covered && self.board.duplicates() >= DUP_THRESH && self.board.mark_first_lost()
            }
            Phase::FastRecovery => advanced && self.board.mark_first_lost(),
            Phase::Loss | Phase::Reduction => false,
        };
        Lost { any, segments: u64::from(any), ..Lost::default() }
    }

    /// Starts fast recovery (RFC 6675 §5 step 4; RFC 6582 §3.2 step 2).
    fn enter_fast_recovery(&mut self) {
        let reduction = self.marks.end_by_loss();
        if reduction.is_none() {
            self.congestion.enter_recovery(self.board.outstanding_bytes());
            self.marks.note_reduced();
        }
        self.recovery.enter_fast_recovery(reduction.map_or(self.next, |reduction| reduction.point));
        // as in Linux (tcp_init_cwnd_reduction), a tail loss probe that repairs a loss causes no second reduction
        (self.probe, self.timers.tail_probe) = (None, None);
        self.forced = self.board.next_lost().map(Forced::Retransmit);
    }

    fn leave_recovery(&mut self, phase: Phase) {
        if phase == Phase::FastRecovery {
            self.congestion.leave_recovery();
        }
        self.board.forget_duplicates();
        let lost_within = self.recovery.has_lost_within();
        self.recovery.leave();
        if self.profile.congestion.counting == Counting::Segments {
            // in Linux only losses that are not repaired yet start another recovery
            if self.board.has_lost() {
                self.enter_fast_recovery();
            }
            return;
        }
        // RFC 5681 §4.3: losses in two windows are two indications of congestion
        if lost_within && self.board.has_lost() {
            self.enter_fast_recovery();
        } else if lost_within {
            self.congestion.handle_repaired_loss();
        }
    }

    /// Handles the expiry of the retransmission timer (RFC 5681 §3.1, RFC 6298 §5.4–5.6, RFC 6675 §5.1).
    pub(super) fn handle_retransmission_timeout(&mut self, now: SimTime) {
        self.retries += 1;
        let Some(first) = self.board.first().copied() else { return };
        self.timeouts.retransmission += 1;
        // RFC 5681 §3.1: a repeated timeout of a segment does not change ssthresh
        let is_reduced = self.marks.end_by_loss().is_some();
        if self.recovery.timeout_reduces(self.retries, is_reduced, self.profile.congestion.halved) {
            self.marks.note_reduced();
            self.congestion.handle_timeout(self.board.outstanding_bytes());
        }
        // In RFC 2018 §8, every timeout removes the marks of SACK. We keep the marks, as Linux does, unless the first
        // segment is marked: a receiver that still had this segment would have acknowledged it cumulatively.
        if first.sacked {
            self.board.forget_sacked();
        }
        let is_new = self.recovery.phase() != Phase::Loss || self.retries > 1;
        self.mark_lost_after_timeout(now, first.seq);
        self.recovery.enter_loss(self.next, self.profile.recovery.f_rto && is_new);
        self.congestion.start_loss_window(self.pipe());
        self.probe = None;
        (self.timers.tail_probe, self.timers.reordering) = (None, None);
        self.rtt.back_off();
        self.timers.retransmission = Some(self.clock.after(now, self.rtt.rto()));
        self.forced = Some(Forced::Retransmit(0));
    }

    /// Marks as lost all segments that are not selectively acknowledged. With RACK, segments that were sent less than a
    /// round trip ago are not marked. The segment that starts at `first` is always marked (RFC 8985 §6.3).
    fn mark_lost_after_timeout(&mut self, now: SimTime, first: u64) {
        let by_time = self.sack && self.profile.recovery.detection == LossDetection::Rack;
        let context = self.rack_context(now);
        let rack = &self.rack;
        self.board
            .mark_lost_after_timeout(|segment| by_time && segment.seq != first && rack.is_recent(&context, segment));
    }

    /// Undoes the effects of a spurious timeout (RFC 5682 §3.1 step 3b).
    fn undo_timeout(&mut self) {
        self.congestion.undo_timeout();
        self.recovery.leave();
        self.board.unmark_lost();
    }
}
