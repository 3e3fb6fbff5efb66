import {CONTENT, plainRecord, sealedRecord, TlsError} from './record.ts';

// TLS 1.3's handshake (RFC 8446 §2), one round trip, by its sizes: messages have their headers (§4), and zeros for what
// they would say. QUIC's handshake (`native/netsim/src/tls.rs`) has the same sizes.
//
// Differs: a server's session tickets (§4.6.1) are left out, and nobody resumes.

const TYPE = {
  clientHello: 1,
  serverHello: 2,
  encryptedExtensions: 8,
  certificate: 11,
  certificateVerify: 15,
  finished: 20,
} as const;

/** Bytes of each message, with its header. */
const MESSAGE_BYTES: {readonly [K in keyof typeof TYPE]: number} = {
  /**
   * RFC 8448 §3 has one of 196; ALPN, more groups and more signature schemes make a browser's as large. One with a
   * post-quantum key share is larger by 1.2 KB.
   */
  clientHello: 300,
  // RFC 8448 §3
  serverHello: 90,
  encryptedExtensions: 40,
  /**
   * A chain of two, one with a key of ECDSA: of two with RSA 2540 were measured (D. Wong, 'How big are TLS records
   * during a handshake?', 2017), and today's carry more. The whole flight stays below three times QUIC's first
   * packet, as 65 % of the web's do (Nawrocki et al., 'On the Interplay between TLS Certificates and QUIC Performance',
   * CoNEXT 2022).
   */
  certificate: 2750,
  /** A signature of ECDSA over P-256 is 70–72 (RFC 8446 §4.4.3). */
  certificateVerify: 80,
  /** With SHA-256 (RFC 8448 §3). */
  finished: 36,
};

/** Reads one end's handshake, message by message. */
export class HandshakeReader {
  readonly #expected: (keyof typeof TYPE)[];
  #bytes: Uint8Array = new Uint8Array(0);

  /** `from` is whose messages these are. */
  constructor(from: 'client' | 'server') {
    this.#expected =
      from === 'client'
        ? ['clientHello', 'finished']
        : ['serverHello', 'encryptedExtensions', 'certificate', 'certificateVerify', 'finished'];
  }

  /** All of it came. */
  get isDone(): boolean {
    return this.#expected.length === 0;
  }

  /** How many messages are whole with these bytes. @throws TlsError for one that is not its turn. */
  push(bytes: Uint8Array): number {
    const all = new Uint8Array(this.#bytes.length + bytes.length);
    all.set(this.#bytes);
    all.set(bytes, this.#bytes.length);
    let [at, count] = [0, 0];
    for (let size = this.#messageBytes(all, at); at + size <= all.length; size = this.#messageBytes(all, at)) {
      this.#expected.shift();
      at += size;
      count += 1;
    }
    this.#bytes = all.slice(at);
    return count;
  }

  /** Infinity while its header is not there. */
  #messageBytes(bytes: Uint8Array, at: number): number {
    if (at + HEADER_BYTES > bytes.length) return Number.POSITIVE_INFINITY;
    const type = bytes[at];
    const length = HEADER_BYTES + (bytes[at + 1] ?? 0) * 65_536 + (bytes[at + 2] ?? 0) * 256 + (bytes[at + 3] ?? 0);
    const [name] = this.#expected;
    if (name === undefined || type !== TYPE[name]) throw new TlsError(`a handshake message of type ${type}`);
    if (length > MOST_MESSAGE_BYTES) throw new TlsError(`a handshake message of ${length} bytes`);
    return length;
  }
}

function serverFlight(): readonly Uint8Array[] {
  const sealed = ['encryptedExtensions', 'certificate', 'certificateVerify', 'finished'] as const;
  const flight = new Uint8Array(sealed.reduce((sum, name) => sum + MESSAGE_BYTES[name], 0));
  let at = 0;
  for (const name of sealed) {
    flight.set(message(name), at);
    at += MESSAGE_BYTES[name];
  }
  const hello = plainRecord(CONTENT.handshake, message('serverHello'));
  return [hello, changeCipherSpec(), sealedRecord(CONTENT.handshake, flight)];
}

function message(name: keyof typeof TYPE): Uint8Array {
  const bytes = new Uint8Array(MESSAGE_BYTES[name]);
  const length = bytes.length - HEADER_BYTES;
  bytes.set([TYPE[name], length >> 16, (length >> 8) & 0xff, length & 0xff]);
  return bytes;
}

/** For boxes in between that know TLS 1.2 only (RFC 8446 §D.4): browsers and servers send it. */
function changeCipherSpec(): Uint8Array {
  return plainRecord(CONTENT.changeCipherSpec, Uint8Array.of(1));
}

const HEADER_BYTES = 4;
/** What OpenSSL takes of a certificate chain by default. */
const MOST_MESSAGE_BYTES = 100 * 1024;

/** What a client begins with. */
export const CLIENT_HELLO: readonly Uint8Array[] = [plainRecord(CONTENT.handshake, message('clientHello'))];
/** All that a server answers to it. */
export const SERVER_FLIGHT = serverFlight();
/** What a client ends with, together with its first data. */
export const CLIENT_FINISHED: readonly Uint8Array[] = [
  changeCipherSpec(),
  sealedRecord(CONTENT.handshake, message('finished')),
];
