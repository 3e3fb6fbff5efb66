import {randomBytes, timingSafeEqual} from 'node:crypto';
import type {IncomingMessage} from 'node:http';

/**
 * Who may come in to the web shell: who brings a token, once. It is exchanged for a cookie, which every request
 * and the WebSocket need from then on.
 */
export class Guard {
  readonly origin: string;
  readonly #host: string;
  readonly #cookie: string;
  readonly #secret = newSecret();
  /** Those that nobody has brought yet, and what is done when somebody does. */
  readonly #tokens = new Map<string, () => void>();

  constructor(port: number) {
    this.#host = `127.0.0.1:${port}`;
    this.origin = `http://${this.#host}`;
    this.#cookie = `interleave-${port}`;
  }

  /** An address that lets in whoever opens it first, and nobody after. */
  newAddress(onUsed: () => void = () => undefined): string {
    const token = newSecret();
    this.#tokens.set(token, onUsed);
    return `${this.origin}/?token=${token}`;
  }

  /** A page of another name that resolves to loopback has another Host (DNS rebinding). */
  isOurHost({headers}: IncomingMessage): boolean {
    return headers.host === this.#host;
  }

  isOurOrigin({headers}: IncomingMessage): boolean {
    return headers.origin === this.origin;
  }

  hasCookie({headers}: IncomingMessage): boolean {
    const cookies = (headers.cookie ?? '').split(/;\s*/).map(each => each.split('='));
    return cookies.some(([name, value]) => name === this.#cookie && this.#isSecret(value ?? ''));
  }

  /** The cookie for who brings a token in the address, which is used up by it; undefined for others. */
  cookieFor(url: URL): string | undefined {
    const token = url.searchParams.get('token') ?? '';
    const onUsed = this.#tokens.get(token);
    if (onUsed === undefined) return undefined;
    this.#tokens.delete(token);
    onUsed();
    return `${this.#cookie}=${this.#secret}; HttpOnly; SameSite=Strict; Path=/`;
  }

  #isSecret(text: string): boolean {
    const [given, wanted] = [Buffer.from(text), Buffer.from(this.#secret)];
    return given.length === wanted.length && timingSafeEqual(given, wanted);
  }
}

function newSecret(): string {
  return randomBytes(32).toString('hex');
}
