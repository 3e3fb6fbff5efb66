//! The sizes of TLS 1.3's handshake (RFC 8446 §4), for what plays it without encrypting. Bytes, with the messages' own
//! headers.

/// RFC 8448 §3 has one of 196; ALPN, more groups and more signature schemes make a browser's as large, and QUIC's transport
/// parameters are within it.
pub const CLIENT_HELLO_BYTES: usize = 300;
/// What a client adds that remembers the server: RFC 8448 §4 against §3.
pub const PRE_SHARED_KEY_BYTES: usize = 316;
/// RFC 8448 §3.
pub const SERVER_HELLO_BYTES: usize = 90;
/// The answer to a client that remembers (RFC 8448 §4).
pub const RESUMING_SERVER_HELLO_BYTES: usize = 96;
/// RFC 8448 §3.
pub const ENCRYPTED_EXTENSIONS_BYTES: usize = 40;
/// A chain of two. Node's documentation of `node:quic` ("Certificate size and handshake performance") has 1.5–2 KB for
/// one with keys of ECDSA and 3–5 KB with RSA; 65 % of the servers on the web stay below QUIC's limit of amplification
/// (Nawrocki et al., "On the Interplay between TLS Certificates and QUIC Performance", CoNEXT 2022), and so does this.
pub const CERTIFICATE_BYTES: usize = 2750;
/// A signature of ECDSA over P-256 is 70–72 (RFC 8446 §4.4.3).
pub const CERTIFICATE_VERIFY_BYTES: usize = 80;
/// With SHA-256 (RFC 8448 §3).
pub const FINISHED_BYTES: usize = 36;
