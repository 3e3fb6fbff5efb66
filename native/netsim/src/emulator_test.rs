use std::time::Duration;

use super::*;
use crate::link::{
    CapacityTrace, CoDelParams, Duplication, Header, LossApplies, LossAt, LossModel, LossProcess, Opportunities,
    PolicerParams, QueueKind, TraceParams,
};
use crate::traffic::{FlowKind, FlowOptions};

/// A path with 1 Mbps and an RTT of 100 ms. A packet of 1500 B arrives after 12 ms of serialisation and 50 ms of
/// propagation.
fn params(loss: LossModel) -> PathParams {
    PathParams::symmetric(1_000_000, Duration::from_millis(100), loss)
}

fn emulator(params: PathParams) -> Emulator<u32> {
    Emulator::new(1, params).unwrap()
}

fn packet(direction: Direction, item: u32) -> Offer<u32> {
    Offer { direction, header: Header::data(1500), item }
}

/// All packets that have arrived by `now`.
fn drain(emulator: &mut Emulator<u32>, now: SimTime) -> Vec<(SimTime, Direction, u32)> {
    std::iter::from_fn(|| emulator.poll_transmit(now)).map(|each| (each.at, each.direction, each.item)).collect()
}

const DOWN: Direction = Direction::Down;
const UP: Direction = Direction::Up;

fn ms(ms: u64) -> SimTime {
    SimTime::from_ms(ms)
}

#[test]
fn packets_queue_behind_packets_of_their_own_direction_only() {
    let mut path = emulator(params(LossModel::None));
    for (direction, item) in [(DOWN, 0), (DOWN, 1), (UP, 2)] {
        assert!(path.handle_packet(ms(0), packet(direction, item)));
    }
    assert_eq!(path.poll_timeout(), Some(ms(62)));
    assert_eq!(drain(&mut path, SimTime::from_us(61_999)), []);
    assert_eq!(drain(&mut path, ms(62)), [(ms(62), DOWN, 0), (ms(62), UP, 2)]);
    assert_eq!(path.poll_timeout(), Some(ms(74)));
    assert_eq!(drain(&mut path, ms(74)), [(ms(74), DOWN, 1)]);
    assert_eq!(path.poll_timeout(), None);
}

#[test]
fn a_late_poll_does_not_delay_later_packets() {
    let mut path = emulator(params(LossModel::None));
    for item in 0..3 {
        path.handle_packet(ms(0), packet(DOWN, item));
    }
    // nobody polls for a second, after which the next packet finds the queue empty
    path.handle_packet(ms(1000), packet(DOWN, 3));
    let expected = [(ms(62), DOWN, 0), (ms(74), DOWN, 1), (ms(86), DOWN, 2), (ms(1062), DOWN, 3)];
    assert_eq!(drain(&mut path, ms(2000)), expected);
}

#[test]
fn the_emulator_loses_the_same_packets_as_the_loss_process_of_netsim() {
    for rate in [0.0, 0.03, 0.1] {
        let loss = LossModel::Bernoulli { rate };
        let mut path = emulator(params(loss.clone()));
        for (direction, name) in [(DOWN, "loss/down"), (UP, "loss/up")] {
            let mut process = LossProcess::new(1, name);
            let mut lost = 0;
            for k in 0..500 {
                let is_lost = process.draw(&loss);
                let now = ms(20 * k);
                assert_eq!(path.handle_packet(now, packet(direction, k as u32)), !is_lost, "{rate} {direction:?} {k}");
                lost += u64::from(is_lost);
            }
            assert_eq!(drain(&mut path, ms(1_000_000)).len() as u64, 500 - lost);
            let counts = Counts { passed: 500 - lost, lost, ..Counts::default() };
            assert_eq!(path.counts(direction), counts);
            assert_eq!(lost > 0, rate > 0.0);
        }
    }
}

#[test]
fn restart_loss_restarts_the_draws_from_a_seed() {
    let loss = LossModel::Bernoulli { rate: 0.3 };
    let fates = |path: &mut Emulator<u32>| -> Vec<bool> {
        (0..50).map(|item| path.handle_packet(ms(0), packet(UP, item))).collect()
    };
    let mut path = emulator(params(loss.clone()));
    let first = fates(&mut path);
    assert_ne!(fates(&mut path), first);
    path.restart_loss(1);
    assert_eq!(fates(&mut path), first);
    path.restart_loss(2);
    assert_eq!(fates(&mut path), fates(&mut Emulator::new(2, params(loss)).unwrap()));
}

#[test]
fn loss_of_data_does_not_affect_packets_without_data() {
    let mut settings = params(LossModel::Bernoulli { rate: 1.0 });
    settings.down.loss_applies = LossApplies::Data;
    let mut path = emulator(settings);
    assert!(path.handle_packet(ms(0), Offer { header: Header::control(1500), ..packet(DOWN, 0) }));
    assert!(!path.handle_packet(ms(0), packet(DOWN, 1)));
}

#[test]
fn a_packet_lost_at_the_exit_is_reported_once_and_frees_its_queue_space() {
    let mut settings = params(LossModel::List([0].into()));
    settings.up.loss_at = LossAt::Exit;
    settings.up.queue_packets = 1;
    let mut path = emulator(settings);
    assert!(path.handle_packet(ms(0), packet(UP, 7)));
    assert_eq!((path.poll_timeout(), path.poll_lost(SimTime::from_us(11_999))), (Some(ms(62)), None));
    assert_eq!((path.poll_lost(ms(12)), path.poll_lost(ms(12)), path.poll_timeout()), (Some(7), None, None));
    assert_eq!(path.counts(UP), Counts { lost: 1, ..Counts::default() });
    assert!(path.handle_packet(ms(12), packet(UP, 8)));
    assert_eq!(drain(&mut path, ms(100)), [(ms(74), UP, 8)]);
}

#[test]
fn a_packet_lost_at_the_exit_does_not_count_as_held() {
    let mut settings = params(LossModel::Bernoulli { rate: 1.0 });
    settings.up.loss_at = LossAt::Exit;
    (settings.up.queue_packets, settings.mtu_bytes) = (u32::MAX, 65535);
    let mut path = emulator(settings);
    for round in 0..2 {
        let large = |item| Offer { header: Header::data(65535), ..packet(UP, item) };
        let taken = (0..2000).filter(|item| path.handle_packet(ms(round * 10_000_000), large(*item))).count();
        assert_eq!(taken, MOST_HELD_BYTES / 65535);
    }
}

#[test]
fn drops_by_the_queue_and_by_the_mtu_are_counted_separately() {
    let mut settings = params(LossModel::None);
    settings.down.queue_packets = 1;
    let mut path = emulator(settings);
    assert!(path.handle_packet(ms(0), packet(DOWN, 0)));
    assert!(!path.handle_packet(ms(11), packet(DOWN, 1)));
    assert!(path.handle_packet(ms(12), packet(DOWN, 2)));
    assert!(!path.handle_packet(ms(12), Offer { header: Header::data(1501), ..packet(DOWN, 3) }));
    drain(&mut path, ms(1000));
    assert_eq!(path.counts(DOWN), Counts { passed: 2, queue_full: 1, too_large: 1, ..Counts::default() });
    assert_eq!(path.counts(UP), Counts::default());
}

#[test]
fn a_packet_larger_than_the_mtu_draws_no_fate() {
    let mut path = emulator(params(LossModel::List([0].into())));
    assert!(!path.handle_packet(ms(0), Offer { header: Header::data(1501), ..packet(UP, 0) }));
    assert!(!path.handle_packet(ms(0), packet(UP, 1)));
    assert_eq!(path.counts(UP), Counts { lost: 1, too_large: 1, ..Counts::default() });
}

#[test]
fn the_emulator_holds_a_bounded_number_of_bytes_with_any_settings() {
    let mut settings = params(LossModel::None);
    (settings.up.queue_packets, settings.mtu_bytes) = (u32::MAX, 65535);
    let mut path = emulator(settings);
    let large = |item| Offer { header: Header::data(65535), ..packet(UP, item) };
    let taken = (0..2000).filter(|item| path.handle_packet(ms(0), large(*item))).count();
    assert_eq!(taken, MOST_HELD_BYTES / 65535);
    assert_eq!(path.counts(UP).queue_full, 2000 - taken as u64);
    // packets that have left the path are not held any more
    drain(&mut path, SimTime::MAX);
    assert!(path.handle_packet(ms(0), large(0)));
}

#[test]
fn a_change_of_the_link_does_not_affect_packets_in_serialisation_or_propagation() {
    let mut path = emulator(params(LossModel::None));
    for item in 0..2 {
        path.handle_packet(ms(0), packet(DOWN, item));
    }
    // at 13 ms packet 0 is in propagation and keeps its delay, and packet 1 is in serialisation and keeps its rate
    path.set_link(ms(13), DOWN, LinkParams::new(2_000_000, Duration::from_millis(10))).unwrap();
    path.handle_packet(ms(13), packet(DOWN, 2));
    let expected = [(ms(24 + 10), DOWN, 1), (ms(30 + 10), DOWN, 2), (ms(62), DOWN, 0)];
    assert_eq!(path.poll_timeout(), Some(ms(34)));
    assert_eq!(drain(&mut path, ms(100)), expected);
}

#[test]
fn a_link_with_a_setting_outside_its_limits_is_refused() {
    let mut path = emulator(params(LossModel::None));
    let error = path.set_link(ms(0), UP, LinkParams::new(0, Duration::ZERO)).unwrap_err();
    assert_eq!(error.to_string(), "invalid rateBps: 0 (must be 1–10^12)");
    path.handle_packet(ms(0), packet(UP, 0));
    assert_eq!(path.poll_timeout(), Some(ms(62)));
}

#[test]
fn a_copied_packet_is_delivered_twice_and_counted_once() {
    let copying =
        |link: LinkParams| LinkParams { duplicate: Some(Duplication { rate: 1.0, correlation: 0.0 }), ..link };
    let PathParams { down, up, mtu_bytes } = params(LossModel::None);
    let mut path = emulator(PathParams { down: copying(down), up, mtu_bytes });
    path.handle_packet(ms(0), packet(DOWN, 7));
    path.handle_packet(ms(0), packet(UP, 8));
    let delivered: Vec<_> =
        std::iter::from_fn(|| path.poll_transmit(ms(62))).map(|each| (each.item, each.is_last)).collect();
    assert_eq!(delivered, [(7, false), (7, true), (8, true)]);
    assert_eq!(path.counts(DOWN), Counts { passed: 1, copied: 1, ..Counts::default() });
    assert_eq!(path.held_bytes, 0);
}

#[test]
fn packets_that_the_queue_marks_or_drops_early_are_counted() {
    let PathParams { down, up, mtu_bytes } = params(LossModel::None);
    let down = LinkParams { queue: QueueKind::CoDel(CoDelParams::default()), ..down };
    let mut path = emulator(PathParams { down, up, mtu_bytes });
    for item in 0..100 {
        let ecn = if item % 2 == 0 { Ecn::Ect0 } else { Ecn::NotEct };
        let header = Header { ecn, ..Header::data(1500) };
        assert!(path.handle_packet(ms(0), Offer { header, ..packet(DOWN, item) }));
    }
    let marked = std::iter::from_fn(|| path.poll_transmit(ms(5000))).filter(|each| each.is_marked).count() as u64;
    let lost = std::iter::from_fn(|| path.poll_lost(ms(5000))).count() as u64;
    let counts = path.counts(DOWN);
    assert!(marked > 3 && lost > 3, "{counts:?}");
    assert_eq!(counts, Counts { passed: 100 - lost, early: lost, marked, ..Counts::default() });
    assert_eq!(path.held_bytes, 0);
}

#[test]
fn packets_that_exceed_the_policer_are_counted() {
    let PathParams { down, up, mtu_bytes } = params(LossModel::None);
    let down = LinkParams { policer: Some(PolicerParams { rate_bps: 1000, burst_bytes: 4000 }), ..down };
    let mut path = emulator(PathParams { down, up, mtu_bytes });
    let accepted = (0..3).map(|item| path.handle_packet(ms(0), packet(DOWN, item))).collect::<Vec<_>>();
    assert_eq!(accepted, [true, true, false]);
    assert_eq!(path.counts(DOWN), Counts { policed: 1, ..Counts::default() });
}

#[test]
fn a_hand_over_loses_what_is_in_the_queues_or_on_its_way_to_the_client() {
    let mut path = emulator(params(LossModel::None));
    for item in 0..10 {
        path.handle_packet(ms(0), packet(DOWN, item));
        path.handle_packet(ms(0), packet(UP, 100 + item));
    }
    // 12 ms for each packet, then 50 ms: at 75 ms, two packets of each direction have arrived, four are on their way,
    // and four are in the queue
    assert_eq!(drain(&mut path, ms(75)).len(), 4);
    let link = || LinkParams::new(8_000_000, Duration::from_millis(10));
    path.hand_over(ms(75), link(), link()).unwrap();
    let lost: Vec<_> = std::iter::from_fn(|| path.poll_lost(ms(75))).collect();
    assert_eq!(lost.len(), 12, "{lost:?}");
    assert_eq!((lost.iter().filter(|item| **item < 100).count(), path.counts(DOWN).handed_over), (8, 8));
    assert_eq!(path.counts(UP).handed_over, 4);
    let arrived = drain(&mut path, ms(200));
    let expected = [86, 98, 110, 122].map(ms).into_iter().zip(102..).map(|(at, item)| (at, UP, item));
    assert_eq!(arrived, expected.collect::<Vec<_>>(), "packets to the server that are in propagation arrive");
    assert_eq!((path.held_bytes, path.on_links, path.poll_timeout()), (0, [0, 0], None));
    // the new path has its own settings and empty queues
    path.handle_packet(ms(200), packet(DOWN, 7));
    assert_eq!(drain(&mut path, ms(300)), [(SimTime::from_us(211_500), DOWN, 7)]);
}

#[test]
fn a_hand_over_loses_a_packet_and_its_copy_once() {
    let mut settings = params(LossModel::None);
    settings.down.duplicate = Some(Duplication { rate: 1.0, correlation: 0.0 });
    let mut path = emulator(settings);
    path.handle_packet(ms(0), packet(DOWN, 7));
    assert_eq!(drain(&mut path, ms(20)), []);
    path.hand_over(ms(20), LinkParams::new(1, Duration::ZERO), LinkParams::new(1, Duration::ZERO)).unwrap();
    assert_eq!((path.poll_lost(ms(20)), path.poll_lost(ms(20)), path.held_bytes), (Some(7), None, 0));
    assert_eq!(path.counts(DOWN).handed_over, 1);
}

#[test]
fn a_hand_over_to_a_path_outside_its_limits_is_refused_and_changes_nothing() {
    let mut path = emulator(params(LossModel::None)).with_traffic(&[constant()], Duration::ZERO).unwrap();
    path.handle_packet(ms(0), packet(UP, 0));
    let good = || LinkParams::new(1, Duration::ZERO);
    let bad = || LinkParams::new(0, Duration::ZERO);
    for (down, up) in [(bad(), good()), (good(), bad())] {
        let error = path.hand_over(ms(1), down, up).unwrap_err();
        assert_eq!(error.to_string(), "invalid rateBps: 0 (must be 1–10^12)");
    }
    assert_eq!(drain(&mut path, ms(100)), [(ms(62), UP, 0)]);
    assert_eq!(path.traffic_counts().count(), 1);
}

/// A flow of 400 kbit/s down, in packets of 500 bytes.
fn constant() -> FlowOptions {
    let kind = FlowKind::ConstantRate { rate_bps: 400_000, packet_bytes: 500 };
    FlowOptions { kind, direction: DOWN, start: ms(0), end: None }
}

/// Returns how many packets of the only flow have passed the path by `now`.
fn passed(path: &mut Emulator<u32>, now: SimTime) -> u64 {
    drain(path, now);
    path.traffic_counts().map(|counts| counts.passed).sum()
}

#[test]
fn other_traffic_ends_with_a_hand_over() {
    let mut path = emulator(params(LossModel::None)).with_traffic(&[constant()], Duration::ZERO).unwrap();
    assert!(passed(&mut path, ms(1000)) > 70);
    path.hand_over(ms(1000), LinkParams::new(1, Duration::ZERO), LinkParams::new(1, Duration::ZERO)).unwrap();
    assert_eq!((path.traffic_counts().count(), path.poll_timeout()), (0, None));
}

#[test]
fn new_traffic_replaces_the_old_and_its_times_count_from_the_change() {
    let lead = Duration::from_secs(2);
    let mut path = emulator(params(LossModel::None)).with_traffic(&[constant()], lead).unwrap();
    // the flow sends a packet every 10 ms, the first one after up to 100 ms
    assert!((184..=195).contains(&passed(&mut path, ms(0))), "traffic before the time 0");
    assert!((284..=295).contains(&passed(&mut path, ms(1000))));
    let later = FlowOptions { start: ms(500), end: Some(ms(1000)), ..constant() };
    path.set_traffic(ms(1000), &[later]).unwrap();
    assert_eq!(passed(&mut path, ms(1500)), 0, "packets of the old flow count no more");
    assert!((40..=50).contains(&passed(&mut path, ms(5000))), "{}", passed(&mut path, ms(5000)));
    let wrong = FlowKind::ConstantRate { rate_bps: 1, packet_bytes: 27 };
    let error = path.set_traffic(ms(5000), &[FlowOptions { kind: wrong, ..constant() }]).unwrap_err();
    assert_eq!(error.to_string(), "invalid packetBytes: 27 (must be 28–1500, the path's MTU)");
    assert_eq!(path.traffic_counts().count(), 1, "a refused change changes nothing");
    path.set_traffic(ms(5000), &[]).unwrap();
    assert_eq!(path.poll_timeout(), None);
}

#[test]
fn the_caller_is_woken_for_its_own_packets_and_else_often_enough_to_catch_up_with_the_traffic() {
    let mut path = emulator(params(LossModel::None)).with_traffic(&[constant()], Duration::ZERO).unwrap();
    drain(&mut path, ms(500));
    let next = path.poll_timeout().unwrap();
    assert!((ms(510)..ms(520)).contains(&next), "{next}");
    path.handle_packet(ms(500), packet(UP, 1));
    drain(&mut path, ms(555));
    assert_eq!(path.poll_timeout(), Some(ms(562)));
}

#[test]
fn the_packets_of_other_traffic_are_bounded_with_any_settings() {
    let mut settings = params(LossModel::None);
    (settings.down.queue_packets, settings.down.rate_bps) = (u32::MAX, 1);
    let kind = FlowKind::ConstantRate { rate_bps: 224_000_000, packet_bytes: 28 };
    let flows = [FlowOptions { kind, ..constant() }];
    let mut path = emulator(settings).with_traffic(&flows, Duration::from_secs(1)).unwrap();
    drain(&mut path, ms(0));
    let counts: Vec<_> = path.traffic_counts().collect();
    assert!(counts[0].dropped > 100_000 && counts[0].passed == 0, "{counts:?}");
}

#[test]
fn a_trace_that_does_not_repeat_has_nothing_before_the_time_0() {
    let mut settings = params(LossModel::None);
    let trace = CapacityTrace::Opportunities(Opportunities::new(vec![1]).unwrap());
    settings.down.trace = Some(TraceParams { trace: trace.into(), start: Duration::ZERO, repeats: false });
    let error = emulator(settings).with_traffic(&[constant()], Duration::from_secs(1)).unwrap_err();
    assert!(error.to_string().contains("trace.repeats"), "{error}");
}
