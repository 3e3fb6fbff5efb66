//! The other traffic of a run: flows that are not part of a page load. They share the first path with the page loads.

use std::time::Duration;

use super::Simulation;
use super::simulation::{InFlight, Occurrence, PathId, Receiver, Way};
use crate::link::Direction;
use crate::packet::Packet;
use crate::time::SimTime;
use crate::trace::TrafficColumns;
use crate::traffic::{Flow, FlowOptions, FlowPacket, TrafficError, flow_header};

/// The flows of other traffic. The simulation starts `lead` before the run. During this time the flows have the path
/// for themselves.
#[derive(Debug, Default)]
pub(super) struct Traffic {
    flows: Vec<RunningFlow>,
    /// The packets of all flows.
    pub log: TrafficColumns,
    pub lead: Duration,
    has_begun: bool,
}

#[derive(Debug)]
struct RunningFlow {
    flow: Flow,
    /// The earliest [`Occurrence::Flow`] that is queued for the flow.
    timer: Option<SimTime>,
}

impl Traffic {
    /// Ends all flows. Their packets stay in the log.
    pub fn end_flows(&mut self) {
        self.flows.clear();
    }
}

impl Simulation {
    /// Adds other traffic to the first path. Call this before the run starts.
    ///
    /// The simulation starts `lead` before the run, so that flows can have filled the queue when the run starts. The
    /// times in `flows`, in the traces and in the log of other traffic are times of the simulation. The times that
    /// [`Simulation::now`], [`Simulation::advance`] and [`Simulation::change_link`] use are times of the run.
    ///
    /// # Errors
    /// A setting of a flow is outside its limits, or `lead` is not zero and the capacity trace or delay trace of a link
    /// is not repeated. Such a trace has no values before the run.
    pub fn with_traffic(mut self, flows: &[FlowOptions], lead: Duration) -> Result<Self, TrafficError> {
        self.start_links_before(lead)?;
        let mtu_bytes = self.mtu_bytes(PathId::default());
        self.traffic.lead = lead;
        self.set_start(SimTime::ZERO + lead);
        for (number, options) in (0..).zip(flows) {
            let flow = Flow::new(self.seed(), number, mtu_bytes, *options)?;
            self.traffic.flows.push(RunningFlow { flow, timer: None });
            self.schedule_flow(number);
        }
        Ok(self)
    }

    /// The packets of other traffic.
    pub fn traffic(&self) -> &TrafficColumns {
        &self.traffic.log
    }

    /// Runs the other traffic until the run starts.
    pub(super) fn begin(&mut self) {
        if std::mem::replace(&mut self.traffic.has_begun, true) || self.traffic.lead.is_zero() {
            return;
        }
        // Occurrences at exactly the start of the run are handled later, because the calls that the application has
        // already made come first.
        let start = SimTime::ZERO + self.traffic.lead;
        self.run_until(SimTime::from_ns(start.as_ns() - 1), &mut Vec::new());
        self.set_clock(start);
    }

    pub(super) fn handle_flow_packet(&mut self, number: u16, direction: Direction, packet: Packet) {
        let now = self.clock();
        if let Some(running) = self.traffic.flows.get_mut(usize::from(number)) {
            running.flow.handle_packet(now, direction, packet);
            self.flush_flow(number);
        }
    }

    pub(super) fn handle_flow_timer(&mut self, number: u16) {
        let now = self.clock();
        let Some(running) = self.traffic.flows.get_mut(usize::from(number)) else { return };
        if running.timer.take_if(|at| *at == now).is_none() {
            return; // an earlier timer has replaced this timer
        }
        if running.flow.poll_timeout().is_some_and(|deadline| deadline <= now) {
            running.flow.handle_timeout(now);
        }
        self.flush_flow(number);
    }

    /// Moves a flow's packets to the path.
    fn flush_flow(&mut self, number: u16) {
        let now = self.clock();
        while self.exhausted().is_none() {
            let Some(running) = self.traffic.flows.get_mut(usize::from(number)) else { return };
            let Some(packet) = running.flow.poll_transmit(now) else { break };
            self.send_of_flow(number, packet);
        }
        self.schedule_flow(number);
    }

    fn send_of_flow(&mut self, number: u16, FlowPacket { direction, has_data, packet }: FlowPacket) {
        let now = self.clock();
        let is_recorded = self.records_packets();
        let log = &mut self.traffic.log;
        let row = is_recorded.then(|| log.push(now, number, direction, packet.wire_bytes()));
        let way = Way { path: PathId::default(), direction };
        let header = flow_header(number, has_data, packet.wire_bytes());
        self.offer(way, header, InFlight { to: Receiver::Flow(number, direction), row, packet });
    }

    fn schedule_flow(&mut self, number: u16) {
        let now = self.clock();
        let Some(running) = self.traffic.flows.get_mut(usize::from(number)) else { return };
        let Some(deadline) = running.flow.poll_timeout() else { return };
        let deadline = deadline.max(now);
        if running.timer.is_none_or(|queued| deadline < queued) {
            running.timer = Some(deadline);
            self.schedule(deadline, Occurrence::Flow(number));
        }
    }
}

#[cfg(test)]
#[path = "traffic_test.rs"]
mod tests;
