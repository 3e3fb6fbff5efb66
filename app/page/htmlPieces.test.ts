import {readFileSync} from 'node:fs';
import fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import {splitHtml} from './htmlPieces.ts';
import {ObjectScanner} from './htmlReader.ts';

describe('split HTML', () => {
  test('consists of tags and the content between them', () => {
    expect(split('<p class="a > b">some text<b>bold text</b></p>')).toEqual({
      markup: ['<p class="a > b">', '<b>', '</b></p>'],
      data: ['some text', 'bold text'],
    });
  });

  test('has short content and the delimiters of comments in the markup', () => {
    expect(split('<ul>\n<li>one\n<li>two</ul><!-- a long note -->')).toEqual({
      markup: ['<ul>\n<li>one\n<li>two</ul><!--', '-->'],
      data: [' a long note '],
    });
  });

  test('has scripts, styles and entities unchanged in the data', () => {
    expect(split('<style>p > a { }</style><script>"<p>long</p>"</script>&amp;&auml; &lt;')).toEqual({
      markup: ['<style>', '</style><script>', '</script>'],
      data: ['p > a { }', '"<p>long</p>"', '&amp;&auml; &lt;'],
    });
  });

  test.each(['gallery', 'r02', 'l06', 'text-50k'])('of %s names all objects in the markup', name => {
    const html = readFileSync(new URL(`../../fixtures/pages/${name}/index.html`, import.meta.url));
    const scanner = new ObjectScanner('/');
    const {markup} = splitHtml(html, 12);
    const found = markup.flatMap(({first, end}) => scanner.push(html.subarray(first, end)));
    expect(found).toEqual(new ObjectScanner('/').push(html));
  });

  test('contains every byte once, for arbitrary HTML', () => {
    const part = fc.constantFrom('<b>', '</b>', '<p', '>', 'some text', '<br>', '<!--', '-->', '&amp;', '<', '\u00e4');
    fc.assert(
      fc.property(fc.array(part), parts => {
        const html = bytesOf(parts.join(''));
        const {markup, data} = splitHtml(html, 5);
        const all = [...markup, ...data].sort((a, b) => a.first - b.first);
        let at = 0;
        for (const {first, end} of all) {
          expect(first).toBe(at);
          expect(end).toBeGreaterThan(first);
          at = end;
        }
        expect(at).toBe(html.length);
      }),
    );
  });
});

function split(html: string) {
  const {markup, data} = splitHtml(bytesOf(html), 9);
  const texts = (ranges: typeof markup) => ranges.map(({first, end}) => html.slice(first, end));
  return {markup: texts(markup), data: texts(data)};
}

function bytesOf(text: string): Uint8Array {
  return Uint8Array.from(text, character => character.charCodeAt(0));
}
