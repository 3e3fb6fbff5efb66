import fc from 'fast-check';
import {afterEach, describe, expect, test, vi} from 'vitest';
import {bytesOf} from '../../base/bytes.ts';
import {ObjectScanner} from '../../page/htmlReader.ts';
import type {FoundObject} from '../../page/sheetObjects.ts';
import {IndexScanner} from './indexScanner.ts';

const text =
  '<!doctype html><title>t</title><link rel=stylesheet href=a.css><style>p{background:url(b.png)}</style ><img src=c.jpg><p>é<img src=d.jpg>';

afterEach(() => vi.restoreAllMocks());

describe('loads of one page', () => {
  test('find the same objects as a new scanner, in pieces of any sizes, and up to any length', () => {
    const sizes = fc.array(fc.integer({min: 0, max: 40}));
    fc.assert(
      fc.property(fc.array(sizes, {minLength: 2, maxLength: 6}), loads => {
        const html = bytesOf(text);
        for (const load of [...loads, ...loads]) {
          expect(finds(new IndexScanner(html), html, load)).toEqual(finds(new ObjectScanner('/'), html, load));
        }
      }),
    );
  });

  test('with other bytes find the objects of those bytes, and do not change the results for the page', () => {
    const [html, other] = [bytesOf(text), bytesOf(text.replace('c.jpg', 'x.jpg'))];
    for (const bytes of [html.subarray(0, 20), other, html, other]) {
      expect(finds(new IndexScanner(html), bytes, [80, 200])).toEqual(finds(new ObjectScanner('/'), bytes, [80, 200]));
    }
  });

  test('with more bytes than the page has find the objects in the additional bytes, too', () => {
    const html = bytesOf(text);
    const longer = bytesOf(`${text}<img src=e.jpg>`);
    for (const cuts of [
      [html.length, 20],
      [20, 200],
      [html.length, 20],
    ]) {
      expect(finds(new IndexScanner(html), longer, cuts)).toEqual(finds(new ObjectScanner('/'), longer, cuts));
    }
  });

  test('that read more of the page than earlier ones find each object once', () => {
    const html = bytesOf(text);
    for (const cuts of [[118], [60, 200], [60, 200]]) {
      expect(finds(new IndexScanner(html), html, cuts)).toEqual(finds(new ObjectScanner('/'), html, cuts));
    }
  });

  test('scan the page only once if all pieces end where pieces of an earlier load ended', () => {
    const push = vi.spyOn(ObjectScanner.prototype, 'push');
    const html = bytesOf(text);
    finds(new IndexScanner(html), html, [30, 50, 200]);
    const once = push.mock.calls.length;
    finds(new IndexScanner(html), html, [30, 50, 200]);
    finds(new IndexScanner(html), html, [80, 200]);
    expect(once).toBe(3);
    expect(push).toHaveBeenCalledTimes(once);
  });
});

/** Returns what the scanner finds in each piece, if the pieces have these sizes. */
function finds(
  scanner: {push: (bytes: Uint8Array) => readonly FoundObject[]},
  html: Uint8Array,
  sizes: readonly number[],
): readonly (readonly FoundObject[])[] {
  let at = 0;
  return sizes.map(size => {
    at += size;
    return scanner.push(html.subarray(at - size, at));
  });
}
