use super::*;
use crate::congestion::Kind;
use crate::packet::Ecn;
use crate::tcp::handshake::HandshakeLoss;
use crate::tcp::profile::RecoveryRules;
use crate::tcp::timer_clock::TimerRule;

const MSS: u64 = 1000;
const WINDOW: u64 = 1 << 20;

fn at(ms: u64) -> SimTime {
    SimTime::from_ms(ms)
}

/// A profile whose timers fire exactly at their times.
fn profile(name: &str) -> Profile {
    Profile { timers: TimerRule::Exact, ..Profile::named(name).unwrap() }
}

fn negotiated(sack: bool) -> Negotiated {
    Negotiated { mss: MSS, sack, ecn: EcnMode::Off }
}

fn clock() -> TimerClock {
    TimerClock::new(TimerRule::Exact, 0)
}

/// A sender after a handshake with an RTT of 100 ms. It has a window of `cwnd` segments and `written` segments to send.
fn sender(profile: Profile, cwnd: u64, written: u64) -> Sender {
    let mut sender = Sender::new(profile, clock(), MSS, 1 << 20, 0);
    sender.establish(negotiated(true), 0, WINDOW);
    sender.handshake_done(SimTime::ZERO, Some(Duration::from_millis(100)), HandshakeLoss::None);
    sender.congestion.set_cwnd(cwnd * MSS);
    sender.buffer_mut().write(&vec![7; (written * MSS) as usize]);
    sender
}

/// One past the last byte of segment `index`. Segments are counted from 0.
fn end(index: u64) -> u64 {
    1 + (index + 1) * MSS
}

fn block(first: u64, last: u64) -> (u64, u64) {
    (1 + first * MSS, end(last))
}

/// Sends and returns all segments that may be sent now: a new segment as its index, a retransmission as −1 − index.
fn poll(sender: &mut Sender, ms: u64) -> Vec<i64> {
    std::iter::from_fn(|| sender.poll_send(at(ms)))
        .map(|outgoing| {
            let index = (outgoing.seq.saturating_sub(1) / MSS) as i64;
            if outgoing.retransmission { -1 - index } else { index }
        })
        .collect()
}

/// A retransmission of segment `index`.
const fn again(index: i64) -> i64 {
    -1 - index
}

fn acknowledgement(segments: u64, sack: &[(u64, u64)]) -> Ack<'_> {
    Ack {
        seq: 1,
        number: 1 + segments * MSS,
        window: WINDOW,
        sack,
        echo_rtt: None,
        is_pure: true,
        ecn_flags: EcnFlags::default(),
    }
}

/// Handles an acknowledgement of the first `segments` segments and of the SACK blocks. Returns what is sent in answer.
fn ack(sender: &mut Sender, ms: u64, segments: u64, sack: &[(u64, u64)]) -> Vec<i64> {
    sender.handle_ack(at(ms), &acknowledgement(segments, sack));
    poll(sender, ms)
}

fn window(sender: &mut Sender, ms: u64, segments: u64, window: u64) -> Vec<i64> {
    sender.handle_ack(at(ms), &Ack { window, ..acknowledgement(segments, &[]) });
    poll(sender, ms)
}

/// Fires the next timer. Returns the time in ms at which it fires, and what is sent then.
fn fire(sender: &mut Sender) -> (u64, Vec<i64>) {
    let now = sender.poll_timeout().unwrap();
    sender.handle_timeout(now);
    let ms = now.as_ns() / 1_000_000;
    (ms, poll(sender, ms))
}

fn windows(sender: &Sender) -> (u64, u64) {
    (sender.congestion.cwnd() / MSS, sender.congestion.ssthresh() / MSS)
}

// RFC 3042 §2, RFC 5681 §3.2 step 2: ssthresh is half of the flight, which excludes the segments of limited transmit
#[test]
fn two_duplicates_send_new_data_and_the_third_retransmits() {
    for (name, blocks) in [("classic", true), ("reno", false)] {
        let mut sender = sender(profile(name), 6, 20);
        assert_eq!(poll(&mut sender, 0), [0, 1, 2, 3, 4, 5]);
        let mut duplicate = |last| {
            let sack = [block(1, last)];
            ack(&mut sender, 100 + last, 0, if blocks { &sack } else { &[] })
        };
        assert_eq!(duplicate(1), [6], "{name}");
        assert_eq!(duplicate(2), [7], "{name}");
        assert_eq!(duplicate(3), [again(0)], "{name}");
        assert_eq!(windows(&sender), (3, 3), "{name}");
        assert_eq!(sender.sample().state, SenderState::FastRecovery);
    }
}

// RFC 5681 §2: a duplicate has no data and does not change the window
#[test]
fn data_and_window_updates_do_not_count_as_duplicates() {
    let mut sender = sender(profile("reno"), 4, 4);
    poll(&mut sender, 0);
    for index in 0..5 {
        let data = Ack { is_pure: false, ..acknowledgement(0, &[]) };
        sender.handle_ack(at(100), &data);
        assert_eq!(window(&mut sender, 100, 0, WINDOW - 1 - index), []);
        sender.handle_ack(at(100), &Ack { window: WINDOW, ..data });
    }
    assert_eq!(sender.board.duplicates(), 0);
}

// RFC 6582 §3.2 steps 2 and 3
#[test]
fn a_partial_acknowledgement_retransmits_the_next_hole_and_a_full_acknowledgement_ends_recovery() {
    let mut sender = sender(profile("reno"), 8, 30);
    poll(&mut sender, 0);
    let sent: Vec<Vec<i64>> = (0..6).map(|_| ack(&mut sender, 100, 0, &[])).collect();
    assert_eq!(sent, [vec![8], vec![9], vec![again(0)], vec![], vec![], vec![]]);
    // the duplicates that segments 8 and 9 cause arrive: the flight has fallen to the reduced window, so new data may
    // be sent
    assert_eq!((ack(&mut sender, 150, 0, &[]), ack(&mut sender, 150, 0, &[])), (vec![10], vec![11]));
    assert_eq!(ack(&mut sender, 200, 1, &[]), [again(1), 12]);
    assert_eq!(sender.recovery.phase(), Phase::FastRecovery);
    ack(&mut sender, 300, 10, &[]);
    assert_eq!(sender.recovery.phase(), Phase::Open);
    assert_eq!(windows(&sender), (4, 4));
}

// RFC 6582 §3.2 step 3, §4: `reno` is the Impatient variant; Linux (`reference-c`) restarts the timer each time
#[test]
fn only_the_first_partial_acknowledgement_restarts_the_timer() {
    for (name, restarts) in [("reno", [false, true, false, false]), ("reference-c", [true; 4])] {
        let mut sender = sender(profile(name), 8, 30);
        poll(&mut sender, 0);
        for _ in 0..3 {
            ack(&mut sender, 100, 0, &[]);
        }
        for (segments, restarts) in restarts.into_iter().enumerate() {
            let now = 100 + 100 * segments as u64;
            ack(&mut sender, now, segments as u64, &[]);
            let restarted = sender.poll_timeout() == Some(at(now) + sender.rtt.rto());
            assert_eq!(restarted, restarts, "{name}, {segments}");
            assert_eq!(sender.recovery.phase(), Phase::FastRecovery);
        }
        // after the recovery an acknowledgement restarts the timer again
        let next = sender.next() / MSS;
        ack(&mut sender, 500, next, &[]);
        assert_eq!(sender.recovery.phase(), Phase::Open);
        assert_eq!(sender.poll_timeout(), Some(at(500) + sender.rtt.rto()));
    }
}

// RFC 6582 §3.2 step 2: duplicates for data that the last recovery covered do not start another recovery
#[test]
fn duplicates_at_the_recovery_point_do_not_reduce_again() {
    let mut sender = sender(profile("reno"), 8, 30);
    poll(&mut sender, 0);
    for _ in 0..3 {
        ack(&mut sender, 100, 0, &[]);
    }
    ack(&mut sender, 200, 10, &[]);
    let before = windows(&sender);
    for _ in 0..5 {
        assert!(ack(&mut sender, 250, 10, &[]).iter().all(|sent| *sent >= 0));
    }
    assert_eq!((sender.recovery.phase(), windows(&sender)), (Phase::Open, before));
}

// RFC 6675 §5 step 4, §4 NextSeg rules 1 and 2
#[test]
fn recovery_keeps_the_pipe_at_cwnd_and_retransmits_before_it_sends_new_data() {
    let mut sender = sender(profile("classic"), 10, 30);
    poll(&mut sender, 0);
    // segments 0 and 2 are lost; one acknowledgement reports three segments above segment 2
    assert_eq!(ack(&mut sender, 100, 0, &[block(3, 5), block(1, 1)]), [again(0)]);
    assert_eq!(windows(&sender), (5, 5));
    assert_eq!(sender.board.pipe_bytes(MSS), 5 * MSS);
    assert_eq!(ack(&mut sender, 110, 0, &[block(3, 6), block(1, 1)]), [again(2)]);
    assert_eq!(ack(&mut sender, 120, 0, &[block(3, 7), block(1, 1)]), [10]);
    // there is one reduction in one recovery
    assert_eq!(windows(&sender), (5, 5));
    ack(&mut sender, 200, 10, &[]);
    assert_eq!((sender.recovery.phase(), windows(&sender)), (Phase::Open, (5, 5)));
}

// RFC 5681 §4.3: losses in two successive windows lower cwnd twice. Linux (tcp_fastretrans_alert) lowers it only once
// if the second loss is already repaired
#[test]
fn the_loss_of_a_segment_sent_in_recovery_causes_a_second_reduction() {
    for (name, windows_after) in [("classic", [(10, 10), (5, 5)]), ("modern", [(14, 14), (9, 9)])] {
        for repaired in [false, true] {
            let mut sender = sender(profile(name), 20, 60);
            poll(&mut sender, 0);
            let mut sent = ack(&mut sender, 100, 0, &[block(1, 3)]);
            for last in 4..20 {
                sent.extend(ack(&mut sender, 100 + last, 0, &[block(1, last)]));
            }
            assert!(sent.contains(&21), "{name}: {sent:?}");
            assert_eq!(sender.congestion.ssthresh() / MSS, windows_after[0].1, "{name}");
            // segment 20 is also lost; the retransmission of segment 0 is late
            ack(&mut sender, 201, 0, &[block(21, 23), block(1, 19)]);
            assert_eq!(sender.congestion.ssthresh() / MSS, windows_after[0].1, "{name}: within the recovery");
            let sent =
                if repaired { ack(&mut sender, 230, 24, &[]) } else { ack(&mut sender, 230, 20, &[block(21, 23)]) };
            assert!(!repaired || !sent.contains(&again(20)));
            let second = windows_after[usize::from(name == "classic" || !repaired)].1;
            assert_eq!(sender.congestion.ssthresh() / MSS, second, "{name}, repaired: {repaired}");
            let phase = if repaired { Phase::Open } else { Phase::FastRecovery };
            assert_eq!(sender.recovery.phase(), phase, "{name}");
            // there is no third reduction
            ack(&mut sender, 300, 24, &[]);
            let next = sender.next() / MSS;
            ack(&mut sender, 400, next, &[]);
            assert_eq!((sender.recovery.phase(), windows(&sender).1), (Phase::Open, second), "{name}");
        }
    }
}

// RFC 5681 §4.3: the lost segment is new data that F-RTO sent after the timeout
#[test]
fn the_loss_of_a_segment_sent_after_a_timeout_causes_a_second_reduction() {
    let mut sender = sender(f_rto(), 6, 60);
    poll(&mut sender, 0);
    assert_eq!(fire(&mut sender), (300, vec![again(0)]));
    assert_eq!(ack(&mut sender, 350, 1, &[]), [6, 7]);
    let ssthresh = sender.congestion.ssthresh();
    ack(&mut sender, 450, 1, &[block(7, 7)]);
    assert_eq!((sender.recovery.phase(), sender.congestion.ssthresh()), (Phase::Loss, ssthresh));
    ack(&mut sender, 550, 6, &[block(7, 7)]);
    assert_eq!(sender.recovery.phase(), Phase::FastRecovery);
    assert_ne!(sender.congestion.ssthresh(), ssthresh);
}

// RFC 2018 §8: the receiver may discard data that it reported; one timeout detects this
#[test]
fn a_receiver_that_reneges_causes_one_timeout() {
    for name in ["classic", "modern"] {
        let mut sender = sender(profile(name), 10, 10);
        poll(&mut sender, 0);
        ack(&mut sender, 100, 0, &[block(1, 9)]);
        // the receiver has segment 0 and nothing else
        ack(&mut sender, 200, 1, &[]);
        let (ms, mut sent) = fire(&mut sender);
        assert_eq!(sent, [again(1)], "{name}");
        let mut segments = 2;
        for round in 1..6 {
            sent.extend(ack(&mut sender, ms + 100 * round, segments, &[]));
            segments = sent.len() as u64 + 1;
        }
        assert_eq!(sent, (1..10).map(again).collect::<Vec<_>>(), "{name}");
        assert!(sender.board.is_empty());
    }
}

// RFC 6675 §4, NextSeg rule 3
#[test]
fn a_segment_in_doubt_is_retransmitted_if_nothing_else_can_be_sent() {
    let mut sender = sender(profile("classic"), 10, 10);
    poll(&mut sender, 0);
    assert_eq!(ack(&mut sender, 100, 0, &[block(8, 9), block(1, 6)]), [again(0), again(7)]);
}

// RFC 6675 §4, NextSeg rule 4
#[test]
fn the_last_segment_is_retransmitted_as_the_rescue_once_in_each_recovery() {
    let mut sender = sender(profile("classic"), 10, 10);
    poll(&mut sender, 0);
    assert_eq!(ack(&mut sender, 100, 0, &[block(1, 3)]), [again(0)]);
    assert_eq!(ack(&mut sender, 110, 0, &[block(1, 6)]), [again(9)]);
    assert_eq!(ack(&mut sender, 120, 0, &[block(1, 7)]), []);
}

// RFC 6298 §5.4–5.6, RFC 5681 §3.1: equation 4, and a loss window of one segment
#[test]
fn each_timeout_doubles_the_rto_but_only_the_first_halves_the_window() {
    let mut sender = sender(profile("classic"), 8, 20);
    poll(&mut sender, 0);
    assert_eq!(fire(&mut sender), (1000, vec![again(0)]));
    assert_eq!(windows(&sender), (1, 4));
    assert_eq!(fire(&mut sender), (3000, vec![again(0)]));
    assert_eq!(fire(&mut sender), (7000, vec![again(0)]));
    assert_eq!(windows(&sender), (1, 4));
    assert_eq!(sender.timeouts(), Timeouts { retransmission: 3, probe: 0 });
    // slow start retransmits the lost segments
    assert_eq!(ack(&mut sender, 7100, 1, &[]), [again(1), again(2)]);
    assert_eq!(sender.sample().state, SenderState::LossRecovery);
    ack(&mut sender, 7200, 8, &[]);
    assert_eq!(sender.recovery.phase(), Phase::Open);
}

// RFC 6675 §5.1
#[test]
fn sacked_segments_are_not_retransmitted_after_a_timeout() {
    let mut sender = sender(profile("classic"), 6, 6);
    poll(&mut sender, 0);
    ack(&mut sender, 100, 0, &[block(1, 2)]);
    assert_eq!(fire(&mut sender), (1000, vec![again(0)]));
    assert_eq!(ack(&mut sender, 1100, 3, &[]), [again(3), again(4)]);
}

// Linux, and so the profile `modern`, uses srtt + max(4·rttvar, rto_min). RFC 6298 §2.4 says max(1 s, srtt + 4·rttvar).
#[test]
fn the_rto_of_modern_is_the_rtt_plus_200_ms_and_that_of_classic_is_at_least_a_second() {
    for (name, rto_ms) in [("modern", 350 + 200), ("classic", 1000)] {
        let mut sender = sender(profile(name), 4, 0);
        for round in 0..100 {
            sender.buffer_mut().write(&[7; MSS as usize]);
            poll(&mut sender, 350 * round);
            sender.handle_ack(at(350 * (round + 1)), &acknowledgement(sender.next() / MSS, &[]));
        }
        let rto = sender.rtt.rto().as_millis() as u64;
        assert!(rto.abs_diff(rto_ms) <= 1, "{name}: {rto}");
    }
}

// RFC 6298 §3, §5: Karn's algorithm; a timestamp removes the ambiguity (RFC 7323 §4)
#[test]
fn a_retransmission_gives_no_sample_and_keeps_the_backoff() {
    let mut sender = sender(profile("classic"), 4, 4);
    poll(&mut sender, 0);
    fire(&mut sender);
    assert_eq!(ack(&mut sender, 1500, 1, &[]), [again(1), again(2)]);
    assert_eq!((sender.rtt.srtt(), sender.rtt.rto()), (Some(Duration::from_millis(100)), Duration::from_secs(2)));
    let echo_rtt = Some(Duration::from_millis(180));
    sender.handle_ack(at(1600), &Ack { echo_rtt, ..acknowledgement(2, &[]) });
    assert_eq!((sender.rtt.srtt(), sender.rtt.rto()), (Some(Duration::from_millis(110)), Duration::from_secs(1)));
}

// Linux, tcp_clean_rtx_queue: segments that were sent before the retransmission still arrive
#[test]
fn a_sack_of_segments_sent_before_the_retransmission_restarts_the_timer() {
    for (name, restarts) in [("classic", false), ("modern", true), ("reference-d", true)] {
        let mut sender = sender(profile(name), 20, 60);
        poll(&mut sender, 0);
        let mut sent = ack(&mut sender, 100, 0, &[block(1, 4)]);
        assert_eq!(sent[0], again(0), "{name}");
        let armed = |sender: &Sender, ms| sender.timers.retransmission == Some(at(ms) + sender.rtt.rto());
        assert!(armed(&sender, 100), "{name}: the retransmission restarted the timer");
        for last in 5..20 {
            sent.extend(ack(&mut sender, 120 + last, 0, &[block(1, last)]));
        }
        assert_eq!(armed(&sender, 139), restarts, "{name}");
        let deadline = sender.timers.retransmission;
        // the timer restarts neither for an acknowledgement of nothing new nor for data that was sent after the
        // retransmission
        ack(&mut sender, 150, 0, &[block(1, 19)]);
        assert!(sent.contains(&20), "{name}: {sent:?}");
        sender.handle_ack(at(240), &acknowledgement(0, &[block(1, 20)]));
        assert_eq!(sender.timers.retransmission, deadline, "{name}");
    }
}

// RFC 6298 §5.2, §5.3
#[test]
fn progress_restarts_the_timer_and_the_last_acknowledgement_stops_it() {
    let mut sender = sender(profile("classic"), 4, 2);
    poll(&mut sender, 0);
    ack(&mut sender, 400, 1, &[]);
    assert_eq!(sender.poll_timeout(), Some(at(400 + 1000)));
    ack(&mut sender, 500, 2, &[]);
    assert_eq!(sender.poll_timeout(), None);
}

// RFC 6937 §3: with ssthresh at half of the flight, one segment is sent for every two that are delivered
#[test]
fn proportional_reduction_sends_on_every_second_acknowledgement() {
    let mut sender = sender(profile("reference-d"), 10, 40);
    poll(&mut sender, 0);
    // acknowledgements of the same millisecond would make small packets wait
    let sent: Vec<Vec<i64>> = (1..9).map(|last| ack(&mut sender, 100 + 2 * last, 0, &[block(1, last)])).collect();
    let expected = [vec![10], vec![11], vec![again(0)], vec![], vec![12], vec![], vec![13], vec![]];
    assert_eq!(sent, expected);
}

// RFC 8985 §6.2 step 4: the reordering window is a quarter of the smallest RTT
#[test]
fn rack_waits_for_the_reordering_window() {
    let mut sender = sender(profile("modern"), 10, 5);
    poll(&mut sender, 0);
    assert_eq!(ack(&mut sender, 100, 0, &[block(1, 1)]), []);
    assert_eq!(fire(&mut sender), (125, vec![again(0)]));
}

// Linux (tcp_rack_advance) handles first the newly SACKed segments, and then those that are cumulatively acknowledged.
// So segment 0 is the last one, and its RTT of 150 ms decides how long segment 1 waits. RFC 8985 §6.2 step 2 would take
// the RTT of segment 2.
#[test]
fn rack_takes_the_rtt_of_the_segment_that_was_delivered_last() {
    let mut sender = sender(profile("modern"), 2, 4);
    poll(&mut sender, 0);
    sender.congestion.set_cwnd(4 * MSS);
    assert_eq!(poll(&mut sender, 40), [2, 3]);
    assert_eq!(ack(&mut sender, 150, 1, &[block(2, 2)]), []);
    assert_eq!(fire(&mut sender), (175, vec![again(1)]));
}

/// A sender of 40 segments with 10 in flight. A selective acknowledgement at 100 ms has made it send segment 10. Linux
/// gives several segments to its network card as one packet (`sender/bundles.rs`). Segment 10 alone is a small packet.
fn after_a_small_packet(name: &str) -> Sender {
    let mut sender = sender(profile(name), 10, 40);
    poll(&mut sender, 0);
    assert_eq!(ack(&mut sender, 100, 0, &[block(1, 1)]), [10]);
    sender
}

// tcp_tso_should_defer
#[test]
fn a_second_small_packet_waits_for_the_next_acknowledgement() {
    let mut sender = after_a_small_packet("modern");
    assert_eq!(ack(&mut sender, 100, 0, &[block(1, 2)]), []);
    assert_eq!(poll(&mut sender, 110), [], "time alone does not end the wait");
    sender.note_write();
    assert_eq!(poll(&mut sender, 110), [11]);
    // a packet of two segments is not small
    let mut sender = after_a_small_packet("modern");
    assert_eq!(ack(&mut sender, 100, 1, &[block(1, 1)]), [11, 12]);
}

#[test]
fn a_small_packet_waits_only_if_the_last_was_sent_within_a_millisecond() {
    assert_eq!(ack(&mut after_a_small_packet("modern"), 101, 0, &[block(1, 2)]), []);
    assert_eq!(ack(&mut after_a_small_packet("modern"), 102, 0, &[block(1, 2)]), [11]);
}

#[test]
fn a_timer_ends_the_wait_of_a_small_packet() {
    let mut sender = after_a_small_packet("modern");
    assert_eq!(ack(&mut sender, 100, 0, &[block(1, 2)]), []);
    sender.timers.pacing = Some(at(110));
    assert_eq!(fire(&mut sender), (110, vec![11]));
}

#[test]
fn a_small_packet_does_not_wait_in_a_recovery() {
    for recovers in [false, true] {
        let mut sender = after_a_small_packet("modern");
        sender.handle_ack(at(100), &acknowledgement(0, &[block(1, 2)]));
        if recovers {
            sender.recovery.enter_fast_recovery(sender.next);
        }
        assert_eq!(sender.waits_for_bundle(at(100)), !recovers);
    }
}

// tcp_cwnd_validate: `is_cwnd_limited`
#[test]
fn the_window_counts_as_full_while_a_small_packet_waits_unless_the_peers_window_is_smaller() {
    for (admitted, is_full) in [(2, true), (1, false)] {
        let mut sender = after_a_small_packet("modern");
        sender.handle_ack(at(100), &acknowledgement(0, &[block(1, 2)]));
        sender.peer.bytes = sender.next - sender.una + admitted * MSS;
        sender.usage = WindowUse::new(sender.profile.congestion.app_limited);
        assert_eq!(poll(&mut sender, 100), []);
        assert_eq!(sender.usage.is_app_limited(10 * MSS, false), !is_full, "{admitted}");
    }
}

/// A sender with an RTT of 1 ms that has sent ten segments. Because the RTT is so short, the size of packets to the
/// network card (`sender/bundles.rs`) would permit more segments than the window does.
fn with_short_rtt() -> Sender {
    let mut sender = Sender::new(profile("modern"), clock(), MSS, 1 << 20, 0);
    sender.establish(negotiated(true), 0, WINDOW);
    sender.handshake_done(SimTime::ZERO, Some(Duration::from_millis(1)), HandshakeLoss::None);
    sender.congestion.set_cwnd(10 * MSS);
    sender.buffer_mut().write(&[7; 100 * MSS as usize]);
    poll(&mut sender, 0);
    sender
}

#[test]
fn a_small_packet_waits_for_an_acknowledgement_that_is_due_in_half_an_rtt() {
    for (us, waits) in [(499, false), (500, true)] {
        let mut sender = with_short_rtt();
        sender.congestion.set_cwnd(11 * MSS);
        assert_eq!(sender.waits_for_bundle(SimTime::ZERO + Duration::from_micros(us)), waits, "{us}");
    }
}

#[test]
fn a_packet_of_a_third_of_the_peers_window_does_not_wait() {
    for (peer, waits) in [(14, true), (15, false)] {
        let mut sender = with_short_rtt();
        sender.congestion.set_cwnd(40 * MSS);
        sender.peer.bytes = peer * MSS;
        assert_eq!(sender.waits_for_bundle(at(1)), waits, "{peer}");
    }
}

// tcp_cwnd_test
#[test]
fn a_packet_has_half_of_the_window_at_most() {
    let mut sender = with_short_rtt();
    sender.handle_ack(at(1), &acknowledgement(7, &[]));
    sender.congestion.set_cwnd(10 * MSS);
    assert_eq!(poll(&mut sender, 1), [10, 11, 12, 13, 14], "the other two are less than a third of the window");
}

#[test]
fn a_small_packet_does_not_wait_without_the_rules_of_linux() {
    assert_eq!(ack(&mut after_a_small_packet("classic"), 100, 0, &[block(1, 2)]), [11]);
}

#[test]
fn a_small_packet_does_not_wait_for_an_acknowledgement_that_is_not_due() {
    let mut sender = sender(profile("modern"), 10, 40);
    poll(&mut sender, 0);
    assert_eq!(ack(&mut sender, 50, 0, &[block(1, 1)]), [10]);
    assert_eq!(ack(&mut sender, 50, 0, &[block(1, 2)]), [11]);
}

#[test]
fn a_small_packet_does_not_wait_if_it_is_a_third_of_the_window_or_has_the_last_bytes() {
    for (cwnd, written, sent) in [(3, 40, vec![4]), (4, 40, vec![]), (10, 12, vec![11]), (10, 13, vec![])] {
        let mut sender = sender(profile("modern"), cwnd, written);
        poll(&mut sender, 0);
        ack(&mut sender, 100, 0, &[block(1, 1)]);
        assert_eq!(ack(&mut sender, 100, 0, &[block(1, 2)]), sent, "{cwnd} {written}");
    }
}

#[test]
fn all_remaining_bytes_do_not_wait_if_the_fin_follows() {
    let waits = |close: bool| {
        let mut sender = sender(profile("modern"), 1000, 1002);
        poll(&mut sender, 0);
        if close {
            sender.buffer_mut().close();
        }
        sender.congestion.set_cwnd(1002 * MSS);
        sender.last_sent_at = Some(at(100));
        sender.waits_for_bundle(at(100))
    };
    assert!(waits(false) && !waits(true));
}

// tcp_tso_autosize, tcp_update_pacing_rate
#[test]
fn a_packet_has_the_segments_of_a_millisecond_and_at_least_two() {
    for (cwnd, segments) in [(10, 2), (1000, 19)] {
        assert_eq!(sender(profile("modern"), cwnd, 1).bundle_segments(), segments, "200 % of {cwnd} in 100 ms");
    }
    let mut avoiding = sender(profile("modern"), 1000, 1);
    avoiding.congestion.handle_timeout(1000 * MSS);
    assert_eq!(avoiding.bundle_segments(), 11, "120 % of the window if it is at least half of ssthresh");
    let mut reduced = sender(profile("modern"), 1000, 1000);
    poll(&mut reduced, 0);
    reduced.congestion.set_cwnd(10 * MSS);
    assert_eq!(reduced.bundle_segments(), 19, "the segments in flight count if they are more than the window");
    let mut large = with_short_rtt();
    large.congestion.set_cwnd(1000 * MSS);
    assert_eq!(large.bundle_segments(), 65, "a packet has less than 64 KB");
}

/// A sender whose segments 0 to 3 were sent at 0 ms and 4 to 6 at 10 ms. All of them except segment 2 are lost.
fn with_lost_packets(cwnd: u64) -> Sender {
    let mut sender = sender(profile("modern"), 4, 1000);
    poll(&mut sender, 0);
    sender.congestion.set_cwnd(7 * MSS);
    poll(&mut sender, 10);
    sender.congestion.set_cwnd(cwnd * MSS);
    for index in [0, 1, 3, 4, 5, 6] {
        sender.board.mark_lost(index);
    }
    sender
}

// tcp_xmit_retransmit_queue
#[test]
fn adjacent_segments_that_were_sent_together_are_repeated_as_one_packet() {
    let mut sender = with_lost_packets(1000);
    let packets = [0, 1, 3, 4, 5, 6].map(|index| sender.note_repeated(at(100), index));
    assert_eq!(packets, [(1, true), (0, false), (0, true), (2, true), (1, false), (0, false)]);
    let mut sender = with_lost_packets(1000);
    assert_eq!(
        [100, 101].map(|ms| sender.note_repeated(at(ms), 4)),
        [(2, true), (2, true)],
        "at another time, a new packet begins"
    );
}

#[test]
fn a_packet_of_repeated_segments_is_limited_by_cwnd_and_by_the_size_of_packets() {
    // one segment is in flight
    for (cwnd, more) in [(1, 0), (2, 0), (3, 1), (4, 2)] {
        let mut sender = with_lost_packets(cwnd);
        let most = sender.bundle_segments();
        assert_eq!(sender.note_repeated(at(100), 4).0, more.min(most - 1), "{cwnd}");
    }
    let mut small = with_lost_packets(40);
    assert_eq!((small.bundle_segments(), small.note_repeated(at(100), 4).0), (2, 1));
}

// tcp_update_skb_after_send
#[test]
fn with_pacing_a_packet_of_repeated_segments_is_a_burst() {
    let bbr = Kind::named("bbr").unwrap();
    let mut sender = sender(profile("modern").with_congestion(bbr), 40, 40);
    let sent = poll(&mut sender, 0);
    assert_eq!((sent.len(), sender.bundle_segments()), (12, 2), "ten segments are not paced");
    assert_eq!(ack(&mut sender, 100, 0, &[block(4, 9)]), [again(0), again(1)]);
    let (ms, early) = fire(&mut sender);
    assert_eq!((early, poll(&mut sender, ms + 1)), (vec![], vec![again(2), again(3)]));
}

// RFC 8985 §6.2 step 4: the reordering window is zero once three segments were sacked, if reordering was never seen
#[test]
fn rack_does_not_wait_after_three_sacked_segments() {
    let mut sender = sender(profile("modern"), 10, 5);
    poll(&mut sender, 0);
    assert_eq!(ack(&mut sender, 100, 0, &[block(1, 3)]), [again(0)]);
}

// RFC 8985 §6.2 step 4: short segments count like full segments
#[test]
fn the_third_sacked_segment_ends_the_wait_even_if_it_is_short() {
    let mut sender = sender(profile("modern"), 10, 3);
    sender.buffer_mut().write(&[7; 10]);
    poll(&mut sender, 0);
    assert_eq!(ack(&mut sender, 100, 0, &[block(1, 2)]), []);
    assert_eq!(ack(&mut sender, 101, 0, &[(block(1, 1).0, end(2) + 10)]), [again(0)]);
}

// RFC 8985 §6.2 steps 3 and 4
#[test]
fn rack_keeps_waiting_after_three_sacked_segments_if_reordering_was_seen() {
    let mut sender = sender(profile("modern"), 10, 10);
    poll(&mut sender, 0);
    ack(&mut sender, 100, 0, &[block(1, 1)]);
    ack(&mut sender, 101, 2, &[]);
    assert_eq!(ack(&mut sender, 102, 2, &[block(3, 6)]), []);
    assert!(sender.timers.reordering.is_some());
}

// Linux (prior_fack): segments 0 to 2 arrived before segment 4, but the acknowledgement that reported only them was
// lost
#[test]
fn segments_of_one_acknowledgement_are_no_evidence_of_reordering() {
    let mut sender = sender(profile("modern"), 10, 10);
    poll(&mut sender, 0);
    assert_eq!(ack(&mut sender, 100, 3, &[block(4, 4)]), []);
    assert_eq!(ack(&mut sender, 101, 3, &[block(4, 6)])[0], again(3), "the third selectively acknowledged segment");
}

// RFC 8985 §6.2: a retransmission is lost if a segment that was sent after it is delivered
#[test]
fn rack_detects_a_lost_retransmission() {
    let mut sender = sender(profile("modern"), 12, 30);
    poll(&mut sender, 0);
    assert_eq!(ack(&mut sender, 100, 0, &[block(1, 3)])[0], again(0));
    let mut sent = Vec::new();
    for last in 4..12 {
        sent.extend(ack(&mut sender, 110, 0, &[block(1, last)]));
    }
    assert!(sent.contains(&12) && !sent.contains(&again(0)), "{sent:?}");
    let sent = ack(&mut sender, 210, 0, &[block(1, 12)]);
    assert_eq!(sent[0], again(0));
}

// RFC 8985 §6.2: in the order of sending the retransmission is the last segment
#[test]
fn rack_detects_a_loss_behind_a_retransmission_in_flight() {
    let mut sender = sender(profile("modern"), 10, 10);
    poll(&mut sender, 0);
    assert_eq!(ack(&mut sender, 100, 0, &[block(2, 4)])[0], again(0));
    ack(&mut sender, 101, 0, &[block(6, 8), block(2, 4)]);
    let lost: Vec<bool> = sender.board.segments().map(|segment| segment.lost).collect();
    assert_eq!(lost, [true, true, false, false, false, true, false, false, false, false]);
}

// RFC 8985 §6.2 step 2: an acknowledgement that arrives sooner than any RTT is for the first transmission
#[test]
fn rack_ignores_a_retransmission_acknowledged_sooner_than_the_smallest_rtt() {
    for (ms, lost) in [(150, false), (205, true)] {
        let mut sender = sender(profile("modern"), 10, 10);
        poll(&mut sender, 0);
        ack(&mut sender, 100, 0, &[block(1, 3)]);
        assert_eq!(sender.board.get(0).map(|segment| segment.sends), Some(2));
        // segments 4 to 9 of the same flight are late; either the retransmission of segment 0 or the original was
        // delivered
        ack(&mut sender, ms, 4, &[]);
        assert_eq!(sender.board.has_lost(), lost, "{ms}");
    }
}

// RFC 8985 §6.3: segments that were sent less than a round trip before the timeout may still be in flight
#[test]
fn with_rack_a_timeout_does_not_mark_recent_segments() {
    for (name, lost) in [("modern", vec![0, 1]), ("classic", vec![0, 1, 2, 3])] {
        let profile = profile(name);
        let recovery = RecoveryRules { tail_loss_probe: false, ..profile.recovery };
        let mut sender = sender(Profile { recovery, ..profile }, 10, 3);
        poll(&mut sender, 0);
        // segment 0 is delivered, so that RACK has an RTT
        ack(&mut sender, 100, 1, &[]);
        let timeout = sender.poll_timeout().unwrap();
        let just_before = timeout.as_ns() / 1_000_000 - 50;
        sender.buffer_mut().write(&[7; 2 * MSS as usize]);
        assert_eq!(poll(&mut sender, just_before), [3, 4], "{name}");
        assert_eq!(fire(&mut sender).1[0], again(1));
        let marked = (0..4).filter(|index| sender.board.get(*index).is_some_and(|segment| segment.lost));
        assert_eq!(marked.collect::<Vec<_>>(), lost, "{name}");
    }
}

// in Linux (tcp_enter_loss) ssthresh was already lowered for this window; in RFC 5681 §3.1 a timeout lowers it again
#[test]
fn a_timeout_in_fast_recovery_reduces_the_window_again_in_classic_but_not_in_linux() {
    for (name, after) in [("classic", 3), ("reference-d", 5)] {
        let mut sender = sender(profile(name), 10, 10);
        poll(&mut sender, 0);
        ack(&mut sender, 100, 0, &[block(1, 3)]);
        // after the partial acknowledgement six segments are left, and fast recovery continues
        ack(&mut sender, 200, 4, &[]);
        assert_eq!((sender.recovery.phase(), windows(&sender).1), (Phase::FastRecovery, 5), "{name}");
        sender.congestion.set_cwnd(20 * MSS);
        fire(&mut sender);
        assert_eq!((sender.recovery.phase(), windows(&sender).1), (Phase::Loss, after), "{name}");
    }
}

// RFC 5681 §3.1; RFC 6298 §5.7: the timeout is 3 s if the timer of the handshake expired and its RTT is unknown
#[test]
fn a_lost_handshake_reduces_the_window_to_one_segment_and_raises_an_unmeasured_rto_to_3_s() {
    use HandshakeLoss::{None as NoLoss, Once, Repeated};
    for (name, rtt, loss, rto_ms, segments) in [
        ("classic", None, Once, 3000, 1),
        ("classic", None, NoLoss, 3000, 4),
        // Linux starts with one segment only if the timer expired more than once (tcp_init_transfer)
        ("modern", None, Once, 3000, 10),
        ("modern", Some(100), Once, 300, 10),
        ("modern", None, Repeated, 3000, 1),
        ("modern", Some(100), Repeated, 300, 1),
        ("modern", Some(100), NoLoss, 300, 10),
    ] {
        let mut sender = Sender::new(profile(name), clock(), MSS, 1 << 20, 0);
        sender.establish(negotiated(true), 0, WINDOW);
        sender.handshake_done(SimTime::ZERO, rtt.map(Duration::from_millis), loss);
        assert_eq!(sender.rtt.rto(), Duration::from_millis(rto_ms), "{name} {rtt:?}");
        sender.buffer_mut().write(&[7; 20 * MSS as usize]);
        assert_eq!(poll(&mut sender, 0).len(), segments, "{name} {rtt:?} {loss:?}");
    }
}

// RFC 9438 §5.8, tested with the whole sender: 20 s with little data do not change the later growth of the window
#[test]
fn a_time_with_little_data_does_not_make_the_window_jump() {
    let grown = |trickle: u64| {
        let mut sender = sender(profile("modern"), 40, 0);
        let (mut ms, mut acked) = (0, 0);
        let mut round = |sender: &mut Sender, segments: u64, lose: bool| {
            sender.buffer_mut().write(&vec![7; (segments * MSS) as usize]);
            poll(sender, ms);
            ms += 100;
            let next = sender.next() / MSS;
            if lose {
                ack(sender, ms, acked, &[block(acked + 1, next - 1)]);
                ms += 100;
            }
            acked = sender.next() / MSS;
            ack(sender, ms, acked, &[]);
            sender.congestion.cwnd() / MSS
        };
        round(&mut sender, 40, true);
        let before = round(&mut sender, 40, false);
        for _ in 0..trickle {
            round(&mut sender, 1, false);
        }
        (before, (0..6).map(|_| round(&mut sender, 400, false)).last())
    };
    let (at_once, late) = (grown(0), grown(200));
    assert_eq!(at_once, late);
    assert!(at_once.1 <= Some(at_once.0 + 8), "{at_once:?}");
}

// RFC 9438 §5.8, tested with the whole sender: a pause shorter than the RTO with nothing in flight does not change the
// growth of the window
#[test]
fn pauses_between_windows_do_not_speed_up_the_growth() {
    let grown = |pause: u64| {
        let mut sender = sender(profile("modern"), 40, 40);
        poll(&mut sender, 0);
        ack(&mut sender, 100, 0, &[block(1, 39)]);
        ack(&mut sender, 200, 40, &[]);
        let mut ms = 200;
        let mut window = || {
            ms += pause;
            let cwnd = sender.congestion.cwnd();
            sender.buffer_mut().write(&vec![7; cwnd as usize]);
            poll(&mut sender, ms);
            ms += 100;
            let next = sender.next() / MSS;
            ack(&mut sender, ms, next, &[]);
            sender.congestion.cwnd() / MSS
        };
        (0..30).map(|_| window()).collect::<Vec<_>>()
    };
    assert_eq!(grown(0), grown(150));
}

// RFC 8985 §7.2, §7.3: after two round trips the probe sends new data, or without new data the last segment again
#[test]
fn the_tail_probe_is_sent_after_two_round_trips() {
    let mut last = sender(profile("modern"), 10, 3);
    poll(&mut last, 0);
    assert_eq!(fire(&mut last), (200, vec![again(2)]));
    let mut new = sender(profile("modern"), 3, 5);
    assert_eq!(poll(&mut new, 0), [0, 1, 2]);
    assert_eq!(fire(&mut new), (200, vec![3]));
    // one probe is sent; the timeout that follows is measured from the probe
    assert_eq!(new.timeouts(), Timeouts { retransmission: 0, probe: 1 });
    assert_eq!(fire(&mut new), (200 + 300, vec![again(0)]));
    assert_eq!(new.timeouts(), Timeouts { retransmission: 1, probe: 1 });
}

// RFC 8985 §7.2: after selective acknowledgements RACK detects losses, so no probe is needed
#[test]
fn a_sack_cancels_the_tail_probe() {
    let mut sender = sender(profile("modern"), 10, 5);
    poll(&mut sender, 0);
    ack(&mut sender, 90, 1, &[]);
    assert!(sender.timers.tail_probe.is_some());
    ack(&mut sender, 100, 1, &[block(2, 2)]);
    assert_eq!((sender.timers.tail_probe, sender.recovery.phase()), (None, Phase::Open));
    // no probe is armed until the sacked segment is cumulatively acknowledged
    ack(&mut sender, 101, 2, &[block(3, 3)]);
    assert!(sender.timers.tail_probe.is_none());
}

// RFC 8985 §7.3: TLP.end_seq is SND.NXT and includes the data of the probe
#[test]
fn no_other_probe_is_armed_before_the_probe_itself_is_acknowledged() {
    let mut sender = sender(profile("modern"), 3, 5);
    poll(&mut sender, 0);
    assert_eq!(fire(&mut sender), (200, vec![3]));
    sender.peer.bytes = 4 * MSS;
    assert_eq!(window(&mut sender, 250, 3, MSS), []);
    assert_eq!(sender.timers.tail_probe, None);
    assert_eq!(window(&mut sender, 300, 4, WINDOW), [4]);
    assert!(sender.timers.tail_probe.is_some());
}

// RFC 8985 §7.2: the probe is not later than the RTO; the acknowledgement of a single segment may be delayed
#[test]
fn the_probe_of_a_single_segment_waits_for_its_delayed_acknowledgement() {
    // the probe waits for two RTTs, and for a single segment for 200 ms more, because its acknowledgement may be
    // delayed
    for (rtt, segments, probe) in [(300, 2, 600), (300, 1, 600 + 200), (100, 2, 200), (100, 1, 300)] {
        let mut sender = sender(profile("modern"), 10, 0);
        sender.rtt = RttEstimator::new(profile("modern").rto);
        sender.handshake_done(SimTime::ZERO, Some(Duration::from_millis(rtt)), HandshakeLoss::None);
        sender.buffer_mut().write(&vec![7; (segments * MSS) as usize]);
        poll(&mut sender, 0);
        // with an RTT of 100 ms the RTO is 300 ms, so the probe is sent no later
        assert_eq!(fire(&mut sender), (probe, vec![again(segments as i64 - 1)]), "{rtt} ms, {segments}");
        assert!(sender.probe.is_some());
    }
}

// RFC 8985 §7.4.2
#[test]
fn a_probe_that_repaired_a_loss_reduces_once() {
    let repaired: &[(u64, u64)] = &[];
    let duplicate = &[block(2, 2)][..];
    for (blocks, reduces) in [(repaired, true), (duplicate, false)] {
        let mut sender = sender(profile("modern"), 10, 3);
        poll(&mut sender, 0);
        fire(&mut sender);
        ack(&mut sender, 300, 3, blocks);
        // data of the peer says nothing about the probe
        sender.handle_ack(at(301), &Ack { is_pure: false, ..acknowledgement(3, &[]) });
        sender.buffer_mut().write(&[7; 2 * MSS as usize]);
        assert_eq!(poll(&mut sender, 310), [3, 4]);
        let before = sender.congestion.cwnd();
        ack(&mut sender, 410, 4, &[]);
        let after = sender.congestion.cwnd();
        assert_eq!(after < before, reduces, "{before} to {after}");
        ack(&mut sender, 411, 5, &[]);
        assert!(sender.congestion.cwnd() >= after);
    }
}

// RFC 8985 §7.4.2 applies only if the probe alone repaired the loss; fast recovery has already reduced the window
#[test]
fn a_probe_that_led_to_fast_recovery_does_not_reduce_again() {
    let mut sender = sender(profile("modern"), 20, 20);
    poll(&mut sender, 0);
    ack(&mut sender, 100, 10, &[]);
    assert_eq!(fire(&mut sender), (300, vec![again(19)]));
    ack(&mut sender, 400, 10, &[block(19, 19)]);
    assert_eq!((sender.recovery.phase(), windows(&sender).1), (Phase::FastRecovery, 21));
    poll(&mut sender, 400);
    ack(&mut sender, 500, 20, &[]);
    assert_eq!((sender.recovery.phase(), windows(&sender)), (Phase::Open, (21, 21)));
    sender.buffer_mut().write(&[7; 2 * MSS as usize]);
    assert_eq!(poll(&mut sender, 510), [20, 21]);
    ack(&mut sender, 610, 21, &[]);
    assert_eq!(windows(&sender).1, 21);
}

fn f_rto() -> Profile {
    let modern = profile("modern");
    Profile { recovery: RecoveryRules { tail_loss_probe: false, ..modern.recovery }, ..modern }
}

// RFC 5682 §2.1 steps 2b and 3b
#[test]
fn an_acknowledgement_of_original_segments_undoes_the_timeout() {
    let mut sender = sender(f_rto(), 4, 10);
    poll(&mut sender, 0);
    assert_eq!(fire(&mut sender), (300, vec![again(0)]));
    assert_eq!(windows(&sender).0, 1);
    assert_eq!(ack(&mut sender, 350, 1, &[]), [4, 5], "new data in place of retransmissions");
    ack(&mut sender, 360, 2, &[]);
    assert_eq!(sender.recovery.phase(), Phase::Open);
    assert!(sender.congestion.cwnd() >= 4 * MSS && sender.congestion.ssthresh() == u64::MAX);
    assert_eq!(sender.board.next_lost(), None);
}

// RFC 5682 §2.1 step 1, as in Linux: F-RTO also runs for a repeated timeout of the same segment, but not for a timeout
// of another segment in the same recovery
#[test]
fn f_rto_runs_for_a_first_and_a_repeated_timeout() {
    let mut repeated = sender(f_rto(), 4, 10);
    poll(&mut repeated, 0);
    assert_eq!((fire(&mut repeated).0, fire(&mut repeated).0), (300, 900));
    assert_eq!(ack(&mut repeated, 950, 1, &[]), [4, 5]);

    let mut another = sender(f_rto(), 4, 10);
    poll(&mut another, 0);
    fire(&mut another);
    assert_eq!(ack(&mut another, 350, 1, &[]), [4, 5]);
    let (ms, sent) = fire(&mut another);
    assert_eq!(sent, [again(1)]);
    assert_eq!(ack(&mut another, ms + 50, 2, &[])[0], again(2));
}

// RFC 5682 §2.1 step 3a
#[test]
fn a_duplicate_after_new_data_shows_that_the_timeout_was_genuine() {
    let mut sender = sender(f_rto(), 4, 10);
    poll(&mut sender, 0);
    fire(&mut sender);
    assert_eq!(ack(&mut sender, 400, 1, &[]), [4, 5]);
    let sent = ack(&mut sender, 500, 1, &[block(4, 4)]);
    assert_eq!(sent.first(), Some(&again(1)));
    assert_eq!(sender.recovery.phase(), Phase::Loss);
}

// RFC 5682 §2.1: without SACK the segments behind the gap may have arrived before the timeout
#[test]
fn without_sack_a_filled_gap_does_not_undo_the_timeout() {
    let mut sender = sender(f_rto(), 8, 8);
    sender.establish(negotiated(false), 0, WINDOW);
    sender.congestion.set_cwnd(8 * MSS);
    poll(&mut sender, 0);
    fire(&mut sender);
    ack(&mut sender, 400, 4, &[]);
    assert_eq!(sender.recovery.phase(), Phase::Loss);
}

// RFC 9293 §3.8.6.1
#[test]
fn a_closed_window_is_probed_without_end_with_exponential_backoff() {
    let mut sender = sender(profile("classic"), 4, 1);
    poll(&mut sender, 0);
    assert_eq!(window(&mut sender, 100, 1, 0), []);
    assert_eq!(sender.poll_timeout(), None, "nothing to send");
    sender.buffer_mut().write(&[7; 3000]);
    assert_eq!(poll(&mut sender, 100), []);
    let mut times = Vec::new();
    for _ in 0..40 {
        let now = sender.poll_timeout().unwrap();
        times.push(now.as_ns() / 1_000_000);
        sender.handle_timeout(now);
        let probe = sender.poll_send(now).unwrap();
        assert_eq!((probe.seq, probe.bytes.len()), (sender.una() - 1, 0));
        sender.handle_ack(now + Duration::from_millis(50), &Ack { window: 0, ..acknowledgement(1, &[]) });
        assert_eq!(sender.poll_send(now + Duration::from_millis(50)), None);
    }
    assert!(times.windows(2).take(4).all(|pair| pair[1] - pair[0] > 1000), "{times:?}");
    assert!(!sender.gave_up());
    let last = times[39] + 100;
    assert_eq!(window(&mut sender, last, 1, WINDOW), [1, 2, 3]);
    // the backoff of the probes does not apply to retransmissions
    assert_eq!(sender.poll_timeout(), Some(at(last + 1000)));
}

// RFC 9293 §3.8.6.1, §3.8.3
#[test]
fn after_too_many_unanswered_probes_the_sender_gives_up() {
    let mut sender = sender(profile("classic"), 4, 2);
    sender.peer.bytes = 0;
    poll(&mut sender, 0);
    for _ in 0..=profile("classic").data_retries {
        assert!(!sender.gave_up());
        fire(&mut sender);
    }
    assert!(sender.gave_up());
}

// RFC 9293 §3.10.7.4: SND.WL1, SND.WL2
#[test]
fn an_old_segment_does_not_move_the_window() {
    let mut sender = sender(profile("classic"), 4, 4);
    poll(&mut sender, 0);
    sender.handle_ack(at(100), &Ack { seq: 500, window: 9000, ..acknowledgement(1, &[]) });
    sender.handle_ack(at(101), &Ack { seq: 400, window: 100, ..acknowledgement(1, &[]) });
    sender.handle_ack(at(101), &Ack { seq: 500, window: 100, ..acknowledgement(0, &[]) });
    assert_eq!(sender.peer.bytes, 9000);
}

// RFC 9293 §3.8.6.2.1
#[test]
fn data_waits_until_the_window_is_half_of_the_largest_or_the_persist_timer_fires() {
    let mut sender = sender(profile("classic"), 4, 0);
    sender.establish(negotiated(true), 0, 1500);
    sender.buffer_mut().write(&[7; 3000]);
    assert_eq!(poll(&mut sender, 0), [0]);
    assert_eq!(window(&mut sender, 100, 1, 700), []);
    let now = sender.poll_timeout().unwrap();
    sender.handle_timeout(now);
    assert_eq!(sender.poll_send(now).map(|outgoing| outgoing.bytes.len()), Some(700));
    sender.handle_ack(now, &Ack { number: 1701, window: 750, ..acknowledgement(0, &[]) });
    assert_eq!(sender.poll_send(now).map(|outgoing| outgoing.bytes.len()), Some(750));
}

// RFC 9293 §3.8.6: SND.UNA + SND.WND may fall below SND.NXT
#[test]
fn a_shrinking_window_stops_new_data_but_not_retransmissions() {
    let mut sender = sender(profile("classic"), 4, 8);
    assert_eq!(poll(&mut sender, 0), [0, 1, 2, 3]);
    assert_eq!(window(&mut sender, 100, 1, 1000), []);
    assert_eq!(fire(&mut sender).1, [again(1)]);
    assert_eq!(window(&mut sender, 1300, 4, 0), []);
    assert!(sender.timers.persist.is_some() && sender.timers.retransmission.is_none());
}

// RFC 5681 §4.1
#[test]
fn a_sender_that_was_idle_for_an_rto_starts_with_the_initial_window() {
    for (idle_ms, sent) in [(900, 20), (1200, 4)] {
        let mut sender = sender(profile("classic"), 20, 1);
        poll(&mut sender, 0);
        ack(&mut sender, 100, 1, &[]);
        sender.buffer_mut().write(&[7; 30 * MSS as usize]);
        assert_eq!(poll(&mut sender, idle_ms).len(), sent);
    }
}

// RFC 9293 §3.9.1, §3.10.4
#[test]
fn the_fin_is_sent_and_retransmitted_with_the_last_bytes() {
    let mut sender = sender(profile("classic"), 4, 2);
    sender.buffer_mut().close();
    let sent: Vec<Outgoing> = std::iter::from_fn(|| sender.poll_send(at(0))).collect();
    let shape = |outgoing: &Outgoing| (outgoing.bytes.len(), outgoing.push, outgoing.fin);
    assert_eq!(sent.iter().map(shape).collect::<Vec<_>>(), [(1000, false, false), (1000, true, true)]);
    ack(&mut sender, 100, 1, &[]);
    let now = sender.poll_timeout().unwrap();
    sender.handle_timeout(now);
    assert_eq!(sender.poll_send(now).map(|outgoing| shape(&outgoing)), Some((1000, true, true)));
    sender.handle_ack(now, &Ack { number: end(1) + 1, ..acknowledgement(0, &[]) });
    assert!(sender.is_finished() && sender.poll_timeout().is_none());
}

// RFC 5681 §2: cwnd limits data, and a FIN is not data
#[test]
fn a_full_segment_with_the_fin_fits_one_segment_of_window() {
    let mut sender = sender(profile("classic"), 2, 2);
    sender.buffer_mut().close();
    poll(&mut sender, 0);
    assert_eq!(fire(&mut sender).1, [again(0)]);
    sender.congestion.set_cwnd(2 * MSS);
    assert_eq!(poll(&mut sender, 1001), [again(1)]);
}

// RFC 9293 §3.8.3: R2
#[test]
fn data_is_given_up_after_its_last_retransmission() {
    let mut sender = sender(profile("classic"), 4, 1);
    poll(&mut sender, 0);
    for _ in 0..profile("classic").data_retries {
        assert_eq!(fire(&mut sender).1, [again(0)]);
        assert!(!sender.gave_up());
    }
    fire(&mut sender);
    assert!(sender.gave_up());
}

// RFC 9293 §3.10.7.4: data that was never sent cannot be acknowledged
#[test]
fn acknowledgements_of_unsent_data_and_old_acknowledgements_are_ignored() {
    let mut sender = sender(profile("classic"), 4, 4);
    poll(&mut sender, 0);
    ack(&mut sender, 100, 2, &[]);
    for segments in [0, 1, 5, 4_000_000] {
        sender.handle_ack(at(110), &Ack { window: 1, ..acknowledgement(segments, &[block(3, 3)]) });
    }
    assert_eq!((sender.una(), sender.peer.bytes, sender.board.sacked_bytes()), (end(1), WINDOW, 0));
}

// RFC 9293 §3.8.6.1: while data is in flight, its retransmissions probe the window
#[test]
fn a_closed_window_is_probed_only_with_nothing_in_flight() {
    let mut sender = sender(profile("classic"), 4, 4);
    assert_eq!(poll(&mut sender, 0), [0, 1, 2, 3]);
    sender.buffer_mut().write(&[7; MSS as usize]);
    assert_eq!(window(&mut sender, 100, 3, 0), []);
    assert!(sender.timers.persist.is_none() && sender.timers.retransmission.is_some());
    assert_eq!(window(&mut sender, 200, 4, 0), []);
    assert!(sender.timers.persist.is_some() && sender.timers.retransmission.is_none());
    // another poll does not postpone the probe
    let deadline = sender.timers.persist;
    assert_eq!(poll(&mut sender, 300), []);
    assert_eq!(sender.timers.persist, deadline);
    assert_eq!(window(&mut sender, 400, 4, WINDOW), [4]);
    assert!(sender.timers.persist.is_none());
}

// RFC 9293 §3.8.6.1: a FIN also needs room in the window
#[test]
fn a_fin_that_a_closed_window_holds_back_starts_the_persist_timer() {
    let mut sender = sender(profile("classic"), 4, 1);
    poll(&mut sender, 0);
    assert_eq!(window(&mut sender, 100, 1, 0), []);
    assert_eq!(sender.poll_timeout(), None);
    sender.buffer_mut().close();
    assert_eq!(poll(&mut sender, 100), []);
    assert!(sender.timers.persist.is_some());
    sender.handle_ack(at(200), &Ack { window: WINDOW, ..acknowledgement(1, &[]) });
    let fin = sender.poll_send(at(200)).unwrap();
    assert!(fin.fin && fin.bytes.is_empty());
    assert_eq!(poll(&mut sender, 200), []);
    assert!(sender.timers.persist.is_none(), "the FIN is in flight");
}

/// Like [`sender`], with this mode of ECN.
fn marked_sender(profile: Profile, ecn: EcnMode, cwnd: u64, written: u64) -> Sender {
    let mut sender = Sender::new(profile, clock(), MSS, 1 << 20, 0);
    sender.establish(Negotiated { ecn, ..negotiated(true) }, 0, WINDOW);
    sender.handshake_done(SimTime::ZERO, Some(Duration::from_millis(100)), HandshakeLoss::None);
    sender.congestion.set_cwnd(cwnd * MSS);
    sender.buffer_mut().write(&vec![7; (written * MSS) as usize]);
    sender
}

/// Handles an acknowledgement of the first `segments` segments with these ECN flags ([`EcnFlags::of_number`]).
fn tell(sender: &mut Sender, ms: u64, segments: u64, flags: u8) {
    let ecn_flags = EcnFlags::of_number(flags);
    sender.handle_ack(at(ms), &Ack { ecn_flags, ..acknowledgement(segments, &[]) });
}

const ECE: u8 = 0b001;

// RFC 3168 §6.1.2
#[test]
fn marks_halve_the_window_once_in_a_round_trip_and_the_next_new_data_says_so() {
    let mut sender = marked_sender(profile("classic"), EcnMode::Classic, 10, 100);
    poll(&mut sender, 0);
    assert_eq!(sender.codepoint(1, false), (Ecn::Ect0, false));
    tell(&mut sender, 100, 1, ECE);
    assert_eq!(windows(&sender), (4, 4), "RFC 5681: half of the nine segments in flight");
    for segments in 2..=10 {
        tell(&mut sender, 100, segments, ECE);
    }
    assert_eq!(windows(&sender), (4, 4), "the same round trip, in which the window does not grow either");
    assert_eq!(poll(&mut sender, 101), [10, 11, 12, 13]);
    assert_eq!(sender.codepoint(1, true), (Ecn::NotEct, false), "a retransmission has no ECN");
    assert_eq!(sender.codepoint(1, false), (Ecn::Ect0, true));
    assert_eq!(sender.codepoint(1, false), (Ecn::Ect0, false), "CWR is sent once");
    assert_eq!(sender.codepoint(0, false), (Ecn::NotEct, false), "an empty segment has no ECN");
    tell(&mut sender, 200, 11, ECE);
    assert_eq!(windows(&sender).1, 2, "what was sent after the reduction was marked, too");
}

#[test]
fn without_ecn_the_flags_of_the_peer_mean_nothing() {
    let mut sender = marked_sender(profile("classic"), EcnMode::Off, 10, 100);
    poll(&mut sender, 0);
    tell(&mut sender, 100, 1, 0b111);
    assert_eq!(windows(&sender).0, 11);
    assert_eq!(sender.codepoint(1, false), (Ecn::NotEct, false));
}

// Linux: tcp_enter_recovery, tcp_enter_loss; RFC 3168 §6.1.2
#[test]
fn a_loss_in_the_round_trip_of_a_mark_causes_no_second_reduction() {
    let mut sender = marked_sender(profile("modern"), EcnMode::Classic, 20, 100);
    poll(&mut sender, 0);
    tell(&mut sender, 100, 1, ECE);
    assert_eq!(windows(&sender).1, 14, "CUBIC reduces by three tenths");
    sender.handle_ack(at(105), &acknowledgement(1, &[block(2, 6)]));
    assert_eq!(sender.sample().state, SenderState::FastRecovery);
    assert_eq!(windows(&sender).1, 14);
    // the recovery ends when everything is acknowledged that was in flight at the mark, as the reduction would have
    tell(&mut sender, 210, 20, 0);
    assert_eq!((sender.sample().state, windows(&sender).1), (SenderState::CongestionAvoidance, 14));
}

#[test]
fn a_mark_in_fast_recovery_causes_no_second_reduction() {
    let mut sender = marked_sender(profile("modern"), EcnMode::Classic, 20, 100);
    poll(&mut sender, 0);
    sender.handle_ack(at(100), &acknowledgement(0, &[block(1, 5)]));
    assert_eq!((sender.sample().state, windows(&sender).1), (SenderState::FastRecovery, 14));
    let ecn_flags = EcnFlags::of_number(ECE);
    sender.handle_ack(at(101), &Ack { ecn_flags, ..acknowledgement(0, &[block(1, 8)]) });
    assert_eq!(windows(&sender).1, 14);
    assert!(sender.codepoint(1, false).1, "RFC 3168 §6.1.2: the window was reduced, and the peer is told");
}

// RFC 8257 §3.3: alpha, the estimated share of marked bytes, is 1 at first, so the first marks halve the window
#[test]
fn with_accurate_feedback_the_window_falls_with_the_share_of_marks() {
    let mut sender = marked_sender(profile("modern"), EcnMode::L4s, 40, 1000);
    poll(&mut sender, 0);
    tell(&mut sender, 100, 2, 5 + 1);
    assert_eq!(windows(&sender), (20, 20));
    // no marks for many round trips, and then a single mark
    let (mut acked, mut told, mut ms) = (2, 6, 100);
    let mut round = |sender: &mut Sender, marks: u8| {
        ms += 100;
        let ends: Vec<_> = std::iter::from_fn(|| sender.poll_send(at(ms))).collect();
        told = (told + marks) % 8;
        acked = acked.max(ends.last().map_or(acked, |last| (last.seq - 1) / MSS + 1));
        ms += 100;
        tell(sender, ms, acked, told);
    };
    for _ in 0..40 {
        sender.congestion.set_cwnd(20 * MSS);
        round(&mut sender, 0);
    }
    sender.congestion.set_cwnd(20 * MSS);
    round(&mut sender, 1);
    let (cwnd, _) = windows(&sender);
    assert!((18..=21).contains(&cwnd), "{cwnd}: a small share of marks reduces the window by little");
    assert!(sender.congestion.pacing_rate().is_some());
    assert_eq!(sender.codepoint(1, true), (Ecn::Ect1, false));
}

// RFC 9768 §3.2.2.5.2
#[test]
fn the_number_of_acknowledged_packets_decides_what_a_report_of_marks_modulo_eight_means() {
    let mut sender = marked_sender(profile("modern"), EcnMode::L4s, 40, 100);
    let flags = |number: u8| EcnFlags::of_number(number % 8);
    assert_eq!(sender.newly_marked(flags(5 + 3), 4), 3);
    assert_eq!(sender.newly_marked(flags(5 + 3), 4), 0);
    assert_eq!(sender.newly_marked(flags(5 + 7), 0), 0, "without progress the report may be old");
    assert_eq!(sender.newly_marked(flags(5 + 4), 20), 17, "two acknowledgements with eight marks each may be lost");
    assert_eq!(sender.newly_marked(flags(5 + 4), 20), 0);
}
