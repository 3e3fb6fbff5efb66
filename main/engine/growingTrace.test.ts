import fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import {FATE} from '../../app/run/trace/columns.ts';
import type {TraceGrowth} from '../../app/run/trace/growingData.ts';
import {Trace} from '../../app/run/trace/trace.ts';
import type {TraceData} from '../../app/run/trace/traceData.ts';
import {runDocument} from '../workers/testing/runs.ts';

// Compares a trace that grows in pieces, as in a live run, with the same trace created at once.

const loss = {down: {packets: [6, 9, 10, 17, 25]}, up: {packets: [2, 8]}};
const {panes} = runDocument({
  page: {synthetic: {objects: 4, objectBytes: 9000}},
  path: {rttMs: 100, loss},
  panes: [{pipeline: 'tcp'}, {pipeline: 'sctp', streams: 3}],
});

describe('a trace that has grown in pieces', () => {
  test.each(panes)('answers every query like a trace created at once: $pipeline', data => {
    const untouched = structuredClone(data);
    fc.assert(
      fc.property(fc.array(anyCut, {minLength: 1, maxLength: 6}), cuts => {
        const parts = partsOf(data, cuts);
        const trace = new Trace(parts[0] as TraceData);
        for (const part of parts.slice(1)) {
          trace.append(part as TraceGrowth);
          // The trace is queried after each piece, so that outdated cached results would be found.
          expect(answers(trace)).toEqual(answers(new Trace(structuredClone(trace.data))));
        }
        expect(trace.data).toEqual(data);
        expect(answers(trace)).toEqual(answers(new Trace(data)));
      }),
      {numRuns: 40},
    );
    expect(data).toEqual(untouched);
  });

  test('does not change the data from which it was created', () => {
    const [data] = panes as [TraceData];
    const [first, second] = partsOf(data, [{share: 0.5, isSettled: false}]);
    const before = structuredClone(first);
    const trace = new Trace(first as TraceData);
    trace.append(second as TraceGrowth);
    expect(first).toEqual(before);
  });
});

/**
 * The end of a piece. `share` is the share of each table's rows before it. `isSettled` is whether all fates of packets
 * and all ends of blocked data are known at that time.
 */
interface Cut {
  readonly share: number;
  readonly isSettled: boolean;
}

const anyCut: fc.Arbitrary<Cut> = fc.record({
  share: fc.double({min: 0, max: 1, noNaN: true}),
  isSettled: fc.boolean(),
});

/** Cuts `data` into pieces. The first piece is a complete trace with fewer rows, the others are growth. */
function partsOf(data: TraceData, cuts: readonly Cut[]): readonly (TraceData | TraceGrowth)[] {
  const ordered = [...cuts].sort((a, b) => a.share - b.share);
  let [unsettled, waiting]: [number[], number[]] = [[], []];
  return [...ordered, {share: 1, isSettled: true}].map(({share, isSettled}, piece) => {
    const from = piece === 0 ? 0 : (ordered[piece - 1]?.share ?? 0);
    const range = (length: number) => [Math.floor(length * from), Math.floor(length * share)] as const;
    const tables = Object.fromEntries(
      TABLES.map(name => [name, sliced(data[name] as unknown as Columns, ...range(lengthOf(data[name])))]),
    );
    const changes = isSettled ? settle(data, unsettled, waiting) : {};
    if (isSettled) [unsettled, waiting] = [[], []];
    else {
      const [packet, lastPacket] = range(data.packets.fate.length);
      for (let row = packet; row < lastPacket; row++) {
        if (row % 3 === 0) continue;
        unsettled.push(row);
        (tables['packets'] as Columns)['fate']?.set([FATE.inFlight], row - packet);
        (tables['packets'] as Columns)['fateNs']?.set([Number.NaN], row - packet);
      }
      const [blocked, lastBlocked] = range(data.blocked.endNs.length);
      for (let row = blocked; row < lastBlocked; row++) {
        waiting.push(row);
        (tables['blocked'] as Columns)['endNs']?.set([Number.NaN], row - blocked);
      }
    }
    const objects = data.objects.slice(0, Math.ceil(data.objects.length * share));
    const endNs = data.endNs * share;
    const rows = tables as unknown as Partial<TraceData>;
    return piece === 0 ? {...data, ...rows, objects, endNs} : {...rows, objects, endNs, ...changes};
  });
}

function settle(data: TraceData, packets: readonly number[], blocked: readonly number[]) {
  return {
    fates: {
      row: Uint32Array.from(packets),
      fate: Uint8Array.from(packets, row => data.packets.fate[row] ?? 0),
      fateNs: Float64Array.from(packets, row => data.packets.fateNs[row] ?? 0),
    },
    blockedEnds: {
      row: Uint32Array.from(blocked),
      endNs: Float64Array.from(blocked, row => data.blocked.endNs[row] ?? 0),
    },
  };
}

type Columns = {readonly [key: string]: Uint8Array | Uint16Array | Uint32Array | Float64Array};

function sliced(columns: Columns, from: number, to: number): Columns {
  return Object.fromEntries(Object.entries(columns).map(([key, column]) => [key, column.slice(from, to)]));
}

function lengthOf(columns: object): number {
  return (Object.values(columns)[0] as Uint8Array).length;
}

function answers(trace: Trace) {
  const {data} = trace;
  const times = [0, 1, 2, 3, 4, 5, 6, 7, 8].map(k => (data.endNs * k) / 8);
  const objects = Array.from({length: 7}, (_, i) => i);
  const packets = Array.from(data.packets.fate.keys());
  return {
    objects: trace.objects,
    atTimes: times.map(t => [
      trace.totalBytesAt(t),
      objects.map(i => [trace.bytesAt(i, t), trace.percentAt(i, t), trace.stateAt(i, t)]),
    ]),
    ofObjects: objects.map(i => [
      trace.deliveriesOf(i),
      trace.blockedOf(i),
      [1, 25, 50, 100].map(percent => trace.reachedNs(i, percent)),
    ]),
    ofPackets: packets.map(packet => [
      trace.objectsOf(packet),
      trace.isRetransmission(packet),
      trace.blockingOf(packet),
    ]),
    dropped: [...trace.droppedPackets()],
    retransmissions: [...trace.retransmissions()],
    samples: (['client', 'server'] as const).map(side => [...trace.samplesOf(side)]),
  };
}

const TABLES = ['deliveries', 'packets', 'chunks', 'chunkPieces', 'samples', 'blocked', 'blockedPieces'] as const;
