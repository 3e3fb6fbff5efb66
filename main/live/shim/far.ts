import {createServer, type IncomingMessage, type Server, type ServerResponse} from 'node:http';
import {startClock} from '../../net/clock.ts';
import {checkedLookup, checkHost, isPublic, RefusedError, resolveBySystem} from '../../net/publicAddress.ts';
import {REFUSED_TOKEN, TokenGate} from '../../net/token.ts';
import {SctpServer} from '../server/sctpServer.ts';
import {SERVER_LIMITS} from '../server/serverLimits.ts';
import {FarPeer, type FarServed} from './farPeer.ts';
import {answer, type Exchange, forward, type Route} from './forward.ts';
import {ShimError} from './shimError.ts';
import {SHIM_LIMITS, type ShimLimits} from './shimLimits.ts';
import {makeTunnel, refuseTunnel, type TunnelRequest} from './tunnel.ts';

export interface FarOptions {
  /** The address of this machine and the UDP port to listen on. Port 0 chooses a free port. */
  readonly host: string;
  readonly port: number;
  /**
   * The token that clients must send. A client is a near end, which is a proxy that connects to this gateway, or a
   * program that sends HTTP over SCTP itself. Undefined if no token is required. Without a token there must be an
   * origin, and only requests for that origin are allowed.
   */
  readonly token: string | undefined;
  /** The server that receives requests for a path without a host. Only the URL's scheme, host and port are used. */
  readonly origin: URL | undefined;
  /** Whether requests may also go to addresses that are not public. The origin may always have any address. */
  readonly isPrivateAllowed: boolean;
  readonly limits?: ShimLimits;
}

export interface FarShim {
  readonly port: number;
  /** The number of open associations. */
  peers(): number;
  close(): Promise<void>;
}

/**
 * Starts the shim's far end, which is a gateway. It receives requests on the streams of SCTP associations in UDP, and
 * forwards them to servers by HTTP/1.1 over TCP.
 * @throws what Node throws if it cannot listen
 */
export async function startFar(options: FarOptions): Promise<FarShim> {
  const far = new Far(options);
  const port = await far.listen();
  return {port, peers: () => far.peers, close: () => far.close()};
}

class Far {
  readonly #options: FarOptions;
  readonly #limits: ShimLimits;
  /** An HTTP server without a port. Each {@link Lane} is one of its connections. */
  readonly #http: Server;
  readonly #sctp: SctpServer;
  /** Returns whether an Authorization field has the right token. Undefined if no token is required. */
  readonly #isRight: FarServed['isRight'];
  /** The lanes of peers that have not sent the token, each with the peer's address. */
  readonly #untrusted = new WeakMap<object, string>();
  #sweeping: NodeJS.Timeout | undefined;

  constructor(options: FarOptions) {
    const {host, token, limits = SHIM_LIMITS} = options;
    this.#options = options;
    this.#limits = limits;
    this.#http = createServer({requestTimeout: 0, keepAliveTimeout: 0});
    const pass = (request: IncomingMessage, response: ServerResponse): void => this.#pass({request, response});
    this.#http.on('request', pass);
    this.#http.on('checkContinue', pass);
    this.#http.on('connect', (request, client, head) => this.#tunnel({request, client, head}));
    const clock = startClock();
    const onLane: FarServed['onLane'] = (lane, address, isTrusted) => {
      if (!isTrusted) this.#untrusted.set(lane, address);
      this.#http.emit('connection', lane);
    };
    const gate = token === undefined ? undefined : new TokenGate(token);
    this.#isRight = gate && ((authorization, address) => gate.isRight(authorization, address));
    const served: FarServed = {clock, limits, isRight: this.#isRight, onLane};
    const sctpLimits = {...SERVER_LIMITS, peers: limits.associations, ...BUFFERS};
    this.#sctp = new SctpServer({limits: sctpLimits, clock}, host, (association, peerOptions) => {
      return new FarPeer(association, served, peerOptions);
    });
  }

  async listen(): Promise<number> {
    const {port} = this.#options;
    const listening = await this.#sctp.listen(port);
    this.#sweeping = setInterval(() => this.#sctp.sweep(), this.#limits.silenceMs / LOOKS);
    return listening;
  }

  get peers(): number {
    return this.#sctp.peers;
  }

  async close(): Promise<void> {
    clearInterval(this.#sweeping);
    await this.#sctp.close();
  }

  #pass(exchange: Exchange): void {
    try {
      forward(exchange, this.#routeOf(exchange.request));
    } catch (error) {
      answer(exchange, explain(error));
    }
  }

  /** Chooses the next hop of a request. @throws ShimError, RefusedError if the request is refused */
  #routeOf(request: IncomingMessage): Route {
    this.#checkToken(request);
    const {origin} = this.#options;
    const {url = ''} = request;
    const isOwn = url.startsWith('/') || url === '*';
    if (isOwn && origin === undefined)
      throw new ShimError(400, 'this gateway has no --origin: request a full URL (http://HOST/…), as from a proxy');
    const target = isOwn ? origin : httpUrl(url);
    if (target === undefined)
      throw new ShimError(400, 'the URL must begin with http:// and have no user name or password');
    this.#check(target);
    const isOrigin = target.host === origin?.host;
    const lookup = isOrigin ? undefined : this.#lookup();
    return {
      transport: {
        // Each request has its own connection. Bytes that are left over on the connection of one client's request can
        // therefore never be read as the answer to another client.
        agent: false,
        host: bare(target),
        port: target.port || HTTP_PORT,
        ...(lookup === undefined ? {} : {lookup}),
      },
      // The path is forwarded exactly as it was received. The class URL would change some characters.
      path: isOwn ? url : url.replace(/^[^:]*:\/\/[^/?#]*/, '').replace(/^(?!\/)/, '/'),
      host: target.host,
      fields: this.#untrusted.has(request.socket) ? [['Authorization', undefined]] : [],
      connectMs: this.#limits.connectMs,
      answerMs: this.#limits.answerMs,
      explain,
    };
  }

  #tunnel(tunnel: TunnelRequest): void {
    try {
      this.#checkToken(tunnel.request);
      const target = tunnelUrl(tunnel.request.url ?? '', this.#limits);
      this.#check(target);
      const {connectMs} = this.#limits;
      const to = {host: bare(target), port: Number(target.port), lookup: this.#lookup(), connectMs};
      makeTunnel(tunnel, to, explain);
    } catch (error) {
      refuseTunnel(tunnel.client, explain(error));
    }
  }

  /**
   * Checks the token of a request on an untrusted lane. A client without a near end sends the token with every request.
   * @throws ShimError if the token is refused
   */
  #checkToken({socket, headers}: IncomingMessage): void {
    const address = this.#untrusted.get(socket);
    if (this.#isRight === undefined || address === undefined) return;
    if (!this.#isRight(headers.authorization, address)) throw new ShimError(403, REFUSED_TOKEN);
  }

  /**
   * Checks whether a request may be sent to the target. If the host is a name, its addresses are checked later, by the
   * lookup of the socket. @throws ShimError, RefusedError if the request must not be sent
   */
  #check(target: URL): void {
    const {origin, token} = this.#options;
    if (target.host === origin?.host && target.protocol === 'http:') return;
    if (token === undefined)
      throw new ShimError(403, `this gateway serves ${origin?.host} only: to reach other hosts, start it with --token`);
    checkHost(target, this.#mayReach);
  }

  #lookup() {
    return checkedLookup(resolveBySystem, this.#mayReach);
  }

  readonly #mayReach = (address: string): boolean => this.#options.isPrivateAllowed || isPublic(address);
}

function httpUrl(url: string): URL | undefined {
  if (!/^http:\/\//i.test(url) || !URL.canParse(url)) return undefined;
  const target = new URL(url);
  return target.username === '' && target.password === '' ? target : undefined;
}

/**
 * Parses the host and port that a tunnel should lead to. @throws ShimError if they are invalid or the port is not
 * allowed
 */
function tunnelUrl(authority: string, {tunnelPorts}: ShimLimits): URL {
  const port = Number(/:(\d{1,5})$/.exec(authority)?.[1]);
  const url = `tunnel://${authority}`;
  if (!(port > 0 && port <= MOST_PORT) || /[/?#@]/.test(authority) || !URL.canParse(url))
    throw new ShimError(400, 'a tunnel must lead to HOST:PORT');
  if (!tunnelPorts.includes(port))
    throw new ShimError(403, `port ${port}: tunnels may only lead to port ${tunnelPorts.join(', ')}`);
  return new URL(url);
}

/** The host as sockets expect it, without the brackets of an IPv6 address. */
function bare({hostname}: URL): string {
  return hostname.replace(/^\[|\]$/g, '');
}

function explain(error: unknown): ShimError {
  if (error instanceof ShimError) return error;
  if (error instanceof RefusedError)
    return new ShimError(403, `${error.message}: the gateway allows it only with --allow-private`);
  const {code = '', message} = error instanceof Error ? (error as NodeJS.ErrnoException) : {message: `${error}`};
  if (code === 'ETIMEDOUT') return new ShimError(504, 'the server does not answer');
  return new ShimError(502, REASONS[code] ?? `the server’s answer cannot be read (${code || message})`);
}

const REASONS: {readonly [code: string]: string} = {
  ENOTFOUND: 'the server’s host is unknown',
  EAI_AGAIN: 'the server’s host cannot be looked up now',
  ECONNREFUSED: 'nobody listens at the server’s address',
  EHOSTUNREACH: 'the server cannot be reached: there is no route to it',
  ENETUNREACH: 'the server cannot be reached: there is no route to it',
  ECONNRESET: 'the server closed the connection',
  EPIPE: 'the server closed the connection',
  HPE_HEADER_OVERFLOW: 'the head of the server’s answer is too long',
};

const HTTP_PORT = 80;
const MOST_PORT = 65_535;
/**
 * Sizes of an association's buffers. The send buffer has room for data that all streams send at the same time. The
 * receive buffer has room for data that arrives out of order.
 */
const BUFFERS = {bufferBytes: 1024 * 1024, receiveBytes: 1024 * 1024};
/** How often an association is checked within `silenceMs`, which is the longest time that a near end may be silent. */
const LOOKS = 3;
