import {expect, test} from 'vitest';
import {measure} from '../../../app/run/metrics/metrics.ts';
import {smallQuality} from '../../../app/run/quality/testing/smallQuality.ts';
import {smallTrace} from '../../../app/run/trace/testing/smallTrace.ts';
import {Trace} from '../../../app/run/trace/trace.ts';
import type {TimelineModel} from './model.ts';
import {layOut} from './plots.ts';
import {PLAIN_MODEL} from './testing/plainModel.ts';
import {tipPlace, tipText} from './tip.ts';

const trace = new Trace(smallTrace());
const model: TimelineModel = {...PLAIN_MODEL, panes: [{trace, metrics: measure(trace.data), label: 'one'}]};
const [plot] = layOut(model);
const [lost, repaired] = [plot?.x(25e6) ?? 0, plot?.x(70e6) ?? 0];
const at = {x: lost, y: (plot?.strip.y ?? 0) + 5};
const loss = {kind: 'loss', trace, packet: 3} as const;

test.each([
  ['before the effect, if there is room', {width: 150, height: 40}, model],
  ['after the effect, if there is room only there', {width: 250, height: 40}, {...model, toNs: 200e6}],
  ['below the graph', {width: 400, height: 40}, model],
])('the tooltip of a loss does not cover the loss’s effect: it is placed %s', (_, size, wanted) => {
  const [plot] = layOut(wanted);
  const [from, to] = [plot?.x(25e6) ?? 0, plot?.x(70e6) ?? 0];
  const {x, y} = tipPlace(wanted, loss, {...at, x: from}, size);
  expect(x).toBeGreaterThanOrEqual(0);
  expect(x + size.width).toBeLessThanOrEqual(wanted.width);
  const bottom = (plot?.strip.y ?? 0) + (plot?.strip.height ?? 0);
  expect(x + size.width < from || x > to || y > bottom).toBe(true);
});

test('a tooltip to the left of the loss is above the pointer, within the picture', () => {
  const {x, y} = tipPlace(model, loss, at, {width: 150, height: 40});
  expect(x + 150).toBeLessThan(lost);
  expect(x + 150).toBeGreaterThan(lost - 30);
  expect(y).toBeLessThan(at.y);
  expect(repaired).toBeGreaterThan(lost);
  expect(tipPlace(model, loss, {...at, y: 3}, {width: 150, height: 40}).y).toBe(0);
});

test('the tooltip of an object is above the pointer and to its right, within the picture', () => {
  const object = {kind: 'object', object: 1} as const;
  const size = {width: 150, height: 20};
  expect(tipPlace(model, object, {x: 300, y: 100}, size)).toEqual({x: 312, y: 68});
  expect(tipPlace(model, object, {x: 790, y: 5}, size)).toEqual({x: 650, y: 0});
});

test('the tooltip of a loss that was never repaired covers no part of the effect', () => {
  const data = smallTrace();
  const packets = {...data.packets, fate: Uint8Array.of(1, 1, 1, 2, 1, 2)};
  const trace = new Trace({...data, packets});
  const wanted = {...model, panes: [{trace, metrics: measure(trace.data), label: 'one'}], toNs: 200e6};
  const [plot] = layOut(wanted);
  expect(trace.blockingOf(3)?.repairedNs).toBeNull();
  const {x} = tipPlace(wanted, {...loss, trace}, {...at, x: plot?.x(25e6) ?? 0}, {width: 250, height: 40});
  expect(x).toBeGreaterThan(plot?.x(70e6) ?? 0);
});

const eye = {quality: smallQuality(), thresholds: {recognisable: 0.6, good: 0.8}};
const seen: TimelineModel = {...model, axis: 'visual', eye};
const line = {kind: 'object', object: 1, trace} as const;

test.each([
  [25, '/image.jpg: 0 % of the bytes, quality 0.00'],
  [30, '/image.jpg: 25 % of the bytes, quality 0.60, recognisable'],
  [75, '/image.jpg: 100 % of the bytes, quality 1.00, complete'],
])('at %i ms the tooltip of an object says how much of it can be seen', (ms, text) => {
  expect(tipText(seen, line, ms * 1e6)).toBe(text);
});

test('the tooltip has no quality without a measurement, and only the address without a pane', () => {
  expect(tipText({...seen, eye: null}, line, 30e6)).toBe('/image.jpg: 25 % of the bytes');
  expect(tipText(seen, {kind: 'object', object: 1}, 30e6)).toBe('/image.jpg');
});
