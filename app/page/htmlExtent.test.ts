import {describe, expect, test} from 'vitest';
import {measureHtml} from './htmlExtent.ts';
import {HTML_LIMITS, HtmlReader, ObjectScanner} from './htmlReader.ts';

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);
const numbered = (count: number, each: (i: number) => string): string =>
  Array.from({length: count}, (_, i) => each(i)).join('');

/** Pages: a name, the HTML, and part of the reason why it is cut, or null if all of it is loaded. */
const HOSTILE: readonly (readonly [string, string, string | null])[] = [
  ['80,000 open elements and as many wrong end tags', '<div>'.repeat(80_000) + '</x>'.repeat(80_000), 'nested'],
  ['2 MB of wrong end tags', '<div>'.repeat(400) + '</x>'.repeat(500_000), 'more than 50000 tags'],
  ['100,000 nested elements', '<div>'.repeat(100_000), 'more than 512 deep'],
  ['10,000 images', numbered(10_000, i => `<img src=${i}.jpg>`), 'more than 1000 objects'],
  ['one image 100,000 times', '<img src=a.jpg>'.repeat(100_000), 'more than 50000 tags'],
  ['5 MB of text', 'x'.repeat(5_000_000), 'more than 1000000 bytes'],
  ['end tags without paragraphs', '</p>'.repeat(100_000), 'more than 50000 tags'],
  [
    'paragraphs that open 500 elements each',
    `<p>${numbered(500, i => `<b id=${i}>`)}</p>${'<p>x</p>'.repeat(10_000)}`,
    'more than 64 formatting elements',
  ],
  [
    'paragraphs that open 50 elements each',
    `<p>${numbered(50, i => `<b id=${i}>`)}</p>${'<p>x</p>'.repeat(10_000)}`,
    'more than 50000 elements',
  ],
  [
    'paragraphs without end tags that open 50 elements each',
    `<p>${numbered(50, i => `<b id=${i}>`)}${'<p>x'.repeat(10_000)}`,
    'more than 50000 elements',
  ],
  [
    'items without end tags that open 50 elements each',
    `<ul><li>${numbered(50, i => `<i id=${i}>`)}${'<li>x'.repeat(10_000)}`,
    'more than 50000 elements',
  ],
  ['20,000 bases', '<base href=a/>'.repeat(20_000), 'more than 100 base elements'],
  ['drawings in drawings', '<svg><foreignObject>'.repeat(300) + '</g>'.repeat(60_000), 'nested'],
  ['templates in templates', '<template>'.repeat(300) + '</template>'.repeat(60_000), 'more than 50000 tags'],
  ['a tag that does not end', `<div ${'a'.repeat(900_000)}`, null],
  ['a tag of 100,000 attributes', `<div ${numbered(100_000, i => `a${i} `)}>`, null],
  ['comments that do not end', '<!--'.repeat(200_000), null],
  ['nothing but <', '<'.repeat(900_000), null],
];

describe('hostile HTML', () => {
  test.each(HOSTILE)('of %s is either within the limits, or is cut at a limit with a reason', (_, html, why) => {
    const bytes = bytesOf(html);
    const extent = measureHtml(bytes);
    if (why === null) expect(extent).toEqual({bytes: bytes.length, why: null});
    else expect(extent.why).toContain(why);
    expect(extent.bytes).toBeLessThanOrEqual(HTML_LIMITS.bytes);
    // The work of reading is bounded by the number of tags times the depth.
    const reader = new HtmlReader('/');
    reader.write(html);
    expect(reader.work.tags).toBeLessThanOrEqual(HTML_LIMITS.tags + 1);
    expect(reader.work.depth).toBeLessThanOrEqual(HTML_LIMITS.depth + 1);
    // The part that is loaded is itself within the limits, so the client finds all objects of the page.
    expect(measureHtml(bytes.subarray(0, extent.bytes)).why).toBeNull();
  });
});

test('HTML is cut before the first tag beyond a limit, at an offset in bytes of the file', () => {
  const before = `<p>é</p>${numbered(1000, i => `<img src="ö${i}.jpg">`)}`;
  const html = bytesOf(`${before}<img src=more.jpg>text`);
  const at = bytesOf(before).length;
  expect(measureHtml(html)).toEqual({
    bytes: at,
    why: `it is cut at byte ${at} of ${html.length}: it names more than 1000 objects`,
  });
  expect(new ObjectScanner('/').push(html)).toHaveLength(1000);
  expect(new ObjectScanner('/').push(html.subarray(0, at))).toHaveLength(1000);
});

test('HTML is also cut before a closing tag beyond the limit', () => {
  const before = '<p></p>'.repeat(25_000);
  expect(measureHtml(bytesOf(`${before}</div>`))).toMatchObject({bytes: before.length});
  expect(measureHtml(bytesOf(before))).toEqual({bytes: before.length, why: null});
});

test('512 nested elements are loaded, but not 513', () => {
  const deep = (levels: number) => measureHtml(bytesOf(`${'<i>'.repeat(levels)}<img>`));
  expect(deep(511).why).toBeNull();
  expect(deep(512).why).toMatch(/cut at byte 1536 of 1541: its tags are nested more than 512 deep/);
});

test('unclosed paragraphs, items and cells are not counted as nested', () => {
  const rows = '<tr><td>a<td>b<td>c'.repeat(2000);
  const html = `${'<p>text'.repeat(5000)}<ul>${'<li>item'.repeat(5000)}</ul><table>${rows}</table>`;
  expect(measureHtml(bytesOf(html)).why).toBeNull();
});

test('at most three equal unclosed elements are counted, as in a browser', () => {
  expect(measureHtml(bytesOf('<div><b>text</div>'.repeat(5000))).why).toBeNull();
});

test('for a larger file, the part within the limit of bytes suffices', () => {
  const html = bytesOf('x'.repeat(HTML_LIMITS.bytes));
  expect(measureHtml(html).why).toBeNull();
  expect(measureHtml(html, 3_000_000)).toEqual({
    bytes: 1_000_000,
    why: 'it is cut at byte 1000000 of 3000000: it has more than 1000000 bytes',
  });
});

test('a long base address is ignored, but an object with a long address is found', () => {
  const long = '/x'.repeat(5000);
  const found = (html: string) => new ObjectScanner('/').push(bytesOf(html)).map(({url}) => url);
  expect(found(`<img src="${long}"><img src=a.jpg>`)).toEqual([long, '/a.jpg']);
  expect(found(`<base href="${long}/"><img src=a.jpg>`)).toEqual(['/a.jpg']);
});
