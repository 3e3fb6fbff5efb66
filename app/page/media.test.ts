import {expect, test} from 'vitest';
import {matchesMedia} from './media.ts';

test.each([
  ['', true],
  ['all', true],
  ['screen', true],
  ['print', false],
  ['print, screen', true],
  ['not print', true],
  ['not all and (min-width: 2000px)', true],
  ['only screen and (max-width: 600px)', false],
  ['(min-width: 64em)', true],
  ['(min-width: 65em)', false],
  ['(400px <= width < 1024px)', false],
  ['(width >= 1024px)', true],
  ['(orientation: portrait)', false],
  ['(prefers-color-scheme: dark)', false],
  ['(prefers-reduced-motion: no-preference)', true],
  ['(-webkit-min-device-pixel-ratio: 2)', false],
  ['(min-resolution: 192dpi)', false],
  ['(some-feature-of-later: yes)', true],
])('a screen of 1024 × 768 px matches %j: %s', (list, matches) => {
  expect(matchesMedia(list)).toBe(matches);
});

test('a hostile list is read in linear time', () => {
  expect(matchesMedia(`${'('.repeat(100_000)}width`)).toBe(true);
  expect(matchesMedia(' and '.repeat(100_000))).toBe(false);
});
