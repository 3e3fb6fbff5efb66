import {describe, expect, test} from 'vitest';
import type {Pane} from '../../pipelines/index.ts';
import {DEFAULT_PANES} from '../../run/scenario/pane.ts';
import {parseScenario, type Scenario} from '../../run/scenario/scenario.ts';
import {adviceOf, questionsOf} from './advice.ts';
import {adviceFigure, candidateAt} from './adviceFigure.ts';
import {adviceText, browserText, standingText} from './adviceTexts.ts';
import {AIMS} from './aims.ts';
import {advisedPane, candidatesOf, streamCounts, withPane} from './candidates.ts';
import {freshSeeds, paneGrid} from './paneGrid.ts';
import {rank} from './standing.ts';
import {type SomeTimes, someRows} from './testing/someRows.ts';

const sctp = DEFAULT_PANES[1] as Pane;
const candidates = candidatesOf(sctp, 3);
const options = {pane: sctp, timeLimitMs: 60_000};

/** The times of six seeds. Each is `stepMs` later than the one before. */
const seeds = (firstMs: number, stepMs = 100) => Array.from({length: 6}, (_, i) => firstMs + i * stepMs);
const complete = (times: readonly number[]): readonly SomeTimes[] =>
  times.map(pageTimeMs => ({pageTimeMs, firstPictureMs: pageTimeMs / 2}));
const adviceWith = (timesOf: (streams: number, scheduler: string) => readonly SomeTimes[]) =>
  adviceOf(
    candidates,
    candidates.map(({streams, scheduler}) => someRows(timesOf(streams ?? 0, scheduler ?? ''))),
    options,
  );
const [pageTimeOf, textOf] = [
  (advice: ReturnType<typeof adviceWith>) => advice.aims.find(({aim}) => aim.name === 'pageTime'),
  (advice: ReturnType<typeof adviceWith>) => {
    const own = pageTimeOf(advice);
    return own === undefined ? '' : adviceText(own, advice);
  },
];

describe('the candidates', () => {
  test('have every number of streams up to the number of objects, and the current number, with every scheduler', () => {
    expect(candidates.map(({streams, scheduler}) => `${streams} ${scheduler}`)).toEqual(
      [1, 2, 3, 10].flatMap(streams =>
        ['round-robin', 'first-come', 'weighted', 'scan-aware'].map(word => `${streams} ${word}`),
      ),
    );
    expect(candidates[4]?.pane).toEqual({...sctp, streams: 2, scheduler: 'round-robin'});
  });

  test('have only about a dozen numbers of streams for many objects, none of them above the pipeline’s limit', () => {
    expect(streamCounts(12, 64, null)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]);
    expect(streamCounts(20, 64, 7)).toEqual([1, 2, 3, 4, 6, 7, 8, 11, 16, 20]);
    expect(streamCounts(500, 64, 10).at(-1)).toBe(64);
    expect(streamCounts(0, 64, null)).toEqual([1]);
  });

  test('use no more streams at first than they have', () => {
    const pane = {...sctp, streams: 8, firstStreams: 4} as Pane;
    const firsts = candidatesOf(pane, 6).map(each => ('firstStreams' in each.pane ? each.pane.firstStreams : 0));
    expect(firsts.filter((_, i) => i % 4 === 0)).toEqual([1, 2, 3, 4, 4, 4, 4]);
  });

  test('let the server offer the number of streams that the client asks for', () => {
    const all = candidatesOf({...sctp, streams: 8, serverStreams: 2} as Pane, 6);
    expect(all.map(each => ('serverStreams' in each.pane ? each.pane.serverStreams : 0))).toEqual(all.map(() => null));
  });

  test('are for the first pane that has streams; if there is none, an SCTP pane is added or replaces a pane', () => {
    const side = (...panes: readonly object[]) => advisedPane(scenarioOf({panes}));
    expect(side({pipeline: 'tcp'}, {pipeline: 'h2'}, {pipeline: 'sctp', streams: 3})).toMatchObject({
      number: 2,
      pane: {streams: 3},
    });
    expect(side({pipeline: 'tcp'}, {pipeline: 'h3'})).toMatchObject({number: null, pane: {pipeline: 'sctp'}});
    const none = side({pipeline: 'tcp', profile: 'modern'});
    expect(none).toMatchObject({number: null, pane: {pipeline: 'sctp', profile: 'modern'}});
    const panes = [{pipeline: 'tcp'}, {pipeline: 'udp'}];
    const both = scenarioOf({panes});
    expect(withPane(both, advisedPane(both), sctp, 6).map(({pipeline}) => pipeline)).toEqual(['tcp', 'udp', 'sctp']);
    expect(withPane(both, advisedPane(both), sctp, 2).map(({pipeline}) => pipeline)).toEqual(['tcp', 'sctp']);
  });

  test('become cells of a grid with the scenario’s settings, except its seed', () => {
    const scenario = scenarioOf({seed: 5, path: {loss: 0.03}, timeLimitMs: 7000});
    const grid = paneGrid(scenario, [sctp, sctp], [4, 2]);
    expect(grid).toMatchObject({seeds: [4, 2], base: {seed: 0, timeLimitMs: 7000}});
    expect(grid.axes[0]?.points).toHaveLength(2);
  });

  test('that are best get as many fresh seeds as were used to choose them', () => {
    expect(freshSeeds([1, 2, 3])).toEqual([4, 5, 6]);
    expect(freshSeeds([2, 5])).toEqual([1, 3]);
  });
});

describe('the best', () => {
  test('has the smallest mean', () => {
    const advice = adviceWith((streams, word) =>
      complete(seeds(streams === 2 && word === 'weighted' ? 4000 : 5000 + streams)),
    );
    expect(candidates[pageTimeOf(advice)?.best ?? -1]).toMatchObject({streams: 2, scheduler: 'weighted'});
    expect(textOf(advice)).toBe(
      'Over SCTP (no browser supports it; without TLS), page time T is least with 2 streams, weighted: ' +
        '4.25 ± 0.20 s, the mean of 6 seeds. All others are significantly later. The current setting (10 streams, ' +
        'round-robin) takes 1.01 s longer.',
    );
  });

  test('is the one with the fewest streams if all are equal, and all are then level', () => {
    const advice = adviceWith(() => complete(seeds(5000)));
    expect(pageTimeOf(advice)).toMatchObject({best: 0, now: 12});
    expect(pageTimeOf(advice)?.standings.every(({isLevel, behindMs}) => isLevel && behindMs === 0)).toBe(true);
    expect(textOf(advice)).toBe(
      'Over SCTP (no browser supports it; without TLS), page time T is least with 1 stream, round-robin: ' +
        '5.25 ± 0.20 s, the mean of 6 seeds. With 6 seeds, no other setting is significantly later than the best. ' +
        'The current setting (10 streams, round-robin) may be as good.',
    );
  });

  test('is named with the settings that are not significantly later', () => {
    // with 3 streams, half of the seeds are later than with 2 streams, and half are sooner
    const advice = adviceWith((streams, word) => {
      if (streams === 1 || streams === 10) return complete(seeds(9000));
      if (word !== 'round-robin' && streams === 2) return complete(seeds(word === 'weighted' ? 4900 : 9000, 120));
      return complete(seeds(5000).map((ms, i) => ms + (streams - 2) * (i % 2 === 0 ? 90 : -80)));
    });
    expect(textOf(advice)).toContain('weighted: 5.20 ± ');
    const level = pageTimeOf(advice)?.standings.map(({isLevel}) => isLevel);
    expect(level).toEqual([
      ...Array(4).fill(false),
      true,
      false,
      true,
      false,
      ...Array(4).fill(true),
      ...Array(4).fill(false),
    ]);
    expect(textOf(advice)).toContain(
      ' 2–3 streams, round-robin with 2 streams and 3 other settings are not significantly later than the best ' +
        '(with 6 seeds).',
    );
  });

  test('cannot be distinguished from other candidates with a single seed', () => {
    const advice = adviceWith(streams => complete([5000 + streams]));
    expect(pageTimeOf(advice)?.standings.every(({isLevel}) => isLevel)).toBe(true);
    expect(textOf(advice)).toContain('A single seed cannot show any difference.');
  });

  test('has an exact time if every seed gives the same time', () => {
    const advice = adviceWith((streams, word) => complete(seeds(word === 'weighted' ? 4000 + streams : 4500, 0)));
    expect(textOf(advice)).toBe(
      'Over SCTP (no browser supports it; without TLS), page time T is least with 1 stream, weighted: 4.00 s; every ' +
        'seed gives the same time. All others are later. The current setting (10 streams, round-robin) takes ' +
        '0.499 s longer.',
    );
  });

  test('is followed by a sentence in the singular if one other setting is as good', () => {
    const advice = adviceWith((streams, word) =>
      complete(seeds(streams === 1 && (word === 'weighted' || word === 'first-come') ? 4000 : 4500, 0)),
    );
    expect(textOf(advice)).toMatch(/ (First-come|Weighted) with 1 stream takes exactly as long\./);
  });

  test('has a lead of “less than 0.001 s” if the difference would be shown as 0.000 s', () => {
    const advice = adviceWith((streams, word) =>
      complete(seeds(word === 'weighted' ? 4000 + streams / 10 : 4000.5, 0)),
    );
    expect(textOf(advice)).toContain('(10 streams, round-robin) takes less than 0.001 s longer.');
    const {standings = []} = pageTimeOf(advice) ?? {};
    const now = candidates.findIndex(each => each.streams === 10 && each.scheduler === 'round-robin');
    const [candidate, standing] = [candidates[now], standings[now]];
    expect(candidate && standing && standingText(candidate, standing)).toContain(
      'less than 0.001 s later than the best',
    );
  });

  test('of k candidates leads significantly if the interval at confidence level 1 − 0.05 / (k − 1) excludes 0', () => {
    // the differences have the mean 26 and the standard deviation 10; with 5 degrees of freedom, t is 2.571 for one
    // rival and 4.773 for ten rivals
    const base = seeds(1000);
    const later = base.map((ms, i) => ms + 26 + (i % 2 === 0 ? -10 : 10) * Math.sqrt(5 / 6));
    const two = rank([base, later]);
    expect(two.standings[1]).toMatchObject({behindMs: expect.closeTo(26, 6), isLevel: false});
    expect(two.standings[1]?.behindCi95Ms).toBeCloseTo((2.5706 * 10) / Math.sqrt(6), 2);
    const many = rank([base, ...Array.from({length: 10}, () => later)]);
    expect(many.standings[1]?.behindCi95Ms).toBeCloseTo((4.7733 * 10) / Math.sqrt(6), 2);
  });
});

describe('an aim', () => {
  test('counts as the time limit in loads that never reach it, and a sentence says so', () => {
    const advice = adviceWith(streams =>
      seeds(4000).map((pageTimeMs, i) =>
        streams === 1 && i === 0 ? {pageTimeMs: null} : {pageTimeMs, firstPictureMs: 1},
      ),
    );
    const own = pageTimeOf(advice);
    expect(candidates[own?.best ?? -1]?.streams).toBe(2);
    expect(own?.standings[0]).toMatchObject({
      never: 1,
      meanMs: (60_000 + 4100 + 4200 + 4300 + 4400 + 4500) / 6,
    });
    expect(textOf(advice)).toMatch(
      / In 4 loads in total, over 4 settings, this event never happened\. The time limit is used as their time\.$/,
    );
    expect(own && standingText(candidates[0] as never, own.standings[0] as never).at(-1)).toBe(
      'the event never happened in 1 load',
    );
  });

  test('is listed as absent if a load is complete but has no time for this aim', () => {
    const blind = adviceWith(() => complete(seeds(1000)));
    expect(blind.absent.map(({name}) => name)).toEqual(['recognisable', 'speedIndex']);
    const seen = adviceWith(() => seeds(1000).map(pageTimeMs => ({pageTimeMs, recognisableMs: 900})));
    expect(seen.aims.map(({aim}) => aim.name)).toEqual(['recognisable', 'complete', 'pageTime']);
    const indexed = adviceWith((streams, word) =>
      seeds(1000).map(pageTimeMs => ({
        pageTimeMs,
        speedIndexMs: pageTimeMs - (streams === 3 && word === 'first-come' ? 200 : 100),
      })),
    );
    const index = indexed.aims.find(({aim}) => aim.name === 'speedIndex');
    expect(index && adviceText(index, indexed)).toMatch(/ Speed Index is least with 3 streams, first-come: 1\.05 /);
  });

  test('that was not asked for has no advice, and is not listed as absent either', () => {
    const aims = AIMS.filter(({name}) => name === 'pageTime');
    const rows = candidates.map(() => someRows(complete(seeds(1000))));
    const own = adviceOf(candidates, rows, {...options, aims});
    expect([own.aims.map(({aim}) => aim.name), own.absent]).toEqual([['pageTime'], []]);
  });
});

test('the best protocol of browsers is named with those that are not significantly later', () => {
  const {browsers} = questionsOf(scenarioOf({}), 3);
  const textWith = (timesOf: (name: string) => readonly number[]) => {
    const rows = browsers.map(({name}) => someRows(complete(timesOf(name))));
    const advice = adviceOf(browsers, rows, {...options, pane: null});
    const own = pageTimeOf(advice);
    return own === undefined ? '' : browserText(own, advice);
  };
  expect(textWith(name => seeds(name === 'HTTP/3 (first-come)' ? 400 : 500, 10))).toBe(
    'Among the protocols of browsers, page time T is least with HTTP/3 (first-come): 0.425 ± 0.020 s, the mean of 6 seeds. All ' +
      'others are significantly later.',
  );
  expect(textWith(name => seeds(name.startsWith('HTTP/3') ? 400 : 500, 10))).toContain(
    ' HTTP/3 (first-come), HTTP/3 (weighted) and HTTP/3 (scan-aware) are not significantly later than the best ' +
      '(with 6 seeds).',
  );
  expect(textWith(name => seeds(name.startsWith('HTTP/2 (r') ? 500 : 400, 10))).toContain(
    ' HTTP/2 (first-come), HTTP/2 (weighted), HTTP/2 (scan-aware), HTTP/3 (round-robin) and 3 other ways are not ',
  );
  expect(textWith(() => seeds(400, 10))).toMatch(
    / With 6 seeds, none of the others is significantly later than the best\.$/,
  );
  expect(textWith(() => seeds(400, 0))).toMatch(/ All others take exactly as long\.$/);
});

test('a candidate with a smaller median than the best is named if a few long waits make its mean larger', () => {
  const textWith = (usualMs: number) => {
    const advice = adviceWith((streams, word) =>
      complete(
        streams === 2 && word === 'weighted' ? [usualMs, usualMs, usualMs, usualMs, usualMs, 90_000] : seeds(900, 20),
      ),
    );
    return textOf(advice);
  };
  expect(textWith(500)).toContain(
    ' The median is smallest with 2 streams, weighted: 0.500 s, against 0.950 s for the best. The mean with ' +
      '2 streams, weighted is larger than that of the best, because a few loads wait long.',
  );
  expect(textWith(940)).not.toContain('median');
});

test('the figure has a line for each scheduler and a point for each candidate', () => {
  const advice = adviceWith(streams => complete(seeds(1000 * streams)));
  const own = pageTimeOf(advice);
  const figure = own === undefined ? null : adviceFigure(own, advice);
  expect(figure).toMatchObject({title: 'page time T', x: {places: [1, 2, 3, 10]}});
  expect(figure?.series.map(({name}) => name)).toEqual(['round-robin', 'first-come', 'weighted', 'scan-aware']);
  const points = figure?.marks.kind === 'lines' ? figure.marks.points : [];
  expect(points.map(point => candidateAt(advice, point))).toEqual(candidates.map((_, i) => i));
  const point = points.find(({x, series}) => x === 3 && series === 2);
  expect(point).toMatchObject({y: 3.25, interval: [expect.closeTo(3.0537, 3), expect.closeTo(3.4463, 3)]});
  expect(advice.candidates[candidateAt(advice, {cell: 2, series: 2})]).toMatchObject({
    streams: 3,
    scheduler: 'weighted',
  });
  const {browsers} = questionsOf(scenarioOf({}), 3);
  expect(own && adviceFigure(own, {...advice, candidates: browsers})).toBeNull();
});

function scenarioOf(document: object): Scenario {
  const parsed = parseScenario(document);
  if (!parsed.ok) throw new Error(parsed.problems[0]?.message);
  return parsed.scenario;
}
