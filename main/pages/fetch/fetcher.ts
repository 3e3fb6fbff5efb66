import {Agent, fetch, type Response} from 'undici';
import {ShimError} from '../../live/shim/shimError.ts';
import {checkedLookup, checkHost, RefusedError, type Resolve} from '../../net/publicAddress.ts';
import type {GatewayLimits} from '../base/gatewayLimits.ts';
import {FetchError} from '../base/pageErrors.ts';
import {distrustOf, type Trust, tlsTrust} from '../base/trust.ts';
import {utf8Text} from './readText.ts';
import type {SctpSource} from './sctpSource.ts';

/** The response from an address. */
export interface Fetched {
  /** The final address after redirects, without fragment. */
  readonly address: string;
  /** The content type that the server sent, in lower case. Empty if it sent none. */
  readonly contentType: string;
  readonly body: Uint8Array;
}

/** A request of a browser. The fetcher sends it in place of the browser. */
export interface BrowserRequest {
  readonly address: string;
  readonly method: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body?: Uint8Array | undefined;
}

export interface BrowserResponse {
  readonly status: number;
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** The body without content coding. */
  readonly body: Uint8Array;
}

export interface FetcherOptions {
  readonly limits: GatewayLimits;
  /** Returns whether requests to this IP address are allowed. */
  readonly mayReach: (address: string) => boolean;
  readonly resolve: Resolve;
  /** Which HTTPS servers are trusted. By default the authorities that Node contains decide. */
  readonly trust?: Trust | undefined;
  /** If this is aborted, all requests end. */
  readonly signal: AbortSignal;
}

/**
 * Fetches addresses over the real network, within limits. Requests go only to IP addresses that are allowed, also after
 * redirects.
 */
export class Fetcher {
  readonly #options: FetcherOptions;
  readonly #agent: Agent;
  #sctp: Promise<SctpSource> | undefined;
  readonly #pageLate: AbortSignal;
  #bytes = 0;

  constructor(options: FetcherOptions) {
    this.#options = options;
    const {resolve, mayReach, limits, trust} = options;
    this.#pageLate = AbortSignal.timeout(limits.pageMs);
    this.#agent = new Agent({
      connections: limits.parallel,
      // some HTTPS servers speak HTTP/2 only
      allowH2: true,
      connect: {lookup: checkedLookup(resolve, mayReach), timeout: limits.objectMs, ...tlsTrust(trust)},
    });
  }

  /** Fetches one address, and follows redirects. @throws FetchError; the signal's reason after an abort */
  async get(address: string): Promise<Fetched> {
    const {limits, signal} = this.#options;
    const late = AbortSignal.timeout(limits.objectMs);
    try {
      const {url, response} = await this.#follow(address, AbortSignal.any([signal, this.#pageLate, late]));
      if (!response.ok) {
        await response.body?.cancel();
        throw new FetchError(`the server answers ${response.status}`);
      }
      const body = await this.#read(response);
      url.hash = '';
      const contentType = (response.headers.get('content-type') ?? '').trim().toLowerCase();
      return {address: url.href, contentType, body};
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      if (late.aborted) throw new FetchError(`it takes more than ${limits.objectMs / 1000} s`);
      if (this.#pageLate.aborted) throw new FetchError(`the page takes more than ${limits.pageMs / 1000} s`);
      throw asFetchError(error);
    }
  }

  /**
   * Sends a browser's request, and returns the response, whatever its status. Redirects are not followed. The browser
   * follows them itself, with another call for the next address. @throws FetchError; the signal's reason after an abort
   */
  async exchange(request: BrowserRequest): Promise<BrowserResponse> {
    const {limits, signal, mayReach} = this.#options;
    const late = AbortSignal.timeout(limits.objectMs);
    try {
      const url = httpUrl(request.address);
      if (url.protocol === 'sctp:') throw new FetchError('browsers have no SCTP');
      checkHost(url, mayReach);
      const response = await fetch(url, {
        dispatcher: this.#agent,
        redirect: 'manual',
        signal: AbortSignal.any([signal, this.#pageLate, late]),
        credentials: 'omit',
        method: request.method,
        headers: request.headers as [string, string][],
        body: request.body ?? null,
      });
      const body = await this.#read(response);
      return {status: response.status, headers: [...response.headers], body};
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      if (late.aborted) throw new FetchError(`it takes more than ${limits.objectMs / 1000} s`);
      if (this.#pageLate.aborted) throw new FetchError(`the page takes more than ${limits.pageMs / 1000} s`);
      throw asFetchError(error);
    }
  }

  async close(): Promise<void> {
    await this.#agent.destroy();
    await (await this.#sctp)?.close();
  }

  async #follow(address: string, signal: AbortSignal): Promise<{url: URL; response: Response}> {
    const {limits, mayReach} = this.#options;
    let url = httpUrl(address);
    for (let redirects = 0; redirects <= limits.redirects; redirects++) {
      checkHost(url, mayReach);
      const response = await this.#ask(url, signal);
      const location = response.headers.get('location');
      if (!REDIRECTS.has(response.status) || location === null) return {url, response};
      await response.body?.cancel();
      // Node decodes header fields as Latin-1, but browsers decode the address in Location as UTF-8
      url = httpUrl(utf8Text(Buffer.from(location, 'latin1')) ?? location, url);
    }
    throw new FetchError(`it is redirected more than ${limits.redirects} times`);
  }

  async #ask(url: URL, signal: AbortSignal): Promise<Response> {
    if (url.protocol === 'sctp:') return (await this.#sctpSource()).get(url, signal);
    return fetch(url, {
      dispatcher: this.#agent,
      redirect: 'manual',
      signal,
      credentials: 'omit',
      headers: {'user-agent': USER_AGENT, accept: '*/*'},
    });
  }

  /** Loads the SCTP stack only when it is needed: most pages do not use it. */
  #sctpSource(): Promise<SctpSource> {
    const {resolve, mayReach} = this.#options;
    this.#sctp ??= import('./sctpSource.ts').then(
      ({SctpSource}) => new SctpSource({resolve, mayReach, userAgent: USER_AGENT}),
    );
    return this.#sctp;
  }

  /** Reads a body. @throws FetchError as soon as the body is larger than the limits allow */
  async #read(response: Response): Promise<Uint8Array> {
    const {objectBytes, pageBytes} = this.#options.limits;
    const pieces: Uint8Array[] = [];
    let bytes = 0;
    try {
      for await (const piece of response.body ?? []) {
        bytes += piece.length;
        this.#bytes += piece.length;
        if (bytes > objectBytes) throw new FetchError(`it has more than ${objectBytes} bytes`);
        if (this.#bytes > pageBytes) throw new FetchError(`with it, the page would have more than ${pageBytes} bytes`);
        pieces.push(piece);
      }
    } catch (error) {
      // an object that fails is not in the page
      this.#bytes -= bytes;
      throw error;
    }
    return Buffer.concat(pieces);
  }
}

/** Parses an address. @throws FetchError if it is not a valid http(s) or sctp address */
function httpUrl(address: string, base?: URL): URL {
  let url: URL;
  try {
    url = new URL(address, base);
  } catch {
    throw new FetchError('it is not a valid address');
  }
  if (!SCHEMES.has(url.protocol)) throw new FetchError(`it is not an http(s) or sctp address, but ${url.protocol}`);
  if (url.hostname === '') throw new FetchError('it has no host');
  if (url.username !== '' || url.password !== '') throw new FetchError('it has a user name or password');
  return url;
}

function asFetchError(error: unknown): FetchError {
  if (error instanceof FetchError) return error;
  if (error instanceof ShimError) return new FetchError(error.message);
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause) {
    const {code} = cause as NodeJS.ErrnoException;
    if (cause instanceof RefusedError) return new FetchError(cause.message, true);
    if (typeof code === 'string')
      return new FetchError(REASONS[code] ?? distrustOf(code) ?? `the request failed (${code})`);
  }
  if (error instanceof TypeError) return new FetchError(`the request failed (${rootOf(error).message})`);
  throw error;
}

function rootOf(error: Error): Error {
  return error.cause instanceof Error ? rootOf(error.cause) : error;
}

const SCHEMES: ReadonlySet<string> = new Set(['http:', 'https:', 'sctp:']);

const REASONS: {readonly [code: string]: string} = {
  ENOTFOUND: 'its host is unknown',
  EAI_AGAIN: 'its host cannot be looked up now',
  ECONNREFUSED: 'no server answers at this address',
  ECONNRESET: 'the server closed the connection early',
  UND_ERR_SOCKET: 'the server closed the connection early',
  UND_ERR_CONNECT_TIMEOUT: 'no server answers at this address',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'its length differs from the Content-Length that the server sent',
  UND_ERR_HEADERS_OVERFLOW: 'the header of the server’s response is too long',
  Z_DATA_ERROR: 'its compressed data is damaged',
  Z_BUF_ERROR: 'its compressed data is damaged',
  ERR__ERROR_FORMAT_PADDING_1: 'its compressed data is damaged',
};

/** Statuses that name another address (RFC 9110 §15.4). */
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

const USER_AGENT = 'Interleave/0.1 (page bundles; no scripts)';
