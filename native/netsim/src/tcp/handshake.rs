use std::time::Duration;

use super::profile::Profile;
use super::timer_clock::TimerClock;
use crate::time::SimTime;

/// Retransmits the SYN or SYN ACK (RFC 6298 §5).
#[derive(Debug, Default)]
pub struct Handshake {
    due: bool,
    first_sent_at: Option<SimTime>,
    deadline: Option<SimTime>,
    /// How often the segment was sent, including the first time.
    sends: u32,
    retries: u32,
}

/// How often the SYN or SYN ACK was lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum HandshakeLoss {
    None,
    /// The segment was sent again, but its timer expired at most once.
    Once,
    /// The segment's timer expired more than once.
    Repeated,
}

impl Handshake {
    /// Requests that the segment be sent.
    pub fn ask(&mut self) {
        self.due = true;
    }

    /// Whether the segment is to be sent. Returns true once after [`Self::ask`] was called or the timer fired.
    pub fn take_due(&mut self) -> bool {
        std::mem::take(&mut self.due)
    }

    pub fn sent(&mut self, now: SimTime, profile: &Profile, clock: &TimerClock) {
        self.first_sent_at.get_or_insert(now);
        self.sends += 1;
        let backoff = 1 << self.retries.min(16);
        let timeout = profile.rto.initial.saturating_mul(backoff).min(profile.rto.max);
        self.deadline = Some(clock.after(now, timeout));
    }

    /// Fires the timer if it is due. Returns true if it fired.
    pub fn handle_timeout(&mut self, now: SimTime) -> bool {
        let fired = self.deadline.take_if(|at| *at <= now).is_some();
        if fired {
            self.retries += 1;
            self.due = true;
        }
        fired
    }

    pub fn poll_timeout(&self) -> Option<SimTime> {
        self.deadline
    }

    /// Whether the segment was retransmitted too often without an answer.
    pub fn gave_up(&self, profile: &Profile) -> bool {
        self.retries > profile.handshake_retries
    }

    /// How often the segment was sent.
    pub fn sends(&self) -> u32 {
        self.sends
    }

    pub fn first_sent_at(&self) -> Option<SimTime> {
        self.first_sent_at
    }

    /// Returns how often the segment was lost. It is assumed that the answer that has arrived is for the last
    /// transmission.
    pub fn loss(&self) -> HandshakeLoss {
        match (self.sends, self.retries) {
            (..=1, _) => HandshakeLoss::None,
            (_, ..=1) => HandshakeLoss::Once,
            _ => HandshakeLoss::Repeated,
        }
    }

    /// The time since the segment was sent; `None` if it was retransmitted (Karn's algorithm, RFC 6298 §3).
    pub fn round_trip(&self, now: SimTime) -> Option<Duration> {
        self.first_sent_at.filter(|_| self.sends == 1).map(|at| now - at)
    }
}
