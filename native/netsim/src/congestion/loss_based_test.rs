use super::*;
use crate::congestion::{CUBIC, Kind};

const MSS: u64 = 1000;

fn cubic() -> CongestionRules {
    CongestionRules { kind: CUBIC, ..CongestionRules::RFC_5681 }
}

fn at(ms: u64) -> SimTime {
    SimTime::from_ms(ms)
}

fn ack_at(ms: u64, bytes: u64) -> Acknowledgement {
    Acknowledgement {
        now: at(ms),
        phase: Phase::Open,
        delivered: bytes,
        segments: bytes.div_ceil(MSS),
        lost: 0,
        pipe: 0,
        advanced: true,
        rtt: None,
        srtt: Duration::from_millis(100),
        una: 0,
        next: 0,
        app_limited: false,
        prior_in_flight: 0,
        all_delivered: 0,
        sample: None,
        is_delayed: false,
        next_send_at: at(ms),
        by_timer: false,
    }
}

fn ack(bytes: u64) -> Acknowledgement {
    ack_at(0, bytes)
}

/// An acknowledgement of one segment in fast recovery. It reveals another loss.
fn recovering(pipe: u64) -> Acknowledgement {
    Acknowledgement { phase: Phase::FastRecovery, pipe: pipe * MSS, lost: MSS, ..ack(MSS) }
}

fn control(rules: CongestionRules, cwnd_segments: u64) -> Box<dyn CongestionControl> {
    let mut congestion = rules.make(MSS, 0);
    congestion.set_cwnd(cwnd_segments * MSS);
    congestion
}

/// A window in congestion avoidance, although no loss has happened.
fn after_slow_start(rules: CongestionRules, cwnd_segments: u64) -> Box<dyn CongestionControl> {
    let mut congestion = control(CongestionRules { hystart: true, ..rules }, 20);
    for round in 1..3 {
        for _ in 0..10 {
            let rtt = Some(Duration::from_millis(100 * round));
            let (una, next) = (round * 100_000, round * 100_000 + 50_000);
            congestion.handle_ack(&Acknowledgement { rtt, una, next, app_limited: true, ..ack(MSS) });
        }
    }
    assert_eq!(congestion.ssthresh(), 20 * MSS);
    congestion.set_cwnd(cwnd_segments * MSS);
    congestion
}

/// Acknowledges `count` whole windows, one in each round trip of 100 ms, from `ms` on. Returns cwnd after each round
/// trip, in segments.
fn rounds(congestion: &mut Box<dyn CongestionControl>, ms: u64, count: u64) -> Vec<u64> {
    (0..count)
        .map(|round| {
            let segments = congestion.cwnd() / MSS;
            for segment in 0..segments {
                congestion.handle_ack(&ack_at(ms + 100 * round + 100 * segment / segments, MSS));
            }
            congestion.cwnd() / MSS
        })
        .collect()
}

// RFC 3390 §1, equation 1
#[test]
fn the_initial_window_depends_on_the_segment_size() {
    let rules = CongestionRules { initial_window: InitialWindow::Rfc3390, ..CongestionRules::RFC_5681 };
    for (mss, cwnd) in [(536, 4 * 536), (1460, 4380), (2200, 2 * 2200)] {
        assert_eq!(rules.make(mss, 0).cwnd(), cwnd);
    }
}

// RFC 5681 §3.1, equation 2
#[test]
fn slow_start_adds_a_segment_for_each_acknowledgement() {
    let mut congestion = control(CongestionRules::RFC_5681, 4);
    congestion.handle_ack(&ack(2 * MSS));
    congestion.handle_ack(&ack(100));
    assert_eq!(congestion.cwnd(), 5 * MSS + 100);
}

// RFC 3465 §2.1
#[test]
fn slow_start_per_segment_adds_a_segment_for_each_acknowledged_segment() {
    let mut congestion = control(CongestionRules { slow_start: SlowStart::PerSegment, ..CongestionRules::RFC_5681 }, 4);
    congestion.handle_ack(&Acknowledgement { segments: 3, ..ack(2 * MSS + 100) });
    assert_eq!(congestion.cwnd(), 7 * MSS);
}

// RFC 5681 §3.1: bytes beyond ssthresh count for congestion avoidance
#[test]
fn slow_start_ends_at_ssthresh() {
    let mut congestion =
        control(CongestionRules { slow_start: SlowStart::PerSegment, ..CongestionRules::RFC_5681 }, 10);
    congestion.handle_timeout(12 * MSS);
    congestion.start_loss_window(0);
    assert_eq!((congestion.cwnd(), congestion.ssthresh()), (MSS, 6 * MSS));
    congestion.handle_ack(&ack(3 * MSS));
    assert!(congestion.in_slow_start());
    congestion.handle_ack(&ack(5 * MSS));
    assert_eq!(congestion.cwnd(), 6 * MSS);
    assert!(!congestion.in_slow_start());
    // 3 of the 6 segments were counted before
    congestion.handle_ack(&ack(3 * MSS));
    assert_eq!(congestion.cwnd(), 7 * MSS);
}

// RFC 5681 §3.1, equations 3 and 4
#[test]
fn congestion_avoidance_adds_a_segment_for_each_window() {
    let mut congestion = control(CongestionRules::RFC_5681, 8);
    congestion.enter_recovery(8 * MSS);
    congestion.leave_recovery();
    assert_eq!((congestion.cwnd(), congestion.ssthresh()), (4 * MSS, 4 * MSS));
    for _ in 0..3 {
        congestion.handle_ack(&ack(MSS));
    }
    assert_eq!(congestion.cwnd(), 4 * MSS);
    congestion.handle_ack(&ack(MSS));
    assert_eq!(congestion.cwnd(), 5 * MSS);
}

// RFC 5681 §3.1, equation 4
#[test]
fn ssthresh_is_at_least_two_segments() {
    let mut congestion = control(CongestionRules::RFC_5681, 4);
    congestion.enter_recovery(MSS);
    assert_eq!((congestion.cwnd(), congestion.ssthresh()), (2 * MSS, 2 * MSS));
}

// RFC 5681 §3.1 halves the flight, in which segments sent by limited transmit do not count (§3.2 step 2). Linux halves
// cwnd.
#[test]
fn the_window_or_the_flight_is_halved() {
    for (halved, flight, ssthresh) in [(Halved::FlightSize, 12, 5), (Halved::FlightSize, 6, 3), (Halved::Cwnd, 6, 5)] {
        let mut congestion = control(CongestionRules { halved, ..CongestionRules::RFC_5681 }, 10);
        congestion.enter_recovery(flight * MSS);
        assert_eq!(congestion.ssthresh(), ssthresh * MSS, "{halved:?} {flight}");
    }
}

// `renoBeta` of quic-go
#[test]
fn the_reno_of_quic_go_immediately_falls_to_70_percent_and_adds_a_segment_for_each_window() {
    // it has its own rules for losses, whatever those of the profile are
    let reduction = Reduction::Proportional;
    let rules = CongestionRules { kind: Kind::named("reno-70").unwrap(), reduction, ..CongestionRules::RFC_5681 };
    let mut congestion = control(rules, 10);
    congestion.enter_recovery(2 * MSS);
    assert_eq!((congestion.ssthresh(), congestion.cwnd()), (7 * MSS, 7 * MSS));
    congestion.handle_ack(&recovering(1));
    assert_eq!(congestion.cwnd(), 7 * MSS);
    congestion.leave_recovery();
    (0..7).for_each(|_| congestion.handle_ack(&ack(MSS)));
    assert_eq!(congestion.cwnd(), 8 * MSS);
}

// RFC 6937 §3, §3.1
#[test]
fn a_proportional_reduction_follows_the_delivered_bytes_and_ends_at_ssthresh() {
    let mut congestion =
        control(CongestionRules { reduction: Reduction::Proportional, ..CongestionRules::RFC_5681 }, 10);
    congestion.enter_recovery(10 * MSS);
    assert_eq!((congestion.cwnd(), congestion.ssthresh()), (10 * MSS, 5 * MSS));
    let mut deliver = |pipe: u64| {
        let before = congestion.cwnd();
        congestion.handle_ack(&recovering(pipe));
        let room = congestion.cwnd() - pipe * MSS;
        congestion.handle_sent(room);
        assert!(congestion.cwnd() <= before);
        room / MSS
    };
    assert_eq!([deliver(9), deliver(9), deliver(8), deliver(8), deliver(7)], [1, 0, 1, 0, 1]);
    congestion.leave_recovery();
    assert_eq!(congestion.cwnd(), 5 * MSS);
    // after the end of the recovery, the proportional reduction has no effect any more
    congestion.handle_ack(&recovering(0));
    assert_eq!(congestion.cwnd(), 5 * MSS);
}

// RFC 6937 §3: RecoverFS is the FlightSize, and ssthresh was computed from it. In Linux RecoverFS is cwnd, and ssthresh
// is computed from cwnd.
#[test]
fn the_proportion_uses_the_value_that_was_halved() {
    for halved in [Halved::FlightSize, Halved::Cwnd] {
        let rules = CongestionRules { halved, reduction: Reduction::Proportional, ..cubic() };
        let mut congestion = control(rules, 40);
        congestion.enter_recovery(20 * MSS);
        let deliver = |pipe: u64| {
            congestion.handle_ack(&recovering(pipe));
            let room = congestion.cwnd() - pipe * MSS;
            congestion.handle_sent(room);
            room / MSS
        };
        assert_eq!([40; 5].map(deliver), [1, 1, 1, 0, 1], "{halved:?}");
    }
}

#[test]
fn a_repaired_loss_reduces_the_window_at_once() {
    let mut congestion = control(CongestionRules::RFC_5681, 10);
    congestion.handle_repaired_loss();
    assert_eq!((congestion.cwnd(), congestion.ssthresh()), (5 * MSS, 5 * MSS));
}

// RFC 7661 §4.1
#[test]
fn an_unused_window_does_not_grow() {
    let mut congestion = control(CongestionRules::RFC_5681, 4);
    congestion.handle_ack(&Acknowledgement { app_limited: true, ..ack(MSS) });
    assert_eq!(congestion.cwnd(), 4 * MSS);
}

// RFC 5681 §4.1
#[test]
fn an_idle_time_lowers_the_window_to_the_initial_window() {
    let mut congestion = control(CongestionRules::RFC_5681, 5);
    let (idle, rto) = (Duration::from_millis(900), Duration::from_millis(300));
    congestion.restart_after_idle(idle, rto);
    assert_eq!(congestion.cwnd(), 4 * MSS);
    congestion.start_with_one_segment();
    congestion.restart_after_idle(idle, rto);
    assert_eq!(congestion.cwnd(), MSS);
}

// Linux, tcp_cwnd_restart: ssthresh becomes at least 3/4 of the window
#[test]
fn in_linux_each_rto_of_idle_time_halves_the_window_down_to_the_initial_window() {
    for (idle_ms, cwnd, left) in [(300, 40, 40), (301, 40, 20), (601, 40, 10), (901, 40, 5), (9000, 40, 4), (901, 3, 3)]
    {
        let mut congestion =
            control(CongestionRules { idle: IdleRestart::HalfPerRto, ..CongestionRules::RFC_5681 }, cwnd);
        congestion.enter_recovery(4 * MSS);
        congestion.leave_recovery();
        congestion.set_cwnd(cwnd * MSS);
        congestion.restart_after_idle(Duration::from_millis(idle_ms), Duration::from_millis(300));
        let ssthresh = (cwnd * MSS / 4 * 3).max(2 * MSS);
        assert_eq!((congestion.cwnd(), congestion.ssthresh()), (left * MSS, ssthresh), "{idle_ms} {cwnd}");
    }
}

// Ha & Rhee 2011 §4: slow start ends at the window at which the RTT rose
#[test]
fn hystart_ends_slow_start_at_the_window_that_made_the_rtt_rise() {
    for (hystart, ends) in [(true, true), (false, false)] {
        let mut congestion = control(CongestionRules { hystart, ..cubic() }, 20);
        for round in 1..3 {
            for _ in 0..10 {
                let rtt = Some(Duration::from_millis(100 * round));
                let (una, next) = (round * 100_000, round * 100_000 + 50_000);
                congestion.handle_ack(&Acknowledgement { rtt, una, next, ..ack(MSS) });
            }
        }
        assert_eq!(!congestion.in_slow_start(), ends);
        if ends {
            assert_eq!(congestion.ssthresh(), 38 * MSS);
        }
    }
}

// RFC 9438 §4.10: after a slow start without a loss K is 0, and cwnd_prior is the window at the end of slow start.
// Linux: the window grows by a twentieth in each round trip, which is more than 0.4 t³ and more than Reno's growth
#[test]
fn cubic_continues_from_the_window_at_the_end_of_a_slow_start_without_loss() {
    let mut congestion = after_slow_start(cubic(), 60);
    assert_eq!(rounds(&mut congestion, 0, 5), [63, 66, 69, 72, 76]);
}

// RFC 9438 §4.2: t counts from the start of congestion avoidance
#[test]
fn time_in_slow_start_does_not_count_for_cubic() {
    let grown = |slow_ms: u64| {
        let mut congestion = control(CongestionRules { slow_start: SlowStart::PerSegment, ..cubic() }, 100);
        congestion.handle_timeout(100 * MSS);
        congestion.start_loss_window(0);
        congestion.handle_ack(&ack_at(0, MSS));
        assert_eq!((congestion.cwnd(), congestion.in_slow_start()), (2 * MSS, true));
        congestion.handle_ack(&ack_at(slow_ms, 68 * MSS));
        rounds(&mut congestion, slow_ms, 5)
    };
    assert_eq!(grown(60_000), grown(0));
}

// RFC 9438 §4.6: β = 0.7
#[test]
fn cubic_reduces_the_window_to_seven_tenths() {
    let mut congestion = control(cubic(), 100);
    congestion.enter_recovery(100 * MSS);
    assert_eq!(congestion.ssthresh(), 70_019, "717/1024");
}

// RFC 9438 §5.8, CA_EVENT_TX_START of Linux: t excludes a pause with nothing in flight
#[test]
fn a_pause_with_nothing_in_flight_does_not_count_for_cubic() {
    let grown = |pause_ms: u64| {
        let mut congestion = control(cubic(), 100);
        congestion.enter_recovery(100 * MSS);
        congestion.leave_recovery();
        rounds(&mut congestion, 0, 2);
        let idle = Duration::from_millis(pause_ms);
        congestion.handle_restart(&Restart { now: at(200 + pause_ms), idle, app_limited: true });
        rounds(&mut congestion, 200 + pause_ms, 3)
    };
    assert_eq!(grown(0), grown(10_000));
}

// RFC 5682 §3.1 step 3b. Linux does not restore the cubic function (RFC 9438 §4.9)
#[test]
fn undoing_a_timeout_restores_the_window() {
    let mut congestion = control(cubic(), 100);
    congestion.enter_recovery(100 * MSS);
    congestion.leave_recovery();
    let before = rounds(&mut congestion, 0, 3)[2];
    congestion.handle_timeout(80 * MSS);
    congestion.start_loss_window(0);
    assert_eq!(congestion.cwnd(), MSS);
    congestion.undo_timeout();
    // the second call has no effect
    congestion.set_cwnd(before * MSS);
    congestion.undo_timeout();
    assert_eq!((congestion.cwnd() / MSS, congestion.ssthresh()), (before, 70_019));
}

// RFC 5682: the window may have grown since the timeout
#[test]
fn undoing_a_timeout_does_not_shrink_the_window() {
    let mut congestion = control(CongestionRules::RFC_5681, 10);
    congestion.handle_timeout(10 * MSS);
    congestion.set_cwnd(12 * MSS);
    congestion.undo_timeout();
    assert_eq!((congestion.cwnd(), congestion.ssthresh()), (12 * MSS, u64::MAX));
}

// A loss that is detected after the timeout shows that the timeout was not spurious.
#[test]
fn a_timeout_is_not_undone_once_a_recovery_has_begun() {
    let mut congestion = control(CongestionRules::RFC_5681, 10);
    congestion.handle_timeout(10 * MSS);
    congestion.enter_recovery(10 * MSS);
    congestion.undo_timeout();
    assert_eq!(congestion.ssthresh(), 5 * MSS);
}

// RFC 9438 §4.8: after a timeout K is 0, and W_max is the window at which congestion avoidance begins. Linux: until the
// next loss the window grows by a twentieth in each round trip
#[test]
fn after_a_timeout_cubic_forgets_the_old_window() {
    let mut congestion = control(cubic(), 100);
    congestion.handle_timeout(100 * MSS);
    congestion.start_loss_window(0);
    congestion.set_cwnd(congestion.ssthresh());
    let grown = rounds(&mut congestion, 0, 12);
    // with W_max = 100 the window would reach 100 only after 4.2 s; these rounds take 1.2 s
    assert_eq!((grown[0], grown[11]), (73, 125));
}
