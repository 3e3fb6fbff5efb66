import {expect, test} from 'vitest';
import {scenarioDocument} from '../../app/run/scenario/document.ts';
import {parseScenario} from '../../app/run/scenario/scenario.ts';
import {encodeRun} from '../../app/run/trace/runFile.ts';
import {smallTrace} from '../../app/run/trace/testing/smallTrace.ts';
import {HeldRuns} from './heldRuns.ts';

function file(seed: number): Uint8Array {
  const parsed = parseScenario({seed, panes: [{pipeline: 'tcp'}]});
  if (!parsed.ok) throw new Error('not a scenario');
  return encodeRun({scenario: scenarioDocument(parsed.scenario), panes: [smallTrace()]});
}

test('a run that is kept in memory is found by its name, until three others were used', () => {
  const runs = new HeldRuns();
  const names = [1, 2, 3].map(seed => {
    const held = runs.hold(file(seed));
    return held.ok ? held.run : '';
  });
  expect(runs.get(names[0])).toEqual({ok: true, run: file(1)});
  runs.hold(file(4));
  expect(names.map(name => runs.get(name).ok)).toEqual([true, false, true]);
});

test('a file that is not a trace file is not kept', () => {
  expect(new HeldRuns().hold(new Uint8Array(9))).toMatchObject({
    ok: false,
    message: 'the run: not a trace file',
  });
  expect(new HeldRuns().get({})).toMatchObject({ok: false});
});
