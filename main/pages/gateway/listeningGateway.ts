import {once} from 'node:events';
import {createServer, type IncomingMessage, type ServerResponse} from 'node:http';
import type {AddressInfo} from 'node:net';
import {readJson} from '../../../app/base/json.ts';
import {anyText, boolean, check, object, optional, type Parser, required} from '../../../app/base/schema.ts';
import {limitConnections} from '../../net/limitConnections.ts';
import {REFUSED_TOKEN, TokenGate} from '../../net/token.ts';
import {FetchError} from '../base/pageErrors.ts';
import type {Trust} from '../base/trust.ts';
import {frameOf} from './gatewayFrames.ts';
import type {GatewayAnswer, GatewayMessage, GatewayRequest} from './gatewayMessage.ts';
import {fetchBundle} from './gatewayProcess.ts';

export interface ListenOptions {
  /** An IP address of this machine, or localhost. */
  readonly host: string;
  /** 0 chooses a free port. */
  readonly port: number;
  readonly token: string;
  /** Whether clients may ask for addresses that are not public, such as addresses in the network of this machine. */
  readonly isPrivateAllowed: boolean;
  /** Which HTTPS servers are trusted. By default the authorities that Node contains decide. */
  readonly trust?: Trust | undefined;
  /** The module that runs in the gateway's process. */
  readonly module: URL;
  /**
   * Called with the answer after each fetch. Not called if a request is refused before anything is fetched, or if the
   * client disconnects before the fetch has ended.
   */
  readonly onAnswer?: (request: GatewayRequest, answer: GatewayAnswer) => void;
  readonly limits?: ListenLimits;
}

export interface ListenLimits {
  /** How many pages may be fetched or sent at the same time. Each needs a process and memory for its bytes. */
  readonly pages: number;
  /** Longest time for a client to send its request, and longest pause while it receives the answer. */
  readonly idleMs: number;
  /** Longest time for a client to receive the answer after the page was fetched. */
  readonly answerMs: number;
}

/** A gateway that fetches pages for other machines. It stores nothing. */
export interface ListeningGateway {
  /** `http://127.0.0.1:8470` */
  readonly address: string;
  /** Stops listening, and ends all fetches. */
  close(): Promise<void>;
}

/**
 * Starts a gateway that sends bundles to clients that have the token. Clients use `POST /bundle`, as in
 * `remoteGateway.ts`. Rejects if the server cannot listen.
 */
export async function listenGateway(options: ListenOptions): Promise<ListeningGateway> {
  const {host, port, limits = LISTEN_LIMITS} = options;
  const {idleMs} = limits;
  const server = createServer({
    headersTimeout: idleMs,
    requestTimeout: idleMs,
    connectionsCheckingInterval: Math.min(idleMs, 1000),
  });
  limitConnections(server, MOST_CONNECTIONS);
  const pages = new Pages(options, limits);
  server.on('request', (request, response) => void pages.answer(request, response));
  server.listen(port, host);
  // rejects if the server reports an error
  await once(server, 'listening');
  return {
    address: addressOf(server.address() as AddressInfo),
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

function addressOf({address, family, port}: AddressInfo): string {
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
}

class Pages {
  readonly #options: ListenOptions;
  readonly #limits: ListenLimits;
  readonly #gate: TokenGate;
  #busy = 0;

  constructor(options: ListenOptions, limits: ListenLimits) {
    this.#options = options;
    this.#limits = limits;
    this.#gate = new TokenGate(options.token);
  }

  async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      this.#check(request);
      const wanted = await readRequest(request);
      if (wanted.isPrivateAllowed && !this.#options.isPrivateAllowed)
        throw new RequestError(403, 'this gateway fetches from public addresses only');
      if (this.#busy >= this.#limits.pages)
        throw new RequestError(503, `this gateway already fetches ${this.#busy} pages: ask again later`);
      this.#busy += 1;
      response.on('close', () => {
        this.#busy -= 1;
      });
      await this.#serve({...wanted, trust: this.#options.trust}, response);
    } catch (error) {
      // the client has disconnected
      if (response.destroyed) return;
      if (response.headersSent || !(error instanceof RequestError)) return void response.destroy();
      const headers = error.status === 401 ? {'WWW-Authenticate': 'Bearer'} : {};
      response.writeHead(error.status, {...HEADERS, ...headers, 'Content-Type': 'text/plain; charset=utf-8'});
      response.end(`${error.message}\n`);
    }
  }

  /** Checks a request. A client whose token is refused learns only that. @throws RequestError */
  #check({headers, method, url, socket}: IncomingMessage): void {
    if (!this.#gate.isRight(headers.authorization, socket.remoteAddress ?? ''))
      throw new RequestError(401, REFUSED_TOKEN);
    if (url !== '/bundle') throw new RequestError(404, 'the only path is /bundle');
    if (method !== 'POST') throw new RequestError(405, 'the only method is POST');
  }

  async #serve(wanted: GatewayRequest, response: ServerResponse): Promise<void> {
    const disconnected = new AbortController();
    response.on('close', () => disconnected.abort());
    response.writeHead(200, {...HEADERS, 'Content-Type': 'application/octet-stream'});
    response.flushHeaders();
    const send = (message: GatewayMessage) => response.write(frameOf(message));
    const onProgress = (done: number, all: number) => send({type: 'progress', done, all});
    const {module, onAnswer} = this.#options;
    const answer = await fetchBundle(wanted, {module, signal: disconnected.signal, onProgress}).then(
      (bundle): GatewayAnswer => ({type: 'bundle', bundle}),
      (error: unknown): GatewayAnswer => {
        if (!(error instanceof FetchError)) throw error;
        return {type: 'refused', why: error.message, isPrivate: error.isPrivate};
      },
    );
    const late = setTimeout(() => response.destroy(), this.#limits.answerMs);
    response.on('close', () => clearTimeout(late));
    response.setTimeout(this.#limits.idleMs, () => response.destroy());
    send(answer);
    response.end();
    onAnswer?.(wanted, answer);
  }
}

const HEADERS = {'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff', Connection: 'close'};

/**
 * Limits of a listening gateway. A page that reaches all limits needs 100 MB while it is sent, because it is in memory
 * twice during that time.
 */
const LISTEN_LIMITS: ListenLimits = {pages: 4, idleMs: 20_000, answerMs: 300_000};

/** Largest number of open connections. A further connection replaces one of them, or is closed immediately. */
const MOST_CONNECTIONS = 64;

/** Thrown if a request is refused. It holds the status and the message of the answer. */
class RequestError extends Error {
  override readonly name = 'RequestError';
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** Reads a request for a page. @throws RequestError if the request is invalid or too large */
export async function readRequest(request: IncomingMessage): Promise<GatewayRequest> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of request as AsyncIterable<Uint8Array>) {
    bytes += piece.length;
    if (bytes > MOST_BYTES) throw new RequestError(413, `a request has at most ${MOST_BYTES} bytes`);
    pieces.push(piece);
  }
  const json = readJson(Buffer.concat(pieces).toString());
  const parsed = json.ok ? check(gatewayRequest, json.value) : undefined;
  if (parsed?.ok) return parsed.value;
  throw new RequestError(
    400,
    parsed === undefined ? 'the body of the request is not JSON' : parsed.problems[0].message,
  );
}

const gatewayRequest: Parser<GatewayRequest> = object('a page', {
  address: required(anyText()),
  isProgressive: optional(boolean(), false),
  isPrivateAllowed: optional(boolean(), false),
});

const MOST_BYTES = 16_384;
