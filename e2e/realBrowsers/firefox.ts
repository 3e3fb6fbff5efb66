import {type ChildProcess, spawn} from 'node:child_process';
import {mkdtempSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {createInterface} from 'node:readline';
import {setTimeout as sleep} from 'node:timers/promises';
import {COLLECT, LONGEST_MS, QUIET_MS, type RealBrowser, readLoad, VIEWPORT} from './browserLoad.ts';
import {trustAuthority} from './certificate.ts';
import type {BrowserOptions} from './chromium.ts';
import {endBrowser} from './path.ts';
import type {Protocol} from './servers.ts';

/**
 * Starts a headless Firefox in the network namespace `namespace`. It is driven by WebDriver BiDi, through a process in
 * the same namespace.
 */
export async function startFirefox({namespace, protocol, certificates, hosts}: BrowserOptions): Promise<RealBrowser> {
  const profile = mkdtempSync(join(tmpdir(), 'interleave-firefox-'));
  trustAuthority(profile, certificates);
  const preferences = Object.entries({...PREFERENCES, ...protocolPreferences(protocol, hosts)});
  const lines = preferences.map(([name, value]) => `user_pref(${JSON.stringify(name)}, ${JSON.stringify(value)});\n`);
  writeFileSync(join(profile, 'user.js'), lines.join(''));
  const relay = join(import.meta.dirname, 'firefoxRelay.mjs');
  const child = spawn('chrt', ['-f', '5', 'ip', 'netns', 'exec', namespace, process.execPath, relay, profile], {
    stdio: ['pipe', 'pipe', 'ignore'],
    env: {...process.env, HOME: profile},
  });
  const bidi = new Bidi(child);
  await bidi.send('session.new', {capabilities: {}});
  await bidi.send('session.subscribe', {
    events: ['network.beforeRequestSent', 'network.responseCompleted', 'network.fetchError', 'browsingContext.load'],
  });
  return {
    load: address => loadOnce(bidi, address, protocol),
    close: () => endBrowser(child, namespace, profile, () => child.stdin?.end()),
  };
}

/** With these preferences, the browser contacts nobody but the page's server, and shows no pages of its own. */
const PREFERENCES = {
  'app.normandy.enabled': false,
  'app.update.enabled': false,
  'browser.safebrowsing.malware.enabled': false,
  'browser.safebrowsing.phishing.enabled': false,
  'browser.shell.checkDefaultBrowser': false,
  'browser.startup.homepage_override.mstone': 'ignore',
  'datareporting.policy.dataSubmissionEnabled': false,
  'extensions.update.enabled': false,
  'network.captive-portal-service.enabled': false,
  'network.connectivity-service.enabled': false,
  'services.settings.server': 'http://127.0.0.1:1/',
  'toolkit.telemetry.server': '',
};

function protocolPreferences(
  protocol: Protocol,
  hosts: readonly string[],
): {readonly [name: string]: string | boolean} {
  if (protocol === 'h1') return {'network.http.http2.enabled': false, 'network.http.http3.enable': false};
  if (protocol === 'h2') return {'network.http.http3.enable': false};
  return {
    // without this setting, Firefox uses no HTTP/3 if it trusts a certificate authority that is not one of its own
    'network.http.http3.disable_when_third_party_roots_found': false,
    'network.http.http3.alt-svc-mapping-for-testing': hosts.map(host => `${host};h3=:443`).join(),
  };
}

async function loadOnce(bidi: Bidi, address: string, protocol: Protocol) {
  // each user context has its own connections, caches and TLS tickets
  const {userContext} = await bidi.send('browser.createUserContext');
  try {
    const {context} = await bidi.send('browsingContext.create', {type: 'tab', userContext});
    await bidi.send('browsingContext.setViewport', {context, viewport: VIEWPORT});
    const open = new Set<unknown>();
    let [isLoaded, quietSince] = [false, Number.POSITIVE_INFINITY];
    const stop = bidi.listen(({method, params}) => {
      if (params['context'] !== context) return;
      const request = (params['request'] as {request: string} | undefined)?.request;
      if (method === 'network.beforeRequestSent') open.add(request);
      else if (method === 'browsingContext.load') isLoaded = true;
      else open.delete(request);
      quietSince = isLoaded && open.size === 0 ? performance.now() : Number.POSITIVE_INFINITY;
    });
    const startMs = performance.now();
    await bidi.send('browsingContext.navigate', {context, url: address, wait: 'none'});
    while (performance.now() - quietSince < QUIET_MS || quietSince === Number.POSITIVE_INFINITY) {
      if (performance.now() - startMs > LONGEST_MS)
        throw new Error(`${address} takes more than ${LONGEST_MS / 1000} s`);
      await sleep(50);
    }
    stop();
    const {result} = await bidi.send('script.evaluate', {expression: COLLECT, target: {context}, awaitPromise: true});
    await bidi.send('browsingContext.close', {context});
    return readLoad((result as {value: string}).value, protocol);
  } finally {
    await bidi.send('browser.removeUserContext', {userContext});
  }
}

interface BidiEvent {
  readonly method: string;
  readonly params: {readonly [key: string]: unknown};
}

// biome-ignore lint/suspicious/noExplicitAny: results of WebDriver BiDi, which has no types here
type BidiResult = {readonly [key: string]: any};

/** A connection to Firefox through the relay. Each message is a line of JSON. */
class Bidi {
  readonly #child: ChildProcess;
  readonly #waiting = new Map<number, {resolve(result: BidiResult): void; reject(error: Error): void}>();
  readonly #listeners = new Set<(event: BidiEvent) => void>();
  #last = 0;

  constructor(child: ChildProcess) {
    this.#child = child;
    if (child.stdout !== null) createInterface({input: child.stdout}).on('line', line => this.#take(line));
    child.once('exit', () => {
      for (const {reject} of this.#waiting.values()) reject(new Error('Firefox has ended'));
    });
  }

  send(method: string, params: object = {}): Promise<BidiResult> {
    const id = ++this.#last;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, {resolve, reject});
      this.#child.stdin?.write(`${JSON.stringify({id, method, params})}\n`);
    });
  }

  listen(listener: (event: BidiEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #take(line: string): void {
    const {id, type, result, error, message, ...event} = JSON.parse(line);
    if (typeof id !== 'number') {
      for (const listener of this.#listeners) listener(event);
      return;
    }
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    if (type === 'success') waiting?.resolve(result);
    else waiting?.reject(new Error(`WebDriver BiDi: ${error}: ${message}`));
  }
}
