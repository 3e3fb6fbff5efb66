use super::*;
use crate::link::{Arrival, Departure, Header, Link, LossModel};

fn params() -> LinkParams {
    LinkParams::new(1_000_000_000, Duration::from_millis(20))
}

fn jitter(spread_ms: u64) -> Jitter {
    let spread = Duration::from_millis(spread_ms);
    Jitter { spread, distribution: Distribution::Uniform, correlation: 0.0, in_order: false }
}

/// Sends a packet every ms. Returns the delay of each packet and of its copy, in ms.
fn delays(params: &LinkParams, packets: u64, sharer_of: impl Fn(u64) -> Sharer) -> Vec<(f64, Option<f64>)> {
    let mut link = Link::new(1, Direction::Down, params.clone());
    let mut delays = Vec::new();
    for number in 0..packets {
        let now = SimTime::from_ms(number);
        link.handle_packet(now, Header { sharer: sharer_of(number), ..Header::data(125) }, number).unwrap();
        while let Some(departure) = link.handle_timeout(now + Duration::from_micros(999)) {
            let Departure::Arrives(arrival, _) = departure else { panic!("{departure:?}") };
            let ms = |at: SimTime| (at.as_ns() as f64 - arrival.left.as_ns() as f64) / 1e6;
            delays.push((ms(arrival.at), arrival.copy_at.map(ms)));
        }
    }
    delays
}

fn page(_: u64) -> Sharer {
    Sharer::Page(0)
}

fn alone(params: &LinkParams, packets: u64) -> Vec<f64> {
    delays(params, packets, page).into_iter().map(|(delay, _)| delay).collect()
}

#[test]
fn jitter_is_added_to_the_delay() {
    let delays = alone(&LinkParams { jitter: Some(jitter(5)), ..params() }, 5000);
    let (least, most) =
        delays.iter().fold((f64::MAX, 0f64), |(least, most), delay| (least.min(*delay), most.max(*delay)));
    assert!((15.0..15.1).contains(&least) && (24.9..=25.0).contains(&most), "{least} {most}");
    let mean = delays.iter().sum::<f64>() / delays.len() as f64;
    assert!((mean - 20.0).abs() < 0.1, "{mean}");
    assert_eq!(alone(&LinkParams { jitter: Some(jitter(0)), ..params() }, 50), vec![20.0; 50]);
}

#[test]
fn packets_that_skip_the_link_change_no_delay_of_others() {
    let reorder = Some(Reordering { rate: 0.5, correlation: 0.0, gap: 3 });
    let duplicate = Some(Duplication { rate: 0.5, correlation: 0.5 });
    let loss = LossModel::Bernoulli { rate: 0.2 };
    let usual = LinkParams { jitter: Some(jitter(5)), reorder, duplicate, ..params() }.with_loss(loss);
    let delays = |skipped: u64| -> Vec<Option<Departure<u64>>> {
        let mut link = Link::new(1, Direction::Down, usual.clone());
        let of = |number| {
            let now = SimTime::from_ms(number);
            if number < skipped {
                link.skip_packet(now, Header::data(125));
                return None;
            }
            link.handle_packet(now, Header::data(125), number).ok()?;
            link.handle_timeout(SimTime::from_ms(number + 1))
        };
        (0..200).map(of).collect()
    };
    for skipped in [1, 2, 20] {
        assert_eq!(delays(skipped)[skipped as usize..], delays(0)[skipped as usize..], "{skipped}");
    }
}

#[test]
fn no_packet_waits_for_one_that_skips_the_link() {
    let jitter = Jitter { in_order: true, ..jitter(15) };
    let mut link = Link::new(1, Direction::Down, LinkParams { jitter: Some(jitter), ..params() });
    for _ in 0..50 {
        link.skip_packet(SimTime::from_ms(100), Header::data(125));
    }
    link.handle_packet(SimTime::ZERO, Header::data(125), 0).unwrap();
    let departure = link.handle_timeout(SimTime::from_ms(1));
    let Some(Departure::Arrives(Arrival { at, .. }, _)) = departure else { panic!("{departure:?}") };
    assert!(at < SimTime::from_ms(36), "{at:?}");
}

#[test]
fn a_delay_is_never_negative() {
    let delays = alone(&LinkParams { jitter: Some(jitter(100)), ..params() }, 1000);
    assert!(delays.iter().all(|delay| (0.0..=120.0).contains(delay)));
    assert!(delays.iter().filter(|delay| **delay == 0.0).count() > 300);
}

#[test]
fn packets_overtake_each_other_unless_their_order_is_kept() {
    let arrivals = |in_order| -> Vec<f64> {
        let jitter = Jitter { in_order, ..jitter(15) };
        let delays = alone(&LinkParams { jitter: Some(jitter), ..params() }, 500);
        delays.iter().enumerate().map(|(number, delay)| number as f64 + delay).collect()
    };
    assert!(!arrivals(false).is_sorted());
    assert!(arrivals(true).is_sorted());
    // the order is kept by waiting, never by a shorter delay
    assert!(arrivals(true).iter().zip(arrivals(false)).all(|(kept, free)| *kept >= free - 1e-9));
}

#[test]
fn the_kth_packet_of_a_page_has_its_jitter_whatever_others_do() {
    let params = LinkParams {
        jitter: Some(jitter(5)),
        reorder: Some(Reordering { rate: 0.1, correlation: 0.0, gap: 1 }),
        duplicate: Some(Duplication { rate: 0.1, correlation: 0.0 }),
        ..params()
    };
    let expected = delays(&params, 200, page);
    let sharer = |number: u64| match number % 3 {
        0 => Sharer::Page(0),
        1 => Sharer::Flow(0),
        _ => Sharer::Flow(1),
    };
    let mixed = delays(&params, 600, sharer);
    let of = |rest: usize| mixed.iter().skip(rest).step_by(3).copied().collect::<Vec<_>>();
    assert_eq!(of(0), expected);
    assert!(of(1) != expected && of(2) != expected && of(1) != of(2));
}

#[test]
fn jitter_that_begins_later_gives_packets_the_same_jitter_as_from_the_start() {
    let jittery = LinkParams { jitter: Some(jitter(5)), ..params() };
    let mut delays = Delays::new(1, Direction::Down);
    let at = |delays: &mut Delays, params: &LinkParams| delays.arrivals(params, Sharer::Page(0), SimTime::ZERO).at;
    let all: Vec<SimTime> = (0..20).map(|_| at(&mut delays, &jittery)).collect();
    let mut delays = Delays::new(1, Direction::Down);
    // a packet without jitter is also counted if another setting is random
    let still = LinkParams { duplicate: Some(Duplication { rate: 0.0, correlation: 0.0 }), ..params() };
    let mixed: Vec<SimTime> =
        (0..20).map(|number| at(&mut delays, if number < 10 { &still } else { &jittery })).collect();
    assert_eq!(mixed[10..], all[10..]);
    assert_eq!(mixed[0], SimTime::from_ms(20));
}

#[test]
fn packets_that_are_reordered_arrive_without_delay_and_the_gap_counts_the_others() {
    let reorder = |rate, gap| LinkParams { reorder: Some(Reordering { rate, correlation: 0.0, gap }), ..params() };
    let overtaking = |params: &LinkParams| -> Vec<bool> {
        alone(params, 1000)
            .into_iter()
            .map(|delay| {
                assert!(delay == 0.0 || delay == 20.0);
                delay == 0.0
            })
            .collect()
    };
    // netem: with a gap of 5 and a rate of 100 %, every fifth packet overtakes others
    let fifth: Vec<bool> = (0..1000).map(|number| number % 5 == 4).collect();
    assert_eq!(overtaking(&reorder(1.0, 5)), fifth);
    assert_eq!(overtaking(&reorder(1.0, 1)), vec![true; 1000]);
    assert_eq!(overtaking(&reorder(0.0, 1)), vec![false; 1000]);
    let quarter = overtaking(&reorder(0.25, 1)).iter().filter(|overtakes| **overtakes).count();
    assert!((200..300).contains(&quarter), "{quarter}");
    // at least four packets are delayed; then each packet overtakes with a probability of 25 %
    let rare = overtaking(&reorder(0.25, 5)).iter().filter(|overtakes| **overtakes).count();
    assert!((100..150).contains(&rare), "{rare}");
}

#[test]
fn copies_arrive_with_their_probability_and_a_jitter_of_their_own() {
    let duplicate = Some(Duplication { rate: 0.3, correlation: 0.0 });
    let plain = delays(&LinkParams { duplicate, ..params() }, 1000, page);
    let copies: Vec<f64> = plain.iter().filter_map(|(_, copy)| *copy).collect();
    assert!((250..350).contains(&copies.len()), "{}", copies.len());
    assert!(plain.iter().all(|(delay, copy)| *delay == 20.0 && copy.is_none_or(|copy| copy == 20.0)));
    let jittery = delays(&LinkParams { duplicate, jitter: Some(jitter(5)), ..params() }, 1000, page);
    assert!(jittery.iter().zip(&plain).all(|((_, with), (_, without))| with.is_some() == without.is_some()));
    assert!(jittery.iter().any(|(delay, copy)| copy.is_some_and(|copy| copy < *delay)));
}

#[test]
fn a_restart_gives_the_first_packets_delays_again() {
    let params = LinkParams { jitter: Some(jitter(5)), ..params() };
    let mut delays = Delays::new(1, Direction::Down);
    let of = |delays: &mut Delays| -> Vec<Arrivals> {
        (0..50).map(|_| delays.arrivals(&params, Sharer::Page(0), SimTime::ZERO)).collect()
    };
    let first = of(&mut delays);
    delays.restart(1);
    assert_eq!(of(&mut delays), first);
    delays.restart(2);
    assert_ne!(of(&mut delays), first);
}

#[test]
fn settings_outside_their_limits_are_refused() {
    let usual = params();
    for (params, message) in [
        (
            LinkParams { jitter: Some(Jitter { spread: Duration::from_secs(3601), ..jitter(1) }), ..usual.clone() },
            "invalid jitter.spreadNs: 3601000000000 (must be at most 3.6·10^12)",
        ),
        (
            LinkParams { jitter: Some(Jitter { correlation: 1.5, ..jitter(1) }), ..usual.clone() },
            "invalid jitter.correlation: 1.5 (must be 0–1)",
        ),
        (
            LinkParams { reorder: Some(Reordering { rate: 0.1, correlation: 0.0, gap: 0 }), ..usual.clone() },
            "invalid reorder.gap: 0 (must be at least 1)",
        ),
        (
            LinkParams { reorder: Some(Reordering { rate: -0.1, correlation: 0.0, gap: 1 }), ..usual.clone() },
            "invalid reorder.rate: -0.1 (must be 0–1)",
        ),
        (
            LinkParams { duplicate: Some(Duplication { rate: f64::NAN, correlation: 0.0 }), ..usual.clone() },
            "invalid duplicate.rate: NaN (must be 0–1)",
        ),
        (
            LinkParams { policer: Some(crate::link::PolicerParams { rate_bps: 0, burst_bytes: 1 }), ..usual.clone() },
            "invalid policer.rateBps: 0 (must be 1–10^12)",
        ),
        (
            LinkParams { policer: Some(crate::link::PolicerParams { rate_bps: 1, burst_bytes: 0 }), ..usual.clone() },
            "invalid policer.burstBytes: 0 (must be 1–10^9)",
        ),
    ] {
        assert_eq!(params.validate().unwrap_err().to_string(), message);
    }
}

#[test]
fn packets_of_a_new_path_do_not_wait_for_those_of_the_old_path() {
    let with_delay = |ms| {
        let jitter = Jitter { in_order: true, ..jitter(1) };
        LinkParams { jitter: Some(jitter), ..LinkParams::new(1_000_000_000, Duration::from_millis(ms)) }
    };
    let mut link = Link::new(1, Direction::Down, with_delay(1000));
    let arrival = |link: &mut Link<u8>, now: SimTime| {
        link.handle_packet(now, Header::data(125), 0).unwrap();
        match link.handle_timeout(now + Duration::from_millis(1)) {
            Some(Departure::Arrives(arrival, _)) => arrival.at,
            other => panic!("{other:?}"),
        }
    };
    assert!(arrival(&mut link, SimTime::ZERO) > SimTime::from_ms(998));
    link.clear(with_delay(20));
    let at = arrival(&mut link, SimTime::from_ms(10));
    assert!(at < SimTime::from_ms(40), "{at:?}");
}
