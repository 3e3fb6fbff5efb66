import {expect, test} from 'vitest';
import {codedOf, textOf} from './primitives.ts';

test('a code is read as it is now, whatever its memory had before', () => {
  const memory = new Uint8Array(12);
  for (const text of COLLIDING) {
    memory.set(codedOf(text));
    expect(textOf(memory)).toBe(text);
  }
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

/** Texts of one length with the same FNV-1a hash, found by trying. */
const COLLIDING = ['/eo2cvj.xgp.jpg', '/17m1k84.t8c.jpg'];
