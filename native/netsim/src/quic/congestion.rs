//! TCP's congestion control for QUIC (RFC 9002 §7).

use std::any::Any;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use quinn_proto::RttEstimator;
use quinn_proto::congestion::{Controller, ControllerFactory, ControllerMetrics};

use super::clock::{Clock, Instant};
use crate::congestion::{
    Acknowledgement, AtSending, Collected, CongestionControl, CongestionRules, DeliveryRate, MarkResponse, Pacer,
    Phase as Reported, RateSample, Refill, Restart, TokenBucket, WindowUse,
};
use crate::time::SimTime;
use crate::trace::SenderState;

/// The congestion window of one end, which its connection and quinn share.
#[derive(Clone, Debug)]
pub struct SharedWindow {
    window: Arc<Mutex<Window>>,
    /// The number of the path for which quinn made this controller; 0 for the connection's own copy. What quinn reports
    /// to the controllers of earlier paths has no effect any more.
    path: u32,
}

/// Congestion control, counted in bytes of datagrams: RFC 9002 §7 counts the whole packet, while TCP counts only the
/// data of a segment.
#[derive(Debug)]
pub struct Window {
    clock: Clock,
    rules: CongestionRules,
    seed: u64,
    datagram_bytes: u64,
    /// The number of the current path, from 1; 0 before the connection exists.
    path: u32,
    /// When the current path began. Packets that were sent before were on another path.
    path_since: SimTime,
    /// Whether the path has changed since the connection last asked.
    has_new_path: bool,
    control: Box<dyn CongestionControl>,
    usage: WindowUse,
    in_flight: u64,
    last_sent_at: SimTime,
    /// Whether the handshake is done. As in TCP, packets of the handshake do not increase the initial window.
    is_open: bool,
    /// Whether the peer has received the whole handshake (RFC 9001 §4.1.2).
    is_confirmed: bool,
    /// Bytes in flight in packets without data (confirmation of the handshake, probes). As in TCP, these bytes do not
    /// count against the window.
    control_in_flight: u64,
    /// The minimum of the window in bytes, from a loss during the handshake until the handshake is confirmed. It leaves
    /// room to retransmit the handshake. 0 at other times.
    handshake_repair: u64,
    /// Losses of packets that were sent up to this time belong to the last congestion event (RFC 9002 §7.3.2).
    event_at: Option<SimTime>,
    phase: Phase,
    /// The packets that the current acknowledgement covers.
    acked: Acked,
    /// When the last acknowledgement arrived, and how many bytes it covered.
    delivered: (SimTime, u64),
    rate: DeliveryRate,
    /// The last [`MOST_TIMES`] times at which packets were sent, and the state of delivery at each of these times.
    /// quinn reports an acknowledged packet by the time at which it was sent.
    sent: VecDeque<(SimTime, AtSending)>,
    pacer: Pacer,
    /// Paces each datagram by itself, unless the congestion control has a rate of its own; `None` if only quinn paces.
    bucket: Option<TokenBucket>,
    /// The smoothed RTT; `None` if the path has not been measured.
    srtt: Option<Duration>,
    now: SimTime,
    next_number: u64,
    largest_acked: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    Open,
    /// The phase after a loss, until a packet is acknowledged that was sent after the loss was detected (RFC 9002
    /// §7.3.2).
    Recovery,
    /// The phase after a mark, until a packet is acknowledged that was sent after the mark was reported (RFC 9002
    /// §7.3.2).
    Reduction(MarkResponse),
    /// The phase after persistent congestion, until a packet is acknowledged that was sent after it (RFC 9002 §7.6).
    Collapsed,
}

/// What quinn knows of the RTT.
#[derive(Clone, Copy, Debug)]
struct Estimate {
    srtt: Duration,
    min_rtt: Duration,
}

#[derive(Clone, Copy, Debug, Default)]
struct Acked {
    bytes: u64,
    segments: u64,
    rtt: Option<Duration>,
    srtt: Duration,
    min_rtt: Duration,
    collected: Collected,
}

/// The most sending times that are kept. A window of 20 MB has fewer packets than this, so all of its times are kept,
/// even if each packet is sent at a time of its own.
const MOST_TIMES: usize = 1 << 14;

impl SharedWindow {
    pub fn new(clock: Clock, rules: CongestionRules, datagram_bytes: u64, seed: u64) -> Self {
        let window = Arc::new(Mutex::new(Window {
            clock,
            rules,
            seed,
            datagram_bytes,
            path: 0,
            path_since: SimTime::ZERO,
            has_new_path: false,
            control: rules.make(datagram_bytes, seed),
            usage: WindowUse::new(rules.app_limited),
            in_flight: 0,
            last_sent_at: SimTime::ZERO,
            is_open: false,
            is_confirmed: false,
            control_in_flight: 0,
            handshake_repair: 0,
            event_at: None,
            phase: Phase::Open,
            acked: Acked::default(),
            delivered: (SimTime::ZERO, 0),
            rate: DeliveryRate::new(0),
            sent: VecDeque::new(),
            pacer: Pacer::default(),
            bucket: None,
            srtt: None,
            now: SimTime::ZERO,
            next_number: 0,
            largest_acked: 0,
        }));
        SharedWindow { window, path: 0 }
    }

    pub fn lock(&self) -> MutexGuard<'_, Window> {
        self.window.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The window, if the controller is that of the current path.
    fn lock_current(&self) -> Option<MutexGuard<'_, Window>> {
        Some(self.lock()).filter(|window| window.path == self.path)
    }
}

impl Window {
    /// Starts congestion control and pacing anew on a new path (RFC 9000 §9.4).
    fn start_path(&mut self, now: SimTime, datagram_bytes: u64) {
        self.path += 1;
        if self.path == 1 {
            return;
        }
        (self.path_since, self.has_new_path) = (now, true);
        self.datagram_bytes = datagram_bytes;
        self.control = self.rules.make(datagram_bytes, self.seed.wrapping_add(self.path.into()));
        if self.is_open {
            self.control.handle_established(now, None);
        }
        self.usage = WindowUse::new(self.rules.app_limited);
        (self.in_flight, self.control_in_flight, self.event_at) = (0, 0, None);
        (self.phase, self.acked, self.delivered) = (Phase::Open, Acked::default(), (now, 0));
        (self.rate, self.pacer) = (DeliveryRate::new(0), Pacer::default());
        (self.bucket, self.srtt) = (self.bucket.map(|_| TokenBucket::default()), None);
        self.sent.clear();
    }

    /// Whether the path has changed since the last call.
    pub fn take_path_change(&mut self) -> bool {
        std::mem::take(&mut self.has_new_path)
    }

    /// The congestion window in bytes. It has at least two datagrams (RFC 9002 §7.2), while TCP's window may be
    /// smaller.
    pub fn cwnd(&self) -> u64 {
        self.control.cwnd().max(2 * self.datagram_bytes)
    }

    pub fn ssthresh(&self) -> u64 {
        self.control.ssthresh()
    }

    /// Bytes that were sent and are neither acknowledged nor deemed lost. When quinn discards the keys of the
    /// handshake, the handshake packets still count until the next acknowledgement.
    pub fn in_flight(&self) -> u64 {
        self.in_flight
    }

    pub fn state(&self) -> SenderState {
        match self.phase {
            Phase::Recovery => SenderState::FastRecovery,
            Phase::Collapsed => SenderState::LossRecovery,
            Phase::Open | Phase::Reduction(MarkResponse::Scaled) if self.control.in_slow_start() => {
                SenderState::SlowStart
            }
            Phase::Open | Phase::Reduction(_) => SenderState::CongestionAvoidance,
        }
    }

    /// Handles a new size of the largest datagram. The window keeps its size in bytes (RFC 9002 §7.2).
    fn handle_datagram_size(&mut self, bytes: u64) {
        self.datagram_bytes = bytes;
        self.control.handle_segment_size(bytes);
    }

    /// Notes that the handshake is done. `rtt` is the RTT that it measured.
    pub fn open(&mut self, now: SimTime, rtt: Option<Duration>) {
        self.is_open = true;
        self.srtt = self.srtt.or(rtt);
        self.control.handle_established(now, rtt);
    }

    /// From now on, each datagram is paced by itself. Without this call, quinn paces in bursts of at least ten
    /// datagrams.
    pub fn pace_each(&mut self) {
        self.bucket = Some(TokenBucket::default());
    }

    /// Sets the time, which decides whether the pacer lets a datagram pass.
    pub fn handle_time(&mut self, now: SimTime) {
        self.now = now;
    }

    /// Notes that the application writes after everything was sent. Then the rate of delivery says nothing about the
    /// path, unless the window is full. As in Linux (`tcp_rate_check_app_limited`), only a write has this effect. At
    /// the end, when only lost data is left to send, the application does not limit the rate.
    pub fn handle_late_write(&mut self) {
        if self.in_flight + self.datagram_bytes <= self.cwnd() {
            self.rate.limit_by_application(self.in_flight);
        }
    }

    /// When the next datagram may be sent; `None` if the datagram does not have to wait for the pacer.
    pub fn paced_until(&self) -> Option<SimTime> {
        // before the peer has the handshake, nothing may delay its retransmission
        if self.is_confirmed && self.control.pacing_rate().is_some() {
            return (!self.pacer.admits(self.now)).then(|| self.pacer.next_at());
        }
        self.used_bucket().filter(|_| self.is_confirmed)?.next_at(self.now, self.refill())
    }

    /// The bucket, unless the congestion control has a rate of its own.
    fn used_bucket(&self) -> Option<TokenBucket> {
        self.bucket.filter(|_| self.control.pacing_rate().is_none())
    }

    /// The bytes that the window and the bucket admit now. When no data is unsent, the application is asked for these
    /// bytes in addition to its `ahead_bytes` ([`crate::ahead::Ahead`]). The bucket limits this number even before the
    /// peer has the handshake, although the bucket does not delay datagrams then.
    pub fn room_bytes(&self, now: SimTime) -> u64 {
        let window = self.cwnd().saturating_sub(self.in_flight);
        let Some(bucket) = self.used_bucket() else { return window };
        let datagrams = bucket.tokens(now, self.refill()) / self.datagram_bytes;
        window.min(datagrams * self.datagram_bytes)
    }

    fn refill(&self) -> Refill {
        Refill::of_window(self.cwnd(), self.srtt, self.datagram_bytes)
    }

    /// Notes that the peer has received the whole handshake.
    pub fn confirm(&mut self) {
        self.is_confirmed = true;
        self.handshake_repair = 0;
    }

    /// Sets how many of the bytes in flight are in packets without data.
    pub fn set_control_in_flight(&mut self, bytes: u64) {
        self.control_in_flight = bytes;
    }

    /// Notes a datagram that was sent and counts as in flight. `next_number` is the number of the next packet.
    pub fn handle_sent(&mut self, now: SimTime, bytes: u64, next_number: u64) {
        if self.in_flight == 0 {
            let idle = now.saturating_since(self.last_sent_at);
            self.control.handle_restart(&Restart { now, idle, app_limited: self.rate.is_app_limited() });
        }
        self.remember_sent(now);
        self.last_sent_at = now;
        self.in_flight += bytes;
        self.next_number = next_number;
        // the flight is rounded up to whole datagrams, so that a short last datagram counts as a full one, as in TCP
        let whole = self.in_flight.next_multiple_of(self.datagram_bytes);
        let is_full = self.in_flight + self.datagram_bytes > self.control.cwnd();
        self.usage.note(whole, self.largest_acked, next_number, is_full);
        self.control.handle_sent(bytes);
        if let Some(rate) = self.control.pacing_rate() {
            self.pacer.handle_sent(now, bytes, rate, self.control.burst_segments());
        }
        if let Some(mut bucket) = self.used_bucket() {
            bucket.handle_sent(now, bytes, self.refill());
            self.bucket = Some(bucket);
        }
    }

    /// Notes the state of delivery when a packet is sent. It is the same for packets that are sent at the same time.
    fn remember_sent(&mut self, now: SimTime) {
        let at_sending = self.rate.handle_sent(now, self.in_flight == 0);
        if self.sent.back().is_none_or(|(at, _)| *at < now) {
            self.sent.push_back((now, at_sending));
        }
        if self.sent.len() > MOST_TIMES {
            self.sent.pop_front();
        }
    }

    fn handle_packet_acked(&mut self, now: SimTime, sent: SimTime, bytes: u64, rtt: &Estimate) {
        if sent < self.path_since {
            return; // RFC 9000 §9.4: it was sent on another path
        }
        if self.event_at.is_some_and(|event| sent > event) {
            if matches!(self.phase, Phase::Recovery | Phase::Reduction(MarkResponse::LikeLoss)) {
                self.control.leave_recovery();
            }
            self.phase = Phase::Open;
        }
        let Acked { bytes: before, segments, mut collected, .. } = self.acked;
        if let Ok(index) = self.sent.binary_search_by_key(&sent, |(at, _)| *at) {
            collected.add(sent, before + bytes, self.sent[index].1);
        }
        let Estimate { srtt, min_rtt } = *rtt;
        self.srtt = Some(srtt);
        let (bytes, segments) = (before + bytes, segments + 1);
        self.acked = Acked { bytes, segments, rtt: Some(now - sent), srtt, min_rtt, collected };
    }

    fn handle_acked(&mut self, now: SimTime, in_flight: u64, largest: Option<u64>) {
        let acked = std::mem::take(&mut self.acked);
        (self.in_flight, self.delivered) = (in_flight, (now, acked.bytes));
        self.largest_acked = self.largest_acked.max(largest.unwrap_or(0));
        let sample = self.rate.handle_ack(now, acked.bytes, &acked.collected, Some(acked.min_rtt));
        match self.phase {
            Phase::Recovery | Phase::Reduction(MarkResponse::LikeLoss) => self.report(now, acked, 0, sample),
            Phase::Open | Phase::Reduction(_) | Phase::Collapsed if acked.bytes > 0 && self.is_open => {
                self.report(now, acked, 0, sample)
            }
            Phase::Open | Phase::Reduction(_) | Phase::Collapsed => {}
        }
        if self.control.probes_rtt() {
            self.rate.limit_by_application(self.in_flight);
        }
    }

    /// Handles packets that are deemed lost. The last of them was sent at `sent` (RFC 9002 §7.3.2, §7.6.2).
    fn handle_lost(&mut self, now: SimTime, sent: SimTime, bytes: u64, is_persistent: bool) {
        if sent < self.path_since {
            return; // RFC 9000 §9.4: they were sent on another path
        }
        let flight = self.in_flight;
        self.in_flight = flight.saturating_sub(bytes);
        if !self.is_confirmed {
            // A peer that lacks a part of the handshake drops data. If data fills the window, quinn cannot retransmit
            // the handshake, so the window is enlarged.
            self.handshake_repair = flight + 2 * self.datagram_bytes;
        }
        let mut acked = Acked::default();
        // a window that fell in proportion to marks falls again, as with any loss (RFC 8257 §3.5)
        let is_new = self.event_at.is_none_or(|event| sent > event);
        if is_new || self.phase == Phase::Reduction(MarkResponse::Scaled) {
            self.event_at = Some(now);
            if is_persistent {
                self.phase = Phase::Collapsed;
                self.control.handle_timeout(flight);
                // cwnd() raises this to two datagrams (RFC 9002 §7.2)
                self.control.start_loss_window(self.datagram_bytes);
            } else {
                self.phase = Phase::Recovery;
                self.control.enter_recovery(flight);
                // recovery also counts the bytes of the acknowledgement that revealed the loss
                acked.bytes = if self.delivered.0 == now { self.delivered.1 } else { 0 };
            }
        }
        if self.phase == Phase::Recovery {
            self.report(now, acked, bytes, None);
        }
    }

    /// Handles a report that `packets` packets arrived with marks. The last acknowledged packet was sent at `sent` (RFC
    /// 9002 §7.3.2).
    #[cfg_attr(not(patched), allow(dead_code, reason = "the call comes from a patch"))]
    fn handle_marked(&mut self, now: SimTime, sent: SimTime, packets: u64) {
        if sent < self.path_since {
            return; // RFC 9000 §9.4: they were sent on another path
        }
        self.control.handle_marked(packets * self.datagram_bytes);
        if self.phase != Phase::Open || self.event_at.is_some_and(|event| sent <= event) {
            return;
        }
        let response = self.control.reduce_for_marks(self.in_flight);
        if response != MarkResponse::Ignored {
            self.event_at = Some(now);
            self.phase = Phase::Reduction(response);
        }
        if response == MarkResponse::LikeLoss {
            // as after a loss, the control also gets the bytes of the acknowledgement that reported the marks
            let bytes = if self.delivered.0 == now { self.delivered.1 } else { 0 };
            self.report(now, Acked { bytes, ..Acked::default() }, 0, None);
        }
    }

    /// Reports to the congestion control what an acknowledgement delivered, or the bytes that it reveals as lost.
    ///
    /// TCP makes one report of both. quinn reports an acknowledgement before the losses that it reveals, so here the
    /// control gets two reports.
    fn report(&mut self, now: SimTime, acked: Acked, lost: u64, sample: Option<RateSample>) {
        let phase = match self.phase {
            Phase::Open | Phase::Reduction(MarkResponse::Scaled | MarkResponse::Ignored) => Reported::Open,
            Phase::Recovery => Reported::FastRecovery,
            Phase::Reduction(MarkResponse::LikeLoss) => Reported::Reduction,
            Phase::Collapsed => Reported::Loss,
        };
        self.control.handle_ack(&Acknowledgement {
            now,
            phase,
            delivered: acked.bytes,
            segments: acked.segments,
            lost,
            pipe: self.in_flight,
            // each packet is acknowledged by itself, so every acknowledgement is progress
            advanced: true,
            rtt: acked.rtt,
            srtt: acked.srtt,
            una: self.largest_acked,
            next: self.next_number,
            app_limited: self.usage.is_app_limited(self.control.cwnd(), self.control.in_slow_start()),
            prior_in_flight: self.in_flight + acked.bytes,
            all_delivered: self.rate.delivered(),
            sample,
            is_delayed: false,
            next_send_at: self.pacer.next_at(),
            by_timer: false,
        });
    }
}

impl ControllerFactory for SharedWindow {
    /// quinn calls this for each path of the connection.
    fn build(self: Arc<Self>, now: Instant, datagram_bytes: u16) -> Box<dyn Controller> {
        let mut window = self.lock();
        let now = window.clock.sim_time(now);
        window.start_path(now, datagram_bytes.into());
        Box::new(SharedWindow { window: self.window.clone(), path: window.path })
    }
}

impl Controller for SharedWindow {
    fn on_ack(&mut self, now: Instant, sent: Instant, bytes: u64, _app_limited: bool, rtt: &RttEstimator) {
        let Some(mut window) = self.lock_current() else { return };
        let (now, sent) = (window.clock.sim_time(now), window.clock.sim_time(sent));
        window.handle_packet_acked(now, sent, bytes, &Estimate { srtt: rtt.get(), min_rtt: rtt.min() });
    }

    fn on_end_acks(&mut self, now: Instant, in_flight: u64, _app_limited: bool, largest: Option<u64>) {
        let Some(mut window) = self.lock_current() else { return };
        let now = window.clock.sim_time(now);
        window.handle_acked(now, in_flight, largest);
    }

    fn on_congestion_event(&mut self, now: Instant, sent: Instant, is_persistent: bool, lost_bytes: u64) {
        let Some(mut window) = self.lock_current() else { return };
        let (now, sent) = (window.clock.sim_time(now), window.clock.sim_time(sent));
        window.handle_lost(now, sent, lost_bytes, is_persistent);
    }

    // the call comes from a patch
    #[cfg(patched)]
    fn on_ecn_ce(&mut self, now: Instant, sent: Instant, packets: u64) {
        let Some(mut window) = self.lock_current() else { return };
        let (now, sent) = (window.clock.sim_time(now), window.clock.sim_time(sent));
        window.handle_marked(now, sent, packets);
    }

    fn on_mtu_update(&mut self, datagram_bytes: u16) {
        if let Some(mut window) = self.lock_current() {
            window.handle_datagram_size(datagram_bytes.into());
        }
    }

    /// The value with which quinn compares the bytes in flight. quinn sends while the bytes in flight plus one datagram
    /// are less than this value, so the value must be one byte more than the window. While a datagram has to wait for
    /// the pacer, the window is closed.
    fn window(&self) -> u64 {
        let window = self.lock();
        if window.paced_until().is_some() {
            return 1;
        }
        window.cwnd().max(window.handshake_repair) + window.control_in_flight + 1
    }

    fn metrics(&self) -> ControllerMetrics {
        ControllerMetrics::default()
    }

    fn clone_box(&self) -> Box<dyn Controller> {
        Box::new(self.clone())
    }

    /// The window with which quinn's pacer starts on a path. Later the pacer uses [`Controller::window`].
    fn initial_window(&self) -> u64 {
        self.lock().cwnd()
    }

    fn into_any(self: Box<Self>) -> Box<dyn Any> {
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::quic::Profile;

    const DATAGRAM: u64 = 1472;

    fn window(profile: Profile) -> SharedWindow {
        let shared = SharedWindow::new(Clock::new(), profile.settings(1500).congestion, DATAGRAM, 0);
        shared.lock().open(SimTime::ZERO, None);
        shared
    }

    fn at(ms: u64) -> SimTime {
        SimTime::from_ms(ms)
    }

    /// Sends `count` datagrams, with numbers from `first` on.
    fn send(window: &mut Window, now: SimTime, first: u64, count: u64) {
        (0..count).for_each(|index| window.handle_sent(now, DATAGRAM, first + index + 1));
    }

    fn acknowledge(window: &mut Window, now: SimTime, sent: SimTime, largest: u64, count: u64) {
        let rtt = Estimate { srtt: now - sent, min_rtt: now - sent };
        (0..count).for_each(|_| window.handle_packet_acked(now, sent, DATAGRAM, &rtt));
        let in_flight = window.in_flight() - count * DATAGRAM;
        window.handle_acked(now, in_flight, Some(largest));
    }

    #[test]
    fn the_library_may_send_as_many_datagrams_as_the_window_has() {
        for (profile, datagrams) in [(Profile::Classic, 3), (Profile::Modern, 10)] {
            let shared = window(profile);
            // the library is blocked if bytes in flight + one datagram >= window
            let sends = (0u64..).take_while(|sent| (sent + 1) * DATAGRAM < Controller::window(&shared)).count();
            assert_eq!(sends, datagrams, "{profile:?}");
        }
    }

    // the rules are those of the TCP profiles of the same names (RFC 5681 §3.1, RFC 3465 §2.1)
    #[test]
    fn slow_start_grows_by_a_datagram_per_acknowledgement_or_per_packet() {
        for (profile, before, after) in [(Profile::Classic, 3, 4), (Profile::Modern, 10, 12)] {
            let shared = window(profile);
            let mut window = shared.lock();
            send(&mut window, at(0), 0, before);
            acknowledge(&mut window, at(100), at(0), 1, 2);
            assert_eq!(window.cwnd(), after * DATAGRAM, "{profile:?}");
        }
    }

    // RFC 9002 §7.3.2
    #[test]
    fn losses_of_one_round_lower_the_window_once() {
        let shared = window(Profile::Classic);
        let mut window = shared.lock();
        send(&mut window, at(0), 0, 8);
        (1..=3).for_each(|number| acknowledge(&mut window, at(100), at(0), number, 1));
        assert_eq!(window.cwnd(), 6 * DATAGRAM);
        window.handle_lost(at(100), at(0), DATAGRAM, false);
        assert_eq!((window.cwnd(), window.state()), (3 * DATAGRAM, SenderState::FastRecovery));
        window.handle_lost(at(110), at(0), DATAGRAM, false);
        window.handle_lost(at(110), at(100), DATAGRAM, false);
        assert_eq!((window.cwnd(), window.in_flight()), (3 * DATAGRAM, 2 * DATAGRAM));
        // a packet that was sent during recovery is acknowledged, so recovery is over
        send(&mut window, at(120), 8, 1);
        acknowledge(&mut window, at(220), at(120), 8, 1);
        assert_eq!(window.state(), SenderState::CongestionAvoidance);
        window.handle_lost(at(230), at(120), DATAGRAM, false);
        assert_eq!(window.cwnd(), 2 * DATAGRAM, "another congestion event, and the minimum window of RFC 9002 §7.2");
    }

    // RFC 6937, like the TCP profile `modern`
    #[test]
    fn the_window_of_modern_falls_in_proportion_to_the_delivered_bytes() {
        let shared = window(Profile::Modern);
        let mut window = shared.lock();
        send(&mut window, at(0), 0, 10);
        acknowledge(&mut window, at(100), at(0), 3, 3);
        assert_eq!(window.in_flight(), 7 * DATAGRAM);
        window.handle_lost(at(100), at(0), DATAGRAM, false);
        assert_eq!(window.ssthresh(), 13 * DATAGRAM * 717 / 1024);
        let room = |window: &Window| (window.cwnd() - window.in_flight()) / DATAGRAM;
        assert_eq!(
            (window.in_flight() / DATAGRAM, room(&window)),
            (6, 3),
            "as many packets may be sent as were delivered"
        );
        send(&mut window, at(100), 10, 3);
        acknowledge(&mut window, at(110), at(0), 4, 1);
        assert_eq!((window.in_flight() / DATAGRAM, room(&window)), (8, 1));
    }

    // RFC 9002 §7.6.2
    #[test]
    fn persistent_congestion_reduces_the_window_to_two_datagrams() {
        for profile in [Profile::Classic, Profile::Modern] {
            let shared = window(profile);
            let mut window = shared.lock();
            send(&mut window, at(0), 0, 10);
            window.handle_lost(at(9000), at(0), 10 * DATAGRAM, true);
            assert_eq!((window.cwnd(), window.state()), (2 * DATAGRAM, SenderState::LossRecovery));
            send(&mut window, at(9001), 10, 2);
            acknowledge(&mut window, at(9101), at(9001), 11, 1);
            // the ssthresh of classic is not larger than the window
            let slow_start = profile == Profile::Modern;
            assert_eq!(window.state() == SenderState::SlowStart, slow_start);
            assert_ne!(window.state(), SenderState::LossRecovery);
        }
    }

    #[test]
    fn a_full_window_has_room_to_retransmit_the_handshake() {
        let shared = window(Profile::Classic);
        let room = || Controller::window(&shared) > shared.lock().in_flight() + 2 * DATAGRAM;
        send(&mut shared.lock(), at(0), 0, 6);
        assert!(!room());
        shared.lock().handle_lost(at(100), at(0), DATAGRAM, false);
        assert!(room());
        shared.lock().confirm();
        assert!(!room());
        shared.lock().handle_lost(at(200), at(0), DATAGRAM, false);
        assert!(!room());
    }

    #[test]
    fn handshake_packets_do_not_increase_the_initial_window() {
        let shared = SharedWindow::new(Clock::new(), Profile::Modern.settings(1500).congestion, DATAGRAM, 0);
        let mut window = shared.lock();
        send(&mut window, at(0), 0, 10);
        acknowledge(&mut window, at(100), at(0), 4, 5);
        assert_eq!(window.cwnd(), 10 * DATAGRAM);
        window.open(SimTime::ZERO, None);
        acknowledge(&mut window, at(101), at(0), 9, 5);
        assert_eq!(window.cwnd(), 15 * DATAGRAM);
    }

    // RFC 9002 §7.2
    #[test]
    fn a_larger_datagram_keeps_the_window_and_widens_its_steps() {
        let mut shared = window(Profile::Modern);
        shared.on_mtu_update(1600);
        let mut window = shared.lock();
        assert_eq!(window.cwnd(), 10 * DATAGRAM);
        (0..9).for_each(|number| window.handle_sent(at(0), 1600, number + 1));
        let rtt = Estimate { srtt: Duration::from_millis(100), min_rtt: Duration::from_millis(100) };
        window.handle_packet_acked(at(100), at(0), 1600, &rtt);
        let in_flight = window.in_flight() - 1600;
        window.handle_acked(at(100), in_flight, Some(0));
        assert_eq!(window.cwnd(), 10 * DATAGRAM + 1600);
        window.handle_lost(at(9000), at(0), 1600, true);
        assert_eq!(window.cwnd(), 2 * 1600);
    }

    // RFC 7661 §4.1
    #[test]
    fn an_unused_window_of_quic_does_not_grow() {
        let shared = window(Profile::Modern);
        let mut window = shared.lock();
        send(&mut window, at(0), 0, 4);
        acknowledge(&mut window, at(100), at(0), 3, 4);
        assert_eq!(window.cwnd(), 10 * DATAGRAM);
    }

    #[test]
    fn datagrams_are_paced_one_by_one_only_if_asked_and_after_the_handshake() {
        let rtt = Duration::from_millis(100);
        let sent = |paces_each: bool, is_confirmed: bool| {
            let shared = window(Profile::Modern);
            let mut window = shared.lock();
            if paces_each {
                window.pace_each();
            }
            window.open(at(0), Some(rtt));
            if is_confirmed {
                window.confirm();
            }
            send(&mut window, at(0), 0, 10);
            (window.paced_until(), window.room_bytes(at(0)))
        };
        // the rate is ten datagrams in 100 ms and a quarter more, so a datagram takes 8 ms
        assert_eq!(sent(true, true), (Some(at(8)), 0));
        assert_eq!(sent(true, false).0, None);
        assert_eq!(sent(false, true).0, None);
    }

    #[test]
    fn a_new_path_fills_the_bucket_again() {
        let shared = window(Profile::Modern);
        let mut window = shared.lock();
        window.pace_each();
        window.start_path(at(0), DATAGRAM);
        window.open(at(0), Some(Duration::from_millis(100)));
        window.confirm();
        send(&mut window, at(0), 0, 10);
        assert!(window.paced_until().is_some());
        window.start_path(at(0), DATAGRAM);
        assert_eq!(window.paced_until(), None);
    }
}
