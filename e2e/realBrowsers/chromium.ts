import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {mkdirSync, mkdtempSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import type {Readable, Writable} from 'node:stream';
import {setTimeout as sleep} from 'node:timers/promises';
import {DevTools} from '../../main/pages/record/devTools.ts';
import {findBrowser} from '../../main/setup/browser.mjs';
import {COLLECT, LONGEST_MS, QUIET_MS, type RealBrowser, readLoad, VIEWPORT} from './browserLoad.ts';
import {type Certificates, trustAuthority} from './certificate.ts';
import type {Protocol} from './servers.ts';

export interface BrowserOptions {
  readonly namespace: string;
  readonly protocol: Protocol;
  readonly certificates: Certificates;
  /** The host and port of the page, for HTTP/3. */
  readonly authority: string;
  /** The file to which the browser appends the secrets of its TLS sessions. It writes none by default. */
  readonly keyLog?: string;
}

/**
 * Starts a headless Chromium in the namespace. It is driven by the DevTools protocol over pipes and has no flags that
 * change how it loads pages, unlike the Chromium of test frameworks.
 */
export async function startChromium({
  namespace,
  protocol,
  certificates,
  authority,
  keyLog,
}: BrowserOptions): Promise<RealBrowser> {
  const home = mkdtempSync(join(tmpdir(), 'interleave-chromium-'));
  const database = join(home, '.pki/nssdb');
  mkdirSync(database, {recursive: true});
  trustAuthority(database, certificates);
  const program = findBrowser() ?? 'chromium';
  const args = [
    ...FLAGS,
    ...protocolFlags(protocol, authority, certificates),
    `--user-data-dir=${join(home, 'profile')}`,
  ];
  const child = spawn('chrt', ['-f', '5', 'ip', 'netns', 'exec', namespace, program, ...args, 'about:blank'], {
    stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'],
    env: {...process.env, HOME: home, ...(keyLog !== undefined && {SSLKEYLOGFILE: keyLog})},
  });
  const tools = new DevTools(child.stdio[3] as Writable, child.stdio[4] as Readable);
  return {
    load: address => loadOnce(tools, address, protocol),
    close: async () => {
      const ended = child.exitCode === null ? once(child, 'exit') : undefined;
      void tools.send('Browser.close').catch(() => undefined);
      await Promise.race([ended, sleep(5000)]);
      if (child.exitCode === null) child.kill('SIGKILL');
      rmSync(home, {recursive: true, force: true, maxRetries: 5, retryDelay: 200});
    },
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

function protocolFlags(protocol: Protocol, authority: string, {keyHash}: Certificates): readonly string[] {
  if (protocol === 'h1') return ['--disable-http2', '--disable-quic'];
  if (protocol === 'h2') return ['--disable-quic'];
  // Chromium accepts only certificates of public authorities over QUIC, unless their key is listed
  return [
    '--enable-quic',
    `--origin-to-force-quic-on=${authority}`,
    `--ignore-certificate-errors-spki-list=${keyHash}`,
  ];
}

async function loadOnce(tools: DevTools, address: string, protocol: Protocol) {
  // a new context has no connections, no cache, and no tickets of TLS
  const {browserContextId} = await tools.send('Target.createBrowserContext');
  try {
    const {targetId} = await tools.send('Target.createTarget', {url: 'about:blank', browserContextId, ...VIEWPORT});
    const {sessionId} = await tools.send('Target.attachToTarget', {targetId, flatten: true});
    const open = new Set<unknown>();
    let [isLoaded, quietSince] = [false, Number.POSITIVE_INFINITY];
    const stop = tools.listen(({method, params, sessionId: from}) => {
      if (from !== sessionId) return;
      if (method === 'Network.requestWillBeSent') open.add(params['requestId']);
      else if (method === 'Network.loadingFinished' || method === 'Network.loadingFailed')
        open.delete(params['requestId']);
      else if (method === 'Page.loadEventFired') isLoaded = true;
      quietSince = isLoaded && open.size === 0 ? performance.now() : Number.POSITIVE_INFINITY;
    });
    await tools.send('Network.enable', {}, sessionId);
    await tools.send('Page.enable', {}, sessionId);
    await tools.send(
      'Emulation.setDeviceMetricsOverride',
      {...VIEWPORT, deviceScaleFactor: 1, mobile: false},
      sessionId,
    );
    const startMs = performance.now();
    const {errorText} = await tools.send('Page.navigate', {url: address}, sessionId);
    if (errorText !== undefined) throw new Error(`Chromium cannot load ${address}: ${errorText}`);
    while (performance.now() - quietSince < QUIET_MS || quietSince === Number.POSITIVE_INFINITY) {
      if (performance.now() - startMs > LONGEST_MS)
        throw new Error(`${address} takes more than ${LONGEST_MS / 1000} s`);
      await sleep(50);
    }
    stop();
    const {result} = await tools.send(
      'Runtime.evaluate',
      {expression: COLLECT, awaitPromise: true, returnByValue: true},
      sessionId,
    );
    return readLoad((result as {value: string}).value, protocol);
  } finally {
    await tools.send('Target.disposeBrowserContext', {browserContextId});
  }
}
