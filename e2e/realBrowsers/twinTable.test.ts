import {expect, test} from 'vitest';
import type {ExplainedTwin} from '../../main/captures/captureTwin.ts';
import {twinCells} from './twinCells.ts';
import {type TwinRow, twinsText} from './twinTable.ts';

test('60 loads are captured, 20 of them without an injected cause, and each has a name of its own', () => {
  const cells = twinCells();
  expect(cells).toHaveLength(60);
  expect(new Set(cells.map(({name}) => name)).size).toBe(60);
  expect(cells.filter(({cause}) => cause.kind === 'none')).toHaveLength(20);
  for (const kind of ['slow-server', 'small-window', 'lossy-up', 'policer'] as const)
    expect(cells.filter(({cause}) => cause.kind === kind)).toHaveLength(10);
});

test('the text counts how many twins are close, and how many causes are named first', () => {
  const row = (kind: string, savings: readonly string[], twinMs: number): TwinRow => {
    const cell = twinCells().find(({cause}) => cause.kind === kind);
    if (cell === undefined) throw new Error(kind);
    const path = {downBps: cell.path.rateBps * 1.04, rttNs: cell.path.rttMs * 1.06e6, upBps: null};
    const explained = {
      twin: {path},
      captureNs: 1e9,
      twinNs: twinMs * 1e6,
      named: null,
      savings: savings.map(name => ({name})),
    };
    return {cell, browserMs: 1003, explained: explained as unknown as ExplainedTwin};
  };
  const text = twinsText([
    row('none', ['window'], 1000),
    row('policer', ['policer'], 1090),
    row('lossy-up', ['window'], 1110),
  ]);
  expect(text.split('\n').slice(-4)).toEqual([
    'page time within 10 %: 2 of 3',
    'rate within 5 %: 3 of 3',
    'RTT within 5 %: 0 of 3',
    'injected cause named first: 1 of 2',
  ]);
  expect(text).toMatch(
    /lossy_up.*capture 1000 ms \(browser 1003\), twin 1110, ratio 1\.11 FAR.*first: window \(not no-loss\)$/m,
  );
  // what is printed is what is counted, also if no saving is large enough to be named to users
  expect(text.match(/(?<=RTT .*)first: .*/g)).toEqual([
    'first: window',
    'first: policer',
    'first: window (not no-loss)',
  ]);
});
