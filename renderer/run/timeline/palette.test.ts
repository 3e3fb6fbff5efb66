import {expect, test} from 'vitest';
import type {Theme} from '../../kit/objectColours.ts';
import {paneColour} from './palette.ts';
import {GOLDEN_MODELS} from './testing/goldenModels.ts';

test('the light hue of a pane is closer to the dark hue of this pane than to that of any other pane', () => {
  const panes = [1, 2, 3, 4, 5];
  const dark = panes.map(pane => hueOf(colourOf('dark', pane)));
  const light = panes.map(pane => hueOf(colourOf('light', pane)));
  for (const [i, hue] of light.entries()) {
    const distances = dark.map(each => Math.min(Math.abs(each - hue), 360 - Math.abs(each - hue)));
    expect(distances.indexOf(Math.min(...distances))).toBe(i);
  }
});

function colourOf(theme: Theme, pane: number): string {
  const [first] = GOLDEN_MODELS;
  if (first === undefined) throw new Error('there is no such golden');
  return paneColour({...first.model, theme}, 6, pane);
}

/** The hue of `#rrggbb`, degrees. */
function hueOf(colour: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map(at => Number.parseInt(colour.slice(at, at + 2), 16));
  const angle = Math.atan2(Math.sqrt(3) * (green - blue), 2 * red - green - blue);
  return ((angle * 180) / Math.PI + 360) % 360;
}
