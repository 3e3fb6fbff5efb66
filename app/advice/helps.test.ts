import {describe, expect, test} from 'vitest';
import {signedRankTest} from '../experiment/signedRank.ts';
import type {Page} from '../page/page.ts';
import {parseScenario, type Scenario} from '../scenario/scenario.ts';
import {adviceOf} from './advice.ts';
import {AIMS} from './aims.ts';
import {advisedPane, candidatesOf} from './candidates.ts';
import {type HelpPlan, helpedBy, helpPlan, isSure, panesOf} from './helps.ts';
import {someRows} from './someRows.ts';
import {usefulConversions, widened} from './widened.ts';
import {doubtText, helpText, seconds} from './words.ts';

const LIMIT_MS = 60_000;
const pageTime = AIMS.filter(({name}) => name === 'pageTime');

/** The advice is 2 streams for the first picture, 1 for T. */
function planOf(panes: readonly object[], conversions: Parameters<typeof helpPlan>[2] = []): HelpPlan {
  const scenario = scenarioOf(panes);
  const {pane} = advisedPane(scenario);
  const candidates = candidatesOf(pane, 2);
  const rows = candidates.map(({streams, scheduler}) => {
    const isFirst = scheduler === 'round-robin';
    const firstPictureMs = isFirst && streams === 2 ? 100 : 200;
    return someRows([{pageTimeMs: isFirst && streams === 1 ? 1000 : 2000, firstPictureMs}]);
  });
  return helpPlan(scenario, adviceOf(candidates, rows, {pane, timeLimitMs: LIMIT_MS}), conversions);
}

const labelsOf = ({changes}: HelpPlan) =>
  changes.map(({side, label, aims}) => `${side} ${label}: ${aims.join()}`);

describe('what could help', () => {
  test('is each thing by itself, for each side that can have it; the best streams for each aim', () => {
    const plan = planOf([{pipeline: 'tcp', tls: true}, {pipeline: 'sctp'}], ['progressive']);
    expect(labelsOf(plan)).toEqual([
      '0 progressive pictures: firstPicture,pageTime',
      '0 SCTP instead, 2 streams, round-robin: firstPicture',
      '0 SCTP instead, 1 stream, round-robin: pageTime',
      '0 a newer stack: firstPicture,pageTime',
      '0 a round trip less: no TLS: firstPicture,pageTime',
      '1 progressive pictures: firstPicture,pageTime',
      '1 2 streams, round-robin: firstPicture',
      '1 1 stream, round-robin: pageTime',
      '1 a newer stack: firstPicture,pageTime',
    ]);
    const [own, ...changed] = panesOf(plan).filter(({pipeline}) => pipeline === 'tcp');
    // one thing each
    for (const pane of changed) {
      const differing = new Set(
        [...Object.entries(pane), ...Object.entries(own ?? {})].map(each => each.join()),
      );
      expect(differing.size - Object.keys(own ?? {}).length).toBe(1);
    }
    expect(plan.absent).toEqual([
      {side: 1, help: 'round-trip', why: 'no setting shortens its set-up (SCTP without TLS)'},
    ]);
  });

  test('is none where a side has it, or the page is not there like that, and says so', () => {
    const plan = planOf([
      {pipeline: 'sctp', streams: 1, profile: 'modern'},
      {pipeline: 'h3', profile: 'modern', zeroRtt: true, conversion: 'progressive'},
      {pipeline: 'udp'},
    ]);
    const reasons = plan.absent.map(({side, help, why}) => `${side} ${help}: ${why}`);
    expect(reasons).toEqual([
      '0 progressive: the page has no pictures that can be made so',
      '0 stack: its stack is the modern one',
      expect.stringMatching(/^0 round-trip: /),
      '1 progressive: its pictures are made progressive already',
      '1 stack: its stack is the modern one',
      '1 round-trip: no setting shortens its set-up (QUIC with TLS 1.3 inside, 0-RTT)',
      '2 progressive: the page has no pictures that can be made so',
      '2 stack: it has one stack here',
      '2 round-trip: it has no set-up',
    ]);
    expect(labelsOf(plan)).toContain('0 2 streams, round-robin: firstPicture');
  });

  test('over SCTP a side keeps its profile and pictures', () => {
    const plan = planOf([
      {pipeline: 'tcp', profile: 'modern', conversion: 'webp'},
      {pipeline: 'sctp', streams: 7},
    ]);
    const [over] = plan.changes.filter(({side, help}) => side === 0 && help === 'streams');
    expect(over?.pane).toMatchObject({pipeline: 'sctp', profile: 'modern', conversion: 'webp', streams: 2});
  });
});

describe('a page is opened', () => {
  const pageOf = (contentType: string): Page => {
    const object = {url: '/', contentType, body: new Uint8Array(1)};
    return {name: 'p', objects: [object], headerBytes: 0, requestBytes: 0};
  };

  test('progressive, too, and as each side has it; one without pictures as it is', () => {
    const scenario = scenarioOf([{pipeline: 'tcp', conversion: 'webp'}, {pipeline: 'sctp'}]);
    const wide = widened(scenario, pageOf('image/png'));
    expect(wide.panes.map(({conversion}) => conversion)).toEqual(['progressive', 'webp']);
    expect(wide.page).toBe(scenario.page);
    expect(widened(scenario, pageOf('text/css'))).toBe(scenario);
  });

  test('and what changed none of its pictures helps nobody', () => {
    const picture = {contentType: 'image/jpeg', body: new Uint8Array(1), tookMs: 1};
    const converted = [
      {conversion: 'progressive', objects: [null, picture]},
      {conversion: 'webp', objects: [null, null]},
    ] as const;
    expect(usefulConversions({...pageOf('image/png'), converted})).toEqual(['progressive']);
    expect(usefulConversions(pageOf('image/png'))).toEqual([]);
  });
});

describe('what is saved', () => {
  const plan = planOf([{pipeline: 'tcp'}]);
  const times = (of: (seed: number) => number | null) =>
    someRows(Array.from({length: 20}, (_, i) => ({pageTimeMs: of(i), firstPictureMs: 1})));
  const saved = (...cells: readonly ((seed: number) => number | null)[]) =>
    helpedBy(plan, cells.map(times), pageTime, LIMIT_MS);

  test('is what the side takes less on the same seeds, with its interval, and the most of it is told', () => {
    // the side; over SCTP for the first picture; over SCTP for T; a newer stack
    const helped = saved(
      seed => 9000 + 300 * seed,
      () => 1,
      seed => 8900 + 300 * seed + (seed % 2) * 200,
      seed => 7000 + 300 * seed + (seed % 3) * 30,
    );
    expect(helped.map(({label}) => label)).toEqual(['SCTP instead, 1 stream, round-robin', 'a newer stack']);
    const [streams, newer] = helped;
    expect(streams).toMatchObject({savedMs: 0, ofMs: 11_850});
    expect(newer?.savedMs).toBeCloseTo(1971.5, 6);
    expect(newer?.ci95Ms).toBeCloseTo(11.7, 0);
    expect([streams, newer].map(each => each !== undefined && isSure(each))).toEqual([false, true]);
    expect(helpText(helped, ['TCP'], 20)).toBe(
      'Most is saved with a newer stack (TCP): 1.97 ± 0.01 s of 11.8 s.',
    );
  });

  test('by what never came is up to the time limit', () => {
    const [streams] = saved(
      seed => (seed === 0 ? null : 5000),
      () => 1,
      () => 5000,
      () => 5000,
    );
    expect(streams).toMatchObject({savedMs: (LIMIT_MS - 5000) / 20, pHolm: 1});
    expect(helpText([], ['TCP'], 2)).toBe('Nothing that was tried helps beyond chance.');
  });

  test('cannot be told from chance with so few seeds that no order of the pairs would be unlikely', () => {
    // two changes, each of which helps every pair: p is 2 / 2^n, and twice that after Holm's correction
    const [six, seven] = [6, 7].map(seeds => {
      const rows = (factor: number) =>
        someRows(
          Array.from({length: seeds}, (_, i) => ({pageTimeMs: factor * (9000 + i), firstPictureMs: 1})),
        );
      return helpedBy(plan, [1, 1, 0.9, 0.8].map(rows), pageTime, LIMIT_MS);
    });
    expect(helpText(seven ?? [], ['TCP'], 7)).toMatch(/^Most is saved with a newer stack/);
    expect(helpText(six ?? [], ['TCP'], 6)).toBe(
      'Nothing can be told from chance with so few seeds: it takes 7 or more.',
    );
  });

  test('is corrected for how much was tried, and exact where every seed gives the same', () => {
    const one = (seed: number) => 9000 - (seed < 15 ? 1 : -1) * (100 + 20 * seed) + seed;
    const other = (seed: number) => 9001 + seed - (seed % 2) * 3;
    const before = (seed: number) => 9000 + seed;
    const helped = saved(before, () => 1, one, other);
    const ps = [one, other].map(of => {
      const pairs = Array.from({length: 20}, (_, seed) => before(seed) - of(seed));
      return signedRankTest(pairs).p ?? 0;
    });
    const [least = 0, most = 0] = [Math.min(...ps), Math.max(...ps)];
    expect(helped.map(({pHolm}) => pHolm)).toEqual(
      ps.map(p => (p === least ? 2 * p : Math.max(most, 2 * least))),
    );
    const exact = saved(
      () => 9000,
      () => 1,
      () => 8999,
      () => 9000,
    );
    expect(exact.map(isSure)).toEqual([true, false]);
    expect(exact.map(doubtText)).toEqual(['', 'the same']);
    expect(exact.map(({pHolm}) => pHolm)).toEqual([null, null]);
  });
});

test('seconds have a minus where they are below 0, and none where they round to it', () => {
  expect([seconds(-1234), seconds(-1), seconds(12_340)]).toEqual(['−1.23 s', '0.00 s', '12.3 s']);
});

function scenarioOf(panes: readonly object[]): Scenario {
  const parsed = parseScenario({panes});
  if (!parsed.ok) throw new Error(parsed.problems[0]?.message);
  return parsed.scenario;
}
