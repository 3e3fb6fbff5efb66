//! A handshake whose messages have the sizes of TLS 1.3, and packets whose tags have the size of TLS 1.3. Nothing is
//! encrypted or authenticated, so that the same calls give the same bytes and an observer can read them. A tag contains
//! the number of the key update and the whole packet number. As with real keys, a packet therefore opens only with the
//! right key, and only if its number is decoded correctly.

use std::any::Any;
use std::sync::Arc;

use bytes::BytesMut;
use quinn_proto::crypto::{
    AeadKey, ClientConfig, CryptoError, ExportKeyingMaterialError, HandshakeTokenKey, HeaderKey, HmacKey, KeyPair,
    Keys, PacketKey, ServerConfig, Session, UnsupportedVersion,
};
use quinn_proto::transport_parameters::TransportParameters;
use quinn_proto::{ConnectError, ConnectionId, Side, TransportError, TransportErrorCode};

use super::packet::TAG_BYTES;
use super::protection::{Protection, Role};
use super::wire::Reader;
use crate::tls;

/// The configuration of a client or a server.
#[derive(Debug)]
pub struct Unencrypted {
    pub sizes: tls::Handshake,
    /// Whether a client sends data before the handshake is done. Only a client that resumes a session may do this.
    pub has_early_data: bool,
}

impl Unencrypted {
    pub fn protection(self, side: Side) -> Protection {
        let this = Arc::new(self);
        let role = match side {
            Side::Client => Role::Client(this.clone()),
            Side::Server => Role::Server(this.clone(), this.clone()),
        };
        Protection { role, reset_key: this }
    }
}

/// A key that protects nothing.
struct NoKey;

/// A packet key. Its value is the number of key updates before it (RFC 9001 §6).
struct NumberedKey(u64);

/// One end of the handshake.
struct Handshake {
    side: Side,
    ours: Vec<u8>,
    /// For a client that resumes: the server's transport parameters of the earlier session. They are a copy of the
    /// client's own parameters, because both ends of a simulation grant the same limits.
    remembered: Option<TransportParameters>,
    theirs: Option<TransportParameters>,
    /// The received CRYPTO bytes of an incomplete message.
    unread: Vec<u8>,
    /// The last message that arrived.
    came: Option<Message>,
    /// How many times this end has given quinn a flight, new keys or both.
    written: u32,
    /// For how many key updates (RFC 9001 §6) quinn has taken the keys.
    updates: u64,
    sizes: tls::Handshake,
    /// Whether data may be sent before the handshake is done.
    has_early_data: bool,
}

/// A message of the handshake (HandshakeType, RFC 8446 §4). A message consists of the type, the length of the rest, one
/// byte, the transport parameters with their length, and zeros. In a ClientHello, the byte says whether the session is
/// resumed and whether there is early data. Only ClientHello and EncryptedExtensions have transport parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
enum Message {
    ClientHello = 1,
    ServerHello = 2,
    EncryptedExtensions = 8,
    Certificate = 11,
    CertificateVerify = 15,
    Finished = 20,
    CompressedCertificate = 25,
}

const HEADER_BYTES: usize = 4;
// The bits of the byte that says how a connection begins.
const RESUMES: u8 = 1;
const EARLY_DATA: u8 = 2;
/// Size in bytes of a server's transport parameters, with its stateless reset token and connection ids.
const TRANSPORT_PARAMETERS_BYTES: usize = 120;

impl Message {
    fn from_type(number: u8) -> Option<Message> {
        use Message::{
            Certificate, CertificateVerify, ClientHello, CompressedCertificate, EncryptedExtensions, Finished,
            ServerHello,
        };
        [ClientHello, ServerHello, EncryptedExtensions, Certificate, CertificateVerify, Finished, CompressedCertificate]
            .into_iter()
            .find(|message| *message as u8 == number)
    }

    /// Writes the message with a size of `bytes`, or with a larger size if its parameters need it.
    fn write(self, bytes: usize, start: u8, parameters: &[u8], into: &mut Vec<u8>) {
        let end = into.len() + bytes.max(HEADER_BYTES + 3 + parameters.len());
        let length = (end - into.len() - HEADER_BYTES) as u32;
        into.push(self as u8);
        into.extend_from_slice(&length.to_be_bytes()[1..]);
        into.push(start);
        into.extend_from_slice(&(parameters.len() as u16).to_be_bytes());
        into.extend_from_slice(parameters);
        into.resize(end, 0);
    }
}

impl Handshake {
    fn new(side: Side, ours: &TransportParameters, config: &Unencrypted) -> Box<Self> {
        let mut bytes = Vec::new();
        ours.write(&mut bytes);
        let Unencrypted { sizes, has_early_data } = *config;
        Box::new(Handshake {
            side,
            ours: bytes,
            remembered: sizes.resumes.then_some(*ours),
            theirs: None,
            unread: Vec::new(),
            came: None,
            written: 0,
            updates: 0,
            sizes,
            has_early_data,
        })
    }

    /// Reads the next whole message into `came`. Returns false if there is none.
    fn take_message(&mut self) -> Result<bool, TransportError> {
        let mut reader = Reader::new(&self.unread);
        let (Some(kind), Some(length)) = (reader.byte(), reader.number(3)) else { return Ok(false) };
        let Some(body) = reader.take(length as usize) else { return Ok(false) };
        let message = Message::from_type(kind).ok_or_else(|| refused("unknown type of message"))?;
        self.came = Some(message);
        if matches!(message, Message::ClientHello | Message::EncryptedExtensions) {
            let mut body = Reader::new(body);
            let header = (body.byte(), body.number(2));
            let (Some(start), Some(length)) = header else { return Err(refused("the message is truncated")) };
            let mut parameters =
                body.take(length as usize).ok_or_else(|| refused("the transport parameters are truncated"))?;
            self.theirs = Some(TransportParameters::read(self.side, &mut parameters)?);
            if self.side.is_server() {
                self.sizes.resumes = start & RESUMES != 0;
                self.has_early_data = start & EARLY_DATA != 0;
            }
        }
        let taken = self.unread.len() - reader.len();
        self.unread.drain(..taken);
        Ok(true)
    }

    fn write_client_flight(&mut self, into: &mut Vec<u8>) -> Option<Keys> {
        match (self.written, self.came) {
            (0, _) => {
                let resumes = if self.sizes.resumes { RESUMES } else { 0 };
                let start = resumes | if self.has_early_data { EARLY_DATA } else { 0 };
                Message::ClientHello.write(self.sizes.client_hello_bytes(), start, &self.ours, into);
                self.written = 1;
                None
            }
            (1, Some(_)) => {
                self.written = 2;
                Some(no_keys())
            }
            (2, Some(Message::Finished)) => {
                Message::Finished.write(tls::FINISHED_BYTES, 0, &[], into);
                self.written = 3;
                Some(no_keys())
            }
            _ => None,
        }
    }

    fn write_server_flight(&mut self, into: &mut Vec<u8>) -> Option<Keys> {
        match (self.written, self.came) {
            (0, Some(_)) => {
                Message::ServerHello.write(self.sizes.server_hello_bytes(), 0, &[], into);
            }
            (1, _) => {
                let bytes = tls::ENCRYPTED_EXTENSIONS_BYTES + TRANSPORT_PARAMETERS_BYTES;
                Message::EncryptedExtensions.write(bytes, 0, &self.ours, into);
                // RFC 8446 §2.2: in a resumed session the shared key replaces the certificate
                if !self.sizes.resumes {
                    let is_compressed = self.sizes.is_modern && self.sizes.compresses_certificate;
                    let certificate = if is_compressed { Message::CompressedCertificate } else { Message::Certificate };
                    certificate.write(self.sizes.certificate_bytes(), 0, &[], into);
                    Message::CertificateVerify.write(tls::CERTIFICATE_VERIFY_BYTES, 0, &[], into);
                }
                Message::Finished.write(tls::FINISHED_BYTES, 0, &[], into);
            }
            _ => return None,
        }
        self.written += 1;
        Some(no_keys())
    }
}

impl Session for Handshake {
    fn initial_keys(&self, _destination: &ConnectionId, _side: Side) -> Keys {
        no_keys()
    }

    fn handshake_data(&self) -> Option<Box<dyn Any>> {
        None
    }

    fn peer_identity(&self) -> Option<Box<dyn Any>> {
        None
    }

    fn early_crypto(&self) -> Option<(Box<dyn HeaderKey>, Box<dyn PacketKey>)> {
        self.has_early_data
            .then(|| (Box::new(NoKey) as Box<dyn HeaderKey>, Box::new(NumberedKey(0)) as Box<dyn PacketKey>))
    }

    fn early_data_accepted(&self) -> Option<bool> {
        Some(self.has_early_data)
    }

    fn is_handshaking(&self) -> bool {
        self.came != Some(Message::Finished)
    }

    fn read_handshake(&mut self, bytes: &[u8]) -> Result<bool, TransportError> {
        self.unread.extend_from_slice(bytes);
        while self.take_message()? {}
        Ok(false)
    }

    fn transport_parameters(&self) -> Result<Option<TransportParameters>, TransportError> {
        Ok(self.theirs.or(self.remembered))
    }

    fn write_handshake(&mut self, into: &mut Vec<u8>) -> Option<Keys> {
        match self.side {
            Side::Client => self.write_client_flight(into),
            Side::Server => self.write_server_flight(into),
        }
    }

    fn next_1rtt_keys(&mut self) -> Option<KeyPair<Box<dyn PacketKey>>> {
        self.updates += 1;
        Some(numbered(self.updates))
    }

    fn is_valid_retry(&self, _destination: &ConnectionId, _header: &[u8], _payload: &[u8]) -> bool {
        false // servers of the simulation never send Retry
    }

    fn export_keying_material(
        &self,
        _output: &mut [u8],
        _label: &[u8],
        _context: &[u8],
    ) -> Result<(), ExportKeyingMaterialError> {
        Err(ExportKeyingMaterialError)
    }
}

impl ClientConfig for Unencrypted {
    fn start_session(
        self: Arc<Self>,
        _version: u32,
        _server_name: &str,
        ours: &TransportParameters,
    ) -> Result<Box<dyn Session>, ConnectError> {
        Ok(Handshake::new(Side::Client, ours, &self))
    }
}

impl ServerConfig for Unencrypted {
    fn initial_keys(&self, _version: u32, _destination: &ConnectionId) -> Result<Keys, UnsupportedVersion> {
        Ok(no_keys())
    }

    fn retry_tag(&self, _version: u32, _destination: &ConnectionId, _packet: &[u8]) -> [u8; 16] {
        [0; 16]
    }

    fn start_session(self: Arc<Self>, _version: u32, ours: &TransportParameters) -> Box<dyn Session> {
        Handshake::new(Side::Server, ours, &self)
    }
}

fn no_keys() -> Keys {
    let header = KeyPair::<Box<dyn HeaderKey>> { local: Box::new(NoKey), remote: Box::new(NoKey) };
    Keys { header, packet: numbered(0) }
}

fn numbered(updates: u64) -> KeyPair<Box<dyn PacketKey>> {
    KeyPair { local: Box::new(NumberedKey(updates)), remote: Box::new(NumberedKey(updates)) }
}

fn refused(reason: &str) -> TransportError {
    // RFC 8446 §6.2: unexpected_message
    TransportError { code: TransportErrorCode::crypto(10), frame: None, reason: reason.to_owned() }
}

impl HeaderKey for NoKey {
    fn decrypt(&self, _number_offset: usize, _packet: &mut [u8]) {}

    fn encrypt(&self, _number_offset: usize, _packet: &mut [u8]) {}

    /// Size of the sample for header protection, in bytes (RFC 9001 §5.4.3).
    fn sample_size(&self) -> usize {
        16
    }
}

impl NumberedKey {
    /// Returns the tag of a packet. It contains the packet's whole number, as the nonce does in RFC 9001 §5.3. A packet
    /// that arrives so late that its truncated number is decoded wrongly (RFC 9000 §A.3) is therefore dropped.
    fn tag(&self, packet: u64) -> [u8; TAG_BYTES] {
        (u128::from(self.0) << u64::BITS | u128::from(packet)).to_be_bytes()
    }
}

impl PacketKey for NumberedKey {
    fn encrypt(&self, packet: u64, bytes: &mut [u8], _header_bytes: usize) {
        if let Some(tag) = bytes.last_chunk_mut() {
            *tag = self.tag(packet);
        }
    }

    fn decrypt(&self, packet: u64, _header: &[u8], payload: &mut BytesMut) -> Result<(), CryptoError> {
        let bytes = payload.strip_suffix(&self.tag(packet)).ok_or(CryptoError)?.len();
        payload.truncate(bytes);
        Ok(())
    }

    fn tag_len(&self) -> usize {
        TAG_BYTES
    }

    fn confidentiality_limit(&self) -> u64 {
        u64::MAX
    }

    fn integrity_limit(&self) -> u64 {
        u64::MAX
    }
}

/// The key of stateless resets. The token consists of the connection id and of bytes 0xff.
impl HmacKey for Unencrypted {
    fn sign(&self, data: &[u8], signature: &mut [u8]) {
        for (at, byte) in signature.iter_mut().enumerate() {
            *byte = data.get(at).copied().unwrap_or(0xff);
        }
    }

    fn signature_len(&self) -> usize {
        32
    }

    fn verify(&self, _data: &[u8], _signature: &[u8]) -> Result<(), CryptoError> {
        Err(CryptoError)
    }
}

/// The key of address validation tokens.
impl HandshakeTokenKey for Unencrypted {
    fn aead_from_hkdf(&self, _random: &[u8]) -> Box<dyn AeadKey> {
        Box::new(NoKey)
    }
}

impl AeadKey for NoKey {
    fn seal(&self, data: &mut Vec<u8>, _additional: &[u8]) -> Result<(), CryptoError> {
        data.extend_from_slice(&[0; TAG_BYTES]);
        Ok(())
    }

    fn open<'a>(&self, data: &'a mut [u8], _additional: &[u8]) -> Result<&'a mut [u8], CryptoError> {
        let bytes = data.len().checked_sub(TAG_BYTES).ok_or(CryptoError)?;
        Ok(&mut data[..bytes])
    }
}
