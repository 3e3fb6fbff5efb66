import {expect, test} from 'vitest';
import type {Json} from '../../../app/base/json.ts';
import {shown} from '../../session/grid/testing/gridHost.ts';
import {axisOptions} from './axisOptions.ts';
import {FIRST_CHOICE, gridOf} from './choice.ts';
import {metricOptions} from './metricOptions.ts';

const {scenario} = shown({panes: [{pipeline: 'tcp'}, {pipeline: 'sctp', streams: 5}]});
const synthetic = shown({page: {synthetic: {objects: 3}}}).scenario;

test('every setting that can be varied has first values that make a grid', () => {
  for (const {key, text} of [...axisOptions(scenario), ...axisOptions(synthetic)]) {
    const of = axisOptions(scenario).some(each => each.key === key) ? scenario : synthetic;
    expect(gridOf({...FIRST_CHOICE, x: {key, isTyped: false, text}}, of), key).toMatchObject({ok: true});
  }
});

test('the numeric settings of panes can be varied, and are listed with the pane’s name', () => {
  const labels = axisOptions(scenario).map(({key, label}) => [key, label]);
  expect(labels).toContainEqual(['panes.1.streams', 'SCTP: streams']);
});

test('the option for an artificial page says that it replaces the current page', () => {
  const of = (each: typeof scenario) => axisOptions(each).find(({key}) => key === 'page.synthetic.objects');
  expect(of(scenario)?.label).toBe('objects of an artificial page');
  expect(of(synthetic)?.label).toBe('objects');
});

test('the option for losses says that it replaces bursts and lists by losses at random', () => {
  const of = (loss: Json) => axisOptions(shown({path: {loss}}).scenario).find(({key}) => key === 'path.loss')?.label;
  expect(of(0.05)).toBe('loss each way, %');
  expect(of({p: 0.0132, r: 0.25})).toBe('loss each way, % at random, not as in this scenario');
  expect(of({down: {packets: [5]}, up: 0})).toBe('loss each way, % at random, not as in this scenario');
  expect(of({down: 0, up: {packets: [5]}})).toBe('loss each way, % at random, not as in this scenario');
  expect(of({packets: [5]})).toBe('loss each way, % at random, not as in this scenario');
});

test('the times from navigation and T are the first metrics, followed by the visual metrics if the page is measured', () => {
  const names = (isSeen: boolean) => metricOptions(isSeen).map(({name}) => name);
  expect(names(false).slice(0, 5)).toEqual(['finishMs', 'fcpMs', 'lcpMs', 'pageTimeMs', 'p25PageMs']);
  expect(names(false)).not.toContain('speedIndexMs');
  expect(names(true).indexOf('speedIndexMs')).toBeLessThan(10);
  expect(new Set(names(true)).size).toBe(names(true).length);
});
