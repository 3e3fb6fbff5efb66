use super::*;

const MTU_BYTES: u16 = 1500;

fn constant(rate_bps: u64, packet_bytes: u16) -> FlowOptions {
    FlowOptions {
        kind: FlowKind::ConstantRate { rate_bps, packet_bytes },
        direction: Direction::Up,
        start: SimTime::from_ms(1000),
        end: None,
    }
}

/// Runs a flow without a path until `until`, and returns the times and sizes of its packets.
fn packets(options: FlowOptions, until: SimTime) -> Vec<(SimTime, usize)> {
    let mut flow = Flow::new(1, 0, MTU_BYTES, options).unwrap();
    let mut sent = Vec::new();
    while let Some(now) = flow.poll_timeout().filter(|at| *at <= until) {
        flow.handle_timeout(now);
        while let Some(packet) = flow.poll_transmit(now) {
            assert_eq!((packet.direction, packet.has_data), (options.direction, true));
            assert_eq!(packet.packet.to_wire().len(), packet.packet.wire_bytes());
            sent.push((now, packet.packet.wire_bytes()));
        }
    }
    sent
}

#[test]
fn a_constant_rate_is_kept_from_the_start_to_the_end() {
    let options = FlowOptions { end: Some(SimTime::from_ms(3000)), ..constant(1_000_000, 1000) };
    let sent = packets(options, SimTime::from_ms(9000));
    let first = sent[0].0;
    assert!((SimTime::from_ms(1000)..SimTime::from_ms(1100)).contains(&first), "{first}");
    for (number, (at, bytes)) in (0u64..).zip(&sent) {
        assert_eq!((*at, *bytes), (first + Duration::from_millis(8 * number), 1000));
    }
    assert!(sent.last().unwrap().0 < SimTime::from_ms(3000));
    assert!((236..=250).contains(&sent.len()), "{}", sent.len());
}

#[test]
fn no_rounding_adds_up_in_the_times_of_a_constant_rate() {
    let sent = packets(constant(3_000_000, 1000), SimTime::from_ms(2000));
    let (first, last) = (sent[0].0, sent[300].0);
    // 300 packets of 8000 bits at 3 Mbit/s
    assert_eq!(last - first, Duration::from_millis(800));
}

#[test]
fn flows_with_equal_settings_start_at_different_times_that_the_seed_decides() {
    let start = |seed, number| Flow::new(seed, number, MTU_BYTES, constant(1000, 100)).unwrap().poll_timeout().unwrap();
    assert_eq!(start(1, 0), start(1, 0));
    assert!(start(1, 0) != start(1, 1) && start(1, 0) != start(2, 0));
}

#[test]
fn a_flow_that_ends_before_its_start_sends_nothing() {
    let options = FlowOptions { end: Some(SimTime::from_ms(1000)), ..constant(1_000_000, 1000) };
    assert_eq!(packets(options, SimTime::from_ms(9000)), []);
    let kind = FlowKind::Tcp { profile: tcp::Profile::named("modern").unwrap() };
    assert_eq!(packets(FlowOptions { kind, ..options }, SimTime::from_ms(9000)), []);
}

#[test]
fn a_setting_outside_its_limits_is_refused_by_name_and_limit() {
    let refusal = |options| Flow::new(1, 0, MTU_BYTES, options).unwrap_err().to_string();
    assert_eq!(refusal(constant(1000, 27)), "invalid packetBytes: 27 (must be 28–1500, the path's MTU)");
    assert_eq!(refusal(constant(1000, 1501)), "invalid packetBytes: 1501 (must be 28–1500, the path's MTU)");
    let limit = "1–8000000000, a million packets of 1000 bytes a second";
    assert_eq!(refusal(constant(0, 1000)), format!("invalid rateBps: 0 (must be {limit})"));
    assert_eq!(refusal(constant(8_000_000_001, 1000)), format!("invalid rateBps: 8000000001 (must be {limit})"));
    assert!(Flow::new(1, 0, MTU_BYTES, constant(8_000_000_000, 1000)).is_ok());
}
