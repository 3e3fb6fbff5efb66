use std::time::Duration;

use dcsctp::api::{
    DcSctpSocket, ErrorKind, Message as DcsctpMessage, Options, PpId, SendOptions, SocketEvent, SocketState,
    SocketTime, StreamId,
};

use super::chunk::{self, Chunk, Tsn};
use super::scheduler::Message;
use super::{ProfileSettings, Stack, StackEvent, StackMetrics, Start};
use crate::endpoint::CloseReason;
use crate::ip::Flow;
use crate::time::SimTime;

/// dcSCTP, WebRTC's stack, for one association.
///
/// Its faults that show in a trace are left as they are:
/// - Differs: RFC 9260 §6.3.3 E2 doubles the RTO at the first timeout; here at the second. It stays doubled
///   until a new measurement; here until the next SACK that acknowledges something, so that an RTO that is
///   far too short stays so while every chunk is sent twice.
/// - Differs: a message larger than a packet is split to fill cwnd to the byte, which makes small fragments.
/// - Differs: §7.2.4, a chunk that was fast retransmitted can be fast retransmitted again within an RTT,
///   and a timeout does not end fast recovery.
/// - Differs: §6.2, the RTT of the handshake is not measured.
///
/// The last and the worst of the first are made good by [`Stack::start_over`], when nothing is outstanding.
pub struct DcsctpStack {
    socket: Box<dyn DcSctpSocket>,
    options: Options,
    random: RandomState,
    /// The peer takes part in partial reliability, so a FORWARD TSN is allowed.
    forward_tsn: bool,
    /// Common header of the peer's last packet.
    peer_header: Vec<u8>,
    /// An ABORT or a close of ours is on its way through the stack.
    aborted: bool,
}

impl DcsctpStack {
    /// `seed` gives its verification tag and initial TSN.
    pub fn new(flow: &Flow, settings: &ProfileSettings, streams: u16, seed: u64) -> Self {
        let options = options(flow, settings, streams);
        DcsctpStack {
            socket: dcsctp::new_socket("", &options),
            options,
            random: RandomState(seed),
            forward_tsn: false,
            peer_header: Vec::new(),
            aborted: false,
        }
    }

    /// Calls the stack at `now` with this association's random numbers.
    fn call(&mut self, now: SimTime, call: impl FnOnce(&mut dyn DcSctpSocket)) {
        let socket = self.socket.as_mut();
        self.random.lend(|| {
            socket.advance_time(socket_time(now));
            call(socket);
        });
    }

    fn close_reason(&self, error: ErrorKind, message: &str) -> CloseReason {
        match error {
            ErrorKind::TooManyRetries if message.starts_with("No ") => CloseReason::ConnectTimeout,
            ErrorKind::TooManyRetries => CloseReason::DataTimeout,
            ErrorKind::PeerReported => CloseReason::PeerAbort,
            _ => CloseReason::ProtocolViolation,
        }
    }
}

impl Stack for DcsctpStack {
    fn connect(&mut self, now: SimTime) {
        self.call(now, |socket| socket.connect());
    }

    fn handle_packet(&mut self, now: SimTime, packet: &[u8]) {
        self.peer_header = packet.get(..chunk::COMMON_HEADER_BYTES).unwrap_or_default().to_vec();
        if let Some([Chunk::Init { forward_tsn, .. } | Chunk::InitAck { forward_tsn, .. }]) =
            chunk::parse(packet).as_deref()
        {
            self.forward_tsn = *forward_tsn;
        }
        self.call(now, |socket| socket.handle_input(packet));
    }

    fn handle_timeout(&mut self, now: SimTime) {
        self.call(now, |_| {});
    }

    fn poll_timeout(&self) -> Option<SimTime> {
        let at = self.socket.poll_timeout();
        let since_start = at - SocketTime::zero();
        (at != SocketTime::infinite_future()).then(|| SimTime::ZERO + since_start)
    }

    fn send(&mut self, now: SimTime, messages: Vec<Message>) {
        let messages = messages
            .into_iter()
            .map(|message| DcsctpMessage::new(StreamId(message.stream), PpId(UNSPECIFIED_PAYLOAD), message.bytes));
        let messages = messages.collect();
        self.call(now, |socket| {
            // The association is established and not shutting down, and the messages are within limits.
            let sent = socket.send_many(messages, &SendOptions::default());
            debug_assert!(sent.is_ok(), "{sent:?}");
        });
    }

    /// A FORWARD TSN that forwards nothing has the stack send its SACK at once (RFC 3758 §3.6).
    fn acknowledge_now(&mut self, now: SimTime, cumulative_tsn: Tsn) {
        if self.forward_tsn
            && let Some(packet) = chunk::forward_tsn(&self.peer_header, cumulative_tsn)
        {
            self.call(now, |socket| socket.handle_input(&packet));
        }
    }

    fn shutdown(&mut self, now: SimTime) {
        self.call(now, |socket| socket.shutdown());
    }

    fn abort(&mut self, now: SimTime) {
        self.aborted = true;
        self.call(now, |socket| socket.close());
    }

    /// The stack's options are fixed when it is made, but its state can be handed over to another one: so it
    /// moves into a stack whose initial RTO is the one asked for. The state's window is changed on the way,
    /// which dcsctp would rather not have; the version is pinned.
    ///
    /// Differs: SRTT and RTTVAR are not in the state, so the next measurement is the first again (RFC 9260
    /// §6.3.1 C2), as RFC 6298 §5 allows after several timeouts.
    fn start_over(&mut self, now: SimTime, start: Start) -> bool {
        if self.socket.state() != SocketState::Connected || !self.socket.get_handover_readiness().is_ready() {
            return false;
        }
        let options = Options { rto_initial: start.rto, ..self.options.clone() };
        let mut next = dcsctp::new_socket("", &options);
        self.call(now, |socket| {
            let Ok(mut state) = socket.get_handover_state_and_close() else { unreachable!("it was ready") };
            if let Some(window) = start.window {
                (state.tx.cwnd, state.tx.ssthresh) = (window.cwnd_bytes as u32, window.ssthresh_bytes as u32);
            }
            next.advance_time(socket_time(now));
            let restored = next.restore_from_state(&state);
            debug_assert!(restored.is_ok(), "a new socket is closed");
        });
        while let Some(event) = next.poll_event() {
            debug_assert!(matches!(event, SocketEvent::OnConnected()), "{event:?}");
        }
        self.socket = next;
        true
    }

    fn poll_event(&mut self) -> Option<StackEvent> {
        while let Some(event) = self.socket.poll_event() {
            match event {
                SocketEvent::SendPacket(packet) => return Some(StackEvent::Packet(packet)),
                SocketEvent::OnConnected() => return Some(StackEvent::Connected),
                SocketEvent::OnClosed() if self.aborted => return Some(StackEvent::Closed(CloseReason::LocalAbort)),
                SocketEvent::OnClosed() => return Some(StackEvent::Closed(CloseReason::Finished)),
                SocketEvent::OnAborted(error, message) => {
                    return Some(StackEvent::Closed(self.close_reason(error, &message)));
                }
                SocketEvent::OnError(ErrorKind::ParseFailed | ErrorKind::NotConnected, _) => {
                    return Some(StackEvent::Refused);
                }
                _ => {}
            }
        }
        let message = self.socket.get_next_message()?;
        Some(StackEvent::Message(Message { stream: message.stream_id.0, bytes: message.payload }))
    }

    fn metrics(&self) -> Option<StackMetrics> {
        let metrics = self.socket.get_metrics()?;
        Some(StackMetrics {
            cwnd_bytes: metrics.cwnd_bytes as u64,
            peer_rwnd_bytes: metrics.peer_rwnd_bytes.into(),
            in_flight_chunks: metrics.unack_data_count as u64,
            // before the first measurement it shows the initial RTO
            srtt: (metrics.srtt != self.socket.options().rto_initial).then_some(metrics.srtt),
            outgoing_streams: metrics.negotiated_maximum_outgoing_streams,
        })
    }
}

/// The random numbers of one association.
///
/// dcsctp draws tags and initial TSNs from the thread's `fastrand` generator. An association puts its own
/// state there for the length of a call, so that associations that share a thread do not share numbers.
struct RandomState(u64);

impl RandomState {
    fn lend(&mut self, call: impl FnOnce()) {
        let of_thread = fastrand::get_seed();
        fastrand::seed(self.0);
        call();
        self.0 = fastrand::get_seed();
        fastrand::seed(of_thread);
    }
}

fn socket_time(now: SimTime) -> SocketTime {
    SocketTime::zero() + Duration::from_nanos(now.as_ns())
}

fn options(flow: &Flow, settings: &ProfileSettings, streams: u16) -> Options {
    Options {
        local_port: flow.local.port(),
        remote_port: flow.remote.port(),
        announced_maximum_incoming_streams: streams,
        announced_maximum_outgoing_streams: streams,
        mtu: settings.packet_bytes,
        // our own limits are stricter
        max_message_size: usize::MAX,
        max_send_buffer_size: u32::MAX as usize,
        per_stream_send_queue_limit: usize::MAX,
        // the association has verified it, and changes packets since
        disable_checksum_verification: true,
        max_receiver_window_buffer_size: settings.receive_buffer_bytes,
        rto_initial: settings.rto_initial,
        rto_min: settings.rto_min,
        rto_max: settings.rto_max,
        // RFC 9260 §5.1, §9.2: T1 and T2 start from RTO.Initial
        t1_init_timeout: settings.rto_initial,
        t1_cookie_timeout: settings.rto_initial,
        t2_shutdown_timeout: settings.rto_initial,
        max_timer_backoff_duration: Some(settings.rto_max),
        heartbeat_interval: Duration::ZERO,
        delayed_ack_max_timeout: settings.delayed_sack,
        // dcsctp divides it by 8 to get its lower limit of RTTVAR
        min_rtt_variance: settings.min_variation * 2,
        cwnd_mtus_initial: settings.initial_cwnd_packets,
        // RFC 9260 §7.2.3
        cwnd_mtus_min: 4,
        immediate_sack_under_cwnd_mtus: settings.immediate_sack_under_packets,
        max_burst: settings.max_burst_packets.into(),
        max_retransmissions: Some(settings.max_retransmissions),
        max_init_retransmits: Some(settings.max_init_retransmissions),
        // nothing is sent with a limit, but see `acknowledge_now`; FreeBSD's stack offers it as well
        enable_partial_reliability: true,
        enable_message_interleaving: false,
        ..Options::default()
    }
}

/// Payload protocol identifier: none (RFC 9260 §3.3.1).
const UNSPECIFIED_PAYLOAD: u32 = 0;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lent_random_state_leaves_the_threads_numbers_alone() {
        fastrand::seed(1);
        let expected = [fastrand::u64(..), fastrand::u64(..)];
        fastrand::seed(1);
        let mut state = RandomState(2);
        let mut drawn = Vec::new();
        let first = fastrand::u64(..);
        state.lend(|| drawn.push(fastrand::u64(..)));
        let second = fastrand::u64(..);
        state.lend(|| drawn.push(fastrand::u64(..)));
        assert_eq!([first, second], expected);
        fastrand::seed(2);
        assert_eq!(drawn, [fastrand::u64(..), fastrand::u64(..)]);
    }

    #[test]
    fn the_stack_takes_every_setting_of_the_profile() {
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
        let options = options(&flow, &settings, 7);
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
        // the limits are the association's own
        let most = u32::MAX as usize;
        assert!(options.max_message_size >= most && options.max_send_buffer_size >= most);
        assert!(options.per_stream_send_queue_limit >= most);
        assert!(options.enable_partial_reliability && !options.enable_message_interleaving);
        assert!(options.disable_checksum_verification);
    }
}
