use std::time::Duration;

use super::ack_policy::{AckWhen, DelayedAck};
use super::handshake::HandshakeLoss;
use super::rtt::{RtoFloor, RtoRules};
use super::timer_clock::TimerRule;
use crate::congestion::{
    AppLimited, CUBIC, CongestionRules, Counting, Halved, IdleRestart, InitialWindow, Kind, RENO, Reduction, SlowStart,
};
use crate::endpoint::UNLIMITED_WINDOW_PACKETS;

/// The rules and constants of a TCP implementation. [`Profile::named`] returns a profile by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Profile {
    pub congestion: CongestionRules,
    pub recovery: RecoveryRules,
    pub rto: RtoRules,
    pub delayed_ack: DelayedAck,
    pub timers: TimerRule,
    /// Whether SACK is used (RFC 2018).
    pub sack: bool,
    /// Whether timestamps are used (RFC 7323 §3).
    pub timestamps: bool,
    /// Whether the receive window starts small and grows, as in Linux. Otherwise the whole buffer is offered from the
    /// start.
    pub tunes_window: bool,
    /// The loss of the SYN or SYN ACK after which the window starts with one segment. In RFC 5681 §3.1 every loss has
    /// this effect. In Linux (`tcp_init_transfer`) only a second expiry of the timer has it. With `None`, no loss has
    /// it.
    pub one_segment_after: Option<HandshakeLoss>,
    /// How often a SYN or SYN ACK is retransmitted before the connection is given up (RFC 9293 §3.8.3: R2).
    pub handshake_retries: u32,
    /// How often data is retransmitted before the connection is given up (RFC 9293 §3.8.3: R2).
    pub data_retries: u32,
}

/// A profile's rules for the detection and repair of losses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RecoveryRules {
    pub detection: LossDetection,
    /// Whether tail loss probes are sent (RFC 8985 §7).
    pub tail_loss_probe: bool,
    /// Whether spurious timeouts are detected (RFC 5682 §3).
    pub f_rto: bool,
    /// Whether segments that may be lost are retransmitted if neither a lost segment nor new data can be sent (RFC 6675
    /// §4, NextSeg rules 3 and 4).
    pub in_doubt: bool,
    /// Whether, without SACK, only the first partial acknowledgement of a recovery restarts the timer (RFC 6582 §3.2
    /// step 3). Linux restarts the timer at each partial acknowledgement.
    pub impatient: bool,
    /// Whether a selective acknowledgement can restart the timer, as in Linux (tcp_clean_rtx_queue). The condition is
    /// that it covers a segment that was sent before the last transmission of the first outstanding segment. In RFC
    /// 6298 §5.3 only a cumulative acknowledgement restarts the timer.
    pub sack_restarts_timer: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LossDetection {
    /// A segment is deemed lost after three duplicate acknowledgements, or after three later segments were acknowledged
    /// (RFC 6675 §4, RFC 5681 §3.2).
    DupThresh,
    /// A segment is deemed lost if it is still missing some time after the delivery of a segment that was sent later
    /// (RFC 8985).
    Rack,
}

const fn ms(ms: u64) -> Duration {
    Duration::from_millis(ms)
}

impl Profile {
    /// The names that [`Profile::named`] knows.
    pub const NAMES: [&'static str; 9] = [
        "classic",
        "modern",
        "reno",
        "classic-quickack",
        "classic-iw10",
        "reference-a",
        "reference-b",
        "reference-c",
        "reference-d",
    ];

    /// Returns the profile with another congestion control.
    #[must_use]
    pub fn with_congestion(self, kind: Kind) -> Profile {
        Profile { congestion: CongestionRules { kind, ..self.congestion }, ..self }
    }

    /// Returns the profile with windows that do not limit a page load: the congestion window starts with
    /// [`UNLIMITED_WINDOW_PACKETS`] segments, whatever the handshake lost, and the whole receive buffer is offered from
    /// the start. A loss of data still reduces the congestion window.
    ///
    /// No real stack has such windows. A load with them shows how much time usual windows cost.
    #[must_use]
    pub fn with_unlimited_window(self) -> Profile {
        let initial_window = InitialWindow::Segments(UNLIMITED_WINDOW_PACKETS.into());
        Profile {
            congestion: CongestionRules { initial_window, ..self.congestion },
            tunes_window: false,
            one_segment_after: None,
            ..self
        }
    }

    /// Returns the profile with this name, `None` if there is none:
    /// - `classic`: a TCP of 2007, with SACK.
    /// - `reno`: `classic` without SACK.
    /// - `classic-quickack`: `classic`, but every segment is acknowledged immediately.
    /// - `classic-iw10`: `classic`, but the window starts with 10 segments (RFC 6928).
    /// - `modern`: a current TCP.
    /// - `reference-a` to `reference-d`: the Linux kernels of `fixtures/reference`, for validation only.
    pub fn named(name: &str) -> Option<Profile> {
        Some(match name {
            "classic" => CLASSIC,
            "reno" => Profile { sack: false, ..CLASSIC },
            "classic-quickack" => {
                Profile { delayed_ack: DelayedAck { delay: Duration::ZERO, ..CLASSIC.delayed_ack }, ..CLASSIC }
            }
            "classic-iw10" => Profile {
                congestion: CongestionRules { initial_window: InitialWindow::Segments(10), ..CLASSIC.congestion },
                ..CLASSIC
            },
            "modern" => MODERN,
            "reference-a" => REFERENCE_A,
            "reference-b" => REFERENCE_B,
            "reference-c" => Profile { sack: false, ..REFERENCE_D },
            "reference-d" => REFERENCE_D,
            _ => return None,
        })
    }
}

/// The TCP of FreeBSD 6.1, with the RFCs of its time. The papers N07 and N08 (docs/papers.md) used this TCP.
pub const CLASSIC: Profile = Profile {
    congestion: CongestionRules { initial_window: InitialWindow::Rfc3390, ..CongestionRules::RFC_5681 },
    recovery: RecoveryRules {
        detection: LossDetection::DupThresh,
        tail_loss_probe: false,
        f_rto: false,
        in_doubt: true,
        impatient: true,
        sack_restarts_timer: false,
    },
    // RFC 2988 §2.1 and §2.4 (since replaced by RFC 6298); the RFC asks for a maximum of "at least 60 seconds"
    rto: RtoRules { initial: ms(3000), min: ms(1000), max: ms(60_000), floor: RtoFloor::Timeout },
    delayed_ack: DelayedAck { delay: ms(200), when: AckWhen::Rfc5681 },
    timers: TimerRule::Exact,
    sack: true,
    timestamps: true,
    tunes_window: false,
    one_segment_after: Some(HandshakeLoss::Once),
    // TCP_MAXRXTSHIFT of BSD
    handshake_retries: 12,
    data_retries: 12,
};

/// A current TCP: Linux with its defaults. Page loads over the kernel are compared with [`REFERENCE_B`], which differs
/// in one limit.
pub const MODERN: Profile = Profile {
    // Linux has a maximum of 120 s. RFC 6298 §2.5 asks for at least 60 s, and SCTP's profile `modern` also has 60 s.
    rto: RtoRules { max: ms(60_000), ..REFERENCE_B.rto },
    ..REFERENCE_B
};

/// Linux 6.1 with tcp_recovery=0, Reno, initcwnd 3, rto_min 1 s (fixtures/reference).
const REFERENCE_D: Profile = Profile {
    congestion: CongestionRules {
        kind: RENO,
        initial_window: InitialWindow::Segments(3),
        slow_start: SlowStart::PerSegment,
        halved: Halved::Cwnd,
        reduction: Reduction::Proportional,
        counting: Counting::Segments,
        app_limited: AppLimited::FullWindow,
        idle: IdleRestart::HalfPerRto,
        hystart: false,
        paced: false,
        scalable: false,
    },
    recovery: RecoveryRules {
        detection: LossDetection::DupThresh,
        tail_loss_probe: false,
        f_rto: false,
        in_doubt: false,
        impatient: false,
        sack_restarts_timer: true,
    },
    rto: RtoRules { initial: ms(1000), min: ms(1000), max: ms(120_000), floor: RtoFloor::Variation },
    delayed_ack: DelayedAck { delay: ms(40), when: AckWhen::Linux },
    timers: TimerRule::Wheel,
    sack: true,
    timestamps: true,
    tunes_window: true,
    one_segment_after: Some(HandshakeLoss::Repeated),
    // tcp_syn_retries and tcp_retries2 of Linux
    handshake_retries: 6,
    data_retries: 15,
};

/// Configuration D with RACK-TLP (Linux 6.12).
const REFERENCE_A: Profile = Profile {
    recovery: RecoveryRules { detection: LossDetection::Rack, tail_loss_probe: true, ..REFERENCE_D.recovery },
    ..REFERENCE_D
};

/// Configuration A with the defaults of Linux: CUBIC, an initial window of 10 segments, F-RTO.
const REFERENCE_B: Profile = Profile {
    congestion: CongestionRules {
        initial_window: InitialWindow::Segments(10),
        kind: CUBIC,
        hystart: true,
        ..REFERENCE_A.congestion
    },
    recovery: RecoveryRules { f_rto: true, ..REFERENCE_A.recovery },
    rto: RtoRules { min: ms(200), ..REFERENCE_A.rto },
    ..REFERENCE_A
};

#[cfg(test)]
mod tests {
    use super::*;

    // fixtures/reference/README.md: configurations A to D
    #[test]
    fn each_reference_profile_differs_from_the_others_as_its_kernel_does() {
        let [a, b, c, d] = ["a", "b", "c", "d"].map(|config| Profile::named(&format!("reference-{config}")).unwrap());
        let of = |profile: Profile| {
            let (congestion, recovery) = (profile.congestion, profile.recovery);
            (
                (congestion.kind, congestion.initial_window, congestion.hystart),
                (recovery.detection, recovery.tail_loss_probe, recovery.f_rto),
                (profile.sack, profile.rto.min),
            )
        };
        let reno = (RENO, InitialWindow::Segments(3), false);
        let dup_thresh = (LossDetection::DupThresh, false, false);
        assert_eq!(of(d), (reno, dup_thresh, (true, ms(1000))));
        assert_eq!(of(c), (reno, dup_thresh, (false, ms(1000))));
        assert_eq!(of(a), (reno, (LossDetection::Rack, true, false), (true, ms(1000))));
        let cubic = (CUBIC, InitialWindow::Segments(10), true);
        assert_eq!(of(b), (cubic, (LossDetection::Rack, true, true), (true, ms(200))));
    }

    #[test]
    fn each_variant_differs_from_classic_in_one_rule() {
        let [classic, quick, wide] =
            ["classic", "classic-quickack", "classic-iw10"].map(|name| Profile::named(name).unwrap());
        assert_eq!(quick.delayed_ack.delay, Duration::ZERO);
        assert_eq!(Profile { delayed_ack: classic.delayed_ack, ..quick }, classic);
        assert_eq!(wide.congestion.initial_window, InitialWindow::Segments(10));
        assert_eq!(Profile { congestion: classic.congestion, ..wide }, classic);
        let initial_window = classic.congestion.initial_window;
        assert_eq!(CongestionRules { initial_window, ..wide.congestion }, classic.congestion);
    }

    #[test]
    fn an_unlimited_window_starts_with_1000_segments_and_offers_the_whole_buffer_at_once() {
        for name in Profile::NAMES {
            let usual = Profile::named(name).unwrap();
            let unlimited = usual.with_unlimited_window();
            assert_eq!(unlimited.congestion.initial_window, InitialWindow::Segments(1000), "{name}");
            assert_eq!((unlimited.tunes_window, unlimited.one_segment_after), (false, None), "{name}");
            let Profile { congestion, tunes_window, one_segment_after, .. } = usual;
            assert_eq!(Profile { congestion, tunes_window, one_segment_after, ..unlimited }, usual, "{name}");
        }
    }

    #[test]
    fn the_profiles_of_linux_tune_their_windows() {
        for name in Profile::NAMES {
            let is_linux = name == "modern" || name.starts_with("reference");
            assert_eq!(Profile::named(name).unwrap().tunes_window, is_linux, "{name}");
        }
    }

    // TCP and SCTP use the same rule for the retransmission timeout (sctp/profile.rs)
    #[test]
    fn tcp_and_sctp_of_a_profile_bound_their_timeouts_alike() {
        for (name, floor) in [("classic", RtoFloor::Timeout), ("modern", RtoFloor::Variation)] {
            let tcp = Profile::named(name).unwrap().rto;
            let sctp = crate::sctp::Profile::from_name(name).unwrap().settings(1480);
            assert_eq!((tcp.initial, tcp.min, tcp.max), (sctp.rto_initial, sctp.rto_min, sctp.rto_max), "{name}");
            let on_top = if floor == RtoFloor::Variation { tcp.min } else { Duration::ZERO };
            assert_eq!((tcp.floor, sctp.min_variation), (floor, on_top), "{name}");
        }
    }
}
