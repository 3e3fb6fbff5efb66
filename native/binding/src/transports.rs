//! Options of each transport's end, and of both ends of a transport in a run.

use std::num::NonZeroU16;
use std::time::Duration;

use netsim::congestion::{self, Kind};
use netsim::packet::EcnMode;
use netsim::sim::{EndpointId, PathId, Simulation};
use netsim::transport::{Ends, Place};
use netsim::{quic, sctp, tcp};
use serde::Deserialize;

use crate::error::{Result, invalid, open};
use crate::options::{ahead, buffer, grows_from, low_water, whole};

/// Options of both ends of a transport.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RawEnds<T> {
    pub client: T,
    pub server: T,
    /// The number of the path, 0 by default, which is the path of the simulation's options.
    #[serde(default)]
    pub path: u32,
    /// The number of the page load, 0 by default.
    #[serde(default)]
    pub page: u32,
    /// The server's port, 80 by default. Only TCP uses it.
    #[serde(default)]
    pub port: Option<NonZeroU16>,
    /// The number of the server's host, 0 by default. Each host up to 253 has an address of its own. The hosts 254 and
    /// 255 have the address of host 253.
    #[serde(default)]
    pub host: u8,
    /// Whether the handshake takes no time, false by default. QUIC does not support it.
    #[serde(default, rename = "freeSetUp")]
    pub free_set_up: bool,
}

/// Where and how a transport is opened: the fields of [`RawEnds`] with these names.
pub struct Opening {
    pub path: u32,
    pub page: u32,
    pub free_set_up: bool,
}

impl Opening {
    /// Opens a transport in a run. `open_ends` makes both ends with the transport's function `open`.
    ///
    /// # Errors
    /// There is no such path or page load, `open_ends` failed, or `free_set_up` is set and the transport does not
    /// support it. In these cases nothing is opened.
    pub fn open(
        self,
        run: &mut Simulation,
        open_ends: impl FnOnce(Place) -> Result<Ends>,
    ) -> Result<(EndpointId, EndpointId)> {
        let path = run.path(PathId(self.path)).map_err(open)?;
        let page = run.page(self.page).map_err(open)?;
        match self.free_set_up {
            true => run.open_to_set_up_at_once(path, page, open_ends),
            false => run.open_on(path, page, open_ends),
        }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct RawTcp {
    profile: String,
    #[serde(default)]
    congestion: Option<String>,
    #[serde(default)]
    ecn: Option<String>,
    #[serde(default)]
    send_buffer_bytes: Option<f64>,
    #[serde(default)]
    receive_buffer_bytes: Option<f64>,
    #[serde(default)]
    low_water_bytes: Option<f64>,
    #[serde(default)]
    ahead_bytes: Option<f64>,
    #[serde(default)]
    ahead_grows_from_bytes: Option<f64>,
    #[serde(default)]
    writes_apart: bool,
    #[serde(default)]
    unlimited_window: bool,
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
    dtls: bool,
    #[serde(default)]
    data_with_cookie_echo: bool,
    #[serde(default)]
    idata: bool,
    #[serde(default = "yes")]
    partial_delivery: bool,
    #[serde(default)]
    send_buffer_bytes: Option<f64>,
    #[serde(default)]
    receive_buffer_bytes: Option<f64>,
    #[serde(default)]
    unlimited_window: bool,
    #[serde(default)]
    low_water_bytes: Option<f64>,
    #[serde(default)]
    ahead_bytes: Option<f64>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct RawQuic {
    profile: String,
    #[serde(default)]
    congestion: Option<String>,
    #[serde(default)]
    ecn: Option<String>,
    #[serde(default)]
    resumes: bool,
    #[serde(default)]
    early_data: bool,
    #[serde(default)]
    compresses_certificate: bool,
    #[serde(default)]
    lacks_hybrid_share: bool,
    #[serde(default)]
    first_datagram_bytes: Option<f64>,
    #[serde(default = "yes")]
    searches_mtu: bool,
    #[serde(default)]
    first_window_packets: Option<f64>,
    #[serde(default)]
    decimates_acks: bool,
    #[serde(default)]
    rttvar_factor: Option<f64>,
    #[serde(default)]
    first_timeout_ms: Option<f64>,
    #[serde(default)]
    paces_each: bool,
    #[serde(default)]
    migration: bool,
    #[serde(default)]
    scheduler: Option<RawQuicScheduler>,
    #[serde(default)]
    send_buffer_bytes: Option<f64>,
    #[serde(default)]
    low_water_bytes: Option<f64>,
    #[serde(default)]
    ahead_bytes: Option<f64>,
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

impl RawTcp {
    pub fn read(self, name: &str) -> Result<tcp::Options> {
        let names = || tcp::Profile::NAMES.join(", ");
        let profile = tcp::Profile::named(&self.profile)
            .ok_or_else(|| invalid(format!("invalid {name}.profile: {} (must be one of {})", self.profile, names())))?;
        let kind = congestion(self.congestion.as_deref(), name)?.unwrap_or(profile.congestion.kind);
        let profile = profile.with_congestion(kind);
        let profile = if self.unlimited_window { profile.with_unlimited_window() } else { profile };
        let defaults = tcp::Options::new(profile);
        let send_buffer_bytes = buffer(self.send_buffer_bytes, name, "sendBufferBytes", defaults.send_buffer_bytes)?;
        let receive = buffer(self.receive_buffer_bytes, name, "receiveBufferBytes", defaults.receive_buffer_bytes)?;
        Ok(tcp::Options {
            profile,
            ecn: ecn(self.ecn.as_deref(), name)?,
            send_buffer_bytes,
            receive_buffer_bytes: receive,
            low_water_bytes: low_water(self.low_water_bytes, name, send_buffer_bytes)?,
            ahead_bytes: ahead(self.ahead_bytes, name)?,
            ahead_grows_from_bytes: grows_from(self.ahead_grows_from_bytes, name)?,
            writes_apart: self.writes_apart,
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
        options.unlimited_window = self.unlimited_window;
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
        (options.dtls, options.data_with_cookie_echo) = (self.dtls, self.data_with_cookie_echo);
        (options.idata, options.partial_delivery) = (self.idata, self.partial_delivery);
        Ok(options)
    }
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
            congestion: congestion(self.congestion.as_deref(), name)?,
            ecn: ecn(self.ecn.as_deref(), name)?,
            resumes: self.resumes,
            early_data: self.early_data,
            compresses_certificate: self.compresses_certificate,
            lacks_hybrid_share: self.lacks_hybrid_share,
            first_datagram_bytes: word(self.first_datagram_bytes, name, "firstDatagramBytes")?,
            searches_mtu: self.searches_mtu,
            first_window_packets: word(self.first_window_packets, name, "firstWindowPackets")?,
            decimates_acks: self.decimates_acks,
            rttvar_factor: match self.rttvar_factor {
                None => defaults.rttvar_factor,
                Some(factor) => whole(factor, &format!("{name}.rttvarFactor"), 1.0, 4.0)? as u8,
            },
            first_timeout: word(self.first_timeout_ms, name, "firstTimeoutMs")?
                .map(|ms| Duration::from_millis(ms.into())),
            paces_each: self.paces_each,
            migration: self.migration,
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

/// Returns the congestion control of this name. Without a name it returns `None`, which means the congestion control of
/// the profile.
fn congestion(given: Option<&str>, name: &str) -> Result<Option<Kind>> {
    let Some(given) = given else { return Ok(None) };
    let names = || congestion::LIST.iter().map(|kind| kind.name).collect::<Vec<_>>().join(", ");
    let unknown = || invalid(format!("invalid {name}.congestion: {given} (must be one of {})", names()));
    Kind::named(given).map(Some).ok_or_else(unknown)
}

/// Returns the use of ECN with this name. Without a name, ECN is off.
fn ecn(given: Option<&str>, name: &str) -> Result<EcnMode> {
    let Some(given) = given else { return Ok(EcnMode::Off) };
    let names = || EcnMode::ALL.map(EcnMode::name).join(", ");
    let unknown = || invalid(format!("invalid {name}.ecn: {given} (must be one of {})", names()));
    EcnMode::ALL.into_iter().find(|mode| mode.name() == given).ok_or_else(unknown)
}

/// Reads a whole number that netsim checks further.
fn word(value: Option<f64>, name: &str, key: &str) -> Result<Option<u16>> {
    value.map(|value| Ok(whole(value, &format!("{name}.{key}"), 0.0, 65535.0)? as u16)).transpose()
}

fn yes() -> bool {
    true
}
