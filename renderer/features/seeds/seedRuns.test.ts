import {describe, expect, test} from 'vitest';
import type {Host} from '../../../app/host/contract.ts';
import {seedsPlan, subjectOf} from '../../session/grid/gridPlan.ts';
import {GridRuns} from '../../session/grid/gridRuns.ts';
import {fakeHost, shown} from '../../session/grid/testing/gridHost.ts';
import {hasToAsk} from './seedRuns.ts';

describe('seeds must be requested', () => {
  const subject = subjectOf(seedsPlan(shown(), null, 1));

  test('if their number changes while they are computed, until the new number is', async () => {
    const {seeds, asked, answer} = started();
    const isToAsk = (count: number) => hasToAsk(seeds.store.getState(), subject, count);
    expect(isToAsk(10)).toBe(true);
    void seeds.ask(seedsPlan(shown(), null, 10));
    expect([isToAsk(10), isToAsk(20), isToAsk(5)]).toEqual([false, true, true]);
    await answer();
    // with more seeds, computing continues beyond the old number
    const more = seeds.ask(seedsPlan(shown(), null, 15));
    await answer();
    await answer();
    expect((await more)?.[0]).toHaveLength(15);
    expect([isToAsk(15), isToAsk(20)]).toEqual([false, true]);
    // with fewer seeds, computing stops
    void seeds.ask(seedsPlan(shown(), null, 30));
    expect((await seeds.ask(seedsPlan(shown(), null, 10)))?.[0]).toHaveLength(10);
    expect(seeds.store.getState()).toMatchObject({isBusy: false});
    expect(isToAsk(10)).toBe(false);
    await answer();
    expect(seeds.store.getState().cells[0]).toHaveLength(15);
    expect(asked.at(-1)?.seeds).toEqual([16, 17, 18, 19, 20]);
  });

  test('if they were cancelled, but not while the typical one of them is searched', async () => {
    const {seeds, answer} = started();
    const isToAsk = (count: number) => hasToAsk(seeds.store.getState(), subject, count);
    void seeds.ask(seedsPlan(shown(), null, 10), 'typical');
    expect([isToAsk(5), isToAsk(20)]).toEqual([false, false]);
    expect(hasToAsk(seeds.store.getState(), subjectOf(seedsPlan(shown({path: {loss: 0.5}}), null, 1)), 10)).toBe(true);
    await answer();
    seeds.cancel();
    expect(isToAsk(10)).toBe(true);
  });
});

function started() {
  const {host, ...rest} = fakeHost();
  return {seeds: new GridRuns(host as unknown as Host, {atOnce: 1}), ...rest};
}
