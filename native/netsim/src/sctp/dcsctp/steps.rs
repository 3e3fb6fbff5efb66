//! What the stack is told in packets of its own, as it would not read it out of the peer's.

use super::DcsctpStack;
use crate::sctp::chunk::{self, Chunk};
use crate::sctp::observed::Observed;

impl DcsctpStack {
    /// What to hand in before a SACK, so that the window may open further.
    ///
    /// The stack lets cwnd grow by at most one PMTU per SACK: L = 1 in RFC 9260 §7.2.1, which allows more.
    /// For an L of 2, half of what a SACK acknowledges is acknowledged to the stack first, by a SACK of its
    /// own. Only in order: a SACK with gaps does not open the window.
    ///
    /// Differs: of a message larger than a packet, which it sends by itself, the stack may send a burst for each
    /// (§6.1 D).
    pub(super) fn parts(&self, seen: &Observed, packet: &[u8], chunks: &[Chunk]) -> Vec<Vec<u8>> {
        match chunks {
            [Chunk::Sack(sack)] if sack.gaps.is_empty() => {
                let steps = seen.outbound.steps_to(sack.cumulative_tsn, self.settings.abc_limit_packets);
                steps.into_iter().map(|tsn| chunk::with_cumulative_tsn(packet, tsn)).collect()
            }
            _ => self.sack_of_shutdown(seen, packet, chunks).into_iter().collect(),
        }
    }

    /// A SHUTDOWN acknowledges as a SACK without gaps does (RFC 9260 §9.2). The stack would not take it so.
    fn sack_of_shutdown(&self, seen: &Observed, packet: &[u8], chunks: &[Chunk]) -> Option<Vec<u8>> {
        let [Chunk::Shutdown { cumulative_tsn }] = chunks else { return None };
        let tsn = Some(*cumulative_tsn).filter(|tsn| seen.outbound.is_advanced_by(*tsn))?;
        let a_rwnd = self.metrics?.peer_rwnd_bytes + seen.outbound.unacknowledged_bytes();
        chunk::sack(packet, tsn, a_rwnd as u32)
    }
}
