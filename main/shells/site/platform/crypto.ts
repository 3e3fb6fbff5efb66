import {sha256} from '@noble/hashes/sha2.js';
import {bytesToHex, utf8ToBytes} from '@noble/hashes/utils.js';

/** A hash that is computed without waiting, which the browser's own `crypto.subtle` cannot do. */
interface Hash {
  update(content: string | Uint8Array): Hash;
  digest(encoding: 'hex'): string;
}

/** Replaces `node:crypto` in the web edition. */
export function createHash(_algorithm: 'sha256'): Hash {
  const hash = sha256.create();
  return {
    update(content) {
      hash.update(typeof content === 'string' ? utf8ToBytes(content) : content);
      return this;
    },
    digest: () => bytesToHex(hash.digest()),
  };
}
