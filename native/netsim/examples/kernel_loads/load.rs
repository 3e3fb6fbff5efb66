//! One load of a page over one connection, with both ends in this kernel.

use std::io;
use std::time::Duration;

use netsim::event_queue::EventQueue;
use netsim::link::{Arrival, Departure, Direction, Drop, Header, Link};
use netsim::time::SimTime;
use socket2::Socket;

use crate::cells::Cell;
use crate::host::{self, Ends, now};
use crate::page::Progress;

/// What is measured of a load.
pub struct Load {
    pub progress: Progress,
    /// Packets that the server sent.
    pub sent: u64,
    /// Packets of the server that the full queue dropped.
    pub dropped: u64,
}

/// Loads the page once. This is load `run` of `runs`, and each of them has its own losses.
pub fn load(ends: &Ends, cell: &Cell, run: u64, runs: u64) -> io::Result<Load> {
    while ends.client.receive()?.is_some() || ends.server.receive()?.is_some() {}
    let mut path = Path::new(cell, run, runs);
    let mut page = PageLoad::new(cell);
    let client = ends.connect()?;
    let mut server: Option<Socket> = None;
    while !page.progress.is_complete() {
        let wait = path.poll_timeout().map_or(LONGEST_WAIT, |at| at.saturating_since(now()));
        let to_server = server.as_ref().map(|server| (server, page.to_write > 0));
        let ready = ends.wait((&client, !page.connected), to_server, wait)?;
        let now = now();
        if ready.server_device
            && let Some(packet) = ends.server.receive()?
        {
            path.offer(now, DOWN, packet);
        }
        if ready.client_device
            && let Some(packet) = ends.client.receive()?
        {
            path.offer(now, UP, packet);
        }
        if ready.client {
            page.serve_client(now, &client)?;
        }
        match &server {
            Some(server) if ready.server => page.serve_server(server)?,
            None if ready.server => server = ends.accept()?,
            _ => {}
        }
        path.deliver(now, ends)?;
    }
    // closing a socket then sends a reset, so that both ends forget the connection immediately
    for socket in [Some(&client), server.as_ref()].into_iter().flatten() {
        socket.set_linger(Some(Duration::ZERO))?;
    }
    Ok(Load { progress: page.progress, sent: path.sent, dropped: path.dropped })
}

const LONGEST_WAIT: Duration = Duration::from_secs(1000);

/// The application at both ends.
struct PageLoad {
    cell: Cell,
    progress: Progress,
    connected: bool,
    received: usize,
    requested: usize,
    answered: usize,
    /// Bytes of responses that the server's socket has not accepted yet.
    to_write: usize,
}

impl PageLoad {
    fn new(cell: &Cell) -> Self {
        let progress = Progress::new(&cell.page());
        PageLoad { cell: cell.clone(), progress, connected: false, received: 0, requested: 0, answered: 0, to_write: 0 }
    }

    fn serve_client(&mut self, now: SimTime, client: &Socket) -> io::Result<()> {
        let page = self.cell.page();
        if !self.connected {
            if let Some(error) = client.take_error()? {
                return Err(error);
            }
            self.connected = true;
            self.progress.start(now);
            host::write(client, page.request_bytes)?;
            return Ok(());
        }
        let before = self.received;
        self.received += host::read(client)?;
        if before < page.index_bytes && self.received >= page.index_bytes {
            host::write(client, page.objects * page.request_bytes)?;
        }
        self.progress.note_stream(now, self.received.saturating_sub(page.index_bytes));
        Ok(())
    }

    fn serve_server(&mut self, server: &Socket) -> io::Result<()> {
        let page = self.cell.page();
        self.requested += host::read(server)?;
        while self.answered < self.requested / page.request_bytes {
            self.to_write += if self.answered == 0 { page.index_bytes } else { page.response_bytes() };
            self.answered += 1;
        }
        if self.to_write > 0 {
            self.to_write -= host::write(server, self.to_write)?;
        }
        Ok(())
    }
}

/// Both directions of the emulated path.
struct Path {
    links: [Link<Vec<u8>>; 2],
    arrivals: EventQueue<(usize, Vec<u8>)>,
    sent: u64,
    dropped: u64,
}

/// The indices of the directions in [`Path::links`].
const DOWN: usize = 0;
const UP: usize = 1;

impl Path {
    fn new(cell: &Cell, run: u64, runs: u64) -> Self {
        let params = cell.path(run, runs);
        let seed = cell.first_seed + run;
        let links = [Link::new(seed, Direction::Down, params.down), Link::new(seed, Direction::Up, params.up)];
        Path { links, arrivals: EventQueue::new(), sent: 0, dropped: 0 }
    }

    /// Takes a packet that an end has sent.
    fn offer(&mut self, now: SimTime, way: usize, packet: Vec<u8>) {
        if packet.is_empty() {
            return;
        }
        let fate = self.links[way].handle_packet(now, Header::data(packet.len()), packet);
        if way == DOWN {
            self.sent += 1;
            self.dropped += u64::from(fate == Err(Drop::QueueFull));
        }
    }

    /// Passes on the packets that are due.
    fn deliver(&mut self, now: SimTime, ends: &Ends) -> io::Result<()> {
        for (way, link) in self.links.iter_mut().enumerate() {
            while let Some(departure) = link.handle_timeout(now) {
                if let Departure::Arrives(Arrival { at, .. }, packet) = departure {
                    self.arrivals.push(at, (way, packet));
                }
            }
        }
        while self.arrivals.next_at().is_some_and(|at| at <= now) {
            let Some((_, (way, packet))) = self.arrivals.pop() else { break };
            if way == DOWN { ends.client.send(&packet)? } else { ends.server.send(&packet)? }
        }
        Ok(())
    }

    fn poll_timeout(&self) -> Option<SimTime> {
        self.links.iter().map(Link::poll_timeout).chain([self.arrivals.next_at()]).flatten().min()
    }
}
