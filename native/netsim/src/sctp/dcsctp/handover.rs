//! Starting over: the state of the stack moves into a new stack with other options.

use dcsctp::api::{Options, SocketEvent, SocketState};

use super::{DcsctpStack, Start, socket_time};
use crate::time::SimTime;

impl DcsctpStack {
    /// Continues with the values of `start` as if the association had just been established. This happens only if none
    /// of our chunks is outstanding and none of the peer's chunks waits for an earlier one. A delayed SACK is dropped.
    ///
    /// The stack's options are fixed when it is made, but its state can be handed over to another stack. So the state
    /// moves into a stack with the wanted initial RTO. The window in the state is changed on the way. dcsctp does not
    /// document that, so its version is pinned.
    ///
    /// Differs: SRTT and RTTVAR are not part of the state, so the next measurement counts as the first (RFC 9260 §6.3.1
    /// C2). RFC 6298 §5 allows this after several timeouts.
    pub(super) fn start_over(&mut self, now: SimTime, start: Start) {
        if self.socket.state() != SocketState::Connected || !self.socket.get_handover_readiness().is_ready() {
            return;
        }
        self.listen();
        let options = Options { rto_initial: start.rto, ..self.options.clone() };
        let mut next = dcsctp::new_socket("", &options);
        self.call(now, |socket| {
            let Ok(mut state) = socket.get_handover_state_and_close() else { unreachable!("it was ready") };
            if let Some(window) = start.window {
                (state.tx.cwnd, state.tx.ssthresh) = (window.cwnd_bytes as u32, window.ssthresh_bytes as u32);
            }
            next.advance_time(socket_time(now));
            let restored = next.restore_from_state(&state);
            assert!(restored.is_ok(), "a new socket is closed");
        });
        while let Some(event) = next.poll_event() {
            assert!(matches!(event, SocketEvent::OnConnected()), "{event:?}");
        }
        (self.socket, self.initial_rto) = (next, start.rto);
        self.metrics = self.read_metrics();
        self.congestion.start_over(start, self.metrics);
    }
}
