import {randomBytes, timingSafeEqual} from 'node:crypto';
import type {IncomingMessage} from 'node:http';
import {offeredKey} from '../../app/host/webKey.ts';

/**
 * Decides who may use the web shell. Any client that has a token can open a page with it, but only once. This page
 * contains a key, which the client must offer when it opens the WebSocket (app/host/webKey.ts). A client without a
 * token or key receives only the built renderer, which is not secret.
 */
export class Guard {
  readonly origin: string;
  readonly #host: string;
  readonly #key = newSecret();
  /** Unused tokens, each with a function that is called when the token is used. */
  readonly #tokens = new Map<string, () => void>();

  constructor(port: number) {
    this.#host = `127.0.0.1:${port}`;
    this.origin = `http://${this.#host}`;
  }

  /** Returns an address that can be opened only once. */
  newAddress(path = '', onUsed: () => void = () => undefined): string {
    const token = newSecret();
    this.#tokens.set(token, onUsed);
    return `${this.origin}/${path}?token=${token}`;
  }

  /**
   * Whether the Host field names this server. A page of another site may have a host name that resolves to loopback
   * (DNS rebinding), but its requests contain that name, and so they are refused.
   */
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

  /** Returns the key if the address has an unused token, and marks the token as used. Returns undefined otherwise. */
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
