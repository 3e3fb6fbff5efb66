import {createServer, type IncomingMessage, type Server, type ServerResponse} from 'node:http';
import type {AddressInfo} from 'node:net';
import {join} from 'node:path';
import {Encoder} from '@msgpack/msgpack';
import {type WebSocket, WebSocketServer} from 'ws';
import {messageOf} from '../../app/base/text.ts';
import type {HeldRunAnswer, OpenedDocument} from '../../app/host/contract.ts';
import {KEY_META} from '../../app/host/webKey.ts';
import {openChromiumStudio} from '../media/studio/chromiumStudio.ts';
import {limitConnections} from '../net/connectionPlaces.ts';
import {AddressFile} from './addressFile.ts';
import {type Asset, readAsset} from './assets.ts';
import {CONTENT_SECURITY_POLICY} from './contentSecurityPolicy.ts';
import {moviesFolder, showFile, userFolder} from './desktop.ts';
import {Guard} from './guard.ts';
import {ShellHost} from './host.ts';
import {parseRequest} from './request.ts';

// for npm start, which reads what the window is started with
export {programVersion} from '../files/program.ts';
export {readOpenedFiles} from './openedFile.ts';

export interface WebShellOptions {
  /** The repository. */
  readonly root: string;
  readonly version: string;
  /** What the window is started with. */
  readonly opened: OpenedDocument | null;
  /** Told if pictures are taken by a browser without a sandbox, and why, in a line; standard error without it. */
  readonly tell?: (line: string) => void;
}

export interface WebShell {
  /** `http://127.0.0.1:1234` */
  readonly origin: string;
  /**
   * An address that opens the window, or another page of the renderer, once, for whoever opens it first. For a user's
   * eyes: a command line can be read by every user of the machine.
   */
  newAddress(page?: string): string;
  /**
   * The same for a browser's command line: a file that leads there, removed when it was used. It stands in `folder`,
   * as the browser's profile, which goes with the browser even when this process is killed.
   */
  newFileAddress(folder?: string): string;
  /** A trace file, for pictures of it, by the name that it then has. */
  holdRun(file: Uint8Array): HeldRunAnswer;
  close(): Promise<void>;
}

/**
 * The window for machines without Electron: the same renderer and engine behind a server on loopback, which lets
 * in only who has a token.
 */
export async function openWebShell({root, version, opened, tell}: WebShellOptions): Promise<WebShell> {
  const server = createServer(LIMITS);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  const guard = new Guard((server.address() as AddressInfo).port);
  const host = new ShellHost({
    shell: 'web',
    root,
    version,
    worker: new URL('./engineWorker.mjs', import.meta.url),
    gateway: new URL('./gateway.mjs', import.meta.url),
    live: new URL('./live.mjs', import.meta.url),
    opened,
    openStudio: () => openChromiumStudio(guard, tell),
    moviesFolder: moviesFolder(),
    userFolder: userFolder(),
    showFile,
    setFullScreen: () => false,
  });
  server.on('request', (request, response) => {
    answer(request, response, guard, join(root, 'dist/renderer'));
  });
  const sockets = setupSocket(server, guard, host);
  limitConnections(server, MOST_CONNECTIONS);
  const files = new Set<AddressFile>();
  const remove = (file: AddressFile) => {
    file.remove();
    files.delete(file);
  };
  return {
    origin: guard.origin,
    newAddress: page => guard.newAddress(page),
    holdRun: file => host.holdRun(file),
    newFileAddress: folder => {
      const file: AddressFile = new AddressFile(
        guard.newAddress('', () => remove(file)),
        folder,
      );
      files.add(file);
      return file.url;
    },
    close: async () => {
      for (const file of files) remove(file);
      await host.close();
      // the server's own list has none of them
      for (const client of sockets.clients) client.terminate();
      server.closeAllConnections();
      await new Promise(resolve => server.close(resolve));
    },
  };
}

/** Who connects and says nothing, or never ends, is not waited for, ms. */
const LIMITS = {headersTimeout: 10_000, requestTimeout: 10_000, connectionsCheckingInterval: 1000};

/** A window has 8; without a limit, whoever opens many takes the files that the program may have open. */
const MOST_CONNECTIONS = 256;

function answer(request: IncomingMessage, response: ServerResponse, guard: Guard, folder: string): void {
  const refuse = (status: number, text: string) => response.writeHead(status, HEADERS).end(`${text}\n`);
  if (!guard.isOurHost(request)) return void refuse(403, 'wrong Host');
  if (request.method !== 'GET') return void refuse(405, 'GET only');
  const url = URL.parse(request.url ?? '/', guard.origin);
  if (url === null) return void refuse(400, 'no such address');
  const asset = readAsset(folder, url.pathname);
  if (asset === undefined) return void refuse(404, 'no such file');
  const bytes = url.searchParams.has('token') ? withKey(asset, guard.keyFor(url)) : asset.bytes;
  if (bytes === undefined) refuse(403, 'this address is wrong or was used: start the program again');
  else response.writeHead(200, {...HEADERS, 'Content-Type': asset.contentType}).end(bytes);
}

/** A page that has the key; undefined for what is no page, or without a key. */
function withKey({bytes, contentType}: Asset, key: string | undefined): string | undefined {
  if (key === undefined || !contentType.startsWith('text/html')) return undefined;
  const meta = `<meta name="${KEY_META}" content="${key}">`;
  return Buffer.from(bytes)
    .toString()
    .replace('<head>', head => head + meta);
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

function setupSocket(server: Server, guard: Guard, host: ShellHost): WebSocketServer {
  const sockets = new WebSocketServer({noServer: true, maxPayload: LARGEST_MESSAGE_BYTES});
  server.on('upgrade', (request, socket, head) => {
    // who was refused may be gone already
    socket.on('error', () => socket.destroy());
    if (!guard.isOurHost(request) || !guard.isOurOrigin(request) || !guard.hasKey(request)) {
      socket.end('HTTP/1.1 403 Forbidden\r\nConnection: close\r\n\r\n', () => socket.destroy());
      return;
    }
    sockets.handleUpgrade(request, socket, head, client => serve(client, host));
  });
  return sockets;
}

/**
 * Requests are JSON, [id, call, args]; answers [id, null, value] or [id, message], and events [null, name, value],
 * are MessagePack: they have bytes. Who sends anything else is not the window.
 */
function serve(client: WebSocket, host: ShellHost): void {
  const send = (...message: readonly unknown[]) => client.send(packed(message));
  const end = host.on((event, value) => send(null, event, value));
  const live = new Set<unknown>();
  client.on('close', () => {
    end();
    // nobody waits for them any more
    for (const run of live) void host.call('cancelLoad', [run]);
  });
  client.on('error', () => client.terminate());
  client.on('message', async (data, isBinary) => {
    const request = isBinary ? undefined : parseRequest(String(data));
    if (request === undefined) return client.close(POLICY_VIOLATION, 'not a request');
    const {id, call, args} = request;
    if (call === 'loadLive') live.add(args[2]);
    try {
      send(id, null, await host.call(call, args));
    } catch (error) {
      send(id, messageOf(error));
    }
  });
}

/** In memory that has room for a run from the start: growing into it, the encoder would copy it several times. */
function packed(message: readonly unknown[]): Uint8Array {
  const runBytes = (message[2] as {run?: Uint8Array} | null | undefined)?.run?.length ?? 0;
  return new Encoder({initialBufferSize: runBytes + USUAL_MESSAGE_BYTES}).encodeSharedRef(message);
}

const USUAL_MESSAGE_BYTES = 2048;

/** RFC 6455 §7.4.1 */
const POLICY_VIOLATION = 1008;

/** The largest story's file, and as many quotes as its text has. */
const LARGEST_MESSAGE_BYTES = 12 * 1024 * 1024;
