import {describe, expect, test} from 'vitest';
import {smallQuality} from '../quality/testing/smallQuality.ts';
import {smallTrace} from '../trace/testing/smallTrace.ts';
import {Trace} from '../trace/trace.ts';
import type {TraceData} from '../trace/traceData.ts';
import {targetOf as targetSeen, type WhyMetric} from './whyTarget.ts';

const MS = 1e6;
const small = (data: Partial<TraceData> = {}) => new Trace({...smallTrace(), ...data});
const targetOf = (trace: Trace, metric: WhyMetric, seen = {isPaintSeen: true}) => targetSeen(trace, metric, seen);
const eye = (recognisable: number, blocking: readonly number[] = []) => ({
  kind: 'recognisable' as const,
  eye: {quality: {...smallQuality(), blocking}, thresholds: {recognisable, good: 0.95}},
});

describe('all pictures are recognisable', () => {
  test('with the first delivery after which the last picture reaches the threshold', () => {
    expect(targetOf(small(), eye(0.5))).toEqual({ok: true, target: {object: 1, bytes: 100, atNs: 30 * MS}});
    expect(targetOf(small(), eye(0.7))).toEqual({ok: true, target: {object: 1, bytes: 400, atNs: 70 * MS}});
  });

  test('at the end of a style sheet that holds back the first paint for longer', () => {
    const [html, image] = smallTrace().objects;
    const sheet = {...image, url: '/late.css', completeNs: 50 * MS};
    const trace = small({objects: [html, image, sheet].flatMap(object => object ?? []) as TraceData['objects']});
    expect(targetOf(trace, eye(0.5, [2]))).toMatchObject({ok: true, target: {object: 2, atNs: 50 * MS}});
  });

  test('never if a picture ends below the threshold', () => {
    const objects = smallTrace().objects.map(object => ({...object, completeNs: null}));
    const {deliveries} = smallTrace();
    const cut = {
      object: deliveries.object.slice(0, 2),
      atNs: deliveries.atNs.slice(0, 2),
      bytes: deliveries.bytes.slice(0, 2),
      first: deliveries.first.slice(0, 2),
    };
    expect(targetOf(small({objects, deliveries: cut}), eye(0.7))).toEqual({
      ok: false,
      why: '/image.jpg was never recognisable',
    });
  });
});

test('the load finishes with its last object, unless it is incomplete', () => {
  expect(targetOf(small(), {kind: 'finish'})).toEqual({ok: true, target: {object: 1, bytes: 400, atNs: 70 * MS}});
  expect(targetOf(small({outcome: 'aborted', reason: 'data-timeout'}), {kind: 'finish'})).toEqual({
    ok: false,
    why: 'aborted: data-timeout',
  });
});

test('the largest paint is explained by what came last before it, together with the time of the paint', () => {
  const milestones = {fcpNs: 40 * MS, lcpNs: 75 * MS, lcpObject: 1, dclNs: null, loadNs: null};
  expect(targetOf(small({milestones}), {kind: 'lcp'})).toEqual({
    ok: true,
    target: {object: 1, bytes: 400, atNs: 70 * MS, shownNs: 75 * MS},
  });
  const text = {...milestones, lcpNs: 60 * MS, lcpObject: null};
  expect(targetOf(small({milestones: text}), {kind: 'lcp'})).toMatchObject({
    target: {object: 0, bytes: 100, atNs: 20 * MS, shownNs: 60 * MS},
  });
  // a script that came after the paint did not hold it back
  const [html, image] = smallTrace().objects;
  const late = {...image, url: '/late.js', completeNs: 65 * MS};
  const objects = [html, image, late].flatMap(object => object ?? []) as TraceData['objects'];
  expect(targetOf(small({milestones: text, objects}), {kind: 'lcp'})).toMatchObject({target: {object: 0}});
  const unpainted = small({milestones: {...milestones, lcpNs: null}});
  expect(targetOf(unpainted, {kind: 'lcp'})).toEqual({ok: false, why: 'nothing was painted'});
});

test('in a captured load and in older traces, it is not known if anything was painted', () => {
  const notKnown = {ok: false, why: 'it is not known when the page was painted'};
  const milestones = {fcpNs: null, lcpNs: null, lcpObject: null, dclNs: 40 * MS, loadNs: 80 * MS};
  expect(targetOf(small({milestones}), {kind: 'lcp'}, {isPaintSeen: false})).toEqual(notKnown);
  expect(targetOf(small(), {kind: 'lcp'})).toEqual(notKnown);
});

test('an object that the page does not have is named', () => {
  expect(targetOf(small(), {kind: 'object', url: '/x.png'})).toEqual({ok: false, why: 'the page has no object /x.png'});
});
