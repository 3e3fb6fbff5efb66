import {randomBytes, timingSafeEqual} from 'node:crypto';
import type {IncomingMessage} from 'node:http';
import {offeredKey} from '../../app/host/webKey.ts';

/**
 * Decides who may use the web shell. A token lets its bearer in once; the page then gets a key, which the WebSocket
 * requires ({@link offeredProtocols}). Without either only the built renderer is served, which is no secret.
 */
export class Guard {
  readonly origin: string;
  readonly #host: string;
  readonly #key = newSecret();
  /** Unused tokens, and what to do when one is used. */
  readonly #tokens = new Map<string, () => void>();

  constructor(port: number) {
    this.#host = `127.0.0.1:${port}`;
    this.origin = `http://${this.#host}`;
  }

  /** An address that lets in whoever opens it first, and nobody after that. */
  newAddress(path = '', onUsed: () => void = () => undefined): string {
    const token = newSecret();
    this.#tokens.set(token, onUsed);
    return `${this.origin}/${path}?token=${token}`;
  }

  /** Checks Host: a page whose own host name resolves to loopback sends that name (DNS rebinding). */
  isOurHost({headers}: IncomingMessage): boolean {
    return headers.host === this.#host;
  }

  isOurOrigin({headers}: IncomingMessage): boolean {
    return headers.origin === this.origin;
  }

  /** Whether a WebSocket's handshake offers the key. */
  hasKey({headers}: IncomingMessage): boolean {
    const given = Buffer.from(offeredKey(headers['sec-websocket-protocol'] ?? '') ?? '');
    const wanted = Buffer.from(this.#key);
    return given.length === wanted.length && timingSafeEqual(given, wanted);
  }

  /** The key, if the address has an unused token, which is then used up. Undefined otherwise. */
  keyFor(url: URL): string | undefined {
    const token = url.searchParams.get('token') ?? '';
    const onUsed = this.#tokens.get(token);
    if (onUsed === undefined) return undefined;
    this.#tokens.delete(token);
    onUsed();
    return this.#key;
  }
}

function newSecret(): string {
  return randomBytes(32).toString('hex');
}
