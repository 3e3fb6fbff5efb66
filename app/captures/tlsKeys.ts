import {bytesOf} from '../base/bytes.ts';
import {joinedBytes} from '../http/buffers.ts';
import type {CaptureCrypto} from './capturedLoad.ts';

/** A cipher suite of TLS 1.3 (RFC 8446 §B.4). */
export interface TlsSuite {
  readonly aead: 'aes-128-gcm' | 'aes-256-gcm' | 'chacha20-poly1305';
  readonly hash: 'sha256' | 'sha384';
}

/** The suites whose records can be opened, by their numbers. */
export const TLS_SUITES: ReadonlyMap<number, TlsSuite> = new Map<number, TlsSuite>([
  [0x1301, {aead: 'aes-128-gcm', hash: 'sha256'}],
  [0x1302, {aead: 'aes-256-gcm', hash: 'sha384'}],
  [0x1303, {aead: 'chacha20-poly1305', hash: 'sha256'}],
]);

/** Opens the records of one end that are protected with one secret. */
export class TlsOpener {
  readonly #suite: TlsSuite;
  readonly #secret: Uint8Array;
  readonly #crypto: CaptureCrypto;
  readonly #key: Uint8Array;
  readonly #iv: Uint8Array;
  /** The number of the next record (RFC 8446 §5.3). */
  #number = 0;

  constructor(suite: TlsSuite, secret: Uint8Array, crypto: CaptureCrypto) {
    this.#suite = suite;
    this.#secret = secret;
    this.#crypto = crypto;
    this.#key = this.#expand('key', suite.aead === 'aes-128-gcm' ? 16 : 32);
    this.#iv = this.#expand('iv', 12);
  }

  /** Opens the next record. Undefined if it was not sealed with this secret and number. */
  open(header: Uint8Array, sealed: Uint8Array): Uint8Array | undefined {
    if (sealed.length < TAG_BYTES) return undefined;
    const nonce = this.#iv.slice();
    for (let i = 0, number = this.#number; number > 0; i++, number = Math.floor(number / 256))
      nonce[11 - i] = (nonce[11 - i] ?? 0) ^ (number & 255);
    const opened = this.#crypto.open(this.#suite.aead, this.#key, nonce, sealed, header);
    if (opened !== undefined) this.#number += 1;
    return opened;
  }

  /** Returns the opener of the records after a KeyUpdate (RFC 8446 §7.2). */
  next(): TlsOpener {
    const secret = this.#expand('traffic upd', this.#suite.hash === 'sha256' ? 32 : 48);
    return new TlsOpener(this.#suite, secret, this.#crypto);
  }

  /** HKDF-Expand-Label with an empty context (RFC 8446 §7.1). */
  #expand(label: string, bytes: number): Uint8Array {
    const name = bytesOf(`tls13 ${label}`);
    const info = joinedBytes([Uint8Array.of(bytes >> 8, bytes & 255, name.length), name, Uint8Array.of(0)]);
    return this.#crypto.hkdfExpand(this.#suite.hash, this.#secret, info, bytes);
  }
}

/** Size in bytes of the authentication tag at the end of a record. All suites have the same size. */
export const TAG_BYTES = 16;
