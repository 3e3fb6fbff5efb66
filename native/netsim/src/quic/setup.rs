//! The configuration of quinn.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use quinn_proto::{
    AckFrequencyConfig, ClientConfig, Endpoint, EndpointConfig, IdleTimeout, MtuDiscoveryConfig, ServerConfig,
    TransportConfig, ValidationTokenConfig, VarInt,
};
use rand_chacha::rand_core::Rng;

use super::congestion::SharedWindow;
use super::identifiers::Identifiers;
use super::profile::ProfileSettings;
use super::protection::{Protection, Role};
use super::token::{EachToken, NoClock, Remembered};

/// The parameters of an end's configuration.
#[derive(Clone, Debug)]
pub struct Setup {
    pub settings: ProfileSettings,
    /// The most bytes, over all streams, that may have arrived here without having been read; `None` means no limit.
    pub receive_bytes: Option<u32>,
    /// The tokens of NEW_TOKEN frames; `None` if they are neither sent nor accepted.
    pub tokens: Option<Tokens>,
    /// Whether a server lets its client change its address.
    pub migration: bool,
    /// Whether a client sends a PING if it has neither sent nor received a packet for [`KEEP_ALIVE`].
    pub keeps_alive: bool,
}

/// The tokens of NEW_TOKEN frames (RFC 9000 §8.1.3).
#[derive(Clone, Debug)]
pub struct Tokens {
    /// The token that a client has from an earlier connection; `None` if there was none.
    pub remembered: Option<Bytes>,
}

/// A configured endpoint of quinn that is not connected. A client needs `client` to connect.
pub struct Configured {
    pub endpoint: Endpoint,
    pub client: Option<ClientConfig>,
}

impl Setup {
    /// Makes an endpoint. All random numbers come from `identifiers`, except those of TLS.
    pub fn configure(&self, window: &SharedWindow, mut identifiers: Identifiers, protection: Protection) -> Configured {
        let transport = Arc::new(self.transport(window));
        let mut seed = [0; 32];
        identifiers.random.fill_bytes(&mut seed);
        let first_destination = identifiers.first_destination();
        let mut config = EndpointConfig::new(protection.reset_key);
        config.rng_seed(Some(seed)).grease_quic_bit(false).cid_generator(move || Box::new(identifiers.clone()));
        // quinn's default fits the MTU of Ethernet, and this path may have another MTU
        let Ok(_) = config.max_udp_payload_size(self.settings.datagram_bytes) else {
            unreachable!("datagrams of {} bytes", self.settings.datagram_bytes);
        };
        let (server, client) = match protection.role {
            Role::Server(crypto, token_key) => {
                let mut server = ServerConfig::new(crypto, token_key);
                server.transport_config(transport).migration(self.migration);
                if self.tokens.is_some() {
                    let mut tokens = ValidationTokenConfig::default();
                    tokens.log(Arc::new(EachToken)).sent(self.settings.sends_token.into());
                    server.validation_token_config(tokens).time_source(Arc::new(NoClock));
                }
                (Some(Arc::new(server)), None)
            }
            Role::Client(crypto) => {
                let mut client = ClientConfig::new(crypto);
                client.transport_config(transport);
                client.initial_dst_cid_provider(Arc::new(move || first_destination));
                if let Some(Tokens { remembered: Some(token) }) = &self.tokens {
                    client.token_store(Arc::new(Remembered(token.clone())));
                }
                (None, Some(client))
            }
        };
        Configured { endpoint: Endpoint::new(Arc::new(config), server, true, None), client }
    }

    fn transport(&self, window: &SharedWindow) -> TransportConfig {
        let mut ack_frequency = AckFrequencyConfig::default();
        ack_frequency
            // RFC 9000 §13.2.1, §13.2.2: every second packet and each packet out of order are acknowledged immediately
            .ack_eliciting_threshold(VarInt::from_u32(1))
            .reordering_threshold(VarInt::from_u32(1))
            .max_ack_delay(Some(self.settings.ack_delay));
        let mut transport = TransportConfig::default();
        transport
            .max_concurrent_bidi_streams(STREAMS.into())
            .max_concurrent_uni_streams(STREAMS.into())
            .stream_receive_window(self.receive_bytes.unwrap_or(RECEIVE_WINDOW_BYTES).into())
            .receive_window(self.receive_bytes.map_or(VarInt::MAX, VarInt::from_u32))
            // `Connection::write` limits the send buffer instead
            .send_window(u64::MAX)
            // streams are scheduled by priority, and streams of the same priority take turns
            .send_fairness(true)
            .max_idle_timeout(Some(IdleTimeout::from(VarInt::from_u32(IDLE_TIMEOUT.as_millis() as u32))))
            .keep_alive_interval(self.keeps_alive.then_some(KEEP_ALIVE))
            .initial_rtt(self.settings.initial_rtt)
            .initial_mtu(self.settings.first_datagram_bytes)
            .mtu_discovery_config(self.mtu_discovery())
            .ack_frequency_config(Some(ack_frequency))
            .datagram_receive_buffer_size(None)
            .enable_segmentation_offload(false)
            .congestion_controller_factory(Arc::new(window.clone()));
        // the settings come from patches
        #[cfg(patched)]
        transport
            .rttvar_factor(self.settings.rttvar_factor.into())
            .ack_decimation(self.settings.decimates_acks.then_some(DECIMATED_FROM));
        transport
    }

    /// Returns how the end searches for larger datagrams; `None` if it does not search.
    fn mtu_discovery(&self) -> Option<MtuDiscoveryConfig> {
        let ProfileSettings { first_datagram_bytes, searched_datagram_bytes, .. } = self.settings;
        (searched_datagram_bytes > first_datagram_bytes).then(|| {
            let mut config = MtuDiscoveryConfig::default();
            config.upper_bound(searched_datagram_bytes);
            config
        })
    }
}

/// The packet number from which on an end with [`ProfileSettings::decimates_acks`] acknowledges fewer packets
/// (`kMinReceivedBeforeAckDecimation` of QUICHE).
#[cfg(patched)]
const DECIMATED_FROM: u64 = 100;
/// How many streams of each type an end grants to its peer. RFC 9114 §6.1 recommends at least 100.
pub const STREAMS: u32 = 100;
/// The receive window of a stream in bytes, if `receive_bytes` is `None`. It is larger than any page, so flow control
/// never stops a sender. The receive buffers of TCP have the same effect.
const RECEIVE_WINDOW_BYTES: u32 = 1 << 30;
/// A client on a real network sends a PING if it has neither sent nor received a packet for this time. Chromium sends a
/// PING after the same time (`kPingTimeoutSecs`). From the PING, the server also learns the client's new port if a NAT
/// has changed the port.
const KEEP_ALIVE: Duration = Duration::from_secs(15);
/// The time without an answer after which an end gives up. RFC 9308 §3.2 advises against less than 30 s, and TCP
/// retransmits for minutes.
const IDLE_TIMEOUT: Duration = Duration::from_secs(180);
