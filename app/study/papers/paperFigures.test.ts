import {expect, test} from 'vitest';
import type {Figure, LinePoint} from '../figures/figure.ts';
import {besidePaper, numbered, onePanel} from './paperFigures.ts';

const point = (series: number, x: number, y: number): LinePoint => {
  return {panel: 0, series, n: 50, runs: 50, cell: x, x, y, interval: [y - 1, y + 1]};
};
const FIGURE: Figure = {
  name: 'page-time-t',
  title: 'T',
  panels: [''],
  caption: ['Means.'],
  x: {label: 'loss', unit: '%'},
  y: {label: 'T', unit: 's'},
  series: ['TCP', 'SCTP', 'control'].map((name, colour) => ({name, colour, isPaper: false})),
  marks: {kind: 'lines', points: [point(0, 1, 10), point(1, 1, 20), point(2, 1, 30)]},
};

test('a paper’s lines have the colour of our series, and series that are not shown are removed', () => {
  const {series, marks} = besidePaper(FIGURE, [0, 2], [{name: 'theirs', beside: 2, points: [[1, 31]]}]);
  expect(series).toEqual([
    {name: 'TCP', colour: 0, isPaper: false},
    {name: 'control', colour: 1, isPaper: false},
    {name: 'theirs', colour: 1, isPaper: true},
  ]);
  expect(marks).toMatchObject({
    points: [
      {series: 0, y: 10, interval: [9, 11]},
      {series: 1, y: 30, interval: [29, 31]},
      {series: 2, x: 1, y: 31, n: null, interval: null},
    ],
  });
});

test('only a figure with lines can show a paper’s lines', () => {
  expect(() => besidePaper({...FIGURE, marks: {kind: 'dots', points: []}}, [0], [])).toThrow(/has dots, and no/);
});

test('a single panel keeps only its own points', () => {
  const [first, second] = [point(0, 1, 10), {...point(0, 1, 90), panel: 1}];
  const two: Figure = {...FIGURE, panels: ['slow', 'fast'], marks: {kind: 'lines', points: [first, second]}};
  const {title, panels, marks} = onePanel(two, 'fast');
  expect([title, panels]).toEqual(['T, fast', ['']]);
  expect(marks).toEqual({kind: 'lines', points: [{...second, panel: 0}]});
});

test('a figure has the paper’s number in its name and title', () => {
  expect(numbered(FIGURE, 'n07', '10a')).toMatchObject({name: 'n07-figure-10a', title: 'N07 figure 10a: T'});
});
