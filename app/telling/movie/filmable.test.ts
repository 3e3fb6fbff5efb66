import {expect, test} from 'vitest';
import {bytesOf} from '../../base/bytes.ts';
import {assemblePage} from '../../page/assemble.ts';
import {isFilmable} from './filmable.ts';

const isFilmableWith = (html: string, files: {readonly [url: string]: string} = {}): boolean =>
  isFilmable(assemblePage('p', bytesOf(html), url => (files[url] === undefined ? undefined : bytesOf(files[url]))));

const FILTERS = ['img{filter:blur(3px)}', 'img{mix-blend-mode:screen}', 'img{mask:none}', 'img{f\\69lter:none}'];

test('a plain page is filmed, whatever is in its pictures', () => {
  expect(
    isFilmableWith('<img src=1.png><link rel=stylesheet href=plain.css>', {
      '/1.png': 'a filter \\ of bytes',
      '/plain.css': 'img { color: red }',
    }),
  ).toBe(true);
});

test.each(FILTERS)('a page is not filmed with %s in its HTML', css => {
  expect(isFilmableWith(`<style>${css}</style>`)).toBe(false);
});

test.each(FILTERS)('a page is not filmed with %s in a sheet, wherever it is linked or imported', css => {
  expect(isFilmableWith('<link rel=stylesheet href=a.css>', {'/a.css': css})).toBe(false);
  expect(isFilmableWith('<link rel=stylesheet href=sheet.php>', {'/sheet.php': css})).toBe(false);
  const imported = {'/a.css': '@import "b.css";', '/b.css': css};
  expect(isFilmableWith('<link rel=stylesheet href=a.css>', imported)).toBe(false);
  expect(isFilmableWith('<style>@import url(b.css)</style>', {'/b.css': css})).toBe(false);
  // an address that is a picture first keeps that name in the walk, and is a sheet still
  expect(isFilmableWith('<img src=b.css><link rel=stylesheet href=b.css>', {'/b.css': css})).toBe(false);
});
