import {expect, test} from 'vitest';
import {measure} from '../../../app/run/metrics/metrics.ts';
import {smallQuality} from '../../../app/run/quality/testing/smallQuality.ts';
import {smallTrace} from '../../../app/run/trace/testing/smallTrace.ts';
import {Trace} from '../../../app/run/trace/trace.ts';
import type {TimelineModel} from './model.ts';
import {tipText} from './tipText.ts';
import {percent} from './views/percent.ts';

const trace = new Trace(smallTrace());
const eye = {quality: smallQuality(), thresholds: {recognisable: 0.6, good: 0.8}};
const model: TimelineModel = {
  panes: [{trace, metrics: measure(trace.data), label: 'one'}],
  view: percent,
  axis: 'visual',
  eye,
  layout: 'stacked',
  theme: 'light',
  hovered: new Set(),
  selected: null,
  changes: [],
  width: 800,
  height: 300,
  fontPx: 12,
  fromNs: 0,
  toNs: 80e6,
};
const line = {kind: 'object', object: 1, trace} as const;

test.each([
  [25, '/image.jpg: 0 % of the bytes, quality 0.00'],
  [30, '/image.jpg: 25 % of the bytes, quality 0.60, recognisable'],
  [75, '/image.jpg: 100 % of the bytes, quality 1.00, complete'],
])('at %i ms of its line an object is told with what is to be seen of it', (ms, text) => {
  expect(tipText(model, line, ms * 1e6)).toBe(text);
});

test('what is not measured, or no pane’s, is told without', () => {
  expect(tipText({...model, eye: null}, line, 30e6)).toBe('/image.jpg: 25 % of the bytes');
  expect(tipText(model, {kind: 'object', object: 1}, 30e6)).toBe('/image.jpg');
});
