import {expect, test} from 'vitest';
import type {SeedRow} from '../../../app/host/contract.ts';
import {normalised} from '../../../app/study/figures/testing/normalised.ts';
import {PALETTES} from '../../run/timeline/palette.ts';
import {layOutChart} from './chart.ts';
import {chartsSvg} from './drawCharts.ts';
import {measuresOf} from './measures.ts';
import {someRows} from './testing/someRows.ts';

// `npx vitest run renderer/features/seeds/drawCharts -u` writes the golden again.

const rows = someRows([2000, 1000], [1500, 3000], [null, 2000], [1000, 2500], [1800, 2200], [2600, 1200]);
const measures = measuresOf([], 0, 'first-request');
const model = {
  rows,
  names: ['TCP', 'SCTP'],
  measures,
  shown: rows[1] as SeedRow,
  theme: 'light' as const,
  caption: 'seeds 1 to 6',
  width: 640,
  height: 300,
  fontPx: 13,
};

test('the picture of many seeds equals its golden', async () => {
  await expect(normalised(chartsSvg(model))).toMatchFileSnapshot('goldens/charts.svg');
});

test('the picture has a dot for each run, and marks the run on screen', () => {
  const circles = [...chartsSvg(model).matchAll(/<circle cx="([\d.]+)" cy="([\d.]+)"/g)];
  const places = circles.map(([, x, y]) => ({x: Number(x), y: Number(y)}));
  // each pane's row of the chart also has the mark of the run on screen
  expect(places).toHaveLength(2 * (rows.length + 1));
  const [measure] = measures;
  if (measure === undefined) throw new Error('measuresOf returned no measure, but T must always be one');
  const margin = 0.8 * 13;
  const size = {width: 640 - 2 * margin, height: 300 - 2 * margin - 1.8 * 13, fontPx: 13};
  for (const row of layOutChart(rows, model.shown, measure, size).rows)
    for (const {x, y} of [...row.dots, ...row.never])
      expect(places).toContainEqual({x: expect.closeTo(x + margin, 1), y: expect.closeTo(y + margin, 1)});
});

test('the picture has its caption and the value of the run on screen, in the colours of its theme', () => {
  const svg = chartsSvg({...model, theme: 'dark'});
  expect(svg).toContain('>seeds 1 to 6</text>');
  expect(svg).toContain('>seed 2: 1.5 s</text>');
  expect(svg).toContain(`fill="${PALETTES.dark.background}"`);
  expect(svg).not.toContain(PALETTES.light.text);
});
