import {expect, test} from 'vitest';
import type {ConvertedPicture} from '../../page/conversion.ts';
import type {ConvertedPage} from '../../page/page.ts';
import {parseScenario} from '../../run/scenario/scenario.ts';
import {conversionNotes} from './conversions.ts';

const object = (contentType: string, bytes: number) => ({url: '/', contentType, body: new Uint8Array(bytes)});
const made = (bytes: number, tookMs: number): ConvertedPicture => ({
  ...object('image/jpeg', bytes),
  tookMs,
});

const page: ConvertedPage = {
  name: 'p',
  headerBytes: 0,
  requestBytes: 0,
  objects: [object('text/html', 3000), object('image/jpeg', 2000), object('image/png', 900)],
  converted: [
    {conversion: 'progressive', objects: [null, made(1500, 10.4), null]},
    {conversion: 'webp', objects: [null, made(1200, 4), made(600, 5)]},
    {conversion: 'avif', objects: [null, null, null]},
  ],
};

const notes = (...conversions: readonly string[]) => {
  const parsed = parseScenario({panes: conversions.map(conversion => ({pipeline: 'tcp', conversion}))});
  if (!parsed.ok) throw new Error(parsed.problems[0]?.message);
  const {panes} = parsed.scenario;
  return conversionNotes(
    page,
    panes,
    panes.map((_, i) => `pane ${i + 1}`),
  );
};

test('a note gives the sizes and the duration of a conversion, once for all panes that have it', () => {
  expect(notes('progressive', 'none', 'progressive')).toEqual([
    'pictures progressive (pane 1 and pane 3): 1 of 2 converted, 2.0 → 1.5 KB, in 10 ms (not part of any page time)',
  ]);
});

test('a note says how Chromium paints the format, and gives no sizes if no picture was converted', () => {
  expect(notes('avif', 'webp')).toEqual([
    'pictures WebP (pane 2): 2 converted, 2.9 → 1.8 KB, in 9 ms (not part of any page time); painted from the top as they arrive',
    'pictures AVIF (pane 1): 0 of 2 converted; painted when they are complete',
  ]);
});

test('there are no notes if no pane has a conversion', () => {
  expect(notes('none', 'none')).toEqual([]);
});
