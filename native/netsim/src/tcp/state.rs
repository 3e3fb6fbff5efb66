/// The state of a connection (RFC 9293 §3.3.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// The state of a client before [`super::Connection::connect`].
    Idle,
    Listen,
    SynSent,
    SynReceived,
    Established,
    FinWait1,
    FinWait2,
    CloseWait,
    Closing,
    LastAck,
    TimeWait,
    Closed,
}

impl State {
    /// Whether both initial sequence numbers are known and the connection still exists.
    pub fn is_synchronized(self) -> bool {
        !matches!(self, State::Idle | State::Listen | State::SynSent | State::Closed)
    }

    /// Whether data or a FIN may be sent, at least as a retransmission.
    pub fn may_send_data(self) -> bool {
        matches!(self, State::Established | State::FinWait1 | State::CloseWait | State::Closing | State::LastAck)
    }

    /// Whether the peer's FIN has arrived in order.
    pub fn has_peer_closed(self) -> bool {
        matches!(self, State::CloseWait | State::Closing | State::LastAck | State::TimeWait)
    }

    pub fn after_fin_sent(self) -> State {
        match self {
            State::Established => State::FinWait1,
            State::CloseWait => State::LastAck,
            state => state,
        }
    }

    /// Returns the next state, which depends on whether our FIN is acknowledged and whether the peer's FIN is in order
    /// (RFC 9293 §3.6).
    pub fn after_fins(self, is_ours_acknowledged: bool, is_theirs_in_order: bool) -> State {
        match (self, is_ours_acknowledged, is_theirs_in_order) {
            (State::Established, false, true) => State::CloseWait,
            (State::FinWait1, false, true) => State::Closing,
            (State::FinWait1, true, false) => State::FinWait2,
            (State::FinWait1 | State::FinWait2 | State::Closing, true, true) => State::TimeWait,
            (State::CloseWait | State::LastAck, true, _) => State::Closed,
            (state, ..) => state,
        }
    }
}
