import {latin1} from '../base/bytes.ts';
import {numberAt} from './numbers.ts';

/** What a ClientHello or ServerHello says (RFC 8446 §4.1.2, §4.1.3). */
export interface TlsHello {
  readonly isClients: boolean;
  /** The 32 random bytes, in hexadecimal. */
  readonly random: string;
  /** The cipher suite that the server chose. 0 in a ClientHello. */
  readonly suite: number;
  /** Whether the session has version 1.3. False in a ClientHello. */
  readonly is13: boolean;
  /** The name of the server that the client asks for (RFC 6066 §3). Empty if it names none. */
  readonly serverName: string;
}

/**
 * Reads a message of a handshake. Undefined if it is neither a ClientHello nor a ServerHello, or if it is truncated or
 * too short.
 */
export function readHello(message: Uint8Array): TlsHello | undefined {
  const type = message[0];
  const end = 4 + numberAt(message, 1, 3);
  if ((type !== 1 && type !== 2) || message.length < end || end < 42) return undefined;
  const isClients = type === 1;
  const random = hexOf(message.subarray(6, 38));
  let at = 39 + (message[38] ?? 0);
  let suite = 0;
  if (isClients) {
    at += 2 + numberAt(message, at, 2);
    at += 1 + (message[at] ?? 0);
  } else {
    suite = numberAt(message, at, 2);
    at += 3;
  }
  let [is13, serverName] = [false, ''];
  const extensionsEnd = Math.min(at + 2 + numberAt(message, at, 2), end);
  for (at += 2; at + 4 <= extensionsEnd; at += 4 + numberAt(message, at + 2, 2)) {
    const extension = message.subarray(at + 4, Math.min(at + 4 + numberAt(message, at + 2, 2), extensionsEnd));
    const kind = numberAt(message, at, 2);
    if (kind === EXTENSION.supportedVersions && !isClients) is13 = numberAt(extension, 0, 2) === 0x0304;
    if (kind === EXTENSION.serverName && isClients)
      serverName = latin1(extension.subarray(5, 5 + numberAt(extension, 3, 2)));
  }
  return {isClients, random, suite, is13, serverName};
}

export function hexOf(bytes: Uint8Array): string {
  return Array.from(bytes, byte => byte.toString(16).padStart(2, '0')).join('');
}

const EXTENSION = {serverName: 0, supportedVersions: 43} as const;
