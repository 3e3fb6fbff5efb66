import {expect, test} from 'vitest';
import {pictureFiles} from './page.ts';

test('pictures are counted by their media types, without missing ones', () => {
  const object = (contentType: string, body: Uint8Array | null) => ({url: '/', contentType, body});
  const byte = new Uint8Array(1);
  const files = [object('text/html', byte), object('image/png', byte), object('image/svg+xml', byte)];
  const page = {name: 'p', headerBytes: 0, requestBytes: 0};
  expect(pictureFiles({...page, objects: [...files, object('image/jpeg', null)]})).toBe(2);
  expect(pictureFiles({...page, objects: files.slice(0, 1)})).toBe(0);
});
