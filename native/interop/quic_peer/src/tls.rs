//! The TLS settings of both ends. The server has a self-signed certificate, which is the only certificate that the
//! client trusts.

use std::fs;
use std::sync::Arc;

use quinn_proto::crypto::rustls::{QuicClientConfig, QuicServerConfig};
use rustls::RootCertStore;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer};

use crate::Failure;

pub fn client(certificate: &str) -> Result<QuicClientConfig, Failure> {
    let mut roots = RootCertStore::empty();
    roots.add(CertificateDer::from(fs::read(certificate)?))?;
    let mut config = rustls::ClientConfig::builder_with_provider(provider())
        .with_protocol_versions(&[&rustls::version::TLS13])?
        .with_root_certificates(roots)
        .with_no_client_auth();
    config.alpn_protocols = alpn();
    Ok(config.try_into()?)
}

pub fn server(certificate: &str, key: &str) -> Result<QuicServerConfig, Failure> {
    let chain = vec![CertificateDer::from(fs::read(certificate)?)];
    let key = PrivateKeyDer::from(PrivatePkcs8KeyDer::from(fs::read(key)?));
    let mut config = rustls::ServerConfig::builder_with_provider(provider())
        .with_protocol_versions(&[&rustls::version::TLS13])?
        .with_no_client_auth()
        .with_single_cert(chain, key)?;
    config.alpn_protocols = alpn();
    Ok(config.try_into()?)
}

fn provider() -> Arc<rustls::crypto::CryptoProvider> {
    Arc::new(rustls::crypto::ring::default_provider())
}

/// The ALPN identifier of HTTP/3 (RFC 9114 §3.1).
fn alpn() -> Vec<Vec<u8>> {
    vec![b"h3".to_vec()]
}
