import {expect, test} from 'vitest';
import {Trace} from '../../../../app/run/trace/trace.ts';
import {CAUSE_KINDS, type CauseName} from '../../../../app/run/why/causeKinds.ts';
import type {WhyOptions} from '../../../../app/run/why/criticalPath.ts';
import {objectPaths, pagePath} from '../../../../app/run/why/loadPaths.ts';
import {causeColour} from '../../../../app/study/figures/causeColours.ts';
import {hitTest} from '../hits.ts';
import type {TimelineModel} from '../model.ts';
import {PALETTES} from '../palette.ts';
import {allPlots} from '../plots.ts';
import {drawn} from '../testing/drawn.ts';
import {GOLDEN_MODELS} from '../testing/goldenModels.ts';
import {tipText} from '../tip.ts';

const MS = 1e6;

function model(name: string): TimelineModel {
  const found = GOLDEN_MODELS.find(each => each.name === name);
  if (found === undefined) throw new Error(`no model ${name}`);
  return found.model;
}

const stacked = model('why-stacked');
const [pane] = stacked.panes;
const [plot] = allPlots(stacked);
if (pane === undefined || plot === undefined) throw new Error('the model has no pane');
const rowPx = plot.box.height / 4;
const {trace, why} = pane;
const paths = objectPaths(trace, why as WhyOptions);

/** The rectangles with colours of causes in an object's row of the first graph. */
function barsOf(object: number, shown = stacked) {
  const top = plot === undefined ? 0 : plot.box.y + object * rowPx;
  const colours = new Map(CAUSE_KINDS.map(({name}) => [causeColour(name, 'light'), name]));
  return drawn(shown).rects.flatMap(rect => {
    const cause = colours.get(rect.colour);
    return cause !== undefined && rect.y >= top && rect.y < top + rowPx ? [{...rect, cause}] : [];
  });
}

test('each object has the causes of its path one after the other, from navigation until it is complete', () => {
  for (const object of [0, 1, 2]) {
    const path = paths[object] ?? [];
    const bars = barsOf(object);
    expect(bars.map(({cause}) => cause)).toEqual(path.map(({cause}) => cause));
    for (const [i, {fromNs, untilNs}] of path.entries()) {
      expect(bars[i]?.x).toBeCloseTo(plot.x(fromNs), 0);
      expect(bars[i]?.width).toBeCloseTo(plot.x(untilNs) - plot.x(fromNs), 0);
    }
  }
});

test('a bar is low while its path passes through other objects, and an incomplete object has no bar', () => {
  const path = paths[1] ?? [];
  const bars = barsOf(1);
  const heights = (isOwn: boolean) =>
    bars.filter((_, i) => (path[i]?.object === 1) === isOwn).map(({height}) => height);
  expect(heights(false).length).toBeGreaterThan(0);
  expect(Math.max(...heights(false))).toBeLessThan(Math.min(...heights(true)) / 2);
  expect(barsOf(3)).toEqual([]);
});

const lines = (shown: TimelineModel) =>
  drawn(shown).lines.filter(({colour, width, points}) => {
    return colour === PALETTES.light.text && width === 1.5 && points.length > 2;
  });

test('the line follows the path of the page, or that of the highlighted object', () => {
  const data = {...trace.data, outcome: 'complete' as const};
  const whole = {...stacked, panes: [{...pane, trace: new Trace(data)}]};
  const [tall] = allPlots(whole);
  const rows = (shown: TimelineModel) => {
    const height = (tall?.box.height ?? 0) / 4;
    return [...new Set(lines(shown)[0]?.points.map(({y}) => Math.floor((y - (tall?.box.y ?? 0)) / height)))];
  };
  const through = (path: readonly {readonly object: number}[] | null | undefined) => [
    ...new Set(path?.map(({object}) => object)),
  ];
  expect(rows(whole)).toEqual(through(pagePath(whole.panes[0]?.trace ?? trace, why as WhyOptions)));
  for (const object of [1, 2]) {
    expect(rows({...whole, hovered: new Set([object])})).toEqual(through(paths[object]));
    expect(rows({...whole, selected: object})).toEqual(through(paths[object]));
  }
});

test('objects that are not on the path of the highlighted one are dimmed', () => {
  const shown = {...stacked, hovered: new Set([1])};
  expect(barsOf(2, shown).every(({opacity}) => opacity < 0.5)).toBe(true);
  expect([...barsOf(0, shown), ...barsOf(1, shown)].every(({opacity}) => opacity === 1)).toBe(true);
});

test('the tip names the object, the cause and its length, and the lost packet', () => {
  const at = (ms: number, object: number) => {
    const hit = hitTest(stacked, {x: plot.x(ms * MS), y: plot.box.y + (object + 0.5) * rowPx});
    return hit && tipText(stacked, hit, ms * MS);
  };
  expect(at(50, 1)).toBe('a.jpg (its critical path still passes through index.html): transport’s set-up, 100 ms');
  const lost = paths[1]?.find(({cause}) => (cause as CauseName).startsWith('recovery'));
  expect(at(((lost?.fromNs ?? 0) + (lost?.untilNs ?? 0)) / 2 / MS, 1)).toMatch(
    /^a\.jpg: recovery by .+, \d+ ms, for a lost packet with data of a\.jpg$/,
  );
});

test('the legend has the groups of causes that occur', () => {
  const legend = stacked.view.legend('light', stacked.panes).map(([text]) => text);
  expect(legend).toContain('set-up ■');
  expect(legend).toContain('lost data ■');
  expect(legend).not.toContain('paint ■');
});
