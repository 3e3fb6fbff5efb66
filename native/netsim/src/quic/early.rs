use std::net::SocketAddrV4;

use super::packet::{Level, Packets};
use crate::packet::Ecn;

/// Packets that arrived before this end can read them. RFC 9001 §5.7 recommends to keep such packets, as Chromium, neqo
/// and quic-go do; quinn drops them.
#[derive(Default)]
pub struct EarlyPackets(Vec<EarlyPacket>);

pub struct EarlyPacket {
    level: Level,
    pub remote: SocketAddrV4,
    pub ecn: Ecn,
    pub bytes: Vec<u8>,
}

impl EarlyPackets {
    /// Keeps a packet, unless there are already as many as quic-go keeps (`MaxUndecryptablePackets`).
    pub fn keep(&mut self, level: Level, remote: SocketAddrV4, ecn: Ecn, packet: &[u8]) {
        if self.0.len() < MOST_PACKETS {
            self.0.push(EarlyPacket { level, remote, ecn, bytes: packet.to_vec() });
        }
    }

    /// Takes the packet that arrived first of those that can now be read.
    pub fn take(&mut self, readable: Readable) -> Option<EarlyPacket> {
        let at = self.0.iter().position(|packet| readable.has(packet.level))?;
        Some(self.0.remove(at))
    }
}

/// The packets that an end can read, beside Initial packets.
#[derive(Clone, Copy)]
pub struct Readable {
    /// Whether it can read Handshake packets. A server can then also read 0-RTT packets, or refuses them, because it has
    /// the whole ClientHello.
    pub handshake: bool,
    pub one_rtt: bool,
}

impl Readable {
    pub fn has(self, level: Level) -> bool {
        match level {
            Level::Initial => true,
            Level::ZeroRtt | Level::Handshake => self.handshake,
            Level::OneRtt => self.one_rtt,
        }
    }
}

/// Splits a datagram before its 1-RTT packet, which is always the last one (RFC 9000 §12.2). If there is none, the
/// second part is empty.
pub fn split_at_one_rtt(datagram: &[u8]) -> (&[u8], &[u8]) {
    let mut bytes = 0;
    for packet in Packets::new(datagram) {
        if packet.level == Level::OneRtt {
            return datagram.split_at(bytes);
        }
        bytes += packet.bytes;
    }
    (datagram, &[])
}

const MOST_PACKETS: usize = 32;

#[cfg(test)]
mod tests {
    use super::*;

    const NOBODY: SocketAddrV4 = SocketAddrV4::new(std::net::Ipv4Addr::UNSPECIFIED, 0);

    #[test]
    fn packets_are_taken_in_the_order_of_arrival_once_they_can_be_read() {
        let mut early = EarlyPackets::default();
        for (at, level) in [Level::OneRtt, Level::Handshake, Level::OneRtt, Level::Handshake].into_iter().enumerate() {
            early.keep(level, NOBODY, Ecn::NotEct, &[at as u8]);
        }
        let mut take = |handshake, one_rtt| {
            let packet = early.take(Readable { handshake, one_rtt });
            packet.map(|packet| packet.bytes[0])
        };
        assert_eq!(take(false, false), None);
        let taken = [take(true, false), take(true, false), take(true, false), take(true, true), take(true, true)];
        assert_eq!(taken, [Some(1), Some(3), None, Some(0), Some(2)]);
    }

    #[test]
    fn no_more_packets_are_kept_than_quic_go_keeps() {
        let mut early = EarlyPackets::default();
        for at in 0..40 {
            early.keep(Level::OneRtt, NOBODY, Ecn::NotEct, &[at]);
        }
        let everything = Readable { handshake: true, one_rtt: true };
        let kept: Vec<u8> = std::iter::from_fn(|| early.take(everything)).map(|packet| packet.bytes[0]).collect();
        assert_eq!(kept, (0..32).collect::<Vec<_>>());
    }

    // RFC 9000 §12.2
    #[test]
    fn a_datagram_is_split_before_its_one_rtt_packet() {
        // an Initial packet with a PING and a tag, and a 1-RTT packet with the same
        let initial = [&[0xc0, 0, 0, 0, 1, 0, 0, 0, 18, 0, 1][..], &[0; 16]].concat();
        let one_rtt = [&[0x40, 1, 2, 3, 4, 5, 6, 7, 8, 0, 1][..], &[0; 16]].concat();
        let both = [&initial[..], &one_rtt].concat();
        assert_eq!(split_at_one_rtt(&both), (&initial[..], &one_rtt[..]));
        assert_eq!(split_at_one_rtt(&one_rtt), (&[][..], &one_rtt[..]));
        let twice = initial.repeat(2);
        assert_eq!(split_at_one_rtt(&twice), (&twice[..], &[][..]));
        // what is not a packet stays with the first part
        let broken = [&initial[..], &[0xc0]].concat();
        assert_eq!(split_at_one_rtt(&broken), (&broken[..], &[][..]));
    }
}
