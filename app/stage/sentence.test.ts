import {expect, test} from 'vitest';
import {smallQuality} from '../quality/smallQuality.ts';
import {smallTrace} from '../trace/smallTrace.ts';
import {Trace} from '../trace/trace.ts';
import type {TraceData} from '../trace/traceData.ts';
import {endSentence, holdSentence, nowSentence} from './sentence.ts';

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
  expect(end(load(20.24), load(24.16))).toBe(
    'Whole page: TCP at 20.2 s, SCTP at 24.2 s; TCP is 4.0 s ahead.',
  );
});

test('of three, all that are first are named, or that all are equal', () => {
  expect(end(load(20), load(20.1), load(30))).toMatch(/; TCP and SCTP are ahead\.$/);
  expect(end(load(30), load(20), load(25))).toMatch(/; SCTP is 5\.0 s ahead\.$/);
  expect(end(load(20), load(20.1), load(20.2))).toMatch(/; equal to the eye\.$/);
  expect(end(load(20))).toBe('Whole page: TCP at 20.0 s.');
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

test('at t the sides are counted, by eye or by bytes', () => {
  const run = runOf(load(20, 8), load(24, 6));
  const now = (tS: number) => nowSentence(run, EYE, tS * 1e9);
  expect(now(7)).toBe(
    'Recognisable of 1 picture: TCP 0, SCTP 1; SCTP shows 1 more. Complete: TCP 0, SCTP 0.',
  );
  expect(now(21)).toBe('Recognisable of 1 picture: TCP 1, SCTP 1. Complete: TCP 1, SCTP 0.');
  expect(nowSentence(run, null, 7e9)).toBe(
    'Begun of 1 picture: TCP 0, SCTP 1; SCTP shows 1 more. Complete: TCP 0, SCTP 0.',
  );
  const text = new Trace({...smallTrace(), endNs: 1e9, objects: smallTrace().objects.slice(0, 1)});
  expect(nowSentence(runOf(text), null, 1e9)).toBe('Of the page’s bytes: TCP 100 %.');
});

test('a name with numbers of its own is not misread', () => {
  const run = {traces: [load(20, 8), load(24, 6)], names: ['SCTP 1 stream', 'SCTP 2 streams']};
  expect(nowSentence(run, EYE, 7e9)).toMatch(
    /^Recognisable of 1 picture: SCTP 1 stream: 0, SCTP 2 streams: 1; SCTP 2 streams shows 1 more\./,
  );
});

test('what one loss held up is told as far as it is known at t', () => {
  const run = runOf(new Trace(smallTrace()));
  // data of the picture waits from 40 to 70 ms for the packet that is lost at 25
  expect(holdSentence(run, 40e6)).toBe('');
  expect(holdSentence(run, 60e6)).toBe(
    'Held up longest by one lost packet so far: TCP image.jpg for 0.020 s (lost at 0.025 s).',
  );
  expect(holdSentence(run, 1e9)).toMatch(/: TCP image\.jpg for 0\.030 s \(lost at 0\.025 s\)\.$/);
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
    },
    ...part,
  });
}
