import {expect, test} from 'vitest';
import {smallTrace} from '../trace/testing/smallTrace.ts';
import {Trace} from '../trace/trace.ts';
import {allLosses, lossFrom, lossNumbered, missingLoss, numberOf, sameLoss} from './losses.ts';

const MS = 1e6;
/** Packet 3 is lost at 25 ms. In the second pane, packets 2 and 4 are lost at 24 and 30 ms. */
const traces = [new Trace(smallTrace()), lossesAt([2, 24], [4, 30])];
const FIRST = {pane: 1, packet: 2};
const SECOND = {pane: 0, packet: 3};
const THIRD = {pane: 1, packet: 4};

test('the losses of all panes are in order of time', () => {
  expect(allLosses(traces)).toEqual([FIRST, SECOND, THIRD]);
  // Losses at the same time are in the order of the panes.
  expect(allLosses([traces[0] as Trace, traces[0] as Trace])).toEqual([SECOND, {pane: 1, packet: 3}]);
});

test('lossFrom steps through the losses, and wraps around at the ends', () => {
  const next = [FIRST, SECOND, THIRD].map(loss => lossFrom(traces, loss, 0, 1));
  expect(next).toEqual([SECOND, THIRD, FIRST]);
  const before = [FIRST, SECOND, THIRD].map(loss => lossFrom(traces, loss, 0, -1));
  expect(before).toEqual([THIRD, FIRST, SECOND]);
});

test('without a chosen loss, lossFrom returns the next loss after t, or the last one at or before t', () => {
  const times = [0, 24, 25, 30].map(ms => ms * MS);
  expect(times.map(tNs => lossFrom(traces, null, tNs, 1))).toEqual([FIRST, SECOND, THIRD, FIRST]);
  expect(times.map(tNs => lossFrom(traces, null, tNs, -1))).toEqual([THIRD, FIRST, SECOND, THIRD]);
  expect(lossFrom([lossesAt([2, 0])], null, 0, 1)).toEqual({pane: 0, packet: 2});
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
