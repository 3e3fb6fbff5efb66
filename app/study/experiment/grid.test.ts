import {describe, expect, test} from 'vitest';
import type {Json} from '../../base/json.ts';
import {
  axisCells,
  axisColumns,
  cellCount,
  cellScenario,
  type Grid,
  gridDocument,
  gridHeadline,
  parseGrid,
  runAt,
  runCount,
} from './grid.ts';

const linked = [
  {label: 'near', 'path.rttMs': 10, 'path.rateBps': 1e6},
  {label: 'far', 'path.rttMs': 500, 'path.rateBps': 64_000},
];
const small = {
  base: 'n08-south-asia',
  axes: {path: linked, 'path.loss': {from: 0, to: 0.3, step: 0.1}, 'panes[1].streams': [1, 10]},
  seeds: '1-3,7',
};

describe('a grid', () => {
  test('has a cell for each combination of points, with the last axis varying fastest, and a run for each seed', () => {
    const grid = parsed(small);
    expect([cellCount(grid), runCount(grid)]).toEqual([2 * 4 * 2, 2 * 4 * 2 * 4]);
    expect(axisColumns(grid)).toEqual(['path', 'path.rttMs', 'path.rateBps', 'path.loss', 'panes.1.streams']);
    expect([0, 1, 2, 15].map(cell => axisCells(grid, cell))).toEqual([
      ['near', 10, 1e6, 0, 1],
      ['near', 10, 1e6, 0, 10],
      ['near', 10, 1e6, 0.1, 1],
      ['far', 500, 64_000, 0.3, 10],
    ]);
    expect([0, 3, 4, 63].map(run => runAt(grid, run))).toEqual([
      {cell: 0, seed: 1},
      {cell: 0, seed: 7},
      {cell: 1, seed: 1},
      {cell: 15, seed: 7},
    ]);
  });

  test('sets the axes’ values in a cell, and keeps other settings of the base', () => {
    const {path, panes, page, discovery} = cellScenario(parsed(small), 15);
    expect(path).toMatchObject({
      rttMs: {down: 500, up: 500},
      rateBps: {down: 64_000},
      loss: {up: {rate: 0.3}},
    });
    expect(panes).toMatchObject([{pipeline: 'tcp'}, {pipeline: 'sctp', streams: 10}]);
    expect([page.kind, discovery]).toEqual(['synthetic', 'complete']);
  });

  test('is written with every setting, and read back as an equal grid', () => {
    const grid = parsed({...small, name: 'mine', metrics: ['pageTimeMs', 'speedIndexMs']});
    const document = gridDocument(grid);
    expect(document).toMatchObject({seeds: '1-3,7', axes: {'path.loss': [0, 0.1, 0.2, 0.3]}});
    expect(parsed(document)).toEqual(grid);
  });

  test('does not depend on the seed of its base', () => {
    const [mine, other] = [1, 2].map(seed => parsed({base: {seed, typicalOf: 9}, seeds: '1'}));
    expect(mine).toEqual(other);
  });

  test('has one cell if it has no axes', () => {
    expect(cellCount(parsed({base: {}, seeds: [5]}))).toBe(1);
  });

  test('can choose a pane’s pipeline, which keeps the pane’s profile and otherwise has its own defaults', () => {
    const pipelines = {'panes[0].pipeline': ['h2', 'h3', 'tcp', 'sctp']};
    const panesOf = (base: object, axes: object) => {
      const grid = parsed({base, axes, seeds: '1'});
      return Array.from({length: cellCount(grid)}, (_, cell) => cellScenario(grid, cell).panes[0]);
    };
    const [h2, h3, tcp, sctp] = panesOf({panes: [{pipeline: 'tcp', profile: 'modern'}]}, pipelines);
    // the default of TLS is on for h2, and off for tcp
    expect(h2).toMatchObject({pipeline: 'h2', profile: 'modern', tls: true, scheduler: 'round-robin'});
    expect(h3).toMatchObject({pipeline: 'h3', profile: 'modern', visit: 'first'});
    expect(tcp).toMatchObject({pipeline: 'tcp', profile: 'modern', tls: false, connections: 1});
    expect(sctp).toMatchObject({pipeline: 'sctp', profile: 'modern', streams: 10});
    // connections and pipelining exist only for tcp; a pane that has them can still be changed to h2
    const browser = {pipeline: 'tcp', connections: 6, pipelining: false, tls: true};
    expect(panesOf({panes: [browser]}, pipelines)[0]).toMatchObject({pipeline: 'h2', tls: true});
    expect(panesOf({panes: [browser]}, pipelines)[2]).toMatchObject(browser);
    // the order of axes does not matter, nor that of keys that an axis sets together
    const later = {'panes.0.scheduler': ['first-come'], 'panes.0.pipeline': ['h2', 'h3']};
    expect(panesOf({}, later)).toMatchObject([
      {pipeline: 'h2', scheduler: 'first-come'},
      {pipeline: 'h3', scheduler: 'first-come'},
    ]);
    const linked = [{label: 'a', 'panes.0.visit': 'again', 'panes.0.pipeline': 'h3'}];
    expect(panesOf({}, {way: linked})).toMatchObject([{pipeline: 'h3', visit: 'again'}]);
    const whole = {panes: [[{pipeline: 'udp'}], [{pipeline: 'tcp'}]], 'panes.0.pipeline': ['catp']};
    expect(panesOf({}, whole).map(pane => pane?.pipeline)).toEqual(['catp', 'catp']);
  });

  test('may have an object as a value of an axis', () => {
    const grid = parsed({base: {}, axes: {'path.loss': [{p: 0.1, r: 0.5}, 0.2]}, seeds: [1]});
    expect(cellScenario(grid, 0).path.loss.down).toMatchObject({model: 'gilbert-elliott', p: 0.1});
  });
});

describe('a problem of a grid names the value and its limit:', () => {
  const of = (axes: Json, more = {}) => ({base: {}, axes, seeds: '1', ...more});
  test.each<[string, unknown, RegExp]>([
    ['no document', null, /^the document is null: must be an object \(a grid\)/],
    ['an unknown key', {...small, axis: {}}, /^axis is not a setting of a grid; did you mean axes\?/],
    ['no seeds', {base: {}}, /^seeds is missing \(a grid\)/],
    ['a range of seeds that ends before its start', of({}, {seeds: '5-1'}), /^seeds is "5-1": must be like 1-50/],
    ['the same seed twice', of({}, {seeds: [1, 1]}), /^seeds is \[1,1\]: must be a list of seeds without duplicates/],
    ['an unknown preset', of({}, {base: 'n08-south-asi'}), /^base is .*; did you mean n08-south-asia\?/],
    ['an invalid base', of({}, {base: {path: {loss: 2}}}), /^base\.path\.loss is 2: must be /],
    ['an unknown metric', of({}, {metrics: ['pageTime']}), /^metrics\[0\] is "pageTime".*did you mean "pageTimeMs"\?/],
    ['the same metric twice', of({}, {metrics: ['lostUp', 'lostUp']}), /^metrics is .*: must be .* without duplicates/],
    ['axes as a list', of([]), /^axes is \[\]: must be an object of at most 20 axes/],
    ['an invalid value', of({'path.loss': [0, 2]}), /^axes at path\.loss=2: path\.loss is 2: must be /],
    [
      'an unknown key of an axis',
      of({'path.los': [0]}),
      /^axes at path\.los=0: path\.los is not .*did you mean loss\?/,
    ],
    [
      'a pane that does not exist',
      of({'panes.4.streams': [1]}),
      /^axes at panes\.4\.streams=1: .* no item 4: the list has 2 items, numbered from 0/,
    ],
    ['an axis without values', of({'path.loss': []}), /^axes\.path\.loss is \[\]: must be a list of 1 to 10000 values/],
    [
      'the same value twice',
      of({'path.loss': [0, 0.1, 0]}),
      /^axes\.path\.loss\[2\] is 0: must be a value that the list/,
    ],
    [
      'a range that ends before its start',
      of({'path.loss': {from: 1, to: 0, step: 1}}),
      /^axes\.path\.loss is .*: must be .* a ≤ b and c > 0/,
    ],
    ['a range with too many values', of({seed: {from: 0, to: 1e9, step: 1}}), /range of at most 10000 values/],
    ['a range without step', of({'path.loss': {from: 0, to: 1}}), /must be a list, or \{"from": a/],
    ['seeds as an axis', of({seed: [1, 2]}), /^axes\.seed is "seed": must be another key, because the grid’s own/],
    [
      'two axes with the same key',
      of({'panes.1.streams': [1], 'panes[1].streams': [2]}),
      /^axes\.panes\[1\]\.streams is "panes\.1\.streams": must be another key, because an earlier axis sets this one$/,
    ],
    [
      'an axis that overwrites an earlier one',
      of({'path.loss': [0], path: [{rttMs: 5}]}),
      /"path": must be another key, or listed before path\.loss/,
    ],
    [
      'an empty label',
      of({path: [{label: '', 'path.rttMs': 5}]}),
      /^axes\.path\[0\]\.label is "": must be a number, or a text/,
    ],
    [
      'the same label twice',
      of({path: [1, 2].map(ms => ({label: 'a', 'path.rttMs': ms}))}),
      /^axes\.path\[1\] is "a": must be a value that the list does not have yet/,
    ],
    [
      'a point without a label',
      of({path: [{label: 'a', 'path.rttMs': 5}, {'path.rttMs': 6}]}),
      /^axes\.path\[1\] is .* an object with a "label"/,
    ],
    [
      'points with different keys',
      of({
        path: [
          {label: 'a', 'path.rttMs': 5},
          {label: 'b', 'path.loss': 0},
        ],
      }),
      /^axes\.path\[1\] is .* the same as/,
    ],
    [
      'an axis with the name of a column',
      of({pane: [{label: 'a', 'path.rttMs': 5}]}),
      /^axes\.pane is "pane": must be another name/,
    ],
    [
      'an axis with labels that has the name of the key that its points set',
      of({'path.loss': [{label: 'a', 'path.loss': 0}]}),
      /^axes\.path\.loss is "path\.loss": must be another name, because its points set the key path\.loss, and each key has a column/,
    ],
    [
      'a key without its beginning',
      of({loss: [0]}),
      /^axes\.loss is "loss": must be a key of a scenario, or have points with labels; did you mean path\.loss\?/,
    ],
    [
      'a key of a point without its beginning',
      of({many: [{label: 'a', stream: 5}]}),
      /^axes\.many is "stream": must be a key of a scenario; did you mean panes\.1\.streams\?/,
    ],
    [
      'a setting that another pipeline of the axis lacks',
      of({'panes.0.pipeline': ['h2', 'h3'], 'panes.0.tls': [false]}),
      /^axes at panes\.0\.pipeline="h3", panes\.0\.tls=false: panes\[0\]\.tls is not a setting of an h3 pane/,
    ],
    [
      'an axis with the name of a metric',
      of({lostUp: [{label: 'a', 'path.rttMs': 5}]}),
      /^axes\.lostUp is "lostUp": must be another name/,
    ],
    [
      'an axis named __proto__',
      JSON.parse('{"base": {}, "seeds": "1", "axes": {"__proto__": [1]}}'),
      /^axes\.__proto__ is "__proto__": must be a key of a scenario/,
    ],
  ])('%s', (_, document, message) => {
    expect(problems(document)[0]).toMatch(message);
  });

  test('combinations of values that are not valid together', () => {
    const axes = {'page.synthetic.objects': [1, 500], 'page.synthetic.indexBytes': [1000, 100_000]};
    expect(problems(of(axes))).toEqual([
      expect.stringMatching(/^axes at page\.synthetic\.objects=500, page\.synthetic\.indexBytes=1000: .* at least/),
    ]);
  });

  test('a problem that several cells have is reported once', () => {
    expect(problems(of({serverThinkMs: [0, 1, 2], 'path.loss': [0, 2]}))).toHaveLength(1);
  });

  test('too many cells, and too many runs', () => {
    const values = {from: 0, to: 199, step: 1};
    expect(problems(of({'path.rttMs': values, serverThinkMs: values}))).toEqual([
      'axes make 40000 cells: must be at most 20000 (the product of the axes’ numbers of points)',
    ]);
    expect(problems(of({'path.rttMs': values}, {seeds: '1-100000'}))).toEqual([
      'seeds and axes make 20000000 runs: must be at most 10000000 (cells × seeds)',
    ]);
  });

  test('all problems at once', () => {
    const {length} = problems({...small, seeds: 'x', metrics: 3, nmae: 1});
    expect(length).toBe(3);
  });
});

function parsed(document: unknown): Grid {
  const grid = parseGrid(document);
  if (!grid.ok) throw new Error(grid.problems[0]?.message);
  return grid.grid;
}

function problems(document: unknown): readonly string[] {
  const grid = parseGrid(document);
  return grid.ok ? [] : grid.problems.map(({message}) => message);
}

test('an experiment counts from navigation if one of its cells does, and otherwise from the first request', () => {
  const headline = (axes: object, base: object = {}) =>
    gridHeadline(parsed({base: {discovery: 'complete', ...base}, axes, seeds: '1-2'})).metric;
  expect(headline({'path.loss': [0, 0.1]})).toBe('pageTimeMs');
  expect(headline({'panes.0.pipeline': ['tcp', 'h3']})).toBe('finishMs');
  expect(headline({discovery: ['complete', 'streaming']})).toBe('finishMs');
  expect(headline({'path.loss': [0, 0.1]}, {discovery: 'streaming'})).toBe('finishMs');
});
