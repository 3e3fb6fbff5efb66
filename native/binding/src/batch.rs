use netsim::endpoint::{CloseReason, Event};
use netsim::sim::{AppEvent, EndpointId, Exhausted, Simulation};

use crate::error::{Result, open};

/// The events of one instant in the layout of `Simulation.advanceInto`: numbers first, then the bytes to which the
/// numbers refer.
#[derive(Default)]
pub struct Batch {
    numbers: Vec<f64>,
    bytes: Vec<u8>,
}

impl Batch {
    /// Replaces the previous batch with these events, and reads every stream that they report as readable.
    ///
    /// # Errors
    /// A stream that was reported as readable cannot be read, which is a bug.
    pub fn fill(&mut self, run: &mut Simulation, events: Vec<AppEvent>) -> Result<()> {
        self.fill_with(run, events, |run, endpoint, stream| Ok(run.transport(endpoint).map_err(open)?.read(stream)?))
    }

    /// Replaces the previous batch with these events, and reads no stream.
    pub fn fill_unread(&mut self, run: &mut Simulation, events: Vec<AppEvent>) -> Result<()> {
        self.fill_with(run, events, |_, _, _| Ok([]))
    }

    fn fill_with<B: AsRef<[u8]>>(
        &mut self,
        run: &mut Simulation,
        events: Vec<AppEvent>,
        read: impl Fn(&mut Simulation, EndpointId, u32) -> Result<B>,
    ) -> Result<()> {
        self.numbers.clear();
        self.bytes.clear();
        self.numbers.extend([run.now().as_ns() as f64, events.len() as f64, f64::from(limit_number(run.exhausted()))]);
        let bytes_at = size_of::<f64>() * (self.numbers.len() + events.len() * ROW);
        for AppEvent { endpoint, event } in events {
            let before = self.bytes.len();
            let mut reset_code = None;
            let (kind, detail) = match event {
                Event::Connected { streams } => (0, streams),
                Event::Readable { stream } => {
                    self.bytes.extend_from_slice(read(run, endpoint, stream)?.as_ref());
                    (1, stream)
                }
                Event::Message { stream, bytes } => {
                    self.bytes.extend_from_slice(&bytes);
                    (2, stream)
                }
                Event::Writable => (3, 0),
                Event::Room { bytes } => (9, bytes as u32),
                Event::PeerClosed => (4, 0),
                Event::Closed(reason) => (5, reason_number(reason)),
                Event::Finished { stream } => (6, stream),
                Event::Reset { stream, code } => {
                    reset_code = Some(code);
                    (7, stream)
                }
                Event::Renewed { stream } => (8, stream),
            };
            let length = self.bytes.len() - before;
            let row = [kind, endpoint.0, detail].map(f64::from);
            let begin = reset_code.map_or((bytes_at + before) as f64, f64::from);
            self.numbers.extend(row.into_iter().chain([begin, length as f64]));
        }
        Ok(())
    }

    pub fn size(&self) -> usize {
        size_of::<f64>() * self.numbers.len() + self.bytes.len()
    }

    /// Writes the batch. `into` must have room for [`Batch::size`] bytes.
    pub fn write(&self, into: &mut [u8]) {
        let (numbers, bytes) = into.split_at_mut(size_of::<f64>() * self.numbers.len());
        for (place, number) in numbers.chunks_exact_mut(size_of::<f64>()).zip(&self.numbers) {
            place.copy_from_slice(&number.to_ne_bytes());
        }
        bytes[..self.bytes.len()].copy_from_slice(&self.bytes);
    }
}

/// Returns the reason's position in `CloseReason` of `index.d.ts`.
fn reason_number(reason: CloseReason) -> u32 {
    match reason {
        CloseReason::Finished => 0,
        CloseReason::LocalAbort => 1,
        CloseReason::PeerAbort => 2,
        CloseReason::ConnectTimeout => 3,
        CloseReason::DataTimeout => 4,
        CloseReason::ProtocolViolation => 5,
    }
}

/// Returns the limit's number in the documentation of `Simulation.advanceInto`.
fn limit_number(exhausted: Option<Exhausted>) -> u8 {
    match exhausted {
        None => 0,
        Some(Exhausted::Packets) => 1,
        Some(Exhausted::Steps) => 2,
    }
}

/// How many numbers describe one event.
const ROW: usize = 5;
