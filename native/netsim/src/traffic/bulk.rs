use std::num::NonZeroU64;

use bytes::Bytes;

use super::FlowPacket;
use crate::endpoint::{Endpoint, Event};
use crate::ip::Flow as Addresses;
use crate::link::Direction;
use crate::packet::Packet;
use crate::tcp::{Connection, Options, Profile};
use crate::time::SimTime;

/// Both ends of a TCP connection. The sender always has more to send until the flow ends, and the receiver reads
/// everything as soon as it arrives in order.
#[derive(Debug)]
pub struct Bulk {
    client: Connection,
    server: Connection,
    /// The direction of the data.
    direction: Direction,
    has_ended: bool,
}

impl Bulk {
    /// `sequences` are the initial sequence numbers of the client and the server.
    pub fn new(
        addresses: Addresses,
        mtu_bytes: u16,
        profile: Profile,
        direction: Direction,
        sequences: [u32; 2],
    ) -> Self {
        let options = Options {
            send_buffer_bytes: BUFFER_BYTES,
            receive_buffer_bytes: BUFFER_BYTES,
            ahead_bytes: NonZeroU64::new(AHEAD_BYTES as u64),
            ..Options::new(profile)
        };
        Bulk {
            client: Connection::client(addresses, mtu_bytes, options, sequences[0]),
            server: Connection::server(addresses.reversed(), mtu_bytes, options, sequences[1]),
            direction,
            has_ended: false,
        }
    }

    pub fn start(&mut self) {
        // the client was not connected before, so this cannot fail
        let _ = self.client.connect();
    }

    /// Sends what was written, but writes no more. The connection closes when all of it has arrived.
    pub fn end(&mut self) {
        self.has_ended = true;
        self.ends().0.close();
    }

    pub fn handle_packet(&mut self, now: SimTime, direction: Direction, packet: Packet) {
        let receiver = match direction {
            Direction::Up => &mut self.server,
            Direction::Down => &mut self.client,
        };
        match packet {
            Packet::Wire(bytes) => receiver.handle_packet(now, &bytes),
            Packet::Typed(packet) => receiver.handle_typed(now, packet),
        }
    }

    pub fn handle_timeout(&mut self, now: SimTime) {
        for end in [&mut self.client, &mut self.server] {
            if end.poll_timeout().is_some_and(|deadline| deadline <= now) {
                end.handle_timeout(now);
            }
        }
    }

    pub fn poll_timeout(&self) -> Option<SimTime> {
        [self.client.poll_timeout(), self.server.poll_timeout()].into_iter().flatten().min()
    }

    pub fn poll_transmit(&mut self, now: SimTime) -> Option<FlowPacket> {
        loop {
            for (end, direction) in [(&mut self.client, Direction::Up), (&mut self.server, Direction::Down)] {
                if let Some(transmit) = end.poll_transmit(now) {
                    let has_data = transmit.chunks.iter().any(|chunk| chunk.bytes > 0);
                    return Some(FlowPacket { direction, has_data, packet: transmit.packet });
                }
            }
            if !self.handle_events() {
                return None;
            }
        }
    }

    /// Handles the events of both ends: writes as many bytes as the sender has room for, and reads what the receiver
    /// has. Returns whether there may be new packets to send.
    fn handle_events(&mut self) -> bool {
        let has_ended = self.has_ended;
        let (sender, receiver) = self.ends();
        let mut has_acted = false;
        while let Some(event) = sender.poll_event() {
            let room = match event {
                Event::Connected { .. } => AHEAD_BYTES,
                Event::Room { bytes } => bytes as usize,
                _ => continue,
            };
            if !has_ended {
                has_acted |= write(sender, room);
            }
        }
        while let Some(event) = receiver.poll_event() {
            match event {
                Event::Readable { .. } => drop(receiver.read()),
                Event::PeerClosed => receiver.close(),
                _ => continue,
            }
            has_acted = true;
        }
        has_acted
    }

    /// The end that sends the data, and the end that receives the data.
    fn ends(&mut self) -> (&mut Connection, &mut Connection) {
        match self.direction {
            Direction::Up => (&mut self.client, &mut self.server),
            Direction::Down => (&mut self.server, &mut self.client),
        }
    }
}

/// Writes this many bytes, or as many as fit the send buffer. Returns whether any byte was written.
fn write(sender: &mut Connection, bytes: usize) -> bool {
    let mut left = bytes;
    while left > 0 {
        // a connection that has ended accepts nothing more
        let Ok(taken) = sender.write_shared(Bytes::from_static(&ZEROS[..left.min(ZEROS.len())])) else { break };
        left -= taken;
        if taken == 0 {
            break;
        }
    }
    left < bytes
}

/// The data that every bulk flow sends.
static ZEROS: [u8; 1 << 16] = [0; 1 << 16];
/// Size of each buffer, in bytes. It never limits the flow.
const BUFFER_BYTES: u64 = 1 << 30;
/// How many unsent bytes the sender keeps beyond its window, like programs that set TCP_NOTSENT_LOWAT. These bytes are
/// still sent when the flow ends.
const AHEAD_BYTES: usize = 1 << 16;
