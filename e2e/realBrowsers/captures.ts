import {type ChildProcess, execFileSync, spawn} from 'node:child_process';
import {once} from 'node:events';
import {readFileSync, rmSync, statSync} from 'node:fs';
import {createServer} from 'node:http';
import type {AddressInfo} from 'node:net';
import {extname, join, normalize} from 'node:path';
import {setTimeout as sleep} from 'node:timers/promises';
import type {PageSnapshot} from '../../app/page/page.ts';
import type {BrowserLoad} from './browserLoad.ts';
import {type BrowserOptions, startChromium} from './chromium.ts';
import type {FaultyPath, RealPath} from './path.ts';
import {withRealBrowser} from './realLoads.ts';
import type {Protocol} from './servers.ts';

/** A load whose packets are captured at the browser, on a path whose settings are known. */
export interface CaptureCell {
  readonly name: string;
  readonly page: string;
  readonly server: 'nginx' | 'caddy';
  readonly protocol: Protocol;
  readonly path: FaultyPath;
  /** The fault that makes the load slow on purpose, if there is one. */
  readonly cause: InjectedCause;
}

export type InjectedCause =
  | {readonly kind: 'none'}
  /** The server needs this time for each answer. */
  | {readonly kind: 'slow-server'; readonly thinkMs: number}
  /** The client's kernel offers at most this window. */
  | {readonly kind: 'small-window'; readonly bytes: number}
  /** Packets from the client are lost; {@link CaptureCell.path} says how many. */
  | {readonly kind: 'lossy-up'}
  /** {@link CaptureCell.path} has a policer. */
  | {readonly kind: 'policer'};

/**
 * Loads the page once in a real Chromium, and captures the packets at the client. Writes the packets to `NAME.pcap` in
 * `folder`, and the secrets of the TLS sessions to `NAME.keys`. Returns what the browser reported.
 */
export async function captureLoad(
  cell: CaptureCell,
  page: PageSnapshot,
  seed: number,
  folder: string,
): Promise<BrowserLoad> {
  const {name, server, protocol, path: faulty, cause} = cell;
  const keyLog = join(folder, `${name}.keys`);
  rmSync(keyLog, {force: true});
  const slow = cause.kind === 'slow-server' && {startUpstream: (root: string) => startSlowServer(root, cause.thinkMs)};
  const start = (options: BrowserOptions) => {
    if (cause.kind === 'small-window') limitWindow(options.namespace, cause.bytes);
    return startChromium({...options, keyLog});
  };
  return withRealBrowser({server, protocol, ...slow}, page, start, async ({browser, path, address}) => {
    await path.set(faulty, seed);
    await sleep(500);
    const capture = await startCapture(path, join(folder, `${name}.pcap`));
    const load = await browser.load(address);
    await sleep(300);
    await capture.stop();
    return load;
  });
}

/** Limits the receive buffers of the namespace's TCP, so that the kernel offers a window of about `bytes`. */
function limitWindow(namespace: string, bytes: number): void {
  // half of the buffer is for the kernel's own data (tcp_adv_win_scale)
  const sizes = `4096 ${2 * bytes} ${2 * bytes}`;
  execFileSync('ip', ['netns', 'exec', namespace, 'sysctl', '-q', '-w', `net.ipv4.tcp_rmem=${sizes}`]);
}

/** Captures the packets of port 443 in the path's namespace with tcpdump, with times in ns. */
async function startCapture({namespace, outside}: RealPath, file: string): Promise<{stop(): Promise<void>}> {
  const filter = ['host', outside, 'and', 'port', '443'];
  const options = ['-Z', 'root', '-i', 'any', '-U', '--time-stamp-precision=nano', '-w', file];
  const child = spawn('chrt', ['-f', '5', 'ip', 'netns', 'exec', namespace, 'tcpdump', ...options, ...filter], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  await Promise.race([once(child.stderr, 'data'), once(child, 'exit')]);
  if (child.exitCode !== null) throw new Error('tcpdump does not start');
  await sleep(300);
  return {stop: () => interrupt(child)};
}

async function interrupt(child: ChildProcess): Promise<void> {
  const ended = once(child, 'exit');
  child.kill('SIGINT');
  await ended;
}

/** Starts an HTTP server on loopback that answers each request after `thinkMs`. */
async function startSlowServer(root: string, thinkMs: number) {
  const server = createServer((request, response) => {
    setTimeout(() => {
      const {pathname} = new URL(request.url ?? '/', 'http://localhost');
      const file = join(root, normalize(pathname.endsWith('/') ? `${pathname}index.html` : pathname));
      const isThere = file.startsWith(root) && statSync(file, {throwIfNoEntry: false})?.isFile() === true;
      const body = isThere ? readFileSync(file) : Buffer.from('not found');
      const type = TYPES.get(extname(file)) ?? 'application/octet-stream';
      response.writeHead(isThere ? 200 : 404, {'content-type': type, 'content-length': body.length});
      response.end(body);
    }, thinkMs);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const {port} = server.address() as AddressInfo;
  return {
    address: `http://127.0.0.1:${port}`,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

const TYPES = new Map([
  ['.html', 'text/html; charset=utf-8'],
  ['.css', 'text/css'],
  ['.js', 'text/javascript'],
  ['.jpg', 'image/jpeg'],
  ['.png', 'image/png'],
  ['.gif', 'image/gif'],
  ['.svg', 'image/svg+xml'],
  ['.webp', 'image/webp'],
  ['.woff2', 'font/woff2'],
]);
