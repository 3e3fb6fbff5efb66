import {describe, expect, test} from 'vitest';
import {partsOf, readStyle, type StyleSource, styleText} from './styleText.ts';

const URLS = ['/', '/a.css', '/b.css', '/x.png', '/f.woff2'];
const objectOf = (url: string): number | undefined => {
  const object = URLS.indexOf(url);
  return object < 0 ? undefined : object;
};
const read = (css: string): StyleSource =>
  readStyle(css, '/', {objectOf, isTaken: (_, value) => !value.includes('-moz-')});

function shown(css: string, sheets: {readonly [object: number]: string} = {}, font?: string): string {
  const sheet = (object: number) => (sheets[object] === undefined ? undefined : read(sheets[object]));
  return styleText(read(css), {sheet, font: () => font});
}

describe('the text of a style sheet', () => {
  test('has custom properties for pictures of the page, and leaves other references unchanged', () => {
    expect(shown('a{background:url(x.png) red, url("//else.test/y.png")}')).toBe(
      'a{background:var(--interleave-picture-3, url("data:,")) red, url("//else.test/y.png")}',
    );
    expect(shown('a{b:c}')).toBe('a{b:c}');
  });

  test('has custom properties only in declarations that the browser accepts', () => {
    const dropped = 'a{background:url(x.png);background:-moz-linear-gradient(red,blue), url(x.png) !important}';
    expect(shown(dropped)).toBe(dropped.replace('url(x.png)', 'var(--interleave-picture-3, url("data:,"))'));
  });

  test('has no picture with too many pixels', () => {
    const gif = (size: string) => `data:image/gif;base64,${btoa(`GIF89a${size}${size}\0\0\0`)}`;
    expect(shown(`a{b:url(${gif(' N')}) url("${gif('\x01\0')}")}`)).toBe(`a{b:url("data:,") url("${gif('\x01\0')}")}`);
  });

  test('has only one picture of an image set: the picture that the page loads', () => {
    expect(shown('a{b:image-set(url(x.png) 1x, "y.png" 2x) c}')).toBe(
      'a{b:image-set(var(--interleave-picture-3, url("data:,")) 1x) c}',
    );
  });

  test('has a font when the font is complete', () => {
    expect(shown('@font-face{src:url(f.woff2)}')).toBe('@font-face{src:url("data:,")}');
    expect(shown('@font-face{src:url(f.woff2)}', {}, 'blob:1')).toBe('@font-face{src:url("blob:1")}');
  });

  test('has imported sheets in the place of their imports, for their media, once', () => {
    const css = '@IMPORT url(a.css) screen and (width > 1px);p{q:r}';
    expect(shown(css)).toBe('p{q:r}');
    const sheets = {1: '@import "b.css";a{}', 2: '@import "a.css";b{}'};
    expect(shown(css, sheets)).toBe('@media screen and (width > 1px) {b{}\na{}\n}p{q:r}');
    const all = Object.fromEntries(Array.from({length: 30}, (_, i) => [i + 1, '@import "a.css";@import "b.css";c{}']));
    expect(shown(css, all).match(/c\{\}/g)).toHaveLength(2);
    expect(shown('@import "a.css" layer(x);@import "b.css"', {1: 'a{}', 2: 'b{}'})).toBe('a{}\nb{}\n');
  });
});

test('an imported sheet stays separate, whatever is around it or in it', () => {
  const sheets = {1: 'a{b:c', 2: 'd{/*'};
  const dotted = '/* İİİİİİİİİİİİİİ */';
  expect(shown(`${dotted}@import /* old: @import "b.css" */ "a.css" /* x; y */;e{}`, sheets)).toBe(
    `${dotted}a{b:c}\ne{}`,
  );
  expect(shown('@import "b.css" layer(x) supports(y:z) screen;e{}', sheets)).toBe('@media screen {d{/**/}\n}e{}');
  expect(shown('@import "a.css" layer print;e{}', sheets)).toBe('@import "a.css" layer print;e{}');
});

test('the parts of a sheet include those of its imports, each once', () => {
  const sheets = new Map([
    [1, read('@import "b.css";a{background:url(x.png)}')],
    [2, read('@import "a.css";@font-face{src:url(f.woff2)}')],
  ]);
  const parts = partsOf(read('@import "a.css";'), object => sheets.get(object));
  expect(Array.from(parts.values(), ({kind, object}) => `${kind} ${object}`)).toEqual([
    'import 1',
    'import 2',
    'font 4',
    'image 3',
  ]);
});
