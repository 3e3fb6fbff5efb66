import {expect, test} from 'vitest';
import type {Point} from './drawing.ts';
import {hitTest} from './hits.ts';
import {markPlaces} from './markPlaces.ts';
import type {TimelineModel} from './model.ts';
import {allPlots} from './plots.ts';
import {drawn} from './testing/drawn.ts';
import {GOLDEN_MODELS} from './testing/goldenModels.ts';

function modelOf(name: string): TimelineModel {
  const found = GOLDEN_MODELS.find(each => each.name === name);
  if (found === undefined) throw new Error(`there is no model ${name}`);
  return found.model;
}

test('the picture has a mark of each kind where the places say', () => {
  const model = modelOf('percent-stacked');
  const places = markPlaces(model, 500e6);
  expect([...places.keys()].sort()).toEqual(['line', 'loss', 'milestone', 'now', 'repair', 'wait']);
  const at = (kind: Parameters<typeof places.get>[0]) => places.get(kind) ?? {x: -1, y: -1};
  expect(hitTest(model, at('loss'))?.kind).toBe('loss');
  expect(hitTest(model, at('line'))?.kind).toBe('object');
  const {lines, rects} = drawn(model);
  const rectsAt = ({x, y}: Point) =>
    rects.filter(rect => x >= rect.x && x <= rect.x + rect.width && y >= rect.y && y <= rect.y + rect.height);
  expect(rectsAt(at('repair'))).toEqual([expect.objectContaining({width: 3, opacity: 1})]);
  expect(rectsAt(at('wait'))).toEqual([expect.objectContaining({opacity: 0.22})]);
  const {x, y} = at('milestone');
  const dotted = lines.filter(({dash, points}) => dash !== '' && points.every(point => Math.abs(point.x - x) < 0.1));
  expect(dotted[0]?.points[0]?.y).toBeLessThan(y);
  expect(dotted[0]?.points[1]?.y).toBeGreaterThan(y);
  expect(allPlots(model)[0]?.x.invert(at('now').x)).toBeCloseTo(500e6, 0);
});

test('there is no mark after the revealed time', () => {
  const model = modelOf('percent-stacked');
  for (const untilNs of [0, 100e6, 300e6, 600e6]) {
    const places = markPlaces({...model, revealNs: untilNs}, untilNs);
    const now = places.get('now')?.x ?? 0;
    for (const [kind, {x}] of places) expect(x, kind).toBeLessThanOrEqual(now + 0.5);
  }
});

test('in other views and in one graph of all panes, only t is found', () => {
  for (const name of ['waterfall-stacked', 'percent-overlaid']) {
    expect([...markPlaces(modelOf(name), 500e6).keys()]).toEqual(['now']);
  }
});
