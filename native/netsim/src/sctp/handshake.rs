use std::time::Duration;

use super::chunk::Chunk;
use crate::time::SimTime;

/// Measures the RTT of the four-way handshake, because dcSCTP does not measure it.
///
/// As in FreeBSD, the client measures INIT → INIT ACK and COOKIE ECHO → COOKIE ACK, and the server measures INIT ACK →
/// COOKIE ECHO.
#[derive(Debug, Default)]
pub struct Handshake {
    question: Option<Question>,
    rtt: Option<Duration>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
/// The newest chunk of the handshake that this end has sent and that the peer answers.
struct Question {
    kind: Kind,
    sent: SimTime,
    /// Whether the chunk was retransmitted. In this case its answer measures nothing, by Karn's algorithm (RFC 9260
    /// §6.3.1 C5).
    repeated: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Init,
    InitAck,
    CookieEcho,
}

impl Handshake {
    /// Takes `rtt` as the RTT, whatever the handshake measures.
    pub fn assume(&mut self, rtt: Duration) {
        self.rtt = Some(rtt);
    }

    pub fn send(&mut self, now: SimTime, chunk: &Chunk) {
        let kind = match chunk {
            Chunk::Init { .. } => Kind::Init,
            Chunk::InitAck { .. } => Kind::InitAck,
            Chunk::CookieEcho => Kind::CookieEcho,
            _ => return,
        };
        let repeated = self.question.is_some_and(|question| question.kind == kind);
        self.question = Some(Question { kind, sent: now, repeated });
    }

    pub fn receive(&mut self, now: SimTime, chunk: &Chunk) {
        let answered = match chunk {
            Chunk::InitAck { .. } => Kind::Init,
            Chunk::CookieEcho => Kind::InitAck,
            Chunk::CookieAck => Kind::CookieEcho,
            _ => return,
        };
        if let Some(Question { kind, sent, repeated: false }) = self.question
            && kind == answered
        {
            self.rtt.get_or_insert(now - sent);
        }
    }

    /// Returns the assumed RTT, or else the first measured RTT; `None` if there is neither.
    pub fn rtt(&self) -> Option<Duration> {
        self.rtt
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sctp::chunk::Tsn;

    const INIT: Chunk = Chunk::Init { initial_tsn: Tsn(1), forward_tsn: false };
    const INIT_ACK: Chunk = Chunk::InitAck { initial_tsn: Tsn(1), forward_tsn: false };

    #[test]
    fn the_handshake_measures_the_rtt_on_the_client_and_on_the_server() {
        let (mut client, mut server) = (Handshake::default(), Handshake::default());
        client.send(SimTime::from_ms(0), &INIT);
        server.send(SimTime::from_ms(50), &INIT_ACK);
        client.receive(SimTime::from_ms(100), &INIT_ACK);
        server.receive(SimTime::from_ms(160), &Chunk::CookieEcho);
        assert_eq!(client.rtt(), Some(Duration::from_millis(100)));
        assert_eq!(server.rtt(), Some(Duration::from_millis(110)));
    }

    #[test]
    fn after_a_repeated_init_the_cookie_measures_the_rtt() {
        let mut client = Handshake::default();
        client.send(SimTime::from_ms(0), &INIT);
        client.send(SimTime::from_ms(3000), &INIT);
        client.receive(SimTime::from_ms(3100), &INIT_ACK);
        assert_eq!(client.rtt(), None);
        client.send(SimTime::from_ms(3100), &Chunk::CookieEcho);
        client.receive(SimTime::from_ms(3220), &Chunk::CookieAck);
        assert_eq!(client.rtt(), Some(Duration::from_millis(120)));
    }
}
