// @module-tag long
import {createServer, type Server} from 'node:http';
import type {AddressInfo} from 'node:net';
import {type Browser, type CDPSession, chromium} from 'playwright-core';
import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import {findBrowser} from '../../setup/browser.mjs';
import {type Bundle, RECORDING} from '../store/bundle.ts';
import {readRecording} from '../store/recordingFile.ts';
import {openFiles} from './openFiles.ts';

// Files that a real Chromium writes while it loads a page: its trace, and an archive of its requests with initiators.

const why = findBrowser() === undefined ? ' (skipped: there is no Chromium or Chrome)' : '';

const GIF = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64');
const ANSWERS: {readonly [path: string]: readonly [type: string, body: string | Buffer]} = {
  '/': [
    'text/html; charset=utf-8',
    `<!doctype html><title>t</title><link rel=stylesheet href=a.css>
<script src=app.js></script>
<script>
  new Image().src = 'inline.gif';
  setTimeout(() => { new Image().src = 'timer.gif'; }, 300);
</script>
<p>text<img src=static.gif width=9 height=9>`,
  ],
  '/a.css': ['text/css', 'p { background: url(back.gif) }'],
  '/app.js': [
    'text/javascript',
    `const began = performance.now(); while (performance.now() - began < 30);
fetch('data.json').then(answer => answer.json()).then(({src}) => { new Image().src = src; });`,
  ],
  '/data.json': ['application/json', '{"src": "late.gif"}'],
  ...Object.fromEntries(
    ['inline', 'timer', 'static', 'back', 'late'].map(name => [`/${name}.gif`, ['image/gif', GIF] as const]),
  ),
};

/** What causes each request. `fetchWithBrowser.test.ts` expects the same causes for a similar page. */
const CAUSES = {
  'a.css': 'html index.html',
  'app.js': 'html index.html',
  'static.gif': 'html index.html',
  'back.gif': 'style a.css',
  'data.json': 'script app.js',
  'late.gif': 'data data.json',
  'inline.gif': 'inline #1',
  'timer.gif': 'inline #1',
};

describe.skipIf(why !== '')(`files that Chromium wrote${why}`, () => {
  let server: Server;
  let browser: Browser;
  let address: string;
  let written: {readonly har: string; readonly trace: Buffer};

  beforeAll(async () => {
    server = createServer(({url = ''}, response) => {
      const [type, body] = ANSWERS[url] ?? ['text/plain', ''];
      response.writeHead(ANSWERS[url] === undefined ? 404 : 200, {'content-type': type}).end(body);
    });
    await new Promise<void>(done => server.listen(0, '127.0.0.1', done));
    address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    browser = await chromium.launch({executablePath: findBrowser() ?? '', args: ['--no-sandbox', '--disable-gpu']});
    const page = await browser.newPage({viewport: {width: 1024, height: 768}});
    const archive = new NetworkArchive(await page.context().newCDPSession(page));
    await archive.begin();
    await browser.startTracing(page, {
      categories: ['-*', 'devtools.timeline', 'disabled-by-default-devtools.timeline', 'v8', 'loading'],
    });
    await page.goto(address, {waitUntil: 'load'});
    await page.waitForTimeout(1000);
    written = {trace: await browser.stopTracing(), har: await archive.har()};
  }, 60_000);

  afterAll(async () => {
    await browser?.close();
    server.closeAllConnections();
    server.close();
  });

  test('the archive of its requests gives the causes that a recording of the same page has', async () => {
    const bundle = await opened({'page.har': Buffer.from(written.har)});
    expect(causesOf(bundle)).toMatchObject(CAUSES);
    const of = (name: string) => requestsOf(bundle).find(({object}) => object.endsWith(name));
    // the script was busy for 30 ms before it asked
    expect(of('data.json')?.cpuMs).toBeGreaterThan(25);
    expect(of('data.json')).toMatchObject({type: 'data', priority: 'High'});
    expect(of('a.css')).toMatchObject({type: 'style', priority: 'VeryHigh', blocking: true});
  });

  test('its trace gives the same causes, except for inline scripts, and the times of scripts', async () => {
    const bundle = await opened({'trace.json': written.trace});
    // the placeholder of the HTML has no inline scripts
    const inline = {'inline.gif': 'html index.html', 'timer.gif': 'html index.html'};
    expect(causesOf(bundle)).toMatchObject({...CAUSES, ...inline});
    const of = (name: string) => requestsOf(bundle).find(({object}) => object.endsWith(name));
    expect(of('app.js')?.runMs).toBeGreaterThan(25);
    expect(of('timer.gif')?.waitMs).toBeGreaterThan(290);
    const sizes = bundle.document.objects.map(({file, bytes}) => [file.replace(/^files\/\d+-/, ''), bytes]);
    expect(sizes).toContainEqual(['app.js', ANSWERS['/app.js']?.[1].length]);
  });

  test('both together are a page with the contents of the archive and the times of the trace', async () => {
    const bundle = await opened({'page.har': Buffer.from(written.har), 'trace.json': written.trace});
    expect(causesOf(bundle)).toMatchObject(CAUSES);
    expect(requestsOf(bundle).find(({object}) => object.endsWith('app.js'))?.runMs).toBeGreaterThan(25);
    const picture = bundle.files.find(({path}) => path.endsWith('late.gif'));
    expect(Buffer.from(picture?.bytes ?? [])).toEqual(GIF);
  });

  test('an archive of Playwright, which has no initiators, is a page without a recording', async () => {
    const path = `/tmp/interleave-${process.pid}.har`;
    const context = await browser.newContext({recordHar: {path, content: 'embed'}});
    await (await context.newPage()).goto(address, {waitUntil: 'load'});
    await context.close();
    const {readFileSync, rmSync} = await import('node:fs');
    const bundle = await opened({'page.har': readFileSync(path)});
    rmSync(path);
    expect(bundle.files.map(({path: file}) => file)).not.toContain(RECORDING);
    expect(bundle.document.objects.map(({file}) => file)).toContain('index.html');
  });

  function opened(files: {readonly [path: string]: Uint8Array}): Promise<Bundle> {
    const {signal} = new AbortController();
    return openFiles(
      Object.entries(files).map(([path, bytes]) => ({path, bytes})),
      signal,
    );
  }
});

function requestsOf({files}: Bundle) {
  const recording = readRecording(files.find(({path}) => path === RECORDING)?.bytes ?? new Uint8Array());
  if (recording === undefined) throw new Error('the bundle has no recording');
  return recording.requests;
}

/** What caused each request, keyed by the name of its file without the number. */
function causesOf(bundle: Bundle): {readonly [file: string]: string} {
  const nameOf = (file: string): string => file.replace(/^files\/\d+-/, '');
  return Object.fromEntries(
    requestsOf(bundle).map(({object, cause}) => {
      const by = 'object' in cause ? nameOf(cause.object) : cause.by === 'inline' ? `#${cause.script}` : cause.event;
      return [nameOf(object), `${cause.by} ${by}`];
    }),
  );
}

interface Sent {
  readonly requestId: string;
  readonly request: {readonly method: string; readonly url: string; readonly initialPriority: string};
  readonly timestamp: number;
  readonly wallTime: number;
  readonly initiator: object;
  readonly type?: string;
}

/** Makes an archive of the events of the domain Network, with the fields that the DevTools of Chromium add. */
class NetworkArchive {
  readonly #session: CDPSession;
  readonly #entries = new Map<string, {[key: string]: unknown; sentS: number; endS: number}>();

  constructor(session: CDPSession) {
    this.#session = session;
  }

  async begin(): Promise<void> {
    this.#session.on('Network.requestWillBeSent', event => {
      const {requestId, request, timestamp, wallTime, initiator, type} = event as Sent;
      this.#entries.set(requestId, {
        _initiator: initiator,
        _priority: request.initialPriority,
        _resourceType: String(type).toLowerCase(),
        startedDateTime: new Date(wallTime * 1000).toISOString(),
        request: {method: request.method, url: request.url},
        sentS: timestamp,
        endS: timestamp,
      });
    });
    this.#session.on('Network.responseReceived', event => {
      Object.assign(this.#entries.get(event.requestId) ?? {}, {received: event.response});
    });
    this.#session.on('Network.loadingFinished', event => {
      Object.assign(this.#entries.get(event.requestId) ?? {}, {endS: event.timestamp});
    });
    await this.#session.send('Network.enable');
    await this.#session.send('Debugger.enable').catch(() => undefined);
    await this.#session.send('Debugger.setAsyncCallStackDepth', {maxDepth: 32}).catch(() => undefined);
  }

  async har(): Promise<string> {
    const entries: object[] = [];
    for (const [requestId, {sentS, endS, received, ...entry}] of this.#entries) {
      const answer = await this.#session.send('Network.getResponseBody', {requestId}).catch(() => undefined);
      const {status, mimeType} = (received ?? {}) as {status?: number; mimeType?: string};
      entries.push({
        ...entry,
        time: (endS - sentS) * 1000,
        response: {
          status,
          content: {
            mimeType,
            size: answer?.body.length ?? 0,
            text: answer?.body,
            ...(answer?.base64Encoded && {encoding: 'base64'}),
          },
        },
      });
    }
    return JSON.stringify({log: {version: '1.2', creator: {name: 'WebInspector', version: '537.36'}, entries}});
  }
}
