//! The sizes of the messages of the TLS 1.3 handshake (RFC 8446 §4), for transports that simulate the handshake without
//! encryption. All sizes are in bytes and include the message headers.

/// ClientHello. The example of RFC 8448 §3 has 196 bytes. A browser's ClientHello also has ALPN, more groups and more
/// signature schemes, and with QUIC the transport parameters.
pub const CLIENT_HELLO_BYTES: usize = 300;
/// The bytes that a client adds to its ClientHello if it resumes a session: the difference between RFC 8448 §4 and §3.
pub const PRE_SHARED_KEY_BYTES: usize = 316;
/// The size in the example of RFC 8448 §3.
pub const SERVER_HELLO_BYTES: usize = 90;
/// ServerHello to a client that resumes a session (RFC 8448 §4).
pub const RESUMING_SERVER_HELLO_BYTES: usize = 96;
/// The size in the example of RFC 8448 §3.
pub const ENCRYPTED_EXTENSIONS_BYTES: usize = 40;
/// Certificate, with a chain of two certificates. Node's documentation of `node:quic` ("Certificate size and handshake
/// performance") names 1.5–2 KB for a chain with ECDSA keys and 3–5 KB with RSA keys. This value stays below QUIC's
/// amplification limit, as 65 % of the servers on the web do (Nawrocki et al., "On the Interplay between TLS
/// Certificates and QUIC Performance", CoNEXT 2022).
pub const CERTIFICATE_BYTES: usize = 2750;
/// CertificateVerify. Its ECDSA signature over P-256 has 70–72 bytes (RFC 8446 §4.4.3).
pub const CERTIFICATE_VERIFY_BYTES: usize = 80;
/// Finished, with SHA-256 (RFC 8448 §3).
pub const FINISHED_BYTES: usize = 36;
