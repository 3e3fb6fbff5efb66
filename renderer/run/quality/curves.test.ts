import {readFileSync} from 'node:fs';
import {expect, test} from 'vitest';
import type {PageQuality} from '../../../app/run/quality/pageQuality.ts';
import {PALETTES} from '../timeline/palette.ts';
import {SvgDrawing} from '../timeline/svgDrawing.ts';
import {isBaseline} from './baselineTwin.ts';
import {meanAt, meanReachesPercent, sharedCurves} from './curves.ts';
import {type CurvesModel, drawCurves} from './drawCurves.ts';

const QUALITY: PageQuality = {
  screen: {width: 100, height: 100},
  objects: [
    {kind: 'text', area: 10, curve: [[50, 1]], scanEnds: [50]},
    {
      kind: 'picture',
      area: 10,
      scanEnds: [1000],
      curve: [
        [100, 0.6],
        [300, 0.8],
        [1000, 1],
      ],
    },
    {
      kind: 'picture',
      area: 10,
      scanEnds: [40],
      curve: [
        [20, 0.4],
        [40, 1],
      ],
    },
  ],
};
const curves = sharedCurves(QUALITY, [1, 2]);

test('a curve is a function of the share of a picture’s bytes', () => {
  const [first] = curves;
  expect([0, 0.0999, 0.1, 0.3, 0.999, 1].map(share => first?.at(share))).toEqual([0, 0, 0.6, 0.8, 0.8, 1]);
  expect(first?.rises).toEqual([0.1, 0.3, 1]);
});

test('the mean is over all pictures, and reaches a quality at the least possible share', () => {
  expect(meanAt(curves, 0.5)).toBeCloseTo((0.8 + 0.4) / 2);
  expect(meanReachesPercent(curves, 0.3)).toBe(10);
  expect(meanReachesPercent(curves, 0.55)).toBe(50);
  expect(meanReachesPercent(curves, 0.7)).toBe(100);
  expect(meanReachesPercent(curves, 1.1)).toBeNull();
  expect(meanReachesPercent([], 0.1)).toBeNull();
});

test('the drawing has both means, the thresholds at their heights, and an explanation of the baseline', () => {
  const drawnWith = (part: Partial<CurvesModel>) => {
    const svg = new SvgDrawing(MODEL, PALETTES.light.background);
    drawCurves(svg, {...MODEL, ...part});
    return svg.file();
  };
  const both = drawnWith({});
  const bold = (file: string) => file.match(/stroke-width="4"[^>]*/g) ?? [];
  // a sample beside each name, and the line itself
  expect(bold(both)).toHaveLength(4);
  expect(bold(both).filter(line => line.includes('dasharray'))).toHaveLength(2);
  expect(both).toContain('mean, baseline');
  expect(both).toContain('the same pixels encoded again');
  // the graph is 342 px high and begins at 31.2, so 0.8 is a fifth of 342 px below 31.2
  const {accent} = PALETTES.light;
  const heightOf = (quality: number) => 13 * 2.4 + (1 - quality) * (420 - 13 * 6);
  const lines = [...both.matchAll(/<path d="M\S+ (\S+)L\S+ (\S+)" [^>]*stroke="(#\w+)"/g)];
  const thresholds = lines.filter(([, , , colour]) => colour === accent).map(([, y]) => Number(y));
  expect(thresholds).toEqual([expect.closeTo(heightOf(0.6), 1), expect.closeTo(heightOf(0.8), 1)]);
  const alone = drawnWith({baseline: null});
  expect(bold(alone)).toHaveLength(2);
  expect(alone).not.toContain('mean, baseline');
  expect(alone).not.toContain('encoded again');
});

const MODEL: CurvesModel = {
  own: curves,
  baseline: curves,
  ownName: 'progressive',
  theme: 'light',
  hovered: new Set(),
  thresholds: {recognisable: 0.6, good: 0.8},
  width: 860,
  height: 420,
  fontPx: 13,
};

test.each([
  ['gallery-baseline/lake.jpg', true],
  ['gallery/lake.jpg', false],
  ['gallery/logo.png', false],
])('a JPEG’s frame says whether it is a baseline JPEG: %s', (file, is) => {
  const bytes = readFileSync(new URL(`../../../fixtures/pages/${file}`, import.meta.url));
  expect(isBaseline(bytes)).toBe(is);
  // cut off before the frame
  expect(isBaseline(bytes.subarray(0, 20))).toBe(false);
});
