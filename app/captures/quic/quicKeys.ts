import type {CaptureCrypto} from '../capturedLoad.ts';
import {VERSION_2} from './quicHeader.ts';

/** An AEAD algorithm of TLS 1.3, with its hash function. */
export interface CipherSuite {
  readonly aead: Parameters<CaptureCrypto['open']>[0];
  readonly hash: Parameters<CaptureCrypto['hkdfExpand']>[0];
  readonly keyBytes: number;
  /** The size of secrets, which is that of the hash. */
  readonly secretBytes: number;
}

/** The cipher suites of TLS 1.3 (RFC 8446 §B.4) that QUIC stacks use, by their numbers. */
export const CIPHER_SUITES: ReadonlyMap<number, CipherSuite> = new Map([
  [0x1301, {aead: 'aes-128-gcm', hash: 'sha256', keyBytes: 16, secretBytes: 32}],
  [0x1302, {aead: 'aes-256-gcm', hash: 'sha384', keyBytes: 32, secretBytes: 48}],
  [0x1303, {aead: 'chacha20-poly1305', hash: 'sha256', keyBytes: 32, secretBytes: 32}],
]);

/** Computes HKDF-Expand-Label with an empty context (RFC 8446 §7.1). */
function expandLabel(
  crypto: CaptureCrypto,
  hash: CipherSuite['hash'],
  {secret, label, bytes}: {readonly secret: Uint8Array; readonly label: string; readonly bytes: number},
): Uint8Array {
  const name = Array.from(`tls13 ${label}`, character => character.charCodeAt(0));
  return crypto.hkdfExpand(hash, secret, Uint8Array.of(bytes >> 8, bytes & 255, name.length, ...name, 0), bytes);
}

/** The keys with which one end protects the packets of one encryption level (RFC 9001 §5). */
export class QuicKeys {
  readonly #crypto: CaptureCrypto;
  readonly #suite: CipherSuite;
  readonly #prefix: string;
  readonly #secret: Uint8Array;
  readonly #headerKey: Uint8Array;
  readonly #key: Uint8Array;
  readonly #iv: Uint8Array;
  #next: QuicKeys | undefined;

  constructor(
    crypto: CaptureCrypto,
    suite: CipherSuite,
    {version, secret, headerKey}: {version: number; secret: Uint8Array; headerKey?: Uint8Array},
  ) {
    this.#crypto = crypto;
    this.#suite = suite;
    this.#secret = secret;
    // RFC 9001 §5.1; RFC 9369 §3.3.2.
    this.#prefix = version === VERSION_2 ? 'quicv2' : 'quic';
    this.#key = this.#derive('key', suite.keyBytes);
    this.#iv = this.#derive('iv', IV_BYTES);
    this.#headerKey = headerKey ?? this.#derive('hp', suite.keyBytes);
  }

  /**
   * Returns the mask of header protection for the packet whose number begins at `numberAt`. Undefined if the packet is
   * too short.
   */
  maskOf(packet: Uint8Array, numberAt: number): Uint8Array | undefined {
    const sample = packet.subarray(numberAt + 4, numberAt + 4 + SAMPLE_BYTES);
    if (sample.length < SAMPLE_BYTES) return undefined;
    return this.#crypto.headerMask(this.#suite.aead, this.#headerKey, sample);
  }

  /**
   * Opens the payload of a packet (RFC 9001 §5.3). Undefined if it is not authentic. The packet must be long enough for
   * its tag; this is so if {@link maskOf} returned a mask.
   */
  open(number: number, header: Uint8Array, sealed: Uint8Array): Uint8Array | undefined {
    const nonce = Uint8Array.from(this.#iv);
    for (let [rest, at] = [number, IV_BYTES - 1]; rest > 0; rest = Math.floor(rest / 256), at--) {
      nonce[at] = (nonce[at] ?? 0) ^ (rest % 256);
    }
    return this.#crypto.open(this.#suite.aead, this.#key, nonce, sealed, header);
  }

  /** The keys after the next key update. The key of header protection stays the same (RFC 9001 §6.1). */
  get next(): QuicKeys {
    this.#next ??= new QuicKeys(this.#crypto, this.#suite, {
      version: this.#prefix === 'quicv2' ? VERSION_2 : 1,
      secret: this.#derive('ku', this.#suite.secretBytes),
      headerKey: this.#headerKey,
    });
    return this.#next;
  }

  #derive(name: string, bytes: number): Uint8Array {
    const label = `${this.#prefix} ${name}`;
    return expandLabel(this.#crypto, this.#suite.hash, {secret: this.#secret, label, bytes});
  }
}

/** Derives the keys of Initial packets from the client's first Destination Connection ID (RFC 9001 §5.2). */
export function initialKeys(
  crypto: CaptureCrypto,
  {version, id, direction}: {version: number; id: Uint8Array; direction: 'down' | 'up'},
): QuicKeys | undefined {
  const suite = CIPHER_SUITES.get(0x1301);
  if (suite === undefined) return undefined;
  const initial = crypto.hkdfExtract('sha256', version === VERSION_2 ? SALT_2 : SALT_1, id);
  const label = direction === 'up' ? 'client in' : 'server in';
  return new QuicKeys(crypto, suite, {
    version,
    secret: expandLabel(crypto, 'sha256', {secret: initial, label, bytes: 32}),
  });
}

function fromHex(hex: string): Uint8Array {
  return Uint8Array.from(hex.match(/../g) ?? [], digits => Number.parseInt(digits, 16));
}

/** RFC 9001 §5.2. */
const SALT_1 = fromHex('38762cf7f55934b34d179ae6a4c80cadccbb7f0a');
/** RFC 9369 §3.3.1. */
const SALT_2 = fromHex('0dede3def700a6db819381be6e269dcbf9bd2ed9');
const IV_BYTES = 12;
const SAMPLE_BYTES = 16;
export const TAG_BYTES = 16;
