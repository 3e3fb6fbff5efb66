import {joinedBytes} from '../buffers.ts';
import {CONTENT, plainRecord, sealedRecord, TlsError} from './tlsRecord.ts';

// A model of the TLS 1.3 handshake (RFC 8446 §2). Messages have real headers (§4) and typical sizes, but their contents
// are zeros. QUIC's handshake (`native/netsim/src/tls.rs`) has the same sizes. Unlike real servers, the server sends
// session tickets (§4.6.1) only if its rules say so (`ticketBytes`). A client that resumes a session is assumed to have
// a ticket.

/** How a connection begins. */
export interface TlsStart {
  /** Whether the messages have the sizes of today's browsers and servers, with a post-quantum key exchange. */
  readonly isModern: boolean;
  /** Whether the client resumes a session, so that the server sends no certificate (RFC 8446 §2.2). */
  readonly resumes: boolean;
  /** Whether the client sends its first data with its first messages (RFC 8446 §2.3). It then resumes a session. */
  readonly hasEarlyData: boolean;
  /** Whether the server compresses its certificate (RFC 8879). It has no effect without `isModern`. */
  readonly compressesCertificate: boolean;
  /** Whether the server has no post-quantum key exchange. It has no effect without `isModern`. */
  readonly lacksHybridShare: boolean;
  /**
   * How the server writes records. If this is absent, its records grow from the size of a packet to 16 KB, and
   * everything that it writes at one time is joined into one write.
   */
  readonly server?: TlsServerRules | undefined;
  /**
   * Whether each record of the client is a write to a socket with `TCP_NODELAY`. Otherwise records that are
   * written at the same time are joined into one write. The default is false.
   */
  readonly clientWritesApart?: boolean;
}

/** How a real server writes. Each record is a write to a socket with `TCP_NODELAY`. */
export interface TlsServerRules {
  /**
   * The sizes of the NewSessionTicket messages that the server sends when the handshake is complete (RFC 8446 §4.6.1),
   * in bytes. Each has a record of its own.
   */
  readonly ticketBytes: readonly number[];
  /**
   * Whether the first record fits in one packet and each later record may be one packet larger, up to 16 KB. Otherwise
   * every record has up to 16 KB.
   */
  readonly growsRecords: boolean;
  /**
   * Whether each frame has a record of its own. Otherwise consecutive frames that are ready at the same time share
   * records, but frames of responses never share a record with other frames.
   */
  readonly separatesFrames: boolean;
}

const TYPE = {
  clientHello: 1,
  serverHello: 2,
  newSessionTicket: 4,
  endOfEarlyData: 5,
  encryptedExtensions: 8,
  certificate: 11,
  certificateVerify: 15,
  finished: 20,
  compressedCertificate: 25,
} as const;

type Message = keyof typeof TYPE;
/** A message of the handshake itself. Session tickets follow it. */
type Step = Exclude<Message, 'newSessionTicket'>;

/** Returns the size of a message with its header, in bytes. */
function messageBytes(message: Step, {isModern, resumes, hasEarlyData, lacksHybridShare}: TlsStart): number {
  switch (message) {
    case 'clientHello':
      return (isModern ? MODERN_CLIENT_HELLO_BYTES : CLIENT_HELLO_BYTES) + (resumes ? PRE_SHARED_KEY_BYTES : 0);
    case 'serverHello':
      return (
        SERVER_HELLO_BYTES +
        (isModern && !lacksHybridShare ? HYBRID_SHARE_BYTES - X25519_SHARE_BYTES : 0) +
        (resumes ? 6 : 0)
      );
    case 'encryptedExtensions':
      // The extension early_data is empty (RFC 8446 §4.2.10).
      return 40 + (hasEarlyData ? 4 : 0);
    case 'certificate':
      return isModern ? MODERN_CERTIFICATE_BYTES : CERTIFICATE_BYTES;
    case 'compressedCertificate':
      return COMPRESSED_CERTIFICATE_BYTES;
    case 'certificateVerify':
      // An ECDSA signature over P-256 has 70–72 bytes (RFC 8446 §4.4.3).
      return 80;
    case 'finished':
      // The size with SHA-256 (RFC 8448 §3).
      return 36;
    case 'endOfEarlyData':
      return HEADER_BYTES;
  }
}

/**
 * The ClientHello of a browser without a post-quantum key share. The example in RFC 8448 §3 has 196 bytes. That of a
 * browser is larger because of ALPN and more groups and signature schemes.
 */
const CLIENT_HELLO_BYTES = 300;
/**
 * The ClientHello of Chromium 156 (captured with tshark, 2026: 1911 to 2007 bytes without its header, because the
 * extension encrypted_client_hello has random contents of several sizes). It has a key share for X25519MLKEM768 of 1216
 * bytes (draft-ietf-tls-ecdhe-mlkem) and one for X25519. It does not fit into one packet.
 */
const MODERN_CLIENT_HELLO_BYTES = 1915;
/**
 * Size of the extensions by which a session is resumed: the difference between the ClientHellos in RFC 8448 §4 and §3.
 */
const PRE_SHARED_KEY_BYTES = 316;
/** The size in the example of RFC 8448 §3, with a share for X25519. */
const SERVER_HELLO_BYTES = 90;
const X25519_SHARE_BYTES = 32;
/** The server's share for X25519MLKEM768 (draft-ietf-tls-ecdhe-mlkem §4.2). */
const HYBRID_SHARE_BYTES = 1120;
/**
 * A chain of two certificates, one of which has an ECDSA key. A chain of two certificates with RSA keys had 2540 bytes
 * in 2017 (D. Wong, 'How big are TLS records during a handshake?'). Today's certificates contain more data. The
 * server's whole flight stays below three times the size of QUIC's first packet, as for 65 % of web sites (Nawrocki et
 * al., 'On the Interplay between TLS Certificates and QUIC Performance', CoNEXT 2022). A QUIC server can therefore send
 * it without waiting for the client (RFC 9000 §8.1).
 */
const CERTIFICATE_BYTES = 2750;
/**
 * A chain as Let's Encrypt issues it today: a certificate of 969 bytes for two names with a P-256 key and two signed
 * certificate timestamps, and an intermediate certificate of 1114 bytes with a P-384 key and an RSA signature (made by
 * OpenSSL with these contents, 2026).
 */
export const MODERN_CERTIFICATE_BYTES = 2101;
/**
 * The same chain after brotli, which Chromium offers (RFC 8879). It still has 82 % of its size, because keys and
 * signatures cannot be compressed.
 */
const COMPRESSED_CERTIFICATE_BYTES = 1730;

/** Returns the handshake messages that one end sends, in order, without session tickets. */
function messagesOf(
  from: 'client' | 'server',
  {isModern, resumes, hasEarlyData, compressesCertificate}: TlsStart,
): Step[] {
  if (from === 'client') return ['clientHello', ...(hasEarlyData ? (['endOfEarlyData'] as const) : []), 'finished'];
  const certificate = isModern && compressesCertificate ? 'compressedCertificate' : 'certificate';
  const identity: readonly Step[] = resumes ? [] : [certificate, 'certificateVerify'];
  return ['serverHello', 'encryptedExtensions', ...identity, 'finished'];
}

/** Reads the handshake messages that one end sends. */
export class HandshakeReader {
  readonly #expected: Step[];
  readonly #from: 'client' | 'server';
  #bytes: Uint8Array = new Uint8Array(0);

  /** `from` is the end whose messages are read. */
  constructor(from: 'client' | 'server', start: TlsStart) {
    this.#expected = messagesOf(from, start);
    this.#from = from;
  }

  /** Whether all handshake messages of the end `from` have arrived. Session tickets do not count. */
  get isDone(): boolean {
    return this.#expected.length === 0;
  }

  /**
   * Returns the number of messages that these bytes complete. @throws TlsError if a message is out of order or too
   * large
   */
  push(bytes: Uint8Array): number {
    const all = joinedBytes([this.#bytes, bytes]);
    let [at, count] = [0, 0];
    for (let size = this.#messageBytes(all, at); at + size <= all.length; size = this.#messageBytes(all, at)) {
      this.#expected.shift();
      at += size;
      count += 1;
    }
    this.#bytes = all.slice(at);
    return count;
  }

  /** Returns the size of the message at `at` in bytes, or Infinity if its header is incomplete. */
  #messageBytes(bytes: Uint8Array, at: number): number {
    if (at + HEADER_BYTES > bytes.length) return Number.POSITIVE_INFINITY;
    const type = bytes[at];
    const length = HEADER_BYTES + (bytes[at + 1] ?? 0) * 65_536 + (bytes[at + 2] ?? 0) * 256 + (bytes[at + 3] ?? 0);
    // a server sends tickets after the handshake
    const name = this.#expected[0] ?? (this.#from === 'server' ? 'newSessionTicket' : undefined);
    if (name === undefined || type !== TYPE[name]) throw new TlsError(`unexpected handshake message of type ${type}`);
    if (length > MOST_MESSAGE_BYTES)
      throw new TlsError(`handshake message of ${length} bytes (at most ${MOST_MESSAGE_BYTES})`);
    return length;
  }
}

/** The records of a handshake. */
export interface Flights {
  /** The client's first records. Early data follows them, if there is any. */
  readonly clientHello: readonly Uint8Array[];
  /** The records with which the server answers the client's first records. */
  readonly server: readonly Uint8Array[];
  /** The client's last records. It sends its first data together with them, unless it has already sent early data. */
  readonly clientFinished: readonly Uint8Array[];
  /** The records that the server sends when the handshake is complete. */
  readonly tickets: readonly Uint8Array[];
}

/** Returns the records of a handshake. They are made once for each value of `start`. */
export function flightsOf(start: TlsStart): Flights {
  const key = JSON.stringify(start);
  let flights = known.get(key);
  if (flights === undefined) {
    flights = newFlights(start);
    known.set(key, flights);
  }
  return flights;
}

const known = new Map<string, Flights>();

function newFlights(start: TlsStart): Flights {
  const [hello, ...sealed] = messagesOf('server', start).map(name => encode(name, start));
  const [clientHello, ...last] = messagesOf('client', start).map(name => encode(name, start));
  const plain = (each: Uint8Array | undefined) => plainRecord(CONTENT.handshake, each ?? new Uint8Array(0));
  // A client sends change_cipher_spec before its early data, or else before its last records (RFC 8446 §D.4).
  const before = start.hasEarlyData ? [changeCipherSpec()] : [];
  const after = start.hasEarlyData ? [] : [changeCipherSpec()];
  return {
    clientHello: [plain(clientHello), ...before],
    server: [plain(hello), changeCipherSpec(), sealedRecord(CONTENT.handshake, joinedBytes(sealed))],
    clientFinished: [...after, ...last.map(each => sealedRecord(CONTENT.handshake, each))],
    // OpenSSL sends one ticket at most to a client that resumes a session (tls_construct_new_session_ticket)
    tickets: (start.server?.ticketBytes ?? [])
      .slice(0, start.resumes ? 1 : undefined)
      .map(bytes => sealedRecord(CONTENT.handshake, message(TYPE.newSessionTicket, bytes))),
  };
}

function encode(name: Step, start: TlsStart): Uint8Array {
  return message(TYPE[name], messageBytes(name, start));
}

/** Returns a message of `size` bytes, including its header. Its content is zeros. */
function message(type: number, size: number): Uint8Array {
  const bytes = new Uint8Array(size);
  const length = size - HEADER_BYTES;
  bytes.set([type, length >> 16, (length >> 8) & 0xff, length & 0xff]);
  return bytes;
}

/**
 * Returns the record that browsers and servers send so that middleboxes take the connection for TLS 1.2 (RFC 8446
 * §D.4).
 */
function changeCipherSpec(): Uint8Array {
  return plainRecord(CONTENT.changeCipherSpec, Uint8Array.of(1));
}

const HEADER_BYTES = 4;
/** The largest message. It is the default limit of OpenSSL for a certificate chain. */
const MOST_MESSAGE_BYTES = 100 * 1024;
