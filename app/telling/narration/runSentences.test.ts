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

test('the wording does not depend on which pane is ahead, and panes are named in their order', () => {
  expect(end(load(20.2), load(24.2))).toBe('Whole page: TCP at 20.2 s, SCTP at 24.2 s; TCP is 4.0 s ahead.');
  expect(end(load(24.2), load(20.2))).toBe('Whole page: TCP at 24.2 s, SCTP at 20.2 s; SCTP is 4.0 s ahead.');
});

test('times that differ by at most 2 % have no visible difference', () => {
  for (const [a, b] of [
    [20, 20.4],
    [20.4, 20],
    [20, 20],
  ] as const) {
    expect(end(load(a), load(b))).toMatch(/; no visible difference\.$/);
  }
  expect(end(load(20), load(20.5))).toMatch(/; TCP is 0\.50 s ahead\.$/);
});

test('a lead is the difference of the printed times', () => {
  expect(end(load(20.24), load(24.16))).toBe('Whole page: TCP at 20.2 s, SCTP at 24.2 s; TCP is 4.0 s ahead.');
});

test('for three panes the sentence names all that are first, or says that there is no difference', () => {
  expect(end(load(20), load(20.1), load(30))).toMatch(/; TCP and SCTP are ahead\.$/);
  expect(end(load(30), load(20), load(25))).toMatch(/; SCTP is 5\.0 s ahead\.$/);
  expect(end(load(20), load(20.1), load(20.2))).toMatch(/; no visible difference\.$/);
  expect(end(load(20))).toBe('Whole page: TCP at 20.0 s.');
});

test('for more than four panes the sentence names only the first and the last', () => {
  const five = (last: Trace) => ({
    traces: [load(22), load(20), load(21), last, load(23)],
    names: ['one', 'two', 'three', 'four', 'five'],
  });
  expect(endSentence(five(load(30)), null)).toBe('Whole page: two first, at 20.0 s; four last, at 30.0 s.');
  const gone = load(3, 3, {outcome: 'aborted', reason: 'data-timeout'});
  expect(endSentence(five(gone), null)).toMatch(/^Whole page: two first, at 20\.0 s; four never\. four did not /);
});

test('an incomplete load is never ahead, and a sentence gives its outcome', () => {
  const gone = load(3, 3, {outcome: 'aborted', reason: 'data-timeout'});
  expect(end(gone, load(20))).toBe(
    'Whole page: TCP never, SCTP at 20.0 s. TCP did not get the whole page (aborted: data-timeout).',
  );
});

test('the sentence about pictures comes first if pictures were measured', () => {
  expect(endSentence(runOf(load(20, 8), load(24, 6)), EYE)).toBe(
    'The picture recognisable: TCP at 8.0 s, SCTP at 6.0 s; SCTP is 2.0 s ahead. ' +
      'Whole page: TCP at 20.0 s, SCTP at 24.0 s; TCP is 4.0 s ahead.',
  );
});

test('the state of a pane counts pictures by visual quality or by bytes, or gives the share of the bytes', () => {
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

test('the lead at a time is given by recognisable and by complete pictures, or else by bytes', () => {
  const run = runOf(load(20, 8), load(24, 6));
  expect(leadSentence(run, EYE, 5e9)).toBe('No picture can be recognised yet.');
  expect(leadSentence(run, EYE, 7e9)).toBe('SCTP shows 1 picture more; the same number is complete.');
  expect(leadSentence(run, EYE, 21e9)).toBe('All sides show the same number of pictures; TCP has 1 more complete.');
  expect(leadSentence(runOf(load(20, 8), load(24, 21.5)), EYE, 21e9)).toBe(
    'TCP shows 1 picture more and has 1 more complete.',
  );
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

test('the lesson compares one stream with many in either order of panes, and says how objects are sent', () => {
  const panes = (...own: readonly {readonly streams: number; readonly [key: string]: Json}[]) => {
    const parsed = parseScenario({panes: own.map(each => ({pipeline: 'sctp', ...each}))});
    if (!parsed.ok) throw new Error('no scenario');
    return parsed.scenario.panes;
  };
  const [one, many] = [{streams: 1}, {streams: 10}];
  const lossy = new Trace(smallTrace());
  const {packets, ...others} = smallTrace();
  const clean = new Trace({...others, packets: {...packets, fate: packets.fate.with(3, 1)}});
  const lessonFor = (names: readonly string[], own: readonly Pane[], trace = lossy) =>
    lessonSentence({traces: [trace, trace], names}, own);
  const lesson =
    'A sends one object after another, and a lost packet stops all data behind it; ' +
    'B interleaves them, and only the packet’s stream waits.';
  expect(lessonFor(['A', 'B'], panes(one, many))).toBe(lesson);
  expect(lessonFor(['B', 'A'], panes(many, one))).toBe(lesson);
  expect(lessonFor(['A', 'B'], panes(one, many), clean)).toBe(
    'A sends one object after another, B interleaves them; no packet is lost.',
  );
  for (const setting of [{scheduler: 'first-come'}, {fragmentation: false}, {sendBuffer: {objects: 1}}]) {
    const own = panes(one, {...many, ...setting});
    expect(lessonFor(['A', 'B'], own)).toBe(
      'On A a lost packet stops all data behind it; on B only the packet’s stream waits.',
    );
    expect(lessonFor(['A', 'B'], own, clean)).toBe('');
  }
  const parsed = parseScenario({
    panes: [
      {pipeline: 'h2', scheduler: 'round-robin'},
      {pipeline: 'sctp', streams: 10},
    ],
  });
  if (!parsed.ok) throw new Error('no scenario');
  expect(lessonFor(['A', 'B'], parsed.scenario.panes)).toBe(
    'On A a lost packet stops all data behind it; on B only the packet’s stream waits.',
  );
  const onTcp = parseScenario({
    panes: [
      {pipeline: 'tcp', connections: 1},
      {pipeline: 'tcp', connections: 6},
    ],
  });
  if (!onTcp.ok) throw new Error('no scenario');
  expect(lessonFor(['A', 'B'], onTcp.scenario.panes)).toBe(
    'On A a lost packet stops all data behind it; on B only the packet’s connection waits.',
  );
  for (const alike of [panes(one, one), panes(many, many), panes(one, one, one), panes(many, many, many)]) {
    expect(lessonFor(NAMES, alike)).toBe('');
  }
});

test('for more than two panes the lesson groups the panes, and says whether a stream or a connection waits', () => {
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
  const onTcp = panes.filter(({pipeline}) => pipeline !== 'sctp');
  expect(lessonSentence({traces: traces.slice(1), names}, onTcp)).toMatch(
    /; on TCP × 6 only the packet’s connection waits\.$/,
  );
  const three = {traces: traces.slice(1), names: names.slice(1)};
  expect(lessonSentence(three, panes.slice(1))).toMatch(/; on SCTP only the packet’s stream waits\.$/);
  const {packets, ...others} = smallTrace();
  const clean = new Trace({...others, packets: {...packets, fate: packets.fate.with(3, 1)}});
  expect(lessonSentence({traces: panes.map(() => clean), names}, panes)).toBe('');
});

test('the longest delays are given for more than two panes, and only their extremes for more than four', () => {
  const lossy = new Trace(smallTrace());
  const {packets, ...others} = smallTrace();
  const clean = new Trace({...others, packets: {...packets, fate: packets.fate.with(3, 1)}});
  const holdsFor = (...traces: readonly Trace[]) =>
    holdsSentence({traces, names: ['A', 'B', 'C', 'D', 'E'].slice(0, traces.length)});
  expect(holdsFor(lossy, clean, lossy)).toBe(
    'Longest delay by one lost packet: image.jpg on A for 0.030 s, nothing on B, image.jpg on C for 0.030 s.',
  );
  expect(holdsFor(clean, lossy, clean, clean, clean)).toBe(
    'Longest delay by one lost packet: from nothing on E to image.jpg on B for 0.030 s.',
  );
  expect(holdsFor(clean, clean, clean)).toBe('');
  // for two panes the line below each pane gives its delay
  expect(holdsFor(lossy, clean)).toBe('');
});

test('if three or more panes are ahead of fewer others, the sentence names the others', () => {
  const one = runOf(load(20, 8), load(20, 9), load(20, 8));
  const run = {traces: [...one.traces, load(20, 8)], names: [...NAMES, 'UDP']};
  expect(leadSentence(run, EYE, 8.5e9)).toBe('All but SCTP show 1 picture more; the same number is complete.');
  expect(leadSentence(one, EYE, 8.5e9)).toBe('TCP and QUIC show 1 picture more; the same number is complete.');
});

test('the text on losses covers only what has happened until the given time', () => {
  const trace = new Trace(smallTrace());
  // data of the picture waits from 40 to 70 ms for the packet that is lost at 25 ms
  expect(lossText(trace, 24e6)).toBe('nothing lost yet');
  expect(lossText(trace, 40e6)).toBe('lost: 1 with data, 0 without');
  expect(lossText(trace, 60e6)).toBe(
    'lost: 1 with data, 0 without; the one at 0.025 s holds up image.jpg since 0.040 s',
  );
  expect(lossText(trace, 1e9)).toMatch(/ held up image\.jpg for 0\.030 s$/);
});

test('the text on losses names what still waits, although another wait for the same packet is over', () => {
  const {packets, blockedPieces, ...others} = smallTrace();
  // the lost data never arrives: the picture waits from 40 to 70 ms, and the HTML from 50 to 90 ms
  const blocked = {
    endpoint: Uint32Array.of(0, 0),
    stream: Uint32Array.of(0, 0),
    first: Float64Array.of(300, 500),
    bytes: Uint32Array.of(200, 100),
    startNs: Float64Array.of(40e6, 50e6),
    endNs: Float64Array.of(70e6, 90e6),
  };
  const pieces = {row: Uint32Array.of(0, 1), object: Uint32Array.of(1, 0), bytes: Uint32Array.of(200, 100)};
  const fate = packets.fate.map((each, i) => (i > 3 ? 3 : each));
  const trace = new Trace({...others, packets: {...packets, fate}, blocked, blockedPieces: pieces});
  expect(lossText(trace, 60e6)).toMatch(/ holds up 2 objects since 0\.040 s$/);
  expect(lossText(trace, 75e6)).toMatch(/ holds up index\.html since 0\.050 s$/);
});

/** A page that is complete at `endS`. Its picture is recognisable at `seenS`, when its first 90 bytes arrive. */
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
