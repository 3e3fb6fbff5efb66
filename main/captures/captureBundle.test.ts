import {expect, test} from 'vitest';
import type {CapturedExchange, CapturedLoad} from '../../app/captures/capturedLoad.ts';
import {exchange, smallLoad} from '../../app/captures/testing/capturedLoads.ts';
import {readStoredPage} from '../pages/readPage.ts';
import {captureBundle} from './captureBundle.ts';

const GIF = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64');
const HTML = '<!doctype html><link rel=stylesheet href=a.css><script src=b.js></script><img src=c.gif>';
const CSS = 'p { color: red }';

type Own = Partial<CapturedExchange>;

function answer(
  path: string,
  type: string,
  at: number,
  own: Own = {},
  bytes = own.body?.length ?? 0,
): CapturedExchange {
  const fields: Own = {responseFields: [['content-type', type]], ...own};
  return exchange(`https://host.example${path}`, {at, firstByte: at + 5, complete: at + 10, bytes}, fields);
}

function pageOf(...exchanges: readonly CapturedExchange[]): CapturedLoad {
  return {...smallLoad(), kind: 'har', packets: [], exchanges};
}

async function opened(load: CapturedLoad) {
  const bundle = await captureBundle(load, 'the page', new AbortController().signal);
  return {bundle, page: await readStoredPage('the page', bundle)};
}

const WHOLE = pageOf(
  answer('/', 'text/html', 0, {body: Buffer.from(HTML)}),
  answer('/a.css', 'text/css', 10, {body: Buffer.from(CSS), priority: 'VeryHigh'}, 9),
  answer('/b.js', 'text/javascript', 10, {body: Buffer.from('x'.repeat(500))}, 120),
  answer('/c.gif', 'image/gif', 10, {body: GIF}),
  answer('/d.json', 'application/json', 40, {
    body: Buffer.from('{}'),
    initiator: {type: 'script', url: 'https://host.example/b.js'},
  }),
  answer('/e.gif', 'image/gif', 52, {body: GIF}),
  exchange('https://host.example/f.gif', {at: 60, firstByte: 65}),
);

test('the page of a capture has the captured contents, and each script has the size that was sent', async () => {
  const {page, bundle} = await opened(WHOLE);
  expect(page.objects.map(({address, body}) => [address, body?.length])).toEqual([
    ['https://host.example/', expect.any(Number)],
    ['https://host.example/a.css', CSS.length],
    ['https://host.example/b.js', 120],
    ['https://host.example/c.gif', GIF.length],
    ['https://host.example/d.json', 2],
    ['https://host.example/e.gif', GIF.length],
  ]);
  expect(bundle.document.leftOut).toEqual([]);
  expect(bundle.document.notLoaded).toEqual([]);
});

test('a recording knows the cause of each request from the browser, the HTML or the answer just before', async () => {
  const {page} = await opened(WHOLE);
  expect(page.recording?.requests.map(({object, cause, cpuMs, type}) => ({object, cause, cpuMs, type}))).toEqual([
    {object: 0, cause: {by: 'html', object: 0}, cpuMs: 0, type: 'document'},
    {object: 1, cause: {by: 'html', object: 0}, cpuMs: 0, type: 'style'},
    {object: 2, cause: {by: 'html', object: 0}, cpuMs: 0, type: 'script'},
    {object: 3, cause: {by: 'html', object: 0}, cpuMs: 0, type: 'image'},
    {object: 4, cause: {by: 'script', object: 2}, cpuMs: 20, type: 'data'},
    {object: 5, cause: {by: 'data', object: 4}, cpuMs: 2, type: 'image'},
  ]);
  expect(page.recording?.requests.map(({blocking}) => blocking)).toEqual([false, true, false, false, false, false]);
});

test('contents that a capture lacks are placeholders of the size that was sent', async () => {
  const {page, bundle} = await opened(
    pageOf(
      answer('/', 'text/html', 0, {}, 2000),
      answer('/a.css', '', 10, {}, 300),
      answer('/c.gif?q', 'image/gif', 10, {}, 5000),
      answer('/x', '', 10, {}, 77),
    ),
  );
  const sizes = new Map(
    page.objects.map(({address, body}) => [address?.slice('https://host.example'.length), body?.length]),
  );
  expect(sizes.get('/a.css')).toBe(300);
  expect(sizes.get('/c.gif?q')).toBe(5000);
  expect(sizes.get('/x')).toBe(77);
  expect(Buffer.from(page.objects[0]?.body ?? []).toString()).toContain('This page was made from a capture.');
  expect(bundle.document.notLoaded).toEqual([
    'the contents of all files: the capture has only their sizes, so the page shows placeholders',
  ]);
});

test('a redirect is not the page, and a capture without HTML gives a placeholder page', async () => {
  const {page} = await opened(
    pageOf(
      exchange('http://host.example/', {at: 0, firstByte: 5, complete: 5}, {status: 301}),
      answer('/', 'text/html', 10, {body: Buffer.from(HTML)}),
    ),
  );
  expect(page.objects[0]?.address).toBe('https://host.example/');
  const {page: sheet} = await opened(pageOf(answer('/a.css', 'text/css', 0, {body: Buffer.from(CSS)})));
  expect(Buffer.from(sheet.objects[0]?.body ?? []).toString()).toContain('This page was made from a capture.');
  await expect(opened(pageOf())).rejects.toThrow('cannot be opened: the capture has no complete response');
});
