import fc from 'fast-check';
import {expect, test} from 'vitest';
import {assemblePage} from './assemble.ts';
import {ObjectScanner} from './objectScanner.ts';
import {leastIndexBodyBytes, syntheticPage} from './synthetic.ts';

const settings = {objects: 10, objectBytes: 10_000, headerBytes: 250, requestBytes: 200};

test('a synthetic page has exactly the bytes asked for, and names all of its objects', () => {
  fc.assert(
    fc.property(fc.integer({min: 0, max: 1000}), fc.nat(5000), (objects, spare) => {
      const indexBytes = 250 + leastIndexBodyBytes(objects) + spare;
      const page = syntheticPage({...settings, objectBytes: 7, objects, indexBytes});
      const [index, ...others] = page.objects;
      expect(index?.body?.length).toBe(indexBytes - 250);
      const urls = new ObjectScanner('/').push(index?.body ?? new Uint8Array(0));
      expect(urls).toEqual(others.map(object => object.url));
      expect(others.every(object => object.body?.length === 7)).toBe(true);
    }),
    {numRuns: 30},
  );
});

test('a synthetic page that cannot name its objects is refused', () => {
  expect(() => syntheticPage({...settings, indexBytes: 300})).toThrow('invalid indexBytes: 300');
});

test('a page is put together from what its HTML names, and what is missing stays missing', () => {
  const html = new TextEncoder().encode(
    '<img src=a.jpg><img src=gone.png><link rel=stylesheet href=s.css?v=2>',
  );
  const page = assemblePage('p', html, url => (url.startsWith('/gone') ? undefined : new Uint8Array(3)));
  expect(page.objects.map(({url, contentType, body}) => [url, contentType, body?.length])).toEqual([
    ['/', 'text/html; charset=utf-8', html.length],
    ['/a.jpg', 'image/jpeg', 3],
    ['/gone.png', 'image/png', undefined],
    ['/s.css?v=2', 'text/css', 3],
  ]);
});
