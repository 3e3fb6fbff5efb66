import {gzipSync} from 'node:zlib';
import {describe, expect, test} from 'vitest';
import type {Recording} from '../../../app/page/recording.ts';
import {PageError} from '../base/pageErrors.ts';
import {type Bundle, RECORDING} from '../store/bundle.ts';
import {bundleHash} from '../store/bundleHash.ts';
import {readRecording} from '../store/recordingFile.ts';
import {openFiles} from './openFiles.ts';

const never = new AbortController().signal;
const open = (files: {readonly [path: string]: string | Uint8Array}): Promise<Bundle> =>
  openFiles(
    Object.entries(files).map(([path, content]) => ({path, bytes: Buffer.from(content)})),
    never,
  );

const hashOf = ({document}: Bundle): string => bundleHash(document.objects);

function recordingOf({files}: Bundle): Recording<string> | undefined {
  const file = files.find(({path}) => path === RECORDING);
  return file && readRecording(file.bytes);
}

/** What caused each request, and its times, keyed by the name of the requested file without the number. */
function causesOf(bundle: Bundle): {readonly [file: string]: string} {
  const nameOf = (file: string): string => file.replace(/^files\/\d+-/, '');
  return Object.fromEntries(
    (recordingOf(bundle)?.requests ?? []).map(({object, cause, cpuMs, waitMs}) => {
      const by = 'object' in cause ? nameOf(cause.object) : cause.by === 'inline' ? `#${cause.script}` : cause.event;
      return [nameOf(object), `${cause.by} ${by}, ${cpuMs} + ${waitMs} ms`];
    }),
  );
}

const GIF = 'R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7';
const AT = 'https://shop.test/';
const HTML = `<!doctype html><title>Shop</title><link rel=stylesheet href=a.css><script src=app.js></script>
<script>
new Image().src = 'inline.gif';
</script><h1>Shop</h1>`;

interface Asked {
  readonly url: string;
  readonly startMs: number;
  readonly ms: number;
  readonly type: string;
  readonly mime: string;
  readonly text: string;
  readonly initiator?: object;
  readonly priority?: string;
}

const parser = (url = AT) => ({type: 'parser', url, lineNumber: 1});
const script = (url: string, lineNumber = 0, more = {}) => ({
  type: 'script',
  stack: {callFrames: [{functionName: 'load', scriptId: '1', url, lineNumber, columnNumber: 1}], ...more},
});

const ASKED: readonly Asked[] = [
  {url: '', startMs: 0, ms: 100, type: 'document', mime: 'text/html', text: HTML, initiator: {type: 'other'}},
  {url: 'a.css', startMs: 60, ms: 100, type: 'stylesheet', mime: 'text/css', text: 'h1 {}', initiator: parser()},
  {url: 'app.js', startMs: 61, ms: 99, type: 'script', mime: 'text/javascript', text: '1', initiator: parser()},
  {url: 'back.gif', startMs: 190, ms: 50, type: 'image', mime: 'image/gif', text: GIF, initiator: parser(`${AT}a.css`)},
  {
    url: 'data.json',
    startMs: 200,
    ms: 100,
    type: 'fetch',
    mime: 'application/json',
    text: '{}',
    initiator: script(`${AT}app.js`),
  },
  {
    url: 'late.gif',
    startMs: 310,
    ms: 50,
    type: 'image',
    mime: 'image/gif',
    text: GIF,
    initiator: script(`${AT}app.js`),
  },
  {url: 'inline.gif', startMs: 170, ms: 50, type: 'image', mime: 'image/gif', text: GIF, initiator: script(AT, 2)},
  {
    url: 'timer.gif',
    startMs: 660,
    ms: 50,
    type: 'image',
    mime: 'image/gif',
    text: GIF,
    initiator: script('', 0, {parent: {description: 'setTimeout', callFrames: [{url: `${AT}app.js`, lineNumber: 3}]}}),
  },
];

/** An archive as the DevTools of Chromium save it. */
function harOf(asked: readonly Asked[]): string {
  const entries = asked.map(({url, startMs, ms, type, mime, text, initiator, priority = 'High'}) => ({
    _initiator: initiator,
    _priority: priority,
    _resourceType: type,
    startedDateTime: new Date(Date.UTC(2026, 10, 28) + startMs).toISOString(),
    time: ms,
    request: {method: 'GET', url: AT + url},
    response: {
      status: 200,
      content: {mimeType: mime, size: 10, text, ...(mime === 'image/gif' && {encoding: 'base64'})},
    },
  }));
  return JSON.stringify({log: {creator: {name: 'WebInspector', version: '537.36'}, entries}});
}

describe('an archive with initiators', () => {
  test('gives a recording: what caused each request, and the time from the cause to the request', async () => {
    const bundle = await open({'shop.har': harOf(ASKED)});
    expect(causesOf(bundle)).toEqual({
      'index.html': 'html index.html, 0 + 0 ms',
      'a.css': 'html index.html, 0 + 0 ms',
      'app.js': 'html index.html, 0 + 0 ms',
      'back.gif': 'style a.css, 30 + 0 ms',
      'data.json': 'script app.js, 40 + 0 ms',
      // the answer had arrived 10 ms before
      'late.gif': 'data data.json, 10 + 0 ms',
      'inline.gif': 'inline #1, 0 + 0 ms',
      // a timer of app.js, which had arrived at 160 ms
      'timer.gif': 'script app.js, 0 + 500 ms',
    });
    const recording = recordingOf(bundle);
    expect(recording).toMatchObject({browser: 'WebInspector/537.36', all: {requests: 8, bytes: 80}});
    expect(recording?.requests.find(({object}) => object.endsWith('a.css'))).toMatchObject({
      type: 'style',
      priority: 'High',
    });
    // what only scripts requested is a part of the page, and the order of entries does not matter
    expect(bundle.document.notLoaded).toEqual([]);
    expect(hashOf(await open({'shop.har': harOf(ASKED.toReversed())}))).toBe(hashOf(bundle));
  });

  test('a script has waited for the answer to another script only if its call stack says so', async () => {
    const inline = (more: object) => ({
      ...ASKED.find(({url}) => url === 'inline.gif'),
      startMs: 310,
      initiator: script(AT, 2, more),
    });
    const causeOf = async (more: object) => {
      const asked = [...ASKED.filter(({url}) => url !== 'inline.gif'), inline(more) as Asked];
      return causesOf(await open({'shop.har': harOf(asked)}))['inline.gif'];
    };
    // app.js had asked for data.json, which arrived 10 ms before
    expect(await causeOf({})).toBe('inline #1, 0 + 0 ms');
    const parent = {description: 'Promise.then', callFrames: [{url: AT, lineNumber: 2}]};
    expect(await causeOf({parent})).toBe('data data.json, 10 + 0 ms');
  });

  test('an object that the HTML names is caused by the HTML, also if the archive has the HTML in base64', async () => {
    const html = HTML.replace('<h1>', '<img src=logo.gif><h1>');
    const logo = {...ASKED.find(({url}) => url === 'late.gif'), url: 'logo.gif', initiator: parser()} as Asked;
    const har = JSON.parse(harOf([...ASKED, logo]));
    for (const text of [{text: html}, {text: Buffer.from(html).toString('base64'), encoding: 'base64'}]) {
      Object.assign(har.log.entries[0].response.content, text);
      const causes = causesOf(await open({'shop.har': JSON.stringify(har)}));
      expect(causes['logo.gif']).toBe('html index.html, 0 + 0 ms');
    }
    Object.assign(har.log.entries[0].response.content, {text: 'a*b'});
    await expect(open({'shop.har': JSON.stringify(har)})).rejects.toThrow(
      'page: shop.har cannot be opened: its base64 is damaged',
    );
  });

  test('an archive without initiators gives no recording', async () => {
    const plain = ASKED.map(({initiator: _, ...each}) => each);
    const bundle = await open({'shop.har': harOf(plain)});
    expect(recordingOf(bundle)).toBeUndefined();
    expect(bundle.document.notLoaded.join()).toMatch(/addresses of the archive that the page does not name/);
  });

  test.each([
    ['no time', {startedDateTime: 'yesterday'}],
    ['a stack of 80 levels', {_initiator: {type: 'script', stack: endless()}}],
    ['initiators that are no objects', {_initiator: 'parser', _priority: 7, _resourceType: []}],
    ['frames that are no frames', {_initiator: {type: 'script', stack: {callFrames: [null, 7, {url: 3}]}}}],
    ['negative and huge numbers', {time: -1e300, _initiator: {type: 'script', url: 'https://a.test/'}}],
  ])('%s does no harm', async (_, wrong) => {
    const har = JSON.parse(harOf(ASKED));
    for (const entry of har.log.entries.slice(1)) Object.assign(entry, wrong);
    const bundle = await open({'shop.har': JSON.stringify(har)});
    for (const {cpuMs, waitMs} of recordingOf(bundle)?.requests ?? []) {
      expect(Number.isFinite(cpuMs) && cpuMs >= 0 && Number.isFinite(waitMs) && waitMs >= 0).toBe(true);
    }
  });
});

/** A stack that is as deep as a file can be. */
function endless(): object {
  let stack: object = {callFrames: [{url: `${AT}app.js`, lineNumber: 0}]};
  for (let i = 0; i < 80; i++) stack = {description: 'Promise.then', callFrames: [], parent: stack};
  return stack;
}

const event = (name: string, ts: number, data: object, more = {}) => ({
  name,
  ph: 'I',
  ts,
  pid: 1,
  tid: 2,
  args: {data},
  ...more,
});
const sends = (url: string, ts: number, resourceType: string, more = {}) =>
  event('ResourceSendRequest', ts, {requestId: url, url: AT + url, resourceType, priority: 'High', ...more});
const ends = (url: string, ts: number, decodedBodyLength: number) =>
  event('ResourceFinish', ts, {
    requestId: url,
    decodedBodyLength,
    encodedDataLength: decodedBodyLength,
    didFail: false,
  });

/** A trace as Lighthouse saves it. */
const EVENTS: readonly object[] = [
  {name: 'thread_name', ph: 'M', pid: 1, tid: 2, ts: 0, args: {name: 'CrRendererMain'}},
  sends('', 1000, 'Document'),
  sends('a.css', 50_000, 'Stylesheet', {
    initiator: {type: 'parser', url: AT, fetchType: 'link'},
    renderBlocking: 'blocking',
  }),
  sends('app.js', 51_000, 'Script', {initiator: {type: 'parser', url: AT, fetchType: 'script'}}),
  ends('', 90_000, 5000),
  ends('a.css', 150_000, 3000),
  ends('app.js', 160_000, 20_000),
  sends('late.gif', 200_000, 'Image', {
    initiator: {type: 'script', fetchType: 'img'},
    stackTrace: [{functionName: 'a', url: `${AT}app.js`, lineNumber: 1, columnNumber: 2}],
  }),
  ends('late.gif', 250_000, 700),
];

describe('a trace of a browser', () => {
  test('gives a page of placeholders with the recorded sizes, and a recording from its call stacks', async () => {
    const bundle = await open({'Trace-1.json': JSON.stringify({metadata: {source: 'DevTools'}, traceEvents: EVENTS})});
    expect(causesOf(bundle)).toEqual({
      'index.html': 'html index.html, 0 + 0 ms',
      'a.css': 'html index.html, 0 + 0 ms',
      'app.js': 'html index.html, 0 + 0 ms',
      'late.gif': 'script app.js, 40 + 0 ms',
    });
    const sizes = Object.fromEntries(
      bundle.document.objects.map(({file, bytes}) => [file.replace(/^files\/\d+-/, ''), bytes]),
    );
    expect(sizes).toMatchObject({'a.css': 3000, 'app.js': 20_000, 'late.gif': 700});
    expect(Math.abs((sizes['index.html'] ?? 0) - 5000)).toBeLessThan(300);
    expect(bundle.document.notLoaded).toEqual([
      'the contents of all files: the trace has only their sizes, so the page shows placeholders',
    ]);
    const packed = await open({'Trace-1.json.gz': gzipSync(JSON.stringify(EVENTS))});
    expect(recordingOf(packed)).toEqual(recordingOf(bundle));
  });

  test('that is opened with an archive of the same page replaces what the archive knows of causes', async () => {
    const files = {'shop.har': harOf(ASKED), 'trace.json': JSON.stringify(EVENTS)};
    const bundle = await open(files);
    expect(causesOf(bundle)['late.gif']).toBe('script app.js, 40 + 0 ms');
    expect(recordingOf(bundle)?.browser).toBe('Chromium (trace)');
    const other = JSON.stringify(EVENTS).replaceAll(AT, 'https://other.test/');
    await expect(open({...files, 'trace.json': other})).rejects.toThrow(
      'has a trace of https://other.test/, but an archive of https://shop.test/',
    );
  });

  test.each([
    ['not JSON', 'x', 'is not a trace of a browser: not JSON'],
    ['another JSON', '{"a": 1}', 'it has no traceEvents'],
    ['no request', '{"traceEvents": [{"name": "x", "ts": 1}, null, 7]}', 'has no request for a page'],
    ['damaged gzip', Uint8Array.of(0x1f, 0x8b, 8, 0), 'cannot be unpacked: it is damaged'],
  ])('%s is refused in one line', async (_, content, why) => {
    const refused = open({'trace.json': content});
    await expect(refused).rejects.toThrow(PageError);
    await expect(refused).rejects.toThrow(why);
  });

  test('with absurd events does no harm', async () => {
    const absurd = [
      ...EVENTS,
      ...Array.from({length: 30_000}, (_, i) => ({
        name: 'FunctionCall',
        ph: 'X',
        ts: 1000 + i,
        dur: 1e12,
        pid: 1,
        tid: 2,
      })),
      sends('big.gif', 300_000, 'Image', {initiator: {type: 'parser'}}),
      ends('big.gif', 310_000, 1e18),
      sends('"><script>alert(1)</script>', 320_000, 'Image', {initiator: {type: 'parser'}}),
      event('ResourceFinish', 1, {requestId: null, decodedBodyLength: 'many'}),
      {name: 'TimerFire', ts: 5000, dur: 1, pid: 1, tid: 2},
    ];
    const {document, files} = await open({'trace.json': JSON.stringify(absurd)});
    expect(document.leftOut.map(({address}) => address)).toContain(`${AT}big.gif`);
    expect(Buffer.from(files[0]?.bytes ?? []).toString()).not.toContain('<script>alert');
  });
});
