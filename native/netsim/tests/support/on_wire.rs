//! A transport whose packets are passed to the peer as bytes.

use bytes::Bytes;
use netsim::endpoint::{Endpoint, Event, Transmit};
use netsim::packet::Packet;
use netsim::time::SimTime;
use netsim::trace::{BlockedLog, Sample, Timeouts};
use netsim::transport::{CallError, Ends, Transport};

pub fn on_wire(Ends { client, server }: Ends) -> Ends {
    Ends { client: Box::new(OnWire(client)), server: Box::new(OnWire(server)) }
}

/// An end whose outgoing packets are converted to bytes.
struct OnWire(Box<dyn Transport>);

impl Endpoint for OnWire {
    fn handle_packet(&mut self, now: SimTime, packet: &[u8]) {
        self.0.handle_packet(now, packet);
    }

    fn handle_timeout(&mut self, now: SimTime) {
        self.0.handle_timeout(now);
    }

    fn poll_timeout(&self) -> Option<SimTime> {
        self.0.poll_timeout()
    }

    fn poll_transmit(&mut self, now: SimTime) -> Option<Transmit> {
        let transmit = self.0.poll_transmit(now)?;
        assert!(matches!(transmit.packet, Packet::Typed(_)), "the transport itself makes typed packets");
        Some(Transmit { packet: transmit.packet.into_wire().into(), ..transmit })
    }

    fn poll_event(&mut self) -> Option<Event> {
        self.0.poll_event()
    }

    fn sample(&self) -> Option<Sample> {
        self.0.sample()
    }

    fn timeouts(&self) -> Timeouts {
        self.0.timeouts()
    }

    fn blocked(&self) -> &BlockedLog {
        self.0.blocked()
    }
}

impl Transport for OnWire {
    fn name(&self) -> &'static str {
        self.0.name()
    }

    fn connect(&mut self) -> Result<(), CallError> {
        self.0.connect()
    }

    fn send(&mut self, stream: u32, message: &[u8]) -> Result<bool, CallError> {
        self.0.send(stream, message)
    }

    fn write(&mut self, stream: u32, bytes: &[u8]) -> Result<usize, CallError> {
        self.0.write(stream, bytes)
    }

    fn read(&mut self, stream: u32) -> Result<Bytes, CallError> {
        self.0.read(stream)
    }

    fn finish(&mut self, stream: u32) -> Result<(), CallError> {
        self.0.finish(stream)
    }

    fn reset(&mut self, stream: u32, code: u32) -> Result<(), CallError> {
        self.0.reset(stream, code)
    }

    fn set_priority(&mut self, stream: u32, priority: i32) -> Result<(), CallError> {
        self.0.set_priority(stream, priority)
    }

    fn buffered_bytes(&self) -> u64 {
        self.0.buffered_bytes()
    }

    fn close(&mut self) {
        self.0.close();
    }

    fn abort(&mut self) {
        self.0.abort();
    }
}
