//! Extra packets that the stack gets before a packet of the peer, so that it reacts as RFC 9260 and the profile
//! require.

use super::DcsctpStack;
use crate::sctp::chunk::{self, Chunk};
use crate::sctp::observed::Observed;

impl DcsctpStack {
    /// Returns the packets that the stack must get before `packet`.
    ///
    /// The stack lets cwnd grow by at most one PMTU per SACK, which is L = 1 in RFC 9260 §7.2.1. The RFC allows more.
    /// For L = 2 the stack first gets an extra SACK for half of the chunks that the peer's SACK acknowledges. This is
    /// done only for SACKs without gaps. A SACK with gaps lets cwnd grow by at most one PMTU.
    ///
    /// RFC 9260 §6.1 D limits the burst after a SACK. While the stack sends a message larger than a packet, it may
    /// exceed this limit, because it may send one burst for the extra SACK and another for the peer's SACK.
    pub(super) fn parts(&self, seen: &Observed, packet: &[u8], chunks: &[Chunk]) -> Vec<Vec<u8>> {
        match chunks {
            [Chunk::Sack(sack)] if sack.gaps.is_empty() => {
                let steps = seen.outbound.steps_to(sack.cumulative_tsn, self.settings.abc_limit_packets);
                steps.into_iter().map(|tsn| chunk::with_cumulative_tsn(packet, tsn)).collect()
            }
            _ => self.sack_of_shutdown(seen, packet, chunks).into_iter().collect(),
        }
    }

    /// Returns a SACK that acknowledges the same chunks as the SHUTDOWN in `packet` (RFC 9260 §9.2), because the stack
    /// ignores the acknowledgement in a SHUTDOWN. Returns `None` if the packet has other chunks, or if the SHUTDOWN
    /// acknowledges nothing new.
    fn sack_of_shutdown(&self, seen: &Observed, packet: &[u8], chunks: &[Chunk]) -> Option<Vec<u8>> {
        let [Chunk::Shutdown { cumulative_tsn }] = chunks else { return None };
        let tsn = Some(*cumulative_tsn).filter(|tsn| seen.outbound.is_advanced_by(*tsn))?;
        let a_rwnd = self.metrics?.peer_rwnd_bytes + seen.outbound.unacknowledged_bytes();
        chunk::sack(packet, tsn, a_rwnd as u32)
    }
}
