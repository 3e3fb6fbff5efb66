import {once} from 'node:events';
import {createServer, type IncomingMessage, type ServerResponse} from 'node:http';
import type {AddressInfo} from 'node:net';
import {limitConnections} from '../../net/connectionPlaces.ts';
import {TokenGate} from '../../net/token.ts';
import type {Trust} from '../../net/trust.ts';
import {FetchError} from '../base/fetchError.ts';
import {frameOf} from './frames.ts';
import {fetchBundle} from './gateway.ts';
import type {GatewayAnswer, GatewayMessage, GatewayRequest} from './gatewayMessage.ts';
import {AskingError, readRequest} from './listenRequest.ts';

export interface ListenOptions {
  /** An IP address of this machine, or localhost. */
  readonly host: string;
  /** 0: one that is free. */
  readonly port: number;
  readonly token: string;
  /** Whoever asks may have addresses that are not public as this machine sees them. */
  readonly isPrivateAllowed: boolean;
  /** Which servers of https it fetches from; the system's authorities decide by default. */
  readonly trust?: Trust | undefined;
  /** The module of the gateway's process. */
  readonly module: URL;
  /** Each page that was asked for, and what came of it. */
  readonly onAnswer?: (request: GatewayRequest, answer: GatewayAnswer) => void;
  readonly limits?: ListenLimits;
}

export interface ListenLimits {
  /** Pages that are fetched, or on their way to who asked, at once: each has a process and its bytes. */
  readonly pages: number;
  /** For who asks and says nothing, or does not take the answer. */
  readonly idleMs: number;
  /** For an answer to be taken. */
  readonly answerMs: number;
}

/** A gateway that other machines ask. It keeps nothing. */
export interface ListeningGateway {
  /** `http://127.0.0.1:8470` */
  readonly address: string;
  /** Ends what is fetched, too. */
  close(): Promise<void>;
}

/** Serves bundles to who has the token: `POST /bundle`, which `remote.ts` asks. Rejects if it cannot listen there. */
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
  // rejects on an error
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
        throw new AskingError(403, 'this gateway fetches from public addresses only');
      if (this.#busy >= this.#limits.pages)
        throw new AskingError(503, `it fetches ${this.#busy} pages already: ask again later`);
      this.#busy += 1;
      response.on('close', () => {
        this.#busy -= 1;
      });
      await this.#serve({...wanted, trust: this.#options.trust}, response);
    } catch (error) {
      // nobody is there any more
      if (response.destroyed) return;
      if (response.headersSent || !(error instanceof AskingError)) return void response.destroy();
      const headers = error.status === 401 ? {'WWW-Authenticate': 'Bearer'} : {};
      response.writeHead(error.status, {...HEADERS, ...headers, 'Content-Type': 'text/plain; charset=utf-8'});
      response.end(`${error.message}\n`);
    }
  }

  /** Who has no token is told nothing else. @throws AskingError */
  #check({headers, method, url, socket}: IncomingMessage): void {
    if (!this.#gate.isRight(headers.authorization, socket.remoteAddress ?? ''))
      throw new AskingError(401, 'the token is wrong');
    if (url !== '/bundle') throw new AskingError(404, 'there is only /bundle');
    if (method !== 'POST') throw new AskingError(405, 'POST only');
  }

  async #serve(wanted: GatewayRequest, response: ServerResponse): Promise<void> {
    const gone = new AbortController();
    response.on('close', () => gone.abort());
    response.writeHead(200, {...HEADERS, 'Content-Type': 'application/octet-stream'});
    response.flushHeaders();
    const send = (message: GatewayMessage) => response.write(frameOf(message));
    const onProgress = (done: number, all: number) => send({type: 'progress', done, all});
    const {module, onAnswer} = this.#options;
    const answer = await fetchBundle(wanted, {module, signal: gone.signal, onProgress}).then(
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

/** A page at all of its limits is there twice while it is sent: 100 MB. */
const LISTEN_LIMITS: ListenLimits = {pages: 4, idleMs: 20_000, answerMs: 300_000};

/** Those beyond it are closed at once. */
const MOST_CONNECTIONS = 64;
