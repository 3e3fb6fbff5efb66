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

    /// Something was acknowledged for the first time. Until it is validated, a client keeps its backoff (RFC 9002 §6.2.1).
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
    use std::sync::{Arc, Mutex};
    use std::time::Duration;

    use tracing::field::{Field, Visit};
    use tracing::span::{Attributes, Id, Record};
    use tracing::{Event, Metadata, Subscriber};

    use super::*;
    use crate::endpoint::Endpoint;
    use crate::link::{LossModel, PathParams};
    use crate::quic::{Options, Profile};
    use crate::sim::{EndpointId, Simulation, SimulationOptions};
    use crate::trace::Recording;

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

    /// What the library logs of its probe timeouts: how many there were in a row before each.
    #[derive(Clone, Default)]
    struct Log(Arc<Mutex<Timeouts>>);

    #[derive(Default)]
    struct Timeouts {
        before: Vec<u64>,
        /// After which a server had no leave to send at once: the library doubles the next one all the same.
        mute: u64,
        is_last: bool,
    }

    #[derive(Default)]
    struct Line {
        message: String,
        count: u64,
    }

    impl Visit for Line {
        fn record_u64(&mut self, field: &Field, value: u64) {
            if field.name() == "count" {
                self.count = value;
            }
        }

        fn record_debug(&mut self, field: &Field, value: &dyn std::fmt::Debug) {
            if field.name() == "message" {
                self.message = format!("{value:?}");
            }
        }
    }

    impl Subscriber for Log {
        fn enabled(&self, _metadata: &Metadata<'_>) -> bool {
            true
        }

        fn event(&self, event: &Event<'_>) {
            let mut line = Line::default();
            event.record(&mut line);
            let mut timeouts = self.0.lock().unwrap();
            if timeouts.is_last && line.message == "blocked by anti-amplification" {
                timeouts.mute += 1;
            }
            timeouts.is_last = line.message == "PTO fired";
            if timeouts.is_last {
                timeouts.before.push(line.count);
            }
        }

        fn new_span(&self, _attributes: &Attributes<'_>) -> Id {
            Id::from_u64(1)
        }

        fn record(&self, _span: &Id, _values: &Record<'_>) {}
        fn record_follows_from(&self, _span: &Id, _follows: &Id) {}
        fn enter(&self, _span: &Id) {}
        fn exit(&self, _span: &Id) {}
    }

    /// A download through heavy loss, a millisecond at a time; gives its probe timeouts.
    fn compare(seed: u64, options: Options, log: &Log) -> usize {
        let path = PathParams::symmetric(1_000_000, Duration::from_millis(100), LossModel::Bernoulli { rate: 0.25 });
        let mut sim = Simulation::new(SimulationOptions { seed, path, recording: Recording::OFF }).unwrap();
        let ends: [EndpointId; 2] = sim.open_quic(options, options).unwrap().into();
        sim.quic(ends[0]).unwrap().connect().unwrap();
        let mut has_written = false;
        let mut before = [0, 0];
        *log.0.lock().unwrap() = Timeouts::default();
        for ms in 0..6000 {
            while !sim.advance(at(ms)).is_empty() {}
            has_written = has_written || sim.quic(ends[1]).unwrap().write(3, &[7; 60_000]).is_ok();
            let after = ends.map(|end| sim.quic(end).unwrap().timeouts().probe);
            let logged = log.0.lock().unwrap();
            let (counted, all) = (u64::from(after.iter().sum::<u32>()), logged.before.len() as u64);
            assert!(
                (all - logged.mute..=all).contains(&counted),
                "seed {seed}, {options:?}, {ms} ms: {counted}, {all}"
            );
            for (end, _) in ends.iter().zip(after.iter().zip(before)).filter(|(_, (after, before))| *after > before) {
                let in_a_row = u64::from(sim.quic(*end).unwrap().probes.backoff().ilog2());
                let expected = logged.before.last().unwrap() + 1;
                assert!((in_a_row..=in_a_row + logged.mute).contains(&expected), "seed {seed}, {options:?}, {ms} ms");
            }
            before = after;
        }
        before.iter().sum::<u32>() as usize
    }

    #[test]
    fn each_probe_timeout_of_the_library_s_is_counted_with_its_backoff() {
        let log = Log::default();
        tracing::subscriber::with_default(log.clone(), || {
            let runs = (1..=12).flat_map(|seed| Profile::ALL.map(|profile| (seed, profile)));
            let timeouts: usize = runs
                .map(|(seed, profile)| {
                    let options = Options { zero_rtt: seed % 2 == 0, ..Options::new(profile) };
                    compare(seed, options, &log)
                })
                .sum();
            assert!(timeouts > 50, "{timeouts}");
        });
    }
}
