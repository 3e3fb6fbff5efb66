import {expect, test} from 'vitest';
import type {Page, PageObject} from '../../page/page.ts';
import type {ObjectQuality, PageQuality} from '../quality/pageQuality.ts';
import {firstPictureMs, pictureNumbers} from './firstPicture.ts';

const object = (contentType: string, body: Uint8Array | null = new Uint8Array(1)): PageObject => {
  return {url: `/${contentType}`, contentType, body};
};
const pageOf = (...objects: readonly PageObject[]): Page => {
  return {name: 'page', objects: [object('text/html'), ...objects], headerBytes: 0, requestBytes: 0};
};
const picture = (area: number): ObjectQuality => ({kind: 'picture', area, curve: [], scanEnds: []});
const page = pageOf(object('text/css'), object('image/png'), object('image/jpeg'), object('image/png', null));

test('a page’s pictures are its picture files, except missing ones', () => {
  expect(pictureNumbers(page, null)).toEqual([2, 3]);
});

test('a logo does not count as a picture if the appearance of the objects is known', () => {
  const quality: PageQuality = {
    screen: {width: 1, height: 1},
    objects: [null, null, picture(40 * 40), picture(64 * 64), null],
  };
  expect(pictureNumbers(page, quality)).toEqual([3]);
  // On a page that has only logos, all picture files count.
  expect(pictureNumbers(page, {...quality, objects: [null, null, picture(9)]})).toEqual([2, 3]);
});

test('on a page without pictures, all objects except the HTML count as pictures', () => {
  expect(pictureNumbers(pageOf(object('x/y'), object('x/y')), null)).toEqual([1, 2]);
  expect(pictureNumbers(pageOf(), null)).toEqual([]);
});

test('the first picture is the one that is complete first, even if other objects are complete before', () => {
  const objects = [10, 20, 50, 40, null].map(completeMs => ({completeMs}));
  const metrics = {objects} as unknown as Parameters<typeof firstPictureMs>[0];
  expect(firstPictureMs(metrics, [2, 3, 4])).toBe(40);
  expect(firstPictureMs(metrics, [4])).toBeNull();
  expect(firstPictureMs(metrics, [])).toBeNull();
});
