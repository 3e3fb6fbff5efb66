use quinn_proto::Side;

use crate::time::SimTime;

/// Probe timeouts (RFC 9002 §6.2) as timers and packets show them; the library does not tell of its own.
#[derive(Debug)]
pub struct Probes {
    /// That expired since the start.
    timeouts: u32,
    /// That expired since the last acknowledgement that counts: each doubles the next (RFC 9002 §6.2.1).
    in_a_row: u32,
    /// The peer does not wait for this end's bytes to know its address (RFC 9002 §6.2.2.1).
    is_validated: bool,
    /// A timer expired then, and nothing was taken for lost.
    timer_at: Option<SimTime>,
}

impl Probes {
    pub fn new(side: Side) -> Self {
        // a server knows that its client has its address
        Probes { timeouts: 0, in_a_row: 0, is_validated: side.is_server(), timer_at: None }
    }

    /// A timer expired; `took_for_lost` tells that it was that of losses (RFC 9002 §6.1.2).
    pub fn handle_timer(&mut self, now: SimTime, took_for_lost: bool) {
        self.timer_at = (!took_for_lost).then_some(now);
    }

    /// A datagram left with what a timer has an end send to make the peer speak; of the two of one timeout, each.
    pub fn note_probe(&mut self, now: SimTime) {
        if self.timer_at.take_if(|at| *at == now).is_some() {
            self.timeouts += 1;
            self.in_a_row += 1;
        }
    }

    /// The peer has shown that it knows this end's address: it is past the Initial packets.
    pub fn validate(&mut self) {
        self.is_validated = true;
    }

    /// Something was acknowledged for the first time. Until it is validated, a client keeps its backoff (RFC 9002
    /// §6.2.1).
    pub fn handle_acknowledged(&mut self) {
        if self.is_validated {
            self.in_a_row = 0;
        }
    }

    /// Since the start.
    pub fn timeouts(&self) -> u32 {
        self.timeouts
    }

    /// How many times as long as the first of a row the next timeout is.
    pub fn backoff(&self) -> u32 {
        2u32.pow(self.in_a_row.min(MOST_DOUBLINGS))
    }
}

/// The library's; the idle timeout comes long before.
const MOST_DOUBLINGS: u32 = 16;

#[cfg(test)]
mod tests {
    use super::*;

    const fn at(ms: u64) -> SimTime {
        SimTime::from_ms(ms)
    }

    #[test]
    fn the_two_probes_of_a_timeout_count_once() {
        let mut probes = Probes::new(Side::Server);
        probes.note_probe(at(5));
        assert_eq!(probes.timeouts(), 0, "no timer");
        probes.handle_timer(at(10), false);
        probes.note_probe(at(10));
        probes.note_probe(at(10));
        assert_eq!(probes.timeouts(), 1);
        probes.handle_timer(at(20), false);
        probes.note_probe(at(21));
        assert_eq!(probes.timeouts(), 1, "not the timer's");
    }

    // RFC 9002 §6.2.1
    #[test]
    fn what_a_timer_takes_for_lost_is_no_probe() {
        let mut probes = Probes::new(Side::Server);
        probes.handle_timer(at(10), true);
        probes.note_probe(at(10));
        assert_eq!((probes.timeouts(), probes.backoff()), (0, 1));
    }

    // RFC 9002 §6.2.1
    #[test]
    fn a_client_s_backoff_stays_until_the_server_knows_its_address() {
        for (side, after) in [(Side::Client, 4), (Side::Server, 1)] {
            let mut probes = Probes::new(side);
            for ms in [10, 30] {
                probes.handle_timer(at(ms), false);
                probes.note_probe(at(ms));
            }
            assert_eq!(probes.backoff(), 4);
            probes.handle_acknowledged();
            assert_eq!(probes.backoff(), after, "{side:?}");
            probes.validate();
            probes.handle_acknowledged();
            assert_eq!((probes.timeouts(), probes.backoff()), (2, 1));
        }
    }
}
