import {expect, test} from 'vitest';
import {codedOf, textOf} from './codedText.ts';

test('a code that was read is read again, from other memory', () => {
  const memory = codedOf('image/jpeg').slice();
  expect(textOf(memory)).toBe('image/jpeg');
  memory.set(codedOf('text/html'));
  expect(textOf(memory.subarray(0, codedOf('text/html').length))).toBe('text/html');
  expect(textOf(codedOf('image/jpeg'))).toBe('image/jpeg');
});

test('codes of one hash are told apart', () => {
  for (const text of [...COLLIDING, ...COLLIDING]) expect(textOf(codedOf(text))).toBe(text);
});

test('a broken code stays one', () => {
  const broken = Uint8Array.of(0x18); // 'a', then zeros
  for (let i = 0; i < 2; i++) expect(textOf(broken)).toBeUndefined();
});

test('more texts than are kept, and longer ones, are read still', () => {
  const texts = Array.from({length: 2500}, (_, i) => `/${i}.jpg`);
  for (const text of [...texts, 'x'.repeat(3000), ...texts]) expect(textOf(codedOf(text))).toBe(text);
});

/** By FNV-1a; found by trying. */
const COLLIDING = ['/wp8vu2.1cdi.jpg', '/1m3wbq2.16ba.jpg'];
