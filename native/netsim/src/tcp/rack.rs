use std::time::Duration;

use super::scoreboard::{DUP_THRESH, Delivery, Lost, Scoreboard, SentSegment};
use crate::time::SimTime;

/// Loss detection by time: a segment is lost if another one that was sent sufficiently later was delivered (RFC 8985
/// §6).
#[derive(Debug, Default)]
pub struct Rack {
    /// When the most recently sent of the delivered segments was sent, its end, and its RTT (RACK.segment).
    sent_at: SimTime,
    end: u64,
    rtt: Option<Duration>,
    /// The highest sequence number delivered (RACK.fack).
    forward_ack: u64,
    reordering_seen: bool,
}

/// What the reordering window depends on.
#[derive(Clone, Copy, Debug)]
pub struct RackContext {
    pub now: SimTime,
    pub in_recovery: bool,
    pub min_rtt: Duration,
    pub srtt: Duration,
}

impl Rack {
    /// RFC 8985 §6.2, steps 1–3.
    pub fn handle_delivery(&mut self, context: &RackContext, delivery: &Delivery) {
        for segment in &delivery.segments {
            let rtt = context.now.saturating_since(segment.sent_at);
            // step 2: so early an acknowledgement is for an earlier transmission
            if segment.sends > 1 && rtt < context.min_rtt {
                continue;
            }
            if sent_after(segment.sent_at, segment.end, self.sent_at, self.end) {
                (self.sent_at, self.end, self.rtt) = (segment.sent_at, segment.end, Some(rtt));
            }
            // step 3: a segment that was sent once and arrived after a later one was reordered
            if segment.end > self.forward_ack {
                self.forward_ack = segment.end;
            } else if segment.end < self.forward_ack && segment.sends == 1 {
                self.reordering_seen = true;
            }
        }
    }

    /// Marks lost segments (RFC 8985 §6.2, step 5). Returns what was newly marked, and when to look again.
    pub fn detect_loss(&self, context: &RackContext, board: &mut Scoreboard) -> (Lost, Option<SimTime>) {
        let Some(rtt) = self.rtt else { return (Lost::default(), None) };
        let window = self.reordering_window(context, board);
        let (mut found, mut look_again) = (Lost::default(), None::<SimTime>);
        // segments behind one that was sent once were all sent later than it, so the search can stop there
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

    /// Whether the segment may still be on its way at a retransmission timeout (RFC 8985 §6.3).
    pub fn is_recent(&self, context: &RackContext, segment: &SentSegment) -> bool {
        self.rtt.is_some_and(|rtt| segment.sent_at + rtt > context.now)
    }

    /// Whether a segment that was sent later than this one was delivered.
    pub fn has_passed(&self, segment: &SentSegment) -> bool {
        sent_after(self.sent_at, self.end, segment.sent_at, segment.end)
    }

    fn is_candidate(&self, segment: &SentSegment) -> bool {
        let in_flight = !segment.sacked && (!segment.lost || segment.retransmitted);
        in_flight && self.has_passed(segment)
    }

    /// RFC 8985 §6.2, step 4.
    fn reordering_window(&self, context: &RackContext, board: &Scoreboard) -> Duration {
        let dup_thresh_reached = board.sacked_segments() >= DUP_THRESH;
        if !self.reordering_seen && (context.in_recovery || dup_thresh_reached) {
            return Duration::ZERO;
        }
        (context.min_rtt / 4).min(context.srtt)
    }
}

/// RFC 8985 §6.2, RACK_sent_after.
fn sent_after(sent_at: SimTime, end: u64, other_at: SimTime, other_end: u64) -> bool {
    (sent_at, end) > (other_at, other_end)
}
