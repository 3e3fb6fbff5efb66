//! Connects the TCP of this crate with the TCP of the kernel, in real time. Packets pass through an emulated lossy path
//! between a connection and a TUN device, which is in a network namespace of the test. This requires root and
//! /dev/net/tun; otherwise the tests are skipped.

#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]
#![allow(clippy::disallowed_methods, reason = "the kernel uses real time")]

use std::io::{Read, Write};
use std::net::{Ipv4Addr, SocketAddrV4, TcpStream};
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

use netsim::endpoint::{CloseReason, Endpoint, Event};
use netsim::event_queue::EventQueue;
use netsim::ip::Flow;
use netsim::link::{Arrival, CoDelParams, Departure, Direction, Header, Link, LinkParams, LossModel, QueueKind};
use netsim::packet::{Ecn, EcnMode, set_codepoint};
use netsim::tcp::{Connection, EcnFlags, Options, Profile, Segment};
use netsim::time::SimTime;
use nix::sched::{CloneFlags, unshare};
use socket2::{Domain, Socket, Type};
use tun_rs::{DeviceBuilder, SyncDevice};

const MTU_BYTES: u16 = 1500;
const KERNEL: Ipv4Addr = Ipv4Addr::new(10, 0, 0, 1);
const OURS: Ipv4Addr = Ipv4Addr::new(10, 0, 0, 2);
const KERNEL_PORT: u16 = 5001;
const OUR_PORT: u16 = 5002;
const LIMIT: Duration = Duration::from_secs(60);

#[derive(Clone, Copy, Debug)]
struct Case {
    profile: &'static str,
    /// Whether our end starts the handshake. Otherwise the kernel starts it.
    we_connect: bool,
    loss: f64,
    /// Whether both ends use ECN, and the path marks packets that have waited in its queue for 0.5 ms.
    marks: bool,
    /// Bytes from our end to the kernel.
    upload: usize,
    /// Bytes from the kernel to our end.
    download: usize,
}

#[test]
fn bytes_pass_in_both_directions_between_this_tcp_and_the_kernels() {
    let Some(()) = ready() else { return };
    let mut cases = Vec::new();
    for profile in ["classic", "modern", "reno"] {
        for we_connect in [true, false] {
            for loss in [0.0, 0.03] {
                for (upload, download) in [(400_000, 1000), (1000, 400_000), (100_000, 100_000)] {
                    cases.push(Case { profile, we_connect, loss, marks: false, upload, download });
                }
            }
        }
    }
    let runs: Vec<_> = cases.into_iter().map(|case| thread::spawn(move || exchange(case))).collect();
    for run in runs {
        run.join().unwrap();
    }
}

// RFC 9293 §3.8.6.1
#[test]
fn all_bytes_arrive_after_the_kernel_has_closed_its_window() {
    let Some(()) = ready() else { return };
    let kernel = Kernel::enter();
    let listener = kernel.socket();
    listener.set_recv_buffer_size(8192).unwrap();
    listener.listen(1).unwrap();
    let reader = thread::spawn(move || {
        let mut stream = TcpStream::from(listener.accept().unwrap().0);
        thread::sleep(Duration::from_millis(1500));
        let mut received = Vec::new();
        stream.read_to_end(&mut received).unwrap();
        received
    });
    let case = Case { profile: "modern", we_connect: true, loss: 0.0, marks: false, upload: 100_000, download: 0 };
    let (connection, mut app) = open(&case, kernel.flow());
    kernel.drive(&case, connection, &mut app);
    assert!(reader.join().unwrap() == content(1, case.upload));
}

// RFC 9293 §3.10.7.4, RFC 5961 §3.2
#[test]
fn a_reset_by_the_kernel_ends_the_connection() {
    let Some(()) = ready() else { return };
    let kernel = Kernel::enter();
    let listener = kernel.socket();
    listener.listen(1).unwrap();
    thread::spawn(move || {
        let (socket, _) = listener.accept().unwrap();
        socket.set_linger(Some(Duration::ZERO)).unwrap();
    });
    let case = Case { profile: "classic", we_connect: true, loss: 0.0, marks: false, upload: 10, download: 10 };
    let (connection, mut app) = open(&case, kernel.flow());
    let reason = kernel.drive(&case, connection, &mut app);
    assert_eq!(reason, CloseReason::PeerAbort);
}

/// Returns `None` and prints the reason if this machine cannot run the test.
fn ready() -> Option<()> {
    let reason = if !nix::unistd::geteuid().is_root() {
        "not root"
    } else if !Path::new("/dev/net/tun").exists() {
        "no /dev/net/tun"
    } else {
        return Some(());
    };
    println!("skipped: our TCP against the kernel's: {reason}");
    None
}

// RFC 3168 §6.1
#[test]
fn the_kernel_and_this_tcp_negotiate_ecn_and_answer_marks_alike() {
    let Some(()) = ready() else { return };
    for (we_connect, ecn) in
        [(true, EcnMode::Classic), (false, EcnMode::Classic), (true, EcnMode::L4s), (true, EcnMode::Off)]
    {
        let marks = ecn != EcnMode::Off;
        let (upload, download) = (500_000, 500_000);
        let case = Case { profile: "modern", we_connect, loss: 0.0, marks, upload, download };
        let run = thread::spawn(move || exchange_with(case, ecn)).join().unwrap();
        let of = |way| run.iter().filter(move |seen| seen.way == way);
        let flags: Vec<u8> = run.iter().filter(|seen| seen.is_syn).map(|seen| seen.flags.number()).collect();
        let what = format!("{ecn:?}, we connect: {we_connect}");
        let offer = match ecn {
            EcnMode::Off => 0,
            EcnMode::Classic => 0b011,
            EcnMode::L4s => 0b111,
        };
        assert_eq!(flags[0], offer, "{what}");
        // the kernel has no accurate ECN, so classic ECN is agreed on
        assert_eq!(flags[1], u8::from(marks), "{what}");
        for (way, other) in [(UP, DOWN), (DOWN, UP)] {
            let marked = of(way).filter(|seen| seen.ecn == Ecn::Ce).count();
            let echoes = of(other).filter(|seen| seen.flags.ece && !seen.is_syn).count();
            let reductions = of(way).filter(|seen| seen.flags.cwr && !seen.is_syn).count();
            println!("{what}, way {way}: {marked} marked, {echoes} echoes, {reductions} reductions");
            assert_eq!(marked > 0, marks, "{what}, way {way}");
            assert_eq!(echoes > 0, marks, "{what}, way {way}");
            assert_eq!(reductions > 0, marks, "{what}, way {way}");
            // segments without data must not be ECN-capable
            assert!(of(way).filter(|seen| seen.ecn != Ecn::NotEct).all(|seen| seen.bytes > 0), "{what}");
        }
    }
}

/// A segment that the path did not lose.
#[derive(Clone, Copy, Debug)]
struct Seen {
    /// [`UP`] from our end, or [`DOWN`] from the kernel.
    way: usize,
    is_syn: bool,
    flags: EcnFlags,
    /// The codepoint with which the segment arrives.
    ecn: Ecn,
    bytes: usize,
}

const UP: usize = 0;
const DOWN: usize = 1;

fn exchange(case: Case) {
    exchange_with(case, EcnMode::Off);
}

/// Lets both ends send all their data and close, and compares the received data. Returns the segments that the path did
/// not lose.
fn exchange_with(case: Case, ecn: EcnMode) -> Vec<Seen> {
    let kernel = Kernel::enter();
    if case.marks {
        std::fs::write("/proc/sys/net/ipv4/tcp_ecn", "1").unwrap();
    }
    let socket = kernel.socket();
    if case.marks {
        // BBR, which some kernels have as their default, does not react to marks
        socket.set_tcp_congestion(b"cubic").unwrap();
    }
    if case.we_connect {
        socket.listen(1).unwrap();
    }
    let theirs = thread::spawn(move || {
        let stream = if case.we_connect {
            socket.accept().unwrap().0
        } else {
            socket.connect(&SocketAddrV4::new(OURS, OUR_PORT).into()).unwrap();
            socket
        };
        let mut reading = TcpStream::from(stream);
        let mut writing = reading.try_clone().unwrap();
        let writer = thread::spawn(move || {
            writing.write_all(&content(2, case.download)).unwrap();
            writing.shutdown(std::net::Shutdown::Write).unwrap();
        });
        let mut received = Vec::new();
        reading.read_to_end(&mut received).unwrap();
        writer.join().unwrap();
        received
    });
    let (connection, mut app) = open_with(&case, kernel.flow(), ecn);
    let reason = kernel.drive(&case, connection, &mut app);
    assert_eq!(reason, CloseReason::Finished, "{case:?}");
    assert!(theirs.join().unwrap() == content(1, case.upload), "upload of {case:?}");
    assert!(app.received == content(2, case.download), "download of {case:?}");
    app.seen
}

fn content(seed: u8, bytes: usize) -> Vec<u8> {
    (0..bytes).map(|at| (at / 251) as u8 ^ (at as u8).wrapping_mul(31) ^ seed).collect()
}

/// Opens our end and its application.
fn open(case: &Case, flow: Flow) -> (Connection, App) {
    open_with(case, flow, EcnMode::Off)
}

/// Like [`open`], but with an ECN mode.
fn open_with(case: &Case, flow: Flow, ecn: EcnMode) -> (Connection, App) {
    let options = Options { ecn, ..Options::new(Profile::named(case.profile).unwrap()) };
    let app = App { upload: content(1, case.upload), written: 0, received: Vec::new(), seen: Vec::new() };
    // the sequence numbers wrap soon after the initial sequence number
    if !case.we_connect {
        return (Connection::server(flow, MTU_BYTES, options, 4_294_960_000), app);
    }
    let mut connection = Connection::client(flow, MTU_BYTES, options, 4_294_960_000);
    connection.connect().unwrap();
    (connection, app)
}

struct App {
    upload: Vec<u8>,
    written: usize,
    received: Vec<u8>,
    seen: Vec<Seen>,
}

impl App {
    fn handle(&mut self, event: &Event, connection: &mut Connection) {
        match event {
            Event::Connected { .. } | Event::Writable => {
                self.written += connection.write(&self.upload[self.written..]).unwrap_or(0);
                if self.written == self.upload.len() {
                    connection.close();
                }
            }
            Event::Readable { .. } => self.received.extend(connection.read()),
            _ => {}
        }
    }
}

/// The kernel in a network namespace of this thread, and the packets that it sends.
struct Kernel {
    device: Arc<SyncDevice>,
    packets: Receiver<Vec<u8>>,
}

impl Kernel {
    /// Moves the calling thread into a new network namespace. Threads that it starts later are also in this namespace.
    /// The namespace and its device are removed when all of these threads have ended.
    fn enter() -> Self {
        unshare(CloneFlags::CLONE_NEWNET).unwrap();
        let device = DeviceBuilder::new().ipv4(KERNEL, 24, None).mtu(MTU_BYTES).build_sync().unwrap();
        let device = Arc::new(device);
        let (sender, packets) = channel();
        let reading = Arc::clone(&device);
        thread::spawn(move || {
            let mut buffer = [0; 65536];
            while let Ok(length) = reading.recv(&mut buffer) {
                // the device also gets packets of IPv6 neighbour discovery
                let is_ipv4 = buffer[0] >> 4 == 4;
                if is_ipv4 && sender.send(buffer[..length].to_vec()).is_err() {
                    return;
                }
            }
        });
        Kernel { device, packets }
    }

    /// A socket at the kernel's address.
    fn socket(&self) -> Socket {
        let socket = Socket::new(Domain::IPV4, Type::STREAM, None).unwrap();
        socket.set_reuse_address(true).unwrap();
        socket.bind(&SocketAddrV4::new(KERNEL, KERNEL_PORT).into()).unwrap();
        socket
    }

    /// The flow from our end to the kernel.
    fn flow(&self) -> Flow {
        Flow { local: SocketAddrV4::new(OURS, OUR_PORT), remote: SocketAddrV4::new(KERNEL, KERNEL_PORT) }
    }

    /// Carries packets in both directions through a path with 50 Mbps and an RTT of 10 ms until our end has closed.
    /// Returns why it closed.
    fn drive(&self, case: &Case, mut connection: Connection, app: &mut App) -> CloseReason {
        let loss = LossModel::Bernoulli { rate: case.loss };
        let mut params = LinkParams::new(50_000_000, Duration::from_millis(5)).with_loss(loss);
        if case.marks {
            let mark_from = Some(Duration::from_micros(500));
            params.queue = QueueKind::CoDel(CoDelParams { mark_from, ..CoDelParams::default() });
        }
        let flows = [self.flow().reversed(), self.flow()];
        let mut links = [Direction::Up, Direction::Down].map(|way| Link::<Vec<u8>>::new(7, way, params.clone()));
        let mut arrivals = EventQueue::new();
        let start = Instant::now();
        loop {
            let now = SimTime::from_ns(start.elapsed().as_nanos() as u64);
            assert!(start.elapsed() < LIMIT, "not done in {LIMIT:?}");
            for (way, link) in links.iter_mut().enumerate() {
                while let Some(Departure::Arrives(Arrival { at, ecn, .. }, mut packet)) = link.handle_timeout(now) {
                    if ecn == Ecn::Ce {
                        set_codepoint(&mut packet, ecn);
                    }
                    if let Some(segment) = Segment::parse(&flows[way], &packet) {
                        let (is_syn, flags, bytes) = (segment.syn, segment.ecn_flags, segment.payload.len());
                        app.seen.push(Seen { way, is_syn, flags, ecn, bytes });
                    }
                    arrivals.push(at, (way, packet));
                }
            }
            while arrivals.next_at().is_some_and(|at| at <= now) {
                match arrivals.pop() {
                    Some((_, (0, packet))) => drop(self.device.send(&packet)),
                    Some((_, (_, packet))) => connection.handle_packet(now, &packet),
                    None => {}
                }
            }
            if connection.poll_timeout().is_some_and(|at| at <= now) {
                connection.handle_timeout(now);
            }
            while let Some(event) = connection.poll_event() {
                if let Event::Closed(reason) = event {
                    self.flush(now, &mut connection);
                    return reason;
                }
                app.handle(&event, &mut connection);
            }
            while let Some(transmit) = connection.poll_transmit(now) {
                let packet = transmit.packet.into_wire();
                let _ = links[UP].handle_packet(now, header(&packet), packet);
            }
            let timers = links.iter().map(Link::poll_timeout).chain([arrivals.next_at(), connection.poll_timeout()]);
            let next = timers.flatten().min().unwrap_or(SimTime::MAX);
            let wait = next.saturating_since(now).min(Duration::from_millis(5));
            if let Ok(packet) = self.packets.recv_timeout(wait) {
                let now = SimTime::from_ns(start.elapsed().as_nanos() as u64);
                let _ = links[DOWN].handle_packet(now, header(&packet), packet);
            }
        }
    }

    /// Sends the last acknowledgement without the lossy path, so that the kernel's end also closes.
    fn flush(&self, now: SimTime, connection: &mut Connection) {
        while let Some(transmit) = connection.poll_transmit(now) {
            let _ = self.device.send(&transmit.packet.into_wire());
        }
    }
}

fn header(packet: &[u8]) -> Header {
    Header { ecn: Ecn::of_packet(packet), ..Header::data(packet.len()) }
}
