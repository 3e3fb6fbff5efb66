import {expect, test} from 'vitest';
import {csvLine} from './csv.ts';
import {parseGrid} from './grid.ts';
import {METRICS} from './metricList.ts';
import {resultsHeader, resultsLines} from './resultsCsv.ts';

test('results have a line for each pane of a run, with the values of the cell, the seed and the metrics', () => {
  const label = 'slow, "lossy"';
  const grid = parseGrid({
    base: {},
    axes: {
      path: [{label, 'path.rttMs': 900, 'panes.0.sendBuffer': null}],
      'path.loss': [{p: 0.1, r: 0.5}, 0.2],
    },
    seeds: [5, 3],
  });
  if (!grid.ok) throw new Error(grid.problems[0]?.message);
  const metrics = METRICS.filter(({name}) => name === 'pageTimeMs');
  expect(resultsHeader(grid.grid, metrics)).toBe(
    'path,path.rttMs,panes.0.sendBuffer,path.loss,seed,pane,pipeline,outcome,pageTimeMs,reason,paneName\n',
  );
  const panes = [
    {outcome: 'complete', reason: null, values: [12.5]},
    {outcome: 'aborted', reason: 'data-timeout', values: [null]},
  ] as const;
  expect(resultsLines(grid.grid, 1, [{run: 3, panes}])).toBe(
    '"slow, ""lossy""",900,null,0.2,3,1,tcp,complete,12.5,,TCP classic\n' +
      '"slow, ""lossy""",900,null,0.2,3,2,sctp,aborted,,data-timeout,SCTP classic · 10 streams\n',
  );
  expect(resultsLines(grid.grid, 0, [{run: 0, panes: [panes[0]]}])).toContain(',"{""p"":0.1,""r"":0.5}",5,1,tcp');
});

test('a text with a comma, a quotation mark or a line break is quoted', () => {
  expect(csvLine(['a', 1, null, 'b,c', 'd"e', 'f\ng', 'h\ri'])).toBe('a,1,,"b,c","d""e","f\ng","h\ri"\n');
});
