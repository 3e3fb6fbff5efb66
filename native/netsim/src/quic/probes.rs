use quinn_proto::Side;

use super::packet::Level;
use crate::time::SimTime;

/// Counts probe timeouts (RFC 9002 §6.2). Because quinn does not report them, they are inferred from timers and
/// packets.
#[derive(Debug)]
pub struct Probes {
    /// How many probe timeouts have expired since the start.
    timeouts: u32,
    /// How many probe timeouts have expired since the backoff last ended. Each doubles the next timeout (RFC 9002
    /// §6.2.1).
    in_a_row: u32,
    /// The last level whose keys were discarded.
    discarded: Option<Level>,
    /// Whether the peer has validated this end's address (RFC 9002 §6.2.2.1).
    is_validated: bool,
    /// When the last timer expired; `None` if it made packets count as lost, or if its probe was already noted.
    timer_at: Option<SimTime>,
}

impl Probes {
    pub fn new(side: Side) -> Self {
        // a client validates its server's address implicitly
        Probes { timeouts: 0, in_a_row: 0, discarded: None, is_validated: side.is_server(), timer_at: None }
    }

    /// Notes that a timer expired. `took_for_lost` says whether packets were then deemed lost; if so, this timer was
    /// that of loss detection (RFC 9002 §6.1.2).
    pub fn handle_timer(&mut self, now: SimTime, took_for_lost: bool) {
        self.timer_at = (!took_for_lost).then_some(now);
    }

    /// Notes a datagram that may be a probe. A probe timeout causes up to two probes (RFC 9002 §6.2.4). If both are
    /// noted here, they count as one timeout.
    pub fn note_probe(&mut self, now: SimTime) {
        if self.timer_at.take_if(|at| *at == now).is_some() {
            self.timeouts += 1;
            self.in_a_row += 1;
        }
    }

    /// Notes that the peer has validated this end's address. An acknowledgement in a Handshake or 1-RTT packet shows
    /// this.
    pub fn validate(&mut self) {
        self.is_validated = true;
    }

    /// Notes that a packet was acknowledged for the first time. A client keeps its backoff until its address is
    /// validated (RFC 9002 §6.2.1).
    pub fn handle_acknowledged(&mut self) {
        if self.is_validated {
            self.in_a_row = 0;
        }
    }

    /// Notes that the keys of a level of the handshake have been discarded. The first time, this ends the backoff (RFC
    /// 9002 §6.2.2, §A.11).
    pub fn handle_discarded(&mut self, level: Level) {
        if self.discarded < Some(level) {
            self.discarded = Some(level);
            self.in_a_row = 0;
        }
    }

    /// How many probe timeouts have expired since the start.
    pub fn timeouts(&self) -> u32 {
        self.timeouts
    }

    /// The factor by which backoff lengthens the next timeout.
    pub fn backoff(&self) -> u32 {
        2u32.pow(self.in_a_row.min(MOST_DOUBLINGS))
    }
}

/// The limit of quinn for the number of doublings. The idle timeout expires long before this limit is reached.
const MOST_DOUBLINGS: u32 = 16;

#[cfg(test)]
mod tests {
    use super::*;

    const fn at(ms: u64) -> SimTime {
        SimTime::from_ms(ms)
    }

    #[test]
    fn both_probes_of_a_timeout_count_once() {
        let mut probes = Probes::new(Side::Server);
        probes.note_probe(at(5));
        assert_eq!(probes.timeouts(), 0, "no timer has fired");
        probes.handle_timer(at(10), false);
        probes.note_probe(at(10));
        probes.note_probe(at(10));
        assert_eq!(probes.timeouts(), 1);
        probes.handle_timer(at(20), false);
        probes.note_probe(at(21));
        assert_eq!(probes.timeouts(), 1, "the packet was not sent when the timer fired");
    }

    // RFC 9002 §6.2.1
    #[test]
    fn a_loss_detection_timer_causes_no_probe() {
        let mut probes = Probes::new(Side::Server);
        probes.handle_timer(at(10), true);
        probes.note_probe(at(10));
        assert_eq!((probes.timeouts(), probes.backoff()), (0, 1));
    }

    // RFC 9002 §6.2.1
    #[test]
    fn the_backoff_of_a_client_ends_only_after_its_address_is_validated() {
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

    // RFC 9002 §6.2.2
    #[test]
    fn the_backoff_ends_once_when_the_keys_of_a_level_are_discarded() {
        let mut probes = Probes::new(Side::Client);
        let expire = |probes: &mut Probes, ms| {
            probes.handle_timer(at(ms), false);
            probes.note_probe(at(ms));
        };
        for level in [Level::Initial, Level::Handshake] {
            expire(&mut probes, 10);
            probes.handle_discarded(level);
            assert_eq!(probes.backoff(), 1, "{level:?}");
            expire(&mut probes, 20);
            probes.handle_discarded(level);
            assert_eq!(probes.backoff(), 2, "{level:?} was discarded before");
        }
    }
}
