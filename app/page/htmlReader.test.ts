import fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import {ObjectScanner} from './htmlReader.ts';
import type {FoundObject} from './sheetObjects.ts';

describe('the scanner finds', () => {
  test('images, style sheets and scripts, each once, in the order of the HTML', () => {
    const html = `<link rel="stylesheet" href="a.css"><link rel=icon href=i.ico><script src="/s.js"></script>
      <img src="1.jpg"><p>text<img src='2.jpg'/><IMG SRC=1.jpg>`;
    expect(found(html)).toEqual(['/a.css', '/s.js', '/1.jpg', '/2.jpg']);
  });

  test('nothing in comments, scripts, style sheets, text or templates', () => {
    const html = `<!-- <img src=c.jpg> --><script>"<img src=s.jpg>"</script><style>/*<img src=y.jpg>*/</style>
      <title><img src=t.jpg></title><template><img src=m.jpg></template><textarea><img src=a.jpg></textarea><img src=1.jpg>`;
    expect(found(html)).toEqual(['/1.jpg']);
  });

  test('paths resolved against the page and its base', () => {
    expect(found('<img src="./a/../b.jpg?x=1&amp;y=2#z">')).toEqual(['/b.jpg?x=1&y=2']);
    expect(found('<base href="/img/"><img src=a.jpg><img src=/b.jpg>')).toEqual(['/img/a.jpg', '/b.jpg']);
    expect(found('<base href=a/><base href=b/><img src=a.jpg>')).toEqual(['/a/a.jpg']);
    expect(found('<img src="../../../etc/passwd">')).toEqual(['/etc/passwd']);
  });

  test('nothing for a URL of another host, a data: URL, an empty URL or an invalid URL', () => {
    const html = '<img src="//cdn.test/a.jpg"><img src="data:image/png;base64,AA"><img src=""><img src="http://[">';
    expect(found(html)).toEqual([]);
  });

  test('the same objects in pieces of any size', () => {
    const html = new TextEncoder().encode(
      '<!doctype html><title>é</title><img src="ä.jpg" alt="a > b"><!-- <img src=n> --><script src=x.js></script><img src=z.png>',
    );
    const whole = new ObjectScanner('/').push(html);
    expect(whole.map(({url}) => url)).toEqual(['/%C3%A4.jpg', '/x.js', '/z.png']);
    fc.assert(
      fc.property(fc.array(fc.integer({min: 1, max: 20})), sizes => {
        const scanner = new ObjectScanner('/');
        const objects: FoundObject[] = [];
        let at = 0;
        for (const size of [...sizes, html.length]) {
          objects.push(...scanner.push(html.subarray(at, at + size)));
          at += size;
        }
        expect(objects).toEqual(whole);
      }),
    );
  });

  test('an object as soon as the last byte of its tag has arrived', () => {
    const scanner = new ObjectScanner('/');
    expect(scanner.push(new TextEncoder().encode('<img src="a.jpg"'))).toEqual([]);
    expect(scanner.push(new TextEncoder().encode('>'))).toEqual([{url: '/a.jpg', isSheet: false}]);
  });

  test('objects that CSS in the HTML names, once the style element has ended', () => {
    const css = '@import "i.css";a{background:url(a.png)}';
    expect(found(`<base href="/x/"><style>${css}</style><p style="background:url(b.png)">`)).toEqual([
      '/x/i.css',
      '/x/a.png',
      '/x/b.png',
    ]);
    expect(found(`<style>${css}`)).toEqual([]);
    expect(found('<template><style>a{background:url(a.png)}</style></template>')).toEqual([]);
  });

  test('one source of each srcset and picture element, and no sources of videos', () => {
    const html = `<img src=a.png srcset="b.png 2x, c.png 1x"><picture><source srcset="d.webp" type="image/webp">
      <img src=e.png></picture><img src=f.png><video><source src=v.mp4 srcset=w.png></video><img src=g.png>`;
    expect(found(html)).toEqual(['/c.png', '/d.webp', '/f.png', '/g.png']);
  });

  test('style sheets, of which it marks those that are applied', () => {
    const html = `<link rel=stylesheet href=a.css><link rel="alternate stylesheet" href=b.css><img src=c.png>
      <link rel=stylesheet disabled href=d.css><style>@import "e.css";</style>`;
    const sheets = new ObjectScanner('/').push(new TextEncoder().encode(html));
    expect(sheets.filter(({isSheet}) => isSheet).map(({url}) => url)).toEqual(['/a.css', '/e.css']);
    expect(sheets).toHaveLength(5);
  });
});

function found(html: string): readonly string[] {
  return new ObjectScanner('/').push(new TextEncoder().encode(html)).map(({url}) => url);
}
