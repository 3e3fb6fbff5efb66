import {type ChildProcess, spawn} from 'node:child_process';
import {once} from 'node:events';
import {chownSync, readdirSync, rmSync} from 'node:fs';
import {join} from 'node:path';
import type {Readable, Writable} from 'node:stream';
import {setTimeout as sleep} from 'node:timers/promises';
import {findBrowser, makeProfile, quietArguments, saysNoSandbox, UNSEEN_FEATURES} from '../../setup/browser.mjs';
import {FetchError} from '../base/pageErrors.ts';
import {DevTools} from './devTools.ts';

/** A Chromium that reaches no network. It receives everything that its pages need over DevTools. */
export interface SealedChromium {
  readonly tools: DevTools;
  /** Name and version: `Chrome/156.0.8078.108`. */
  readonly product: string;
  close(): Promise<void>;
}

/**
 * Starts an installed Chromium, without a window and with a profile of its own. Its proxy is a port at which nobody
 * listens. Everything that would reach a network goes to this proxy and fails, such as WebSockets, preconnections,
 * downloads, and requests that are not answered over DevTools. The browser looks up no host names, and its WebRTC has
 * no UDP. The browser always runs in its sandbox. If this process runs as root, the browser runs as the user `nobody`.
 * @throws FetchError if there is no Chromium, or if it does not start
 */
export async function startSealedChromium(): Promise<SealedChromium> {
  const program = findBrowser();
  if (program === undefined) {
    throw new FetchError('this needs Chromium or Chrome: install one, or set INTERLEAVE_BROWSER to its path');
  }
  const folder = makeProfile();
  const owner = process.getuid?.() === 0 ? NOBODY : undefined;
  if (owner !== undefined) giveTo(owner, folder);
  const child = spawn(program, [...SEALED, `--user-data-dir=${folder}`, 'about:blank'], {
    stdio: ['ignore', 'ignore', 'pipe', 'pipe', 'pipe'],
    // The user `nobody` possibly cannot read the current folder of this process.
    cwd: folder,
    env: {PATH: process.env['PATH'], HOME: folder, TMPDIR: folder},
    ...owner,
  });
  let said = '';
  child.stderr?.setEncoding('utf8').on('data', text => {
    said = (said + text).slice(-2000);
  });
  const tools = new DevTools(child.stdio[3] as Writable, child.stdio[4] as Readable);
  child.once('error', error => tools.end(error.message));
  const close = async (): Promise<void> => {
    await ended(child, tools);
    rmSync(folder, {recursive: true, force: true, maxRetries: 5, retryDelay: 100});
  };
  try {
    const {product} = await tools.send('Browser.getVersion');
    return {tools, product: String(product), close};
  } catch {
    await close();
    if (saysNoSandbox(said))
      throw new FetchError(`${program} cannot run in its sandbox here, so no page's scripts are run`);
    throw new FetchError(`${program} does not start: ${said.trim().split('\n').at(-1) || 'it says nothing'}`);
  }
}

function giveTo({uid, gid}: typeof NOBODY, folder: string): void {
  for (const name of ['', ...readdirSync(folder, {recursive: true, encoding: 'utf8'})]) {
    chownSync(join(folder, name), uid, gid);
  }
}

async function ended(child: ChildProcess, tools: DevTools): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, 'exit');
  void tools.send('Browser.close').catch(() => undefined);
  const late = new AbortController();
  await Promise.race([exit, sleep(CLOSE_MS, undefined, {signal: late.signal}).catch(() => undefined)]);
  late.abort();
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGKILL');
  await exit;
}

const CLOSE_MS = 5000;

/** The user `nobody` of Linux and its group, which own no files. */
const NOBODY = {uid: 65_534, gid: 65_534};

/** `quietArguments` lets requests to one address bypass the closed proxy. No server has this address. */
const NO_ORIGIN = 'http://invalid.';

const DISABLED_FEATURES = [
  // If these two features are disabled, frames of other sites share the page's process. Then the DevTools of the page
  // also see the requests of these frames.
  'IsolateOrigins',
  'SitePerProcess',
  'WebRtcHideLocalIpsWithMdns',
  'MediaRouter',
  'Translate',
  'OptimizationHints',
];

const SEALED = [
  '--headless',
  '--disable-gpu',
  '--remote-debugging-pipe',
  '--window-size=1024,768',
  '--hide-scrollbars',
  '--mute-audio',
  '--host-resolver-rules=MAP * ~NOTFOUND',
  // this has the same effect as the first two of `DISABLED_FEATURES`
  '--disable-site-isolation-trials',
  `--disable-features=${[...DISABLED_FEATURES, ...UNSEEN_FEATURES]}`,
  ...quietArguments(NO_ORIGIN),
];
