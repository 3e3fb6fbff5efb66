import {readFileSync} from 'node:fs';
import {expect, test} from 'vitest';
import {Emulator, type LinkParams} from './index.js';

/** What DualPI2 of Linux did with constant rates, as fixtures/reference/linux_dualpi2.py printed it. */
interface Row {
  readonly runs: number;
  readonly flows: readonly Flow[];
}

interface Flow {
  /** The time between two bursts. */
  readonly intervalUs: number;
  /** The packets of a burst. */
  readonly burst: number;
  /** The ECN codepoint of its packets: 0 is Not-ECT, 1 is ECT(1), 2 is ECT(0). */
  readonly ecn: number;
  // The following numbers are means over the runs.
  readonly dropped: number;
  /** Packets that were marked and served. */
  readonly marked: number;
  readonly served: number;
  /** The mean time in the queue of the packets that were served. */
  readonly meanMs: number;
  /** The standard deviations of single runs. */
  readonly deviation: Result;
}

const ROWS = JSON.parse(
  readFileSync(new URL('../../fixtures/reference/linux-dualpi2.json', import.meta.url), 'utf8'),
) as readonly Row[];

const RATE_BPS = 10e6;
const BYTES = 1000;
const TX_NS = (BYTES * 8e9) / RATE_BPS;
const END_NS = 20e9;
const RUNS = 6;

type Result = Readonly<Record<'dropped' | 'marked' | 'served' | 'meanMs', number>>;

const LINK: LinkParams = {
  rateBps: RATE_BPS,
  delayNs: 0,
  loss: {model: 'none'},
  queuePackets: 1000,
  queue: {kind: 'dualpi2'},
};

/** What our queue does with the flows of a row. */
function ours({flows}: Row, seed: number): readonly Result[] {
  const path = new Emulator({seed, path: {down: LINK, up: LINK, mtuBytes: 1500}});
  const sent = flows
    .flatMap(({intervalUs, ecn, burst}, flow) =>
      Array.from({length: burst * Math.ceil((END_NS / 1000 - 100 * flow) / intervalUs)}, (_, k) => {
        return {atNs: (Math.floor(k / burst) * intervalUs + 100 * flow) * 1000, flow, ecn};
      }),
    )
    .sort((a, b) => a.atNs - b.atNs);
  const results = flows.map(() => ({dropped: 0, marked: 0, served: 0, waitedMs: 0}));
  const take = (nowNs: number) => {
    const rows = path.pollTransmit(nowNs);
    for (let at = 0; at < rows.length; at += 3) {
      const [number = 0, arrivalNs = 0, flags = 0] = rows.subarray(at, at + 3);
      const packet = sent[number];
      const result = results[packet?.flow ?? 0];
      if (packet === undefined || result === undefined) throw new RangeError(`packet ${number}`);
      if (arrivalNs === Number.POSITIVE_INFINITY) {
        result.dropped++;
        continue;
      }
      result.marked += flags & 1;
      result.served++;
      result.waitedMs += (arrivalNs - TX_NS - packet.atNs) / 1e6;
    }
  };
  for (const [number, {atNs, flow, ecn}] of sent.entries()) {
    take(atNs);
    if (path.handlePacket('down', BYTES, true, number, atNs, flow, ecn)) continue;
    const result = results[flow];
    if (result !== undefined) result.dropped++;
  }
  take(END_NS);
  return results.map(({waitedMs, ...counts}) => ({...counts, meanMs: waitedMs / counts.served}));
}

const NAMES = ['Not-ECT', 'ECT(1)', 'ECT(0)'];

test.each(
  ROWS.map(row => {
    const flows = row.flows.map(({ecn, burst, intervalUs}) => `${burst} ${NAMES[ecn]} every ${intervalUs} µs`);
    return {row, flows: flows.join(', ')};
  }),
)('DualPI2 drops, marks and delays packets as in Linux: $flows', ({row}) => {
  const runs = Array.from({length: RUNS}, (_, run) => ours(row, run + 1));
  for (const [index, flow] of row.flows.entries()) {
    for (const key of ['dropped', 'marked', 'served', 'meanMs'] as const) {
      const mean = runs.reduce((sum, run) => sum + (run[index]?.[key] ?? 0), 0) / RUNS;
      // four standard errors of the difference of two means, and half a percent
      const chance = 4 * flow.deviation[key] * Math.sqrt(1 / RUNS + 1 / row.runs);
      expect(Math.abs(mean - flow[key]), key).toBeLessThanOrEqual(chance + 0.005 * flow[key]);
    }
  }
});
