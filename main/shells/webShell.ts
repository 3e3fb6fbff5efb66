import {createServer, type IncomingMessage, type Server, type ServerResponse} from 'node:http';
import type {AddressInfo} from 'node:net';
import {join} from 'node:path';
import {Encoder} from '@msgpack/msgpack';
import {type WebSocket, WebSocketServer} from 'ws';
import {messageOf} from '../../app/base/text.ts';
import type {HeldRunAnswer} from '../../app/host/contract.ts';
import {KEY_META} from '../../app/host/webKey.ts';
import {openChromiumStudio} from '../media/studio/chromiumStudio.ts';
import {limitConnections} from '../net/limitConnections.ts';
import {AddressFile} from './addressFile.ts';
import {CONTENT_SECURITY_POLICY} from './contentSecurityPolicy.ts';
import {moviesFolder, showFile, userFolder} from './desktop.ts';
import type {OpenedFiles} from './openedFile.ts';
import {type Asset, readAsset} from './rendererAsset.ts';
import {ShellHost} from './shellHost.ts';
import {Guard} from './webGuard.ts';
import {parseRequest} from './webRequest.ts';

// main/setup/start.mjs imports these from the bundle of this file
export {programVersion} from '../files/program.ts';
export {readOpenedFiles} from './openedFile.ts';

export interface WebShellOptions {
  /** The repository, or the folder where the program is installed. */
  readonly root: string;
  readonly version: string;
  /** The document or the captures that the window is opened with. */
  readonly opened: OpenedFiles | null;
  /**
   * Called with a line for the user if a browser for pictures has no sandbox. By default the line goes to standard
   * error.
   */
  readonly print?: (line: string) => void;
}

export interface WebShell {
  /** The address of the server, such as `http://127.0.0.1:1234`. */
  readonly origin: string;
  /**
   * Returns an address that opens the window, or another page of the renderer. The address can be opened only once.
   * Show it only to the user, and do not put it in a command line, which every user of the machine can read.
   */
  newAddress(page?: string): string;
  /**
   * Returns an address that may be in a browser's command line. It is the address of a file that redirects to the
   * window. The file is below `folder` (but see {@link AddressFile} about snaps), and is removed after use. If `folder`
   * is the browser's profile, the file is removed together with the profile even if this process is killed.
   */
  newFileAddress(folder?: string): string;
  /** Keeps a trace file in memory, so that pictures can be taken of its run. The answer names the run. */
  holdRun(file: Uint8Array): HeldRunAnswer;
  close(): Promise<void>;
}

/**
 * Starts a server that shows the window in a browser, for machines without Electron. The renderer and the engine are
 * the same as in Electron. The server is on loopback and connects the two. A client without a token gets only the built
 * renderer.
 */
export async function openWebShell({root, version, opened, print}: WebShellOptions): Promise<WebShell> {
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
    openStudio: () => openChromiumStudio(guard, print),
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
      // closeAllConnections does not close upgraded connections
      for (const client of sockets.clients) client.terminate();
      server.closeAllConnections();
      await new Promise(resolve => server.close(resolve));
    },
  };
}

/** Time limits in ms for clients that connect and send nothing, or never finish a request. */
const LIMITS = {headersTimeout: 10_000, requestTimeout: 10_000, connectionsCheckingInterval: 1000};

/**
 * Largest number of connections. A window has 8. Without a limit, a client with many connections could use up all file
 * descriptors of the program.
 */
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
  if (bytes === undefined) refuse(403, 'this address is wrong or was already used: start the program again');
  else response.writeHead(200, {...HEADERS, 'Content-Type': asset.contentType}).end(bytes);
}

/** Returns the page with the key in it. Returns undefined for other files, or if there is no key. */
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
    // a client that is refused may have disconnected already
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
 * Serves a window. Requests are [id, call, args] in JSON. Answers are [id, null, value] or, if the call fails, [id,
 * message]. Events are [null, name, value]. Answers and events are in MessagePack, because they contain bytes. A client
 * that sends anything but requests is not the window, and is disconnected.
 */
function serve(client: WebSocket, host: ShellHost): void {
  const send = (...message: readonly unknown[]) => client.send(packed(message));
  const end = host.on((event, value) => send(null, event, value));
  const live = new Set<unknown>();
  client.on('close', () => {
    end();
    // nobody waits for these loads any more
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

/**
 * Encodes a message. The encoder's buffer is large enough for a run from the start. Otherwise the encoder would copy
 * the buffer several times.
 */
function packed(message: readonly unknown[]): Uint8Array {
  const runBytes = (message[2] as {run?: Uint8Array} | null | undefined)?.run?.length ?? 0;
  return new Encoder({initialBufferSize: runBytes + USUAL_MESSAGE_BYTES}).encodeSharedRef(message);
}

const USUAL_MESSAGE_BYTES = 2048;

/** RFC 6455 §7.4.1 */
const POLICY_VIOLATION = 1008;

/** Largest size of a request, in bytes. The largest file of a story fits, with all escapes that JSON may need. */
const LARGEST_MESSAGE_BYTES = 12 * 1024 * 1024;
