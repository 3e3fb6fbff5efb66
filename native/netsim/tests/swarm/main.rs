//! Random scenarios over TCP, SCTP and QUIC. Every byte must arrive once and in order, and every run must end. An
//! endpoint gives up if too many of its transmissions in a row are not answered; this is allowed only if the path
//! explains it.
//!
//! Environment variables: `INTERLEAVE_SWARM` sets the number of scenarios (default 500), and `INTERLEAVE_SWARM_SEED`
//! sets the first seed (default 1). A failure prints the seed and the scenario; the seed alone reproduces it. With one
//! scenario, `INTERLEAVE_SWARM_CAPTURE` names a pcapng file to which its packets are written.

mod exchange;
mod patience;
mod scenario;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use patience::chance_of_giving_up;
use scenario::Scenario;

#[test]
fn every_byte_arrives_once_and_in_order_and_every_run_ends() {
    let number = |name: &str, default| std::env::var(name).map_or(default, |text| text.parse().expect(name));
    let (count, first) = (number("INTERLEAVE_SWARM", 500), number("INTERLEAVE_SWARM_SEED", 1));
    println!("swarm: seeds {first} to {}", first + count - 1);
    let (next, gave_up) = (AtomicU64::new(first), AtomicU64::new(0));
    let failures = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                loop {
                    let seed = next.fetch_add(1, Ordering::Relaxed);
                    if seed >= first + count || failures.load(Ordering::Relaxed) >= MAX_FAILURES {
                        return;
                    }
                    match run(seed) {
                        Ok(given_up) => drop(gave_up.fetch_add(u64::from(given_up), Ordering::Relaxed)),
                        Err(problem) => {
                            println!("seed {seed}: {problem}");
                            failures.fetch_add(1, Ordering::Relaxed);
                        }
                    }
                }
            });
        }
    });
    let (failures, gave_up) = (failures.into_inner(), gave_up.into_inner());
    println!("swarm: {count} runs planned, {failures} failed, {gave_up} were given up because of their paths");
    assert!(failures == 0, "{failures} runs failed; the swarm stops after {MAX_FAILURES}");
    // About 10 in 1000 runs are given up, because paths have policers and queues of a few packets. A swarm in which
    // many runs end early proves little.
    assert!(gave_up * 100 <= 2 * count + 500, "{gave_up} of {count} runs were given up");
}

/// Runs one scenario. Returns whether the run was given up. The error says what was wrong, and contains the scenario.
fn run(seed: u64) -> Result<bool, String> {
    let scenario = Scenario::random(seed);
    let problem = match catch_unwind(AssertUnwindSafe(|| exchange::run(&scenario))) {
        Ok(Ok(None)) => return Ok(false),
        Ok(Ok(Some(given_up))) => match chance_of_giving_up(&scenario, given_up) {
            explained if explained > CHANCE_TO_EXPECT => return Ok(true),
            explained => format!("given up, with a probability of {explained:e}; {given_up:?}"),
        },
        Ok(Err(problem)) => problem,
        Err(_) => "it panicked".into(),
    };
    Err(format!("{problem}\n{scenario:#?}"))
}

/// The number of failures after which the swarm stops.
const MAX_FAILURES: usize = 20;

/// A run that was given up has failed if the probability of giving up is below this value. By chance this happens in
/// one of ten swarms with a million runs.
const CHANCE_TO_EXPECT: f64 = 1e-7;
