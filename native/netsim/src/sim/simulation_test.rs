use std::time::Duration;

use super::*;
use crate::link::{LossApplies, LossModel};
use crate::trace::Fate;

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

/// The server sends 60 messages of 1000 B over a path that loses data; gives its data packets' fates.
fn fates_of_data(transport: TransportKind, loss: &LossModel) -> Vec<bool> {
    let mut path = PathParams::symmetric(1_000_000, Duration::from_millis(100), loss.clone());
    path.down.loss_applies = LossApplies::Data;
    path.up.loss_applies = LossApplies::Data;
    let mut sim = Simulation::new(SimulationOptions { seed: 3, path, recording: Recording::ALL }).unwrap();
    let server = match transport {
        TransportKind::Tcp => {
            let options = tcp::Options::new(tcp::Profile::named("classic").unwrap());
            let (client, server) = sim.open_tcp(options, options).unwrap();
            sim.tcp(client).unwrap().connect().unwrap();
            server
        }
        TransportKind::Sctp => {
            let options = sctp::Options::new(sctp::Profile::Classic, 3);
            let (client, server) = sim.open_sctp(options.clone(), options).unwrap();
            sim.sctp(client).unwrap().connect();
            server
        }
        TransportKind::Udp => {
            let (_, server) = sim.open_udp();
            for _ in 0..60 {
                sim.udp(server).unwrap().send(&[]).unwrap();
                sim.udp(server).unwrap().send(&[7; 1000]).unwrap();
            }
            server
        }
    };
    loop {
        let events = sim.advance(SimTime::MAX);
        if events.is_empty() {
            break;
        }
        for AppEvent { endpoint, event } in events {
            match (transport, event) {
                (TransportKind::Tcp, Event::Connected { .. }) if endpoint == server => {
                    sim.tcp(server).unwrap().write(&[7; 60_000]).unwrap();
                }
                (TransportKind::Tcp, Event::Readable { .. }) => drop(sim.tcp(endpoint).unwrap().read()),
                (TransportKind::Sctp, Event::Connected { .. }) if endpoint == server => {
                    for number in 0..60 {
                        sim.sctp(server).unwrap().send(number % 3, &[7; 1000]).unwrap();
                    }
                }
                _ => {}
            }
        }
    }
    let (packets, chunks) = (&sim.trace().packets.packets, &sim.trace().packets.chunks);
    let has_data = |row: usize| {
        let of_packet = (0..chunks.packet.len()).filter(|chunk| chunks.packet[*chunk] as usize == row);
        of_packet.map(|chunk| chunks.bytes[chunk]).sum::<u32>() > 0
    };
    let mut fates = Vec::new();
    for row in 0..packets.fate.len() {
        let lost = packets.fate[row] == Fate::Lost as u8;
        if !has_data(row) {
            assert!(!lost, "a packet without data was lost");
        } else if packets.direction[row] == Direction::Down as u8 {
            fates.push(lost);
        }
    }
    fates
}

#[test]
fn loss_of_data_gives_the_kth_data_packet_one_fate_over_every_transport() {
    let burst = LossModel::GilbertElliott { p: 0.05, r: 0.4, h: 0.1, k: 0.98 };
    for loss in [LossModel::Bernoulli { rate: 0.1 }, burst] {
        let [tcp, sctp, udp] =
            [TransportKind::Tcp, TransportKind::Sctp, TransportKind::Udp].map(|of| fates_of_data(of, &loss));
        let common = tcp.len().min(sctp.len()).min(udp.len());
        assert!(common >= 40 && tcp[..common].contains(&true), "{common}");
        assert_eq!(tcp[..common], sctp[..common]);
        assert_eq!(tcp[..common], udp[..common]);
    }
}
