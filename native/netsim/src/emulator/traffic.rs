//! The other traffic of an emulated path.

use std::time::Duration;

use super::{Emulator, Parcel};
use crate::event_queue::EventQueue;
use crate::link::{Arrival, Direction, Drop};
use crate::packet::Packet;
use crate::time::SimTime;
use crate::traffic::{Flow, FlowOptions, FlowPacket, TrafficError, flow_header};

/// The flows of other traffic.
#[derive(Debug, Default)]
pub(super) struct Traffic {
    flows: Vec<RunningFlow>,
    /// How often the flows were removed or replaced. Packets of these earlier flows reach nobody.
    generation: u32,
    events: EventQueue<FlowEvent>,
    /// The number of packets of the current flows on the path.
    held: usize,
}

#[derive(Debug)]
struct RunningFlow {
    flow: Flow,
    /// The direction of the flow's data.
    direction: Direction,
    /// The earliest [`FlowEvent::Timer`] that is queued for the flow.
    timer: Option<SimTime>,
    counts: FlowCounts,
}

/// The data packets of one flow, by their fates.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FlowCounts {
    /// Packets that passed the path. A copy that a link made counts as a packet too.
    pub passed: u64,
    /// The bytes of the IP packets that passed the path, copies included.
    pub passed_bytes: u64,
    /// Packets that were dropped: lost, or dropped by the queue or the token bucket.
    pub dropped: u64,
}

/// A packet of a flow.
#[derive(Debug)]
pub(super) struct FlowParcel {
    number: u16,
    generation: u32,
    direction: Direction,
    packet: Packet,
}

#[derive(Debug)]
enum FlowEvent {
    Arrives(FlowParcel),
    Timer { number: u16, generation: u32 },
}

impl<T: Clone> Emulator<T> {
    /// Adds other traffic to the path. Call this before the first packet. The times of the flows are times of the
    /// emulator, which starts `lead` before the caller's time 0. What the traffic does before that time is computed
    /// later, by the next call of a method that has an argument `now`.
    ///
    /// # Errors
    /// A setting of a flow is outside its limits, or `lead` is not zero and the trace of a link is not repeated. Such a
    /// trace has no values before the caller's time 0.
    pub fn with_traffic(mut self, flows: &[FlowOptions], lead: Duration) -> Result<Self, TrafficError> {
        for direction in [Direction::Down, Direction::Up] {
            let link = self.path.link_mut(direction);
            let params = link.params().clone().started_before(lead)?;
            link.set_params(SimTime::ZERO, params);
        }
        self.lead = lead;
        self.replace_flows(flows)?;
        Ok(self)
    }

    /// Replaces the other traffic. The previous flows are removed, and their packets on the path reach nobody. The
    /// times of the new flows count from `now`.
    ///
    /// # Errors
    /// A setting of a flow is outside its limits. In this case nothing changes.
    pub fn set_traffic(&mut self, now: SimTime, flows: &[FlowOptions]) -> Result<(), TrafficError> {
        let now = now + self.lead;
        self.run_until(now);
        let since = Duration::from_nanos(now.as_ns());
        let later = |flow: &FlowOptions| FlowOptions {
            start: flow.start + since,
            end: flow.end.map(|end| end + since),
            ..*flow
        };
        self.replace_flows(&flows.iter().map(later).collect::<Vec<_>>())
    }

    /// Returns the counts of each flow of the other traffic, in the order of the flows.
    pub fn traffic_counts(&self) -> impl Iterator<Item = FlowCounts> {
        self.traffic.flows.iter().map(|running| running.counts)
    }

    fn replace_flows(&mut self, flows: &[FlowOptions]) -> Result<(), TrafficError> {
        let (seed, mtu_bytes) = (self.seed, self.mtu_bytes);
        let running = (0..).zip(flows).map(|(number, options)| {
            let flow = Flow::new(seed, number, mtu_bytes, *options)?;
            Ok(RunningFlow { flow, direction: options.direction, timer: None, counts: FlowCounts::default() })
        });
        let running = running.collect::<Result<Vec<_>, TrafficError>>()?;
        self.traffic.end_flows();
        self.traffic.flows = running;
        for number in 0..self.traffic.flows.len() {
            self.traffic.schedule_timer(self.ran_until, number as u16);
        }
        Ok(())
    }

    /// The earliest time at which something can happen to the other traffic: an event of a flow, or a packet that
    /// leaves a link.
    pub(super) fn next_of_traffic(&self) -> Option<SimTime> {
        let links = [Direction::Down, Direction::Up].map(|direction| self.link_timeout(direction));
        let leaves = links.into_iter().flatten().min().filter(|_| self.traffic.held > 0);
        [leaves, self.traffic.next_at()].into_iter().flatten().min()
    }

    /// Handles the next event of the flows.
    pub(super) fn run_traffic(&mut self) {
        let Some((now, event)) = self.traffic.events.pop() else { return };
        let Some(number) = self.traffic.handle(now, event) else { return };
        while let Some(parcel) = self.traffic.poll_transmit(now, number) {
            self.offer_of_flow(now, parcel);
        }
        self.traffic.schedule_timer(now, number);
    }

    fn offer_of_flow(&mut self, now: SimTime, (parcel, has_data): (FlowParcel, bool)) {
        let direction = parcel.direction;
        let header = flow_header(parcel.number, has_data, parcel.packet.wire_bytes());
        let number = parcel.number;
        let offered = match self.traffic.held < MOST_HELD {
            true => self.path.link_mut(direction).handle_packet(now, header, Parcel::Flow(parcel)),
            false => Err(Drop::QueueFull),
        };
        match offered {
            Ok(()) => self.traffic.held += 1,
            Err(_) => self.traffic.count(number, direction, |counts| counts.dropped += 1),
        }
    }
}

impl Traffic {
    /// Removes all flows. Their packets on the path reach nobody.
    pub fn end_flows(&mut self) {
        self.flows.clear();
        self.events = EventQueue::new();
        self.generation += 1;
        self.held = 0;
    }

    pub fn next_at(&self) -> Option<SimTime> {
        self.events.next_at()
    }

    /// Schedules the arrival of a packet that has left its link, and of its copy if there is one.
    pub fn schedule_arrival(&mut self, Arrival { at, copy_at, .. }: Arrival, parcel: FlowParcel) {
        if parcel.generation != self.generation {
            return;
        }
        if let Some(copy_at) = copy_at {
            self.held += 1;
            self.events.push(copy_at, FlowEvent::Arrives(FlowParcel { packet: parcel.packet.copied(), ..parcel }));
        }
        self.events.push(at, FlowEvent::Arrives(parcel));
    }

    /// Counts a packet that was dropped after it had entered its link.
    pub fn note_dropped(&mut self, parcel: &FlowParcel) {
        if parcel.generation == self.generation {
            self.held -= 1;
            self.count(parcel.number, parcel.direction, |counts| counts.dropped += 1);
        }
    }

    /// Handles an event. Returns the number of the flow that may have something to send now.
    fn handle(&mut self, now: SimTime, event: FlowEvent) -> Option<u16> {
        match event {
            FlowEvent::Arrives(FlowParcel { number, direction, packet, .. }) => {
                let bytes = packet.wire_bytes() as u64;
                self.held -= 1;
                self.count(number, direction, |counts| {
                    counts.passed += 1;
                    counts.passed_bytes += bytes;
                });
                self.running(number)?.flow.handle_packet(now, direction, packet);
                Some(number)
            }
            FlowEvent::Timer { number, generation } => {
                let running = self.flows.get_mut(usize::from(number)).filter(|_| generation == self.generation)?;
                running.timer.take_if(|at| *at == now)?; // an earlier timer may have replaced this timer
                if running.flow.poll_timeout().is_some_and(|deadline| deadline <= now) {
                    running.flow.handle_timeout(now);
                }
                Some(number)
            }
        }
    }

    /// Returns the next packet that a flow sends now, and whether it carries data.
    fn poll_transmit(&mut self, now: SimTime, number: u16) -> Option<(FlowParcel, bool)> {
        let generation = self.generation;
        let FlowPacket { direction, has_data, packet } = self.running(number)?.flow.poll_transmit(now)?;
        Some((FlowParcel { number, generation, direction, packet }, has_data))
    }

    fn schedule_timer(&mut self, now: SimTime, number: u16) {
        let generation = self.generation;
        let Some(running) = self.running(number) else { return };
        let Some(deadline) = running.flow.poll_timeout() else { return };
        let deadline = deadline.max(now);
        if running.timer.is_none_or(|queued| deadline < queued) {
            running.timer = Some(deadline);
            self.events.push(deadline, FlowEvent::Timer { number, generation });
        }
    }

    /// Changes the counts of a flow, if the packet goes in the direction of its data.
    fn count(&mut self, number: u16, direction: Direction, change: impl FnOnce(&mut FlowCounts)) {
        if let Some(running) = self.running(number).filter(|running| running.direction == direction) {
            change(&mut running.counts);
        }
    }

    fn running(&mut self, number: u16) -> Option<&mut RunningFlow> {
        self.flows.get_mut(usize::from(number))
    }
}

/// The most packets of other traffic on the path. This bounds the emulator's memory with any settings.
const MOST_HELD: usize = 200_000;
