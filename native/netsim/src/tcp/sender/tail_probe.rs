use std::time::Duration;

use super::{Ack, Forced, Sender};
use crate::congestion::Phase;
use crate::tcp::scoreboard::Delivery;
use crate::time::SimTime;

/// A tail loss probe that is in flight (RFC 8985 §7.3: TLP.end_seq, TLP.is_retrans).
#[derive(Clone, Copy, Debug)]
pub(super) struct TailProbe {
    /// SND.NXT after the probe.
    end: u64,
    is_retransmission: bool,
}

impl Sender {
    /// Starts the timer of the tail loss probe if a probe is allowed (RFC 8985 §7.2), and stops it otherwise. The timer
    /// runs for `latest` at most. If `latest` is zero, there is no such limit.
    pub(super) fn arm_tail_probe(&mut self, now: SimTime, latest: Duration) {
        let rules = &self.profile.recovery;
        let open = self.recovery.phase() == Phase::Open && self.board.sacked_bytes() == 0;
        if !(rules.tail_loss_probe && self.sack && open && self.probe.is_none()) || self.board.is_empty() {
            self.timers.tail_probe = None;
            return;
        }
        let mut timeout = self.rtt.srtt().map_or(Duration::from_secs(1), |srtt| 2 * srtt);
        if self.board.last_index() == Some(0) {
            // TLP.max_ack_delay, which the RFC leaves to the implementation; Linux uses its minimum RTO, 200 ms by
            // default
            timeout += self.profile.rto.min;
        } else {
            timeout += self.clock.allowance();
        }
        let timeout = if latest.is_zero() { timeout } else { timeout.min(latest) };
        self.timers.tail_probe = Some(self.clock.after(now, timeout));
    }

    /// Chooses the next segment to send: new data, or the last segment again if no new data can be sent. Restarts the
    /// retransmission timer (RFC 8985 §7.3).
    pub(super) fn send_tail_probe(&mut self, now: SimTime) {
        let Some(last) = self.board.last_index() else { return };
        self.timeouts.probe += 1;
        let new_data = self.can_send_new();
        self.forced = Some(if new_data { Forced::NewData } else { Forced::Retransmit(last) });
        self.probe = Some(TailProbe { end: self.next, is_retransmission: !new_data });
        // the acknowledgement of the probe needs a round trip, so the timer restarts
        self.timers.retransmission = Some(self.clock.after(now, self.rtt.rto()));
    }

    /// Moves the probe's end past the new data that was just sent (RFC 8985 §7.3: TLP.end_seq is SND.NXT).
    pub(super) fn extend_tail_probe(&mut self) {
        if let Some(probe) = &mut self.probe {
            probe.end = self.next;
        }
    }

    /// Reduces the window if the probe repaired a loss (RFC 8985 §7.4). `duplicate` says that the acknowledgement moves
    /// neither SND.UNA nor the window, and carries no data.
    pub(super) fn handle_tail_probe_ack(&mut self, ack: &Ack, duplicate: bool, delivery: &Delivery) {
        let Some(probe) = self.probe else { return };
        if ack.number < probe.end {
            return;
        }
        let reported_twice = ack.sack.first().is_some_and(|(_, to)| *to <= ack.number);
        let pure_duplicate = duplicate && delivery.sacked_bytes == 0;
        if !probe.is_retransmission || reported_twice || pure_duplicate {
            self.probe = None;
        } else if ack.number > probe.end {
            self.probe = None;
            self.congestion.handle_repaired_loss();
        }
    }
}
