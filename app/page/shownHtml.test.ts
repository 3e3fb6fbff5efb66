import fc from 'fast-check';
import {expect, test} from 'vitest';
import type {Page} from './page.ts';
import type {Insertion, RecordedCause} from './recording.ts';
import {seenRanges, shownBytes, shownHtml} from './shownHtml.ts';

const BY: RecordedCause = {by: 'script', object: 1};

function pageOf(html: string, insertions: readonly Pick<Insertion, 'at' | 'html'>[]): Page {
  const objects = [
    {url: '/', contentType: 'text/html', body: encode(html)},
    {url: '/files/1-a.js', contentType: 'text/javascript', body: encode('')},
    {url: '/files/2-b.gif', contentType: 'image/gif', body: encode('')},
  ];
  const recording = {
    browser: 'Chrome/1',
    viewport: {width: 1024, height: 768},
    requests: [],
    insertions: insertions.map(each => ({...each, cause: BY})),
    boxes: [],
    all: {requests: 3, bytes: 0},
  };
  return {name: 'page', objects, headerBytes: 250, requestBytes: 200, recording};
}

const encode = (text: string): Uint8Array => new TextEncoder().encode(text);
const decode = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);

/** The text that is seen when the first `bytes` bytes have arrived. */
function seen(page: Page, bytes: number, isThere: (text: string) => boolean = () => true): string {
  const html = shownHtml(page);
  const text = (first: number, end: number) => decode(html.bytes.subarray(first, end));
  const arrived = bytes === 0 ? [] : [{first: 0, end: bytes}];
  return seenRanges(html, arrived, part => isThere(text(part.first, part.end)))
    .map(({first, end}) => text(first, end))
    .join('');
}

const PAGE = pageOf('<ul><li>ä</ul><p>end', [
  {at: 10, html: '<li>new'},
  {at: 15, html: '<hr>'},
  {at: 15, html: '<img src="files/2-b.gif">'},
]);

test('an insertion by a script is seen in its place once the HTML before it and its cause are there', () => {
  expect(seen(PAGE, 21)).toBe('<ul><li>ä<li>new</ul><hr><img src="files/2-b.gif"><p>end');
  expect(seen(PAGE, 21, text => text !== '<hr>')).toBe('<ul><li>ä<li>new</ul><img src="files/2-b.gif"><p>end');
  expect(seen(PAGE, 21, () => false)).toBe('<ul><li>ä</ul><p>end');
  expect(seen(PAGE, 9)).toBe('<ul><li>\ufffd');
  expect(seen(PAGE, 10)).toBe('<ul><li>ä<li>new');
  expect(seen(PAGE, 0)).toBe('');
  expect(shownHtml(PAGE).parts.map(({insertion}) => insertion)).toEqual([0, 1, 2]);
  expect(shownHtml(PAGE)).toBe(shownHtml(PAGE));
});

test('an insertion before all HTML is seen once the first byte of the HTML and its cause are there', () => {
  const page = pageOf('<p>end', [{at: 0, html: '<hr>'}]);
  expect([0, 1, 6].map(bytes => seen(page, bytes))).toEqual(['', '<hr><', '<hr><p>end']);
  expect(seen(page, 6, () => false)).toBe('<p>end');
  expect(seenRanges(shownHtml(page), [{first: 1, end: 6}], () => true)).toEqual([{first: 5, end: 10}]);
});

test('a prefix of the HTML is shown with what was inserted before or at its end', () => {
  const html = shownHtml(PAGE);
  expect([0, 9, 10, 14, 15, 21].map(own => shownBytes(html, own))).toEqual([0, 9, 17, 21, 51, html.bytes.length]);
  const first = shownHtml(pageOf('<p>end', [{at: 0, html: '<hr>'}]));
  expect([0, 1, 6].map(own => shownBytes(first, own))).toEqual([0, 5, 10]);
});

test('a page without recording is shown as it is, also with holes', () => {
  const {recording: _, ...plain} = PAGE;
  const html = shownHtml(plain);
  expect(html.bytes).toBe(plain.objects[0]?.body);
  const ranges = [{first: 2, end: 4}];
  expect(seenRanges(html, ranges, () => true)).toBe(ranges);
});

test('every byte of the own HTML that has arrived is seen, in order, whatever was inserted', () => {
  const insertion = fc.record({at: fc.nat(40), html: fc.constantFrom('', '[x]', '[yy]')});
  const range = fc.tuple(fc.nat(30), fc.nat(30)).map(([a, b]) => ({first: Math.min(a, b), end: Math.max(a, b) + 1}));
  fc.assert(
    fc.property(
      fc.array(insertion, {maxLength: 5}),
      range,
      fc.array(fc.boolean(), {maxLength: 5}),
      (insertions, own, there) => {
        const text = 'abcdefghijklmnopqrstuvwxyzABCDE';
        const html = shownHtml(pageOf(text, insertions));
        let i = 0;
        const ranges = seenRanges(html, [own], () => there[i++] ?? false);
        const all = decode(html.bytes);
        const result = ranges.map(({first, end}) => all.slice(first, end)).join('');
        expect(result.replaceAll(/\[\w+\]/g, '')).toBe(text.slice(own.first, own.end));
        // ranges are in order and do not touch
        for (const [k, {first, end}] of ranges.entries()) {
          expect(end).toBeGreaterThan(first);
          if (k > 0) expect(first).toBeGreaterThan(ranges[k - 1]?.end ?? Number.POSITIVE_INFINITY);
        }
      },
    ),
  );
});
