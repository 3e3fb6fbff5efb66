//! Random scenarios over both transports: every byte comes once and in order, and every run ends.
//!
//! `INTERLEAVE_SWARM` sets the number of scenarios (500), `INTERLEAVE_SWARM_SEED` the first seed (1). A failure
//! prints the seed and the scenario; the seed alone reproduces it.

#![allow(clippy::panic, reason = "a test fails by it")]

mod exchange;
mod scenario;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};

use exchange::Ending;
use scenario::Scenario;

#[test]
fn every_byte_arrives_once_and_in_order_and_every_run_ends() {
    let number = |name: &str, default| std::env::var(name).map_or(default, |text| text.parse().expect(name));
    let (count, first) = (number("INTERLEAVE_SWARM", 500), number("INTERLEAVE_SWARM_SEED", 1));
    println!("swarm: seeds {first} to {}", first + count - 1);
    let next = AtomicU64::new(first);
    let aborted = AtomicU64::new(0);
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                loop {
                    let seed = next.fetch_add(1, Ordering::Relaxed);
                    if seed >= first + count {
                        return;
                    }
                    aborted.fetch_add(u64::from(run(seed)), Ordering::Relaxed);
                }
            });
        }
    });
    let aborted = aborted.into_inner();
    println!("swarm: {count} runs, {aborted} aborted for a reason that the protocol allows");
    // most scenarios must be of the kind that completes, or the swarm proves little
    assert!(aborted * 2 < count, "{aborted} of {count} runs aborted");
}

/// Runs one scenario; true if it was aborted.
fn run(seed: u64) -> bool {
    let scenario = Scenario::random(seed);
    let outcome = catch_unwind(AssertUnwindSafe(|| exchange::run(&scenario)));
    match outcome {
        Ok(Ok(ending)) => ending == Ending::Aborted,
        Ok(Err(problem)) => panic!("seed {seed}: {problem}\n{scenario:#?}"),
        Err(_) => panic!("seed {seed} panicked\n{scenario:#?}"),
    }
}
