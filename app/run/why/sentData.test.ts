import {expect, test} from 'vitest';
import {smallTrace} from '../trace/testing/smallTrace.ts';
import {Trace} from '../trace/trace.ts';
import {sentOf} from './sentData.ts';

const MS = 1e6;

test('data arrives with a packet or its copy, whichever is first, and never with a lost packet', () => {
  const arrivals = (copyMs: number): readonly number[] => {
    const {packets} = smallTrace();
    const trace = new Trace({...smallTrace(), packets: {...packets, copyNs: packets.copyNs.with(2, copyMs * MS)}});
    return sentOf(trace, 'down', 1).ranges.map(({arrivedNs}) => arrivedNs / MS);
  };
  const lost = Number.POSITIVE_INFINITY;
  expect(arrivals(Number.NaN)).toEqual([30, lost, 40, 70]);
  expect(arrivals(28)).toEqual([28, lost, 40, 70]);
  expect(arrivals(33)).toEqual([30, lost, 40, 70]);
});
