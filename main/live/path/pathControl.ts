import {once} from 'node:events';
import {createServer, type IncomingMessage, type ServerResponse} from 'node:http';
import type {Json} from '../../../app/base/json.ts';
import {readJson} from '../../../app/base/json.ts';
import {messageOf} from '../../../app/base/text.ts';
import type {PathSettings} from '../../../app/run/scenario/path.ts';
import {type RunningChange, requestedChange} from '../../../app/run/scenario/runningPath.ts';
import {askingPage, isAddress} from '../../net/askingPage.ts';
import {limitConnections} from '../../net/limitConnections.ts';
import {REFUSED_TOKEN, TokenGate} from '../../net/token.ts';

export interface PathControlOptions {
  /** The token that is required to read or change the path (RFC 6750 §2.1). Undefined if none is required. */
  readonly token: string | undefined;
  readonly settings: () => PathSettings;
  /** Returns the path's description, which is the body of a successful answer. */
  readonly describe: () => Json;
  /** Makes a change. If this throws, the answer to the request has status 500 and the error's message. */
  readonly onChange: (change: RunningChange) => void | Promise<void>;
}

/** An HTTP server to read and change a path's settings. It answers `GET /path` and `PATCH /path` with JSON. */
export class PathControl {
  readonly #options: PathControlOptions;
  readonly #gate: TokenGate | undefined;
  readonly #server = createServer({
    headersTimeout: IDLE_MS,
    requestTimeout: IDLE_MS,
    connectionsCheckingInterval: 1000,
    keepAliveTimeout: IDLE_MS,
    maxHeaderSize: MOST_HEADER_BYTES,
  });

  constructor(options: PathControlOptions) {
    this.#options = options;
    const {token} = options;
    this.#gate = token === undefined ? undefined : new TokenGate(token);
    limitConnections(this.#server, MOST_CONNECTIONS);
    this.#server.on('request', (request, response) => void this.#answer(request, response));
  }

  /** @throws what `node:net` throws if it cannot listen */
  async listen(host: string, port: number): Promise<void> {
    this.#server.listen(port, host);
    await once(this.#server, 'listening');
  }

  async close(): Promise<void> {
    if (!this.#server.listening) return;
    const closed = once(this.#server, 'close');
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const refusal = this.#refusalOf(request) ?? (await this.#change(request));
    // If the client has disconnected, nobody reads the answer.
    if (response.destroyed) return;
    if (refusal === undefined) return send(response, 200, this.#options.describe());
    const [status, error, headers] = refusal;
    send(response, status, {error}, headers);
  }

  #refusalOf({headers, method, url, socket}: IncomingMessage): Refusal | undefined {
    if (askingPage(headers) !== 'none') return [403, 'pages in a browser may neither read nor change a path'];
    if (this.#gate?.isRight(headers.authorization, socket.remoteAddress ?? '') === false)
      return [401, REFUSED_TOKEN, {'WWW-Authenticate': 'Bearer'}];
    // A page of another site may have a host name that resolves to this machine (DNS rebinding). Its requests then have
    // that name in the Host field. If a token is required, this check is not needed, because the page does not know the
    // token.
    if (this.#options.token === undefined && !isAddress(headers.host))
      return [403, `Host is ${headers.host}: must be an IP address or localhost`];
    if (url !== '/path') return [404, 'the only path is /path'];
    if (method === 'GET') return undefined;
    if (method !== 'PATCH') return [405, 'only GET and PATCH are allowed', {Allow: 'GET, PATCH'}];
    // An HTML form cannot send this content type, so a page cannot change the path with a form.
    const isJson = /^application\/json\s*(;|$)/i.test(headers['content-type'] ?? '');
    return isJson ? undefined : [415, 'a change must have the content type application/json'];
  }

  async #change(request: IncomingMessage): Promise<Refusal | undefined> {
    if (request.method !== 'PATCH') return undefined;
    const body = await bodyOf(request);
    if (body === undefined) return [413, `a change may have at most ${MOST_BODY_BYTES} bytes`, {Connection: 'close'}];
    const json = readJson(body);
    if (!json.ok) return [400, json.message];
    const change = requestedChange(json.value, this.#options.settings());
    if (!change.ok) return [400, change.problems[0].message];
    try {
      await this.#options.onChange(change);
      return undefined;
    } catch (error) {
      return [500, messageOf(error)];
    }
  }
}

type Refusal = readonly [status: number, why: string, headers?: {readonly [name: string]: string}];

/** Reads the request's body. Undefined if it is too long. Empty if the client has disconnected. */
async function bodyOf(request: IncomingMessage): Promise<string | undefined> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  try {
    // After an early return the connection stays open, so that the answer can be sent.
    const body: AsyncIterable<Uint8Array> = request.iterator({destroyOnReturn: false});
    for await (const piece of body) {
      bytes += piece.length;
      if (bytes > MOST_BODY_BYTES) return undefined;
      pieces.push(piece);
    }
  } catch {
    return '';
  }
  return Buffer.concat(pieces).toString();
}

function send(response: ServerResponse, status: number, body: Json, headers: Refusal[2] = {}): void {
  const fixed = {
    'Content-Type': 'application/json',
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
  };
  response.writeHead(status, {...fixed, ...headers});
  response.end(`${JSON.stringify(body)}\n`);
}

const IDLE_MS = 10_000;
const MOST_CONNECTIONS = 32;
const MOST_HEADER_BYTES = 8192;
/** Largest size of a request that changes the path, in bytes. A list of 100,000 lost packets has only 0.7 MB. */
const MOST_BODY_BYTES = 1024 * 1024;
