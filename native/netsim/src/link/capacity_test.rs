use std::collections::VecDeque;

use proptest::prelude::*;

use super::*;
use crate::link::{Departure, Direction, Drop, Header, Link};

fn ms(ms: u64) -> SimTime {
    SimTime::from_ms(ms)
}

/// A link without propagation delay that follows a trace.
fn params(trace: CapacityTrace, start: Duration, repeats: bool) -> LinkParams {
    let trace = TraceParams { trace: Arc::new(trace), start, repeats };
    LinkParams { trace: Some(trace), ..LinkParams::new(1_000_000, Duration::ZERO) }
}

fn opportunities(times_ms: &[u32]) -> CapacityTrace {
    CapacityTrace::Opportunities(Opportunities::new(times_ms.to_vec()).unwrap())
}

fn rates(rows: &[(u64, u64)], period_ms: u64) -> CapacityTrace {
    let rows = rows.iter().map(|(at_ms, bps)| (Duration::from_millis(*at_ms), *bps)).collect();
    CapacityTrace::Rates(Steps::new(rows, Duration::from_millis(period_ms)).unwrap())
}

/// When each packet leaves the link, or the reason why it was dropped. `offered` has the time and size of each packet.
fn departures(params: &LinkParams, offered: &[(SimTime, usize)]) -> Vec<Result<SimTime, Drop>> {
    let mut link = Link::new(1, Direction::Down, params.clone());
    let mut left = vec![Err(Drop::Loss); offered.len()];
    let drain = |link: &mut Link<usize>, left: &mut Vec<_>, until| {
        while let Some(Departure::Arrives(arrival, packet)) = link.handle_timeout(until) {
            left[packet] = Ok(arrival.left);
        }
    };
    for (packet, (at, bytes)) in offered.iter().enumerate() {
        drain(&mut link, &mut left, *at);
        if let Err(reason) = link.handle_packet(*at, Header::data(*bytes), packet) {
            left[packet] = Err(reason);
        }
    }
    drain(&mut link, &mut left, SimTime::MAX);
    left
}

/// The times at which packets leave if all of them are offered at the start.
fn all_at_once(params: &LinkParams, packets: usize, bytes: usize) -> Vec<SimTime> {
    departures(params, &vec![(SimTime::ZERO, bytes); packets]).into_iter().map(Result::unwrap).collect()
}

#[test]
fn each_opportunity_delivers_one_large_packet_and_the_trace_is_repeated_after_its_last_time() {
    let link = params(opportunities(&[3, 3, 7, 10]), Duration::ZERO, true);
    assert_eq!(all_at_once(&link, 7, 1500), [3, 3, 7, 10, 13, 13, 17].map(ms));
}

#[test]
fn a_trace_of_one_line_repeats_after_its_time() {
    let link = params(opportunities(&[2]), Duration::ZERO, true);
    assert_eq!(all_at_once(&link, 3, 1500), [2, 4, 6].map(ms));
}

#[test]
fn small_packets_share_an_opportunity_and_each_counts_four_bytes_more() {
    let link = params(opportunities(&[1, 2]), Duration::ZERO, true);
    // 1504 / 376 = 4 packets of 372 + 4 bytes
    assert_eq!(all_at_once(&link, 5, 372), [1, 1, 1, 1, 2].map(ms));
    assert_eq!(all_at_once(&link, 5, 373), [1, 1, 1, 2, 2].map(ms));
}

#[test]
fn a_packet_that_an_opportunity_delivers_in_part_continues_at_the_next_one() {
    let link = params(opportunities(&[5, 9]), Duration::ZERO, true);
    // two opportunities deliver 2 · 1504 = 3008 bytes; the packets count as 3 · 1002 = 3006 bytes, then 3 · 1003 = 3009
    assert_eq!(all_at_once(&link, 3, 998), [5, 9, 9].map(ms));
    assert_eq!(all_at_once(&link, 3, 999), [5, 9, 14].map(ms));
    // a packet that is larger than an opportunity
    assert_eq!(all_at_once(&link, 1, 3005), [ms(14)]);
}

#[test]
fn bytes_of_an_opportunity_that_nobody_uses_are_lost() {
    let link = params(opportunities(&[5, 9]), Duration::ZERO, true);
    let offered = [(ms(0), 100), (ms(5), 100), (ms(9), 100)];
    assert_eq!(departures(&link, &offered), [Ok(ms(5)), Ok(ms(9)), Ok(ms(14))]);
}

#[test]
fn a_run_can_start_within_the_trace() {
    let link = params(opportunities(&[3, 7, 10]), Duration::from_millis(4), true);
    assert_eq!(all_at_once(&link, 4, 1500), [3, 6, 9, 13].map(ms));
    let link = params(rates(&[(0, 12_000_000), (10, 6_000_000)], 20), Duration::from_millis(9), true);
    assert_eq!(all_at_once(&link, 2, 1500), [1, 3].map(ms));
}

#[test]
fn after_the_end_of_a_trace_the_link_has_its_constant_rate() {
    // a packet of 1500 bytes takes 12 ms at 1 Mbps
    let link = params(opportunities(&[3, 7]), Duration::ZERO, false);
    assert_eq!(all_at_once(&link, 4, 1500), [3, 7, 19, 31].map(ms));
    assert_eq!(departures(&link, &[(ms(100), 1500)]), [Ok(ms(112))]);
    // the trace delivers 3008 of the 2 · 2004 bytes; the last 1000 bytes take 8 ms at the constant rate
    assert_eq!(all_at_once(&link, 2, 2000), [7, 7 + 8].map(ms));
    let link = params(rates(&[(0, 12_000_000)], 2), Duration::ZERO, false);
    assert_eq!(all_at_once(&link, 4, 1500), [1, 2, 14, 26].map(ms));
    let link = params(rates(&[(0, 12_000_000)], 3), Duration::ZERO, false);
    assert_eq!(all_at_once(&link, 3, 3000), [2, 3 + 12, 15 + 24].map(ms));
}

#[test]
fn the_rate_zero_pauses_a_packet() {
    let link = params(rates(&[(0, 12_000_000), (2, 0), (30, 3_000_000)], 40), Duration::ZERO, true);
    let expected = [1_000, 2_000, 34_000, 38_000, 40_500].map(SimTime::from_us);
    assert_eq!(all_at_once(&link, 5, 1500), expected);
}

#[test]
fn many_whole_periods_pass_while_a_packet_is_serialised() {
    // 1000 bits in each period of 2 ms
    let link = params(rates(&[(0, 1_000_000), (1, 0)], 2), Duration::ZERO, true);
    assert_eq!(all_at_once(&link, 2, 125_000), [ms(1999), ms(3999)]);
}

#[test]
fn a_new_trace_applies_to_the_packets_that_wait() {
    let mut link = Link::new(1, Direction::Down, params(opportunities(&[50]), Duration::ZERO, true));
    for packet in 0..2 {
        link.handle_packet(ms(0), Header::data(1500), packet).unwrap();
    }
    assert_eq!(link.poll_timeout(), Some(ms(50)));
    link.set_params(ms(10), params(opportunities(&[10, 20]), Duration::ZERO, true));
    let left: Vec<_> = std::iter::from_fn(|| link.handle_timeout(ms(100)))
        .map(|departure| match departure {
            Departure::Arrives(arrival, packet) => (arrival.left, packet),
            Departure::Dropped(..) => panic!("{departure:?}"),
        })
        .collect();
    assert_eq!(left, [(ms(10), 0), (ms(20), 1)]);
}

#[test]
fn without_a_trace_the_packets_that_wait_for_an_opportunity_start_at_once() {
    let mut link = Link::new(1, Direction::Down, params(opportunities(&[50]), Duration::ZERO, true));
    link.handle_packet(ms(0), Header::data(1500), 0).unwrap();
    link.set_params(ms(10), LinkParams::new(1_000_000, Duration::ZERO));
    assert_eq!(link.poll_timeout(), Some(ms(10)));
    assert_eq!(link.handle_timeout(ms(10)), None);
    assert_eq!(link.poll_timeout(), Some(ms(22)));
}

#[test]
fn with_opportunities_the_packet_that_is_delivered_needs_no_room_in_the_queue() {
    let link = LinkParams { queue_packets: 1, ..params(opportunities(&[5, 9]), Duration::ZERO, true) };
    // at 5 ms, 4 bytes of the first packet are left; it is no longer in the queue
    let offered = [(ms(0), 1504), (ms(6), 100), (ms(7), 100)];
    assert_eq!(departures(&link, &offered), [Ok(ms(9)), Ok(ms(9)), Err(Drop::QueueFull)]);
}

#[test]
fn traces_that_cannot_be_followed_are_refused() {
    assert_eq!(Opportunities::new(vec![]), None);
    assert_eq!(Opportunities::new(vec![0, 0]), None);
    assert_eq!(Opportunities::new(vec![2, 1]), None);
    let steps = |rows: &[u64], period_ms| {
        let rows = rows.iter().map(|at_ms| (Duration::from_millis(*at_ms), 1)).collect();
        Steps::new(rows, Duration::from_millis(period_ms))
    };
    assert_eq!([steps(&[], 1), steps(&[1], 2), steps(&[0, 5, 5], 9), steps(&[0, 5], 5)], [None, None, None, None]);
    let refusal =
        |trace, start_ms| params(trace, Duration::from_millis(start_ms), true).validate().unwrap_err().to_string();
    let message = "invalid trace: its capacity is always 0 (must be above 0 at some time)";
    assert_eq!(refusal(rates(&[(0, 0), (1, 0)], 2), 0), message);
    let message = "invalid trace.startNs: 7000000 (must be less than the length of the trace)";
    assert_eq!(refusal(opportunities(&[7]), 7), message);
}

/// Returns the time in ms at which each packet leaves Mahimahi's link. The function follows Mahimahi's description: at
/// each opportunity, as many bytes as fit are taken from the packets that arrived in an earlier millisecond.
fn naive_opportunities(times_ms: &[u32], start_ms: u64, offered: &[(u64, usize)]) -> Vec<u64> {
    let period = u64::from(times_ms[times_ms.len() - 1]);
    let mut left = vec![0; offered.len()];
    let mut waiting: VecDeque<(usize, usize)> = VecDeque::new();
    let (mut next, mut done) = (0, 0);
    for raw in 0.. {
        let count_at = |raw: u64| {
            let of = |time: u64| times_ms.iter().filter(|each| u64::from(**each) == time).count();
            let within = raw % period;
            if within == 0 && raw > 0 { of(period) + of(0) } else { of(within) }
        };
        for _ in 0..count_at(raw) {
            let mut budget = 1504;
            while raw >= start_ms
                && budget > 0
                && let Some((packet, needed)) = waiting.front_mut()
            {
                let used = budget.min(*needed);
                (*needed, budget) = (*needed - used, budget - used);
                if *needed == 0 {
                    left[*packet] = raw - start_ms;
                    waiting.pop_front();
                    done += 1;
                }
            }
        }
        if done == offered.len() {
            break;
        }
        while raw >= start_ms && next < offered.len() && offered[next].0 <= raw - start_ms {
            waiting.push_back((next, offered[next].1 + 4));
            next += 1;
        }
    }
    left
}

/// Returns when a serialisation of `bytes` bytes that starts at `start_ns` ends. The end is found by bisection over the
/// integral of the rate.
fn naive_finish(rows: &[(u64, u64)], period_ns: u64, start_ns: u64, bytes: usize) -> u64 {
    let until = |time: u64| -> u128 {
        let within = |time: u64| -> u128 {
            let ends = rows.iter().skip(1).map(|(at, _)| *at).chain([period_ns]);
            rows.iter().zip(ends).map(|((at, bps), end)| u128::from(*bps) * u128::from(time.clamp(*at, end) - at)).sum()
        };
        u128::from(time / period_ns) * within(period_ns) + within(time % period_ns)
    };
    let needed = until(start_ns) + bytes as u128 * 8_000_000_000;
    let (mut low, mut high) = (start_ns, start_ns + (1 << 50));
    while low < high {
        let middle = low.midpoint(high);
        if until(middle) >= needed { high = middle } else { low = middle + 1 }
    }
    low
}

proptest! {
    #[test]
    fn opportunities_match_the_description_of_mahimahi(
        gaps in prop::collection::vec(0u32..6, 1..12),
        start in 0u64..1000,
        offered in prop::collection::vec((0u64..12, 20usize..1600), 1..60),
    ) {
        let mut time = 0;
        let mut times: Vec<u32> = gaps.iter().map(|gap| { time += gap; time }).collect();
        let last = times.len() - 1;
        times[last] += 1; // a trace lasts at least 1 ms
        let start_ms = start % u64::from(times[last]);
        let mut at = 0;
        let offered: Vec<(u64, usize)> = offered.iter().map(|(gap, bytes)| { at += gap; (at, *bytes) }).collect();
        let link = LinkParams { queue_packets: 1000, ..params(opportunities(&times), Duration::from_millis(start_ms), true) };
        let left = departures(&link, &offered.iter().map(|(at, bytes)| (ms(*at), *bytes)).collect::<Vec<_>>());
        let expected = naive_opportunities(&times, start_ms, &offered);
        prop_assert_eq!(left, expected.into_iter().map(|at| Ok(ms(at))).collect::<Vec<_>>());
    }

    #[test]
    fn rates_match_the_integral(
        steps in prop::collection::vec((1u64..20_000_000, prop_oneof![Just(0), 1u64..50_000_000]), 1..8),
        start_ns in 0u64..200_000_000,
        bytes in 1usize..65_536,
    ) {
        let mut time = 0;
        let rows: Vec<(u64, u64)> = steps.iter().map(|(length, bps)| { let at = time; time += length; (at, *bps) }).collect();
        prop_assume!(rows.iter().any(|(_, bps)| *bps > 0));
        let trace = Steps::new(rows.iter().map(|(at, bps)| (Duration::from_nanos(*at), *bps)).collect(), Duration::from_nanos(time));
        let link = params(CapacityTrace::Rates(trace.unwrap()), Duration::ZERO, true);
        let left = departures(&link, &[(SimTime::from_ns(start_ns), bytes)])[0].unwrap().as_ns();
        let exact = naive_finish(&rows, time, start_ns, bytes);
        // the link rounds to the nearest ns, and `naive_finish` rounds up
        prop_assert!(left == exact || left + 1 == exact, "{left} {exact}");
    }

    #[test]
    fn a_trace_of_one_rate_is_that_rate(
        bps in 1_000u64..1_000_000_000_000,
        period_ms in 1u64..100_000,
        offered in prop::collection::vec((0u64..1_000_000_000, 20usize..1500), 1..50),
    ) {
        let mut at = 0;
        let offered: Vec<_> = offered.iter().map(|(gap, bytes)| { at += gap; (SimTime::from_ns(at), *bytes) }).collect();
        let link = params(rates(&[(0, bps)], period_ms), Duration::ZERO, true);
        prop_assert_eq!(departures(&link, &offered), departures(&LinkParams::new(bps, Duration::ZERO), &offered));
    }
}
