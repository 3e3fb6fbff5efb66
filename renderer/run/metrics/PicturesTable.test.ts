import {expect, test} from 'vitest';
import type {ConvertedPage} from '../../../app/page/page.ts';
import {pictureRows} from './PicturesTable.tsx';

const object = (url: string, contentType: string, bytes: number | null) => ({
  url,
  contentType,
  body: bytes === null ? null : new Uint8Array(bytes),
});
const made = (bytes: number) => ({contentType: 'image/webp', body: new Uint8Array(bytes), tookMs: 12.3});

test('the table lists each picture and each converted object, but no object that is missing', () => {
  const page: ConvertedPage = {
    name: 'p',
    headerBytes: 0,
    requestBytes: 0,
    objects: [
      object('/', 'text/html', 3000),
      object('/a.jpg', 'image/jpeg', 10_049),
      object('/b', 'application/octet-stream', 900),
      object('/c.png', 'image/png', null),
      object('/d.css', 'text/css', 20),
    ],
    converted: [
      {conversion: 'progressive', objects: [null, null, null, null, null]},
      {conversion: 'webp', objects: [null, made(5000), made(800), null, null]},
    ],
  };
  const stays = {conversion: 'progressive', size: 'unchanged', took: ''};
  expect(pictureRows(page)).toEqual([
    {
      object: 1,
      url: '/a.jpg',
      served: '10.0',
      made: [stays, {conversion: 'webp', size: '5.0', took: '12 ms'}],
    },
    {object: 2, url: '/b', served: '0.9', made: [stays, {conversion: 'webp', size: '0.8', took: '12 ms'}]},
  ]);
});
