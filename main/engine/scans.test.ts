import {readFileSync} from 'node:fs';
import {expect, test} from 'vitest';
import type {Json} from '../../app/base/json.ts';
import {scanEnds} from '../../app/page/scanEnds.ts';
import {estimate} from '../../app/run/metrics/statistics.ts';
import type {Trace} from '../../app/run/trace/trace.ts';
import {traces} from '../workers/testing/runs.ts';

// These tests compare servers that know the ends of scans with servers that do not, over 40 seeds. Visual metrics are
// not compared, because they need a browser (`run --visual`).

const SEEDS = Array.from({length: 40}, (_, i) => i + 1);
const path = {rateBps: 1_000_000, rttMs: 350, loss: 0.03};

const H2 = {pipeline: 'h2', profile: 'modern'};
const H3 = {pipeline: 'h3', profile: 'modern'};
const SCTP = {pipeline: 'sctp', profile: 'modern', server: 'interleaving'};

test.each([
  ['h2', 'sooner', H2, 0],
  ['h3', 'sooner', H3, 0],
  // Every scheduler of SCTP fills its packets, and most first scans fit in the first packet of their picture.
  ['sctp', 'at most 3 % later', SCTP, 0.03],
])(
  'on %s scan-aware delivers the first scans of all pictures %s than round-robin, and the page takes equally long',
  (_, __, pane, mostFirst) => {
    const pairs = pairsOf('gallery', pane);
    // Both comparisons allow for three standard errors.
    const [first, whole] = [share(pairs, firstScansNs), share(pairs, ({data}) => data.endNs)];
    expect(first.mean + 1.5 * first.ci95).toBeLessThan(mostFirst);
    expect(Math.abs(whole.mean) + 1.5 * whole.ci95).toBeLessThan(0.05);
  },
);

test.each([
  ['h2', H2],
  ['sctp', SCTP],
])('on %s scan-aware makes all pictures of 15 KB recognisable sooner than round-robin, on average', (_, pane) => {
  const {mean} = share(pairsOf('gallery-15k', pane), trace =>
    lastNs(trace, url => RECOGNISABLE_BYTES.get(url) ?? Number.NaN),
  );
  expect(mean).toBeLessThan(0);
});

/** Returns for each seed the traces with round-robin and with scan-aware. */
function pairsOf(page: string, pane: {readonly [key: string]: Json}): readonly (readonly [Trace, Trace])[] {
  const panes = ['round-robin', 'scan-aware'].map(scheduler => ({...pane, scheduler}));
  return SEEDS.map(seed => traces({page, path, panes, seed}) as [Trace, Trace]);
}

/**
 * Returns the mean logarithm of the ratio of times, scan-aware to round-robin. Without logarithms a few timeouts would
 * dominate the mean.
 */
function share(
  pairs: readonly (readonly [Trace, Trace])[],
  of: (trace: Trace) => number,
): {readonly mean: number; readonly ci95: number} {
  const {mean, ci95} = estimate(pairs.map(([inTurn, byScan]) => Math.log(of(byScan) / of(inTurn))));
  return {mean: mean ?? Number.NaN, ci95: ci95 ?? Number.NaN};
}

/** Returns the time at which the last picture has its first scan. */
function firstScansNs(trace: Trace): number {
  return lastNs(trace, url => scanEnds(readFileSync(`fixtures/pages/gallery${url}`))[0] ?? Number.NaN);
}

/** Returns the time at which every picture has at least as many bytes as `bytesOf` returns for its URL. */
function lastNs(trace: Trace, bytesOf: (url: string) => number): number {
  const times = trace.objects.flatMap(({url}, object) => {
    if (!url.endsWith('.jpg')) return [];
    const bytes = bytesOf(url);
    const {atNs, bytes: delivered} = trace.deliveriesOf(object);
    return [atNs[delivered.findIndex(each => each >= bytes)] ?? Number.NaN];
  });
  return Math.max(...times);
}

/**
 * Bytes with which Chromium shows the pictures of gallery-15k at an SSIM of 0.65 (`run --visual`). Four pictures need
 * more than their first scan.
 */
const RECOGNISABLE_BYTES: ReadonlyMap<string, number> = new Map(
  Object.entries({
    '/lighthouse.jpg': 2365,
    '/lake.jpg': 2022,
    '/dunes.jpg': 1704,
    '/planet.jpg': 2253,
    '/city.jpg': 2153,
    '/aurora.jpg': 2198,
    '/flower.jpg': 2343,
    '/balloons.jpg': 1977,
    '/boat.jpg': 2058,
    '/autumn.jpg': 2445,
  }),
);
