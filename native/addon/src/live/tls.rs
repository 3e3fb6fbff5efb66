//! TLS 1.3 for QUIC, with rustls and ring. Each server makes a self-signed certificate. A client accepts only the
//! certificate whose fingerprint is in its options.

use std::sync::{Arc, Mutex, PoisonError};

use netsim::quic::{Protection, Role};
use quinn_proto::crypto::rustls::{QuicClientConfig, QuicServerConfig};
use rcgen::{CertifiedKey, generate_simple_self_signed};
use ring::{digest, hkdf, hmac};
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, verify_tls13_signature};
use rustls::pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer, ServerName, UnixTime};
use rustls::{CertificateError, DigitallySignedStruct, Error, SignatureScheme, version::TLS13};

use crate::error::{Result, invalid};

/// The SHA-256 of a certificate in DER.
pub type Fingerprint = [u8; 32];

/// The fingerprint of the certificate that a server has shown; empty before.
#[derive(Clone, Debug, Default)]
pub struct Shown(Arc<Mutex<Option<Fingerprint>>>);

impl Shown {
    pub fn get(&self) -> Option<Fingerprint> {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Makes TLS for a client that accepts one certificate only. `key` must be random.
pub fn client(pinned: Fingerprint, key: &[u8]) -> Result<(Protection, Shown)> {
    let (provider, shown) = (provider(), Shown::default());
    let verifier = Pinned { pinned, shown: shown.clone(), provider: provider.clone() };
    let mut config = rustls::ClientConfig::builder_with_provider(provider)
        .with_protocol_versions(&[&TLS13])
        .map_err(invalid)?
        .dangerous()
        .with_custom_certificate_verifier(Arc::new(verifier))
        .with_no_client_auth();
    config.alpn_protocols = alpn();
    config.resumption = rustls::client::Resumption::disabled();
    let config = QuicClientConfig::try_from(config).map_err(invalid)?;
    Ok((Protection { role: Role::Client(Arc::new(config)), reset_key: reset_key(key) }, shown))
}

/// A server's certificate and private key (PKCS #8), both in DER.
pub struct Identity {
    pub certificate: Vec<u8>,
    pub private_key: Vec<u8>,
}

impl Identity {
    pub fn fingerprint(&self) -> Fingerprint {
        fingerprint_of(&self.certificate)
    }
}

/// Makes TLS for a server, with a new certificate for these names. `key` must be random.
pub fn server(names: Vec<String>, key: &[u8]) -> Result<(Protection, Identity)> {
    let CertifiedKey { cert, signing_key } =
        generate_simple_self_signed(names).map_err(|error| invalid(format!("invalid names: {error}")))?;
    let identity = Identity { certificate: cert.der().to_vec(), private_key: signing_key.serialize_der() };
    let private = PrivateKeyDer::from(PrivatePkcs8KeyDer::from(identity.private_key.clone()));
    let mut config = rustls::ServerConfig::builder_with_provider(provider())
        .with_protocol_versions(&[&TLS13])
        .map_err(invalid)?
        .with_no_client_auth()
        .with_single_cert(vec![cert.der().clone()], private)
        .map_err(invalid)?;
    config.alpn_protocols = alpn();
    // no session is resumed
    config.send_tls13_tickets = 0;
    let config = Arc::new(QuicServerConfig::try_from(config).map_err(invalid)?);
    let token_key = hkdf::Salt::new(hkdf::HKDF_SHA256, b"retry").extract(key);
    Ok((Protection { role: Role::Server(config, Arc::new(token_key)), reset_key: reset_key(key) }, identity))
}

/// Accepts only the certificate with the pinned fingerprint. Its names and dates are not checked.
#[derive(Debug)]
struct Pinned {
    pinned: Fingerprint,
    shown: Shown,
    provider: Arc<CryptoProvider>,
}

impl ServerCertVerifier for Pinned {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        _intermediates: &[CertificateDer<'_>],
        _server_name: &ServerName<'_>,
        _ocsp_response: &[u8],
        _now: UnixTime,
    ) -> std::result::Result<ServerCertVerified, Error> {
        let shown = fingerprint_of(end_entity);
        *self.shown.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(shown);
        if shown == self.pinned {
            Ok(ServerCertVerified::assertion())
        } else {
            Err(CertificateError::ApplicationVerificationFailure.into())
        }
    }

    fn verify_tls12_signature(
        &self,
        _message: &[u8],
        _certificate: &CertificateDer<'_>,
        _signature: &DigitallySignedStruct,
    ) -> std::result::Result<HandshakeSignatureValid, Error> {
        Err(Error::General("QUIC has TLS 1.3 (RFC 9001 §4.2)".to_owned()))
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> std::result::Result<HandshakeSignatureValid, Error> {
        verify_tls13_signature(message, certificate, signature, &self.provider.signature_verification_algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider.signature_verification_algorithms.supported_schemes()
    }
}

fn provider() -> Arc<CryptoProvider> {
    Arc::new(rustls::crypto::ring::default_provider())
}

fn reset_key(key: &[u8]) -> Arc<hmac::Key> {
    Arc::new(hmac::Key::new(hmac::HMAC_SHA256, key))
}

fn fingerprint_of(certificate: &[u8]) -> Fingerprint {
    let mut fingerprint = [0; 32];
    fingerprint.copy_from_slice(digest::digest(&digest::SHA256, certificate).as_ref());
    fingerprint
}

/// The ALPN of HTTP/3 (RFC 9114 §3.1).
fn alpn() -> Vec<Vec<u8>> {
    vec![b"h3".to_vec()]
}
