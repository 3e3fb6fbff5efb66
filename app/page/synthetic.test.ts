import fc from 'fast-check';
import {expect, test} from 'vitest';
import {assemblePage, walkPage} from './assemble.ts';
import {ObjectScanner} from './htmlReader.ts';
import {leastIndexBodyBytes, syntheticPage} from './synthetic.ts';

const settings = {objects: 10, objectBytes: 10_000, headerBytes: 250, requestBytes: 200};

test('a synthetic page has exactly the requested sizes, and names all its objects', () => {
  fc.assert(
    fc.property(fc.integer({min: 0, max: 1000}), fc.nat(5000), (objects, spare) => {
      const indexBytes = 250 + leastIndexBodyBytes(objects) + spare;
      const page = syntheticPage({...settings, objectBytes: 7, objects, indexBytes});
      const [index, ...others] = page.objects;
      expect(index?.body?.length).toBe(indexBytes - 250);
      const found = new ObjectScanner('/').push(index?.body ?? new Uint8Array(0));
      expect(found.map(({url}) => url)).toEqual(others.map(object => object.url));
      expect(others.every(object => object.body?.length === 7)).toBe(true);
    }),
    {numRuns: 30},
  );
});

test('a synthetic page whose HTML is too small for its objects is rejected', () => {
  expect(() => syntheticPage({...settings, indexBytes: 300})).toThrow('invalid indexBytes: 300');
});

test('a page contains the objects that its HTML names, even if the server does not have them', () => {
  const html = new TextEncoder().encode('<img src=a.jpg><img src=gone.png><link rel=stylesheet href=s.css?v=2>');
  const page = assemblePage('p', html, url => (url.startsWith('/gone') ? undefined : new Uint8Array(3)));
  expect(page.objects.map(({url, contentType, body}) => [url, contentType, body?.length])).toEqual([
    ['/', 'text/html; charset=utf-8', html.length],
    ['/a.jpg', 'image/jpeg', 3],
    ['/gone.png', 'image/png', undefined],
    ['/s.css?v=2', 'text/css', 3],
  ]);
});

test('the objects of style sheets follow those of the HTML, sheet by sheet, without duplicates', () => {
  const html = '<link rel=stylesheet href=/css/a.css><img src=1.png><style>i{background:url(2.png)}</style>';
  const sheets: Record<string, string> = {
    '/css/a.css': '@import "b.css";a{background:url(../1.png)}b{background:url(c.png)}',
    '/css/b.css': '@import "a.css";@font-face{src:url(f.woff2)}',
  };
  const encoded = (text: string | undefined) => (text === undefined ? undefined : new TextEncoder().encode(text));
  const page = assemblePage('p', encoded(html) ?? new Uint8Array(), url => encoded(sheets[url]));
  expect(page.objects.map(({url}) => url)).toEqual([
    '/',
    '/css/a.css',
    '/1.png',
    '/2.png',
    '/css/b.css',
    '/css/c.png',
    '/css/f.woff2',
  ]);
});

test('the limit of objects includes those that style sheets name', () => {
  const css = Array.from({length: 1500}, (_, i) => `url(${i})`).join();
  const walk = walkPage(new TextEncoder().encode('<link rel=stylesheet href=a.css><img src=b>'));
  const found: string[] = [];
  let step = walk.next();
  for (; !step.done; step = walk.next(new TextEncoder().encode(`a{background:${css}}`))) found.push(step.value.url);
  expect(found).toHaveLength(1000);
  expect(step.value).toBe(502);
});
