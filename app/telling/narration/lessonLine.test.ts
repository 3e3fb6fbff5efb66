import {expect, test, vi} from 'vitest';
import type {Json} from '../../base/json.ts';
import type {Eye} from '../../run/quality/states.ts';
import {smallQuality} from '../../run/quality/testing/smallQuality.ts';
import {parseScenario} from '../../run/scenario/scenario.ts';
import {smallTrace} from '../../run/trace/testing/smallTrace.ts';
import {Trace} from '../../run/trace/trace.ts';
import {lessonLine} from './lessonLine.ts';

const lossy = () => new Trace({...smallTrace(), endNs: 200e6});
const {packets, ...others} = smallTrace();
const clean = () =>
  new Trace({
    ...others,
    endNs: 200e6,
    packets: {...packets, fate: packets.fate.with(3, 1)},
    blocked: {...others.blocked, startNs: others.blocked.startNs.slice(0, 0)},
    blockedPieces: {...others.blockedPieces, row: others.blockedPieces.row.slice(0, 0)},
  });

const NAMES = ['HTTP/1.1 over TCP', 'HTTP over SCTP', 'HTTP/3', 'HTTP/2'];
/** In each sentence about data that waits or waited. */
const WAIT = /holds up|held up/;

const PANES: Json = [{pipeline: 'tcp'}, {pipeline: 'sctp'}, {pipeline: 'h3'}, {pipeline: 'h2'}];

interface Options {
  readonly lingerNs?: number;
  readonly isAlike?: boolean;
  readonly eye?: Eye | null;
  /** The packets that the first pane alone drops. */
  readonly drop?: Json;
}

function lineOf(traces: readonly Trace[], {lingerNs = 0, isAlike = true, eye = null, drop = null}: Options = {}) {
  const [first, ...others] = (PANES as {readonly [key: string]: Json}[]).slice(0, traces.length);
  const parsed = parseScenario({panes: [{...first, drop}, ...others]});
  if (!parsed.ok) throw new Error(parsed.problems[0]?.message);
  const {panes} = parsed.scenario;
  const names = NAMES.slice(0, traces.length);
  return lessonLine({traces, names, panes, isAlike, eye}, lingerNs);
}

// data of the picture waits from 40 to 70 ms for the packet that is lost at 25 ms

test('before anything is seen, the sentence says what the comparison teaches', () => {
  expect(lineOf([lossy(), clean()]).at(0)).toBe(
    'HTTP/1.1 over TCP sends one object after another, and a lost packet stops all data behind it; ' +
      'HTTP over SCTP interleaves them, and only the packet’s stream waits.',
  );
});

test('unless each pane has a single loss, the sentence does not compute what each loss did, which takes long', () => {
  const asked = vi.spyOn(Trace.prototype, 'blockingOf');
  const lossless = clean();
  for (const traces of [
    [lossy(), lossless],
    [lossy(), lossless, lossless],
  ])
    expect(lineOf(traces).at(0)).toContain('a lost packet');
  expect(asked).not.toHaveBeenCalled();
  asked.mockRestore();
});

test('while data waits for a lost packet, the sentence counts the pictures that wait in each pane', () => {
  const {at} = lineOf([lossy(), clean()]);
  expect(at(39e6)).not.toMatch(WAIT);
  expect(at(40e6)).toBe('Now a lost packet holds up 1 picture on HTTP/1.1 over TCP, none on HTTP over SCTP.');
  expect(at(70e6)).not.toMatch(WAIT);
  expect(lineOf([clean(), lossy()]).at(50e6)).toBe(
    'Now a lost packet holds up no pictures on HTTP/1.1 over TCP, 1 on HTTP over SCTP.',
  );
  expect(lineOf([lossy()]).at(50e6)).toBe('Now a lost packet holds up 1 picture on HTTP/1.1 over TCP.');
});

test('with more than two panes, the sentence groups the panes by their number of pictures', () => {
  expect(lineOf([lossy(), clean(), lossy(), clean()]).at(50e6)).toBe(
    'Now a lost packet holds up 1 picture on HTTP/1.1 over TCP and HTTP/3, none on the others.',
  );
});

test('after a wait, the sentence turns to the past tense, and stays for the time that a reader needs', () => {
  const {at} = lineOf([lossy(), clean()], {lingerNs: 5e6});
  expect(at(74e6)).toBe('A lost packet held up 1 picture on HTTP/1.1 over TCP, none on HTTP over SCTP.');
  expect(at(76e6)).not.toMatch(WAIT);
});

test('if every pane lost a single packet, the sentence then says what that packet stopped', () => {
  const {at} = lineOf([lossy(), lossy()]);
  expect(at(50e6)).toMatch(/^Now the lost packet holds up 1 picture on .*, 1 on HTTP over SCTP\.$/);
  expect(at(80e6)).toMatch(/^One lost packet: .*stood still on HTTP\/1.1 over TCP and HTTP over SCTP\.$/);
});

test('if a single pane drops packets, the sentence does not compare the sides as if they had lost the same packet', () => {
  const {at, longest} = lineOf([lossy(), lossy()], {drop: {down: {packets: [2], applies: 'data'}}});
  expect(at(50e6)).toBe(
    'Now a lost packet (the sides lose different packets) holds up 1 picture on HTTP/1.1 over TCP, 1 on HTTP over SCTP.',
  );
  expect(at(80e6)).not.toMatch(/stood still/);
  expect(at(50e6).length).toBeLessThanOrEqual(longest.length);
});

test('when all panes have ended, the sentence gives the result', () => {
  expect(lineOf([lossy(), clean()]).at(1e12)).toMatch(/^Whole page: HTTP\/1.1 over TCP at .*, HTTP over SCTP at /);
  const eye = {quality: smallQuality(), thresholds: {recognisable: 0.5, good: 0.8}};
  expect(lineOf([lossy(), clean()], {eye}).at(1e12)).toMatch(
    /^HTTP\/1.1 over TCP: all pictures recognisable at .* s, page complete at 0\.20 s\. HTTP over SCTP: all pictures /,
  );
  expect(lineOf([lossy(), clean(), clean()], {eye}).at(1e12)).toMatch(/^Whole page: /);
});

test('panes with different paths, or with unknown losses, are only compared by what they show', () => {
  const {at} = lineOf([lossy(), clean()], {isAlike: false});
  expect(at(0)).toBe('No picture can be recognised yet.');
  expect(at(50e6)).not.toContain('lost packet');
});

test.each([1, 2, 3, 4])('the longest sentence of %i panes is at least as long as every other', count => {
  const {at, longest} = lineOf([lossy(), clean(), lossy(), clean()].slice(0, count), {lingerNs: 5e6});
  const lengths = Array.from({length: 200}, (_, i) => at(i * 1e6).length);
  expect(Math.max(...lengths, at(1e12).length)).toBeLessThanOrEqual(longest.length);
});
