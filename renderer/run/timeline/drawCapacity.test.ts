import {expect, test} from 'vitest';
import type {TimelineModel} from './model.ts';
import {PALETTES} from './palette.ts';
import {allPlots} from './plots.ts';
import {drawn} from './testing/drawn.ts';
import {GOLDEN_MODELS} from './testing/goldenModels.ts';

const MS = 1e6;
const found = GOLDEN_MODELS.find(({name}) => name === 'percent-capacity')?.model;
if (found === undefined) throw new Error('no model with a capacity');
const moving: TimelineModel = found;

function areas(model: TimelineModel) {
  const [plot] = allPlots(model);
  const {y = 0, height = 1} = plot?.box ?? {};
  return drawn(model)
    .rects.filter(rect => rect.colour === PALETTES.light.line && Math.abs(rect.y + rect.height - (y + height)) < 0.1)
    .map(rect => ({
      fromMs: Math.round((plot?.x.invert(rect.x) ?? 0) / MS),
      share: Number((rect.height / height).toFixed(2)),
    }));
}

test('the area is as high as the rate, relative to the highest rate in sight', () => {
  expect(areas(moving)).toEqual([
    {fromMs: 0, share: 0.4},
    {fromMs: 150, share: 1},
    {fromMs: 420, share: 0},
    {fromMs: 800, share: 0.2},
  ]);
  expect(areas({...moving, fromNs: 500 * MS})).toEqual([
    {fromMs: 500, share: 0},
    {fromMs: 800, share: 1},
  ]);
  expect(drawn(moving).texts.map(({text}) => text)).toContain('▨ rate down, at most 2.5 Mbit/s');
});

test('the meaning of the area is written once, in the first graph that is not folded', () => {
  const graphsWithText = (...folded: readonly number[]) => {
    const model = {...moving, panes: moving.panes.map((pane, i) => ({...pane, isFolded: folded.includes(i)}))};
    const {texts} = drawn(model);
    return texts
      .filter(({text}) => text.startsWith('▨ rate down'))
      .map(({y}) => allPlots(model).findIndex(({box}) => y >= box.y && y <= box.y + box.height));
  };
  expect(graphsWithText()).toEqual([0]);
  expect(graphsWithText(1)).toEqual([0]);
  expect(graphsWithText(0)).toEqual([1]);
  expect(graphsWithText(0, 1)).toEqual([]);
});

test('nothing is drawn if the rate is constant', () => {
  expect(areas({...moving, capacity: null})).toEqual([]);
  expect(drawn({...moving, capacity: null}).texts.some(({text}) => text.includes('rate down'))).toBe(false);
});
