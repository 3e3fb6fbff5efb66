use std::net::SocketAddrV4;

use super::packet::Level;
use crate::packet::Ecn;

/// Copies of packets that arrived before this end could read them. RFC 9001 §5.7 recommends to keep such packets, as
/// Chromium, neqo and quic-go do; quinn drops them.
#[derive(Default)]
pub struct EarlyPackets {
    packets: Vec<EarlyPacket>,
    bytes: usize,
}

pub struct EarlyPacket {
    pub remote: SocketAddrV4,
    pub ecn: Ecn,
    /// Whether quinn has counted the bytes of the packet as received. It has not if there was no connection yet.
    pub is_counted: bool,
    pub level: Level,
    pub bytes: Vec<u8>,
}

impl EarlyPackets {
    /// Keeps a packet, unless there are already too many packets or bytes.
    pub fn keep(&mut self, packet: EarlyPacket) {
        let bytes = self.bytes + packet.bytes.len();
        if self.packets.len() < MOST_PACKETS && bytes <= MOST_BYTES {
            self.packets.push(packet);
            self.bytes = bytes;
        }
    }

    /// Takes the packet that arrived first of those that can now be read.
    pub fn take(&mut self, readable: Readable) -> Option<EarlyPacket> {
        let at = self.packets.iter().position(|packet| readable.has(packet.level))?;
        let packet = self.packets.remove(at);
        self.bytes -= packet.bytes.len();
        Some(packet)
    }
}

/// The packets that an end can read, in addition to Initial packets.
#[derive(Clone, Copy, Default)]
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

/// The limit of quic-go (`MaxUndecryptablePackets`).
const MOST_PACKETS: usize = 32;
/// As many bytes as these packets have on Ethernet. The sender of the bytes may be a stranger.
const MOST_BYTES: usize = MOST_PACKETS * 1500;

#[cfg(test)]
mod tests {
    use super::*;

    fn packet(level: Level, bytes: Vec<u8>) -> EarlyPacket {
        let remote = SocketAddrV4::new(std::net::Ipv4Addr::UNSPECIFIED, 0);
        EarlyPacket { remote, ecn: Ecn::NotEct, is_counted: true, level, bytes }
    }

    #[test]
    fn packets_are_taken_in_the_order_of_arrival_once_they_can_be_read() {
        let mut early = EarlyPackets::default();
        for (at, level) in [Level::OneRtt, Level::Handshake, Level::OneRtt, Level::Handshake].into_iter().enumerate() {
            early.keep(packet(level, vec![at as u8]));
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
            early.keep(packet(Level::OneRtt, vec![at]));
        }
        let everything = Readable { handshake: true, one_rtt: true };
        let kept: Vec<u8> = std::iter::from_fn(|| early.take(everything)).map(|packet| packet.bytes[0]).collect();
        assert_eq!(kept, (0..32).collect::<Vec<_>>());
    }

    #[test]
    fn no_more_bytes_are_kept_than_so_many_packets_have_on_ethernet() {
        let mut early = EarlyPackets::default();
        let readable = Readable { handshake: true, one_rtt: true };
        for _ in 0..2 {
            for _ in 0..2 {
                early.keep(packet(Level::OneRtt, vec![0; 30_000]));
            }
            assert!(early.take(readable).is_some());
            assert!(early.take(readable).is_none());
        }
    }
}
