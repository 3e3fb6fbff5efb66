//! ECN in the handshake and at the receiver (RFC 3168 §6.1, RFC 9768 §3).

use super::segment::EcnFlags;
use crate::packet::{Ecn, EcnMode};

/// The ECN state of one end of a connection, except for the part that the [`super::sender`] keeps.
#[derive(Debug)]
pub struct EcnState {
    wanted: EcnMode,
    /// What both ends agreed on.
    agreed: EcnMode,
    /// Whether acknowledgements carry ECE: a mark has arrived, and since then no CWR (RFC 3168 §6.1.3).
    echoes: bool,
    /// Whether a segment with an ECN codepoint other than Not-ECT has arrived.
    has_seen_ect: bool,
    /// The number of marked packets that have arrived (r.cep of RFC 9768 §3.2.2, without its offset).
    marked_packets: u64,
    /// How many marked packets have arrived that were not reported to the peer.
    unreported: u32,
    /// Whether this client has received the SYN ACK of an L4S connection and has not acknowledged it yet.
    is_third: bool,
}

/// How soon the receiver must acknowledge because of a segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Urgency {
    /// Acknowledgements may be delayed as usual.
    None,
    /// The next acknowledgements are not delayed, because the sender's window may be small.
    Quick,
    /// The segment is acknowledged immediately.
    Now,
}

const NONE: EcnFlags = EcnFlags { ae: false, cwr: false, ece: false };
/// The value of the counter ACE as long as no marked packet has arrived. With accurate ECN, the three ECN flags are
/// this counter after the handshake (RFC 9768 §3.2.2).
pub(super) const FIRST_ACE: u8 = 0b101;
/// The three flags that report that a SYN or SYN ACK arrived as Not-ECT (RFC 9768 §3.1.1 and §3.2.2.1).
const NOT_ECT: u8 = 0b010;
/// How many SYNs offer accurate ECN. A path that drops such SYNs must not prevent the connection (RFC 9768 §3.1.4.1).
const ACCURATE_OFFERS: u32 = 2;
/// With this many unreported marks, the acknowledgement is not delayed (RFC 9768 §3.2.2.5.1).
const MOST_UNREPORTED: u32 = 2;

impl EcnState {
    pub fn new(wanted: EcnMode) -> Self {
        EcnState {
            wanted,
            agreed: EcnMode::Off,
            echoes: false,
            has_seen_ect: false,
            marked_packets: 0,
            unreported: 0,
            is_third: false,
        }
    }

    /// What both ends agreed on.
    pub fn agreed(&self) -> EcnMode {
        self.agreed
    }

    /// The flags of a SYN. `sends` SYNs were sent before it.
    pub fn syn_flags(&self, sends: u32) -> EcnFlags {
        match self.wanted {
            // RFC 3168 §6.1.1.1
            EcnMode::Classic if sends == 0 => EcnFlags { cwr: true, ece: true, ..NONE },
            EcnMode::L4s if sends < ACCURATE_OFFERS => EcnFlags { ae: true, cwr: true, ece: true },
            _ => NONE,
        }
    }

    /// The flags of a SYN ACK.
    pub fn syn_ack_flags(&self) -> EcnFlags {
        match self.agreed {
            EcnMode::Off => NONE,
            EcnMode::Classic => EcnFlags { ece: true, ..NONE },
            EcnMode::L4s => EcnFlags::of_number(NOT_ECT),
        }
    }

    /// Applies the peer's SYN (RFC 3168 §6.1.1, RFC 9768 §3.1.2).
    pub fn handle_syn(&mut self, flags: EcnFlags) {
        self.agreed = match (self.wanted, flags.number()) {
            (EcnMode::L4s, 0b111) => EcnMode::L4s,
            (EcnMode::L4s, 0b011) | (EcnMode::Classic, 0b011 | 0b111) => EcnMode::Classic,
            _ => EcnMode::Off,
        };
    }

    /// Applies the peer's SYN ACK (RFC 3168 §6.1.1, RFC 9768 §3.1.2).
    pub fn handle_syn_ack(&mut self, flags: EcnFlags) {
        self.agreed = match (self.wanted, flags.number()) {
            (EcnMode::L4s, 0b010 | 0b011 | 0b100 | 0b110) => EcnMode::L4s,
            (EcnMode::L4s | EcnMode::Classic, 0b001 | 0b101) => EcnMode::Classic,
            _ => EcnMode::Off,
        };
        self.is_third = self.agreed == EcnMode::L4s;
    }

    /// The flags of a segment after the handshake. `reduced` says that the segment has to tell the peer of a smaller
    /// window (RFC 3168 §6.1.2), and `is_pure` that the segment has no data.
    pub fn flags(&mut self, reduced: bool, is_pure: bool) -> EcnFlags {
        self.unreported = 0;
        match self.agreed {
            EcnMode::Off => NONE,
            EcnMode::Classic => EcnFlags { cwr: reduced, ece: self.echoes, ..NONE },
            EcnMode::L4s => {
                // RFC 9768 §3.2.2.1: the acknowledgement of the SYN ACK reports the codepoint of the SYN ACK
                let is_third = std::mem::take(&mut self.is_third) && is_pure;
                EcnFlags::of_number(if is_third { NOT_ECT } else { (u64::from(FIRST_ACE) + self.marked_packets) as u8 })
            }
        }
    }

    /// Counts a packet of the peer if it arrived with a mark.
    pub fn count(&mut self, ecn: Ecn) {
        if ecn == Ecn::Ce {
            self.marked_packets += 1;
            self.unreported += 1;
        }
    }

    /// Handles a segment with data.
    pub fn handle_data(&mut self, ecn: Ecn, flags: EcnFlags) -> Urgency {
        match self.agreed {
            EcnMode::Off => Urgency::None,
            EcnMode::Classic => self.handle_classic_data(ecn, flags.cwr),
            EcnMode::L4s if self.unreported >= MOST_UNREPORTED => Urgency::Now,
            EcnMode::L4s => Urgency::None,
        }
    }

    /// `has_reduced` says that the sender has reduced its window.
    fn handle_classic_data(&mut self, ecn: Ecn, has_reduced: bool) -> Urgency {
        let was_seen = self.has_seen_ect;
        self.has_seen_ect |= ecn != Ecn::NotEct;
        let was_echoed = self.echoes && !has_reduced;
        self.echoes = was_echoed || ecn == Ecn::Ce;
        match ecn {
            _ if has_reduced => Urgency::Now,
            Ecn::Ce if !was_echoed => Urgency::Quick,
            // as in Linux (__tcp_ecn_check_ce): after segments with ECN, one without ECN is probably a retransmission
            Ecn::NotEct if was_seen => Urgency::Quick,
            _ => Urgency::None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn flags(text: &str) -> EcnFlags {
        EcnFlags::of_number(u8::from_str_radix(text, 2).unwrap())
    }

    /// Returns what client and server agree on if the client has sent `sends` SYNs before the one that arrives.
    fn agree(client: EcnMode, server: EcnMode, sends: u32) -> (EcnMode, EcnMode) {
        let (mut client, mut server) = (EcnState::new(client), EcnState::new(server));
        server.handle_syn(client.syn_flags(sends));
        client.handle_syn_ack(server.syn_ack_flags());
        (client.agreed(), server.agreed())
    }

    // RFC 9768 §3.1.2, table 2
    #[test]
    fn both_ends_agree_on_the_weaker_of_what_they_want() {
        for (client, a) in EcnMode::ALL.into_iter().zip(0..) {
            for (server, b) in EcnMode::ALL.into_iter().zip(0..) {
                let weaker = EcnMode::ALL[usize::min(a, b)];
                assert_eq!(agree(client, server, 0), (weaker, weaker), "{client:?} {server:?}");
            }
        }
    }

    // RFC 3168 §6.1.1.1, RFC 9768 §3.1.4.1
    #[test]
    fn only_the_first_syn_offers_classic_ecn_and_only_the_first_two_offer_accurate_ecn() {
        assert_eq!(agree(EcnMode::Classic, EcnMode::Classic, 1).0, EcnMode::Off);
        assert_eq!(agree(EcnMode::L4s, EcnMode::L4s, 1).0, EcnMode::L4s);
        assert_eq!(agree(EcnMode::L4s, EcnMode::L4s, 2).0, EcnMode::Off);
    }

    // The three ECN flags of a SYN ACK. RFC 9768 §3.1.2: a server without ECN sends 000, and a server that only copies
    // the flags of the SYN sends 111; neither uses ECN. RFC 9768 §3.1.1: 010, 011, 100 and 110 accept accurate ECN, and
    // say with which codepoint the SYN arrived.
    #[test]
    fn a_client_uses_accurate_ecn_only_after_a_syn_ack_that_accepts_it() {
        let told = |wanted, text| {
            let mut client = EcnState::new(wanted);
            client.handle_syn_ack(flags(text));
            client.agreed()
        };
        for text in ["000", "111"] {
            assert_eq!(told(EcnMode::L4s, text), EcnMode::Off, "{text}");
        }
        for text in ["010", "011", "100", "110"] {
            assert_eq!(told(EcnMode::L4s, text), EcnMode::L4s, "{text}");
            assert_eq!(told(EcnMode::Classic, text), EcnMode::Off, "{text}");
        }
        assert_eq!(told(EcnMode::Off, "001"), EcnMode::Off);
    }

    fn agreed(mode: EcnMode) -> EcnState {
        EcnState { agreed: mode, ..EcnState::new(mode) }
    }

    // RFC 3168 §6.1.3
    #[test]
    fn a_classic_receiver_echoes_a_mark_until_the_sender_has_reduced_its_window() {
        let mut state = agreed(EcnMode::Classic);
        let cwr = flags("010");
        assert_eq!(state.handle_data(Ecn::Ect0, NONE), Urgency::None);
        assert!(!state.flags(false, true).ece);
        assert_eq!(state.handle_data(Ecn::Ce, NONE), Urgency::Quick);
        assert_eq!(state.handle_data(Ecn::Ce, NONE), Urgency::None, "it is echoed already");
        assert_eq!(state.handle_data(Ecn::Ect0, NONE), Urgency::None);
        assert!(state.flags(false, true).ece);
        assert_eq!(state.handle_data(Ecn::NotEct, NONE), Urgency::Quick, "a retransmission");
        assert_eq!(state.handle_data(Ecn::Ect0, cwr), Urgency::Now);
        assert!(!state.flags(false, true).ece);
        state.handle_data(Ecn::Ce, cwr);
        assert!(state.flags(false, true).ece, "the segment with CWR was marked itself");
        assert_eq!(state.flags(true, false), EcnFlags { cwr: true, ece: true, ae: false });
    }

    // RFC 9768 §3.2.2
    #[test]
    fn an_accurate_receiver_counts_marks_from_five_modulo_eight() {
        let mut state = agreed(EcnMode::L4s);
        let told: Vec<u8> = (0..12)
            .map(|_| {
                let number = state.flags(false, true).number();
                state.count(Ecn::Ce);
                state.count(Ecn::Ect1);
                number
            })
            .collect();
        assert_eq!(told, [5, 6, 7, 0, 1, 2, 3, 4, 5, 6, 7, 0]);
    }

    // RFC 9768 §3.2.2.5.1
    #[test]
    fn an_accurate_receiver_does_not_delay_the_report_of_two_marks() {
        let mut state = agreed(EcnMode::L4s);
        let arrive = |state: &mut EcnState, ecn| {
            state.count(ecn);
            state.handle_data(ecn, NONE)
        };
        assert_eq!(arrive(&mut state, Ecn::Ce), Urgency::None);
        assert_eq!(arrive(&mut state, Ecn::Ect1), Urgency::None);
        assert_eq!(arrive(&mut state, Ecn::Ce), Urgency::Now);
        state.flags(false, true);
        assert_eq!(arrive(&mut state, Ecn::Ce), Urgency::None);
    }

    // RFC 9768 §3.2.2.1
    #[test]
    fn the_acknowledgement_of_the_syn_ack_reports_its_codepoint() {
        for is_pure in [true, false] {
            let mut client = EcnState::new(EcnMode::L4s);
            client.handle_syn_ack(flags("010"));
            assert_eq!(client.flags(false, is_pure).number(), if is_pure { 0b010 } else { 0b101 });
            assert_eq!(client.flags(false, true).number(), 0b101);
        }
    }
}
