import {createCipheriv, createDecipheriv, createHmac} from 'node:crypto';
import * as zlib from 'node:zlib';
import type {CaptureCrypto} from '../../app/captures/capturedLoad.ts';

/** Node's primitives for the keys of TLS and QUIC, and for content codings. */
export const nodeCrypto: CaptureCrypto = {
  hkdfExtract: (hash, salt, secret) => new Uint8Array(createHmac(hash, salt).update(secret).digest()),

  // RFC 5869 §2.3
  hkdfExpand(hash, secret, info, bytes) {
    const blocks: Uint8Array[] = [];
    for (let size = 0; size < bytes; ) {
      const block = createHmac(hash, secret)
        .update(blocks.at(-1) ?? new Uint8Array(0))
        .update(info)
        .update(Uint8Array.of(blocks.length + 1))
        .digest();
      blocks.push(block);
      size += block.length;
    }
    return new Uint8Array(Buffer.concat(blocks).subarray(0, bytes));
  },

  open(aead, key, nonce, sealed, associated) {
    const content = sealed.subarray(0, -TAG_BYTES);
    const cipher = createDecipheriv(aead as 'aes-128-gcm', key, nonce, {authTagLength: TAG_BYTES});
    cipher.setAAD(associated, {plaintextLength: content.length});
    cipher.setAuthTag(sealed.subarray(-TAG_BYTES));
    const opened = cipher.update(content);
    try {
      cipher.final();
    } catch {
      return undefined;
    }
    return new Uint8Array(opened.buffer, opened.byteOffset, opened.length);
  },

  // RFC 9001 §5.4.3, §5.4.4
  headerMask(aead, key, sample) {
    const mask =
      aead === 'chacha20-poly1305'
        ? createCipheriv('chacha20', key, sample).update(new Uint8Array(MASK_BYTES))
        : createCipheriv(aead === 'aes-128-gcm' ? 'aes-128-ecb' : 'aes-256-ecb', key, null).update(sample);
    return new Uint8Array(mask.subarray(0, MASK_BYTES));
  },

  decode(coding, body, mostBytes) {
    const decode = DECODERS.get(coding);
    try {
      return decode === undefined ? undefined : new Uint8Array(decode(body, {maxOutputLength: mostBytes}));
    } catch {
      return undefined;
    }
  },
};

type Decode = (body: Uint8Array, options: {readonly maxOutputLength: number}) => Uint8Array;

/** Older versions of Node do not have this function. */
const {zstdDecompressSync: zstd} = zlib as {readonly zstdDecompressSync?: Decode};

/** The content codings (RFC 9110 §8.4.1, RFC 7932, RFC 8878). */
const DECODERS: ReadonlyMap<string, Decode> = new Map<string, Decode>([
  ['gzip', zlib.gunzipSync],
  ['x-gzip', zlib.gunzipSync],
  ['br', zlib.brotliDecompressSync],
  ...(zstd === undefined ? [] : [['zstd', zstd] as const]),
  // some servers leave out the header of zlib (RFC 9110 §8.4.1.2)
  ['deflate', (body, options) => ((body[0] ?? 0) % 16 === 8 ? zlib.inflateSync : zlib.inflateRawSync)(body, options)],
]);

const TAG_BYTES = 16;
const MASK_BYTES = 5;
