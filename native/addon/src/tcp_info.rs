//! Reads the kernel's view of one of its TCP connections (`TCP_INFO`, tcp(7)). Linux only.

use napi::Env;
use napi::bindgen_prelude::{Null, Object, Unknown};
use napi_derive::napi;

use crate::error::{Result, internal};
use crate::options::integer;

/// `index.d.ts` documents this function.
#[napi]
pub fn tcp_info<'env>(env: &'env Env, fd: Unknown<'_>) -> Result<napi::Either<Object<'env>, Null>> {
    let fd = integer(fd, "fd", 0.0, f64::from(i32::MAX))? as i32;
    let Some(info) = system::read(fd) else { return Ok(napi::Either::B(Null)) };
    to_object(env, &info).map(napi::Either::A).map_err(internal)
}

fn to_object<'env>(env: &'env Env, info: &Info) -> napi::Result<Object<'env>> {
    let mss = f64::from(info.word(SND_MSS));
    let segments = |at: usize| f64::from(info.word(at)) * mss;
    // this is the same sum as in tcp_packets_in_flight of the kernel
    let in_flight = i64::from(info.word(UNACKED)) - i64::from(info.word(SACKED)) - i64::from(info.word(LOST))
        + i64::from(info.word(RETRANS));
    let has_ssthresh = info.word(SND_SSTHRESH) < INFINITE_SSTHRESH;
    let mut object = Object::new(env)?;
    object.set("state", f64::from(state(info)))?;
    object.set("cwndBytes", segments(SND_CWND))?;
    object.set("ssthreshBytes", if has_ssthresh { segments(SND_SSTHRESH) } else { f64::INFINITY })?;
    object.set("flightBytes", in_flight.max(0) as f64 * mss)?;
    object.set("srttNs", f64::from(info.word(RTT)) * NS_PER_US)?;
    object.set("rtoNs", f64::from(info.word(RTO)) * NS_PER_US)?;
    object.set("timeouts", info.half(TOTAL_RTO).map(f64::from))?;
    object.set("retransmittedSegments", f64::from(info.word(TOTAL_RETRANS)))?;
    object.set("deliveryRateBps", info.double_word(DELIVERY_RATE).map(|bytes| bytes as f64 * 8.0))?;
    Ok(object)
}

/// Returns the state's number in `SampleColumns.state`.
fn state(info: &Info) -> u8 {
    match (info.byte(STATE), info.byte(CA_STATE)) {
        (SYN_SENT | SYN_RECV, _) => 0,
        (CLOSE | TIME_WAIT, _) => 5,
        (_, CA_RECOVERY) => 3,
        (_, CA_LOSS) => 4,
        _ if info.word(SND_CWND) < info.word(SND_SSTHRESH) => 1,
        _ => 2,
    }
}

/// `struct tcp_info` as the kernel wrote it (linux/tcp.h). Newer kernels append fields.
struct Info {
    bytes: [u8; MOST_BYTES],
    /// How many of the bytes the kernel has written.
    length: usize,
}

/// Reads fields by their offsets. A field that the kernel has not written is 0 or `None`.
impl Info {
    fn byte(&self, at: usize) -> u8 {
        self.bytes[at]
    }

    fn word(&self, at: usize) -> u32 {
        self.field(at).map_or(0, u32::from_ne_bytes)
    }

    fn half(&self, at: usize) -> Option<u16> {
        self.field(at).map(u16::from_ne_bytes)
    }

    fn double_word(&self, at: usize) -> Option<u64> {
        self.field(at).map(u64::from_ne_bytes)
    }

    fn field<const N: usize>(&self, at: usize) -> Option<[u8; N]> {
        self.bytes[..self.length].get(at..at + N)?.try_into().ok()
    }
}

#[cfg(target_os = "linux")]
mod system {
    use super::{Info, MOST_BYTES};

    /// Returns `None` if the descriptor is closed or is not a TCP socket.
    #[allow(unsafe_code, reason = "Node gives descriptors as numbers, and no crate reads TCP_INFO of a number")]
    pub fn read(fd: i32) -> Option<Info> {
        let mut info = Info { bytes: [0; MOST_BYTES], length: 0 };
        let mut length = MOST_BYTES as libc::socklen_t;
        // SAFETY: the kernel writes at most `length` bytes, the array's size, and checks the descriptor itself
        let code = unsafe {
            libc::getsockopt(fd, libc::IPPROTO_TCP, libc::TCP_INFO, info.bytes.as_mut_ptr().cast(), &raw mut length)
        };
        info.length = MOST_BYTES.min(length as usize);
        (code == 0 && info.length >= super::LEAST_BYTES).then_some(info)
    }
}

#[cfg(not(target_os = "linux"))]
mod system {
    pub fn read(_fd: i32) -> Option<super::Info> {
        None
    }
}

// Offsets of the fields of `struct tcp_info` in linux/tcp.h.
const STATE: usize = 0;
const CA_STATE: usize = 1;
const RTO: usize = 8;
const SND_MSS: usize = 16;
const UNACKED: usize = 24;
const SACKED: usize = 28;
const LOST: usize = 32;
const RETRANS: usize = 36;
const RTT: usize = 68;
const SND_SSTHRESH: usize = 76;
const SND_CWND: usize = 80;
const TOTAL_RETRANS: usize = 100;
/// This field exists since Linux 4.9.
const DELIVERY_RATE: usize = 160;
/// This field exists since Linux 6.7.
const TOTAL_RTO: usize = 240;

/// The number of bytes that every kernel since Linux 2.6 fills.
const LEAST_BYTES: usize = 104;
/// A size that is larger than the struct of any kernel.
const MOST_BYTES: usize = 512;

/// `TCP_INFINITE_SSTHRESH` of the kernel.
const INFINITE_SSTHRESH: u32 = 0x7fff_ffff;
const NS_PER_US: f64 = 1000.0;

// include/net/tcp_states.h, and `enum tcp_ca_state` of linux/tcp.h
const SYN_SENT: u8 = 2;
const SYN_RECV: u8 = 3;
const TIME_WAIT: u8 = 6;
const CLOSE: u8 = 7;
const CA_RECOVERY: u8 = 3;
const CA_LOSS: u8 = 4;
