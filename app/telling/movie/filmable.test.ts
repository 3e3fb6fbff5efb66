import {expect, test} from 'vitest';
import {bytesOf} from '../../base/bytes.ts';
import {assemblePage} from '../../page/assemble.ts';
import {isFilmable} from './filmable.ts';

const isFilmableWith = (html: string, files: {readonly [url: string]: string} = {}): boolean =>
  isFilmable(assemblePage('p', bytesOf(html), url => (files[url] === undefined ? undefined : bytesOf(files[url]))));

const FILTERS = ['img{filter:blur(3px)}', 'img{mix-blend-mode:screen}', 'img{mask:none}', 'img{f\\69lter:none}'];

test('a page without iframes and filters can be filmed, whatever the bytes of its pictures are', () => {
  expect(
    isFilmableWith('<img src=1.png><link rel=stylesheet href=plain.css>', {
      '/1.png': 'a filter \\ of bytes',
      '/plain.css': 'img { color: red }',
    }),
  ).toBe(true);
});

test.each(FILTERS)('a page with %s in its HTML cannot be filmed', css => {
  expect(isFilmableWith(`<style>${css}</style>`)).toBe(false);
});

test.each(FILTERS)('a page with %s in a linked or imported style sheet cannot be filmed', css => {
  expect(isFilmableWith('<link rel=stylesheet href=a.css>', {'/a.css': css})).toBe(false);
  expect(isFilmableWith('<link rel=stylesheet href=sheet.php>', {'/sheet.php': css})).toBe(false);
  const imported = {'/a.css': '@import "b.css";', '/b.css': css};
  expect(isFilmableWith('<link rel=stylesheet href=a.css>', imported)).toBe(false);
  expect(isFilmableWith('<style>@import url(b.css)</style>', {'/b.css': css})).toBe(false);
  // the page names this address first as a picture, but it must still be read as a style sheet
  expect(isFilmableWith('<img src=b.css><link rel=stylesheet href=b.css>', {'/b.css': css})).toBe(false);
});
