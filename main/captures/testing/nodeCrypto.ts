import {createCipheriv, createDecipheriv, createHmac} from 'node:crypto';
import {brotliDecompressSync, gunzipSync, inflateSync} from 'node:zlib';
import type {CaptureCrypto} from '../../../app/captures/capturedLoad.ts';

/** For tests: Node's primitives. */
export const nodeCrypto: CaptureCrypto = {
  hkdfExtract: (hash, salt, secret) => createHmac(hash, salt).update(secret).digest(),
  hkdfExpand: (hash, secret, info, bytes) => {
    const blocks: Buffer[] = [];
    for (let size = 0; size < bytes; size += blocks.at(-1)?.length ?? bytes) {
      const last = blocks.at(-1) ?? Buffer.alloc(0);
      blocks.push(
        createHmac(hash, secret)
          .update(last)
          .update(info)
          .update(Uint8Array.of(blocks.length + 1))
          .digest(),
      );
    }
    return new Uint8Array(Buffer.concat(blocks).subarray(0, bytes));
  },
  open: (aead, key, nonce, sealed, associated) => {
    const options = {authTagLength: 16} as const;
    const opening =
      aead === 'chacha20-poly1305'
        ? createDecipheriv(aead, key, nonce, options)
        : createDecipheriv(aead, key, nonce, options);
    opening.setAAD(associated, {plaintextLength: sealed.length - 16});
    opening.setAuthTag(sealed.subarray(sealed.length - 16));
    try {
      const opened = opening.update(sealed.subarray(0, sealed.length - 16));
      return new Uint8Array(Buffer.concat([opened, opening.final()]));
    } catch {
      return undefined;
    }
  },
  headerMask: (aead, key, sample) => {
    if (aead === 'chacha20-poly1305') {
      const mask = createCipheriv('chacha20', key, sample).update(new Uint8Array(5));
      return new Uint8Array(mask);
    }
    const cipher = aead === 'aes-128-gcm' ? 'aes-128-ecb' : 'aes-256-ecb';
    return new Uint8Array(createCipheriv(cipher, key, null).update(sample).subarray(0, 5));
  },
  decode: (coding, body, mostBytes) => {
    const options = {maxOutputLength: mostBytes};
    try {
      if (coding === 'gzip') return gunzipSync(body, options);
      if (coding === 'br') return brotliDecompressSync(body, options);
      return coding === 'deflate' ? inflateSync(body, options) : undefined;
    } catch {
      return undefined;
    }
  },
};
