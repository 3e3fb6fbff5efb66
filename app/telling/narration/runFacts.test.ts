import {expect, test} from 'vitest';
import type {Json} from '../../base/json.ts';
import {smallQuality} from '../../run/quality/testing/smallQuality.ts';
import {parseScenario} from '../../run/scenario/scenario.ts';
import {FATE} from '../../run/trace/columns.ts';
import {smallTrace} from '../../run/trace/testing/smallTrace.ts';
import {Trace} from '../../run/trace/trace.ts';
import type {TraceData} from '../../run/trace/traceData.ts';
import {
  enoughStreamsText,
  fewStreamsOf,
  firstPictureAt,
  firstPictureText,
  havePictures,
  moreStreamsText,
  noLossText,
  sentAgainCount,
  sentAgainText,
} from './runFacts.ts';

const MS = 1e6;
const EYE = {quality: smallQuality(), thresholds: {recognisable: 0.5, good: 0.8}};
const small = (data: Partial<TraceData> = {}) => new Trace({...smallTrace(), ...data});
const twoOf = (first: Trace, second: Trace) => ({traces: [first, second], names: ['TCP', 'SCTP']});
/** A load without a retransmission, which ends at `endMs`. */
const smooth = (endMs = 70) =>
  small({chunks: {...smallTrace().chunks, retransmission: new Uint8Array(5)}, endNs: endMs * MS});
const scenario = (streams: number) => {
  const parsed = parseScenario({page: 'gallery', panes: [{pipeline: 'tcp'}, {pipeline: 'sctp', streams}]});
  if (!parsed.ok) throw new Error('not valid');
  return parsed.scenario;
};

test('packets that were sent again are counted up to t', () => {
  const run = twoOf(small(), smooth());
  expect(sentAgainText(run, 59 * MS)).toBe('Nothing sent again.');
  expect(sentAgainText(run, 60 * MS)).toBe('Sent again: TCP 1 packet, SCTP 0.');
  expect(sentAgainText(twoOf(smooth(), small()), 60 * MS)).toBe('Sent again: TCP 0 packets, SCTP 1.');
  expect(sentAgainText(run, Number.POSITIVE_INFINITY)).toBe('Sent again in the whole run: TCP 1 packet, SCTP 0.');
});

test('packets that the queue marked are counted from when they left the queue', () => {
  const {packets} = smallTrace();
  const marked = Uint8Array.from(packets.marked, (_, row) => Number(row === 2 || row === 4));
  const run = twoOf(smooth(), small({packets: {...packets, marked}, chunks: smooth().data.chunks}));
  expect(sentAgainText(run, 24 * MS)).toBe('Nothing sent again.');
  expect(sentAgainText(run, 25 * MS)).toBe('Nothing sent again. Marked by the queue (ECN): TCP 0 packets, SCTP 1.');
  expect(sentAgainText(run, 35 * MS)).toMatch(/ SCTP 2\.$/);
});

test('the first complete picture has its time, or is not yet there, or never comes', () => {
  const aborted = small({objects: smallTrace().objects.map(object => ({...object, completeNs: null})), endNs: 65 * MS});
  const run = twoOf(small(), aborted);
  for (const eye of [EYE, null]) {
    expect(firstPictureText(run, eye, 60 * MS)).toBe('First complete picture: TCP not yet, SCTP not yet.');
    expect(firstPictureText(run, eye, 70 * MS)).toBe('First complete picture: TCP at 0.070 s, SCTP never.');
  }
});

test('a text says if no packet was lost although the path loses packets', () => {
  const scenarioOf = (loss: Json) => {
    const parsed = parseScenario({path: {loss}});
    if (!parsed.ok) throw new Error('not valid');
    return parsed.scenario;
  };
  const {fate} = smallTrace().packets;
  const whole = small({packets: {...smallTrace().packets, fate: fate.map(() => FATE.delivered)}});
  expect(noLossText([whole, whole], scenarioOf(0.05))).toMatch(/^With this seed no packet was lost/);
  expect(noLossText([whole, whole], scenarioOf({p: 0.01, r: 0.25}))).toMatch(/^With this seed no packet was lost/);
  expect(noLossText([whole, small()], scenarioOf(0.05))).toBe('');
  expect(noLossText([whole, whole], scenarioOf(0))).toBe('');
});

test('the facts of a single pane are given without its name', () => {
  expect([59, 60].map(ms => sentAgainCount(small(), ms * MS))).toEqual([0, 1]);
  expect([60, 70].map(ms => firstPictureAt(small(), EYE, ms * MS))).toEqual(['not yet', 'at 0.070 s']);
  expect(havePictures([small()], EYE)).toBe(true);
});

test('a page without pictures has no first picture', () => {
  const objects = smallTrace().objects.map(object => ({...object, url: '/text.html'}));
  expect(firstPictureText(twoOf(small({objects}), small({objects})), null, 70 * MS)).toBe('');
});

test('a pane has few streams if it has fewer streams than the page has objects after the HTML', () => {
  const [html, image] = smallTrace().objects;
  const three = small({objects: [html, image, image].flatMap(object => object ?? [])});
  const run = twoOf(three, three);
  expect(fewStreamsOf(run, scenario(1))).toEqual({pane: 1, streams: 1, wanted: 2});
  expect(enoughStreamsText(run, scenario(1))).toBe('');
  expect(fewStreamsOf(run, scenario(2))).toBeNull();
  expect(enoughStreamsText(run, scenario(2))).toBe('More streams would change nothing: on SCTP each object has one.');
});

test('more streams make a page complete sooner, later or at about the same time', () => {
  const few = {pane: 1, streams: 1, wanted: 2};
  const text = (more: Trace, now = smooth(100)) => moreStreamsText(few, 'SCTP', now, more);
  expect(text(smooth(70))).toBe('With 2 streams instead of 1, SCTP would be complete 0.030 s sooner.');
  expect(text(smooth(150))).toBe('With 2 streams instead of 1, SCTP would be complete 0.050 s later.');
  expect(text(smooth(101))).toBe('With 2 streams instead of 1, SCTP would be complete at about the same time.');
  const aborted = small({outcome: 'aborted', reason: 'data-timeout'});
  expect(text(aborted)).toBe('With 2 streams instead of 1, SCTP would not be complete.');
  expect(text(smooth(70), aborted)).toBe('With 2 streams instead of 1, SCTP would be complete at 0.070 s.');
  expect(text(aborted, aborted)).toBe('');
});
