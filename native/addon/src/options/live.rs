//! Options of ends whose peer is on a real network.

use binding::{MAX_SAFE_INTEGER, RawQuic, RawSctp, RawTcp, Result, buffer, invalid, mtu, whole};
use netsim::trace::Recording;
use netsim::{quic, sctp, tcp};
use serde::Deserialize;

/// Options of a client's end of an association.
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

/// Options of either end of a TCP connection.
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
/// Options of a client's end of an encrypted QUIC connection.
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
impl RawAssociation {
    pub fn read(self) -> Result<AssociationOptions> {
        Ok(AssociationOptions {
            sctp: live_sctp(self.sctp)?,
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
            sctp: live_sctp(self.sctp)?,
            mtu_bytes: mtu(self.mtu_bytes)?,
            port: port(self.port, "port")?,
            recording: self.record.unwrap_or_default().read(),
        })
    }
}

impl RawQuicClient {
    pub fn read(self) -> Result<QuicClientOptions> {
        let quic = self.quic.read("quic")?;
        quic.validate().map_err(invalid)?;
        if quic.resumes {
            return Err(invalid("invalid quic.resumes: true (a live client does not remember servers)"));
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

fn live_sctp(sctp: RawSctp) -> Result<sctp::Options> {
    let sctp = sctp.read("sctp")?;
    sctp.validate().map_err(invalid)?;
    if sctp.dtls {
        return Err(invalid("invalid sctp.dtls: true (a live association has no DTLS)"));
    }
    Ok(sctp)
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
fn port(port: f64, name: &str) -> Result<u16> {
    Ok(whole(port, name, 1.0, 65535.0)? as u16)
}
