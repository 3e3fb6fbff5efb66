use super::Sharer;
use crate::packet::Ecn;

/// What a link reads of a packet.
#[derive(Clone, Copy, Debug)]
pub struct Header {
    /// Size of the IP packet in bytes, header included.
    pub bytes: usize,
    /// Whether the packet carries data ([`super::LossApplies`]).
    pub has_data: bool,
    pub sharer: Sharer,
    /// The flow of the packet, for queues that keep flows apart. Packets of one sender on one connection have the same
    /// number, and no other packets of the direction have it.
    pub flow: u32,
    pub ecn: Ecn,
}

impl Header {
    /// The header of a packet with data. The packet belongs to the first page load and to flow 0, and does not use ECN.
    pub fn data(bytes: usize) -> Self {
        Header { bytes, has_data: true, sharer: Sharer::default(), flow: 0, ecn: Ecn::NotEct }
    }

    /// The header of a packet without data, such as an acknowledgement or a packet of a handshake. The rest is as in
    /// [`Header::data`].
    pub fn control(bytes: usize) -> Self {
        Header { has_data: false, ..Header::data(bytes) }
    }
}
