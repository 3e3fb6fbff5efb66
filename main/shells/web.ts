import {randomBytes, timingSafeEqual} from 'node:crypto';
import {createServer, type IncomingMessage, type Server, type ServerResponse} from 'node:http';
import type {AddressInfo} from 'node:net';
import {join} from 'node:path';
import {decode, encode} from '@msgpack/msgpack';
import {type WebSocket, WebSocketServer} from 'ws';
import type {OpenedDocument} from '../../app/ipc/contract.ts';
import {openChromiumStudio} from '../movie/chromiumStudio.ts';
import {readAsset} from './assets.ts';
import {CONTENT_SECURITY_POLICY} from './contentSecurityPolicy.ts';
import {moviesFolder, showFile} from './desktop.ts';
import {ShellHost} from './host.ts';

export interface WebShellOptions {
  /** The repository. */
  readonly root: string;
  readonly version: string;
  /** What the window is started with. */
  readonly opened: OpenedDocument | null;
}

export interface WebShell {
  /** Opens the window once in a browser; holds the secret token. */
  readonly url: string;
  close(): Promise<void>;
}

/**
 * The window for machines without Electron: the same renderer and engine behind a server on loopback. Only who
 * has the token gets in; it is handed over as a cookie, which every request and the WebSocket need.
 */
export async function openWebShell({root, version, opened}: WebShellOptions): Promise<WebShell> {
  const token = randomBytes(32).toString('hex');
  const server = createServer();
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  const guard = new Guard((server.address() as AddressInfo).port, token);
  const url = `${guard.origin}/?token=${token}`;
  const host = new ShellHost({
    shell: 'web',
    root,
    version,
    worker: new URL('./engineWorker.mjs', import.meta.url),
    opened,
    openStudio: () => openChromiumStudio(url),
    moviesFolder: moviesFolder(),
    showFile,
    setFullScreen: () => false,
  });
  server.on('request', (request, response) => {
    answer(request, response, guard, join(root, 'dist/renderer'));
  });
  setupSocket(server, guard, host);
  return {
    url,
    close: async () => {
      await host.close();
      server.closeAllConnections();
      await new Promise(resolve => server.close(resolve));
    },
  };
}

/** Who may come in. */
class Guard {
  readonly origin: string;
  readonly #host: string;
  readonly #cookie: string;
  readonly #token: string;

  constructor(port: number, token: string) {
    this.#host = `127.0.0.1:${port}`;
    this.origin = `http://${this.#host}`;
    this.#cookie = `interleave-${port}`;
    this.#token = token;
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
    return cookies.some(([name, value]) => name === this.#cookie && this.#isToken(value ?? ''));
  }

  /** The cookie for who brings the token in the address; undefined for others. */
  cookieFor(url: URL): string | undefined {
    if (!this.#isToken(url.searchParams.get('token') ?? '')) return undefined;
    return `${this.#cookie}=${this.#token}; HttpOnly; SameSite=Strict; Path=/`;
  }

  #isToken(text: string): boolean {
    const [given, wanted] = [Buffer.from(text), Buffer.from(this.#token)];
    return given.length === wanted.length && timingSafeEqual(given, wanted);
  }
}

function answer(request: IncomingMessage, response: ServerResponse, guard: Guard, folder: string): void {
  const refuse = (status: number, text: string) => response.writeHead(status, HEADERS).end(`${text}\n`);
  if (!guard.isOurHost(request)) return void refuse(403, 'wrong Host');
  if (request.method !== 'GET') return void refuse(405, 'GET only');
  const url = URL.parse(request.url ?? '/', guard.origin);
  if (url === null) return void refuse(400, 'no such address');
  const cookie = guard.cookieFor(url);
  if (cookie !== undefined) {
    // the token leaves the address bar and the history
    response.writeHead(303, {...HEADERS, 'Set-Cookie': cookie, Location: '/'}).end();
  } else if (!guard.hasCookie(request)) refuse(403, 'open the address that npm start printed');
  else {
    const asset = readAsset(folder, url.pathname);
    if (asset === undefined) refuse(404, 'no such file');
    else response.writeHead(200, {...HEADERS, 'Content-Type': asset.contentType}).end(asset.bytes);
  }
}

const HEADERS = {
  'Content-Security-Policy': CONTENT_SECURITY_POLICY,
  'Content-Type': 'text/plain; charset=utf-8',
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Cache-Control': 'no-store',
};

function setupSocket(server: Server, guard: Guard, host: ShellHost): void {
  const sockets = new WebSocketServer({noServer: true, maxPayload: LARGEST_MESSAGE_BYTES});
  server.on('upgrade', (request, socket, head) => {
    if (!guard.isOurHost(request) || !guard.isOurOrigin(request) || !guard.hasCookie(request)) {
      socket.end('HTTP/1.1 403 Forbidden\r\nConnection: close\r\n\r\n');
      return;
    }
    sockets.handleUpgrade(request, socket, head, client => serve(client, host));
  });
}

/** Requests are [id, call, args]; answers [id, null, value] or [id, message]; events [null, name, value]. */
function serve(client: WebSocket, host: ShellHost): void {
  const send = (...message: readonly unknown[]) => client.send(encode(message));
  const end = host.on((event, value) => send(null, event, value));
  client.on('close', end);
  client.on('error', () => client.terminate());
  client.on('message', async data => {
    let id: unknown = null;
    try {
      const request = decode(data as Buffer);
      if (!Array.isArray(request) || !Array.isArray(request[2])) throw new TypeError('not a request');
      id = request[0];
      send(id, null, await host.call(request[1], request[2]));
    } catch (error) {
      send(id, error instanceof Error ? error.message : String(error));
    }
  });
}

/** A scenario document with 1000 changes, several times over. */
const LARGEST_MESSAGE_BYTES = 4 * 1024 * 1024;
