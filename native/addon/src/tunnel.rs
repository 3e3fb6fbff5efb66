//! A network namespace with a TUN device, and the packets between the namespace and the rest of the machine. This
//! module exists on Linux only.

use std::fs::File;
use std::io;
use std::net::Ipv4Addr;
use std::os::fd::AsRawFd;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::sync_channel;
use std::thread::{self, JoinHandle};

use binding::mtu;
use napi::Status;
use napi::bindgen_prelude::{FnArgs, Function, JsObjectValue, This, Uint8Array, Unknown};
use napi::threadsafe_function::{ThreadsafeFunction, ThreadsafeFunctionCallMode};
use napi_derive::napi;
use netsim::link::Direction;
use nix::sched::{CloneFlags, unshare};
use serde::Deserialize;
use tun_rs::{DeviceBuilder, InterruptEvent, SyncDevice};

use crate::arguments::byte_array;
use crate::error::{Result, internal, invalid_state};
use crate::guarded::Guarded;
use crate::options::{direction, parse};

/// The arguments of the JavaScript callback.
type Arguments = FnArgs<(&'static str, Uint8Array)>;
type PacketCallback = ThreadsafeFunction<(Direction, Vec<u8>), (), Arguments, Status, false, false, MOST_WAITING>;

/// Two TUN devices and the namespace of one of them. `index.d.ts` documents this class.
#[napi]
pub struct Tunnel {
    ends: Guarded<Ends>,
}

#[napi]
impl Tunnel {
    #[napi(constructor)]
    pub fn new(
        this: This<'_>,
        options: Unknown<'_>,
        on_packet: Function<'_, FnArgs<(&'static str, Uint8Array)>, ()>,
    ) -> Result<Self> {
        if !this.has_named_property("namespacePath").map_err(internal)? {
            return Err(invalid_state("Tunnel is a class: call it with new"));
        }
        let options = parse::<Options>(options, "options")?;
        let mtu_bytes = mtu(options.mtu_bytes)?;
        let on_packet = on_packet
            .build_threadsafe_function::<(Direction, Vec<u8>)>()
            .max_queue_size::<MOST_WAITING>()
            .build_callback(|call| {
                let (way, packet) = call.value;
                Ok((name_of(way), Uint8Array::new(packet)).into())
            })
            .map_err(internal)?;
        let ends = Ends::open(&options, mtu_bytes, &Arc::new(on_packet))
            .map_err(|error| invalid_state(format!("cannot make a network namespace with a TUN device: {error}")))?;
        Ok(Tunnel { ends: Guarded::new("tunnel", ends) })
    }

    #[napi]
    pub fn send(&mut self, way: Unknown<'_>, bytes: Unknown<'_>) -> Result<bool> {
        let (way, bytes) = (direction(way)?, byte_array(bytes)?);
        self.ends.call(|ends| Ok(ends.end(way).device.send(&bytes).is_ok()))
    }

    #[napi(getter)]
    pub fn namespace_path(&mut self) -> Result<String> {
        self.ends.call(|ends| Ok(format!("/proc/{}/fd/{}", std::process::id(), ends.namespace.as_raw_fd())))
    }

    #[napi(getter)]
    pub fn device_name(&mut self) -> Result<String> {
        self.ends.call(|ends| ends.outside.device.name().map_err(invalid_state))
    }

    #[napi(getter)]
    pub fn missed(&mut self) -> Result<f64> {
        self.ends.call(|ends| Ok(ends.missed.load(Ordering::Relaxed) as f64))
    }

    #[napi]
    pub fn close(&mut self) -> Result<()> {
        self.ends.free()
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Options {
    inside: Ipv4Addr,
    outside: Ipv4Addr,
    mtu_bytes: f64,
}

struct Ends {
    inside: End,
    outside: End,
    /// The namespace exists as long as this file is open.
    namespace: File,
    missed: Arc<AtomicU64>,
}

impl Ends {
    fn open(
        &Options { inside, outside, .. }: &Options,
        mtu_bytes: u16,
        on_packet: &Arc<PacketCallback>,
    ) -> io::Result<Self> {
        let missed = Arc::new(AtomicU64::new(0));
        let reader = |way| Reader { way, on_packet: Arc::clone(on_packet), missed: Arc::clone(&missed) };
        let (inside, namespace) = End::open(reader(Direction::Up), move || {
            unshare(CloneFlags::CLONE_NEWNET)?;
            Ok((device(inside, mtu_bytes)?, File::open("/proc/thread-self/ns/net")?))
        })?;
        let (outside, ()) = End::open(reader(Direction::Down), move || Ok((device(outside, mtu_bytes)?, ())))?;
        Ok(Ends { inside, outside, namespace, missed })
    }

    /// Returns the end that delivers packets of this direction.
    fn end(&self, way: Direction) -> &End {
        match way {
            Direction::Down => &self.inside,
            Direction::Up => &self.outside,
        }
    }
}

/// One device and the thread that reads it.
struct End {
    device: Arc<SyncDevice>,
    stop: Arc<InterruptEvent>,
    thread: Option<JoinHandle<()>>,
}

impl End {
    /// Starts the thread. `make` runs on the new thread, because a namespace belongs to a thread.
    fn open<T: Send + 'static>(
        reader: Reader,
        make: impl FnOnce() -> io::Result<(SyncDevice, T)> + Send + 'static,
    ) -> io::Result<(Self, T)> {
        let stop = Arc::new(InterruptEvent::new()?);
        let (made, awaited) = sync_channel(1);
        let stopping = Arc::clone(&stop);
        let thread = thread::Builder::new().name("tunnel".to_owned()).spawn(move || {
            let opened = make().map(|(device, more)| (Arc::new(device), more));
            let device = opened.as_ref().ok().map(|(device, _)| Arc::clone(device));
            if made.send(opened).is_ok()
                && let Some(device) = device
            {
                reader.read(&device, &stopping);
            }
        })?;
        let (device, more) = awaited.recv().map_err(io::Error::other)??;
        Ok((End { device, stop, thread: Some(thread) }, more))
    }
}

/// Ends the thread. The kernel removes the device when neither the thread nor this end has the device open any more.
impl Drop for End {
    fn drop(&mut self) {
        let is_told = self.stop.trigger().is_ok();
        if let Some(thread) = self.thread.take().filter(|_| is_told) {
            let _ = thread.join();
        }
    }
}

/// Passes a device's packets to JavaScript.
struct Reader {
    way: Direction,
    on_packet: Arc<PacketCallback>,
    missed: Arc<AtomicU64>,
}

impl Reader {
    fn read(&self, device: &SyncDevice, stop: &InterruptEvent) {
        let mut buffer = vec![0; MOST_PACKET_BYTES];
        while let Ok(length) = device.recv_intr(&mut buffer, stop) {
            // The devices have no IPv6 address, so IPv6 packets are from the kernel itself. If they were passed on, the
            // path would count them, and the packets of a load would have other numbers than in a computed run. So
            // other packets of the load would be lost.
            if length == 0 || buffer[0] >> 4 != 4 {
                continue;
            }
            // this call must not block: JavaScript may be waiting for this thread to end
            let packet = (self.way, buffer[..length].to_vec());
            if self.on_packet.call(packet, ThreadsafeFunctionCallMode::NonBlocking) != Status::Ok {
                self.missed.fetch_add(1, Ordering::Relaxed);
            }
        }
    }
}

fn device(address: Ipv4Addr, mtu_bytes: u16) -> io::Result<SyncDevice> {
    // the kernel replaces %d with the first free number
    let device = DeviceBuilder::new().name("interleave%d").mtu(mtu_bytes).ipv4(address, PREFIX_BITS, None);
    let device = device.build_sync()?;
    device.set_nonblocking(true)?; // recv_intr needs it
    Ok(device)
}

fn name_of(way: Direction) -> &'static str {
    match way {
        Direction::Down => "down",
        Direction::Up => "up",
    }
}

/// The length of the prefix of a network of 16 addresses. Fourteen of the addresses are for hosts. One of them is the
/// address outside. The others are for the namespace, which has one of them at a time.
const PREFIX_BITS: u8 = 28;
const MOST_PACKET_BYTES: usize = 65_535;
/// How many packets may wait for JavaScript. This is a few megabytes, and more than the queue of the device holds.
const MOST_WAITING: usize = 4096;
