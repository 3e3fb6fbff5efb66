import {describe, expect, test} from 'vitest';
import type {Host} from '../../../app/host/contract.ts';
import {seedsPlan, subjectOf} from '../../session/grid/gridPlan.ts';
import {GridRuns} from '../../session/grid/gridRuns.ts';
import {fakeHost, shown} from '../../session/grid/testing/gridHost.ts';
import {needsRequest} from './seedRuns.ts';

describe('seeds must be requested', () => {
  const subject = subjectOf(seedsPlan(shown(), null, 1));

  test('if another number is chosen while seeds are computed, until that number is requested', async () => {
    const {seeds, asked, answer} = started();
    const isRequestNeeded = (count: number) => needsRequest(seeds.store.getState(), subject, count);
    expect(isRequestNeeded(10)).toBe(true);
    void seeds.ask(seedsPlan(shown(), null, 10));
    expect([isRequestNeeded(10), isRequestNeeded(20), isRequestNeeded(5)]).toEqual([false, true, true]);
    await answer();
    // with more seeds, computing continues beyond the old number
    const more = seeds.ask(seedsPlan(shown(), null, 15));
    await answer();
    await answer();
    expect((await more)?.[0]).toHaveLength(15);
    expect([isRequestNeeded(15), isRequestNeeded(20)]).toEqual([false, true]);
    // with fewer seeds, computing stops
    void seeds.ask(seedsPlan(shown(), null, 30));
    expect((await seeds.ask(seedsPlan(shown(), null, 10)))?.[0]).toHaveLength(10);
    expect(seeds.store.getState()).toMatchObject({isBusy: false});
    expect(isRequestNeeded(10)).toBe(false);
    await answer();
    expect(seeds.store.getState().cells[0]).toHaveLength(15);
    expect(asked.at(-1)?.seeds).toEqual([16, 17, 18, 19, 20]);
  });

  test('if the computation was cancelled, but not during a search for the typical seed', async () => {
    const {seeds, answer} = started();
    const isRequestNeeded = (count: number) => needsRequest(seeds.store.getState(), subject, count);
    void seeds.ask(seedsPlan(shown(), null, 10), 'typical');
    expect([isRequestNeeded(5), isRequestNeeded(20)]).toEqual([false, false]);
    expect(needsRequest(seeds.store.getState(), subjectOf(seedsPlan(shown({path: {loss: 0.5}}), null, 1)), 10)).toBe(
      true,
    );
    await answer();
    seeds.cancel();
    expect(isRequestNeeded(10)).toBe(true);
  });
});

function started() {
  const {host, ...rest} = fakeHost();
  return {seeds: new GridRuns(host as unknown as Host, {atOnce: 1}), ...rest};
}
