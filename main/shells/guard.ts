import {randomBytes, timingSafeEqual} from 'node:crypto';
import type {IncomingMessage} from 'node:http';
import {offeredKey} from '../../app/host/webKey.ts';

/**
 * Who may come in to the web shell: who brings a token, once. Its page is given a key, which the WebSocket needs
 * ({@link offeredProtocols}). What is served without is the built renderer, which is anybody's.
 */
export class Guard {
  readonly origin: string;
  readonly #host: string;
  readonly #key = newSecret();
  /** Those that nobody has brought yet, and what is done when somebody does. */
  readonly #tokens = new Map<string, () => void>();

  constructor(port: number) {
    this.#host = `127.0.0.1:${port}`;
    this.origin = `http://${this.#host}`;
  }

  /** An address of a page that lets in whoever opens it first, and nobody after. */
  newAddress(path = '', onUsed: () => void = () => undefined): string {
    const token = newSecret();
    this.#tokens.set(token, onUsed);
    return `${this.origin}/${path}?token=${token}`;
  }

  /** A page of another name that resolves to loopback has another Host (DNS rebinding). */
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

  /** The key for the page of who brings a token in its address, which is used up by it; undefined for others. */
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
