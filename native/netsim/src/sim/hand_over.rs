//! The hand-over of the client from one path to another, for example from Wi-Fi to a mobile network.

use super::Simulation;
use super::simulation::{InFlight, Occurrence, PathId, Receiver, Way};
use crate::ip::client_address;
use crate::link::{Direction, LinkError, LinkParams};
use crate::time::SimTime;
use crate::trace::Fate;

impl Simulation {
    /// Moves the client from its network to another one now. The simulation's first path (number 0) gets these settings
    /// and empty queues, and the client gets a new address.
    ///
    /// All packets in the queues of this path, and all packets on their way to the client over it, are lost. Packets to
    /// the server that have already left their queue still arrive. Other traffic ends, because it stays on the old
    /// network. Connections over this path that can follow to the new address do so immediately
    /// ([`crate::endpoint::Endpoint::can_change_address`]). The other connections over this path stay at the old
    /// address; nothing that is sent from or to this address afterwards arrives. Connections that are opened over this
    /// path later have the new address. Other paths and their connections do not change.
    ///
    /// # Errors
    /// A setting is outside its limits. In this case nothing changes.
    pub fn hand_over(&mut self, down: LinkParams, up: LinkParams) -> Result<(), LinkError> {
        down.validate()?;
        up.validate()?;
        let lead = self.traffic.lead;
        let (down, up) = (down.started_before(lead)?, up.started_before(lead)?);
        self.begin();
        let now = self.clock();
        self.traffic.end_flows();
        for (direction, params) in [(Direction::Down, down), (Direction::Up, up)] {
            let way = Way { path: PathId::default(), direction };
            self.depart(way); // a packet whose serialisation ends at this instant has left the queue
            drop(self.link_mut(way).clear(params)); // `lose_on_first_path` notes that these packets are lost
        }
        self.lose_on_first_path(now);
        self.address = self.address.wrapping_add(1);
        for index in 0..self.nodes.len() {
            let node = &mut self.nodes[index];
            let is_client = node.sends.direction == Direction::Up;
            if node.sends.path != PathId::default() || !is_client {
                continue;
            }
            if node.transport.can_change_address() {
                node.transport.change_address(now, client_address(self.address, PathId::default().0));
                (node.address, node.touched) = (self.address, true);
            }
        }
        Ok(())
    }

    /// Drops the packets that are on their way to the client over the first path. Notes that these packets are lost,
    /// and also those that were in the queues of this path.
    fn lose_on_first_path(&mut self, now: SimTime) {
        let is_first = |id: &super::EndpointId| self.nodes[id.0 as usize].sends.path == PathId::default();
        let arrives_at_client = |to: &Receiver| match to {
            Receiver::Endpoint(id) => id.0 % 2 == 0 && is_first(id),
            Receiver::Flow(_, direction) => *direction == Direction::Down,
        };
        let mut lost = Vec::new();
        self.occurrences.retain(|occurrence| match occurrence {
            Occurrence::Arrive(InFlight { to, row, .. }) if arrives_at_client(to) => {
                lost.push((*to, *row));
                false
            }
            _ => true,
        });
        for (to, row) in lost {
            self.note_fate(to, row, now, Fate::HandedOver);
        }
        // a packet that has no fate yet was in a queue
        let nodes = &self.nodes;
        for trace in &mut self.traces {
            let packets = &mut trace.packets.packets;
            for row in 0..packets.fate.len() {
                let is_on_path = nodes[packets.endpoint[row] as usize].sends.path == PathId::default();
                if is_on_path && packets.fate[row] == Fate::InFlight as u8 {
                    (packets.fate[row], packets.fate_ns[row]) = (Fate::HandedOver as u8, now.as_ns());
                    packets.left_ns[row] = now.as_ns();
                }
            }
        }
        let log = &mut self.traffic.log;
        for row in 0..log.fate.len() {
            if log.fate[row] == Fate::InFlight as u8 {
                (log.fate[row], log.fate_ns[row]) = (Fate::HandedOver as u8, now.as_ns());
                log.left_ns[row] = now.as_ns();
            }
        }
    }
}

#[cfg(test)]
#[path = "hand_over_test.rs"]
mod tests;
