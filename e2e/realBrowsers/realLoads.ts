import {chmodSync, mkdirSync, mkdtempSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import type {PageSnapshot} from '../../app/page/page.ts';
import type {BrowserLoad, RealBrowser} from './browserLoad.ts';
import type {Cell} from './cells.ts';
import {makeCertificates} from './certificate.ts';
import {type BrowserOptions, startChromium} from './chromium.ts';
import {startFirefox} from './firefox.ts';
import {servePage} from './pages.ts';
import {type RealPath, startRealPath} from './path.ts';
import {REAL_SERVERS, startRealServer} from './servers.ts';

const BROWSERS = {chromium: startChromium, firefox: startFirefox};

export interface RealLoad {
  readonly seed: number;
  /** What the browser reported, or why the load failed. */
  readonly result: BrowserLoad | {readonly failed: string};
}

/**
 * Loads the page of a cell once for each seed. A real browser loads it from a real server, through the emulated path,
 * in real time. `onLoad` is called after each load.
 */
export async function realLoads(
  cell: Cell,
  page: PageSnapshot,
  seeds: readonly number[],
  onLoad: (load: RealLoad) => void,
): Promise<void> {
  await withRealBrowser(cell, page, BROWSERS[cell.browser], async ({browser, path, address}) => {
    for (const seed of seeds) {
      await path.set(cell.path, seed);
      onLoad({seed, result: await attempt(browser, address)});
    }
  });
}

/** A running browser, the path that its packets take, and the address of the page that it loads. */
interface Running<B> {
  readonly browser: B;
  readonly path: RealPath;
  /** The page's address. */
  readonly address: string;
}

/** The server that a browser loads from. */
interface Source extends Pick<Cell, 'server' | 'protocol'> {
  /** Starts an HTTP server for the folder `root`. The real server then forwards requests to it and reads no files. */
  readonly startUpstream?: (root: string) => Promise<{readonly address: string; close(): void}>;
}

/**
 * Starts path, server and browser, and ends them after `use`. Before `use`, the browser loads the page once over a fast
 * path, because a browser is still starting during its first load.
 */
export async function withRealBrowser<B extends RealBrowser, T>(
  {server: name, protocol, startUpstream}: Source,
  page: PageSnapshot,
  start: (options: BrowserOptions) => Promise<B>,
  use: (running: Running<B>) => Promise<T>,
): Promise<T> {
  const server = REAL_SERVERS.find(each => each.name === name);
  if (server === undefined) throw new Error(`there is no server ${name}`);
  const folder = mkdtempSync(join(tmpdir(), 'interleave-real-'));
  const closers: (() => unknown)[] = [() => rmSync(folder, {recursive: true, force: true})];
  try {
    // Apache reads files as another user
    chmodSync(folder, 0o755);
    const root = join(folder, 'www');
    mkdirSync(root);
    const {address, hosts} = servePage(page, root);
    const certificates = makeCertificates(folder, hosts);
    const namespace = `interleave-real-${process.pid}`;
    const path = await startRealPath(namespace, hosts, 'cubic');
    closers.push(() => path.close());
    const upstream = await startUpstream?.(root);
    if (upstream !== undefined) closers.push(() => upstream.close());
    const serving = {address: path.outside, root, protocol, certificates};
    const forwarding = upstream === undefined ? {} : {upstream: upstream.address};
    const running = await startRealServer(server, join(folder, server.name), {...serving, ...forwarding});
    closers.push(() => running.stop());
    const browser = await start({namespace, protocol, certificates, hosts});
    closers.push(() => browser.close());
    await path.set({rateBps: 100e6, rttMs: 1, loss: 0}, 1);
    await browser.load(address);
    return await use({browser, path, address});
  } finally {
    for (const close of closers.reverse()) await close();
  }
}

async function attempt(browser: RealBrowser, address: string): Promise<RealLoad['result']> {
  try {
    return await browser.load(address);
  } catch (error) {
    return {failed: error instanceof Error ? error.message : String(error)};
  }
}
