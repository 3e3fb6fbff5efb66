use std::time::Duration;

use super::scoreboard::{DUP_THRESH, Delivery, Lost, Scoreboard, SentSegment};
use crate::time::SimTime;

/// Loss detection by time: a segment is lost if another segment was delivered that was sent sufficiently later (RFC
/// 8985 §6).
#[derive(Debug, Default)]
pub struct Rack {
    /// When RACK.segment was sent. RACK.segment is the delivered segment that was sent last.
    sent_at: SimTime,
    /// Where RACK.segment ends.
    end: u64,
    /// The RTT of the segment that was delivered last.
    rtt: Option<Duration>,
    /// The highest sequence number that was delivered (RACK.fack).
    forward_ack: u64,
    reordering_seen: bool,
}

/// The time, and the values of the connection that the detection of losses needs.
#[derive(Clone, Copy, Debug)]
pub struct RackContext {
    pub now: SimTime,
    pub in_recovery: bool,
    pub min_rtt: Duration,
    pub srtt: Duration,
}

impl Rack {
    /// Handles newly delivered segments (RFC 8985 §6.2, steps 2 and 3). The caller does step 1, which measures
    /// `min_rtt`.
    ///
    /// In step 3 of the RFC, each delivered segment moves RACK.fack immediately. We compare with RACK.fack from before
    /// the acknowledgement, as Linux does (`prior_fack` of `tcp_ack`). An acknowledgement that follows a lost one often
    /// reports a selectively acknowledged segment together with earlier segments, and their order is not known.
    pub fn handle_delivery(&mut self, context: &RackContext, delivery: &Delivery) {
        let forward_ack = self.forward_ack;
        for segment in &delivery.segments {
            let rtt = context.now.saturating_since(segment.sent_at);
            // step 2: an acknowledgement this early is for an earlier transmission
            if segment.sends > 1 && rtt < context.min_rtt {
                continue;
            }
            // Linux (`tcp_rack_advance`) takes the RTT of every delivered segment; the RFC takes it only if the segment
            // becomes RACK.segment
            self.rtt = Some(rtt);
            if sent_after(segment.sent_at, segment.end, self.sent_at, self.end) {
                (self.sent_at, self.end) = (segment.sent_at, segment.end);
            }
            // step 3: a segment was reordered if it was sent once and arrived after a later segment
            self.reordering_seen |= segment.end < forward_ack && segment.sends == 1;
            self.forward_ack = self.forward_ack.max(segment.end);
        }
    }

    /// Marks lost segments (RFC 8985 §6.2, step 5). Returns the newly marked segments, and when to call this again.
    pub fn detect_loss(&self, context: &RackContext, board: &mut Scoreboard) -> (Lost, Option<SimTime>) {
        let Some(rtt) = self.rtt else { return (Lost::default(), None) };
        let window = self.reordering_window(context, board);
        let (mut found, mut look_again) = (Lost::default(), None::<SimTime>);
        // the search stops at a segment that was sent once, and later than all delivered segments, because the segments
        // behind it were sent even later
        let candidates: Vec<usize> = board
            .segments()
            .enumerate()
            .take_while(|(_, segment)| segment.sends > 1 || self.has_passed(segment))
            .filter(|(_, segment)| self.is_candidate(segment))
            .map(|(index, _)| index)
            .collect();
        for index in candidates {
            let Some(segment) = board.get(index).copied() else { continue };
            let deadline = segment.sent_at + rtt + window;
            if deadline <= context.now {
                found.note(&segment);
                board.mark_lost(index);
            } else {
                look_again = Some(look_again.map_or(deadline, |at| at.max(deadline)));
            }
        }
        (found, look_again)
    }

    /// Whether the segment may still be in flight at a retransmission timeout (RFC 8985 §6.3).
    pub fn is_recent(&self, context: &RackContext, segment: &SentSegment) -> bool {
        self.rtt.is_some_and(|rtt| segment.sent_at + rtt > context.now)
    }

    /// Whether a segment was delivered that was sent later than `segment`.
    pub fn has_passed(&self, segment: &SentSegment) -> bool {
        sent_after(self.sent_at, self.end, segment.sent_at, segment.end)
    }

    fn is_candidate(&self, segment: &SentSegment) -> bool {
        let in_flight = !segment.sacked && (!segment.lost || segment.retransmitted);
        in_flight && self.has_passed(segment)
    }

    /// The reordering window (RFC 8985 §6.2, step 4).
    fn reordering_window(&self, context: &RackContext, board: &Scoreboard) -> Duration {
        let dup_thresh_reached = board.sacked_segments() >= DUP_THRESH;
        if !self.reordering_seen && (context.in_recovery || dup_thresh_reached) {
            return Duration::ZERO;
        }
        (context.min_rtt / 4).min(context.srtt)
    }
}

/// RACK_sent_after of RFC 8985 §6.2.
fn sent_after(sent_at: SimTime, end: u64, other_at: SimTime, other_end: u64) -> bool {
    (sent_at, end) > (other_at, other_end)
}
