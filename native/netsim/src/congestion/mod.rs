//! Congestion control, which TCP and QUIC share.
//!
//! A transport tells its [`CongestionControl`] what happens, and asks it how much may be in flight and how fast packets
//! may be sent. [`LIST`] has all kinds. Reno and CUBIC are [`loss_based`]: they change a window, and share slow start
//! and the reduction of the window after a loss. BBR computes its window from [`delivery_rate`] samples and needs
//! [`pacing`].
//!
//! All sizes are in bytes. If a transport's profile counts in segments, the transport reports every segment with the
//! size of a full segment.

mod bbr;
mod cubic;
mod delivery_rate;
mod hystart;
mod loss_based;
mod pacing;
mod prr;
mod reno;
mod scalable;
mod token_bucket;
mod window_use;

use std::fmt;
use std::time::Duration;

pub use delivery_rate::{AtSending, Collected, DeliveryRate, RateSample};
pub use loss_based::{
    Avoidance, CongestionRules, Counting, Growth, Halved, IdleRestart, InitialWindow, LossBased, Reduction, RttSample,
    SlowStart,
};
pub use pacing::{Pacer, packet_segments};
pub use token_bucket::{Refill, TokenBucket};
pub use window_use::{AppLimited, WindowUse};

use crate::time::SimTime;

/// A kind of congestion control, which an option selects by its name.
#[derive(Clone, Copy)]
pub struct Kind {
    pub name: &'static str,
    /// Makes the congestion control of one end.
    pub make: fn(&Opening) -> Box<dyn CongestionControl>,
}

/// What the congestion control of an end is made from.
#[derive(Clone, Copy, Debug)]
pub struct Opening {
    pub rules: CongestionRules,
    /// The segment size in bytes.
    pub mss: u64,
    /// The seed of random decisions.
    pub seed: u64,
}

/// All kinds.
pub const LIST: &[Kind] = &[reno::KIND, cubic::KIND, bbr::KIND, reno::RENO_70];

pub use cubic::KIND as CUBIC;
pub use reno::KIND as RENO;

impl Kind {
    /// Returns the kind with this name, `None` if there is none.
    pub fn named(name: &str) -> Option<Kind> {
        LIST.iter().copied().find(|kind| kind.name == name)
    }
}

impl fmt::Debug for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

impl PartialEq for Kind {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for Kind {}

/// Decides how much an end may have in flight, and how fast it may send.
///
/// The transport calls [`Self::handle_established`] once, and [`Self::handle_sent`] for each packet that counts as in
/// flight. It calls [`Self::handle_ack`] for each acknowledgement and for losses: TCP reports an acknowledgement and
/// the losses that it reveals in one call, QUIC in two. Before such a call it reports a change of the [`Phase`]:
/// [`Self::enter_recovery`] and [`Self::leave_recovery`] for fast recovery, [`Self::handle_timeout`] and
/// [`Self::start_loss_window`] for a timeout.
pub trait CongestionControl: fmt::Debug + Send + Sync {
    /// The congestion window in bytes.
    fn cwnd(&self) -> u64;

    /// The slow start threshold in bytes, `u64::MAX` if there is none.
    fn ssthresh(&self) -> u64;

    /// Whether this end is in slow start. Unless a kind has another rule, the window is then below the threshold.
    fn in_slow_start(&self) -> bool {
        self.cwnd() < self.ssthresh()
    }

    /// The rate in bytes a second at which the transport is to send; `None` if this control sets no rate.
    fn pacing_rate(&self) -> Option<u64> {
        None
    }

    /// How many segments may be sent together, without a pause between them, if the transport paces.
    fn burst_segments(&self) -> u64 {
        1
    }

    /// Whether the control keeps the flight small at the moment to measure the RTT (ProbeRTT of BBR). The rate of
    /// delivery then says nothing about the path.
    fn probes_rtt(&self) -> bool {
        false
    }

    /// Notes that the connection is established. `rtt` is the RTT of the handshake; `None` if it was not measured.
    fn handle_established(&mut self, _now: SimTime, _rtt: Option<Duration>) {}

    /// Notes that a segment is sent.
    fn handle_sent(&mut self, _bytes: u64) {}

    /// Notes that a segment is about to be sent while nothing is in flight.
    fn handle_restart(&mut self, _restart: &Restart) {}

    /// Handles an acknowledgement, in every phase.
    fn handle_ack(&mut self, ack: &Acknowledgement);

    /// Starts fast recovery, because acknowledgements revealed a loss while `flight` bytes were unacknowledged.
    fn enter_recovery(&mut self, flight: u64);

    /// Ends fast recovery.
    fn leave_recovery(&mut self) {}

    /// Notes that `bytes` of the delivered bytes arrived with marks. Only a transport that learns this number calls
    /// this method.
    fn handle_marked(&mut self, _bytes: u64) {}

    /// Reduces the window because of marks, while `flight` bytes were unacknowledged. The transport calls this at most
    /// once in a round trip. If the result is [`MarkResponse::LikeLoss`], the `phase` of every [`Acknowledgement`] is
    /// [`Phase::Reduction`] until the transport calls [`Self::leave_recovery`].
    fn reduce_for_marks(&mut self, _flight: u64) -> MarkResponse {
        MarkResponse::Ignored
    }

    /// Handles a loss that is already repaired and needs no recovery.
    fn handle_repaired_loss(&mut self) {}

    /// Handles a retransmission timeout, or persistent congestion of QUIC, while `flight` bytes were unacknowledged.
    /// This is not called for a repeated timeout of the same segment (RFC 5681 §3.1).
    fn handle_timeout(&mut self, flight: u64);

    /// Sets the window after a timeout: it admits one segment on top of the `pipe` bytes that are still in flight (RFC
    /// 5681 §3.1).
    fn start_loss_window(&mut self, pipe: u64);

    /// Restores the state from before a spurious timeout.
    fn undo_timeout(&mut self) {}

    /// Notes that the application sent nothing for `idle`, which is longer than the timeout `rto`.
    fn restart_after_idle(&mut self, _idle: Duration, _rto: Duration) {}

    /// Starts with a window of one segment, because a segment of the handshake was lost (RFC 5681 §3.1).
    fn start_with_one_segment(&mut self);

    /// Handles a new size of the largest segment. The window keeps its size in bytes (RFC 9002 §7.2). A control that
    /// counts in segments may continue to use the initial segment size.
    fn handle_segment_size(&mut self, _bytes: u64) {}

    /// Sets the window, for tests that begin in the middle of a connection.
    #[cfg(test)]
    fn set_cwnd(&mut self, _bytes: u64) {}
}

/// What a sender does about losses and marks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Phase {
    #[default]
    Open,
    /// The phase after a loss that acknowledgements revealed (RFC 6675 §5, RFC 6582 §3.2).
    FastRecovery,
    /// The phase after a retransmission timeout (RFC 6675 §5.1).
    Loss,
    /// The round trip in which the window falls because of marks, as after a loss (RFC 3168 §6.1.2).
    Reduction,
}

/// What a congestion control does about marks of queues.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MarkResponse {
    /// It ignores them.
    Ignored,
    /// It reduces the window as after a loss (RFC 3168 §5).
    LikeLoss,
    /// It reduces the window immediately, in proportion to the share of marked bytes (RFC 9331 §4.3), and the window
    /// goes on growing.
    Scaled,
}

/// The end of a time in which nothing was in flight.
#[derive(Clone, Copy, Debug)]
pub struct Restart {
    pub now: SimTime,
    /// The time since the last segment was sent.
    pub idle: Duration,
    /// Whether the application had nothing to send ([`DeliveryRate::is_app_limited`]).
    pub app_limited: bool,
}

/// The information from one acknowledgement.
#[derive(Clone, Copy, Debug)]
pub struct Acknowledgement {
    pub now: SimTime,
    /// The phase after the acknowledgement.
    pub phase: Phase,
    /// Bytes that are newly reported as delivered.
    pub delivered: u64,
    /// The number of segments that are newly reported as delivered.
    pub segments: u64,
    /// Bytes that are newly deemed lost.
    pub lost: u64,
    /// Bytes estimated to be in the network (RFC 6675 §4).
    pub pipe: u64,
    /// Whether SND.UNA advanced. Otherwise the window does not grow (RFC 5681 §3.1).
    pub advanced: bool,
    /// The RTT of the last delivered segment that was sent only once. If no such segment can be used, TCP takes the RTT
    /// that the timestamp echo gives. `None` if there is no RTT.
    pub rtt: Option<Duration>,
    pub srtt: Duration,
    pub una: u64,
    pub next: u64,
    /// Whether the application, and not the window, limited sending.
    pub app_limited: bool,
    /// Bytes that were in flight before the acknowledgement.
    pub prior_in_flight: u64,
    /// All bytes that were delivered so far ([`DeliveryRate::delivered`]).
    pub all_delivered: u64,
    pub sample: Option<RateSample>,
    /// Whether the receiver may have delayed the acknowledgement, because it is for a single short segment.
    pub is_delayed: bool,
    /// When the next segment may be sent ([`Pacer::next_at`]).
    pub next_send_at: SimTime,
    /// Whether no acknowledgement has arrived, but the reordering timer has revealed losses.
    pub by_timer: bool,
}
