use std::time::Duration;

use crate::time::SimTime;

/// The growth of a receive window, with the rules of Linux 6.12 (net/ipv4/tcp_input.c). The window starts small. Each
/// segment of data raises it towards the size of the buffer (`tcp_grow_window`). The buffer grows with the bytes that
/// the application has read in a round trip (`tcp_rcv_space_adjust`), up to a limit. While a gap delays the application,
/// the buffer does not grow, so losses slow down a sender with a large window.
///
/// All sizes are bytes of data that fit in the buffer. Linux counts memory, of which a segment needs more than its data.
#[derive(Debug)]
pub struct WindowTuning {
    mss: u64,
    /// The largest buffer (`tcp_rmem[2]`).
    most: u64,
    /// The buffer (`window_clamp`).
    buffer: u64,
    /// The largest window to offer (`rcv_ssthresh`).
    threshold: u64,
    measured: Measured,
    rtt: ReceiverRtt,
    /// The time of the last segment.
    now: SimTime,
}

/// The measurement of the bytes that the application reads in a round trip (`rcvq_space`).
#[derive(Debug)]
struct Measured {
    since: SimTime,
    read: u64,
    /// The bytes of the round trip before.
    before: u64,
}

/// The receiver's own estimate of the RTT (`rcv_rtt_est`).
#[derive(Debug, Default)]
struct ReceiverRtt {
    /// Eight times the smoothed RTT.
    eightfold: Duration,
    last_echo: Option<u32>,
    /// The size of the largest segment (`rcv_mss`). Smaller segments may have waited at the sender.
    largest: u64,
    /// When the measurement of a window of data began, and the sequence number at which this window has arrived.
    round: Option<(SimTime, u64)>,
}

/// A segment of data for the estimates.
pub struct Received {
    pub at: SimTime,
    pub bytes: u64,
    /// The timestamp that the segment echoes, and the time since then.
    pub echo: Option<(u32, Duration)>,
    /// Whether the window may grow. Without SACK it does not grow behind a gap, because an acknowledgement with another
    /// window is no duplicate acknowledgement (RFC 5681 §2).
    pub may_grow: bool,
    /// RCV.NXT before the segment.
    pub next: u64,
    /// The window that was last advertised, in bytes from `next`.
    pub window: u64,
    /// The bytes in the buffer that the application has not read.
    pub held: u64,
}

/// The initial size of the buffer: the 131,072 bytes of `tcp_rmem[1]`, of which 1448 of 2304 are data.
const INITIAL_BUFFER: u64 = 131_072 * 1448 / 2304;
/// The first window is not scaled (RFC 7323 §2.2).
const MOST_UNSCALED: u64 = 65_535;
/// TCP_INIT_CWND: the segments that a sender is expected to send in its first round trip.
const FIRST_SEGMENTS: u64 = 10;
/// Segments with less data do not raise the window.
const LEAST_GROWING_BYTES: u64 = 128;

impl WindowTuning {
    /// `most` is the largest size of the buffer.
    pub fn new(most: u64, mss: u64) -> Self {
        let buffer = INITIAL_BUFFER.min(most);
        let first = buffer.min(MOST_UNSCALED);
        let threshold = if first > mss { first - first % mss } else { first };
        WindowTuning {
            mss,
            most,
            buffer,
            threshold,
            measured: Measured { since: SimTime::ZERO, read: 0, before: threshold.min(FIRST_SEGMENTS * mss) },
            rtt: ReceiverRtt::default(),
            now: SimTime::ZERO,
        }
    }

    /// The window to offer if the buffer holds `held` bytes.
    pub fn window(&self, held: u64) -> u64 {
        self.buffer.saturating_sub(held).min(self.threshold)
    }

    /// Whether a read has made room for a window that is worth an acknowledgement of its own (`__tcp_cleanup_rbuf`).
    pub fn update_due(&self, advertised: u64, held: u64) -> bool {
        2 * advertised <= self.buffer && self.window(held) >= (2 * advertised).max(1)
    }

    /// Handles a segment of data, before it is stored.
    pub fn handle_segment(&mut self, received: &Received) {
        self.now = received.at;
        self.rtt.handle_segment(received);
        if self.measured.since == SimTime::ZERO {
            self.measured.since = received.at;
        }
        if received.bytes < LEAST_GROWING_BYTES || !received.may_grow {
            return;
        }
        let room = self.buffer.saturating_sub(received.held).saturating_sub(self.threshold);
        self.threshold += room.min(2 * self.mss.max(received.bytes));
    }

    /// Notes that the application has read a segment of `bytes`.
    pub fn handle_read(&mut self, bytes: u64) {
        self.measured.read += bytes;
        let lasted = self.now.saturating_since(self.measured.since);
        if self.rtt.eightfold.is_zero() || lasted < self.rtt.eightfold / 8 {
            return;
        }
        let Measured { read, before, .. } = self.measured;
        if read > before {
            // twice the bytes for the repair of losses, and more if the sender's window grows
            let steady = 2 * read + 16 * self.mss;
            let grown = steady + 2 * (steady * (read - before) / before.max(1));
            self.buffer = self.buffer.max(grown.min(self.most));
        }
        self.measured = Measured { since: self.now, read: 0, before: read.max(before) };
    }
}

impl ReceiverRtt {
    fn handle_segment(&mut self, received: &Received) {
        match self.round {
            Some((since, end)) if received.next >= end => {
                let rtt = received.at.saturating_since(since);
                let is_less = self.eightfold.is_zero() || rtt * 8 < self.eightfold;
                if is_less {
                    self.eightfold = rtt * 8;
                }
                self.round = Some((received.at, received.next + received.window));
            }
            None => self.round = Some((received.at, received.next + received.window)),
            Some(_) => {}
        }
        let Some((echo, rtt)) = received.echo else { return };
        self.largest = self.largest.max(received.bytes);
        if self.last_echo.replace(echo) == Some(echo) || received.bytes < self.largest {
            return;
        }
        self.eightfold =
            if self.eightfold.is_zero() { rtt * 8 } else { (self.eightfold + rtt).saturating_sub(self.eightfold / 8) };
    }
}

#[cfg(test)]
#[path = "window_tuning_test.rs"]
mod tests;
