import {describe, expect, test} from 'vitest';
import {type Grid, parseGrid} from './grid.ts';
import {METRICS, type Metric} from './metricList.ts';
import {type PaneRow, type RunRow, readRow, rowLine} from './row.ts';
import {compareCell, corrected, summariseCell} from './summary.ts';

/**
 * Runs of TCP and SCTP, seed by seed. `done` has the page time and the number of lost packets, `failed` only the number
 * of lost packets.
 */
const RUNS: readonly (readonly [tcp: PaneRow, sctp: PaneRow])[] = [
  [done(100, 1), done(90, 0)],
  [done(200, 2), done(150, 2)],
  [done(300, 0), done(330, 1)],
  [failed(4), done(400, 3)],
  [done(500, 3), failed(9)],
  [failed(7), failed(8)],
  [done(700, 5), done(400, 5)],
];
const grid = gridOf({
  base: {timeLimitMs: 1000},
  axes: {'path.loss': [0, 0.1]},
  seeds: '11-17',
  metrics: ['pageTimeMs', 'lostDown'],
});
const metrics: readonly Metric[] = METRICS.filter(({name}) => name === 'pageTimeMs' || name === 'lostDown');
const runs: readonly RunRow[] = RUNS.map((panes, i) => ({run: 7 + i, panes}));

describe('the summary of a cell', () => {
  const {axes, panes} = summariseCell(grid, 1, runs, metrics);
  const tcp = panes[0];

  test('names the cell, its panes, and the runs that are not complete', () => {
    expect(axes).toEqual({'path.loss': 0.1});
    expect(panes.map(({pane, pipeline, runs: all, complete}) => [pane, pipeline, all, complete])).toEqual([
      [1, 'tcp', 7, 5],
      [2, 'sctp', 7, 5],
    ]);
    expect(panes.map(({leftOut}) => leftOut)).toEqual([
      [{outcome: 'time-limit', reason: 'limit', seeds: [14, 16]}],
      [{outcome: 'time-limit', reason: 'limit', seeds: [15, 16]}],
    ]);
  });

  test('has mean, median, quartiles and intervals over the complete runs', () => {
    // 100, 200, 300, 500, 700: mean 360, s² = (260² + 160² + 60² + 140² + 340²) / 4 = 58000, t(0.975, 4) = 2.776445
    expect(tcp?.metrics['pageTimeMs']).toMatchObject({
      n: 5,
      mean: 360,
      median: 300,
      q1: 200,
      q3: 500,
      medianCi95: null,
      ci95: expect.closeTo(2.776445 * Math.sqrt(58000 / 5), 3),
    });
    expect(tcp?.metrics['lostDown']).toMatchObject({n: 5, mean: 11 / 5, median: 2});
  });

  test('has restricted means over all runs for times, and for no other metric', () => {
    // the two incomplete runs count as 1000, which gives the mean 3800 / 7; t(0.975, 6) = 2.446912
    const values = [100, 200, 300, 500, 700, 1000, 1000];
    const mean = 3800 / 7;
    const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / 6;
    expect(tcp?.metrics['pageTimeMs']?.restricted).toEqual({
      n: 7,
      mean: expect.closeTo(mean, 9),
      ci95: expect.closeTo(2.446912 * Math.sqrt(variance / 7), 2),
    });
    expect(tcp?.metrics['lostDown']).not.toHaveProperty('restricted');
  });

  test('has the bootstrap interval of the median of seven values', () => {
    const seven = Array.from({length: 7}, (_, i) => ({run: 7 + i, panes: [done(i + 1, i), done(i + 1, i)]}));
    const interval = summariseCell(grid, 1, seven, metrics).panes[0]?.metrics['pageTimeMs']?.medianCi95;
    expect(interval).toEqual([2, 6]);
  });

  test('has no mean, restricted or not, if no complete load has a value', () => {
    const none = {outcome: 'complete', reason: null, values: [null, 1]} as const;
    const summary = summariseCell(grid, 1, [{run: 7, panes: [none, none]}], metrics).panes[0];
    expect(summary?.metrics['pageTimeMs']).toMatchObject({n: 0, mean: null, restricted: {n: 0, mean: null}});
  });
});

describe('the comparison of two panes', () => {
  const [time, lost] = compareCell(grid, 1, runs, metrics);

  test('is computed from differences by seed, over the seeds that are complete in both panes', () => {
    // 10, 50, −30, 300: mean 82.5, s² = (72.5² + 32.5² + 112.5² + 217.5²) / 3, t(0.975, 3) = 3.182446
    const variance = (72.5 ** 2 + 32.5 ** 2 + 112.5 ** 2 + 217.5 ** 2) / 3;
    expect(time).toMatchObject({
      cell: 1,
      panes: [1, 2],
      metric: 'pageTimeMs',
      n: 4,
      leftOut: 3,
      meanDifference: 82.5,
      ci95: expect.closeTo(3.182446 * Math.sqrt(variance / 4), 3),
    });
  });

  test('counts an incomplete load as the time limit, and leaves out seeds with equal values', () => {
    // 10, 50, −30, 1000 − 400, 500 − 1000, 0, 300: ranks 1, 3, −2, 6, −5, 4, W = 14 of 21. The rank sum of
    // the negative differences is 21 − 14 = 7. Of the 64 subsets of the ranks 1 to 6, 18 have a sum of at most 7:
    // 1 + 1 + 1 + 2 + 2 + 3 + 4 + 4 for the sums 0 to 7.
    expect(time?.signedRank).toEqual({n: 6, w: 14, p: (2 * 18) / 64});
    // the differences of lost packets are 1, 0, −1, 0: one above 0 and one below
    expect(lost).toMatchObject({n: 4, signedRank: {n: 2, w: 1.5, p: 1}});
  });

  test('treats differences as equal if they are the same number of nanoseconds', () => {
    // 0.3 − 0.1 is not 0.2 in doubles
    const near = [done(0.3, 0), done(0.2, 0), done(0, 0)].map((own, i) => {
      return {run: 7 + i, panes: [own, done([0.1, 0, 0.2][i] ?? 0, 0)]};
    });
    // the differences are 0.2, 0.2 and −0.2, which all have the rank 2
    expect(compareCell(grid, 1, near, metrics)[0]?.signedRank).toMatchObject({n: 3, w: 4});
  });

  test('has no signed-rank test if every seed gives the same values', () => {
    const same = [7, 8, 9].map(run => ({run, panes: [done(50, 0), done(40, 0)]}));
    const none = {n: 0, w: 0, p: null};
    expect(compareCell(grid, 1, same, metrics)).toMatchObject([
      {n: 3, meanDifference: 10, ci95: 0, signedRank: none},
      {n: 3, meanDifference: 0, signedRank: none},
    ]);
  });

  test('is made for every two panes', () => {
    const three = gridOf({base: {panes: ['tcp', 'sctp', 'tcp'].map(pipeline => ({pipeline}))}, seeds: '1'});
    const rows = [{run: 0, panes: [done(1, 0), done(2, 0), done(4, 0)]}];
    const found = compareCell(three, 0, rows, metrics.slice(0, 1));
    expect(found.map(({panes, meanDifference}) => [panes, meanDifference])).toEqual([
      [[1, 2], -1],
      [[1, 3], -3],
      [[2, 3], -2],
    ]);
  });

  test('is corrected among the comparisons of the same metric only', () => {
    const test = (metric: string, p: number | null) => {
      return {
        cell: 0,
        panes: [1, 2] as const,
        metric,
        n: 1,
        leftOut: 0,
        meanDifference: 0,
        ci95: 0,
        signedRank: {n: 1, w: 1, p},
      };
    };
    const all = [test('a', 0.01), test('b', 0.03), test('a', 0.02), test('a', null)];
    expect(corrected(all).map(({pHolm}) => pHolm)).toEqual([0.02, 0.03, 0.02, null]);
  });
});

test('a row is read from its line unchanged, and not from a damaged line', () => {
  const row = {run: 3, panes: [done(1.5, 2), {...failed(1), reason: 'it took, “so”\n long'}]};
  const line = rowLine(row);
  expect(line).not.toContain('\n');
  expect(readRow(line, 2)).toEqual(row);
  const broken = ['', 'null', '{}', '[]', '[3]', line.slice(0, -1), `${line}x`, line.replace('3', '3.5')];
  const others = [line.replace('complete', 'done'), line.replace('1.5', '"1"'), line.replace('[', '[[')];
  expect([...broken, ...others].map(each => readRow(each, 2))).toEqual([...broken, ...others].map(() => undefined));
  expect(readRow(line, 3)).toBeUndefined();
});

function done(timeMs: number, lost: number): PaneRow {
  return {outcome: 'complete', reason: null, values: [timeMs, lost]};
}

function failed(lost: number): PaneRow {
  return {outcome: 'time-limit', reason: 'limit', values: [null, lost]};
}

function gridOf(document: unknown): Grid {
  const parsed = parseGrid(document);
  if (!parsed.ok) throw new Error(parsed.problems[0]?.message);
  return parsed.grid;
}
