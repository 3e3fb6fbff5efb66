use std::time::Duration;

use super::profile::Profile;
use crate::time::SimTime;

/// The retransmission of SYN or SYN ACK (RFC 6298 §5).
#[derive(Debug, Default)]
pub struct Handshake {
    due: bool,
    first_sent_at: Option<SimTime>,
    deadline: Option<SimTime>,
    /// How often it went out: by the timer, and in answer to the peer's SYN.
    sends: u32,
    retries: u32,
}

impl Handshake {
    /// It is to be sent.
    pub fn ask(&mut self) {
        self.due = true;
    }

    /// True if it is to be sent, once for each time that it was asked for.
    pub fn take_due(&mut self) -> bool {
        std::mem::take(&mut self.due)
    }

    pub fn sent(&mut self, now: SimTime, profile: &Profile) {
        self.first_sent_at.get_or_insert(now);
        self.sends += 1;
        let backoff = 1 << self.retries.min(16);
        let timeout = profile.rto.initial.saturating_mul(backoff).min(profile.rto.max);
        self.deadline = Some(now + timeout);
    }

    /// True if its timer fired.
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

    /// It was sent again too often without an answer.
    pub fn gave_up(&self, profile: &Profile) -> bool {
        self.retries > profile.handshake_retries
    }

    pub fn first_sent_at(&self) -> Option<SimTime> {
        self.first_sent_at
    }

    pub fn was_sent_again(&self) -> bool {
        self.sends > 1
    }

    /// The time since it was sent; none if it was sent again (Karn's rule, RFC 6298 §3).
    pub fn round_trip(&self, now: SimTime) -> Option<Duration> {
        self.first_sent_at.filter(|_| self.sends == 1).map(|at| now - at)
    }
}
