use std::time::Duration;

use super::*;
use crate::link::LossModel;

/// 1 Mbps, RTT 100 ms.
fn simulation() -> Simulation {
    let path = PathParams::symmetric(1_000_000, Duration::from_millis(100), LossModel::None);
    Simulation::new(SimulationOptions { seed: 1, path, recording: Recording::ALL }).unwrap()
}

#[test]
fn a_datagram_arrives_after_serialisation_and_half_the_rtt() {
    let mut sim = simulation();
    let (client, server) = sim.open_udp();
    sim.udp(client).unwrap().send(&[7; 1222]).unwrap();
    let events = sim.advance(SimTime::MAX);
    assert_eq!(events, [AppEvent { endpoint: server, event: Event::Message { stream: 0, bytes: vec![7; 1222] } }]);
    // 1250 B with its headers: 10 ms at 1 Mbps
    assert_eq!(sim.now(), SimTime::from_ms(60));
    assert!(sim.is_idle());
}

#[test]
fn a_change_takes_effect_at_its_time() {
    let mut sim = simulation();
    let (client, _) = sim.open_udp();
    let slow = LinkParams::new(500_000, Duration::from_millis(50));
    sim.change_link(SimTime::from_ms(5), Direction::Up, slow).unwrap();
    sim.udp(client).unwrap().send(&[7; 1222]).unwrap();
    sim.udp(client).unwrap().send(&[7; 1222]).unwrap();
    sim.advance(SimTime::MAX);
    assert_eq!(sim.now(), SimTime::from_ms(60));
    sim.advance(SimTime::MAX);
    assert_eq!(sim.now(), SimTime::from_ms(10 + 20 + 50));
}

#[test]
fn an_invalid_change_is_refused_by_name_and_limit() {
    let mut sim = simulation();
    let wrong = LinkParams::new(0, Duration::ZERO);
    let error = sim.change_link(SimTime::ZERO, Direction::Up, wrong).unwrap_err();
    assert_eq!(error.to_string(), "invalid rateBps: 0 (must be 1–10^12)");
}

#[test]
fn advance_stops_at_its_limit() {
    let mut sim = simulation();
    let (client, _) = sim.open_udp();
    sim.udp(client).unwrap().send(b"x").unwrap();
    assert_eq!(sim.advance(SimTime::from_ms(20)), []);
    assert_eq!(sim.now(), SimTime::from_ms(20));
    assert!(!sim.is_idle());
}
