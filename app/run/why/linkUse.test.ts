import {expect, test} from 'vitest';
import {FATE} from '../trace/columns.ts';
import {smallTrace} from '../trace/testing/smallTrace.ts';
import {Trace} from '../trace/trace.ts';
import type {TrafficTrace} from '../trace/traceData.ts';
import {linkUse} from './linkUse.ts';

const MS = 1e6;

/** The packets that the link serialised on the way down, with the times in ms, if packet 3 has this fate. */
function serialisedWith(fate: number, leftMs: number) {
  const data = smallTrace();
  const {packets} = data;
  const trace = new Trace({
    ...data,
    packets: {...packets, fate: packets.fate.with(3, fate), leftNs: packets.leftNs.with(3, leftMs * MS)},
  });
  return rowsOf(trace);
}

function rowsOf(trace: Trace) {
  const {packet, startNs, endNs} = linkUse(trace).down;
  return Array.from(packet, (each, row) => [each, (startNs[row] ?? 0) / MS, (endNs[row] ?? 0) / MS]);
}

const OTHERS = {first: [1, 15, 16], second: [2, 24, 25], third: [4, 30, 35], last: [5, 60, 65]};

test('a packet that was lost behind the link was serialised', () => {
  const {first, second, third, last} = OTHERS;
  expect(serialisedWith(FATE.lost, 28)).toEqual([first, second, [3, 25, 28], third, last]);
});

test('a packet that the queue dropped takes no time from the packet that is being serialised', () => {
  const {first, second, third, last} = OTHERS;
  for (const fate of [FATE.queueFull, FATE.early])
    expect(serialisedWith(fate, 32)).toEqual([first, second, third, last]);
});

test('a packet of other traffic that the queue dropped takes no time, either', () => {
  const {first, second, third, last} = OTHERS;
  const other = (fate: number): TrafficTrace => ({
    flows: [{kind: 'cbr', direction: 'down', rateBps: 80_000}],
    packets: {
      flow: Uint32Array.of(0),
      direction: Uint8Array.of(0),
      bytes: Uint32Array.of(100),
      sentNs: Float64Array.of(26 * MS),
      leftNs: Float64Array.of(32 * MS),
      fate: Uint8Array.of(fate),
      fateNs: Float64Array.of(32 * MS),
    },
  });
  const rows = (fate: number) => rowsOf(new Trace({...smallTrace(), traffic: other(fate)}));
  expect(rows(FATE.queueFull)).toEqual([first, second, third, last]);
  expect(rows(FATE.delivered)).toEqual([first, second, [-1, 26, 32], [4, 32, 35], last]);
});
