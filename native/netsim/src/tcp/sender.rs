mod losses;
mod tail_probe;

use std::time::Duration;

use bytes::Bytes;
use tail_probe::TailProbe;

use super::congestion::{CongestionControl, Growth};
use super::profile::Profile;
use super::rack::{Rack, RackContext};
use super::recovery::{Phase, Recovery};
use super::rtt::RttEstimator;
use super::scoreboard::{Delivery, Scoreboard};
use super::send_buffer::SendBuffer;
use super::window_use::WindowUse;
use crate::time::SimTime;
use crate::trace::{Sample, SenderState, Timeouts};

/// The sending half. It decides which segments to send and when (RFC 9293 §3.8, RFC 5681, RFC 6675, RFC 6582, RFC 6298,
/// RFC 8985). Sequence numbers are unwrapped ([`super::sequence::SequenceSpace`]), and 1 is the first byte of data.
#[derive(Debug)]
pub struct Sender {
    profile: Profile,
    mss: u64,
    sack: bool,
    buffer: SendBuffer,
    /// SND.UNA.
    una: u64,
    /// SND.NXT.
    next: u64,
    peer: PeerWindow,
    board: Scoreboard,
    rtt: RttEstimator,
    congestion: CongestionControl,
    usage: WindowUse,
    rack: Rack,
    recovery: Recovery,
    timers: Timers,
    /// A segment that is sent next even if the window does not admit it.
    forced: Option<Forced>,
    probe: Option<TailProbe>,
    /// The number of timeouts since the last acknowledgement of new data.
    retries: u32,
    timeouts: Timeouts,
    last_sent_at: Option<SimTime>,
}

/// A segment to send.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outgoing {
    pub seq: u64,
    pub bytes: Bytes,
    pub fin: bool,
    pub retransmission: bool,
    /// Whether the segment ends with the last byte that the application wrote.
    pub push: bool,
}

/// The fields of a segment that matter for its acknowledgement.
#[derive(Clone, Copy, Debug)]
pub struct Ack<'a> {
    /// The sequence number of the segment itself.
    pub seq: u64,
    pub number: u64,
    /// The peer's window in bytes, after scaling.
    pub window: u64,
    pub sack: &'a [(u64, u64)],
    /// The RTT that the timestamp echo gives.
    pub echo_rtt: Option<Duration>,
    /// Whether the segment has neither data nor a FIN.
    pub is_pure: bool,
}

/// The peer's window (RFC 9293 §3.3.1: SND.WND, SND.WL1, SND.WL2).
#[derive(Debug, Default)]
struct PeerWindow {
    bytes: u64,
    largest: u64,
    updated_by_seq: u64,
    updated_by_ack: u64,
}

#[derive(Debug, Default)]
struct Timers {
    retransmission: Option<SimTime>,
    tail_probe: Option<SimTime>,
    reordering: Option<SimTime>,
    persist: Option<SimTime>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Forced {
    Retransmit(usize),
    NewData,
    WindowProbe,
}

impl Sender {
    pub fn new(profile: Profile, mss: u64, capacity: u64) -> Self {
        Sender {
            profile,
            mss,
            sack: false,
            buffer: SendBuffer::new(capacity),
            una: 1,
            next: 1,
            peer: PeerWindow::default(),
            board: Scoreboard::new(1),
            rtt: RttEstimator::new(profile.rto),
            congestion: CongestionControl::new(profile.congestion, mss),
            usage: WindowUse::default(),
            rack: Rack::default(),
            recovery: Recovery::default(),
            timers: Timers::default(),
            forced: None,
            probe: None,
            retries: 0,
            timeouts: Timeouts::default(),
            last_sent_at: None,
        }
    }

    /// Applies what the handshake negotiated: the segment size, SACK and the peer's first window.
    pub fn establish(&mut self, mss: u64, sack: bool, seq: u64, window: u64) {
        self.mss = mss;
        self.sack = sack && self.profile.sack;
        self.congestion = CongestionControl::new(self.profile.congestion, mss);
        self.peer = PeerWindow { bytes: window, largest: window, updated_by_seq: seq, updated_by_ack: self.una };
    }

    /// Applies the RTT of the handshake, which is `None` if the handshake was retransmitted and not measured (RFC 6298
    /// §5.7). `was_lost` says whether a segment of the handshake was lost.
    pub fn handshake_done(&mut self, rtt: Option<Duration>, was_lost: bool) {
        match rtt {
            Some(rtt) => self.rtt.sample(rtt, self.una, self.next),
            None => self.rtt.handshake_was_lost(Duration::from_secs(3)),
        }
        if was_lost && self.profile.one_segment_after_lost_handshake {
            self.congestion.start_with_one_segment();
        }
    }

    pub fn buffer_mut(&mut self) -> &mut SendBuffer {
        &mut self.buffer
    }

    pub fn buffered_bytes(&self) -> u64 {
        self.buffer.len()
    }

    /// Bytes that were written and never sent.
    pub fn unsent_bytes(&self) -> u64 {
        // after the FIN was sent, SND.NXT is past the last byte
        self.buffer.end().saturating_sub(self.next)
    }

    /// Bytes that may be sent now.
    pub fn window_bytes(&self) -> u64 {
        let of_peer = (self.una + self.peer.bytes).saturating_sub(self.next);
        self.congestion.cwnd().saturating_sub(self.board.pipe_bytes(self.mss)).min(of_peer)
    }

    pub fn cwnd_bytes(&self) -> u64 {
        self.congestion.cwnd()
    }

    pub fn una(&self) -> u64 {
        self.una
    }

    pub fn next(&self) -> u64 {
        self.next
    }

    /// Whether everything including the FIN is acknowledged.
    pub fn is_finished(&self) -> bool {
        self.buffer.is_closed() && self.una > self.buffer.end()
    }

    /// Whether data was retransmitted too often without an answer.
    pub fn gave_up(&self) -> bool {
        self.retries > self.profile.data_retries
    }

    pub fn handle_ack(&mut self, now: SimTime, ack: &Ack) {
        if ack.number < self.una || ack.number > self.next {
            return;
        }
        let advanced = ack.number > self.una;
        let window_changed = self.update_window(ack);
        let duplicate = !advanced && ack.is_pure && !window_changed && !self.board.is_empty();
        let mut delivery = Delivery::default();
        if self.sack {
            self.board.apply_sack(ack.sack, &mut delivery);
        } else if duplicate && self.recovery.phase() != Phase::Loss {
            self.board.count_duplicate();
            delivery.bytes += self.mss;
        }
        if advanced {
            self.board.acknowledge(ack.number, &mut delivery);
            self.una = ack.number;
            self.buffer.release(ack.number);
            self.retries = 0;
        }
        self.sample_rtt(now, ack, advanced, &delivery);
        self.forced = None; // its index into the scoreboard may no longer be valid
        self.handle_tail_probe_ack(ack, advanced, &delivery);
        self.react(now, advanced, &delivery);
        self.rearm(now, advanced, &delivery);
    }

    /// Fires every timer whose deadline is at or before `now`.
    pub fn handle_timeout(&mut self, now: SimTime) {
        let due = |timer: &mut Option<SimTime>| timer.take_if(|deadline| *deadline <= now).is_some();
        if due(&mut self.timers.reordering) {
            self.react(now, false, &Delivery::default());
        }
        if due(&mut self.timers.tail_probe) {
            self.send_tail_probe(now);
        }
        if due(&mut self.timers.retransmission) {
            self.handle_retransmission_timeout(now);
        }
        if due(&mut self.timers.persist) {
            self.retries += 1;
            self.rtt.back_off();
            let some_window = self.peer.bytes > 0;
            self.forced = Some(if some_window { Forced::NewData } else { Forced::WindowProbe });
        }
    }

    pub fn poll_timeout(&self) -> Option<SimTime> {
        let timers = &self.timers;
        [timers.retransmission, timers.tail_probe, timers.reordering, timers.persist].into_iter().flatten().min()
    }

    /// Returns the next segment that may be sent now.
    pub fn poll_send(&mut self, now: SimTime) -> Option<Outgoing> {
        if let Some(forced) = self.forced.take() {
            let outgoing = match forced {
                Forced::Retransmit(index) => Some(self.retransmit(now, index)),
                Forced::NewData => self.send_new(now, ANY),
                Forced::WindowProbe => Some(self.window_probe(now)),
            };
            if outgoing.is_some() {
                if forced == Forced::NewData {
                    self.extend_tail_probe();
                }
                return outgoing;
            }
        }
        if self.board.is_empty() && self.last_sent_at.is_some_and(|at| now.saturating_since(at) > self.rtt.rto()) {
            self.last_sent_at = None;
            self.congestion.restart_after_idle();
        }
        let room = self.congestion.cwnd().saturating_sub(self.board.pipe_bytes(self.mss));
        // the sequence number of a FIN does not count, because cwnd limits data (RFC 5681 §2)
        if let Some(index) = self.board.next_lost()
            && !self.recovery.prefers_new_data()
        {
            let fits = self.board.get(index).is_some_and(|segment| segment.len().min(self.mss) <= room);
            return fits.then(|| self.retransmit(now, index));
        }
        let outgoing = self.send_new(now, room).or_else(|| self.send_in_doubt(now, room));
        if outgoing.is_none() {
            self.arm_persist(now);
        }
        outgoing
    }

    /// The sender's view of the path.
    pub fn sample(&self) -> Sample {
        let state = match self.recovery.phase() {
            Phase::FastRecovery => SenderState::FastRecovery,
            Phase::Loss => SenderState::LossRecovery,
            Phase::Open if self.congestion.in_slow_start() => SenderState::SlowStart,
            Phase::Open => SenderState::CongestionAvoidance,
        };
        Sample {
            cwnd_bytes: self.congestion.cwnd(),
            ssthresh_bytes: self.congestion.ssthresh(),
            flight_bytes: self.board.pipe_bytes(self.mss),
            srtt: self.rtt.srtt().unwrap_or_default(),
            rto: self.rtt.rto(),
            state,
        }
    }

    pub fn timeouts(&self) -> Timeouts {
        self.timeouts
    }

    /// Updates the peer's window, if the segment is newer than the last segment that updated it (RFC 9293 §3.10.7.4).
    /// Returns true if the window changed.
    fn update_window(&mut self, ack: &Ack) -> bool {
        let peer = &mut self.peer;
        if (ack.seq, ack.number) < (peer.updated_by_seq, peer.updated_by_ack) {
            return false;
        }
        let changed = peer.bytes != ack.window;
        peer.bytes = ack.window;
        peer.largest = peer.largest.max(ack.window);
        (peer.updated_by_seq, peer.updated_by_ack) = (ack.seq, ack.number);
        if changed || self.timers.persist.is_some() {
            if self.timers.persist.take().is_some() && ack.window > 0 {
                // nothing is in flight, so window probes caused the backoff
                self.rtt.end_backoff();
            }
            self.retries = 0;
        }
        changed
    }

    /// Takes an RTT sample by Karn's algorithm (RFC 6298 §3). If the acknowledgement covers a retransmission, the other
    /// segments that it covers may have waited at the receiver for the retransmission. In this case only the timestamp
    /// echo is used (RFC 7323 §4.1).
    fn sample_rtt(&mut self, now: SimTime, ack: &Ack, advanced: bool, delivery: &Delivery) {
        let first = delivery.first_once.filter(|_| !delivery.acked_retransmission);
        let once = first.or(delivery.sacked_once).map(|sent_at| now - sent_at);
        if let Some(rtt) = once.or(if advanced { ack.echo_rtt } else { None }) {
            self.rtt.sample(rtt, self.una, self.next);
        }
    }

    fn grow(&mut self, now: SimTime, delivery: &Delivery) {
        let growth = Growth {
            bytes: delivery.bytes,
            segments: delivery.segments.len() as u64,
            rtt: delivery.last_once.map(|sent_at| now - sent_at),
            srtt: self.rtt.srtt().unwrap_or_default(),
            una: self.una,
            next: self.next,
            app_limited: self.usage.is_app_limited(self.congestion.cwnd()),
        };
        self.congestion.handle_ack(now, growth);
    }

    /// Sets the timers after an acknowledgement (RFC 6298 §5.2, §5.3; RFC 8985 §7.2).
    fn rearm(&mut self, now: SimTime, advanced: bool, delivery: &Delivery) {
        if self.board.is_empty() {
            self.timers = Timers { persist: self.timers.persist, ..Timers::default() };
        } else if advanced {
            if !self.is_impatient() || self.recovery.take_first_partial() {
                self.timers.retransmission = Some(now + self.rtt.rto());
            }
            self.arm_tail_probe(now);
        } else {
            if self.board.sacked_bytes() > 0 {
                self.timers.tail_probe = None;
            }
            // Segments that were sent before the last transmission of the first segment are still arriving. This
            // transmission cannot have been acknowledged yet; it may be waiting in a queue that has grown.
            let first = self.board.first().map(|first| first.sent_at);
            if self.profile.recovery.sack_restarts_timer
                && delivery.sacked_once.is_some()
                && delivery.sacked_once < first
            {
                self.timers.retransmission = Some(now + self.rtt.rto());
            }
        }
    }

    /// Whether only the first partial acknowledgement of this recovery restarts the timer (RFC 6582 §3.2 step 3, §4).
    fn is_impatient(&self) -> bool {
        self.profile.recovery.impatient && !self.sack && self.recovery.phase() == Phase::FastRecovery
    }

    /// Starts the persist timer if there is something to send, nothing is in flight, and the peer's window is too small
    /// (RFC 9293 §3.8.6.1).
    fn arm_persist(&mut self, now: SimTime) {
        if self.board.is_empty() && self.has_unsent() && self.timers.persist.is_none() {
            self.timers.persist = Some(now + self.rtt.rto());
        }
    }

    fn has_unsent(&self) -> bool {
        self.next < self.buffer.end() || (self.buffer.is_closed() && self.next == self.buffer.end())
    }

    fn can_send_new(&self) -> bool {
        self.has_unsent() && self.next < self.una + self.peer.bytes
    }

    /// Sends a segment of new data, as large as the peer's window and `room` bytes of cwnd allow.
    fn send_new(&mut self, now: SimTime, room: u64) -> Option<Outgoing> {
        if !self.has_unsent() {
            return None;
        }
        let unsent = self.buffer.end() - self.next;
        let window = (self.una + self.peer.bytes).saturating_sub(self.next);
        let length = unsent.min(window).min(self.mss);
        let fin = self.buffer.is_closed() && length == unsent && length < window;
        // RFC 9293 §3.8.6.2.1: a small window does not cause a small segment, except when the persist timer has expired
        let silly = length < unsent.min(self.mss) && 2 * length < self.peer.largest && room != ANY;
        if (length == 0 && !fin) || length > room || silly {
            return None;
        }
        if self.board.is_empty() {
            self.congestion.handle_restart(now);
        }
        let seq = self.next;
        self.next += length + u64::from(fin);
        self.board.push(now, self.next);
        // a short segment counts as a full segment; otherwise the window would look unused after the last segment of a
        // page
        self.usage.note_sent(self.board.len() as u64 * self.mss, self.una, self.next);
        self.congestion.handle_sent(length);
        if self.timers.retransmission.is_none() {
            self.timers.retransmission = Some(now + self.rtt.rto());
        }
        self.timers.persist = None;
        self.last_sent_at = Some(now);
        self.arm_tail_probe(now);
        let push = seq + length == self.buffer.end();
        Some(Outgoing { seq, bytes: self.buffer.share(seq, length), fin, retransmission: false, push })
    }

    /// Retransmits a segment that may be lost (RFC 6675 §4, NextSeg rules 3 and 4).
    fn send_in_doubt(&mut self, now: SimTime, room: u64) -> Option<Outgoing> {
        let applies = self.profile.recovery.in_doubt && self.sack && self.recovery.phase() == Phase::FastRecovery;
        if !applies || room < self.mss {
            return None;
        }
        if let Some(index) = self.board.next_in_doubt() {
            return Some(self.retransmit(now, index));
        }
        // rule 4: once in each recovery the last segment is retransmitted, which causes an acknowledgement
        let last = self.board.last_index()?;
        let is_open = self.board.get(last).is_some_and(|segment| !segment.sacked && segment.sends == 1);
        (is_open && self.recovery.take_rescue()).then(|| self.retransmit(now, last))
    }

    fn retransmit(&mut self, now: SimTime, index: usize) -> Outgoing {
        self.board.retransmitted(now, index);
        let Some(segment) = self.board.get(index).copied() else { unreachable!("no segment {index} to retransmit") };
        if index == 0 && !self.is_impatient() {
            // RFC 6675 §6 allows restarting the timer when the first segment is retransmitted
            self.timers.retransmission = Some(now + self.rtt.rto());
        }
        self.congestion.handle_sent(segment.len());
        self.last_sent_at = Some(now);
        let fin = self.buffer.is_closed() && segment.end > self.buffer.end();
        let length = segment.len() - u64::from(fin);
        let push = segment.seq + length == self.buffer.end();
        Outgoing { seq: segment.seq, bytes: self.buffer.share(segment.seq, length), fin, retransmission: true, push }
    }

    /// Probes a closed window. Differs: RFC 9293 §3.8.6.1 sends an octet of data. An empty segment below the window
    /// also causes an acknowledgement, and it cannot be mistaken for data. Linux and the BSDs do the same.
    fn window_probe(&mut self, now: SimTime) -> Outgoing {
        self.timers.persist = Some(now + self.rtt.rto());
        Outgoing { seq: self.una - 1, bytes: Bytes::new(), fin: false, retransmission: false, push: false }
    }

    fn rack_context(&self, now: SimTime) -> RackContext {
        RackContext {
            now,
            in_recovery: self.recovery.phase() != Phase::Open,
            min_rtt: self.rtt.min_rtt().unwrap_or_default(),
            srtt: self.rtt.srtt().unwrap_or_default(),
        }
    }
}

/// The value of `room` that means no limit.
const ANY: u64 = u64::MAX;

#[cfg(test)]
#[path = "sender_test.rs"]
mod tests;
