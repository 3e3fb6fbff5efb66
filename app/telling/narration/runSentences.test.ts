import {expect, test} from 'vitest';
import type {Json} from '../../base/json.ts';
import type {Pane} from '../../pipelines/index.ts';
import {smallQuality} from '../../run/quality/testing/smallQuality.ts';
import {parseScenario} from '../../run/scenario/scenario.ts';
import {smallTrace} from '../../run/trace/testing/smallTrace.ts';
import {Trace} from '../../run/trace/trace.ts';
import type {TraceData} from '../../run/trace/traceData.ts';
import {
  endSentence,
  holdsSentence,
  leadSentence,
  lessonSentence,
  lossText,
  shortSightText,
  sightText,
} from './runSentences.ts';

const EYE = {quality: smallQuality(), thresholds: {recognisable: 0.5, good: 0.8}};
const NAMES = ['TCP', 'SCTP', 'QUIC'];
const runOf = (...traces: readonly Trace[]) => ({traces, names: NAMES.slice(0, traces.length)});
const end = (...traces: readonly Trace[]) => endSentence(runOf(...traces), null);

test('the same words for whoever is ahead, in the order of the panes', () => {
  expect(end(load(20.2), load(24.2))).toBe('Whole page: TCP at 20.2 s, SCTP at 24.2 s; TCP is 4.0 s ahead.');
  expect(end(load(24.2), load(20.2))).toBe('Whole page: TCP at 24.2 s, SCTP at 20.2 s; SCTP is 4.0 s ahead.');
});

test('what a viewer does not see apart is equal', () => {
  for (const [a, b] of [
    [20, 20.4],
    [20.4, 20],
    [20, 20],
  ] as const) {
    expect(end(load(a), load(b))).toMatch(/; equal to the eye\.$/);
  }
  expect(end(load(20), load(20.5))).toMatch(/; TCP is 0\.50 s ahead\.$/);
});

test('a lead is what the times beside it say', () => {
  expect(end(load(20.24), load(24.16))).toBe('Whole page: TCP at 20.2 s, SCTP at 24.2 s; TCP is 4.0 s ahead.');
});

test('of three, all that are first are named, or that all are equal', () => {
  expect(end(load(20), load(20.1), load(30))).toMatch(/; TCP and SCTP are ahead\.$/);
  expect(end(load(30), load(20), load(25))).toMatch(/; SCTP is 5\.0 s ahead\.$/);
  expect(end(load(20), load(20.1), load(20.2))).toMatch(/; equal to the eye\.$/);
  expect(end(load(20))).toBe('Whole page: TCP at 20.0 s.');
});

test('of more than four, who was first and who was last', () => {
  const five = (last: Trace) => ({
    traces: [load(22), load(20), load(21), last, load(23)],
    names: ['one', 'two', 'three', 'four', 'five'],
  });
  expect(endSentence(five(load(30)), null)).toBe('Whole page: two first, at 20.0 s; four last, at 30.0 s.');
  const gone = load(3, 3, {outcome: 'aborted', reason: 'data-timeout'});
  expect(endSentence(five(gone), null)).toMatch(/^Whole page: two first, at 20\.0 s; four never\. four did not /);
});

test('a load that is not complete is never ahead, and is told', () => {
  const gone = load(3, 3, {outcome: 'aborted', reason: 'data-timeout'});
  expect(end(gone, load(20))).toBe(
    'Whole page: TCP never, SCTP at 20.0 s. TCP did not get the whole page (aborted: data-timeout).',
  );
});

test('what can be seen comes first, where it is known', () => {
  expect(endSentence(runOf(load(20, 8), load(24, 6)), EYE)).toBe(
    'The picture recognisable: TCP at 8.0 s, SCTP at 6.0 s; SCTP is 2.0 s ahead. ' +
      'Whole page: TCP at 20.0 s, SCTP at 24.0 s; TCP is 4.0 s ahead.',
  );
});

test('at t each side tells what it shows, by eye or by bytes', () => {
  const trace = load(20, 8);
  const sight = (tS: number) => sightText(trace, EYE, tS * 1e9);
  expect(sight(7)).toBe('0 of 1 picture recognisable, 0 good, 0 complete; page not complete yet');
  expect(sight(8)).toBe('1 of 1 picture recognisable, 0 good, 0 complete; page not complete yet');
  expect(sight(20)).toBe('1 of 1 picture recognisable, 1 good, 1 complete; page complete at 20.0 s');
  expect(sightText(trace, null, 8e9)).toBe('1 of 1 picture begun, 0 complete; page not complete yet');
  expect(shortSightText(trace, EYE, 8e9)).toBe('1 of 1 recognisable, 0 good, 0 complete');
  expect(shortSightText(trace, null, 8e9)).toBe('1 of 1 begun, 0 complete');
  const gone = load(20, 8, {outcome: 'aborted', reason: 'data-timeout'});
  expect(sightText(gone, EYE, 20e9)).toMatch(/; page never complete$/);
  const text = new Trace({...smallTrace(), endNs: 1e9, objects: smallTrace().objects.slice(0, 1)});
  expect(sightText(text, null, 1e9)).toBe('100 % of the bytes; page complete at 1.0 s');
  expect(shortSightText(text, null, 1e9)).toBe('100 % of the bytes');
});

test('who is ahead at t, by what is seen and by what is complete', () => {
  const run = runOf(load(20, 8), load(24, 6));
  expect(leadSentence(run, EYE, 5e9)).toBe('No picture can be recognised yet.');
  expect(leadSentence(run, EYE, 7e9)).toBe('SCTP shows 1 picture more; the same number is complete.');
  expect(leadSentence(run, EYE, 21e9)).toBe('All sides show the same number of pictures; TCP has 1 more complete.');
  const turned = runOf(load(24, 6), load(20, 8));
  expect(leadSentence(turned, null, 7e9)).toBe('TCP shows 1 picture more; the same number is complete.');
  expect(leadSentence(runOf(load(20, 8), load(20, 8), load(20, 9)), EYE, 8.5e9)).toBe(
    'TCP and SCTP show 1 picture more; the same number is complete.',
  );
  expect(leadSentence(runOf(load(20, 8), load(20, 8)), EYE, 8.5e9)).toBe('All sides show the same number of pictures.');
  expect(leadSentence(runOf(load(20)), EYE, 7e9)).toBe('');
  const text = {...smallTrace(), objects: smallTrace().objects.slice(0, 1)};
  const {deliveries} = text;
  const none = {...text, deliveries: {...deliveries, bytes: deliveries.bytes.map(() => 0)}};
  const texts = [text, none].map(data => new Trace(data));
  expect(leadSentence(runOf(...texts), null, 1e9)).toBe('TCP has 100 % of the bytes more.');
  expect(leadSentence(runOf(...texts), null, 0)).toBe('All sides have the same share of the bytes.');
});

test('the lesson is of one stream beside many, whichever comes first, and of how they send', () => {
  const panes = (...own: readonly {readonly streams: number; readonly [key: string]: Json}[]) => {
    const parsed = parseScenario({panes: own.map(each => ({pipeline: 'sctp', ...each}))});
    if (!parsed.ok) throw new Error('no scenario');
    return parsed.scenario.panes;
  };
  const [one, many] = [{streams: 1}, {streams: 10}];
  const lossy = new Trace(smallTrace());
  const {packets, ...others} = smallTrace();
  const clean = new Trace({...others, packets: {...packets, fate: packets.fate.with(3, 1)}});
  const told = (names: readonly string[], own: readonly Pane[], trace = lossy) =>
    lessonSentence({traces: [trace, trace], names}, own);
  const lesson =
    'A sends one object after another, and a lost packet stops all data behind it; ' +
    'B sends all in turn, and only the packet’s stream waits.';
  expect(told(['A', 'B'], panes(one, many))).toBe(lesson);
  expect(told(['B', 'A'], panes(many, one))).toBe(lesson);
  expect(told(['A', 'B'], panes(one, many), clean)).toBe(
    'A sends one object after another, B sends all in turn; nothing is lost here.',
  );
  for (const setting of [{scheduler: 'first-come'}, {fragmentation: false}, {sendBuffer: {objects: 1}}]) {
    const own = panes(one, {...many, ...setting});
    expect(told(['A', 'B'], own)).toBe(
      'On A a lost packet stops all data behind it; on B only the packet’s stream waits.',
    );
    expect(told(['A', 'B'], own, clean)).toBe('');
  }
  for (const alike of [panes(one, one), panes(many, many), panes(one, one, one), panes(many, many, many)]) {
    expect(told(NAMES, alike)).toBe('');
  }
});

test('of more sides the lesson names all that wait alike, and which part waits on the others', () => {
  const parsed = parseScenario({
    panes: [
      {pipeline: 'tcp', connections: 6, pipelining: false},
      {pipeline: 'h2'},
      {pipeline: 'tcp', connections: 1},
      {pipeline: 'sctp'},
    ],
  });
  if (!parsed.ok) throw new Error(parsed.problems[0]?.message);
  const {panes} = parsed.scenario;
  const traces = panes.map(() => new Trace(smallTrace()));
  const names = ['TCP × 6', 'HTTP/2', 'TCP', 'SCTP'];
  expect(lessonSentence({traces, names}, panes)).toBe(
    'On HTTP/2 and TCP a lost packet stops all data behind it; on TCP × 6 and SCTP only the packet’s stream or connection waits.',
  );
  const three = {traces: traces.slice(1), names: names.slice(1)};
  expect(lessonSentence(three, panes.slice(1))).toMatch(/; on SCTP only the packet’s stream waits\.$/);
  const {packets, ...others} = smallTrace();
  const clean = new Trace({...others, packets: {...packets, fate: packets.fate.with(3, 1)}});
  expect(lessonSentence({traces: panes.map(() => clean), names}, panes)).toBe('');
});

test('of more than two sides, what one lost packet held up longest; of many the most and the least', () => {
  const lossy = new Trace(smallTrace());
  const {packets, ...others} = smallTrace();
  const clean = new Trace({...others, packets: {...packets, fate: packets.fate.with(3, 1)}});
  const told = (...traces: readonly Trace[]) =>
    holdsSentence({traces, names: ['A', 'B', 'C', 'D', 'E'].slice(0, traces.length)});
  expect(told(lossy, clean, lossy)).toBe(
    'Held up longest by one lost packet: image.jpg on A for 0.030 s, nothing on B, image.jpg on C for 0.030 s.',
  );
  expect(told(clean, lossy, clean, clean, clean)).toBe(
    'Held up longest by one lost packet: at most image.jpg on B for 0.030 s, at least nothing on E.',
  );
  expect(told(clean, clean, clean)).toBe('');
  // their own lines tell it
  expect(told(lossy, clean)).toBe('');
});

test('where most sides are ahead, those are named that are not', () => {
  const one = runOf(load(20, 8), load(20, 9), load(20, 8));
  const run = {traces: [...one.traces, load(20, 8)], names: [...NAMES, 'UDP']};
  expect(leadSentence(run, EYE, 8.5e9)).toBe('All but SCTP show 1 picture more; the same number is complete.');
  expect(leadSentence(one, EYE, 8.5e9)).toBe('TCP and QUIC show 1 picture more; the same number is complete.');
});

test('what was lost, and what one loss held up, is told as far as it is known at t', () => {
  const trace = new Trace(smallTrace());
  // data of the picture waits from 40 to 70 ms for the packet that is lost at 25
  expect(lossText(trace, 24e6)).toBe('nothing lost yet');
  expect(lossText(trace, 40e6)).toBe('lost: 1 with data, 0 without');
  expect(lossText(trace, 60e6)).toBe(
    'lost: 1 with data, 0 without; the one at 0.025 s holds up image.jpg since 0.040 s',
  );
  expect(lossText(trace, 1e9)).toMatch(/ held up image\.jpg for 0\.030 s$/);
});

/** The page is whole at `endS`; its picture recognisable when its first 90 bytes come, at `seenS`. */
function load(endS: number, seenS = endS, part: Partial<TraceData> = {}): Trace {
  const data = smallTrace();
  const [index, picture] = data.objects;
  if (index === undefined || picture === undefined) throw new Error('smallTrace() has two objects');
  return new Trace({
    ...data,
    endNs: endS * 1e9,
    objects: [index, {...picture, url: '/a.jpg', completeNs: endS * 1e9}],
    deliveries: {
      object: Uint32Array.of(0, 1, 1),
      atNs: Float64Array.of(0.1e9, seenS * 1e9, endS * 1e9),
      bytes: Float64Array.of(100, 90, 400),
      first: Float64Array.of(0, 0, 90),
    },
    ...part,
  });
}
