import {once} from 'node:events';
import {request} from 'node:http';
import {isIP} from 'node:net';
import {Readable} from 'node:stream';
import {Response} from 'undici';
import {SCTP_UDP_PORT} from '../../live/base/sctpInUdp.ts';
import {Gateways} from '../../live/shim/gateways.ts';
import {SHIM_LIMITS} from '../../live/shim/shimLimits.ts';
import {startClock} from '../../net/clock.ts';
import {checkedLookup, type Resolve} from '../../net/publicAddress.ts';
import {FetchError} from '../base/pageErrors.ts';

export interface SctpSourceOptions {
  readonly resolve: Resolve;
  /**
   * Returns whether requests to an IP address are allowed. It is called only with the addresses of a host name. If the
   * host of a URL is an IP address, whoever calls `get` must check this address first.
   */
  readonly mayReach: (address: string) => boolean;
  readonly userAgent: string;
}

/**
 * Fetches sctp://HOST[:PORT]/PATH. Requests are HTTP/1.1 on the streams of an SCTP association in UDP. All requests to
 * a server share one association. When it has ended or accepts no further requests, the next request starts another.
 */
export class SctpSource {
  readonly #options: SctpSourceOptions;
  /** The servers, keyed by host and port. */
  readonly #servers = new Map<string, Promise<Gateways>>();
  readonly #clock = startClock();

  constructor(options: SctpSourceOptions) {
    this.#options = options;
  }

  /**
   * Returns a response as soon as its header has arrived.
   * @throws FetchError, ShimError, RefusedError, errors of Node; the signal's reason after an abort
   */
  async get(url: URL, signal: AbortSignal): Promise<Response> {
    const server = await this.#serverOf(url);
    const {lane} = await server.begin();
    const asked = request({
      createConnection: () => lane,
      path: `${url.pathname || '/'}${url.search}`,
      setHost: false,
      headers: {Host: url.host, 'User-Agent': this.#options.userAgent, Accept: '*/*'},
    });
    const end = (): void => void asked.destroy(signal.reason as Error);
    signal.addEventListener('abort', end);
    asked.once('close', () => signal.removeEventListener('abort', end));
    if (signal.aborted) end();
    asked.end();
    const [incoming] = await once(asked, 'response');
    // the reader of the body reports an abort, so this listener does nothing
    asked.on('error', () => undefined);
    const status: number = incoming.statusCode;
    if (status < 200 || status > 599) {
      asked.destroy();
      // a `Response` cannot have such a status
      throw new FetchError(`the server answers ${status}`);
    }
    const headers = {
      'content-type': `${incoming.headers['content-type'] ?? ''}`,
      ...(incoming.headers.location === undefined ? {} : {location: incoming.headers.location}),
    };
    if (NO_BODY.has(status)) incoming.resume();
    return new Response(NO_BODY.has(status) ? null : Readable.toWeb(incoming), {status, headers});
  }

  async close(): Promise<void> {
    for (const server of this.#servers.values()) {
      await server.then(
        one => one.close(),
        () => undefined,
      );
    }
  }

  #serverOf(url: URL): Promise<Gateways> {
    const known = this.#servers.get(url.host);
    if (known !== undefined) return known;
    if (this.#servers.size >= MOST_SERVERS)
      throw new FetchError(`the page has more than ${MOST_SERVERS} servers over SCTP`);
    const server = this.#begun(url);
    this.#servers.set(url.host, server);
    return server;
  }

  /**
   * Prepares associations with a server. The host name is resolved once, and all associations use the IP address that
   * was checked then, because a second lookup might return another address.
   */
  async #begun({hostname, host: authority, port}: URL): Promise<Gateways> {
    const host = await this.#addressOf(hostname.replace(/^\[|\]$/g, ''));
    const to = {host, port: Number(port || SCTP_UDP_PORT), authority};
    return new Gateways({...to, token: undefined, limits: SHIM_LIMITS, clock: this.#clock});
  }

  #addressOf(host: string): Promise<string> {
    const {resolve, mayReach} = this.#options;
    if (isIP(host) !== 0) return Promise.resolve(host);
    return new Promise((found, failed) => {
      checkedLookup(resolve, mayReach)(host, {}, (error, address) => {
        if (error === null) found(`${address}`);
        else failed(error);
      });
    });
  }
}

/** Largest number of SCTP servers per page. Each has an association. */
const MOST_SERVERS = 16;
/** Statuses without a body (RFC 9110 §15). */
const NO_BODY: ReadonlySet<number> = new Set([204, 205, 304]);
