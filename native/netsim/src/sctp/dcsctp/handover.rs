//! The stack starts over: its state moves into one that is made anew.

use dcsctp::api::{Options, SocketEvent, SocketState};

use super::{DcsctpStack, Start, socket_time};
use crate::time::SimTime;

impl DcsctpStack {
    /// Goes on from `start` as if it had just been established, if it can: nothing of ours is outstanding and
    /// nothing of the peer's waits for an earlier chunk. A SACK that it delays is forgotten.
    ///
    /// The stack's options are fixed when it is made, but its state can be handed over to another one: so it
    /// moves into a stack whose initial RTO is the one asked for. The state's window is changed on the way,
    /// which dcsctp would rather not have; the version is pinned.
    ///
    /// Differs: SRTT and RTTVAR are not in the state, so the next measurement is the first again (RFC 9260
    /// §6.3.1 C2), as RFC 6298 §5 allows after several timeouts.
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
