import {describe, expect, test} from 'vitest';
import type {Page} from '../../page/page.ts';
import {parseScenario, type Scenario} from '../../run/scenario/scenario.ts';
import {signedRankTest} from '../experiment/significance.ts';
import {answersOf, questionsOf} from './advice.ts';
import {doubtText, helpText, rivalText, seconds, withInterval} from './adviceTexts.ts';
import {AIMS} from './aims.ts';
import {usefulConversions, widened} from './helpList.ts';
import {type HelpPlan, helpedBy, helpPlan, isSignificant, panesOf, rivalResults} from './helps.ts';
import {someRows} from './testing/someRows.ts';

const LIMIT_MS = 60_000;
const pageTime = AIMS.filter(({name}) => name === 'pageTime');

/**
 * A plan in which 2 streams are best for the first picture and 1 stream for T. Among the protocols of browsers, HTTP/3
 * is best: with first-come for the first picture, and with round-robin for T.
 */
function planOf(panes: readonly object[], conversions: Parameters<typeof helpPlan>[2] = []): HelpPlan {
  const scenario = scenarioOf(panes);
  const questions = questionsOf(scenario, 2);
  const rows = [...questions.streams, ...questions.browsers].map(({streams, scheduler, pane}) => {
    const isFirst = pane.pipeline === 'h3' ? scheduler === 'first-come' : streams === 2;
    const isLeast = pane.pipeline === 'h3' ? !isFirst : streams === 1;
    const isTurn = scheduler === 'round-robin';
    const firstPictureMs = isFirst && (isTurn || pane.pipeline === 'h3') ? 100 : 200;
    return someRows([{pageTimeMs: isTurn && isLeast ? 1000 : 2000, firstPictureMs}]);
  });
  const aims = AIMS.filter(({name}) => name === 'firstPicture' || name === 'pageTime');
  return helpPlan(scenario, answersOf(questions, rows, {timeLimitMs: LIMIT_MS, aims}), conversions);
}

const labelsOf = ({changes}: HelpPlan) => changes.map(({side, label, aims}) => `${side} ${label}: ${aims.join()}`);

describe('the changes to try', () => {
  test('are all single changes that a pane can have, with the best streams for each aim', () => {
    const plan = planOf([{pipeline: 'tcp', tls: true}, {pipeline: 'sctp'}], ['progressive']);
    expect(labelsOf(plan)).toEqual([
      '0 progressive pictures: firstPicture,pageTime',
      '0 HTTP/3 (first-come) instead: firstPicture',
      '0 HTTP/3 (round-robin) instead: pageTime',
      '0 SCTP instead, 2 streams, round-robin: firstPicture',
      '0 SCTP instead, 1 stream, round-robin: pageTime',
      '0 a newer stack: firstPicture,pageTime',
      '0 no TLS (the cost of TLS): firstPicture,pageTime',
      '1 progressive pictures: firstPicture,pageTime',
      '1 HTTP/3 (first-come) instead: firstPicture',
      '1 HTTP/3 (round-robin) instead: pageTime',
      '1 2 streams, round-robin: firstPicture',
      '1 1 stream, round-robin: pageTime',
      '1 a newer stack: firstPicture,pageTime',
    ]);
    expect(plan.changes.filter(({isOption}) => !isOption).map(({side, label}) => `${side} ${label}`)).toEqual([
      '0 SCTP instead, 2 streams, round-robin',
      '0 SCTP instead, 1 stream, round-robin',
      '0 no TLS (the cost of TLS)',
      ...['progressive pictures', '2 streams, round-robin', '1 stream, round-robin', 'a newer stack'].map(
        label => `1 ${label}`,
      ),
    ]);
    const [own, ...changed] = panesOf(plan).filter(({pipeline}) => pipeline === 'tcp');
    // each changed pane differs from the pane without a change in one setting
    for (const pane of changed) {
      const differing = new Set([...Object.entries(pane), ...Object.entries(own ?? {})].map(each => each.join()));
      expect(differing.size - Object.keys(own ?? {}).length).toBe(1);
    }
    expect(plan.absent).toEqual([
      {side: 1, help: 'round-trip', why: 'no setting shortens its set-up (SCTP without TLS)'},
    ]);
  });

  test('are left out, with a reason, if a pane has them already or the page’s pictures cannot be converted', () => {
    const plan = planOf([
      {pipeline: 'sctp', streams: 1, profile: 'modern'},
      {pipeline: 'h3', profile: 'modern', visit: 'again', conversion: 'progressive'},
      {pipeline: 'udp'},
    ]);
    const reasons = plan.absent.map(({side, help, why}) => `${side} ${help}: ${why}`);
    expect(reasons).toEqual([
      '0 progressive: the page has no pictures that can be made progressive',
      '0 stack: its stack is the modern one already',
      expect.stringMatching(/^0 round-trip: /),
      '1 progressive: its pictures are progressive already',
      '1 stack: its stack is the modern one already',
      '1 round-trip: no setting shortens its set-up (QUIC with TLS 1.3 inside, resumed with 0-RTT)',
      '2 progressive: the page has no pictures that can be made progressive',
      '2 stack: it has only one stack here',
      '2 round-trip: it has no set-up',
    ]);
    expect(labelsOf(plan)).toContain('0 2 streams, round-robin: firstPicture');
  });

  test('name only the scheduler if the pane has HTTP/3 already, and never HTTP/3 if the MTU is too small', () => {
    const plan = planOf([
      {pipeline: 'h3', scheduler: 'round-robin'},
      {pipeline: 'h2', tls: false},
    ]);
    expect(labelsOf(plan).slice(0, 1)).toEqual(['0 scheduler first-come: firstPicture']);
    expect(labelsOf(plan).filter(label => label.startsWith('1 HTTP'))).toHaveLength(2);
    // QUIC needs larger packets than this path has
    const parsed = parseScenario({path: {mtuBytes: 576}, panes: [{pipeline: 'tcp'}]});
    const ways = parsed.ok ? questionsOf(parsed.scenario, 2).browsers.map(({name}) => name) : [];
    expect(ways).toEqual([
      'HTTP/1.1 (six connections)',
      ...['round-robin', 'first-come', 'weighted', 'scan-aware'].map(word => `HTTP/2 (${word})`),
    ]);
  });

  test('let a pane keep its profile and pictures over a protocol of browsers, with TLS', () => {
    const plan = planOf([{pipeline: 'sctp', profile: 'modern', conversion: 'webp'}]);
    const [over] = plan.changes.filter(({help}) => help === 'browser');
    expect(over?.pane).toMatchObject({pipeline: 'h3', profile: 'modern', conversion: 'webp', visit: 'first'});
    const ways = questionsOf(scenarioOf([{pipeline: 'h2', tls: false, profile: 'modern'}]), 2).browsers;
    expect(ways.map(({pane}) => ('tls' in pane ? pane.tls : 'QUIC'))).toEqual([
      ...Array(5).fill(true),
      ...Array(4).fill('QUIC'),
    ]);
    expect(ways[0]?.pane).toMatchObject({connections: 6, pipelining: false, profile: 'modern'});
  });

  test('let a pane keep its profile and pictures over SCTP', () => {
    const plan = planOf([
      {pipeline: 'tcp', profile: 'modern', conversion: 'webp'},
      {pipeline: 'sctp', streams: 7},
    ]);
    const [over] = plan.changes.filter(({side, help}) => side === 0 && help === 'streams');
    expect(over?.pane).toMatchObject({pipeline: 'sctp', profile: 'modern', conversion: 'webp', streams: 2});
  });
});

describe('the conversions of a page', () => {
  const pageOf = (contentType: string): Page => {
    const object = {url: '/', contentType, body: new Uint8Array(1)};
    return {name: 'p', objects: [object], headerBytes: 0, requestBytes: 0};
  };

  test('are the progressive one and those of all panes; a page without pictures has no conversion', () => {
    const scenario = scenarioOf([{pipeline: 'tcp', conversion: 'webp'}, {pipeline: 'sctp'}]);
    const wide = widened(scenario, pageOf('image/png'));
    expect(wide.panes.map(({conversion}) => conversion)).toEqual(['progressive', 'webp']);
    expect(wide.page).toBe(scenario.page);
    expect(widened(scenario, pageOf('text/css'))).toBe(scenario);
  });

  test('are useful only if they changed at least one picture', () => {
    const picture = {contentType: 'image/jpeg', body: new Uint8Array(1), tookMs: 1};
    const converted = [
      {conversion: 'progressive', objects: [null, picture]},
      {conversion: 'webp', objects: [null, null]},
    ] as const;
    expect(usefulConversions({...pageOf('image/png'), converted})).toEqual(['progressive']);
    expect(usefulConversions(pageOf('image/png'))).toEqual([]);
  });
});

describe('a saving', () => {
  const whole = planOf([{pipeline: 'tcp'}]);
  const plan = {...whole, changes: whole.changes.filter(({help}) => help !== 'browser')};
  const times = (of: (seed: number) => number | null) =>
    someRows(Array.from({length: 20}, (_, i) => ({pageTimeMs: of(i), firstPictureMs: 1})));
  const saved = (...cells: readonly ((seed: number) => number | null)[]) =>
    helpedBy(plan, cells.map(times), pageTime, LIMIT_MS);

  test('is the mean difference over the same seeds, with its interval, and the largest saving is named', () => {
    // the times of the pane, then those with each change: SCTP for the first picture, SCTP for T, a newer stack
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
    expect([streams, newer].map(each => each !== undefined && isSignificant(each))).toEqual([false, true]);
    expect(helpText(helped, ['TCP'], 20)).toBe(
      'The largest saving is with a newer stack (TCP): 1.97 ± 0.01 s of 11.8 s.',
    );
  });

  test('is named first for the changes that a site could choose, and never for leaving out TLS', () => {
    const side = planOf([{pipeline: 'tcp', tls: true}]);
    // the times of the pane, then those with each change: HTTP/3 for the first picture and for T, SCTP for both, a
    // newer stack, no TLS
    const cells = [900, 1, 800, 1, 750, 850, 500].map(ms => times(seed => (ms === 1 ? 1 : ms + seed)));
    const helped = helpedBy(side, cells, pageTime, LIMIT_MS);
    expect(helped.map(({savedMs}) => savedMs)).toEqual([100, 150, 50, 400]);
    expect(helpText(helped, ['TCP'], 20)).toBe(
      'The largest saving is with HTTP/3 (round-robin) instead (TCP): 0.100 ± 0.000 s of 0.909 s. A change that no ' +
        'browser supports would save more: SCTP instead, 1 stream, round-robin (TCP): 0.150 ± 0.000 s of 0.909 s.',
    );
    const [, sctp, , noTls] = helped;
    expect(
      helpText(
        [sctp, noTls].flatMap(each => each ?? []),
        ['TCP'],
        20,
      ),
    ).toMatch(
      /^No change that a site could choose saves a significant time\. A change that no browser supports would save more: SCTP/,
    );
  });

  test('of the best streams against the best protocol of browsers is computed over the same seeds', () => {
    const pair = (browser: (seed: number) => number, streams: (seed: number) => number) => {
      const before = Array.from({length: whole.sides.length + whole.changes.length}, () => times(() => 1));
      const rows = [...before, ...[() => 1, () => 1, browser, streams].map(times)];
      const [result] = rivalResults(whole, rows, pageTime, LIMIT_MS);
      return result === undefined ? '' : rivalText(result);
    };
    expect(
      pair(
        seed => 400 + seed,
        seed => 390 + 1.1 * seed,
      ),
    ).toBe(
      'Over SCTP (no browser supports it; without TLS), with 1 stream, round-robin it takes 0.009 ± 0.000 s less ' +
        'than with HTTP/3 (round-robin).',
    );
    expect(
      pair(
        seed => 400 + seed,
        seed => 401 + seed + (seed % 2) * 30 - 15,
      ),
    ).toMatch(/ it takes 0\.001 ± 0\.007 s longer than with HTTP\/3 \(round-robin\), which may be due to chance\.$/);
    expect(
      pair(
        () => 400,
        () => 400,
      ),
    ).toMatch(/ it takes exactly as long as with HTTP\/3 \(round-robin\)\.$/);
  });

  test('counts a load that never reached the event as the time limit', () => {
    const [streams] = saved(
      seed => (seed === 0 ? null : 5000),
      () => 1,
      () => 5000,
      () => 5000,
    );
    expect(streams).toMatchObject({savedMs: (LIMIT_MS - 5000) / 20, pHolm: 1});
    expect(helpText([], ['TCP'], 2)).toBe('No change that a site could choose saves a significant time.');
  });

  test('is never significant if there are too few seeds to rule out chance', () => {
    // two changes, each of which helps every pair: p is 2 / 2^n, and twice that after Holm's correction
    const [six, seven] = [6, 7].map(seeds => {
      const rows = (factor: number) =>
        someRows(Array.from({length: seeds}, (_, i) => ({pageTimeMs: factor * (9000 + i), firstPictureMs: 1})));
      return helpedBy(plan, [1, 1, 0.9, 0.8].map(rows), pageTime, LIMIT_MS);
    });
    expect(helpText(seven ?? [], ['TCP'], 7)).toMatch(/^The largest saving is with a newer stack/);
    expect(helpText(six ?? [], ['TCP'], 6)).toBe(
      'With so few seeds every difference may be due to chance. At least 7 seeds are needed.',
    );
  });

  test('is corrected for the number of changes that were tried, and is exact if every seed gives the same time', () => {
    const one = (seed: number) => 9000 - (seed < 15 ? 1 : -1) * (100 + 20 * seed) + seed;
    const other = (seed: number) => 9001 + seed - (seed % 2) * 3;
    const before = (seed: number) => 9000 + seed;
    const helped = saved(before, () => 1, one, other);
    const ps = [one, other].map(of => {
      const pairs = Array.from({length: 20}, (_, seed) => before(seed) - of(seed));
      return signedRankTest(pairs).p ?? 0;
    });
    const [least = 0, most = 0] = [Math.min(...ps), Math.max(...ps)];
    expect(helped.map(({pHolm}) => pHolm)).toEqual(ps.map(p => (p === least ? 2 * p : Math.max(most, 2 * least))));
    const exact = saved(
      () => 9000,
      () => 1,
      () => 8999,
      () => 9000,
    );
    expect(exact.map(isSignificant)).toEqual([true, false]);
    expect(exact.map(doubtText)).toEqual(['', 'the same']);
    expect(exact.map(({pHolm}) => pHolm)).toEqual([null, null]);
  });
});

test('negative seconds have a minus sign, unless they are rounded to 0', () => {
  expect([seconds(-1234), seconds(-0.1), seconds(12_340)]).toEqual(['−1.23 s', '0.000 s', '12.3 s']);
});

test('times below a second are written to the millisecond; a time and its interval have equally many decimals', () => {
  expect([seconds(446), seconds(999.9), seconds(1000)]).toEqual(['0.446 s', '1.000 s', '1.00 s']);
  expect([withInterval(446, 12.3), withInterval(1970, 8), withInterval(60, 2000)]).toEqual([
    '0.446 ± 0.012 s',
    '1.97 ± 0.01 s',
    '0.06 ± 2.00 s',
  ]);
});

function scenarioOf(panes: readonly object[]): Scenario {
  const parsed = parseScenario({panes});
  if (!parsed.ok) throw new Error(parsed.problems[0]?.message);
  return parsed.scenario;
}
