//! The page of the reference loads, and the progress of a load.

use netsim::time::SimTime;

/// The sizes of a page's requests and responses. `index_bytes` includes the header of its response.
#[derive(Clone, Copy, Debug)]
pub struct Page {
    pub request_bytes: usize,
    pub index_bytes: usize,
    pub header_bytes: usize,
    pub object_bytes: usize,
    pub objects: usize,
}

impl Page {
    /// The page of fixtures/reference/README.md.
    pub fn reference(objects: usize, object_bytes: usize) -> Self {
        Page { request_bytes: 200, index_bytes: 3000, header_bytes: 250, object_bytes, objects }
    }

    pub fn response_bytes(&self) -> usize {
        self.header_bytes + self.object_bytes
    }
}

/// The percentages P at which PEach is measured: the time from the first GET until every object has P % of its body.
pub const PERCENTS: [usize; 4] = [25, 50, 75, 100];

/// The progress of a load: for each of [`PERCENTS`], when every object had this percentage of its body.
#[derive(Clone, Debug)]
pub struct Progress {
    page: Page,
    received: Vec<usize>,
    started: SimTime,
    reached: [Option<SimTime>; 4],
}

impl Progress {
    pub fn new(page: &Page) -> Self {
        Progress { page: *page, received: vec![0; page.objects], started: SimTime::ZERO, reached: [None; 4] }
    }

    /// Notes that the first GET is written.
    pub fn start(&mut self, now: SimTime) {
        self.started = now;
    }

    /// Notes that `total` bytes of the responses with objects have arrived. These responses follow one after the other,
    /// after index.html.
    pub fn note_stream(&mut self, now: SimTime, total: usize) {
        let size = self.page.response_bytes();
        for object in 0..self.page.objects {
            self.received[object] = total.saturating_sub(object * size).min(size);
        }
        self.note(now);
    }

    /// Notes that another `bytes` bytes of one response have arrived.
    pub fn note_object(&mut self, now: SimTime, object: usize, bytes: usize) {
        self.received[object] += bytes;
        self.note(now);
    }

    pub fn is_complete(&self) -> bool {
        self.reached[3].is_some()
    }

    /// Seconds from the first GET until every object had [`PERCENTS`]`[index]` of its body.
    pub fn seconds(&self, index: usize) -> f64 {
        self.reached[index].map_or(f64::INFINITY, |at| (at - self.started).as_secs_f64())
    }

    fn note(&mut self, now: SimTime) {
        let Page { header_bytes, object_bytes, .. } = self.page;
        let least = self.received.iter().map(|bytes| bytes.saturating_sub(header_bytes)).min().unwrap_or(0);
        for (reached, percent) in self.reached.iter_mut().zip(PERCENTS) {
            if reached.is_none() && least * 100 >= percent * object_bytes {
                *reached = Some(now);
            }
        }
    }
}
