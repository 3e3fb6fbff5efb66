import {describe, expect, test} from 'vitest';
import {otherAddresses, styleReferences} from './styleReferences.ts';

const found = (css: string) => styleReferences(css).map(({kind, reference}) => `${kind} ${reference}`);

describe('styleReferences', () => {
  test('finds addresses in every form, with their ranges', () => {
    const css = `a{background:url(a.png)}b{background:url( "b b.png" ) , URL('c\\).png')}`;
    expect(found(css)).toEqual(['image a.png', 'image b b.png', 'image c).png']);
    expect(styleReferences(css).map(({start, end}) => css.slice(start, end))).toEqual([
      'url(a.png)',
      'url( "b b.png" )',
      "URL('c\\).png')",
    ]);
  });

  test('finds imports at the beginning of the sheet, except imports for print', () => {
    const imports = '@charset "utf-8"; @import "a.css"; @layer x; @import url(b.css) screen and (width > 1px);';
    expect(found(`${imports} @import url("p.css") print; @import 'o.css' only print, screen;`)).toEqual([
      'import a.css',
      'import b.css',
      'import o.css',
    ]);
    expect(found('a{} @import "late.css"; @font-face{} @import "later.css"')).toEqual([]);
  });

  test('finds the first source of a font face in a format that browsers accept', () => {
    const sources = `local("x"), url(a.eot) format("embedded-opentype"), url(a.woff2) format(woff2), url(a.ttf)`;
    expect(found(`@font-face{src:url(old.eot);src:${sources};font-family:"y"}`)).toEqual(['font a.woff2']);
    expect(found('@font-face{font-family:x;src:url(a.svg#x) format("svg")}')).toEqual([]);
    expect(found('@font-face{src:url(a)} b{background:url(b)}')).toEqual(['font a', 'image b']);
  });

  test('excludes addresses in print rules, references within the page, and addresses in text', () => {
    expect(found('@media print{a{background:url(a)}b{background:url(b)}} c{background:url(c)}')).toEqual(['image c']);
    expect(found('@media screen, print{a{background:url(a)}}')).toEqual(['image a']);
    expect(found('a{fill:url(#g);content:"url(b)"} @namespace url(http://a/); /* url(c) */')).toEqual([]);
    expect(found('a{background:url()}')).toEqual([]);
  });

  test('finds the first picture of an image-set()', () => {
    expect(found('a{background:image-set("a.avif" type("image/avif"), url(b.png) 2x), url(c.png)}')).toEqual([
      'image a.avif',
      'image c.png',
    ]);
  });

  test('returns the declaration of each picture; all pictures of a declaration share one object', () => {
    const declared = (css: string) => styleReferences(css).map(({declaration}) => declaration);
    const [first, second, ...rest] = declared('a:b{Background:url(a), url(b) ! IMPORTANT ;--X:url(c)}d{e:url(f)');
    expect(first).toEqual({property: 'background', value: 'url(a), url(b)'});
    expect(second).toBe(first);
    expect(rest).toEqual([
      {property: '--X', value: 'url(c)'},
      {property: 'e', value: 'url(f)'},
    ]);
    expect(declared('background:image-set("a" 1x, "b" 2x)')).toEqual([
      {property: 'background', value: 'image-set("a" 1x, "b" 2x)'},
    ]);
    expect(declared('@import "a";@supports (b:url(c)){}')).toEqual([undefined, undefined]);
  });

  test('and otherAddresses together return the ranges of all files that are named but not loaded', () => {
    const rest = (css: string) => {
      const loaded = styleReferences(css);
      return [
        ...loaded.flatMap(({others}) => (others === undefined ? [] : [css.slice(others.start, others.end)])),
        ...otherAddresses(css, loaded).map(({start, end}) => css.slice(start, end)),
      ];
    };
    expect(rest('@import "a.css";@import "p.css" print;b{}@import url(late.css);')).toEqual([
      '"p.css"',
      'url(late.css)',
    ]);
    const sources = `url(a.eot) format("eot"), url("a.woff2") format("woff2"), url(a.ttf), local("x")`;
    expect(rest(`@font-face{src:url(old);src:${sources}}`)).toEqual(['url(old)', 'url(a.eot)', 'url(a.ttf)']);
    expect(rest('@media print{a{b:url(c) url(data:,x)}}d{e:url(f);g:url(#h) url(data:,) "i" url()}')).toEqual([
      'url(c)',
    ]);
    expect(rest('@namespace url(http://a/);@namespace s "http://b/";@namespace t url(c);')).toEqual([]);
    expect(rest('a{b:image-set("c" 1x, url(d) 2x, "e"),url(f) , image-set(g(url(h)), "i"')).toEqual([
      ', url(d) 2x, "e"',
      ', "i"',
    ]);
    expect(rest('a{b:image-set("c" g(1, 2) 1x, h("d", "e"))}')).toEqual([', h("d", "e")']);
    expect(rest(`a{${'b:url(c);'.repeat(50_000)}}@media print{${'b:url(c);'.repeat(40_000)}}`)).toHaveLength(40_000);
  });

  test('ignores the marks <!-- and -->, and the case of letters', () => {
    expect(found('<!--\n@import "a.css";\nb{background:url(b)}-->')).toEqual(['import a.css', 'image b']);
    expect(found('@font-face{src:url(a) FORMAT("EOT"),url(b) Format("WOFF2")}')).toEqual(['font b']);
  });

  test('reads hostile sheets in linear time, and ignores sheets that are too large', () => {
    expect(found(`@font-face{src:${'url(a) format("x"),'.repeat(50_000)}url(b)}`)).toEqual(['font b']);
    expect(found(';'.repeat(900_000))).toEqual([]);
    expect(found(`a{background:url(a)}${' '.repeat(1_000_000)}`)).toEqual([]);
  });

  test('reads truncated sheets', () => {
    for (const css of ['url(', '@import', '@font-face{src:url(a', 'a{background:image-set(', '@media print{', '}']) {
      expect(() => styleReferences(css), css).not.toThrow();
    }
    expect(found('a{background:url(a.png')).toEqual(['image a.png']);
    expect(found(`${'{'.repeat(50_000)}url(a)`)).toEqual(['image a']);
  });
});
