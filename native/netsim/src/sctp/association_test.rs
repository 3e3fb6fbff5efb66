use std::time::Duration;

use super::*;
use crate::link::{LossModel, PathParams};
use crate::sctp::Profile;
use crate::sim::{Simulation, SimulationOptions};
use crate::trace::Recording;

/// A load of 200 messages, 350 ms, 3 % loss; `check` sees the sender after each instant with events.
fn load(profile: Profile, mut check: impl FnMut(&Association)) {
    let loss = LossModel::Bernoulli { rate: 0.03 };
    let path = PathParams::symmetric(1_000_000, Duration::from_millis(350), loss);
    let mut sim = Simulation::new(SimulationOptions { seed: 5, path, recording: Recording::OFF }).unwrap();
    let options = Options::new(profile, 4);
    let (client, server) = sim.open_sctp(options.clone(), options).unwrap();
    sim.sctp(client).unwrap().connect();
    let mut received = 0;
    while received < 200 {
        let events = sim.advance(SimTime::MAX);
        assert!(!events.is_empty());
        for event in events {
            match event.event {
                Event::Connected { .. } if event.endpoint == client => {
                    let association = sim.sctp(server).unwrap();
                    for number in 0..200 {
                        association.send(number % 4, &[0; 1452]).unwrap();
                    }
                }
                Event::Message { .. } => received += 1,
                _ => {}
            }
        }
        check(sim.sctp(server).unwrap());
    }
}

#[test]
fn the_stacks_own_queue_stays_empty() {
    load(Profile::Classic, |sender| assert_eq!(sender.in_stack_bytes, 0));
}

#[test]
fn the_rto_estimator_agrees_with_the_stack() {
    for profile in [Profile::Classic, Profile::Modern] {
        let mut compared = 0;
        load(profile, |sender| {
            if let (Some(stack), Some(ours)) = (sender.stack.metrics(), sender.congestion.estimator().srtt()) {
                assert_eq!(stack.srtt, Some(ours));
                compared += 1;
            }
        });
        assert!(compared > 50);
    }
}

#[test]
fn the_flight_stays_within_the_window_that_was() {
    let mut window_bytes = 0;
    load(Profile::Classic, |sender| {
        let sample = sender.sample().unwrap();
        // fast retransmit shrinks the window under what is in flight
        window_bytes = if sender.congestion.is_recovering() { window_bytes } else { sample.cwnd_bytes };
        assert!(sample.flight_bytes <= window_bytes.max(sample.cwnd_bytes), "{sample:?}");
    });
}
