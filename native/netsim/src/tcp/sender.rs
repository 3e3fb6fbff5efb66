mod bundles;
mod losses;
mod marks;
mod reports;
mod tail_probe;

use std::time::Duration;

use bundles::Bundle;
use bytes::Bytes;
use marks::Marks;
use tail_probe::TailProbe;

use super::handshake::HandshakeLoss;
use super::profile::Profile;
use super::rack::{Rack, RackContext};
use super::recovery::Recovery;
use super::rtt::RttEstimator;
use super::scoreboard::{Delivery, Scoreboard};
use super::segment::EcnFlags;
use super::send_buffer::SendBuffer;
use super::timer_clock::TimerClock;
use crate::congestion::{CongestionControl, CongestionRules, Counting, DeliveryRate, Pacer, Phase, Restart, WindowUse};
use crate::packet::EcnMode;
use crate::time::SimTime;
use crate::trace::{Sample, SenderState, Timeouts};

/// The sending half. It decides which segments to send and when (RFC 9293 §3.8, RFC 5681, RFC 6675, RFC 6582, RFC 6298,
/// RFC 8985). Sequence numbers are unwrapped ([`super::sequence::SequenceSpace`]), and 1 is the first byte of data.
#[derive(Debug)]
pub struct Sender {
    profile: Profile,
    clock: TimerClock,
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
    /// The seed of the congestion control's random decisions.
    seed: u64,
    congestion: Box<dyn CongestionControl>,
    rate: DeliveryRate,
    pacer: Pacer,
    bundle: Bundle,
    usage: WindowUse,
    rack: Rack,
    recovery: Recovery,
    marks: Marks,
    timers: Timers,
    /// A segment that is sent next even if cwnd or pacing does not admit it.
    forced: Option<Forced>,
    probe: Option<TailProbe>,
    /// How often the retransmission timer and the persist timer have expired since new data was acknowledged, the
    /// peer's window changed, or a window probe was answered.
    retries: u32,
    timeouts: Timeouts,
    last_sent_at: Option<SimTime>,
    /// Whether the window was adapted to the idle time since `last_sent_at`.
    restarted: bool,
}

/// A segment to send.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outgoing {
    pub seq: u64,
    pub bytes: Bytes,
    pub fin: bool,
    pub retransmission: bool,
    /// Whether the segment ends with the last byte that the application has written, or with the last byte of a write
    /// that segments must not span (`SendBuffer::end_segment`).
    pub push: bool,
}

/// The fields of a segment with which the sender handles the segment's acknowledgement.
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
    pub ecn_flags: EcnFlags,
}

/// What the handshake negotiated.
#[derive(Clone, Copy, Debug)]
pub struct Negotiated {
    /// The segment size in bytes.
    pub mss: u64,
    pub sack: bool,
    pub ecn: EcnMode,
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
    /// When pacing admits the next segment.
    pacing: Option<SimTime>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Forced {
    Retransmit(usize),
    NewData,
    WindowProbe,
}

impl Sender {
    /// `seed` is for random decisions.
    pub fn new(profile: Profile, clock: TimerClock, mss: u64, capacity: u64, seed: u64) -> Self {
        Sender {
            profile,
            clock,
            mss,
            sack: false,
            buffer: SendBuffer::new(capacity),
            una: 1,
            next: 1,
            peer: PeerWindow::default(),
            board: Scoreboard::new(1),
            rtt: RttEstimator::new(profile.rto),
            seed,
            congestion: profile.congestion.make(mss, seed),
            rate: DeliveryRate::new(mss),
            pacer: Pacer::default(),
            bundle: Bundle::default(),
            usage: WindowUse::new(profile.congestion.app_limited),
            rack: Rack::default(),
            recovery: Recovery::default(),
            marks: Marks::default(),
            timers: Timers::default(),
            forced: None,
            probe: None,
            retries: 0,
            timeouts: Timeouts::default(),
            last_sent_at: None,
            restarted: false,
        }
    }

    /// Applies what the handshake negotiated, and the peer's first window.
    pub fn establish(&mut self, negotiated: Negotiated, seq: u64, window: u64) {
        let Negotiated { mss, sack, ecn } = negotiated;
        self.mss = mss;
        self.sack = sack && self.profile.sack;
        self.marks.mode = ecn;
        let rules = CongestionRules { scalable: ecn == EcnMode::L4s, ..self.profile.congestion };
        self.congestion = rules.make(mss, self.seed);
        self.rate = DeliveryRate::new(mss);
        self.peer = PeerWindow { bytes: window, largest: window, updated_by_seq: seq, updated_by_ack: self.una };
    }

    /// Applies the RTT of the handshake, which is `None` if the handshake was retransmitted and not measured (RFC 6298
    /// §5.7). `loss` says how often this end's SYN or SYN ACK was lost.
    pub fn handshake_done(&mut self, now: SimTime, rtt: Option<Duration>, loss: HandshakeLoss) {
        match rtt {
            Some(rtt) => self.rtt.sample(rtt, self.una, self.next),
            None => self.rtt.handshake_was_lost(Duration::from_secs(3)),
        }
        if self.profile.one_segment_after.is_some_and(|least| loss >= least) {
            self.congestion.start_with_one_segment();
        }
        self.congestion.handle_established(now, rtt);
    }

    /// Notes that the application is about to write. If the window has room but less than a full segment waits to be
    /// sent, the application limits the connection (Linux: `tcp_rate_check_app_limited`).
    pub fn note_write(&mut self) {
        self.bundle.reconsider();
        let pipe = self.pipe();
        if self.unsent_bytes() < self.mss && pipe < self.congestion.cwnd() && self.board.next_lost().is_none() {
            self.rate.limit_by_application(pipe);
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

    /// Bytes of new data that cwnd and the peer's window admit now. Pacing is ignored.
    pub fn window_bytes(&self) -> u64 {
        self.room().min(self.window_of_peer())
    }

    /// Bytes that the peer's window still admits.
    fn window_of_peer(&self) -> u64 {
        (self.una + self.peer.bytes).saturating_sub(self.next)
    }

    /// Whether the windows admit all unsent bytes now. Pacing is ignored.
    pub fn admits_all(&self) -> bool {
        let unsent = self.unsent_bytes();
        let counted = match self.profile.congestion.counting {
            Counting::Bytes => unsent,
            Counting::Segments => self.buffer.segments(self.next, self.mss) * self.mss,
        };
        counted <= self.room() && self.next + unsent <= self.una + self.peer.bytes
    }

    /// The smoothed RTT; `None` before the first sample.
    pub fn srtt(&self) -> Option<Duration> {
        self.rtt.srtt()
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

    /// Whether data was retransmitted, or a closed window was probed, too often without an answer.
    pub fn gave_up(&self) -> bool {
        self.retries > self.profile.data_retries
    }

    pub fn handle_ack(&mut self, now: SimTime, ack: &Ack) {
        if ack.number < self.una || ack.number > self.next {
            return;
        }
        self.bundle.reconsider();
        let advanced = ack.number > self.una;
        let window_changed = self.update_window(ack);
        let duplicate = !advanced && ack.is_pure && !window_changed;
        let mut delivery = Delivery { prior_in_flight: Some(self.pipe()), ..Delivery::default() };
        if self.sack {
            self.board.apply_sack(ack.sack, &mut delivery);
        } else if duplicate && !self.board.is_empty() && self.recovery.phase() != Phase::Loss {
            self.board.count_duplicate();
            delivery.bytes += self.mss;
            delivery.counted_segments = 1;
        }
        if advanced {
            let duplicates = self.board.duplicates();
            self.board.acknowledge(ack.number, &mut delivery);
            // the segments that duplicates have counted before are not counted again; duplicates never count the first
            // segment (Linux: tcp_remove_reno_sacks)
            delivery.counted_segments = delivery.acked_segments.saturating_sub(duplicates).max(1);
            self.una = ack.number;
            self.buffer.release(ack.number);
            self.retries = 0;
        }
        delivery.echo_rtt = ack.echo_rtt.filter(|_| advanced);
        self.sample_rtt(now, &delivery);
        self.forced = None; // its index into the scoreboard may no longer be valid
        self.handle_tail_probe_ack(ack, duplicate, &delivery);
        let hears_marks = self.hears_marks(ack, &delivery);
        self.react(now, advanced, hears_marks, &delivery);
        self.rearm(now, advanced, &delivery);
    }

    /// Fires every timer whose deadline is at or before `now`.
    pub fn handle_timeout(&mut self, now: SimTime) {
        let due = |timer: &mut Option<SimTime>| timer.take_if(|deadline| *deadline <= now).is_some();
        if self.poll_timeout().is_some_and(|at| at <= now) {
            self.bundle.reconsider();
        }
        if due(&mut self.timers.reordering) {
            self.handle_reordering_timeout(now);
        }
        if due(&mut self.timers.tail_probe) {
            self.send_tail_probe(now);
        }
        if due(&mut self.timers.retransmission) {
            self.handle_retransmission_timeout(now);
        }
        due(&mut self.timers.pacing);
        if due(&mut self.timers.persist) {
            self.retries += 1;
            self.rtt.back_off();
            let some_window = self.peer.bytes > 0;
            self.forced = Some(if some_window { Forced::NewData } else { Forced::WindowProbe });
        }
    }

    pub fn poll_timeout(&self) -> Option<SimTime> {
        let timers = &self.timers;
        let all = [timers.retransmission, timers.tail_probe, timers.reordering, timers.persist, timers.pacing];
        all.into_iter().flatten().min()
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
        let idle = self.idle(now);
        if self.board.is_empty() && !self.restarted && idle > self.rtt.rto() {
            self.restarted = true;
            self.congestion.restart_after_idle(idle, self.rtt.rto());
        }
        if self.waits_for_pacing(now) {
            return None;
        }
        let room = self.room();
        // the sequence number of a FIN does not count, because cwnd limits data (RFC 5681 §2)
        if let Some(index) = self.board.next_lost()
            && !self.recovery.prefers_new_data()
        {
            let fits = self.board.get(index).is_some_and(|segment| self.counted(segment.len().min(self.mss)) <= room);
            return fits.then(|| self.retransmit(now, index));
        }
        let waits = self.waits_for_bundle(now);
        let outgoing = if waits { None } else { self.send_new(now, room).or_else(|| self.send_in_doubt(now, room)) };
        if outgoing.is_none() {
            if self.room() < self.mss || (waits && room < self.window_of_peer()) {
                self.note_use(true);
            }
            self.arm_persist(now);
        }
        outgoing
    }

    /// The sender's view of the path.
    pub fn sample(&self) -> Sample {
        let state = match self.recovery.phase() {
            Phase::FastRecovery => SenderState::FastRecovery,
            Phase::Loss => SenderState::LossRecovery,
            Phase::Open if self.congestion.in_slow_start() && !self.marks.is_reducing() => SenderState::SlowStart,
            Phase::Open | Phase::Reduction => SenderState::CongestionAvoidance,
        };
        Sample {
            cwnd_bytes: self.congestion.cwnd(),
            ssthresh_bytes: self.congestion.ssthresh(),
            flight_bytes: self.pipe(),
            srtt: self.rtt.srtt().unwrap_or_default(),
            rto: self.rtt.rto(),
            state,
        }
    }

    pub fn timeouts(&self) -> Timeouts {
        self.timeouts
    }

    /// Updates the peer's window, unless the segment is older than the last segment that updated it (RFC 9293
    /// §3.10.7.4). Returns true if the window changed.
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

    /// Takes an RTT sample by Karn's algorithm (RFC 6298 §3). If the acknowledgement cumulatively covers a
    /// retransmission, the other segments that it cumulatively covers may have waited at the receiver for the
    /// retransmission. In this case only a newly SACKed segment or else the timestamp echo is used (RFC 7323 §4.1).
    fn sample_rtt(&mut self, now: SimTime, delivery: &Delivery) {
        let first = delivery.first_once.filter(|_| !delivery.acked_retransmission);
        let once = first.or(delivery.sacked_once).map(|sent_at| now - sent_at);
        if let Some(rtt) = once.or(delivery.echo_rtt) {
            self.rtt.sample(rtt, self.una, self.next);
        }
    }

    /// The time since the last segment was sent.
    fn idle(&self, now: SimTime) -> Duration {
        self.last_sent_at.map_or(Duration::ZERO, |at| now.saturating_since(at))
    }

    /// The time that is left until an RTO has passed since the first outstanding segment was last sent.
    fn until_timeout(&self, now: SimTime) -> Duration {
        let first = self.board.first().map_or(now, |first| first.sent_at);
        (first + self.rtt.rto()).saturating_since(now)
    }

    /// Sets the timers after an acknowledgement (RFC 6298 §5.2, §5.3; RFC 8985 §7.2).
    fn rearm(&mut self, now: SimTime, advanced: bool, delivery: &Delivery) {
        if self.board.is_empty() {
            self.timers = Timers { persist: self.timers.persist, ..Timers::default() };
        } else if advanced {
            // in Linux the reordering timer takes the place of the retransmission timer
            let waits = self.timers.reordering.is_some();
            if !waits && (!self.is_impatient() || self.recovery.take_first_partial()) {
                self.timers.retransmission = Some(self.clock.after(now, self.rtt.rto()));
            }
            self.arm_tail_probe(now, self.rtt.rto());
        } else {
            if self.board.sacked_bytes() > 0 {
                self.timers.tail_probe = None;
            }
            // If segments that were sent before the last transmission of the first segment are still arriving, this
            // transmission cannot have been acknowledged yet: it may be waiting in a queue that has grown.
            let first = self.board.first().map(|first| first.sent_at);
            if self.profile.recovery.sack_restarts_timer
                && delivery.sacked_once.is_some()
                && delivery.sacked_once < first
                && self.timers.reordering.is_none()
            {
                self.timers.retransmission = Some(self.clock.after(now, self.rtt.rto()));
            }
        }
    }

    /// Whether only the first partial acknowledgement of this recovery restarts the timer (RFC 6582 §3.2 step 3, §4).
    fn is_impatient(&self) -> bool {
        self.profile.recovery.impatient && !self.sack && self.recovery.phase() == Phase::FastRecovery
    }

    /// Starts the persist timer if there is something to send and nothing is in flight (RFC 9293 §3.8.6.1). Call this
    /// when no segment can be sent now. If nothing is in flight, the only possible reason is that the peer's window is
    /// too small.
    fn arm_persist(&mut self, now: SimTime) {
        if self.board.is_empty() && self.has_unsent() && self.timers.persist.is_none() {
            self.timers.persist = Some(self.clock.after(now, self.rtt.rto()));
        }
    }

    fn has_unsent(&self) -> bool {
        self.next < self.buffer.end() || (self.buffer.is_closed() && self.next == self.buffer.end())
    }

    fn can_send_new(&self) -> bool {
        self.has_unsent() && self.next < self.una + self.peer.bytes
    }

    /// Sends a segment of new data, as large as the peer's window allows. Returns `None` if there is nothing to send,
    /// if the peer's window is too small, or if the segment is larger than `room`, the bytes that cwnd admits.
    fn send_new(&mut self, now: SimTime, room: u64) -> Option<Outgoing> {
        if !self.has_unsent() {
            return None;
        }
        let unsent = self.buffer.segment_room(self.next);
        let window = self.window_of_peer();
        let length = unsent.min(window).min(self.mss);
        // the FIN follows the last byte
        let is_last = self.next + length == self.buffer.end();
        let fin = self.buffer.is_closed() && is_last && length < window;
        // RFC 9293 §3.8.6.2.1: a small window does not cause a small segment, except when a timer forces a segment
        let silly = length < unsent.min(self.mss) && 2 * length < self.peer.largest && room != ANY;
        // the sequence number of a FIN does not count
        let counted = if length > 0 { self.counted(length) } else { 0 };
        if (length == 0 && !fin) || counted > room || silly {
            return None;
        }
        if self.board.is_empty() {
            let (idle, app_limited) = (self.idle(now), self.rate.is_app_limited());
            self.congestion.handle_restart(&Restart { now, idle, app_limited });
        }
        self.note_bundled(now);
        let at_sending = self.rate.handle_sent(now, self.board.is_empty());
        let seq = self.next;
        self.next += length + u64::from(fin);
        self.board.push(now, self.next, at_sending);
        self.note_use(self.room() < self.mss);
        self.note_sent(now, length, counted, self.congestion.burst_segments());
        if self.timers.retransmission.is_none() {
            self.timers.retransmission = Some(self.clock.after(now, self.rtt.rto()));
        }
        self.timers.persist = None;
        self.arm_tail_probe(now, self.until_timeout(now));
        let push = length == unsent;
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
        let (more, is_first) = self.note_repeated(now, index);
        let at_sending = self.rate.handle_sent(now, false);
        self.board.retransmitted(now, index, at_sending);
        let Some(segment) = self.board.get(index).copied() else { unreachable!("no segment {index} to retransmit") };
        if index == 0 && !self.is_impatient() {
            // RFC 6675 §6 allows restarting the timer when the first segment is retransmitted
            self.timers.retransmission = Some(self.clock.after(now, self.rtt.rto()));
        }
        if is_first {
            self.pacer.end_burst();
        }
        self.note_sent(now, segment.len(), self.counted(segment.len()), more + 1);
        let fin = self.buffer.is_closed() && segment.end > self.buffer.end();
        let length = segment.len() - u64::from(fin);
        let push = length == self.buffer.segment_room(segment.seq);
        Outgoing { seq: segment.seq, bytes: self.buffer.share(segment.seq, length), fin, retransmission: true, push }
    }

    /// Probes a closed window with an empty segment below the window, as Linux does (`tcp_xmit_probe_skb`). RFC 9293
    /// §3.8.6.1 sends a byte of data instead. The empty segment also causes an acknowledgement, and it cannot be
    /// mistaken for data.
    fn window_probe(&mut self, now: SimTime) -> Outgoing {
        self.timers.persist = Some(self.clock.after(now, self.rtt.rto()));
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
