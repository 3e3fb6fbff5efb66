import {readdirSync} from 'node:fs';
import {JSDOM} from 'jsdom';
import {expect, test} from 'vitest';
import {drawFigure} from './draw.ts';
import type {Figure} from './figure.ts';
import {gridFigures} from './gridFigures.ts';
import {FIGURE_STYLES} from './style.ts';
import {CAUSES_GRID, LOSS_GRID, PROFILE_GRID, RATE_GRID, summaryOf} from './testing/grids.ts';
import {normalised} from './testing/normalised.ts';

// `goldens/` has pictures of every kind of figure. They can be viewed in a browser, and compared in a diff.
// `npx vitest run app/study/figures/goldens -u` draws them again.

const NONE = {n: null, runs: null, interval: null};
const paper: Figure = {
  name: 'paper',
  title: 'A paper’s numbers beside ours',
  panels: [''],
  caption: ['By hand.'],
  x: {label: 'loss each way', unit: '%'},
  y: {label: 'page time T', unit: 's'},
  series: [
    {name: 'TCP', colour: 0, isPaper: false},
    {name: 'TCP, the paper', colour: 0, isPaper: true},
  ],
  marks: {
    kind: 'lines',
    points: [1, 2, 5].flatMap(x =>
      [0, 1].map(series => ({
        panel: 0,
        series,
        x,
        y: x * (series + 3),
        cell: null,
        ...(series === 0 ? {n: 20, runs: 20, interval: [x * 2.5, x * 3.5] as const} : NONE),
      })),
    ),
  },
};
/** If an interval reaches below 0, a logarithmic axis shows its upper half. */
const decades: Figure = {
  ...paper,
  name: 'decades',
  y: {...paper.y, isLogarithmic: true},
  marks: {
    kind: 'lines',
    points: [1, 2, 5].map(x => ({
      panel: 0,
      series: 0,
      x,
      y: 4 ** x,
      cell: null,
      n: 20,
      runs: 20,
      interval: [x === 5 ? -1 : 4 ** x - 2, 4 ** x + 50] as const,
    })),
  },
};

const figures: readonly (readonly [style: keyof typeof FIGURE_STYLES, figure: Figure])[] = [
  ...gridFigures(summaryOf(LOSS_GRID)).map(figure => ['print', figure] as const),
  ...gridFigures(summaryOf(PROFILE_GRID)).map(figure => ['print', {...figure, name: `${figure.name}-words`}] as const),
  ...gridFigures(summaryOf(CAUSES_GRID))
    .filter(({name}) => name === 'causes')
    .map(figure => ['print', figure] as const),
  ...gridFigures(summaryOf(RATE_GRID)).map(figure => ['screen', figure] as const),
  ['print', paper],
  ['print', decades],
];
const names = figures.map(([, {name}]) => name);

/** The names of the goldens before the tests write any. The last test therefore fails once after a figure is added. */
const found = readdirSync(`${import.meta.dirname}/goldens`).filter(name => name.endsWith('.svg'));

test.each(figures)('in style %s a figure is drawn like its golden: $name', async (style, figure) => {
  const {document} = new JSDOM('').window;
  const svg = drawFigure(figure, {document, style: FIGURE_STYLES[style]}).outerHTML;
  await expect(normalised(svg)).toMatchFileSnapshot(`goldens/${figure.name}.svg`);
});

test('every golden belongs to a figure that is drawn, and names are unique', () => {
  expect(found.sort()).toEqual(names.map(name => `${name}.svg`).sort());
  expect(new Set(names).size).toBe(names.length);
});
