import {expect, test} from 'vitest';
import {syntheticPage} from '../../../app/page/synthetic.ts';
import {parseScenario} from '../../../app/run/scenario/scenario.ts';
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
