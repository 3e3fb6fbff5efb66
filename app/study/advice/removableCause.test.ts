import {expect, test} from 'vitest';
import type {Intervened, InterventionName} from '../../run/why/interventions.ts';
import {removableCauses, removableText, type SideLoad} from './removableCause.ts';

/** A load of a pane in which these causes save so much, in ms; half of it is attributed. */
function load(side: number, saved: {readonly [name in InterventionName]?: number | null}): SideLoad {
  const interventions = Object.entries(saved).map(([name, ms]) => {
    const savedNs = ms === null ? null : ms * 1e6;
    return {name, label: `${name} is gone`, attributedNs: (ms ?? 0) * 5e5, savedNs} as unknown as Intervened;
  });
  return {side, interventions};
}

test('means are over all loads of a pane, also over those in which the cause has no time', () => {
  const causes = removableCauses([load(0, {tls: 300}), load(0, {}), load(1, {server: 90}), load(1, {server: 110})]);
  expect(causes).toMatchObject([
    {side: 0, name: 'tls', savedMs: 150, attributedMs: 75, found: 1, loads: 2},
    {side: 1, name: 'server', savedMs: 100, attributedMs: 50, found: 2, loads: 2},
  ]);
});

test('the mean saving leaves out a load that is never complete without the cause', () => {
  const [cause] = removableCauses([load(0, {'no-loss': null}), load(0, {'no-loss': 80})]);
  expect(cause).toMatchObject({savedMs: 80, loads: 2});
});

test('the sentence names the largest saving that is certain and that a site could have', () => {
  const loads = [
    load(0, {'objects-first': 900, tls: 300, dns: 40}),
    load(0, {'objects-first': 900, tls: 310, dns: 40}),
  ];
  expect(removableText(removableCauses(loads), ['TCP'])).toMatch(
    /^The largest cause that can be taken away: if tls is gone, the page of TCP is complete 0\.305 ± 0\.0\d+ s earlier \(the mean of 2 loads; 0\.15[23] s are attributed to it\)\.$/,
  );
  // here the interval of tls reaches below 0
  const unsure = [load(0, {tls: 10, dns: 40}), load(0, {tls: 700, dns: 40})];
  expect(removableText(removableCauses(unsure), ['TCP'])).toContain('if dns is gone');
  expect(removableText(removableCauses([load(0, {tls: -5})]), ['TCP'])).toBe('');
});

test('a lost packet is not named by its number, which differs between loads', () => {
  expect(removableText(removableCauses([load(0, {'lost-packet': 40})]), ['TCP'])).toContain(
    'if the lost packet that cost most time arrives',
  );
});
