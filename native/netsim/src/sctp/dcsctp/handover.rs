//! The restart of the stack: its state moves into a new stack with other options.

use dcsctp::api::{Options, SocketEvent, SocketState};

use super::{DcsctpStack, Start, socket_time};
use crate::time::SimTime;

impl DcsctpStack {
    /// Continues with the values of `start`, as if the association had just been established. Nothing happens unless
    /// dcSCTP can hand over its state. It cannot do so while a message of this end is not completely sent, while a
    /// chunk of this end is outstanding, while a chunk of the peer waits for an earlier chunk, or while streams are
    /// being reset. A delayed SACK is dropped.
    ///
    /// The stack's options are fixed when it is made, but its state can be handed over to another stack. This method
    /// hands the state over to a stack with the wanted initial RTO, and changes the window in the state. dcsctp does
    /// not document the state, so its version is pinned.
    ///
    /// SRTT and RTTVAR are not part of the state. Unlike in RFC 9260, the next measurement of the RTT therefore counts
    /// as the first measurement (§6.3.1 C2). RFC 6298 §5 allows this only after several timeouts.
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
            debug_assert!(restored.is_ok(), "a new socket is closed");
        });
        while let Some(event) = next.poll_event() {
            debug_assert!(matches!(event, SocketEvent::OnConnected()), "{event:?}");
        }
        (self.socket, self.initial_rto) = (next, start.rto);
        self.metrics = self.read_metrics();
        self.congestion.start_over(start, self.metrics);
    }
}
