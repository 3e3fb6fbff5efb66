//! The sender's reaction to ECN marks (RFC 3168 §6.1.2, RFC 9768 §3.2.2.5.2).

use super::{Ack, Sender};
use crate::congestion::{MarkResponse, Phase};
use crate::packet::{Ecn, EcnMode};
use crate::tcp::ecn::FIRST_ACE;
use crate::tcp::scoreboard::Delivery;
use crate::tcp::segment::EcnFlags;

/// What the sender knows of ECN marks.
#[derive(Debug, Default)]
pub(super) struct Marks {
    pub mode: EcnMode,
    /// The number of marked packets, modulo 8, that the peer has reported (s.cep of RFC 9768 §3.2.2 minus its initial
    /// value of 5).
    reported: u8,
    /// Whether the next segment with new data has to tell the peer that the window was reduced.
    is_reduction_due: bool,
    reduction: Option<Reduction>,
}

/// A reduction of the window because of marks. It lasts until data is acknowledged that was sent after it began.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Reduction {
    /// SND.NXT when the reduction began.
    pub point: u64,
    pub response: MarkResponse,
}

impl Marks {
    /// Whether a reduction is in progress that treats marks as losses ([`MarkResponse::LikeLoss`]).
    pub fn is_reducing(&self) -> bool {
        self.reduction.is_some_and(|reduction| reduction.response == MarkResponse::LikeLoss)
    }

    /// Notes that the window was reduced. With classic ECN, the next segment with new data tells the peer.
    pub fn note_reduced(&mut self) {
        self.is_reduction_due = self.mode == EcnMode::Classic;
    }

    /// Ends the current reduction because a loss was detected. Returns the reduction if the loss must not reduce the
    /// window again: the window falls only once in a round trip (RFC 3168 §6.1.2). A window that fell in proportion to
    /// marks falls again, as with any loss (RFC 8257 §3.5).
    pub fn end_by_loss(&mut self) -> Option<Reduction> {
        self.reduction.take().filter(|reduction| reduction.response == MarkResponse::LikeLoss)
    }
}

impl Sender {
    /// Handles what an acknowledgement reports about marks. Returns true if the window is to be reduced.
    pub(super) fn hears_marks(&mut self, ack: &Ack, delivery: &Delivery) -> bool {
        match self.marks.mode {
            EcnMode::Off => false,
            EcnMode::Classic => ack.ecn_flags.ece,
            EcnMode::L4s => {
                let packets = self.newly_marked(ack.ecn_flags, delivery.segments.len() as u64);
                self.congestion.handle_marked(packets * self.mss);
                packets > 0
            }
        }
    }

    /// Returns how many more packets the peer reports as marked. The report is modulo 8. If it changed and eight or
    /// more packets were acknowledged, the result is the largest number up to `acked` that fits the report (RFC 9768
    /// §3.2.2.5.2). The report of an acknowledgement without progress is ignored, because it may be old.
    pub(super) fn newly_marked(&mut self, flags: EcnFlags, acked: u64) -> u64 {
        if acked == 0 {
            return 0;
        }
        let told = flags.number().wrapping_sub(FIRST_ACE + self.marks.reported) % ACE_VALUES;
        self.marks.reported = (self.marks.reported + told) % ACE_VALUES;
        let (told, values) = (u64::from(told), u64::from(ACE_VALUES));
        if acked < values || told == 0 { told } else { acked - (acked - told) % values }
    }

    /// Ends the reduction if data beyond its point is acknowledged (Linux: `tcp_fastretrans_alert`).
    pub(super) fn end_reduction(&mut self) {
        if self.marks.reduction.is_some_and(|reduction| self.una > reduction.point) {
            if self.marks.is_reducing() {
                self.congestion.leave_recovery();
            }
            self.marks.reduction = None;
        }
    }

    /// Reduces the window because of marks, unless marks or losses have already reduced it in this round trip (RFC 3168
    /// §6.1.2).
    pub(super) fn reduce_for_marks(&mut self) {
        if self.recovery.phase() != Phase::Open || self.marks.reduction.is_some() {
            return;
        }
        let response = self.congestion.reduce_for_marks(self.board.outstanding_bytes());
        self.marks.reduction = Some(Reduction { point: self.next, response });
        self.marks.note_reduced();
    }

    /// The codepoint of a segment with `bytes` of data, and whether it tells the peer of a smaller window. Without
    /// accurate feedback, only new data uses ECN (RFC 3168 §6.1.4, §6.1.5). Retransmissions may use it with accurate
    /// feedback (RFC 8311 §4.3).
    pub fn codepoint(&mut self, bytes: usize, is_retransmission: bool) -> (Ecn, bool) {
        match self.marks.mode {
            _ if bytes == 0 => (Ecn::NotEct, false),
            EcnMode::Classic if is_retransmission => (Ecn::NotEct, false),
            mode => (mode.codepoint(), std::mem::take(&mut self.marks.is_reduction_due)),
        }
    }
}

/// The number of values of ACE, the counter of three bits in which the peer reports marks (RFC 9768 §3.2.2).
const ACE_VALUES: u8 = 8;
