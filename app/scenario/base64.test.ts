import {expect, test} from 'vitest';
import {base64} from './base64.ts';

// HTML, in every host; app/ is compiled without any host's types.
declare const atob: (base64: string) => string;

test('bytes are what their base64 says, however many they are', () => {
  expect([[], [255], [0, 255], [1, 2, 3]].map(bytes => base64(Uint8Array.from(bytes)))).toEqual([
    '',
    '/w==',
    'AP8=',
    'AQID',
  ]);
  const many = Uint8Array.from({length: 50_000}, (_, i) => (i * 7) % 256);
  expect(Uint8Array.from(atob(base64(many)), char => char.charCodeAt(0))).toEqual(many);
});
