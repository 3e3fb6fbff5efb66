import {expect, test} from 'vitest';
import {syntheticPage} from '../../../app/page/synthetic.ts';
import {parseScenario} from '../../../app/run/scenario/scenario.ts';
import {CAUSE_METRICS} from '../../../app/study/experiment/metricList.ts';
import {readRow} from '../../../app/study/experiment/row.ts';
import {takeSnapshot} from '../../pages/base/pageSnapshot.ts';
import {answerPiece} from './piece.ts';

test('a pane that cannot be computed gives a row with an error, and does not affect other panes and runs', () => {
  const page = takeSnapshot(
    syntheticPage({indexBytes: 800, objects: 2, objectBytes: 3000, headerBytes: 250, requestBytes: 200}),
    [],
  );
  // the page has no WebP versions of its pictures, as if its opener had not made them
  const panes = [{pipeline: 'tcp'}, {pipeline: 'tcp', conversion: 'webp'}];
  const parsed = parseScenario({page: {synthetic: {}}, panes});
  if (!parsed.ok) throw new Error(parsed.problems[0]?.message);
  const metrics = ['pageTimeMs', 'lostDown'];
  const task = {pages: [{page}], metrics};
  const piece = {page: 0, scenario: parsed.scenario, runs: [[4, 1] as const, [5, 2] as const]};
  const {text, runs} = answerPiece(task, piece);
  expect(runs).toBe(2);
  for (const [i, line] of text.trimEnd().split('\n').entries()) {
    expect(readRow(line, metrics.length)).toEqual({
      run: 4 + i,
      panes: [
        {outcome: 'complete', reason: null, values: [expect.any(Number), 0]},
        {outcome: 'error', reason: 'the page synthetic was opened without its webp pictures', values: [null, null]},
      ],
    });
  }
  expect(answerPiece(task, piece).text).toBe(text);
});

test('the causes of a load add up to the time when the page was complete; an incomplete load has none', () => {
  const page = takeSnapshot(
    syntheticPage({indexBytes: 800, objects: 6, objectBytes: 20_000, headerBytes: 250, requestBytes: 200}),
    [],
  );
  const panes = [{pipeline: 'tcp', tls: true}, {pipeline: 'h3'}, {pipeline: 'sctp', streams: 6}];
  const path = {rateBps: 500_000, rttMs: 80, loss: 0.05};
  const causes = CAUSE_METRICS.map(({name}) => name);
  const rowsOf = (document: object) => {
    const parsed = parseScenario({page: {synthetic: {}}, panes, path, ...document});
    if (!parsed.ok) throw new Error(parsed.problems[0]?.message);
    const runs = [1, 2, 3].map(seed => [seed, seed] as const);
    const {text} = answerPiece(
      {pages: [{page}], metrics: ['finishMs', ...causes]},
      {page: 0, scenario: parsed.scenario, runs},
    );
    return text
      .trimEnd()
      .split('\n')
      .flatMap(line => readRow(line, 1 + causes.length)?.panes ?? []);
  };
  const rows = rowsOf({});
  expect(rows).toHaveLength(9);
  for (const {
    values: [finishMs, ...ms],
  } of rows) {
    expect(finishMs).toBeGreaterThan(0);
    expect(ms.reduce<number>((sum, each) => sum + (each ?? Number.NaN), 0)).toBeCloseTo(finishMs ?? 0, 5);
  }
  // slow start is known only from the samples of the sender
  expect(rows.some(({values}) => (values[1 + causes.indexOf('whySlowStartMs')] ?? 0) > 0)).toBe(true);
  expect(rowsOf({timeLimitMs: 300}).every(({values}) => values.every(each => each === null))).toBe(true);
});
