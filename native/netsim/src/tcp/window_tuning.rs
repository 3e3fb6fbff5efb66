use std::time::Duration;

use crate::time::SimTime;

/// The growth of a receive window, with the rules of Linux 6.12 (net/ipv4/tcp_input.c). The window starts small.
/// Segments of data raise it towards the size of the buffer (`tcp_grow_window`). The buffer grows with the bytes that
/// the application has read in a round trip (`tcp_rcv_space_adjust`), up to a limit. While a gap delays the
/// application, the buffer does not grow, so losses slow down a sender with a large window.
///
/// All sizes are bytes of data that fit in the buffer. Linux counts memory, of which a segment needs more than its
/// data.
#[derive(Debug)]
pub struct WindowTuning {
    /// The data of a full segment (`advmss`).
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
    /// The most bytes that were read in an earlier round trip. At first, it is the expected number.
    before: u64,
}

/// The receiver's own estimate of the RTT (`rcv_rtt_est`).
#[derive(Debug, Default)]
struct ReceiverRtt {
    /// Eight times the smoothed RTT.
    eightfold: Duration,
    last_echo: Option<u32>,
    /// The size of the largest segment (`rcv_mss`). The timestamps of smaller segments give no RTT, because these
    /// segments may have waited at the sender.
    largest: u64,
    /// When the measurement of a window of data began, and the sequence number at which this window ends.
    round: Option<(SimTime, u64)>,
}

/// A segment of data for the estimates.
pub struct Received {
    pub at: SimTime,
    pub bytes: u64,
    /// The timestamp that the segment echoes, and the time since this timestamp was sent.
    pub echo: Option<(u32, Duration)>,
    /// Whether the window may grow. Without SACK it does not grow behind a gap, because an acknowledgement with another
    /// window is no duplicate acknowledgement (RFC 5681 §2).
    pub may_grow: bool,
    /// RCV.NXT after the segment. Data that was waiting behind a gap is not counted. `None` if the segment is beyond a
    /// gap.
    pub next: Option<u64>,
    /// The window that was last advertised, in bytes.
    pub window: u64,
    /// The bytes in the buffer that the application has not read, without this segment.
    pub held: u64,
}

/// The initial size of the buffer: 131,072 bytes of memory (`tcp_rmem[1]`), of which 160/256 are data as soon as a full
/// segment has arrived (`tcp_measure_rcv_mss`: 1448 bytes of data in 2304 bytes of memory).
const INITIAL_BUFFER: u64 = 131_072 * 160 / 256;
/// The first window is not scaled (RFC 7323 §2.2).
const MOST_UNSCALED: u64 = 65_535;
/// Before a segment has arrived, half of the memory counts as window (`TCP_DEFAULT_SCALING_RATIO`).
const FIRST_BUFFER: u64 = 131_072 / 2;
/// TCP_INIT_CWND: the segments that a sender is expected to send in its first round trip.
const FIRST_SEGMENTS: u64 = 10;
/// Segments with less data do not raise the window.
const LEAST_GROWING_BYTES: u64 = 128;

impl WindowTuning {
    /// `most` is the largest size of the buffer. `mss` is the data of a full segment, and `options` are the bytes of
    /// options that each segment has.
    pub fn new(most: u64, mss: u64, options: u64) -> Self {
        let buffer = INITIAL_BUFFER.min(most);
        let first = buffer.min(MOST_UNSCALED);
        // tcp_select_initial_window: the first window is a multiple of the data that a segment without options has
        let whole = mss + options;
        let threshold = if first > whole { first - first % whole } else { first };
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

    /// Notes that the connection is established (`tcp_init_buffer_space`). Room for one segment stays reserved.
    pub fn handle_established(&mut self, now: SimTime) {
        self.measured.since = now;
        if self.most > FIRST_BUFFER {
            self.threshold = self.threshold.min(FIRST_BUFFER - self.mss);
        }
    }

    /// The window to offer if the buffer holds `held` bytes.
    pub fn window(&self, held: u64) -> u64 {
        self.buffer.saturating_sub(held).min(self.threshold)
    }

    /// Whether a read has made room for a window that is worth an acknowledgement of its own (`__tcp_cleanup_rbuf`).
    pub fn update_due(&self, advertised: u64, held: u64) -> bool {
        self.window(held) >= (2 * advertised).max(1)
    }

    /// Whether more than half of the buffer is in use, so that acknowledgements need not be quick
    /// (`__tcp_select_window`).
    pub fn is_half_full(&self, held: u64) -> bool {
        2 * held > self.buffer
    }

    /// Handles a segment of data. Returns whether the window has grown.
    pub fn handle_segment(&mut self, received: &Received) -> bool {
        self.now = received.at;
        self.rtt.handle_segment(received);
        if received.bytes < LEAST_GROWING_BYTES || !received.may_grow {
            return false;
        }
        // in Linux the segment itself is in the buffer already
        let room = self.buffer.saturating_sub(received.held + received.bytes).saturating_sub(self.threshold);
        self.threshold += room.min(2 * self.mss.max(received.bytes));
        room > 0
    }

    /// Notes that the application has read a segment of `bytes`, and that `unread` bytes in order still wait for the
    /// application. `unread` is subtracted from the bytes that were read in the round trip (`copied -= inq`), because
    /// data that waited behind a gap becomes readable in one step.
    pub fn handle_read(&mut self, bytes: u64, unread: u64) {
        self.measured.read += bytes;
        let lasted = self.now.saturating_since(self.measured.since);
        if self.rtt.eightfold.is_zero() || lasted < self.rtt.eightfold / 8 {
            return;
        }
        let Measured { read, mut before, .. } = self.measured;
        let read = read.saturating_sub(unread);
        if read > before {
            // twice the bytes for the repair of losses, and more if the sender's window grows
            let steady = 2 * read + 16 * self.mss;
            let grown = steady + 2 * (steady * (read - before) / before.max(1));
            self.buffer = self.buffer.max(grown.min(self.most));
            before = read;
        }
        self.measured = Measured { since: self.now, read: 0, before };
    }
}

impl ReceiverRtt {
    fn handle_segment(&mut self, received: &Received) {
        if let Some((echo, rtt)) = received.echo {
            self.largest = self.largest.max(received.bytes);
            if self.last_echo.replace(echo) != Some(echo) && received.bytes >= self.largest {
                self.sample(rtt);
            }
        }
        let Some(next) = received.next else { return };
        match self.round {
            Some((_, end)) if next < end => return,
            // a longer time may include a pause of the sender
            Some((since, _)) => {
                let rtt = received.at.saturating_since(since);
                if self.is_least(rtt) {
                    self.sample(rtt);
                }
            }
            None => {}
        }
        self.round = Some((received.at, next + received.window));
    }

    fn is_least(&self, rtt: Duration) -> bool {
        self.eightfold.is_zero() || rtt * 8 < self.eightfold
    }

    /// A smaller RTT replaces the estimate, and a larger RTT counts by an eighth (`tcp_rcv_rtt_update`).
    fn sample(&mut self, rtt: Duration) {
        self.eightfold = if self.is_least(rtt) { rtt * 8 } else { self.eightfold - self.eightfold / 8 + rtt };
    }
}

#[cfg(test)]
#[path = "window_tuning_test.rs"]
mod tests;
