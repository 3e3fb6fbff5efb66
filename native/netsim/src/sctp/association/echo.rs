//! Bundles the client's first messages with COOKIE ECHO (RFC 9260 §5.1).

use super::{Association, Phase};
use crate::endpoint::Event;
use crate::sctp::{checksum, chunk};
use crate::time::SimTime;

/// The packet with COOKIE ECHO. As soon as this packet could be sent, the application may write. The packet therefore
/// waits until the application has got [`Event::Connected`] and all other events. The messages that fit are added to
/// the packet. All other data waits for the COOKIE ACK, because no other packet may be sent before the COOKIE ACK
/// arrives.
#[derive(Debug, Default)]
pub struct Echo {
    stage: Stage,
    packet: Vec<u8>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Stage {
    /// There is no COOKIE ECHO, or it has been answered, or this end does not bundle.
    #[default]
    None,
    /// The packet has waited since this time.
    Held { since: SimTime, is_told: bool },
    /// The chunks of the next packet of the stack are added to the packet.
    Bundling,
    /// The packet was sent.
    Sent,
}

impl Echo {
    /// Whether a COOKIE ECHO still waits to be sent, or was sent and has not been answered yet.
    pub fn is_pending(&self) -> bool {
        self.stage != Stage::None
    }

    /// The time at which the packet should have been sent, if it still waits.
    pub fn due(&self) -> Option<SimTime> {
        match self.stage {
            Stage::Held { since, .. } => Some(since),
            _ => None,
        }
    }

    /// Notes that the application has got all events, so that it has written its first messages.
    pub fn note_told(&mut self) {
        if let Stage::Held { is_told, .. } = &mut self.stage {
            *is_told = true;
        }
    }

    /// Notes that the COOKIE ACK has arrived, or that the association has ended.
    pub fn end(&mut self) {
        *self = Echo::default();
    }
}

impl Association {
    /// Returns what to send when the stack sends `packet`: usually `packet` itself. Returns `None` if nothing is to be
    /// sent now: the COOKIE ECHO waits, or the chunks of `packet` were added to the COOKIE ECHO.
    pub(super) fn bundle_with_echo(&mut self, now: SimTime, packet: Vec<u8>) -> Option<Vec<u8>> {
        let is_echo = chunk::begins_with_cookie_echo(&packet);
        match self.echo.stage {
            Stage::None if is_echo && self.phase == Phase::Unconnected && self.options.data_with_cookie_echo => {
                let Some(streams) = self.stack.streams_before_cookie_ack() else { return Some(packet) };
                self.echo = Echo { stage: Stage::Held { since: now, is_told: false }, packet };
                self.phase = Phase::Connected { streams };
                self.events.push_back(Event::Connected { streams: streams.into() });
                None
            }
            Stage::Held { .. } if is_echo => None,
            Stage::Bundling => {
                self.echo.packet.extend_from_slice(packet.get(chunk::COMMON_HEADER_BYTES..).unwrap_or_default());
                None
            }
            // The timer T1-cookie has expired. The stack would repeat the COOKIE ECHO alone.
            Stage::Sent if is_echo => Some(self.echo.packet.clone()),
            _ => Some(packet),
        }
    }

    /// Sends the COOKIE ECHO that waits, with the messages that fit into its packet.
    pub(super) fn send_echo(&mut self, now: SimTime) {
        let Stage::Held { is_told: true, .. } = self.echo.stage else { return };
        self.echo.stage = Stage::Bundling;
        let mut room_bytes = self.settings.packet_bytes.saturating_sub(self.echo.packet.len());
        while let Some(bytes) = self.scheduler.peek_bytes() {
            let chunk_bytes = chunk::data_chunk_bytes(self.options.data_header_bytes(), bytes);
            if chunk_bytes > room_bytes {
                break;
            }
            room_bytes -= chunk_bytes;
            self.bundle.extend(self.scheduler.pop());
        }
        if !self.bundle.is_empty() {
            self.give_bundle(now);
        }
        if self.echo.stage == Stage::Bundling {
            self.echo.stage = Stage::Sent;
            checksum::write_checksum(&mut self.echo.packet);
            self.transmit(now, self.echo.packet.clone());
        }
    }
}
