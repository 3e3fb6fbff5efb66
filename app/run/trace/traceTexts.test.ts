import {expect, test} from 'vitest';
import {durationText, isPicture, isScript} from './traceTexts.ts';

test('a picture and a script are recognised by the extension, also before a query or a fragment', () => {
  for (const end of ['', '?v=1', '#top', '?v=1#top']) {
    expect([isPicture(`/a.jpg${end}`), isScript(`/a.jpg${end}`)]).toEqual([true, false]);
    expect([isPicture(`/a.mjs${end}`), isScript(`/a.mjs${end}`)]).toEqual([false, true]);
  }
  expect([isPicture('/A.WebP?v=1'), isPicture('/a.jpgx'), isPicture('/jpg')]).toEqual([true, false, false]);
});

test.each([
  [0, '0 ms'],
  [1, '1 ms'],
  [0.4e6, '1 ms'],
  [1.6e6, '2 ms'],
  [999.4e6, '999 ms'],
  [999.5e6, '1.00 s'],
  [999_999_999, '1.00 s'],
  [1e9, '1.00 s'],
  [1.234e9, '1.23 s'],
])('%d ns is the duration %s', (ns, text) => {
  expect(durationText(ns)).toBe(text);
});
