use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use proptest::prelude::*;

use super::*;
use crate::link::{DelayTrace, LossModel, Steps};

/// A link with 1 Mbps and a delay of 50 ms. The serialisation of a packet of 1500 B takes 12 ms.
fn params() -> LinkParams {
    LinkParams::new(1_000_000, Duration::from_millis(50))
}

fn link(params: LinkParams) -> Link<usize> {
    Link::new(1, Direction::Down, params)
}

/// All packets whose serialisation has ended by `until`.
fn departures(link: &mut Link<usize>, until: SimTime) -> Vec<Departure<usize>> {
    std::iter::from_fn(|| link.handle_timeout(until)).collect()
}

/// The packets whose serialisation has ended by `until` and that were not lost, as (arrival, packet).
fn drain(link: &mut Link<usize>, until: SimTime) -> Vec<(SimTime, usize)> {
    let arrival = |departure| match departure {
        Departure::Arrives(Arrival { at, .. }, packet) => Some((at, packet)),
        Departure::Dropped(..) => None,
    };
    departures(link, until).into_iter().filter_map(arrival).collect()
}

/// The departure of a packet that arrives at this time after the delay of [`params`].
fn arrives(at: SimTime, packet: usize) -> Departure<usize> {
    let left = SimTime::from_ns(at.as_ns() - params().delay.as_nanos() as u64);
    Departure::Arrives(Arrival { left, at, copy_at: None, ecn: Ecn::NotEct }, packet)
}

#[test]
fn a_packet_arrives_after_serialisation_and_propagation() {
    let mut link = link(params());
    link.handle_packet(SimTime::from_ms(10), Header::data(1500), 0).unwrap();
    assert_eq!(link.poll_timeout(), Some(SimTime::from_ms(22)));
    assert_eq!(drain(&mut link, SimTime::MAX), [(SimTime::from_ms(72), 0)]);
}

#[test]
fn packets_queue_behind_one_another() {
    let mut link = link(params());
    for packet in 0..3 {
        link.handle_packet(SimTime::ZERO, Header::data(1500), packet).unwrap();
    }
    let at = |ms| SimTime::from_ms(ms);
    assert_eq!(drain(&mut link, SimTime::MAX), [(at(62), 0), (at(74), 1), (at(86), 2)]);
}

#[test]
fn serialisation_rounds_to_the_nearest_nanosecond() {
    let mut params = params();
    params.rate_bps = 3_000_000_000;
    assert_eq!(params.serialisation(1), Duration::from_nanos(3)); // 2.67
    assert_eq!(params.serialisation(2), Duration::from_nanos(5)); // 5.33
}

#[test]
fn a_full_queue_drops_the_tail_and_counts_the_packet_in_service() {
    let mut link = link(LinkParams { queue_packets: 2, ..params() });
    assert_eq!(link.handle_packet(SimTime::ZERO, Header::data(1500), 0), Ok(()));
    assert_eq!(link.handle_packet(SimTime::ZERO, Header::data(1500), 1), Ok(()));
    assert_eq!(link.handle_packet(SimTime::ZERO, Header::data(1500), 2), Err(Drop::QueueFull));
    assert_eq!(drain(&mut link, SimTime::from_ms(12)).len(), 1);
    assert_eq!(link.handle_packet(SimTime::from_ms(12), Header::data(1500), 3), Ok(()));
}

#[test]
fn the_queue_limit_in_bytes_holds_as_well() {
    let mut link = link(LinkParams { queue_bytes: Some(2000), ..params() });
    assert_eq!(link.handle_packet(SimTime::ZERO, Header::data(1500), 0), Ok(()));
    assert_eq!(link.handle_packet(SimTime::ZERO, Header::data(501), 1), Err(Drop::QueueFull));
    assert_eq!(link.handle_packet(SimTime::ZERO, Header::data(500), 2), Ok(()));
}

#[test]
fn a_packet_that_left_the_queue_frees_exactly_its_bytes() {
    let mut link = link(LinkParams { queue_bytes: Some(3000), ..params() });
    for packet in 0..3 {
        assert_eq!(link.handle_packet(SimTime::ZERO, Header::data(1000), packet), Ok(()));
    }
    assert_eq!(drain(&mut link, SimTime::from_ms(8)).len(), 1);
    assert_eq!(link.handle_packet(SimTime::from_ms(8), Header::data(1001), 3), Err(Drop::QueueFull));
    assert_eq!(link.handle_packet(SimTime::from_ms(8), Header::data(1000), 4), Ok(()));
}

#[test]
fn loss_at_the_entry_applies_before_the_queue() {
    let loss = LossModel::List(BTreeSet::from([1]));
    let mut link = link(LinkParams { queue_packets: 1, ..params().with_loss(loss) });
    assert_eq!(link.handle_packet(SimTime::ZERO, Header::data(1500), 0), Ok(()));
    assert_eq!(link.handle_packet(SimTime::ZERO, Header::data(1500), 1), Err(Drop::Loss));
    assert_eq!(link.handle_packet(SimTime::ZERO, Header::data(1500), 2), Err(Drop::QueueFull));
}

#[test]
fn a_packet_lost_at_the_exit_uses_queue_space_and_serialisation_time() {
    let loss = LossModel::List(BTreeSet::from([0]));
    let mut link = link(LinkParams { queue_packets: 2, ..params().with_loss(loss).with_loss_at(LossAt::Exit) });
    for packet in 0..2 {
        assert_eq!(link.handle_packet(SimTime::ZERO, Header::data(1500), packet), Ok(()));
    }
    assert_eq!(link.handle_packet(SimTime::ZERO, Header::data(1500), 2), Err(Drop::QueueFull));
    let at = SimTime::from_ms;
    assert_eq!(
        departures(&mut link, SimTime::MAX),
        [Departure::Dropped(at(12), Drop::Loss, 0), arrives(at(24 + 50), 1)]
    );
}

#[test]
fn the_same_packets_are_lost_at_the_exit_as_at_the_entry() {
    for loss_applies in [LossApplies::All, LossApplies::Data] {
        let lossy = params().with_loss(LossModel::Bernoulli { rate: 0.3 }).with_loss_applied_to(loss_applies);
        let arrived = |loss_at: LossAt| -> Vec<usize> {
            let mut link = link(lossy.clone().with_loss_at(loss_at));
            for packet in 0..500 {
                let _ = match packet % 3 {
                    0 => link.handle_packet(SimTime::ZERO, Header::control(40), packet),
                    _ => link.handle_packet(SimTime::ZERO, Header::data(1500), packet),
                };
            }
            drain(&mut link, SimTime::MAX).into_iter().map(|(_, packet)| packet).collect()
        };
        let entry = arrived(LossAt::Entry);
        assert!(entry.len() < 450);
        assert_eq!(arrived(LossAt::Exit), entry);
        assert_eq!((0..500).step_by(3).all(|packet| entry.contains(&packet)), loss_applies == LossApplies::Data);
    }
}

#[test]
fn with_loss_at_the_exit_a_packet_that_the_queue_drops_draws_no_fate() {
    let loss = LossModel::List(BTreeSet::from([1]));
    let mut link = link(LinkParams { queue_packets: 1, ..params().with_loss(loss).with_loss_at(LossAt::Exit) });
    link.handle_packet(SimTime::ZERO, Header::data(1500), 0).unwrap();
    link.handle_packet(SimTime::ZERO, Header::data(1500), 1).unwrap_err();
    assert_eq!(departures(&mut link, SimTime::from_ms(12)), [arrives(SimTime::from_ms(62), 0)]);
    link.handle_packet(SimTime::from_ms(12), Header::data(1500), 2).unwrap();
    assert_eq!(departures(&mut link, SimTime::MAX), [Departure::Dropped(SimTime::from_ms(24), Drop::Loss, 2)]);
}

#[test]
fn a_packet_draws_one_fate_although_the_loss_settings_change() {
    let all = |loss_at| params().with_loss(LossModel::Bernoulli { rate: 1.0 }).with_loss_at(loss_at);
    for (before, after, is_lost) in [
        // in this first case the packet drew its fate when it entered, and in the others it draws at the exit
        (params(), all(LossAt::Exit), false),
        (params().with_loss_at(LossAt::Exit), all(LossAt::Exit), true),
        (all(LossAt::Exit), params().with_loss_at(LossAt::Exit), false),
        (params().with_loss_at(LossAt::Exit), all(LossAt::Entry), true),
    ] {
        let mut link = link(before.clone());
        link.handle_packet(SimTime::ZERO, Header::data(1500), 0).unwrap();
        link.set_params(SimTime::ZERO, after.clone());
        let expected = match is_lost {
            true => Departure::Dropped(SimTime::from_ms(12), Drop::Loss, 0),
            false => arrives(SimTime::from_ms(62), 0),
        };
        assert_eq!(departures(&mut link, SimTime::MAX), [expected], "{before:?} {after:?}");
    }
}

#[test]
fn a_change_of_the_rate_applies_to_packets_not_yet_in_serialisation() {
    let mut link = link(params());
    for packet in 0..2 {
        link.handle_packet(SimTime::ZERO, Header::data(1500), packet).unwrap();
    }
    // the rate doubles and the delay halves; packet 0 is already in serialisation and keeps its rate
    link.set_params(SimTime::ZERO, LinkParams::new(2_000_000, Duration::from_millis(25)));
    let arrivals = drain(&mut link, SimTime::MAX);
    assert_eq!(arrivals, [(SimTime::from_ms(12 + 25), 0), (SimTime::from_ms(12 + 6 + 25), 1)]);
}

#[test]
fn a_packet_in_propagation_keeps_its_delay_and_may_be_overtaken() {
    let mut link = link(params());
    link.handle_packet(SimTime::ZERO, Header::data(1500), 0).unwrap();
    let first = drain(&mut link, SimTime::from_ms(12));
    link.set_params(SimTime::from_ms(12), LinkParams::new(1_000_000, Duration::from_millis(5)));
    link.handle_packet(SimTime::from_ms(12), Header::data(1500), 1).unwrap();
    assert_eq!(first, [(SimTime::from_ms(62), 0)]);
    assert_eq!(drain(&mut link, SimTime::MAX), [(SimTime::from_ms(29), 1)]);
}

#[test]
fn a_trace_of_the_delay_applies_when_a_packet_leaves_and_its_end_restores_the_constant_delay() {
    let ms = Duration::from_millis;
    let rows = vec![(ms(0), 10_000_000), (ms(30), 5_000_000)];
    let trace =
        |repeats, start| DelayTrace { delays: Arc::new(Steps::new(rows.clone(), ms(40)).unwrap()), start, repeats };
    let at = SimTime::from_ms;
    for (trace, expected) in [
        (trace(true, ms(0)), [12 + 10, 24 + 10, 36 + 5, 48 + 10]),
        (trace(false, ms(0)), [12 + 10, 24 + 10, 36 + 5, 48 + 50]),
        (trace(true, ms(20)), [12 + 5, 24 + 10, 36 + 10, 48 + 10]),
    ] {
        let mut link = link(LinkParams { delay_trace: Some(trace), ..params() });
        for packet in 0..4 {
            link.handle_packet(SimTime::ZERO, Header::data(1500), packet).unwrap();
        }
        let arrivals = drain(&mut link, SimTime::MAX).into_iter().map(|(arrival, _)| arrival);
        assert_eq!(arrivals.collect::<Vec<_>>(), expected.map(at));
    }
}

#[test]
fn links_with_one_seed_lose_the_same_packets_at_any_times_and_sizes() {
    let lossy = params().with_loss(LossModel::Bernoulli { rate: 0.2 });
    let fates = |bytes: usize, every_ms: u64| -> Vec<bool> {
        let mut link = link(LinkParams { queue_packets: 1_000_000, ..lossy.clone() });
        (0..500).map(|i| link.handle_packet(SimTime::from_ms(every_ms * i), Header::data(bytes), 0).is_ok()).collect()
    };
    assert_eq!(fates(1500, 1), fates(40, 20));
}

/// The fates of data packets (true if accepted). Before the i-th data packet, `controls[i]` packets without data are
/// sent.
fn data_fates(params: &LinkParams, controls: &[usize]) -> Vec<bool> {
    let mut link = link(LinkParams { queue_packets: 1_000_000, ..params.clone() });
    let mut fates = Vec::new();
    for controls in controls {
        for _ in 0..*controls {
            assert_eq!(link.handle_packet(SimTime::ZERO, Header::control(40), 0), Ok(()));
        }
        fates.push(link.handle_packet(SimTime::ZERO, Header::data(1500), 0).is_ok());
    }
    fates
}

#[test]
fn packets_without_data_do_not_change_which_data_packets_are_lost() {
    let burst = LossModel::GilbertElliott { p: 0.1, r: 0.3, h: 0.1, k: 0.95 };
    let list = LossModel::List(BTreeSet::from([1, 5]));
    for loss in [LossModel::Bernoulli { rate: 0.3 }, burst, list] {
        let params = params().with_loss(loss).with_loss_applied_to(LossApplies::Data);
        let alone = data_fates(&params, &[0; 200]);
        let mixed: Vec<usize> = (0..200).map(|i| i * 7 % 4).collect();
        assert_eq!(data_fates(&params, &mixed), alone);
        assert!(alone.contains(&false) && alone.contains(&true));
    }
}

#[test]
fn loss_of_all_applies_to_packets_without_data() {
    let lossy = params().with_loss(LossModel::List(BTreeSet::from([0, 2])));
    let mut link = link(lossy.clone());
    assert_eq!(link.handle_packet(SimTime::ZERO, Header::control(40), 0), Err(Drop::Loss));
    assert_eq!(link.handle_packet(SimTime::ZERO, Header::data(40), 1), Ok(()));
    // from now on only packets with data draw; the count of draws continues
    link.set_params(SimTime::ZERO, lossy.with_loss_applied_to(LossApplies::Data));
    assert_eq!(link.handle_packet(SimTime::ZERO, Header::control(40), 2), Ok(()));
    assert_eq!(link.handle_packet(SimTime::ZERO, Header::data(40), 3), Err(Drop::Loss));
}

#[test]
fn a_packet_without_data_still_needs_room_in_the_queue() {
    let mut link = link(LinkParams { queue_packets: 1, ..params().with_loss_applied_to(LossApplies::Data) });
    assert_eq!(link.handle_packet(SimTime::ZERO, Header::control(40), 0), Ok(()));
    assert_eq!(link.handle_packet(SimTime::ZERO, Header::control(40), 1), Err(Drop::QueueFull));
}

/// Offers 500 packets and returns those that arrive. Every third packet carries no data. If `applies` is given, a list
/// of drops also loses the packets 3, 4 and 150, counted among the packets to which the list applies.
fn arrived_with_drops(params: LinkParams, applies: Option<LossApplies>) -> Vec<usize> {
    let mut link = link(params);
    if let Some(applies) = applies {
        link.set_drops(0, DropList::new(BTreeSet::from([3, 4, 150]), applies));
    }
    for packet in 0..500 {
        let _ = match packet % 3 {
            0 => link.handle_packet(SimTime::ZERO, Header::control(40), packet),
            _ => link.handle_packet(SimTime::ZERO, Header::data(1500), packet),
        };
    }
    drain(&mut link, SimTime::MAX).into_iter().map(|(_, packet)| packet).collect()
}

#[test]
fn drops_are_lost_besides_the_losses_of_the_model_and_change_no_other_fate() {
    // packets with data are 1, 2, 4, 5, 7, …: number k of them, counted from 0, is packet 3 (k / 2) + k % 2 + 1
    for (applies, dropped) in [(LossApplies::All, [3, 4, 150]), (LossApplies::Data, [5, 7, 226])] {
        for loss_at in [LossAt::Entry, LossAt::Exit] {
            for loss_applies in [LossApplies::All, LossApplies::Data] {
                let loss = LossModel::Bernoulli { rate: 0.3 };
                let params = params().with_loss(loss).with_loss_applied_to(loss_applies).with_loss_at(loss_at);
                let mut expected = arrived_with_drops(params.clone(), None);
                assert!(expected.len() < 450);
                expected.retain(|packet| !dropped.contains(packet));
                assert_eq!(
                    arrived_with_drops(params, Some(applies)),
                    expected,
                    "{applies:?} {loss_at:?} {loss_applies:?}"
                );
            }
        }
    }
}

#[test]
fn a_drop_at_the_exit_uses_the_link_and_the_queue_drops_no_counted_packet() {
    let mut link = link(LinkParams { queue_packets: 2, ..params().with_loss_at(LossAt::Exit) });
    link.set_drops(0, DropList::new(BTreeSet::from([0, 2]), LossApplies::All));
    for (packet, expected) in [(0, Ok(())), (1, Ok(())), (2, Err(Drop::QueueFull))] {
        assert_eq!(link.handle_packet(SimTime::ZERO, Header::data(1500), packet), expected);
    }
    let at = SimTime::from_ms;
    assert_eq!(departures(&mut link, at(24)), [Departure::Dropped(at(12), Drop::Loss, 0), arrives(at(24 + 50), 1)]);
    link.handle_packet(at(24), Header::data(1500), 3).unwrap();
    assert_eq!(departures(&mut link, SimTime::MAX), [Departure::Dropped(at(36), Drop::Loss, 3)]);
}

/// The arrivals at the other end, by the closed form of a FIFO queue: packet i is offered at a_i and leaves the link at
/// d_i = max(a_i, d_{i-1}) + s_i, where s_i is the time that its serialisation takes.
fn naive(params: &LinkParams, offered: &[(u64, usize)]) -> Vec<Option<SimTime>> {
    let mut departures: Vec<(SimTime, usize)> = Vec::new();
    let mut arrivals = Vec::new();
    for (at, bytes) in offered {
        let at = SimTime::from_us(*at);
        // a packet that leaves at this instant no longer occupies the queue
        let waiting = departures.iter().filter(|(departed, _)| *departed > at);
        let (packets, queued) = waiting.fold((0, 0), |(n, sum), (_, bytes)| (n + 1, sum + *bytes as u64));
        let fits = packets < params.queue_packets && queued + *bytes as u64 <= params.queue_bytes.unwrap_or(u64::MAX);
        arrivals.push(fits.then(|| {
            let start = departures.last().map_or(at, |(departed, _)| at.max(*departed));
            let departed = start + params.serialisation(*bytes);
            departures.push((departed, *bytes));
            departed + params.delay
        }));
    }
    arrivals
}

proptest! {
    #[test]
    fn arrivals_match_the_closed_form(
        rate_bps in 1_000u64..1_000_000_000,
        delay_ms in 0u64..2000,
        queue_packets in 1u32..20,
        queue_bytes in prop::option::of(1u64..20_000),
        gaps in prop::collection::vec((0u64..30_000, 20usize..1500), 1..100),
    ) {
        let params = LinkParams {
            queue_packets,
            queue_bytes,
            ..LinkParams::new(rate_bps, Duration::from_millis(delay_ms))
        };
        let mut at = 0;
        let offered: Vec<(u64, usize)> = gaps.iter().map(|(gap, bytes)| { at += gap; (at, *bytes) }).collect();

        let mut link = link(params.clone());
        let mut arrivals = vec![None; offered.len()];
        for (packet, (at, bytes)) in offered.iter().enumerate() {
            let now = SimTime::from_us(*at);
            for (arrival, packet) in drain(&mut link, now) {
                arrivals[packet] = Some(arrival);
            }
            let _ = link.handle_packet(now, Header::data(*bytes), packet);
        }
        for (arrival, packet) in drain(&mut link, SimTime::MAX) {
            arrivals[packet] = Some(arrival);
        }
        prop_assert_eq!(arrivals, naive(&params, &offered));
    }
}
