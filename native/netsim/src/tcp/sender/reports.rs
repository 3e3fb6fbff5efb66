//! The sender's reports and questions to its congestion control.

use super::Sender;
use crate::congestion::{Acknowledgement, Collected, Counting, Phase};
use crate::tcp::scoreboard::{Delivery, Lost};
use crate::time::SimTime;

impl Sender {
    /// Reports an acknowledgement to the congestion control.
    pub(super) fn report(&mut self, now: SimTime, advanced: bool, delivery: &Delivery, lost: &Lost) {
        self.report_delivered(now, advanced, self.delivered_bytes(delivery), delivery, lost);
    }

    /// Reports to the congestion control an acknowledgement that delivered `delivered` bytes. The expiry of the
    /// reordering timer is reported as if it had delivered these bytes.
    pub(super) fn report_delivered(
        &mut self,
        now: SimTime,
        advanced: bool,
        delivered: u64,
        delivery: &Delivery,
        lost: &Lost,
    ) {
        let by_timer = delivery.prior_in_flight.is_none();
        let mut collected = Collected::default();
        for segment in &delivery.segments {
            collected.add(segment.sent_at, segment.end, segment.at_sending);
        }
        let bytes = if by_timer { 0 } else { delivered };
        let sample = self.rate.handle_ack(now, bytes, &collected, self.rtt.min_rtt());
        let last = delivery.last_once.filter(|_| !delivery.acked_retransmission);
        let rtt = delivery.sacked_once_last.or(last).map(|sent_at| now - sent_at).or(delivery.echo_rtt);
        self.congestion.handle_ack(&Acknowledgement {
            now,
            phase: if self.marks.is_reducing() { Phase::Reduction } else { self.recovery.phase() },
            delivered,
            segments: delivery.segments.len() as u64,
            lost: lost.segments * self.mss,
            pipe: self.pipe(),
            advanced,
            rtt,
            srtt: self.rtt.srtt().unwrap_or_default(),
            una: self.una,
            next: self.next,
            app_limited: self.usage.is_app_limited(self.congestion.cwnd(), self.congestion.in_slow_start()),
            prior_in_flight: delivery.prior_in_flight.unwrap_or_default(),
            all_delivered: self.rate.delivered(),
            sample,
            is_delayed: delivery.acked_segments == 1 && delivery.bytes < self.mss && self.board.sacked_bytes() == 0,
            next_send_at: self.pacer.next_at(),
            by_timer,
        });
        if self.congestion.probes_rtt() {
            self.rate.limit_by_application(self.pipe());
        }
    }

    /// Whether pacing delays the next segment. If so, and if there is unsent or lost data, the pacing timer is set.
    /// Otherwise the timer is cleared.
    pub(super) fn waits_for_pacing(&mut self, now: SimTime) -> bool {
        let waits = self.congestion.pacing_rate().is_some() && !self.pacer.admits(now);
        let has_something = self.has_unsent() || self.board.has_lost();
        self.timers.pacing = (waits && has_something).then(|| self.pacer.next_at());
        waits
    }

    /// Notes that a segment with `bytes` of data is sent. For the congestion window it counts as `counted` bytes. A
    /// burst that starts with this segment may have `burst_segments`.
    pub(super) fn note_sent(&mut self, now: SimTime, bytes: u64, counted: u64, burst_segments: u64) {
        self.congestion.handle_sent(counted);
        if let Some(rate) = self.congestion.pacing_rate() {
            self.pacer.handle_sent(now, bytes, rate, burst_segments);
        }
        (self.last_sent_at, self.restarted) = (Some(now), false);
    }

    /// Bytes estimated to be in the network (RFC 6675 §4), as the profile counts them.
    pub(super) fn pipe(&self) -> u64 {
        match self.profile.congestion.counting {
            Counting::Bytes => self.board.pipe_bytes(self.mss),
            Counting::Segments => self.board.pipe_segments() * self.mss,
        }
    }

    /// Bytes that cwnd still admits.
    pub(super) fn room(&self) -> u64 {
        self.congestion.cwnd().saturating_sub(self.pipe())
    }

    /// The bytes of the congestion window that a segment with `bytes` of data uses.
    pub(super) fn counted(&self, bytes: u64) -> u64 {
        match self.profile.congestion.counting {
            Counting::Bytes => bytes,
            Counting::Segments => self.mss,
        }
    }

    pub(super) fn delivered_bytes(&self, delivery: &Delivery) -> u64 {
        match self.profile.congestion.counting {
            Counting::Bytes => delivery.bytes,
            Counting::Segments if self.sack => delivery.segments.len() as u64 * self.mss,
            Counting::Segments => delivery.counted_segments * self.mss,
        }
    }

    /// Notes how much of the window is used. A short segment counts as a full segment; otherwise the window would look
    /// partly unused after the last segment of a page. `is_full` says that no further segment fits the window.
    pub(super) fn note_use(&mut self, is_full: bool) {
        self.usage.note(self.board.len() as u64 * self.mss, self.una, self.next, is_full);
    }
}
