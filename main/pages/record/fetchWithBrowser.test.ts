// @module-tag long
import {createServer, type RequestListener, type Server} from 'node:http';
import type {AddressInfo} from 'node:net';
import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import type {Recording} from '../../../app/page/recording.ts';
import {findBrowser} from '../../setup/browser.mjs';
import {GATEWAY_LIMITS, type GatewayLimits} from '../base/gatewayLimits.ts';
import {Fetcher} from '../fetch/fetcher.ts';
import {readStoredPage} from '../readPage.ts';
import {type Bundle, RECORDING} from '../store/bundle.ts';
import {bundleHash, differingFile} from '../store/bundleHash.ts';
import {readRecording} from '../store/recordingFile.ts';
import {fetchWithBrowser} from './fetchWithBrowser.ts';

const why = findBrowser() === undefined ? ' (skipped: there is no Chromium or Chrome)' : '';

let server: Server;
let port = 0;
let answers: {readonly [path: string]: RequestListener} = {};
let asked: string[] = [];

beforeAll(async () => {
  server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`);
    (answers[request.url ?? ''] ?? ((_, missing) => void missing.writeHead(404).end()))(request, response);
  });
  await new Promise<void>(done => server.listen(0, '127.0.0.1', done));
  port = (server.address() as AddressInfo).port;
});

afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const sent =
  (type: string, body: string | Uint8Array, headers = {}): RequestListener =>
  (_, response) =>
    void response.writeHead(200, {'content-type': type, ...headers}).end(body);
const html = (body: string) => sent('text/html; charset=utf-8', body);
const script = (body: string) => sent('text/javascript', body);
const GIF = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64');
const picture = sent('image/gif', GIF);

/** Fetches the page at `/` of these answers. Only this server counts as public. */
async function record(these: typeof answers, limits: Partial<GatewayLimits> = {}): Promise<Bundle> {
  [answers, asked] = [these, []];
  const {signal} = new AbortController();
  const fetcher = new Fetcher({
    limits: {...GATEWAY_LIMITS, ...limits},
    signal,
    mayReach: address => address === '127.0.0.1',
    resolve: (_, callback) => callback(null, [{address: '127.0.0.1', family: 4}]),
  });
  try {
    return await fetchWithBrowser(`http://page.test:${port}/`, {
      fetcher,
      limits: {...GATEWAY_LIMITS, ...limits},
      onProgress: () => undefined,
      signal,
    });
  } finally {
    await fetcher.close();
  }
}

function recordingOf({files}: Bundle): Recording<string> {
  const recording = readRecording(files.find(({path}) => path === RECORDING)?.bytes ?? new Uint8Array());
  if (recording === undefined) throw new Error('the bundle has no recording');
  return recording;
}

/** What caused each request, keyed by the name of its file without the number. */
function causesOf(recording: Recording<string>): {readonly [file: string]: string} {
  const nameOf = (file: string): string => file.replace(/^files\/\d+-/, '');
  return Object.fromEntries(
    recording.requests.map(({object, cause}) => {
      const by = 'object' in cause ? nameOf(cause.object) : cause.by === 'inline' ? `#${cause.script}` : cause.event;
      return [nameOf(object), `${cause.by} ${by}`];
    }),
  );
}

describe.skipIf(why !== '')(`a page is recorded by a browser${why}`, () => {
  test('each request has its cause, and the page contains what only scripts requested', async () => {
    const bundle = await record({
      '/': html(`<!doctype html><title>t</title><link rel=stylesheet href=a.css>
<script src=app.js></script>
<script>
  new Image().src = 'inline.gif';
  setTimeout(() => { new Image().src = 'timer.gif'; }, 300);
</script>
<p>text<img src=static.gif width=9 height=9>
<script>addEventListener('DOMContentLoaded', () => { new Image().src = 'ready.gif'; });</script>`),
      '/a.css': sent('text/css', '@import "b.css"; p { background: url(back.gif) }'),
      '/b.css': sent('text/css', 'p { color: red }'),
      '/app.js': script(`const began = performance.now(); while (performance.now() - began < 30);
fetch('data.json').then(answer => answer.json()).then(({src}) => { new Image().src = src; });`),
      '/data.json': sent('application/json', '{"src": "late.gif"}'),
      ...Object.fromEntries(
        ['inline', 'timer', 'static', 'ready', 'back', 'late'].map(name => [`/${name}.gif`, picture]),
      ),
    });
    const recording = recordingOf(bundle);
    expect(causesOf(recording)).toMatchObject({
      'a.css': 'html index.html',
      'b.css': 'style a.css',
      'back.gif': 'style a.css',
      'app.js': 'html index.html',
      'static.gif': 'html index.html',
      'data.json': 'script app.js',
      'late.gif': 'data data.json',
      'inline.gif': 'inline #1',
      'timer.gif': 'inline #1',
      'ready.gif': 'load DOMContentLoaded',
    });
    const of = (name: string) => recording.requests.find(({object}) => object.endsWith(name));
    // the script was busy for 30 ms before it asked; the timer waited for 300 ms, which is no time of the processor
    expect(of('data.json')?.cpuMs).toBeGreaterThan(25);
    expect(of('app.js')?.runMs).toBeGreaterThan(25);
    expect(of('timer.gif')?.waitMs).toBeGreaterThan(290);
    expect(of('timer.gif')?.cpuMs).toBeLessThan(290);
    expect(of('a.css')).toMatchObject({type: 'style', priority: 'VeryHigh', blocking: true});
    expect(of('data.json')).toMatchObject({type: 'data', priority: 'High', blocking: false});
    expect(recording.browser).toMatch(/^\w+\/\d+\./);
    expect(recording.all.requests).toBeGreaterThanOrEqual(recording.requests.length);

    // the bundle is valid, and in the page that is read from it the recording names objects by their numbers
    expect(differingFile(bundle.files, bundle.document.objects)).toBeUndefined();
    const page = await readStoredPage('recorded', bundle);
    const urls = page.objects.map(({url}) => url.replace(/^\/files\/\d+-/, ''));
    expect(urls.slice(0, 2)).toEqual(['/', 'a.css']);
    expect(urls).toEqual(expect.arrayContaining(['late.gif', 'data.json', 'timer.gif']));
    const late = page.recording?.requests.find(({object}) => urls[object] === 'late.gif');
    expect(late?.cause).toEqual({by: 'data', object: urls.indexOf('data.json')});
  });

  test('what scripts insert is saved with its place and its script, and elements that only move are not', async () => {
    const bundle = await record({
      '/': html(`<!doctype html><body><ul id=list><li>one<li>two</ul><p id=moved>moved</p><div id=end></div>
<script src=insert.js></script>`),
      '/insert.js': script(`
const item = document.createElement('li');
item.innerHTML = 'three <img src=new.gif onerror=alert(1)><script>1</' + 'script>';
document.querySelector('#list').append(item);
document.querySelector('#end').before(document.createElement('hr'));
document.querySelector('#end').append(document.querySelector('#moved'));
document.querySelector('#end').append(document.querySelector('#list li').cloneNode(true));`),
      '/new.gif': picture,
    });
    const index = Buffer.from(bundle.files[0]?.bytes ?? []).toString();
    const {insertions} = recordingOf(bundle);
    const shown = insertions.map(({at, html: text, cause}) => [
      Buffer.from(index).subarray(at).toString().slice(0, 14),
      text,
      'object' in cause ? cause.object.replace(/\d+/, 'N') : cause.by,
    ]);
    expect(shown).toEqual([
      [
        '</ul><p id=mov',
        '<li>three <img src="files/N-new.gif" onerror="alert(1)"></li>'.replace(
          'N',
          /(\d+)-new/.exec(JSON.stringify(insertions))?.[1] ?? '',
        ),
        'files/N-insert.js',
      ],
      // the paragraph in front of <hr> was moved away
      ['<p id=moved>mo', '<hr>', 'files/N-insert.js'],
      ['</div>\n<script', '<li>one</li>', 'files/N-insert.js'],
    ]);
    expect(index).not.toContain('data-interleave-mark');
  });

  test('requests to other addresses are refused, also after a redirect, and limits hold', async () => {
    const bundle = await record(
      {
        '/': html(`<img src=http://10.1.2.3/direct.gif><img src=away.gif><img src=big.gif><img src=fine.gif>
<script>fetch('http://[::1]/x').catch(() => {}); navigator.sendBeacon('http://192.168.1.1/beacon', 'x');</script>`),
        '/away.gif': (_, response) => void response.writeHead(302, {location: 'http://10.1.2.3/redirected.gif'}).end(),
        '/big.gif': sent('image/gif', Buffer.alloc(200_000)),
        '/fine.gif': picture,
      },
      {objectBytes: 100_000},
    );
    const reasons = Object.fromEntries(bundle.document.leftOut.map(({address, why}) => [address, why]));
    expect(reasons['http://10.1.2.3/direct.gif']).toMatch(/10\.1\.2\.3/);
    expect(reasons['http://10.1.2.3/redirected.gif']).toMatch(/10\.1\.2\.3/);
    expect(reasons['http://[::1]/x']).toMatch(/::1/);
    expect(reasons['http://192.168.1.1/beacon']).toMatch(/192\.168\.1\.1/);
    expect(Object.values(reasons)).toContain('it has more than 100000 bytes');
    expect(bundle.files.map(({path}) => path)).toContain('files/4-fine.gif');
  });

  test('a page that redirects is saved under its last address, and loads differ only in the recording', async () => {
    const page = {
      '/': ((_, response) => void response.writeHead(302, {location: '/there/'}).end()) as RequestListener,
      '/there/': html('<!doctype html><img src=a.gif>'),
      '/there/a.gif': picture,
    };
    const {document} = await record(page);
    expect(document.objects[0]?.address).toBe(`http://page.test:${port}/there/`);
    expect(document.objects.map(({file}) => file)).toContain('files/1-a.gif');
    const withoutRecording = document.objects.filter(({file}) => file !== RECORDING);
    const again = (await record(page)).document.objects.filter(({file}) => file !== RECORDING);
    expect(bundleHash(withoutRecording)).toBe(bundleHash(again));
    // times differ from load to load, and the hash covers them
    expect(bundleHash(document.objects)).not.toBe(bundleHash(withoutRecording));
  });

  test('a page that does not exist, or is no HTML, is an error that says so', async () => {
    await expect(record({})).rejects.toThrow('404');
    await expect(record({'/': sent('image/gif', GIF)})).rejects.toThrow('not HTML');
    await expect(record({'/': request => void request.socket.destroy()})).rejects.toThrow(
      'closed the connection early',
    );
  });
});
