import {describe, expect, test} from 'vitest';
import {measure} from '../../app/run/metrics/metrics.ts';
import {estimate} from '../../app/run/metrics/statistics.ts';
import type {Trace} from '../../app/run/trace/trace.ts';
import {betweenArrivalsMs} from '../../app/study/papers/measures.ts';
import {traces} from '../workers/testing/runs.ts';

// These tests compare TCP, UDP and CATP over the link of the paper C03, as its figures 11 to 14 do.

describe('over 100 seeds', () => {
  const SEEDS = Array.from({length: 100}, (_, i) => i + 1);
  const PAGES = ['text-10k', 'text-50k'] as const;
  const path = {rateBps: 80_000, rttMs: 70};
  const panes = ['tcp', 'udp', 'catp'].map(pipeline => ({pipeline}));
  /**
   * Returns for each seed the longest time without a visible change (`still`) and the time that C03 measured (`theirs`,
   * §5), both in seconds.
   */
  const silences = (page: string, loss: number) =>
    SEEDS.map(seed => {
      const [tcp, udp, catp] = traces({page, path: {...path, loss}, panes, discovery: 'complete', seed});
      if (tcp === undefined || udp === undefined || catp === undefined) throw new Error('three panes');
      const of = (trace: Trace, metric: 'silentMs' | 'longestWaitMs') =>
        (measure(trace.data, trace)[metric] ?? Number.NaN) / 1e3;
      const arrivals = (betweenArrivalsMs(catp) ?? Number.NaN) / 1e3;
      const still: Three = [of(tcp, 'silentMs'), of(udp, 'silentMs'), of(catp, 'silentMs')];
      const theirs: Three = [of(tcp, 'longestWaitMs'), of(udp, 'longestWaitMs'), arrivals];
      return {still, theirs};
    });
  const cells = new Map(PAGES.map(page => [page, {low: silences(page, 0.01), high: silences(page, 0.1)}] as const));
  const bySeed = (page: (typeof PAGES)[number], of: (low: Silences, high: Silences) => number) => {
    const {low, high} = cells.get(page) ?? {low: [], high: []};
    return low.map((each, i) => of(each, high[i] ?? each));
  };

  test.each(PAGES)('%s: with more loss, there are more seeds for which TCP’s page stands still for a second', page => {
    expectAbove(
      bySeed(page, (low, high) => isLong(high.still[0]) - isLong(low.still[0])),
      0.15,
    );
  });

  test('both pages: by C03’s measures, loss adds more than twice as many long waits to TCP as to CATP', () => {
    const growth = (side: 0 | 2) =>
      PAGES.flatMap(page => bySeed(page, (low, high) => isLong(high.theirs[side]) - isLong(low.theirs[side])));
    expectAbove(
      differences(
        growth(0),
        growth(2).map(share => 2 * share),
      ),
      0,
    );
  });

  test.each(PAGES)('%s: by C03’s measure, loss makes CATP’s silence longer by less than two round trips', page => {
    const catp = bySeed(page, (low, high) => high.theirs[2] - low.theirs[2]);
    // A round trip takes 70 ms, and a full packet takes 0.15 s on the line. Together this is 0.22 s.
    expectAbove(
      catp.map(s => 2 * 0.22 - s),
      0,
    );
  });

  test('both pages: at 10 % loss, fewer seeds have a wait of a second over UDP than over TCP', () => {
    const longer = PAGES.flatMap(page => bySeed(page, (_, {theirs}) => isLong(theirs[0]) - isLong(theirs[1])));
    expectAbove(longer, 0);
  });

  test('at 10 % loss UDP’s silence is longer than CATP’s, and grows more with the tag distance', () => {
    expectAbove(
      bySeed('text-50k', (_, {theirs}) => theirs[1] - theirs[2]),
      0,
    );
    const still = (page: (typeof PAGES)[number], side: 1 | 2) => bySeed(page, (_, high) => high.still[side]);
    const farther = (side: 1 | 2) => differences(still('text-50k', side), still('text-10k', side));
    const [udp, catp] = [farther(1), farther(2)];
    expectAbove(udp, 2);
    expectAbove(
      differences(
        udp,
        catp.map(s => 4 * s),
      ),
      0,
    );
  });
});

/** One value each for TCP, UDP and CATP. */
type Three = readonly [number, number, number];

interface Silences {
  readonly still: Three;
  readonly theirs: Three;
}

function isLong(s: number): number {
  return Number(s > 1);
}

function differences(a: readonly number[], b: readonly number[]): readonly number[] {
  return a.map((value, i) => value - (b[i] ?? Number.NaN));
}

/** Expects the mean to exceed the limit by three standard errors. By chance this happens once in 700 times. */
function expectAbove(values: readonly number[], limit: number): void {
  const {mean, ci95} = estimate(values);
  expect((mean ?? Number.NaN) - 1.5 * (ci95 ?? Number.NaN)).toBeGreaterThan(limit);
}
