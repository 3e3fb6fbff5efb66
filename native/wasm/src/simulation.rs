use binding::{Batch, Opening, Result, open, whole};
use netsim::sim::{EndpointId, Simulation as Run};
use netsim::time::SimTime;
use netsim::transport::{Ends, Place, Transport};

/// A run, and the batch of events that waits for the caller, if there is one.
pub struct Simulation {
    pub run: Run,
    /// The last batch of events that `advance_into` made.
    batch: Batch,
    /// Whether the batch was larger than the caller's array. If so, the next call of `advance_into` writes it.
    is_waiting: bool,
}

impl Simulation {
    pub fn new(run: Run) -> Self {
        Simulation { run, batch: Batch::default(), is_waiting: false }
    }

    /// Opens a transport and writes the numbers of both ends to the output.
    pub fn open(
        &mut self,
        opening: Opening,
        output: &mut Vec<u8>,
        open_ends: impl FnOnce(Place) -> Result<Ends>,
    ) -> Result<f64> {
        let (client, server) = opening.open(&mut self.run, open_ends)?;
        output.clear();
        output.extend([client, server].into_iter().flat_map(|EndpointId(number)| number.to_le_bytes()));
        Ok(0.0)
    }

    /// Checks the number of a page load.
    pub fn page(&self, number: f64) -> Result<u16> {
        let number = whole(number, "page", 0.0, f64::from(u16::MAX))? as u32;
        self.run.page(number).map_err(open)
    }

    pub fn transport(&mut self, endpoint: f64) -> Result<&mut dyn Transport> {
        self.run.transport(endpoint_id(endpoint)?).map_err(open)
    }

    /// Advances and writes the events to the output. No stream is read.
    pub fn advance(&mut self, until: SimTime, output: &mut Vec<u8>) -> Result<f64> {
        let events = self.run.advance(until);
        let mut batch = Batch::default();
        batch.fill_unread(&mut self.run, events)?;
        write(&batch, output);
        Ok(0.0)
    }

    /// Like `advance`, but also reads the streams that have bytes to read, and returns the batch's size in bytes. If
    /// the size is more than `room`, the output is empty, and the next call writes the same batch without advancing.
    pub fn advance_into(&mut self, until: SimTime, room: usize, output: &mut Vec<u8>) -> Result<f64> {
        if !self.is_waiting {
            let events = self.run.advance(until);
            self.batch.fill(&mut self.run, events)?;
        }
        self.is_waiting = self.batch.size() > room;
        output.clear();
        if !self.is_waiting {
            write(&self.batch, output);
        }
        Ok(self.batch.size() as f64)
    }
}

pub fn endpoint_id(value: f64) -> Result<EndpointId> {
    Ok(EndpointId(whole(value, "endpoint", 0.0, f64::from(u32::MAX))? as u32))
}

fn write(batch: &Batch, output: &mut Vec<u8>) {
    output.resize(batch.size(), 0);
    batch.write(output);
}
