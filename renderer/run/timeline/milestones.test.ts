import fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import {measure} from '../../../app/run/metrics/metrics.ts';
import {smallQuality} from '../../../app/run/quality/testing/smallQuality.ts';
import {smallTrace} from '../../../app/run/trace/testing/smallTrace.ts';
import {Trace} from '../../../app/run/trace/trace.ts';
import {heading, milestones} from './milestones.ts';
import type {TimelineModel} from './model.ts';
import {paneNames} from './names.ts';
import {layOut} from './plots.ts';
import {PLAIN_MODEL} from './testing/plainModel.ts';

const trace = new Trace(smallTrace());
const metrics = measure(trace.data);

describe('labels of milestones', () => {
  const textsOf = (...ms: Times) => labels([ms], 0).map(({text}) => text);

  test('are before their lines, and that of the page is after its line', () => {
    expect(textsOf(20, 32, 45, 58)).toEqual(['all 25 %', 'all 50 %', 'all 75 %', 'page 0.068 s']);
    const [first, , , page] = labels([[20, 32, 45, 58]], 0);
    const lines = linesOf([[20, 32, 45, 58]], 0);
    expect((lines[0]?.x ?? 0) - (first?.to ?? 0)).toBeCloseTo(0.3 * 12);
    expect((page?.from ?? 0) - (lines[3]?.x ?? 0)).toBeCloseTo(0.3 * 12);
  });

  test('of lines that are close are joined, in order', () => {
    expect(textsOf(50, 51.5, 52.5, 54)).toEqual(['all 25, 50, 75 %', 'page 0.064 s']);
    expect(textsOf(66, 67, 68, 69)).toEqual(['all 25, 50, 75 %, page 0.079 s']);
    // at the same time
    expect(textsOf(40, 40, 40, 40)).toEqual(['all 25, 50, 75 %', 'page 0.050 s']);
  });

  test('are left out from the first one on, if there is no room beside the name', () => {
    expect(textsOf(0, 1, 40, 55)).toEqual(['all 75 %', 'page 0.065 s']);
  });

  test('never cover the line of another milestone, except for the page’s label', () => {
    expect(linesOf([[64.7, 68.1, 90, 100]], 0, 300)).toHaveLength(2);
    expect(labels([[64.7, 68.1, 90, 100]], 0, 300)).toEqual([]);
    // the page's label has no room after its line, and covers another line before its line
    const crowded = [[10, 20, 59, 70]] as const;
    const [page, ...others] = labels(crowded, 0, 450);
    expect(page).toMatchObject({text: 'page 0.080 s', isBefore: true});
    expect(others).toEqual([]);
    expect((linesOf(crowded, 0, 450)[3]?.x ?? 0) - (page?.to ?? 0)).toBeCloseTo(0.3 * 12);
  });

  test('lack that of the page only if the line of the page is at the pane’s name', () => {
    const model = modelOf([[0, 0, 0, 0]]);
    const name = paneNames(model, model.panes)[0]?.right ?? 0;
    const missing = Array.from({length: 70}, (_, ms) => [ms, ms, ms, ms] as const).flatMap(times => {
      const x = linesOf([times], 0)[3]?.x ?? 0;
      return labels([times], 0).length === 0 ? [x - name] : [];
    });
    expect(missing.length).toBeGreaterThan(0);
    expect(Math.max(...missing)).toBeLessThan(1);
  });

  test('do not join the page with lines that are far away', () => {
    const texts = textsOf(50, 53, 56, 60);
    expect(texts.at(-1)).toBe('page 0.070 s');
  });

  test('are only those of the pages if three panes share a graph', () => {
    const three: readonly Times[] = [
      [10, 20, 30, 40],
      [10, 20, 30, 41],
      [10, 20, 30, 42],
    ];
    for (const pane of [0, 1, 2]) {
      expect(labels(three, pane).map(({keys}) => keys)).toEqual([[100]]);
      expect(linesOf(three, pane)).toHaveLength(1);
    }
  });

  test('are in order, beside their own lines, and do not overlap each other', () => {
    const time = fc.double({min: 0, max: 75, noNaN: true});
    const times = fc.tuple(time, time, time, time).map(all => all.sort((a, b) => a - b) as Times);
    fc.assert(
      fc.property(
        fc.array(times, {minLength: 1, maxLength: 2}),
        fc.oneof(fc.integer({min: 250, max: 400}), fc.integer({min: 400, max: 2000})),
        // the end of the time axis; later milestones are not visible
        fc.constantFrom(30e6, 60e6, 80e6),
        (panes, width, toNs) => {
          for (const pane of panes.keys()) {
            const found = labels(panes, pane, width, toNs);
            const lines = linesOf(panes, pane, width, toNs);
            const [name] = paneNames(modelOf(panes, width, toNs), modelOf(panes, width, toNs).panes).slice(pane);
            let [end, last] = [name?.right ?? 0, 0];
            for (const {keys, from, to, isBefore} of found) {
              expect(from).toBeGreaterThan(end);
              expect(to).toBeLessThanOrEqual(width);
              const own = lines.filter(({key}) => keys.includes(key));
              const distance = isBefore ? (own[0]?.x ?? 0) - to : from - (own.at(-1)?.x ?? 0);
              expect(distance).toBeCloseTo(0.3 * 12);
              const foreign = lines.filter(line => !own.includes(line));
              const isPageAlone = found.length === 1 && keys[0] === 100;
              expect(isPageAlone || foreign.every(({x}) => x <= from || x >= to)).toBe(true);
              const percents = keys.map(Number);
              expect([...percents].sort((a, b) => a - b)).toEqual(percents);
              expect(percents[0]).toBeGreaterThan(last);
              [end, last] = [to, percents.at(-1) ?? 0];
            }
          }
        },
      ),
      {numRuns: 300},
    );
  });
});

describe('the visual axis', () => {
  const eye = {quality: smallQuality(), thresholds: {recognisable: 0.6, good: 0.8}};
  const visual = (width: number): TimelineModel => ({
    ...modelOf([[20, 32, 45, 60]], width),
    axis: 'visual',
    eye,
  });
  const told = (width: number) => {
    const [plot] = layOut(visual(width));
    if (plot === undefined) throw new Error('the model has no graph');
    const {note, labels} = heading(visual(width), plot, 0);
    return [note?.text, ...labels.map(({text}) => text)];
  };

  test('has milestones when all pictures are recognisable and good, and when the first screen is complete', () => {
    const [plot] = layOut(visual(800));
    if (plot === undefined) throw new Error('the model has no graph');
    expect(milestones(visual(800), plot, 0).map(({key, seconds}) => [key, seconds])).toEqual([
      ['recognisable', 0.03],
      // 90 %: text is three quarters of the area, and six tenths of the picture are visible
      ['85 % visual', 0.03],
      ['good', 0.07],
      ['100 % visual', 0.07],
    ]);
  });

  test('has the Speed Index in its note: (1 − 0) · 20 + (1 − 0.75) · 10 + (1 − 0.9) · 40 ms', () => {
    expect(told(2000)).toEqual([
      'visual · Speed Index 27 ms',
      'all recognisable 30 ms',
      'visually 85 %',
      'all good 70 ms, complete 70 ms',
    ]);
  });

  test('shortens its note so that the time of the complete page has room', () => {
    expect(told(620)).toEqual(['Speed Index 27 ms', 'complete 70 ms']);
    expect(told(440)).toEqual([undefined, 'complete 70 ms']);
  });

  test('has a label for good only if it has one for recognisable', () => {
    const labels = Array.from({length: 80}, (_, i) => told(400 + 20 * i).join());
    for (const text of labels) expect(/recognisable/.test(text) || !/good/.test(text), text).toBe(true);
  });
});

/** The times of 25, 50, 75 and 100 %Page, ms after the first request. */
type Times = readonly [number, number, number, number];

function modelOf(panes: readonly Times[], width = 800, toNs = 80e6): TimelineModel {
  return {
    ...PLAIN_MODEL,
    panes: panes.map(([p25, p50, p75, p100], i) => ({
      trace,
      metrics: {...metrics, pPageMs: {25: p25, 50: p50, 75: p75, 100: p100}},
      label: `SCTP classic, 1${i} streams`,
    })),
    layout: panes.length > 1 ? 'overlaid' : 'stacked',
    width,
    height: 400,
    toNs,
  };
}

function plotOf(panes: readonly Times[], width: number, toNs: number) {
  const [plot] = layOut(modelOf(panes, width, toNs));
  if (plot === undefined) throw new Error('the model has no graph');
  return plot;
}

function labels(panes: readonly Times[], pane: number, width = 800, toNs = 80e6) {
  return heading(modelOf(panes, width, toNs), plotOf(panes, width, toNs), pane).labels;
}

function linesOf(panes: readonly Times[], pane: number, width = 800, toNs = 80e6) {
  return milestones(modelOf(panes, width, toNs), plotOf(panes, width, toNs), pane);
}
