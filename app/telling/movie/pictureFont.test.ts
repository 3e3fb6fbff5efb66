import {expect, test} from 'vitest';
import {pictureFontPx} from './pictureFont.ts';

test.each([
  [1280, 720],
  [640, 2160],
  [3840, 360],
  [1080, 1080],
])('a picture of %d × %d is at least 68 em wide and 38 em high', (width, height) => {
  const fontPx = pictureFontPx({width, height});
  expect(width / fontPx).toBeGreaterThanOrEqual(68 - 1e-9);
  expect(height / fontPx).toBeGreaterThanOrEqual(38 - 1e-9);
  // the font is as large as these limits allow
  expect(Math.min(width / fontPx / 68, height / fontPx / 38)).toBeCloseTo(1);
});
