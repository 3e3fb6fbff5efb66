import {expect, test} from 'vitest';
import {smallTrace} from '../trace/testing/smallTrace.ts';
import {Trace} from '../trace/trace.ts';
import {allLosses, explainedNs, lossFrom, lossNumbered, missingLoss, numberOf, sameLoss} from './losses.ts';

const MS = 1e6;
/** Packet 3 is lost at 25 ms. In the second pane, packets 2 and 4 are lost at 24 and 30 ms. */
const traces = [new Trace(smallTrace()), lossesAt([2, 24], [4, 30])];
const FIRST = {pane: 1, packet: 2};
const SECOND = {pane: 0, packet: 3};
const THIRD = {pane: 1, packet: 4};

/** All effects end at 70 ms: the data of packet 3 arrives, and the run ends without the data of packets 2 and 4. */
const END = 70 * MS - 1;

test('losses are in the order in which their effects end, then in the order of the panes', () => {
  expect(allLosses(traces)).toEqual([SECOND, FIRST, THIRD]);
  expect(allLosses([traces[0] as Trace, traces[0] as Trace])).toEqual([SECOND, {pane: 1, packet: 3}]);
  expect([SECOND, FIRST, THIRD].map(loss => explainedNs(traces, loss))).toEqual([END, END, END]);
  expect(explainedNs(traces, {pane: 0, packet: 2})).toBe(0);
  // the first loss has no effect any more when the second one is repaired
  const [needless, late] = [
    {pane: 0, packet: 0},
    {pane: 1, packet: 3},
  ];
  expect(allLosses([lossesAt([0, 50]), traces[0] as Trace])).toEqual([needless, late]);
});

test('lossFrom steps through the losses and ends at the last one, so that it never leads back', () => {
  const next = [SECOND, FIRST, THIRD].map(loss => lossFrom(traces, loss, END, 1));
  expect(next).toEqual([FIRST, THIRD, null]);
  const before = [SECOND, FIRST, THIRD].map(loss => lossFrom(traces, loss, END, -1));
  expect(before).toEqual([null, SECOND, FIRST]);
});

test('lossFrom goes on from t if nothing is chosen, or if t was moved since', () => {
  const both = [lossesAt([0, 50]), traces[0] as Trace];
  const [early, late] = [
    {pane: 0, packet: 0},
    {pane: 1, packet: 3},
  ];
  const times = [0, 50 * MS, END];
  for (const chosen of [null, early, late]) {
    const moved = times.map(tNs => tNs + (chosen === null || tNs === 0 ? 0 : 1));
    expect(moved.map(tNs => lossFrom(both, chosen, tNs, 1))).toEqual([early, late, null]);
    expect(moved.map(tNs => lossFrom(both, chosen, tNs, -1))).toEqual([null, early, late]);
  }
  expect(lossFrom([lossesAt([0, 0])], null, 0, 1)).toEqual({pane: 0, packet: 0});
  expect(lossFrom([], null, 0, 1)).toBeNull();
  expect(lossFrom([lossesAt()], null, 0, -1)).toBeNull();
});

test('a loss has a number in its pane', () => {
  expect(numberOf(traces, THIRD)).toEqual({pane: 1, number: 2});
  expect(lossNumbered(traces, {pane: 1, number: 2})).toEqual(THIRD);
  for (const number of [0, 3]) expect(lossNumbered(traces, {pane: 1, number})).toBeNull();
  expect(lossNumbered(traces, {pane: 2, number: 1})).toBeNull();
  expect(numberOf(traces, {pane: 1, packet: 3})).toBeNull();
});

test('the message about a missing loss says how many packets the pane loses', () => {
  expect(missingLoss({pane: 1, number: 2}, [0, 2])).toBeNull();
  expect(missingLoss({pane: 1, number: 3}, [0, 2])).toBe('there is no loss 3 in pane 2: it loses 2 packets');
  expect(missingLoss({pane: 0, number: 1}, [0, 2])).toBe('there is no loss 1 in pane 1: it loses no packet');
  expect(missingLoss({pane: 2, number: 1}, [0, 2])).toBe('there is no loss 1 in pane 3: the run has 2 panes');
});

test('the same loss in another run is the same packet, if it was lost at the same time', () => {
  expect(sameLoss(traces, traces, THIRD)).toEqual(THIRD);
  expect(sameLoss(traces, [new Trace(smallTrace()), lossesAt([4, 30])], THIRD)).toEqual(THIRD);
  expect(sameLoss(traces, [new Trace(smallTrace()), lossesAt([4, 31])], THIRD)).toBeNull();
  expect(sameLoss(traces, [new Trace(smallTrace()), lossesAt([2, 24])], THIRD)).toBeNull();
  expect(sameLoss(traces, [new Trace(smallTrace())], THIRD)).toBeNull();
  const other = new Trace({...smallTrace(), pipeline: 'sctp'});
  expect(sameLoss(traces, [other], SECOND)).toBeNull();
});

function lossesAt(...lost: readonly (readonly [packet: number, ms: number])[]): Trace {
  const data = smallTrace();
  const packets = {
    ...data.packets,
    fate: data.packets.fate.map(() => 1),
    fateNs: data.packets.fateNs.slice(),
  };
  for (const [packet, ms] of lost) {
    packets.fate[packet] = 2;
    packets.fateNs[packet] = ms * MS;
  }
  return new Trace({...data, packets});
}
