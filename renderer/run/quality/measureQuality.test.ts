import {expect, test, vi} from 'vitest';
import {bytesOf} from '../../../app/base/bytes.ts';
import type {Page} from '../../../app/page/page.ts';
import {measureQuality} from './measureQuality.ts';
import {ReferenceScreen} from './referenceScreen.ts';

test('the text that scripts inserted counts when the HTML before it has arrived', async () => {
  // on this screen, each byte of the shown HTML has an area of 1 px²
  const screen = {blockingSheets: () => [], pictures: () => [], textArea: (bytes: number) => bytes, close: () => {}};
  vi.spyOn(ReferenceScreen, 'open').mockResolvedValue(screen as unknown as ReferenceScreen);
  const inserted = {at: 10, html: 'i'.repeat(60), cause: {by: 'script', object: 0}} as const;
  const page: Page = {
    name: 'page',
    objects: [{url: '/', contentType: 'text/html', body: bytesOf('h'.repeat(40))}],
    headerBytes: 0,
    requestBytes: 0,
    recording: {
      browser: 'Chrome/1',
      viewport: {width: 1024, height: 768},
      requests: [],
      insertions: [inserted],
      boxes: [],
      all: {requests: 1, bytes: 40},
    },
  };
  const [text] = (await measureQuality(page)).objects;
  expect(text).toMatchObject({area: 100, scanEnds: [40]});
  const curve = new Map(text?.curve);
  expect([8, 10, 20, 40].map(bytes => curve.get(bytes))).toEqual([0.08, 0.7, 0.8, 1]);
});
