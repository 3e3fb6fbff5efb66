//! Random scenarios over all transports: every byte comes once and in order, every run ends, and none is given
//! up that the path does not explain.
//!
//! `INTERLEAVE_SWARM` sets the number of scenarios (500), `INTERLEAVE_SWARM_SEED` the first seed (1). A failure
//! prints the seed and the scenario; the seed alone reproduces it.

#![allow(clippy::panic, reason = "a test fails by it")]

mod exchange;
mod patience;
mod scenario;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};

use patience::chance_of_giving_up;
use scenario::Scenario;

#[test]
fn every_byte_arrives_once_and_in_order_and_every_run_ends() {
    let number = |name: &str, default| std::env::var(name).map_or(default, |text| text.parse().expect(name));
    let (count, first) = (number("INTERLEAVE_SWARM", 500), number("INTERLEAVE_SWARM_SEED", 1));
    println!("swarm: seeds {first} to {}", first + count - 1);
    let next = AtomicU64::new(first);
    let gave_up = AtomicU64::new(0);
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                loop {
                    let seed = next.fetch_add(1, Ordering::Relaxed);
                    if seed >= first + count {
                        return;
                    }
                    gave_up.fetch_add(u64::from(run(seed)), Ordering::Relaxed);
                }
            });
        }
    });
    let gave_up = gave_up.into_inner();
    println!("swarm: {count} runs, {gave_up} gave up, as their paths explain");
    // 4 in 1000 were the most; a swarm of runs that end early proves little
    assert!(gave_up * 100 <= count + 500, "{gave_up} of {count} runs gave up");
}

/// Runs one scenario; tells whether it was given up.
fn run(seed: u64) -> bool {
    let scenario = Scenario::random(seed);
    match catch_unwind(AssertUnwindSafe(|| exchange::run(&scenario))) {
        Ok(Ok(None)) => false,
        Ok(Ok(Some(given_up))) => {
            let explained = chance_of_giving_up(&scenario, given_up);
            assert!(
                explained > CHANCE_TO_EXPECT,
                "seed {seed}: given up, by a chance of {explained:e}; {given_up:?}\n{scenario:#?}"
            );
            true
        }
        Ok(Err(problem)) => panic!("seed {seed}: {problem}\n{scenario:#?}"),
        Err(_) => panic!("seed {seed} panicked\n{scenario:#?}"),
    }
}

/// A run that gives up although the chance is smaller than this has a fault: one in ten swarms of a million.
const CHANCE_TO_EXPECT: f64 = 1e-7;
