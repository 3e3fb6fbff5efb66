import fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import {escapeMarkup, showName, showValue, unbroken} from './text.ts';

describe('untrusted text in a message', () => {
  test('contains no control characters and no direction marks', () => {
    expect(showName('a\u001b[31m\nb\u009bc\u202ed\u2028e\ud800f')).toBe(
      'a\\u{1b}[31m\\u{a}b\\u{9b}c\\u{202e}d\\u{2028}e\\u{d800}f',
    );
    fc.assert(
      fc.property(fc.string({unit: 'binary', maxLength: 100}), text => {
        expect(showName(text)).not.toMatch(/[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/u);
        expect(showName(text).length).toBeLessThan(60 * 9);
      }),
    );
  });

  test('stays unchanged if it is harmless, and is cut if it is long', () => {
    expect(showName('Größe ≥ 1 😀')).toBe('Größe ≥ 1 😀');
    expect(showName('x'.repeat(5_000_000))).toBe(`${'x'.repeat(60)}…`);
    expect(showName('😀😀', 3)).toBe('😀…');
  });
});

describe('a value in a message', () => {
  test('is its JSON', () => {
    for (const value of [null, true, 1.5, 'a"b', [1, [2]], {a: [], b: {c: 'd'}}]) {
      expect(showValue(value)).toBe(JSON.stringify(value));
    }
    expect([undefined, Number.NaN, Number.POSITIVE_INFINITY].map(showValue)).toEqual(['undefined', 'NaN', 'Infinity']);
  });

  test('is cut if it is deep or long', () => {
    expect(showValue(JSON.parse(`${'['.repeat(200_000)}${']'.repeat(200_000)}`))).toBe(`${'['.repeat(60)}…`);
    expect(showValue(JSON.parse(`${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`))).toMatch(/^(\{"a":)+.*…$/);
    expect(showValue(Array.from({length: 1e6}, (_, i) => i))).toMatch(/^\[0,1,2,.*…$/);
    expect(showValue('x'.repeat(1e6))).toBe(`"${'x'.repeat(59)}…`);
  });
});

test('escaped text shows unchanged in an element or a quoted attribute', () => {
  expect(escapeMarkup('<a href="?b&c">d</a>')).toBe('&lt;a href=&quot;?b&amp;c&quot;&gt;d&lt;/a&gt;');
});

test('a line does not break between a number and its unit, nor around ×', () => {
  const text = unbroken('HTTP/1.1 over TCP × 6 is 2.5 s ahead in 3 sets');
  expect(text).toBe('HTTP/1.1 over TCP\u00a0×\u00a06 is 2.5\u00a0s ahead in 3 sets');
});
