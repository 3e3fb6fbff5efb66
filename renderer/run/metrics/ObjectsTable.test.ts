import {expect, test} from 'vitest';
import {parseScenario} from '../../../app/run/scenario/scenario.ts';
import type {ShownRun} from '../../session/loads.ts';
import {objectRows} from './ObjectsTable.tsx';

const object = (url: string, completeNs: number | null) => ({url, completeNs, failedNs: null});

test('rows of different pages are matched by address and have the objects’ own numbers', () => {
  const traces = [
    {objects: [object('/', 1e9), object('/a', 2e9), object('/b', 3e9)]},
    {objects: [object('/', 4e9), object('/c', 5e9), object('/a', null)]},
  ];
  expect(objectRows(runOf(traces, ['x', 'y']))).toEqual([
    {object: 0, url: '/', times: ['1.00 s', '4.00 s']},
    {object: 1, url: '/a', times: ['2.00 s', '–']},
    {object: 2, url: '/b', times: ['3.00 s', '–']},
    {object: 1, url: '/c', times: ['–', '5.00 s']},
  ]);
});

/** A run whose panes come from two trace files with pages of these hashes. */
function runOf(traces: readonly object[], hashes: readonly string[]): ShownRun {
  const parsed = parseScenario({panes: [{pipeline: 'tcp'}, {pipeline: 'tcp'}]});
  if (!parsed.ok) throw new Error('this is a valid scenario');
  const {scenario} = parsed;
  const sources = hashes.map((hash, pane) => ({file: `${hash}.trace`, scenario, page: {hash}, pane}));
  return {scenario, traces, sources} as unknown as ShownRun;
}
