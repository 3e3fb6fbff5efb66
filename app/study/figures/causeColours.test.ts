import {readFileSync} from 'node:fs';
import {describe, expect, test} from 'vitest';
import {CAUSE_GROUPS, CAUSE_KINDS, type CauseGroup} from '../../run/why/causeKinds.ts';
import {causeColour, causeGroupColour} from './causeColours.ts';
import {backgrounds, contrast, difference, EYES, seenColour} from './testing/colourVision.ts';

// Bars are areas, so they may be more alike than lines (objectColours.test.ts).
const MIN_DIFFERENCE = 8;
// Shades of one group may be more alike, because they are beside each other in bars, and beside their names in tables.
const MIN_SHADE_DIFFERENCE = 5;

const CSS = readFileSync(new URL('../../../renderer/kit/theme.css', import.meta.url), 'utf8');
const GROUPS = Object.keys(CAUSE_GROUPS) as readonly CauseGroup[];

describe.each(['light', 'dark'] as const)('the colours of causes, %s', theme => {
  test.each(Object.keys(EYES))('of different groups differ for %s eyes', eyes => {
    for (const [i, one] of GROUPS.entries()) {
      for (const other of GROUPS.slice(i + 1)) {
        const [a, b] = [one, other].map(group => seenColour(eyes, causeGroupColour(group, theme))) as [Seen, Seen];
        expect(difference(a, b), `${one} and ${other}`).toBeGreaterThanOrEqual(MIN_DIFFERENCE);
      }
    }
  });

  test.each(Object.keys(EYES))('of one group are shades that differ for %s eyes', eyes => {
    for (const [i, {name, group}] of CAUSE_KINDS.entries()) {
      const next = CAUSE_KINDS[i + 1];
      if (next?.group !== group) continue;
      const [a, b] = [name, next.name].map(each => seenColour(eyes, causeColour(each, theme))) as [Seen, Seen];
      expect(difference(a, b), `${name} and ${next.name}`).toBeGreaterThanOrEqual(MIN_SHADE_DIFFERENCE);
    }
  });

  test('of groups have enough contrast with their background (WCAG 1.4.11: 3 to 1)', () => {
    for (const background of backgrounds(CSS, theme)) {
      for (const group of GROUPS)
        expect(contrast(causeGroupColour(group, theme), background), group).toBeGreaterThanOrEqual(3);
    }
  });

  test('of a group and of its first cause are the same', () => {
    for (const group of GROUPS) {
      const first = CAUSE_KINDS.find(each => each.group === group);
      expect(first && causeColour(first.name, theme)).toBe(causeGroupColour(group, theme));
    }
  });
});

type Seen = ReturnType<typeof seenColour>;
