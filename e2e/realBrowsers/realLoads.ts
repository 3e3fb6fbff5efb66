import {chmodSync, mkdirSync, mkdtempSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import type {PageSnapshot} from '../../app/page/page.ts';
import type {BrowserLoad, RealBrowser} from './browserLoad.ts';
import type {Cell} from './cells.ts';
import {makeCertificates} from './certificate.ts';
import {startChromium} from './chromium.ts';
import {startFirefox} from './firefox.ts';
import {servePage} from './pages.ts';
import {startRealPath} from './path.ts';
import {REAL_SERVERS, startRealServer} from './servers.ts';

const BROWSERS = {chromium: startChromium, firefox: startFirefox};

export interface RealLoad {
  readonly seed: number;
  /** What the browser told, or why the load failed. */
  readonly result: BrowserLoad | {readonly failed: string};
}

/**
 * Loads the page of a cell once for each seed, in real time: a real browser from a real server, through the emulated
 * path. Each load is passed on at once. The first load of a browser is not counted, because the browser still starts.
 */
export async function realLoads(
  cell: Cell,
  page: PageSnapshot,
  seeds: readonly number[],
  onLoad: (load: RealLoad) => void,
): Promise<void> {
  const server = REAL_SERVERS.find(({name}) => name === cell.server);
  if (server === undefined) throw new Error(`there is no server ${cell.server}`);
  const folder = mkdtempSync(join(tmpdir(), 'interleave-real-'));
  const closers: (() => unknown)[] = [() => rmSync(folder, {recursive: true, force: true})];
  try {
    // Apache reads files as another user
    chmodSync(folder, 0o755);
    const root = join(folder, 'www');
    mkdirSync(root);
    const {address, hosts} = servePage(page, root);
    const certificates = makeCertificates(folder, hosts);
    const name = `interleave-real-${process.pid}`;
    const path = await startRealPath(name, hosts, 'cubic');
    closers.push(() => path.close());
    const serving = {address: path.outside, root, protocol: cell.protocol, certificates};
    const running = await startRealServer(server, join(folder, server.name), serving);
    closers.push(() => running.stop());
    const authority = `${new URL(address).hostname}:443`;
    const options = {namespace: name, protocol: cell.protocol, certificates, authority};
    const browser = await BROWSERS[cell.browser](options);
    closers.push(() => browser.close());
    await path.set({rateBps: 100e6, rttMs: 1, loss: 0}, 1);
    await browser.load(address);
    for (const seed of seeds) {
      await path.set(cell.path, seed);
      onLoad({seed, result: await attempt(browser, address)});
    }
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
