import {CONTENT, plainRecord, sealedRecord, TlsError} from './tlsRecord.ts';

// A model of the TLS 1.3 handshake (RFC 8446 §2), which takes one round trip. Messages have real headers (§4) and
// typical sizes, but their contents are zeros. QUIC's handshake (`native/netsim/src/tls.rs`) has the same sizes.
// Differs: the server sends no session tickets (§4.6.1), and no client resumes a session.

const TYPE = {
  clientHello: 1,
  serverHello: 2,
  encryptedExtensions: 8,
  certificate: 11,
  certificateVerify: 15,
  finished: 20,
} as const;

/** Size of each message with its header, in bytes. */
const MESSAGE_BYTES: {readonly [K in keyof typeof TYPE]: number} = {
  /**
   * The example in RFC 8448 §3 has 196 bytes. The ClientHello of a browser is larger because of ALPN and more groups
   * and signature schemes. A post-quantum key share would add 1.2 KB.
   */
  clientHello: 300,
  // The size in the example of RFC 8448 §3.
  serverHello: 90,
  encryptedExtensions: 40,
  /**
   * A chain of two certificates, one of which has an ECDSA key. A chain of two certificates with RSA keys had 2540
   * bytes in 2017 (D. Wong, 'How big are TLS records during a handshake?'). Today's certificates contain more data. The
   * server's whole flight stays below three times the size of QUIC's first packet, as for 65 % of web sites (Nawrocki
   * et al., 'On the Interplay between TLS Certificates and QUIC Performance', CoNEXT 2022). A QUIC server can therefore
   * send it without waiting for the client (RFC 9000 §8.1).
   */
  certificate: 2750,
  /** An ECDSA signature over P-256 has 70–72 bytes (RFC 8446 §4.4.3). */
  certificateVerify: 80,
  /** The size with SHA-256 (RFC 8448 §3). */
  finished: 36,
};

/** Reads the handshake messages that one end sends. */
export class HandshakeReader {
  readonly #expected: (keyof typeof TYPE)[];
  #bytes: Uint8Array = new Uint8Array(0);

  /** `from` is the end whose messages are read. */
  constructor(from: 'client' | 'server') {
    this.#expected =
      from === 'client'
        ? ['clientHello', 'finished']
        : ['serverHello', 'encryptedExtensions', 'certificate', 'certificateVerify', 'finished'];
  }

  /** Whether the whole handshake has arrived. */
  get isDone(): boolean {
    return this.#expected.length === 0;
  }

  /**
   * Returns the number of messages that these bytes complete. @throws TlsError if a message is out of order or too
   * large
   */
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

  /** Returns the size of the message at `at` in bytes, or Infinity if its header is incomplete. */
  #messageBytes(bytes: Uint8Array, at: number): number {
    if (at + HEADER_BYTES > bytes.length) return Number.POSITIVE_INFINITY;
    const type = bytes[at];
    const length = HEADER_BYTES + (bytes[at + 1] ?? 0) * 65_536 + (bytes[at + 2] ?? 0) * 256 + (bytes[at + 3] ?? 0);
    const [name] = this.#expected;
    if (name === undefined || type !== TYPE[name]) throw new TlsError(`unexpected handshake message of type ${type}`);
    if (length > MOST_MESSAGE_BYTES)
      throw new TlsError(`handshake message of ${length} bytes (at most ${MOST_MESSAGE_BYTES})`);
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

/** The client's first records. */
export const CLIENT_HELLO: readonly Uint8Array[] = [plainRecord(CONTENT.handshake, message('clientHello'))];
/** The records with which the server answers the client's first records. */
export const SERVER_FLIGHT = serverFlight();
/** The client's last records, which it sends together with its first data. */
export const CLIENT_FINISHED: readonly Uint8Array[] = [
  changeCipherSpec(),
  sealedRecord(CONTENT.handshake, message('finished')),
];
