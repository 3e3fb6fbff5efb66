import {readFileSync} from 'node:fs';
import {describe, expect, test} from 'vitest';
import {backgrounds, contrast, difference, EYES, seenColour} from '../../app/study/figures/testing/colourVision.ts';
import {objectColour, type Theme} from './objectColours.ts';

const CSS = readFileSync(new URL('theme.css', import.meta.url), 'utf8');
const COLOURS = 12;
const THEMES: readonly Theme[] = ['light', 'dark'];

// Ten times the just noticeable difference (ΔE00 ≈ 1), because lines are thin, and compared lines are not adjacent.
const MIN_DIFFERENCE = 10;
// Objects with more distant numbers must still differ where they meet.
const MIN_DISTANT_DIFFERENCE = 5;

describe.each(THEMES)('the colours of objects, %s', theme => {
  const colours = Array.from({length: COLOURS}, (_, i) => objectColour(i, theme));

  test.each(Object.keys(EYES))('differ for %s eyes', eyes => {
    const seen = colours.map(colour => seenColour(eyes, colour));
    for (const [i, one] of seen.entries()) {
      for (const [j, other] of seen.entries()) {
        if (j <= i) continue;
        // the first eight objects, objects whose numbers differ by one or two, and the ends, because colours repeat
        const isNear = j < 8 || j - i <= 2 || j - i === COLOURS - 1;
        const least = isNear ? MIN_DIFFERENCE : MIN_DISTANT_DIFFERENCE;
        expect(difference(one, other), `${colours[i]} and ${colours[j]}`).toBeGreaterThanOrEqual(least);
      }
    }
  });

  test('have enough contrast with their background (WCAG 1.4.11: 3 to 1)', () => {
    for (const background of backgrounds(CSS, theme)) {
      for (const colour of colours)
        expect(contrast(colour, background), `${colour} on ${background}`).toBeGreaterThanOrEqual(3);
    }
  });
});

test('the 13th object has the colour of the first', () => {
  expect(objectColour(COLOURS, 'light')).toBe(objectColour(0, 'light'));
  expect(new Set(Array.from({length: COLOURS}, (_, i) => objectColour(i, 'dark'))).size).toBe(COLOURS);
});

test('the difference is CIEDE2000 (pairs 1, 7 and 17 of Sharma, Wu & Dalal 2005)', () => {
  expect(difference([50, 2.6772, -79.7751], [50, 0, -82.7485])).toBeCloseTo(2.0425, 4);
  expect(difference([50, 0, 0], [50, -1, 2])).toBeCloseTo(2.3669, 4);
  expect(difference([50, 2.5, 0], [73, 25, -18])).toBeCloseTo(27.1492, 4);
});
