import {describe, expect, test} from 'vitest';
import {groupsOf, layOutAxes, pointText, tickText} from './layout.ts';
import {gridOf, LOSS_GRID} from './testing/grids.ts';

const [rtt, loss, bytes] = [
  {'path.rttMs': [100, 200, 300, 400]},
  {'path.loss': [0, 0.1]},
  {'page.synthetic.objectBytes': [3000, 15_000]},
];
const many = {'page.synthetic.objects': [1, 2, 3, 4, 5, 6, 7]};
const profile = {'panes.0.profile': ['reno', 'classic', 'modern']};
const path = {
  path: [
    {label: 'near', 'path.rttMs': 10},
    {label: 'far', 'path.rttMs': 500},
  ],
};

describe('the x axis has', () => {
  test.each([
    ['the loss rate, even if other axes have more points', {...rtt, ...loss}, 1],
    ['the axis of numbers with the most points', {...bytes, ...rtt}, 1],
    ['the first axis of words, if there are no numbers', {...path, ...profile}, 0],
    ['an axis of numbers rather than an axis of words', {...profile, ...bytes}, 1],
    ['no axis with a single point, if there are others', {'path.loss': [0.1], ...bytes}, 1],
    ['the only axis, even with a single point', {'path.loss': [0.1]}, 0],
  ])('%s', (_, axes, x) => {
    expect(layOutAxes(gridOf({...LOSS_GRID, axes})).x).toBe(x);
  });

  test('no axis if there is a single cell', () => {
    expect(layOutAxes(gridOf({...LOSS_GRID, axes: {}}))).toEqual({
      x: null,
      series: null,
      panels: null,
      apart: [],
    });
  });
});

test('the last other axis with few points makes panels, and further axes make separate figures', () => {
  const of = (axes: object) => layOutAxes(gridOf({...LOSS_GRID, axes}));
  expect(of({...path, ...bytes, ...loss})).toEqual({x: 2, series: null, panels: 1, apart: [0]});
  expect(of({...path, ...many, ...loss})).toEqual({x: 2, series: null, panels: 0, apart: [1]});
  expect(of({...many, ...loss})).toEqual({x: 1, series: null, panels: null, apart: [0]});
});

test('an axis that chooses pipelines makes series, if there are colours for all series', () => {
  const of = (axes: object) => layOutAxes(gridOf({...LOSS_GRID, axes}));
  const pipelines = {'panes.0.pipeline': ['h2', 'h3', 'udp']};
  expect(of({...pipelines, ...rtt, ...loss})).toEqual({x: 2, series: 0, panels: 1, apart: []});
  // no axis is left for x
  expect(of(pipelines)).toEqual({x: null, series: 0, panels: null, apart: []});
  const linked = {way: ['h2', 'h3'].map(label => ({label, panes: [{pipeline: label}]}))};
  expect(of({...linked, ...loss})).toEqual({x: 1, series: 0, panels: null, apart: []});
  // an axis with one point has no pipelines to compare
  expect(of({'panes.0.pipeline': ['h2'], ...loss})).toEqual({x: 1, series: null, panels: null, apart: [0]});
  // six pipelines and the SCTP pane, which is the same at all points, are seven different panes; five pipelines and
  // this pane are six
  const all = ['tcp', 'h2', 'h3', 'udp', 'catp', 'sctp'];
  const sctp = {pipeline: 'sctp', streams: 3};
  const base = {...LOSS_GRID.base, panes: [{pipeline: 'tcp'}, sctp]};
  const seven = {...LOSS_GRID, base, axes: {'panes.0.pipeline': all, ...loss}};
  expect(layOutAxes(gridOf(seven))).toEqual({x: 1, series: null, panels: 0, apart: []});
  const six = {...seven, axes: {'panes.0.pipeline': all.slice(0, 5), ...loss}};
  expect(layOutAxes(gridOf(six))).toEqual({x: 1, series: 0, panels: null, apart: []});
});

test('an axis with a single point is neither x axis nor panels if there are others', () => {
  const axes = {...loss, ...bytes, 'path.mtuBytes': [1500]};
  expect(layOutAxes(gridOf({...LOSS_GRID, axes}))).toEqual({x: 0, series: null, panels: 1, apart: [2]});
});

test('cells with the same points on the remaining axes are in one figure, each at its own place', () => {
  const grid = gridOf({...LOSS_GRID, axes: {...path, ...bytes, ...loss}});
  const groups = groupsOf(grid, layOutAxes(grid));
  expect(groups.map(({apart}) => apart)).toEqual([[0], [1]]);
  expect(groups[1]?.cells).toEqual([
    {cell: 4, panel: 0, series: 0, x: 0},
    {cell: 5, panel: 0, series: 0, x: 1},
    {cell: 6, panel: 1, series: 0, x: 0},
    {cell: 7, panel: 1, series: 0, x: 1},
  ]);
});

test('points are written with their units, and ticks without', () => {
  const grid = gridOf({
    ...LOSS_GRID,
    axes: {...path, ...bytes, ...loss, ...profile, N: [{label: 5, 'page.synthetic.objects': 5}]},
  });
  const texts = grid.axes.map(axis => axis.points.map(point => [pointText(axis, point), tickText(axis, point)]));
  expect(texts.map(([, last] = []) => last)).toEqual([
    ['far', 'far'],
    ['15 KB', '15'],
    ['loss each way 10 %', '10'],
    ['profile of pane 1 classic', 'classic'],
    undefined,
  ]);
  expect(texts[4]).toEqual([['N 5', '5']]);
});
