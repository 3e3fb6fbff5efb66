import {expect, test} from 'vitest';
import {codedOf, textOf} from './primitives.ts';

test('the cache does not depend on the memory of a code, which may be reused', () => {
  const memory = new Uint8Array(12);
  for (const text of COLLIDING) {
    memory.set(codedOf(text));
    expect(textOf(memory)).toBe(text);
  }
});

test('codes with the same hash are distinguished', () => {
  for (const text of [...COLLIDING, ...COLLIDING]) expect(textOf(codedOf(text))).toBe(text);
});

test('an invalid code stays invalid', () => {
  const broken = Uint8Array.of(0x18); // 'a', then zeros
  for (let i = 0; i < 2; i++) expect(textOf(broken)).toBeUndefined();
});

test('texts that exceed the number or length of cached texts are still decoded', () => {
  const texts = Array.from({length: 2500}, (_, i) => `/${i}.jpg`);
  for (const text of [...texts, 'x'.repeat(3000), ...texts]) expect(textOf(codedOf(text))).toBe(text);
});

/** Two texts whose codes have the same length and the same FNV-1a hash. They were found by search. */
const COLLIDING = ['/eo2cvj.xgp.jpg', '/17m1k84.t8c.jpg'];
