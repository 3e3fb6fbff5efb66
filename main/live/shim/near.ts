import {once} from 'node:events';
import {createServer, type IncomingHttpHeaders, type IncomingMessage, type Server} from 'node:http';
import {type AddressInfo, isIPv6} from 'node:net';
import type {Duplex} from 'node:stream';
import {messageOf} from '../../../app/base/text.ts';
import {askingPage, isAddress} from '../../net/askingPage.ts';
import {startClock} from '../../net/clock.ts';
import {limitConnections} from '../../net/limitConnections.ts';
import {answer, type Exchange, forward, type Route} from './forward.ts';
import {Gateways} from './gateways.ts';
import type {Lane} from './lane.ts';
import {ShimError} from './shimError.ts';
import {SHIM_LIMITS, type ShimLimits} from './shimLimits.ts';
import {openTunnel, refuseTunnel} from './tunnel.ts';

export interface NearOptions {
  /** The address of this machine and the TCP port to listen on. Port 0 chooses a free port. */
  readonly host: string;
  readonly port: number;
  /** The gateway or live server that receives the requests. `host` is a name or an IP address, `port` a UDP port. */
  readonly to: {readonly host: string; readonly port: number};
  /** The token of the gateway or live server. */
  readonly token: string | undefined;
  readonly limits?: ShimLimits;
}

export interface NearShim {
  readonly port: number;
  close(): Promise<void>;
}

/**
 * Starts the shim's near end. Programs use it as a proxy or as a server, by HTTP/1.1 over TCP. It forwards each request
 * to the gateway or live server on a stream of an SCTP association that requests share.
 * @throws what Node throws if it cannot listen
 */
export async function startNear(options: NearOptions): Promise<NearShim> {
  const near = new Near(options);
  const port = await near.listen();
  return {port, close: () => near.close()};
}

class Near {
  readonly #options: NearOptions;
  readonly #limits: ShimLimits;
  readonly #authority: string;
  readonly #gateways: Gateways;
  readonly #server: Server;
  readonly #tunnels = new Set<Duplex>();

  constructor(options: NearOptions) {
    const {to, token, limits = SHIM_LIMITS} = options;
    this.#options = options;
    this.#limits = limits;
    this.#authority = authorityOf(to);
    const clock = startClock();
    this.#gateways = new Gateways({...to, authority: this.#authority, token, limits, clock});
    this.#server = createServer({requestTimeout: 0});
    const pass = (request: IncomingMessage, response: Exchange['response']): void =>
      void this.#pass({request, response});
    this.#server.on('request', pass);
    // Without this listener, Node would answer `Expect: 100-continue` itself. The gateway or live server answers it.
    this.#server.on('checkContinue', pass);
    this.#server.on('connect', (request, client, head) => void this.#tunnel(request, client, head));
    limitConnections(this.#server, limits.connections);
  }

  async listen(): Promise<number> {
    const {host, port} = this.#options;
    const listening = once(this.#server, 'listening');
    this.#server.listen(port, host);
    await listening;
    return (this.#server.address() as AddressInfo).port;
  }

  async close(): Promise<void> {
    const closed = once(this.#server, 'close');
    this.#server.close();
    this.#gateways.close();
    this.#server.closeAllConnections();
    for (const client of this.#tunnels) client.destroy();
    await closed;
  }

  async #pass(exchange: Exchange): Promise<void> {
    try {
      const route = await this.#route(this.#targetOf(exchange.request), REPEATS);
      forward(exchange, route);
    } catch (error) {
      answer(exchange, explain(error));
    }
  }

  /** @throws ShimError */
  async #route(target: Target, repeats: number): Promise<Route> {
    const {lane, isPlain} = await this.#gateways.begin();
    const {authority = this.#authority} = target;
    const isForeign = isPlain && authority !== this.#authority;
    if (isForeign) lane.destroy();
    if (isForeign) throw new ShimError(502, `${this.#authority} ${NO_GATEWAY}: it does not serve ${authority}`);
    const {token} = this.#options;
    return {
      transport: {createConnection: () => lane},
      end: () => void lane.destroy(),
      path: isPlain || target.authority === undefined ? target.path : `http://${authority}${target.path}`,
      host: authority,
      // A gateway has already received the token in the first message of the association.
      fields: isPlain && token !== undefined ? [['Authorization', `Bearer ${token}`]] : [],
      connectMs: this.#limits.connectMs,
      answerMs: this.#limits.answerMs,
      explain,
      again: error => (repeats > 0 && explain(error).status === 502 ? this.#route(target, repeats - 1) : undefined),
    };
  }

  /** @throws ShimError */
  #targetOf({url = '', headers}: IncomingMessage): Target {
    if (url.startsWith('/') || url === '*') {
      this.#checkAsker(headers);
      return {authority: undefined, path: url};
    }
    const [, scheme = '', authority = '', path = ''] = /^([a-z][a-z0-9+.-]*):\/\/([^/?#]+)(.*)$/i.exec(url) ?? [];
    if (scheme.toLowerCase() !== 'http')
      throw new ShimError(400, 'only http URLs are forwarded: for https, request a tunnel (CONNECT)');
    return {authority: authority.toLowerCase(), path: path.startsWith('/') ? path : `/${path}`};
  }

  /**
   * Refuses requests that pages of other sites cause in a browser. Such a page must not reach servers through this
   * machine. It could request the shim's address, or have a host name that resolves to this address (DNS rebinding). A
   * browser that uses the shim as its proxy is allowed, because its user has configured this.
   * @throws ShimError
   */
  #checkAsker(headers: IncomingHttpHeaders): void {
    const {host = ''} = headers;
    const isLocal = LOCAL.test(this.#options.host);
    if (host !== '' && !(isLocal ? LOCAL.test(host.replace(/:\d*$/, '')) : isAddress(host)))
      throw new ShimError(
        421,
        isLocal
          ? `this shim serves only programs on its own machine, and Host is ${host}`
          : `Host is ${host}: must be an IP address or localhost`,
      );
    if (askingPage(headers) === 'other')
      throw new ShimError(403, 'pages of other sites in a browser may not use this shim');
  }

  async #tunnel(request: IncomingMessage, client: Duplex, head: Buffer): Promise<void> {
    this.#tunnels.add(client);
    client.on('error', () => undefined).once('close', () => this.#tunnels.delete(client));
    let lane: Lane | undefined;
    try {
      const begun = await this.#gateways.begin();
      lane = begun.lane;
      if (begun.isPlain) throw new ShimError(502, `${this.#authority} ${NO_GATEWAY}: it has no tunnels`);
      if (client.destroyed) lane.destroy();
      else openTunnel({request, client, head}, lane);
    } catch (error) {
      lane?.destroy();
      refuseTunnel(client, explain(error));
    }
  }
}

/**
 * The target of a request. If `authority` is undefined, the target is the gateway's `--origin` or the live server's
 * page.
 */
interface Target {
  readonly authority: string | undefined;
  readonly path: string;
}

function explain(error: unknown): ShimError {
  if (error instanceof ShimError) return error;
  return new ShimError(502, `the other end closed the connection (${messageOf(error)})`);
}

function authorityOf({host, port}: NearOptions['to']): string {
  return `${isIPv6(host) ? `[${host}]` : host.toLowerCase()}:${port}`;
}

const NO_GATEWAY = 'is a server, not a gateway';
/** How often a request is sent again if the other end failed before it answered, and the request may be repeated. */
const REPEATS = 1;
/** Host names and addresses that always mean the machine itself. */
const LOCAL = /^(localhost|127(\.\d{1,3}){3}|::1|\[::1\])$/i;
