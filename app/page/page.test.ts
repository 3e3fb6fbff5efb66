import {expect, test} from 'vitest';
import {pageAs, pictureFiles} from './page.ts';

test('pictures are counted by their media types, without missing ones', () => {
  const object = (contentType: string, body: Uint8Array | null) => ({url: '/', contentType, body});
  const byte = new Uint8Array(1);
  const files = [object('text/html', byte), object('image/png', byte), object('image/svg+xml', byte)];
  const page = {name: 'p', headerBytes: 0, requestBytes: 0};
  expect(pictureFiles({...page, objects: [...files, object('image/jpeg', null)]})).toBe(2);
  expect(pictureFiles({...page, objects: files.slice(0, 1)})).toBe(0);
});

test('a page with converted pictures keeps its layout', () => {
  const layout = {'/a.jpg': [1, 2, 3, 4]} as const;
  const page = {name: 'p', headerBytes: 0, requestBytes: 0, objects: [], layout};
  const converted = [{conversion: 'webp', objects: []}] as const;
  expect(pageAs({...page, converted}, 'webp').layout).toBe(layout);
});
