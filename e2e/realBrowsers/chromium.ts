import {spawn} from 'node:child_process';
import {mkdirSync, mkdtempSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import type {Readable, Writable} from 'node:stream';
import {setTimeout as sleep} from 'node:timers/promises';
import {DevTools} from '../../main/pages/record/devTools.ts';
import {findBrowser, UNSEEN_FEATURES} from '../../main/setup/browser.mjs';
import {type BrowserLoad, COLLECT, LONGEST_MS, QUIET_MS, type RealBrowser, readLoad, VIEWPORT} from './browserLoad.ts';
import {type Certificates, trustAuthority} from './certificate.ts';
import {endBrowser} from './path.ts';
import {type ScreenFrame, startScreencast} from './screencast.ts';
import type {Protocol} from './servers.ts';

export interface BrowserOptions {
  /** The name of the network namespace in which the browser runs. Its packets take the emulated path. */
  readonly namespace: string;
  readonly protocol: Protocol;
  readonly certificates: Certificates;
  /**
   * All hosts of the page. If `protocol` is HTTP/3, the browser uses HTTP/3 for these hosts from the first request on.
   */
  readonly hosts: readonly string[];
  /** The file to which the browser appends the secrets of its TLS sessions. It writes none by default. */
  readonly keyLog?: string;
  /** Whether scrollbars are hidden, so that long pages are as wide as the screen. By default they are shown. */
  readonly hidesScrollbars?: boolean;
}

/** A load, and what the screen showed meanwhile. */
export interface FilmedLoad {
  readonly load: BrowserLoad;
  /** The frames in order of time. */
  readonly frames: readonly ScreenFrame[];
}

export interface Chromium extends RealBrowser {
  /** Loads the page like `load`, and records the screen. */
  film(address: string): Promise<FilmedLoad>;
}

/**
 * Starts a headless Chromium in `namespace`. It is driven by the DevTools protocol over pipes. Unlike the Chromium of
 * test frameworks, it has no flags that change how it loads pages, except those that set the version of HTTP.
 */
export async function startChromium({
  namespace,
  protocol,
  certificates,
  hosts,
  keyLog,
  hidesScrollbars = false,
}: BrowserOptions): Promise<Chromium> {
  const home = mkdtempSync(join(tmpdir(), 'interleave-chromium-'));
  const database = join(home, '.pki/nssdb');
  mkdirSync(database, {recursive: true});
  trustAuthority(database, certificates);
  const program = findBrowser() ?? 'chromium';
  const args = [
    ...FLAGS,
    // turns off two hidden pages of the address bar, which kept a machine with two processors busy for minutes, because
    // the browser has real-time priority
    `--disable-features=${UNSEEN_FEATURES.join(',')}`,
    ...protocolFlags(protocol, hosts, certificates),
    ...(hidesScrollbars ? ['--hide-scrollbars'] : []),
    `--user-data-dir=${join(home, 'profile')}`,
  ];
  const child = spawn('chrt', ['-f', '5', 'ip', 'netns', 'exec', namespace, program, ...args, 'about:blank'], {
    stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'],
    env: {...process.env, HOME: home, ...(keyLog !== undefined && {SSLKEYLOGFILE: keyLog})},
  });
  const tools = new DevTools(child.stdio[3] as Writable, child.stdio[4] as Readable);
  return {
    load: address => inNewPage(tools, session => loadOnce(tools, session, address, protocol)),
    film: address =>
      inNewPage(tools, async session => {
        const screencast = await startScreencast(tools, session);
        const load = await loadOnce(tools, session, address, protocol);
        return {load, frames: await screencast.stop()};
      }),
    close: () => endBrowser(child, namespace, home, () => void tools.send('Browser.close').catch(() => undefined)),
  };
}

const FLAGS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--no-first-run',
  '--no-default-browser-check',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--disable-field-trial-config',
  '--remote-debugging-pipe',
];

function protocolFlags(protocol: Protocol, hosts: readonly string[], {keyHash}: Certificates): readonly string[] {
  if (protocol === 'h1') return ['--disable-http2', '--disable-quic'];
  if (protocol === 'h2') return ['--disable-quic'];
  // over QUIC, Chromium accepts only certificates of public authorities, and certificates whose keys are listed
  return [
    '--enable-quic',
    `--origin-to-force-quic-on=${hosts.map(host => `${host}:443`).join()}`,
    `--ignore-certificate-errors-spki-list=${keyHash}`,
  ];
}

/**
 * Calls `use` with the DevTools session of a new page, which has no connections, no cache, and no tickets of TLS.
 * Closes the page afterwards.
 */
async function inNewPage<T>(tools: DevTools, use: (session: string) => Promise<T>): Promise<T> {
  const {browserContextId} = await tools.send('Target.createBrowserContext');
  try {
    const {targetId} = await tools.send('Target.createTarget', {url: 'about:blank', browserContextId, ...VIEWPORT});
    const {sessionId} = await tools.send('Target.attachToTarget', {targetId, flatten: true});
    await tools.send('Network.enable', {}, sessionId);
    await tools.send('Page.enable', {}, sessionId);
    const metrics = {...VIEWPORT, deviceScaleFactor: 1, mobile: false};
    await tools.send('Emulation.setDeviceMetricsOverride', metrics, sessionId);
    return await use(sessionId);
  } finally {
    await tools.send('Target.disposeBrowserContext', {browserContextId});
  }
}

async function loadOnce(tools: DevTools, session: string, address: string, protocol: Protocol): Promise<BrowserLoad> {
  const open = new Set<unknown>();
  let [isLoaded, quietSince] = [false, Number.POSITIVE_INFINITY];
  const stop = tools.listen(({method, params, sessionId: from}) => {
    if (from !== session) return;
    if (method === 'Network.requestWillBeSent') open.add(params['requestId']);
    else if (method === 'Network.loadingFinished' || method === 'Network.loadingFailed')
      open.delete(params['requestId']);
    else if (method === 'Page.loadEventFired') isLoaded = true;
    // every event of the page restarts the quiet time, except a picture of the screen, which is no sign of a request
    if (method === 'Page.screencastFrame') return;
    quietSince = isLoaded && open.size === 0 ? performance.now() : Number.POSITIVE_INFINITY;
  });
  const startMs = performance.now();
  const {errorText} = await tools.send('Page.navigate', {url: address}, session);
  if (errorText !== undefined) throw new Error(`Chromium cannot load ${address}: ${errorText}`);
  while (performance.now() - quietSince < QUIET_MS || quietSince === Number.POSITIVE_INFINITY) {
    if (performance.now() - startMs > LONGEST_MS) throw new Error(`${address} takes more than ${LONGEST_MS / 1000} s`);
    await sleep(50);
  }
  stop();
  const {result} = await tools.send(
    'Runtime.evaluate',
    {expression: COLLECT, awaitPromise: true, returnByValue: true},
    session,
  );
  return readLoad((result as {value: string}).value, protocol);
}
