//! Both ends in this kernel: two network namespaces with a TUN device each.

use std::fs::{self, File};
use std::io::{self, ErrorKind, Read, Write};
use std::net::{Ipv4Addr, SocketAddrV4};
use std::os::fd::AsFd;
use std::process::Command;
use std::time::Duration;

use netsim::time::SimTime;
use nix::poll::{PollFd, PollFlags, ppoll};
use nix::sched::{CloneFlags, setns, unshare};
use nix::sys::socket::{setsockopt, sockopt};
use nix::sys::time::TimeSpec;
use nix::time::{ClockId, clock_gettime};
use socket2::{Domain, Socket, Type};
use tun_rs::{DeviceBuilder, SyncDevice};

use crate::configs::Config;

const MTU_BYTES: u16 = 1500;
const CLIENT: Ipv4Addr = Ipv4Addr::new(10, 0, 0, 1);
const SERVER: Ipv4Addr = Ipv4Addr::new(10, 0, 0, 2);
const PORT: u16 = 5001;
/// The send buffer holds a whole page. The receive buffer grows by itself, as with most programs.
const SEND_BUFFER_BYTES: usize = 16 << 20;
/// The queue of a device is so long that packets are dropped only on the emulated path.
const DEVICE_QUEUE_PACKETS: u32 = 8000;

/// The client's end, the server's end, and the server's listening socket.
pub struct Ends {
    pub client: End,
    pub server: End,
    listener: Socket,
    congestion: &'static str,
}

/// A network namespace with its device.
pub struct End {
    namespace: File,
    device: SyncDevice,
}

/// What [`Ends::wait`] found ready.
#[derive(Clone, Copy, Debug)]
pub struct Ready {
    pub client_device: bool,
    pub server_device: bool,
    pub client: bool,
    /// The server's socket, or its listener if there is no socket yet.
    pub server: bool,
}

impl Ends {
    pub fn open(config: &Config) -> io::Result<Self> {
        // a process that sleeps until a packet is due must not wake up later
        let _ = nix::sys::prctl::set_timerslack(1);
        let (client, server) = (End::open(CLIENT, config)?, End::open(SERVER, config)?);
        let listener = server.socket(config.congestion)?;
        listener.bind(&SocketAddrV4::new(SERVER, PORT).into())?;
        listener.listen(1)?;
        Ok(Ends { client, server, listener, congestion: config.congestion })
    }

    /// Starts a connection.
    pub fn connect(&self) -> io::Result<Socket> {
        let socket = self.client.socket(self.congestion)?;
        match socket.connect(&SocketAddrV4::new(SERVER, PORT).into()) {
            Err(error) if error.raw_os_error() != Some(nix::errno::Errno::EINPROGRESS as i32) => Err(error),
            _ => Ok(socket),
        }
    }

    /// Accepts a connection. Returns the server's socket, or `None` if no connection waits.
    pub fn accept(&self) -> io::Result<Option<Socket>> {
        let accepted = when_ready(self.listener.accept())?;
        if let Some((socket, _)) = &accepted {
            socket.set_nonblocking(true)?;
        }
        Ok(accepted.map(|(socket, _)| socket))
    }

    /// Waits until a device or a socket is ready for reading, but not longer than `wait`. With `true` beside a socket,
    /// the wait also ends when this socket is ready for writing. If the server has no socket yet, its listener is
    /// watched.
    pub fn wait(&self, client: (&Socket, bool), server: Option<(&Socket, bool)>, wait: Duration) -> io::Result<Ready> {
        let flags = |writes| if writes { PollFlags::POLLIN | PollFlags::POLLOUT } else { PollFlags::POLLIN };
        let server = server.unwrap_or((&self.listener, false));
        let mut polled = [
            PollFd::new(self.client.device.as_fd(), PollFlags::POLLIN),
            PollFd::new(self.server.device.as_fd(), PollFlags::POLLIN),
            PollFd::new(client.0.as_fd(), flags(client.1)),
            PollFd::new(server.0.as_fd(), flags(server.1)),
        ];
        match ppoll(&mut polled, Some(TimeSpec::from_duration(wait)), None) {
            Err(nix::errno::Errno::EINTR) | Ok(_) => {}
            Err(error) => return Err(error.into()),
        }
        let [client_device, server_device, client, server] = polled.map(|one| one.any().unwrap_or(false));
        Ok(Ready { client_device, server_device, client, server })
    }
}

impl End {
    fn open(address: Ipv4Addr, config: &Config) -> io::Result<Self> {
        unshare(CloneFlags::CLONE_NEWNET)?;
        let device = DeviceBuilder::new().ipv4(address, 24, None).mtu(MTU_BYTES).build_sync()?;
        device.set_nonblocking(true)?;
        device.set_tx_queue_len(DEVICE_QUEUE_PACKETS)?;
        // otherwise a connection starts with values of an earlier connection, such as its ssthresh
        fs::write("/proc/sys/net/ipv4/tcp_no_metrics_save", "1")?;
        for (name, value) in config.settings {
            fs::write(format!("/proc/sys/net/ipv4/{name}"), value)?;
        }
        if !config.route.is_empty() {
            let name = device.name()?;
            let route = ["route", "replace", "10.0.0.0/24", "dev", &name, "proto", "kernel", "scope", "link"];
            let source = address.to_string();
            let ip = Command::new("ip").args(route).args(["src", &source]).args(config.route).status()?;
            if !ip.success() {
                return Err(io::Error::other("ip route has failed"));
            }
        }
        Ok(End { namespace: File::open("/proc/thread-self/ns/net")?, device })
    }

    fn socket(&self, congestion: &str) -> io::Result<Socket> {
        setns(&self.namespace, CloneFlags::CLONE_NEWNET)?;
        let socket = Socket::new(Domain::IPV4, Type::STREAM, None)?;
        socket.set_nonblocking(true)?;
        socket.set_reuse_address(true)?;
        socket.set_tcp_nodelay(true)?;
        socket.set_tcp_congestion(congestion.as_bytes())?;
        setsockopt(&socket, sockopt::SndBufForce, &SEND_BUFFER_BYTES)?;
        Ok(socket)
    }

    /// Returns the next packet that this end sends; `None` if there is none. A packet of another protocol than IPv4 is
    /// returned as an empty packet.
    pub fn receive(&self) -> io::Result<Option<Vec<u8>>> {
        let mut buffer = [0; 2048];
        let length = when_ready(self.device.recv(&mut buffer))?;
        Ok(length.map(|length| if buffer[0] >> 4 == 4 { buffer[..length].to_vec() } else { Vec::new() }))
    }

    /// Passes a packet to this end.
    pub fn send(&self, packet: &[u8]) -> io::Result<()> {
        self.device.send(packet).map(|_| ())
    }
}

/// Reads some of what has arrived and returns the number of bytes.
pub fn read(mut socket: &Socket) -> io::Result<usize> {
    match when_ready(socket.read(&mut [0; 65536]))? {
        Some(0) => Err(ErrorKind::UnexpectedEof.into()),
        length => Ok(length.unwrap_or(0)),
    }
}

/// Writes up to `length` bytes and returns the number of bytes that were accepted.
pub fn write(mut socket: &Socket, length: usize) -> io::Result<usize> {
    Ok(when_ready(socket.write(&vec![b'x'; length]))?.unwrap_or(0))
}

/// The kernel's time.
pub fn now() -> SimTime {
    let time = clock_gettime(ClockId::CLOCK_MONOTONIC).map(Duration::from).unwrap_or_default();
    SimTime::from_ns(time.as_nanos() as u64)
}

fn when_ready<T>(result: io::Result<T>) -> io::Result<Option<T>> {
    match result {
        Ok(value) => Ok(Some(value)),
        Err(error) if error.kind() == ErrorKind::WouldBlock => Ok(None),
        Err(error) => Err(error),
    }
}
