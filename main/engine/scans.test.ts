import {readFileSync} from 'node:fs';
import {expect, test} from 'vitest';
import {estimate} from '../../app/metrics/statistics.ts';
import {scanEnds} from '../../app/page/scanEnds.ts';
import type {Trace} from '../../app/trace/trace.ts';
import {traces} from './fixture.ts';

// What a server gains that knows where scans end, over 40 seeds. What the eye gains takes a browser (`run --visual`).

const SEEDS = Array.from({length: 40}, (_, i) => i + 1);
const path = {rateBps: 1_000_000, rttMs: 350, loss: 0.03};

test.each([
  ['h2', {pipeline: 'h2', profile: 'modern'}, 0.1],
  ['h3', {pipeline: 'h3', profile: 'modern'}, 0.1],
  // a message ends where a scan does, so that other packets are lost: what differs is mostly luck
  ['sctp', {pipeline: 'sctp', profile: 'modern', server: 'interleaving'}, 0.2],
])(
  'on %s scan-aware has the first scans of all pictures sooner than in turn, and the page as soon',
  (_, pane, most) => {
    const panes = ['round-robin', 'scan-aware'].map(scheduler => ({...pane, scheduler}));
    const pairs = SEEDS.map(seed => traces({page: 'gallery', path, panes, seed}) as [Trace, Trace]);
    const share = (of: (trace: Trace) => number) =>
      estimate(pairs.map(([inTurn, byScan]) => Math.log(of(byScan) / of(inTurn))));
    // as logarithms, as a tail of timeouts would tell of itself alone; by three standard errors, either way
    const [first, whole] = [share(firstScansNs), share(({data}) => data.endNs)];
    expect((first.mean ?? 0) + 1.5 * (first.ci95 ?? Number.NaN)).toBeLessThan(0);
    expect(Math.abs(whole.mean ?? 0) + 1.5 * (whole.ci95 ?? Number.NaN)).toBeLessThan(most);
  },
);

/** When the last picture has its first scan. */
function firstScansNs(trace: Trace): number {
  const times = trace.objects.flatMap(({url}, object) => {
    if (!url.endsWith('.jpg')) return [];
    const bytes = firstScanBytes(url);
    const {atNs, bytes: delivered} = trace.deliveriesOf(object);
    return [atNs[delivered.findIndex(each => each >= bytes)] ?? Number.NaN];
  });
  return Math.max(...times);
}

function firstScanBytes(url: string): number {
  return scanEnds(readFileSync(`fixtures/pages/gallery${url}`))[0] ?? 0;
}
