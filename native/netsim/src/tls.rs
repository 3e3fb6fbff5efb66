//! The sizes of the messages of the TLS 1.3 handshake (RFC 8446 §4), for transports that simulate the handshake without
//! encryption. All sizes are in bytes and include the message headers. `app/http/tls/tlsHandshake.ts` has the same
//! sizes and more of their sources.

/// The sizes of one handshake.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Handshake {
    /// Whether the sizes are those of today's browsers and servers, with a post-quantum key exchange.
    pub is_modern: bool,
    /// Whether the client resumes a session, so that the server sends no certificate (RFC 8446 §2.2).
    pub resumes: bool,
    /// Whether the server compresses its certificate (RFC 8879). It has no effect without `is_modern`.
    pub compresses_certificate: bool,
    /// Whether the server has no post-quantum key exchange. It has no effect without `is_modern`.
    pub lacks_hybrid_share: bool,
}

impl Handshake {
    /// ClientHello. The example of RFC 8448 §3 has 196 bytes. A browser's ClientHello also has ALPN, more groups and
    /// more signature schemes, and with QUIC the transport parameters. The ClientHello of Chromium 156 was captured;
    /// 1216 of its bytes are the key share for X25519MLKEM768 (draft-ietf-tls-ecdhe-mlkem).
    pub fn client_hello_bytes(self) -> usize {
        let bytes = if self.is_modern { 1915 } else { 300 };
        // the ClientHello of RFC 8448 §4, which resumes a session, is this much longer than that of §3
        bytes + if self.resumes { 316 } else { 0 }
    }

    /// ServerHello. The sizes are those of RFC 8448 §3 and §4. The key share for X25519MLKEM768 has 1120 bytes, and the
    /// key share for X25519 has 32 bytes.
    pub fn server_hello_bytes(self) -> usize {
        let bytes = if self.is_modern && !self.lacks_hybrid_share { 90 - 32 + 1120 } else { 90 };
        bytes + if self.resumes { 6 } else { 0 }
    }

    /// Certificate or CompressedCertificate, with a chain of two certificates. The modern sizes are those of a chain
    /// that Let's Encrypt issues, which brotli reduces by 18 %. The size without `is_modern` keeps the handshake below
    /// QUIC's amplification limit, as the certificates of 65 % of the servers on the web do (Nawrocki et al., "On the
    /// Interplay between TLS Certificates and QUIC Performance", CoNEXT 2022).
    pub fn certificate_bytes(self) -> usize {
        match (self.is_modern, self.compresses_certificate) {
            (false, _) => 2750,
            (true, false) => 2101,
            (true, true) => 1730,
        }
    }
}

/// The size in the example of RFC 8448 §3.
pub const ENCRYPTED_EXTENSIONS_BYTES: usize = 40;
/// CertificateVerify. Its ECDSA signature over P-256 has 70–72 bytes (RFC 8446 §4.4.3).
pub const CERTIFICATE_VERIFY_BYTES: usize = 80;
/// Finished, with SHA-256 (RFC 8448 §3).
pub const FINISHED_BYTES: usize = 36;
