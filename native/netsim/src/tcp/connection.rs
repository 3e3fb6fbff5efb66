mod incoming;
mod outgoing;

use std::any::Any;
use std::collections::VecDeque;
use std::time::Duration;

use bytes::Bytes;

use super::ack_policy::AckPolicy;
use super::ecn::EcnState;
use super::handshake::Handshake;
use super::profile::Profile;
use super::receiver::Receiver;
use super::segment::{Segment, SegmentPacket};
use super::sender::Sender;
use super::sequence::SequenceSpace;
use super::state::State;
use super::timer_clock::TimerClock;
use super::timestamps::Timestamps;
use super::window_tuning::WindowTuning;
use super::{AHEAD_PERCENT, Error, Options};
use crate::ahead::{Ahead, Progress};
use crate::endpoint::{Arrival, CloseReason, Endpoint, Event, Transmit};
use crate::ip::{self, Flow};
use crate::packet::{Ecn, TypedPacket};
use crate::time::SimTime;
use crate::trace::{BlockedLog, PacketKind, Sample, SenderState, Timeouts};

/// One end of a TCP connection (RFC 9293). It does the handshake and the close, and passes segments to its [`Sender`]
/// and [`Receiver`].
///
/// A client starts with [`Connection::connect`]. A server listens from the beginning and accepts the first SYN.
#[derive(Debug)]
pub struct Connection {
    flow: Flow,
    profile: Profile,
    options: Options,
    mtu_bytes: u16,
    state: State,
    local: SequenceSpace,
    remote: Option<SequenceSpace>,
    sender: Sender,
    receiver: Receiver,
    acks: AckPolicy,
    ecn: EcnState,
    handshake: Handshake,
    handshake_timeouts: u32,
    /// The RTT that a handshake without duration is assumed to have measured. `None` if the handshake takes time.
    assumed_rtt: Option<Duration>,
    timestamps: Timestamps,
    clock: TimerClock,
    /// Whether both ends permit SACK (RFC 2018 §2).
    sack: bool,
    /// The shift count of the window field in the peer's segments (RFC 7323 §2).
    send_shift: u8,
    /// The shift count of the window field in our segments.
    receive_shift: u8,
    time_wait_until: Option<SimTime>,
    rst_due: Option<Segment>,
    /// An acknowledgement that does not cover the newest segment ([`AckPolicy::must_flush`]). It is sent before the
    /// acknowledgement of the newest segment.
    flushed: Option<Segment>,
    events: VecDeque<Event>,
    readable_told: bool,
    above_low_water: bool,
    ahead: Option<Ahead>,
    packets_sent: u16,
}

/// Twice the maximum segment lifetime. RFC 9293 §3.4.2 says 4 minutes, but every common stack uses 60 s or less.
const TWO_MSL: Duration = Duration::from_secs(60);

impl Connection {
    /// `initial_sequence` is the sequence number of the SYN on the wire.
    pub fn client(flow: Flow, mtu_bytes: u16, options: Options, initial_sequence: u32) -> Self {
        Self::new(flow, mtu_bytes, options, initial_sequence, State::Idle)
    }

    pub fn server(flow: Flow, mtu_bytes: u16, options: Options, initial_sequence: u32) -> Self {
        Self::new(flow, mtu_bytes, options, initial_sequence, State::Listen)
    }

    fn new(flow: Flow, mtu_bytes: u16, options: Options, initial_sequence: u32, state: State) -> Self {
        let mss = u64::from(mtu_bytes) - HEADERS_BYTES;
        let profile = options.profile;
        let clock = TimerClock::new(profile.timers, initial_sequence.rotate_left(8));
        let with_each = if profile.timestamps { TIMESTAMPS_BYTES } else { 0 };
        let tuning =
            profile.tunes_window.then(|| WindowTuning::new(options.receive_buffer_bytes, mss - with_each, with_each));
        Connection {
            flow,
            profile,
            options,
            mtu_bytes,
            state,
            local: SequenceSpace::new(initial_sequence),
            remote: None,
            sender: Sender::new(profile, clock, mss, options.send_buffer_bytes, u64::from(initial_sequence)),
            receiver: Receiver::new(options.receive_buffer_bytes, tuning, mss),
            acks: AckPolicy::new(profile.delayed_ack, clock, mss),
            ecn: EcnState::new(options.ecn),
            handshake: Handshake::default(),
            handshake_timeouts: 0,
            assumed_rtt: None,
            timestamps: Timestamps::new(initial_sequence.rotate_left(16)),
            clock,
            sack: false,
            send_shift: 0,
            receive_shift: 0,
            time_wait_until: None,
            rst_due: None,
            flushed: None,
            events: VecDeque::new(),
            readable_told: false,
            above_low_water: false,
            ahead: options.ahead_bytes.map(Ahead::new),
            packets_sent: 0,
        }
    }

    /// Starts the handshake.
    ///
    /// # Errors
    /// This end is a server, or the handshake was started before.
    pub fn connect(&mut self) -> Result<(), Error> {
        if self.state != State::Idle {
            return Err(Error::NotIdle);
        }
        self.state = State::SynSent;
        self.handshake.ask();
        Ok(())
    }

    /// Notes that the handshake takes no time, and that it measures `rtt`.
    pub(super) fn set_up_at_once(&mut self, rtt: Duration) {
        self.assumed_rtt = Some(rtt);
    }

    /// Accepts as many bytes as fit the send buffer and returns their number.
    ///
    /// # Errors
    /// This end has closed, or the connection has ended.
    pub fn write(&mut self, bytes: &[u8]) -> Result<usize, Error> {
        self.check_writable()?;
        self.sender.note_write();
        let taken = self.sender.buffer_mut().write(bytes);
        self.note_written(taken, bytes.len());
        Ok(taken)
    }

    /// Like [`Self::write`], without a copy of the bytes.
    ///
    /// # Errors
    /// This end has closed, or the connection has ended.
    pub fn write_shared(&mut self, bytes: Bytes) -> Result<usize, Error> {
        self.check_writable()?;
        let length = bytes.len();
        let taken = self.sender.buffer_mut().write_shared(bytes);
        self.note_written(taken, length);
        Ok(taken)
    }

    fn check_writable(&mut self) -> Result<(), Error> {
        let is_over = matches!(self.state, State::Closed | State::TimeWait);
        if is_over || self.sender.buffer_mut().is_closed() { Err(Error::Closed) } else { Ok(()) }
    }

    fn note_written(&mut self, taken: usize, offered: usize) {
        if self.options.writes_apart && self.sender.admits_all() {
            self.sender.buffer_mut().end_segment();
        }
        self.above_low_water |= self.sender.buffered_bytes() > self.options.low_water_bytes || taken < offered;
        if let Some(ahead) = &mut self.ahead {
            ahead.note_written(taken as u64);
        }
    }

    /// Returns all bytes that have arrived in order and were not read yet.
    pub fn read(&mut self) -> Bytes {
        self.readable_told = false;
        let bytes = self.receiver.read();
        self.acks.handle_read();
        if self.state.is_synchronized() && self.receiver.window_update_due() {
            self.acks.acknowledge_now();
        }
        bytes
    }

    /// Bytes that were written and are not acknowledged.
    pub fn buffered_bytes(&self) -> u64 {
        self.sender.buffered_bytes()
    }

    /// Sends FIN after the buffered bytes. Nothing more can be written. If no SYN of the peer has arrived yet, the
    /// connection ends immediately, without a FIN.
    pub fn close(&mut self) {
        match self.state {
            State::Idle | State::Listen | State::SynSent => self.finish(CloseReason::Finished),
            State::Closed => {}
            _ => self.sender.buffer_mut().close(),
        }
    }

    /// Ends the connection and drops everything. Sends RST if a SYN of the peer has arrived and the connection has not
    /// ended yet (RFC 9293 §3.10.5).
    pub fn abort(&mut self) {
        if self.state.is_synchronized() && self.state != State::TimeWait {
            self.rst_due = Some(Segment { rst: true, ..self.bare_segment() });
        }
        self.finish(CloseReason::LocalAbort);
    }

    fn poll_room(&mut self) -> Option<Event> {
        let ahead = self.ahead.as_mut().filter(|_| self.state.may_send_data())?;
        let (unsent_bytes, window_bytes) = (self.sender.unsent_bytes(), self.sender.window_bytes());
        if let Some(from) = self.options.ahead_grows_from_bytes {
            let cwnd = self.sender.cwnd_bytes();
            ahead.set_mark(if cwnd > from { cwnd * AHEAD_PERCENT / 100 } else { 0 });
        }
        ahead.poll(Progress { unsent_bytes, window_bytes })
    }

    fn finish(&mut self, reason: CloseReason) {
        // the end was already reported when the connection entered TIME-WAIT
        if !matches!(self.state, State::Closed | State::TimeWait) {
            self.events.push_back(Event::Closed(reason));
        }
        self.state = State::Closed;
        self.handshake = Handshake::default();
        self.time_wait_until = None;
    }
}

impl Endpoint for Connection {
    fn handle_packet(&mut self, now: SimTime, packet: &[u8]) {
        if let Some(segment) = Segment::parse(&self.flow, packet) {
            self.handle_segment(now, Ecn::of_packet(packet), &segment);
        }
    }

    fn handle_typed(&mut self, now: SimTime, packet: Box<dyn TypedPacket>) {
        let packet: Box<dyn Any> = packet;
        if let Ok(packet) = packet.downcast::<SegmentPacket>()
            && packet.flow == self.flow.reversed()
        {
            self.handle_segment(now, packet.ecn, &packet.segment);
        }
    }

    fn handle_timeout(&mut self, now: SimTime) {
        if self.time_wait_until.take_if(|at| *at <= now).is_some() {
            self.state = State::Closed;
        }
        self.handshake_timeouts += u32::from(self.handshake.handle_timeout(now));
        if self.handshake.gave_up(&self.profile) {
            self.finish(CloseReason::ConnectTimeout);
        }
        self.acks.handle_timeout(now);
        if self.state.is_synchronized() {
            self.sender.handle_timeout(now);
            if self.sender.gave_up() {
                self.abort();
                if let Some(Event::Closed(reason)) = self.events.back_mut() {
                    *reason = CloseReason::DataTimeout;
                }
            }
        }
    }

    fn poll_timeout(&self) -> Option<SimTime> {
        let own = [self.time_wait_until, self.handshake.poll_timeout()];
        let others = if matches!(self.state, State::Closed | State::TimeWait) {
            [None, None]
        } else {
            [self.sender.poll_timeout(), self.acks.poll_timeout()]
        };
        own.into_iter().chain(others).flatten().min()
    }

    fn poll_transmit(&mut self, now: SimTime) -> Option<Transmit> {
        if let Some(reset) = self.rst_due.take() {
            return Some(self.transmit(reset, Ecn::NotEct, PacketKind::Abort, false));
        }
        let poll_read = |this: &mut Self| if this.acks.is_read() { this.poll_ack(now) } else { None };
        self.poll_handshake(now)
            .or_else(|| poll_read(self))
            .or_else(|| self.poll_data(now))
            .or_else(|| self.poll_ack(now))
    }

    fn poll_event(&mut self) -> Option<Event> {
        self.events.pop_front().or_else(|| self.poll_room())
    }

    fn sample(&self) -> Option<Sample> {
        let sample = self.sender.sample();
        Some(match self.state {
            State::Idle | State::Listen | State::SynSent | State::SynReceived => {
                Sample { state: SenderState::Connecting, ..sample }
            }
            State::Closed | State::TimeWait => Sample { state: SenderState::Closed, ..sample },
            _ => sample,
        })
    }

    fn timeouts(&self) -> Timeouts {
        let of_data = self.sender.timeouts();
        Timeouts { retransmission: of_data.retransmission + self.handshake_timeouts, ..of_data }
    }

    fn blocked(&self) -> &BlockedLog {
        self.receiver.blocked()
    }

    fn arrival(&self, payload: &[u8]) -> Option<Arrival> {
        let packet = ip::packet(&self.flow.reversed(), ip::TCP, 0, payload);
        Some(self.arrival_of(&Segment::parse(&self.flow, &packet)?))
    }
}

/// Size of the IPv4 and TCP headers without options, in bytes.
const HEADERS_BYTES: u64 = ip::HEADER_BYTES as u64 + 20;
/// Size of the timestamps option with its padding, in bytes (RFC 7323 appendix A).
const TIMESTAMPS_BYTES: u64 = 12;
/// Size of the SACK option with its padding but without blocks, in bytes (RFC 2018 §3).
const SACK_BASE_BYTES: u64 = 4;
/// Size of a SACK block, in bytes (RFC 2018 §3).
const SACK_BLOCK_BYTES: u64 = 8;

#[cfg(test)]
#[path = "connection_test.rs"]
mod tests;
