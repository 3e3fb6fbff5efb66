use std::collections::BTreeSet;
use std::num::{NonZeroU16, NonZeroU64};
use std::time::Duration;

use napi::ValueType;
use napi::bindgen_prelude::{FromNapiValue, Unknown};
use netsim::link::{Direction, LinkParams, LossApplies, LossAt, LossModel, PathParams};
use netsim::sim::{RunLimits, SimulationOptions};
use netsim::trace::Recording;
use netsim::{quic, sctp, tcp};
use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::error::{Code, Result, invalid, link};

/// The largest integer that a double holds with all those below it, 2^53 − 1.
pub const MAX_SAFE_INTEGER: f64 = 9_007_199_254_740_991.0;

/// Reads a plain object, or its JSON, which crosses at once; unknown keys are errors.
pub fn parse<T: DeserializeOwned>(value: Unknown<'_>, name: &str) -> Result<T> {
    let is_text = value.get_type().is_ok_and(|kind| kind == ValueType::String);
    if is_text && let Ok(text) = String::from_unknown(value) {
        let mut reader = serde_json::Deserializer::from_str(&text);
        let parsed = serde_path_to_error::deserialize(&mut reader).map_err(|error| unfit(name, &error))?;
        reader.end().map_err(|error| invalid(format!("invalid {name}: {error}")))?;
        return Ok(parsed);
    }
    let plain = serde_json::Value::from_unknown(value)
        .map_err(|error| invalid(format!("invalid {name}: {} (must be plain data)", error.reason)))?;
    serde_path_to_error::deserialize(plain).map_err(|error| unfit(name, &error))
}

fn unfit(name: &str, error: &serde_path_to_error::Error<serde_json::Error>) -> napi::Error<Code> {
    let path = error.path().to_string();
    let at = if path == "." { name.to_owned() } else { format!("{name}.{path}") };
    invalid(format!("invalid {at}: {}", error.inner()))
}

/// Reads a whole number.
pub fn integer(value: Unknown<'_>, name: &str, low: f64, high: f64) -> Result<f64> {
    let number = f64::from_unknown(value)
        .map_err(|_| invalid(format!("invalid {name}: not a number (must be {low}–{high})")))?;
    whole(number, name, low, high)
}

fn whole(number: f64, name: &str, low: f64, high: f64) -> Result<f64> {
    if number.fract() == 0.0 && (low..=high).contains(&number) {
        return Ok(number);
    }
    Err(invalid(format!("invalid {name}: {number} (must be a whole number, {low}–{high})")))
}

pub fn direction(value: Unknown<'_>) -> Result<Direction> {
    match String::from_unknown(value).as_deref() {
        Ok("down") => Ok(Direction::Down),
        Ok("up") => Ok(Direction::Up),
        _ => Err(invalid("invalid direction (must be 'down' or 'up')")),
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct RawSimulation {
    seed: f64,
    path: RawPath,
    #[serde(default)]
    record: Option<RawRecording>,
    #[serde(default)]
    limits: Option<RawLimits>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawLimits {
    packets: f64,
    steps: f64,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct RawPath {
    down: RawLink,
    up: RawLink,
    mtu_bytes: f64,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct RawLink {
    rate_bps: f64,
    delay_ns: f64,
    loss: RawLoss,
    queue_packets: f64,
    #[serde(default)]
    queue_bytes: Option<f64>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, tag = "model", rename_all = "kebab-case")]
enum RawLoss {
    None {
        #[serde(default)]
        applies: RawApplies,
        #[serde(default)]
        at: RawLossAt,
    },
    Bernoulli {
        rate: f64,
        #[serde(default)]
        applies: RawApplies,
        #[serde(default)]
        at: RawLossAt,
    },
    GilbertElliott {
        p: f64,
        r: f64,
        h: f64,
        k: f64,
        #[serde(default)]
        applies: RawApplies,
        #[serde(default)]
        at: RawLossAt,
    },
    List {
        packets: Vec<f64>,
        #[serde(default)]
        applies: RawApplies,
        #[serde(default)]
        at: RawLossAt,
    },
}

#[derive(Clone, Copy, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum RawApplies {
    #[default]
    All,
    Data,
}

#[derive(Clone, Copy, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum RawLossAt {
    #[default]
    Entry,
    Exit,
}

#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct RawRecording {
    packets: Option<bool>,
    samples: Option<bool>,
    bytes: Option<bool>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RawEmulator {
    seed: f64,
    path: RawPath,
}

/// Both ends of a transport.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RawEnds<T> {
    pub client: T,
    pub server: T,
    /// 0, the simulation's own, if it is not said.
    #[serde(default)]
    pub path: u32,
    /// The server's; 80 if it is not said.
    #[serde(default)]
    pub port: Option<NonZeroU16>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct RawTcp {
    profile: String,
    #[serde(default)]
    send_buffer_bytes: Option<f64>,
    #[serde(default)]
    receive_buffer_bytes: Option<f64>,
    #[serde(default)]
    low_water_bytes: Option<f64>,
    #[serde(default)]
    ahead_bytes: Option<f64>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct RawSctp {
    profile: String,
    streams: f64,
    #[serde(default)]
    scheduler: Option<RawScheduler>,
    #[serde(default)]
    weights: Option<Vec<f64>>,
    #[serde(default)]
    idata: bool,
    #[serde(default = "yes")]
    partial_delivery: bool,
    #[serde(default)]
    send_buffer_bytes: Option<f64>,
    #[serde(default)]
    receive_buffer_bytes: Option<f64>,
    #[serde(default)]
    low_water_bytes: Option<f64>,
    #[serde(default)]
    ahead_bytes: Option<f64>,
}

/// A client's end, whose peer is elsewhere.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct RawAssociation {
    sctp: RawSctp,
    mtu_bytes: f64,
    port: f64,
    peer_port: f64,
    seed: f64,
    #[serde(default)]
    record: Option<RawLiveRecording>,
}

pub struct AssociationOptions {
    pub sctp: sctp::Options,
    pub mtu_bytes: u16,
    pub port: u16,
    pub peer_port: u16,
    pub seed: u64,
    pub recording: Recording,
}

/// Either end of a connection, whose peer is elsewhere.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct RawTcpConnection {
    role: Role,
    tcp: RawTcp,
    mtu_bytes: f64,
    port: f64,
    peer_port: f64,
    seed: f64,
    #[serde(default)]
    record: Option<RawLiveRecording>,
}

#[derive(Deserialize, PartialEq)]
#[serde(rename_all = "kebab-case")]
enum Role {
    Client,
    Server,
}

pub struct TcpConnectionOptions {
    pub is_server: bool,
    pub tcp: tcp::Options,
    pub mtu_bytes: u16,
    pub port: u16,
    pub peer_port: u16,
    pub seed: u64,
    pub recording: Recording,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct RawListener {
    sctp: RawSctp,
    mtu_bytes: f64,
    port: f64,
    #[serde(default)]
    record: Option<RawLiveRecording>,
}

pub struct ListenerOptions {
    pub sctp: sctp::Options,
    pub mtu_bytes: u16,
    pub port: u16,
    pub recording: Recording,
}

#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct RawLiveRecording {
    packets: bool,
    samples: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct RawQuic {
    profile: String,
    #[serde(default)]
    zero_rtt: bool,
    #[serde(default)]
    scheduler: Option<RawQuicScheduler>,
    #[serde(default)]
    send_buffer_bytes: Option<f64>,
    #[serde(default)]
    low_water_bytes: Option<f64>,
    #[serde(default)]
    ahead_bytes: Option<f64>,
}

/// A client's end of an encrypted connection, whose peer is elsewhere.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct RawQuicClient {
    quic: RawQuic,
    mtu_bytes: f64,
    fingerprint: String,
    #[serde(default)]
    record: Option<RawLiveRecording>,
}

pub struct QuicClientOptions {
    pub quic: quic::Options,
    pub mtu_bytes: u16,
    pub fingerprint: [u8; 32],
    pub recording: Recording,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct RawQuicListener {
    quic: RawQuic,
    mtu_bytes: f64,
    receive_bytes: f64,
    names: Vec<String>,
    #[serde(default)]
    record: Option<RawLiveRecording>,
}

pub struct QuicListenerOptions {
    pub quic: quic::Options,
    pub mtu_bytes: u16,
    pub receive_bytes: u32,
    pub names: Vec<String>,
    pub recording: Recording,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum RawQuicScheduler {
    RoundRobin,
    FirstCome,
}

#[derive(Clone, Copy, Deserialize, PartialEq)]
#[serde(rename_all = "kebab-case")]
enum RawScheduler {
    RoundRobin,
    FirstCome,
    Weighted,
}

impl RawSimulation {
    pub fn read(self) -> Result<(SimulationOptions, RunLimits)> {
        let limits = self.limits.map_or(Ok(RunLimits::NONE), RawLimits::read)?;
        let record = self.record.unwrap_or_default();
        let is_on = |flag: Option<bool>| flag.unwrap_or(false);
        let options = SimulationOptions {
            seed: whole(self.seed, "seed", 0.0, MAX_SAFE_INTEGER)? as u64,
            path: self.path.read()?,
            recording: Recording {
                packets: is_on(record.packets),
                samples: is_on(record.samples),
                bytes: is_on(record.bytes),
            },
        };
        Ok((options, limits))
    }
}

impl RawLimits {
    fn read(self) -> Result<RunLimits> {
        Ok(RunLimits {
            packets: whole(self.packets, "limits.packets", 1.0, MAX_SAFE_INTEGER)? as u64,
            steps: whole(self.steps, "limits.steps", 1.0, MAX_SAFE_INTEGER)? as u64,
        })
    }
}

impl RawEmulator {
    pub fn read(self) -> Result<(u64, PathParams)> {
        Ok((whole(self.seed, "seed", 0.0, MAX_SAFE_INTEGER)? as u64, self.path.read()?))
    }
}

impl RawPath {
    pub fn read(self) -> Result<PathParams> {
        Ok(PathParams {
            down: self.down.read("path.down")?,
            up: self.up.read("path.up")?,
            mtu_bytes: whole(self.mtu_bytes, "path.mtuBytes", 576.0, 65535.0)? as u16,
        })
    }
}

impl RawLink {
    /// `name` is the path of this object, for errors.
    pub fn read(self, name: &str) -> Result<LinkParams> {
        let key = |key: &str| format!("{name}.{key}");
        let (loss, applies, at) = match self.loss {
            RawLoss::None { applies, at } => (LossModel::None, applies, at),
            RawLoss::Bernoulli { rate, applies, at } => (LossModel::Bernoulli { rate }, applies, at),
            RawLoss::GilbertElliott { p, r, h, k, applies, at } => {
                (LossModel::GilbertElliott { p, r, h, k }, applies, at)
            }
            RawLoss::List { packets, applies, at } => {
                let number = |packet: f64| Ok(whole(packet, &key("loss.packets"), 0.0, MAX_SAFE_INTEGER)? as u64);
                let packets = packets.into_iter().map(number).collect::<Result<BTreeSet<u64>>>()?;
                (LossModel::List(packets), applies, at)
            }
        };
        let loss_applies = match applies {
            RawApplies::All => LossApplies::All,
            RawApplies::Data => LossApplies::Data,
        };
        let loss_at = match at {
            RawLossAt::Entry => LossAt::Entry,
            RawLossAt::Exit => LossAt::Exit,
        };
        let queue_bytes = match self.queue_bytes {
            Some(bytes) => Some(whole(bytes, &key("queueBytes"), 1.0, MAX_SAFE_INTEGER)? as u64),
            None => None,
        };
        let params = LinkParams {
            rate_bps: whole(self.rate_bps, &key("rateBps"), 1.0, 1e12)? as u64,
            delay: Duration::from_nanos(whole(self.delay_ns, &key("delayNs"), 0.0, 3.6e12)? as u64),
            loss,
            loss_applies,
            loss_at,
            queue_packets: whole(self.queue_packets, &key("queuePackets"), 1.0, f64::from(u32::MAX))? as u32,
            queue_bytes,
        };
        params.validate().map_err(link)?;
        Ok(params)
    }
}

impl RawTcp {
    pub fn read(self, name: &str) -> Result<tcp::Options> {
        let names = || tcp::Profile::NAMES.join(", ");
        let profile = tcp::Profile::named(&self.profile)
            .ok_or_else(|| invalid(format!("invalid {name}.profile: {} (must be one of {})", self.profile, names())))?;
        let defaults = tcp::Options::new(profile);
        let send_buffer_bytes = buffer(self.send_buffer_bytes, name, "sendBufferBytes", defaults.send_buffer_bytes)?;
        let receive = buffer(self.receive_buffer_bytes, name, "receiveBufferBytes", defaults.receive_buffer_bytes)?;
        Ok(tcp::Options {
            profile,
            send_buffer_bytes,
            receive_buffer_bytes: receive,
            low_water_bytes: low_water(self.low_water_bytes, name, send_buffer_bytes)?,
            ahead_bytes: ahead(self.ahead_bytes, name)?,
        })
    }
}

impl RawSctp {
    pub fn read(self, name: &str) -> Result<sctp::Options> {
        let names = || sctp::Profile::ALL.map(sctp::Profile::name).join(", ");
        let profile = sctp::Profile::from_name(&self.profile)
            .ok_or_else(|| invalid(format!("invalid {name}.profile: {} (must be one of {})", self.profile, names())))?;
        let streams = whole(self.streams, &format!("{name}.streams"), 1.0, 65535.0)? as u16;
        let mut options = sctp::Options::new(profile, streams);
        options.send_buffer_bytes = buffer(self.send_buffer_bytes, name, "sendBufferBytes", options.send_buffer_bytes)?;
        if self.receive_buffer_bytes.is_some() {
            let bytes = buffer(self.receive_buffer_bytes, name, "receiveBufferBytes", 0)?;
            options.receive_buffer_bytes = Some(bytes as usize);
        }
        options.low_water_bytes = low_water(self.low_water_bytes, name, options.send_buffer_bytes)?;
        options.ahead_bytes = ahead(self.ahead_bytes, name)?;
        if self.weights.is_some() && self.scheduler != Some(RawScheduler::Weighted) {
            return Err(invalid(format!("invalid {name}.weights: the scheduler is not 'weighted'")));
        }
        let weight = |weight: f64| Ok(whole(weight, &format!("{name}.weights"), 1.0, 65535.0)? as u16);
        options.scheduler = match self.scheduler {
            None | Some(RawScheduler::RoundRobin) => sctp::SchedulerPolicy::RoundRobin,
            Some(RawScheduler::FirstCome) => sctp::SchedulerPolicy::FirstCome,
            Some(RawScheduler::Weighted) => sctp::SchedulerPolicy::Weighted(
                self.weights.unwrap_or_default().into_iter().map(weight).collect::<Result<_>>()?,
            ),
        };
        (options.idata, options.partial_delivery) = (self.idata, self.partial_delivery);
        Ok(options)
    }
}

impl RawAssociation {
    pub fn read(self) -> Result<AssociationOptions> {
        let sctp = self.sctp.read("sctp")?;
        sctp.validate().map_err(invalid)?;
        Ok(AssociationOptions {
            sctp,
            mtu_bytes: mtu(self.mtu_bytes)?,
            port: port(self.port, "port")?,
            peer_port: port(self.peer_port, "peerPort")?,
            seed: whole(self.seed, "seed", 0.0, MAX_SAFE_INTEGER)? as u64,
            recording: self.record.unwrap_or_default().read(),
        })
    }
}

impl RawTcpConnection {
    pub fn read(self) -> Result<TcpConnectionOptions> {
        Ok(TcpConnectionOptions {
            is_server: self.role == Role::Server,
            tcp: self.tcp.read("tcp")?,
            mtu_bytes: mtu(self.mtu_bytes)?,
            port: port(self.port, "port")?,
            peer_port: port(self.peer_port, "peerPort")?,
            seed: whole(self.seed, "seed", 0.0, MAX_SAFE_INTEGER)? as u64,
            recording: self.record.unwrap_or_default().read(),
        })
    }
}

impl RawListener {
    pub fn read(self) -> Result<ListenerOptions> {
        Ok(ListenerOptions {
            sctp: self.sctp.read("sctp")?,
            mtu_bytes: mtu(self.mtu_bytes)?,
            port: port(self.port, "port")?,
            recording: self.record.unwrap_or_default().read(),
        })
    }
}

impl RawQuicClient {
    pub fn read(self) -> Result<QuicClientOptions> {
        let quic = self.quic.read("quic")?;
        if quic.zero_rtt {
            return Err(invalid("invalid quic.zeroRtt: true (no server is remembered)"));
        }
        Ok(QuicClientOptions {
            quic,
            mtu_bytes: quic_mtu(self.mtu_bytes)?,
            fingerprint: fingerprint(&self.fingerprint)?,
            recording: self.record.unwrap_or_default().read(),
        })
    }
}

impl RawQuicListener {
    pub fn read(self) -> Result<QuicListenerOptions> {
        Ok(QuicListenerOptions {
            quic: self.quic.read("quic")?,
            mtu_bytes: quic_mtu(self.mtu_bytes)?,
            receive_bytes: buffer(Some(self.receive_bytes), "options", "receiveBytes", 0)? as u32,
            names: self.names,
            recording: self.record.unwrap_or_default().read(),
        })
    }
}

fn quic_mtu(bytes: f64) -> Result<u16> {
    Ok(whole(bytes, "mtuBytes", f64::from(quic::packet::MIN_MTU_BYTES), 65535.0)? as u16)
}

fn fingerprint(hex: &str) -> Result<[u8; 32]> {
    let digits: Option<Vec<u8>> = hex.chars().map(|digit| Some(digit.to_digit(16)? as u8)).collect();
    let bytes: Vec<u8> =
        digits.unwrap_or_default().chunks(2).map(|pair| pair.iter().fold(0, |byte, digit| byte << 4 | digit)).collect();
    <[u8; 32]>::try_from(bytes)
        .ok()
        .filter(|_| hex.len() == 64)
        .ok_or_else(|| invalid(format!("invalid fingerprint: {hex} (must be 64 hexadecimal digits)")))
}

impl RawLiveRecording {
    fn read(self) -> Recording {
        Recording { packets: self.packets, samples: self.samples, bytes: false }
    }
}

pub fn mtu(bytes: f64) -> Result<u16> {
    Ok(whole(bytes, "mtuBytes", 576.0, 65535.0)? as u16)
}

fn port(port: f64, name: &str) -> Result<u16> {
    Ok(whole(port, name, 1.0, 65535.0)? as u16)
}

fn yes() -> bool {
    true
}

impl RawQuic {
    pub fn read(self, name: &str) -> Result<quic::Options> {
        let profile = quic::Profile::from_name(&self.profile).ok_or_else(|| {
            invalid(format!("invalid {name}.profile: {} (must be one of classic, modern)", self.profile))
        })?;
        let defaults = quic::Options::new(profile);
        let send_buffer_bytes = buffer(self.send_buffer_bytes, name, "sendBufferBytes", defaults.send_buffer_bytes)?;
        Ok(quic::Options {
            profile,
            zero_rtt: self.zero_rtt,
            scheduler: match self.scheduler {
                None | Some(RawQuicScheduler::RoundRobin) => quic::Scheduler::RoundRobin,
                Some(RawQuicScheduler::FirstCome) => quic::Scheduler::FirstCome,
            },
            send_buffer_bytes,
            low_water_bytes: low_water(self.low_water_bytes, name, send_buffer_bytes)?,
            ahead_bytes: ahead(self.ahead_bytes, name)?,
        })
    }
}

fn buffer(bytes: Option<f64>, name: &str, key: &str, default: u64) -> Result<u64> {
    let Some(bytes) = bytes else { return Ok(default) };
    Ok(whole(bytes, &format!("{name}.{key}"), 1024.0, f64::from(1 << 30))? as u64)
}

fn low_water(bytes: Option<f64>, name: &str, send_buffer_bytes: u64) -> Result<u64> {
    let Some(bytes) = bytes else { return Ok(send_buffer_bytes / 2) };
    Ok(whole(bytes, &format!("{name}.lowWaterBytes"), 0.0, send_buffer_bytes as f64)? as u64)
}

fn ahead(bytes: Option<f64>, name: &str) -> Result<Option<NonZeroU64>> {
    let Some(bytes) = bytes else { return Ok(None) };
    Ok(NonZeroU64::new(whole(bytes, &format!("{name}.aheadBytes"), 1.0, f64::from(1 << 30))? as u64))
}
