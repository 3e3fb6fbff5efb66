import {describe, expect, test} from 'vitest';
import type {Figure, FigureMarks} from './figure.ts';
import {figureTable} from './figureTable.ts';
import {gridFigures} from './gridFigures.ts';
import {pointText} from './pointText.ts';
import {LOSS_GRID, PROFILE_GRID, RATE_GRID, summaryOf} from './testing/grids.ts';

// In testing/grids.ts, cell c, pane p and seed s (1 to 8) have the page time T = (1000 · (c + 1) · (2 − p) + 100 · s)
// ms. In the last cell, one of the eight runs fails in the first pane.

describe('the figures of a grid', () => {
  test('are means, PPage, PRen, spread and distribution, for each point of an axis that is left over', () => {
    expect(gridFigures(summaryOf(LOSS_GRID)).map(({name, marks}) => [name, marks.kind])).toEqual([
      ['page-time-t', 'lines'],
      ['ppage', 'dots'],
      ['pren', 'dots'],
      ['page-time-t-spread', 'boxes'],
      ['page-time-t-distribution', 'ecdf'],
    ]);
    // `near!` gets a number, and must not get the name of `near 2`
    const path = ['near', 'near!', 'near 2'].map((label, i) => ({label, 'path.rttMs': i}));
    const apart = {path, ...LOSS_GRID.axes};
    const names = gridFigures(summaryOf({...LOSS_GRID, axes: apart})).map(({name}) => name);
    expect(names.slice(0, 3)).toEqual(['page-time-t-near', 'page-time-t-near-2', 'page-time-t-near-2-2']);
    expect(new Set(names).size).toBe(15);
  });

  test('show each metric that the grid names, with lines only if the x axis has numbers', () => {
    expect(gridFigures(summaryOf(RATE_GRID)).map(({name}) => name)).toEqual([
      'longest-silent-time',
      'lost-down',
      'longest-silent-time-spread',
      'longest-silent-time-distribution',
    ]);
    expect(gridFigures(summaryOf(PROFILE_GRID)).map(({marks}) => marks.kind)).toEqual(['boxes', 'ecdf']);
    const some = {...LOSS_GRID, metrics: ['pageTimeMs', 'p25PageMs', 'p50PageMs', 'p75PageMs']};
    expect(gridFigures(summaryOf(some)).map(({marks}) => marks.kind)).toEqual(['lines', 'boxes', 'ecdf']);
  });

  test('have a line for each point of an axis even for a pane with the same settings, if the paths differ, too', () => {
    const linked = ['h2', 'h3'].map((pipeline, i) => ({
      label: `point ${i}`,
      'panes.0.pipeline': pipeline,
      'path.rttMs': 50 * (i + 1),
    }));
    const [lines] = gridFigures(summaryOf({...LOSS_GRID, axes: {linked, 'path.loss': [0, 0.01, 0.1]}}));
    expect(lines?.series).toHaveLength(4);
  });

  test('have a line for each pipeline of an axis, and a single line for a pane that is the same at all points', () => {
    const axes = {'panes.0.pipeline': ['h2', 'h3'], 'path.loss': [0, 0.01, 0.1]};
    const figures = gridFigures(summaryOf({...LOSS_GRID, axes}));
    expect(figures.map(({name}) => name)).toEqual([
      // cells with HTTP/2 and HTTP/3 count from navigation, so the whole grid does
      'whole-page-from-navigation',
      'ppage',
      'pren',
      'whole-page-from-navigation-spread',
      'whole-page-from-navigation-distribution',
    ]);
    const [lines, , , , spread] = figures;
    expect(lines?.series).toEqual([
      {name: 'HTTP/2', colour: 0, isPaper: false},
      {name: 'SCTP', colour: 1, isPaper: false},
      {name: 'HTTP/3', colour: 2, isPaper: false},
    ]);
    // The mean of T is (1000 · (c + 1) · (2 − p) + 450) ms. Cells 0 to 2 have h2, and cells 3 to 5 h3. The SCTP pane is
    // the same in both, so its points are those of cells 0 to 2.
    const points = pointsOf(lines).map(({series, cell, x, y}) => [series, cell, x, Math.round(1000 * y)]);
    expect(points.filter(([series]) => series === 2)).toEqual([
      [2, 3, 0, 8450],
      [2, 4, 1, 10_450],
      [2, 5, 10, expect.any(Number)],
    ]);
    expect(points.filter(([series]) => series === 1)).toEqual([
      [1, 0, 0, 1450],
      [1, 1, 1, 2450],
      [1, 2, 10, 3450],
    ]);
    expect(lines?.caption.join(' ')).toContain('Not complete: HTTP/3 1 of 24.');
    expect(spread?.marks.kind === 'ecdf' && spread.marks.curves.map(({series}) => series).sort()).toEqual([0, 1, 2]);
  });

  test('show the cells that are known so far', () => {
    const some = gridFigures(summaryOf(LOSS_GRID, {isPartial: true}));
    expect(pointsOf(some[0]).map(({cell}) => cell)).toEqual([0, 0, 2, 2, 4, 4]);
  });
});

describe('means', () => {
  const [figure] = gridFigures(summaryOf(LOSS_GRID));

  test('have points in seconds and per cent, with their intervals', () => {
    const points = pointsOf(figure);
    // over the seeds 1 to 8, 100 ms · seed has the mean 450 ms and the standard deviation 100 √6 ms;
    // t(0.975, 7) = 2.364624
    const half = (2.364624 * 0.1 * Math.sqrt(6)) / Math.sqrt(8);
    expect(points[0]).toMatchObject({
      panel: 0,
      series: 0,
      x: 0,
      y: expect.closeTo(2.45),
      n: 8,
      runs: 8,
      cell: 0,
    });
    expect(points[0]?.interval?.[1]).toBeCloseTo(2.45 + half, 4);
    expect(points[9]).toMatchObject({panel: 1, series: 1, x: 1, y: expect.closeTo(5.45), cell: 4});
    expect(points.map(({x}) => x).slice(0, 6)).toEqual([0, 0, 1, 1, 10, 10]);
  });

  test('count incomplete loads as the time limit, and say how many there are', () => {
    const last = pointsOf(figure).find(({cell, series}) => cell === 5 && series === 0);
    // the runs with seeds 1 to 7 take 12 s + 0.1 s · seed; the run with seed 8 fails and counts as 30 s
    expect(last).toMatchObject({n: 7, runs: 8, y: expect.closeTo((7 * 12 + 2.8 + 30) / 8)});
    expect(figure?.caption.join(' ')).toContain('Not complete: TCP 1 of 48.');
    expect(last && figure && pointText(figure, last)).toMatch(
      /^TCP, 15 KB\nloss each way 10 %\n≥ 14\.6 ± .* s\nn 7 of 8$/,
    );
  });

  test('have a caption with n, seeds, stacks, profiles, and the settings that all cells have in common', () => {
    const [marks, runs, settings] = figure?.caption ?? [];
    expect(marks).toContain('95 % confidence intervals');
    expect(runs).toMatch(/^8 runs per point, seeds 1-8\. /);
    expect(settings).toBe(
      'Panes: TCP classic; SCTP classic, 10 streams. Stacks: TCP: own stack; SCTP: dcSCTP. ' +
        'Page: HTML 3 KB, 10 objects, headers 250 B. Path: 1 Mbit/s, RTT 120 ms.',
    );
  });

  test('have a logarithmic axis if the numbers span a wide range', () => {
    expect(gridFigures(summaryOf(RATE_GRID))[0]?.x).toMatchObject({
      label: 'rate',
      unit: 'Mbit/s',
      isLogarithmic: true,
    });
    expect(figure?.x).toEqual({label: 'loss each way', unit: '%', places: [0, 1, 10]});
  });
});

test('dots show the four shares in order', () => {
  const [, figure] = gridFigures(summaryOf(LOSS_GRID));
  if (figure?.marks.kind !== 'dots') throw new Error('the second figure must have dots');
  const [first] = figure.marks.points;
  expect(first?.values.map(({label}) => label)).toEqual(['25 %', '50 %', '75 %', '100 %']);
  expect(first?.values[1]?.y).toBeCloseTo(2.45 / 2);
});

test('boxes count failed runs as the time limit', () => {
  const boxes = gridFigures(summaryOf(LOSS_GRID))[3];
  if (boxes?.marks.kind !== 'boxes') throw new Error('the fourth figure must have boxes');
  const whole = boxes.marks.points[0];
  expect(whole).toMatchObject({x: '0', median: expect.closeTo(2.45), q1: expect.closeTo(2.275)});
  const partial = boxes.marks.points.at(-2);
  expect(partial?.whiskers[1]).toBeCloseTo(30 - (30 - 12.7) * 0.35);
});

test('places without a value stay on the axis, with the number of complete loads', () => {
  const summary = summaryOf({...RATE_GRID, metrics: ['lostDown']});
  const none = {n: 0, mean: null, ci95: null, median: null, medianCi95: null, q1: null, q3: null};
  const cells = summary.cells.map(cell => ({
    ...cell,
    panes: cell.panes.map(pane =>
      cell.cell === 0 && pane.pane === 1 ? {...pane, complete: 0, metrics: {lostDown: none}} : pane,
    ),
  }));
  const [figure] = gridFigures({...summary, cells});
  expect(figure?.x.places).toEqual([0.04, 0.4, 10]);
  expect(figure?.absent).toEqual([{panel: 0, series: 0, x: 0.04, n: 0, runs: 8, cell: 0}]);
  expect(figure === undefined ? [] : figureTable(figure).split('\n')).toContain(',,TCP,0.04,,,,0,8');
  expect(figure?.caption[0]).toMatch(/cut off at 0\. Only complete loads count\.$/);
});

test('captions name the time limit only if loads reach it', () => {
  const [means, dots, , boxes] = gridFigures(summaryOf(LOSS_GRID));
  for (const figure of [means, dots, boxes]) {
    expect(figure?.caption[0]).toContain('counts as the time limit, 30 s, so values with such loads are lower bounds.');
  }
  const calm = summaryOf({...LOSS_GRID, seeds: '3'}, {isPartial: true});
  const [single, points, , box] = gridFigures(calm);
  expect(single?.caption.slice(0, 2)).toEqual([
    'Points are single runs.',
    '1 run per point, seed 3. All loads are complete.',
  ]);
  expect(points?.caption[0]).not.toMatch(/mean|limit/);
  expect(box?.caption[0]).not.toMatch(/interval|limit/);
});

test('numbers ascend along x even if the grid’s do not, and the distribution is that of the largest number', () => {
  const axes = {'path.loss': [0.1, 0.05, 0]};
  const figures = gridFigures(summaryOf({...LOSS_GRID, axes}));
  expect(figures.map(({x}) => x.places)).toEqual([[0, 5, 10], ...Array(3).fill(['0', '5', '10']), undefined]);
  expect(figures.at(-1)?.title).toContain('at loss each way 10 %');
});

test('captions of dots and boxes say if numbers on the x axis are evenly spaced, but not to scale', () => {
  const saying = (axes: object) =>
    gridFigures(summaryOf({...LOSS_GRID, axes}))
      .filter(({caption}) => caption[0]?.includes('not to scale'))
      .map(({marks}) => marks.kind);
  expect(saying({'path.loss': [0, 0.01, 0.1]})).toEqual(['dots', 'dots', 'boxes']);
  expect(saying({'path.loss': [0.02, 0.01, 0.03]})).toEqual([]);
  expect(saying({'panes.0.profile': ['reno', 'classic', 'modern']})).toEqual([]);
});

test('the title of a single cell names no axis', () => {
  const [figure] = gridFigures(summaryOf({...LOSS_GRID, axes: {}}));
  expect(figure?.title).toBe('PPage');
});

test('the caption names a part of the path only if it is the same in all cells, and never splits brackets', () => {
  const loss = {p: 0.1, r: 0.3, h: 0.2, k: 0.96};
  const base = {...LOSS_GRID.base, path: {rttMs: 100, loss}};
  const [figure] = gridFigures(summaryOf({...LOSS_GRID, base, axes: {'path.rateBps': [1e5, 2e5]}}));
  expect(figure?.caption.at(-1)).toContain(
    'Path: RTT 100 ms, 23 % of packets lost in both directions, in bursts of 3.33 packets on average (80 % lost within, 4 % between).',
  );
  // the two losses differ only in the loss rate between bursts, so the texts in brackets differ
  const losses = {'path.loss': [loss, {...loss, k: 0.98}]};
  const [other] = gridFigures(summaryOf({...LOSS_GRID, base, axes: losses}));
  expect(other?.caption.at(-1)).toMatch(/ Path: [^,]+, RTT 100 ms\.$/);
});

test('panes are named by their numbers if their names differ from cell to cell', () => {
  const panes = [...LOSS_GRID.base.panes, {pipeline: 'sctp', streams: 1}];
  const axes = {'panes.1.streams': [2, 10], 'path.loss': [0, 0.1]};
  const [figure] = gridFigures(summaryOf({...LOSS_GRID, base: {...LOSS_GRID.base, panes}, axes}));
  expect(figure?.series.map(({name}) => name)).toEqual(['TCP', 'SCTP (pane 2)', 'SCTP 1 stream']);
});

test('the distribution is that of the last place on the x axis, and ends below 1 if runs fail', () => {
  const ecdf = gridFigures(summaryOf(LOSS_GRID)).at(-1);
  if (ecdf?.marks.kind !== 'ecdf') throw new Error('the last figure must be the distribution');
  expect(ecdf.title).toContain('at loss each way 10 %');
  expect(ecdf.marks.curves.map(({cell}) => cell)).toEqual([2, 2, 5, 5]);
  expect(ecdf.marks.curves.map(({steps}) => steps.at(-1)?.share)).toEqual([1, 1, 7 / 8, 1]);
  expect(ecdf.marks.curves[0]?.steps[0]).toEqual({x: expect.closeTo(6.1), share: 1 / 8});
  expect(ecdf.caption.join(' ')).toContain('TCP 1 of 16');
});

test('each figure has a table with a line for each point, dot or step, in the figure’s units', () => {
  const tables = gridFigures(summaryOf(LOSS_GRID)).map(figureTable);
  const lines = tables.map(table => table.trimEnd().split('\n'));
  expect(lines.map(({length}) => length - 1)).toEqual([12, 48, 48, 12, 31]);
  expect(lines[0]?.[0]).toBe(
    'of,panel,series,"loss each way, %","page time T, s: mean","page time T, s: ci95 from",' +
      '"page time T, s: ci95 to",complete,loads',
  );
  expect(lines[0]?.[1]).toMatch(/^,3 KB,TCP,0,2\.45\d*,2\.24\d+,2\.65\d+,8,8$/);
  expect(lines[1]?.[2]).toMatch(/^,3 KB,TCP,0,50 %,1\.22/);
  expect(lines[3]?.[0]).toContain('"page time T, s: 5 %","page time T, s: q1"');
  expect(lines[4]?.[1]).toMatch(/^,3 KB,TCP,6\.1\d*,0\.125,8,8$/);
});

type LinePoints = Extract<FigureMarks, {kind: 'lines'}>['points'];

function pointsOf(figure: Figure | undefined): LinePoints {
  if (figure?.marks.kind !== 'lines') throw new Error('the first figure must have lines');
  return figure.marks.points;
}
