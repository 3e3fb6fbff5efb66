use std::time::Duration;

use dcsctp::api::Options;

use crate::ip::Flow;
use crate::sctp::{self, ProfileSettings};

/// Converts a profile to dcsctp's options.
pub fn options(flow: &Flow, settings: &ProfileSettings, asked: &sctp::Options) -> Options {
    Options {
        local_port: flow.local.port(),
        remote_port: flow.remote.port(),
        announced_maximum_incoming_streams: asked.streams,
        announced_maximum_outgoing_streams: asked.streams,
        mtu: settings.packet_bytes,
        // the association has stricter limits
        max_message_size: usize::MAX,
        max_send_buffer_size: u32::MAX as usize,
        per_stream_send_queue_limit: usize::MAX,
        // the association verifies the checksum, and may change packets after that
        disable_checksum_verification: true,
        max_receiver_window_buffer_size: settings.receive_buffer_bytes,
        rto_initial: settings.rto_initial,
        rto_min: settings.rto_min,
        rto_max: settings.rto_max,
        // the timers T1 (RFC 9260 §5.1) and T2 (§9.2) start from RTO.Initial
        t1_init_timeout: settings.rto_initial,
        t1_cookie_timeout: settings.rto_initial,
        t2_shutdown_timeout: settings.rto_initial,
        max_timer_backoff_duration: Some(settings.rto_max),
        heartbeat_interval: Duration::ZERO,
        delayed_ack_max_timeout: settings.delayed_sack,
        // dcsctp divides this by 8 to get its lower limit of RTTVAR
        min_rtt_variance: settings.min_variation * 2,
        cwnd_mtus_initial: settings.initial_cwnd_packets,
        // RFC 9260 §7.2.3
        cwnd_mtus_min: 4,
        immediate_sack_under_cwnd_mtus: settings.immediate_sack_under_packets,
        max_burst: settings.max_burst_packets.into(),
        max_retransmissions: Some(settings.max_retransmissions),
        max_init_retransmits: Some(settings.max_init_retransmissions),
        // No message has a limited lifetime, so nothing is abandoned. The option is on because a FORWARD TSN can make
        // the stack send a delayed SACK (`DcsctpStack::acknowledge_now`). FreeBSD also offers partial reliability.
        enable_partial_reliability: true,
        enable_message_interleaving: asked.idata,
        // the weight of a stream in the weighted fair queueing of messages that interleave
        default_stream_priority: 1,
        ..Options::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_setting_of_the_profile_becomes_an_option_of_the_stack() {
        let address =
            |last| std::net::SocketAddrV4::new(std::net::Ipv4Addr::new(10, 0, 0, last), 9000 + u16::from(last));
        let flow = Flow { local: address(1), remote: address(2) };
        let settings = ProfileSettings {
            packet_bytes: 996,
            initial_cwnd_packets: 11,
            max_burst_packets: 12,
            abc_limit_packets: 2,
            rto_initial: Duration::from_millis(701),
            rto_min: Duration::from_millis(702),
            rto_max: Duration::from_millis(703),
            min_variation: Duration::from_millis(704),
            delayed_sack: Duration::from_millis(105),
            immediate_sack_under_packets: 13,
            max_retransmissions: 14,
            max_init_retransmissions: 15,
            receive_buffer_bytes: 123_456,
        };
        let asked = sctp::Options::new(sctp::Profile::Classic, 7);
        let options = options(&flow, &settings, &asked);
        assert_eq!((options.local_port, options.remote_port), (9001, 9002));
        assert_eq!((options.announced_maximum_incoming_streams, options.announced_maximum_outgoing_streams), (7, 7));
        assert_eq!((options.mtu, options.cwnd_mtus_initial, options.cwnd_mtus_min), (996, 11, 4));
        assert_eq!((options.max_burst, options.immediate_sack_under_cwnd_mtus), (12, 13));
        assert_eq!((options.rto_initial, options.t1_init_timeout), (settings.rto_initial, settings.rto_initial));
        assert_eq!(
            (options.t1_cookie_timeout, options.t2_shutdown_timeout),
            (settings.rto_initial, settings.rto_initial)
        );
        assert_eq!((options.rto_min, options.rto_max), (settings.rto_min, settings.rto_max));
        assert_eq!(options.max_timer_backoff_duration, Some(settings.rto_max));
        assert_eq!(
            (options.heartbeat_interval, options.min_rtt_variance),
            (Duration::ZERO, Duration::from_millis(1408))
        );
        assert_eq!(options.delayed_ack_max_timeout, settings.delayed_sack);
        assert_eq!((options.max_retransmissions, options.max_init_retransmits), (Some(14), Some(15)));
        assert_eq!(options.max_receiver_window_buffer_size, 123_456);
        // the association enforces the limits
        let most = u32::MAX as usize;
        assert!(options.max_message_size >= most && options.max_send_buffer_size >= most);
        assert!(options.per_stream_send_queue_limit >= most);
        assert!(options.enable_partial_reliability && !options.enable_message_interleaving);
        assert!(super::options(&flow, &settings, &sctp::Options { idata: true, ..asked }).enable_message_interleaving);
        assert!(options.disable_checksum_verification);
    }
}
