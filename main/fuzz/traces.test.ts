import fc from 'fast-check';
import {expect, test} from 'vitest';
import type {Json} from '../../app/base/json.ts';
import {har} from '../../app/export/har.ts';
import {qlog} from '../../app/export/qlog.ts';
import {syntheticPage} from '../../app/page/synthetic.ts';
import {causeOf, endOfEffectNs} from '../../app/run/cause/cause.ts';
import {causeMarksAt} from '../../app/run/cause/causeMarks.ts';
import {causeSentence, causeSentenceAt} from '../../app/run/cause/causeSentence.ts';
import {allLosses} from '../../app/run/cause/losses.ts';
import {paneMetrics} from '../../app/run/metrics/paneMetrics.ts';
import {parseScenario} from '../../app/run/scenario/scenario.ts';
import {joinedRun, panesOfFiles} from '../../app/run/trace/joinRuns.ts';
import {hasNoScenario, readFile} from '../../app/run/trace/readScenarioFile.ts';
import {encodeRun, type Run} from '../../app/run/trace/runFile.ts';
import {Trace} from '../../app/run/trace/trace.ts';
import {captionsOf} from '../../app/telling/movie/captions.ts';
import {endSentence, leadSentence, lossText, sightText} from '../../app/telling/narration/runSentences.ts';
import {traceResult} from '../cli/commands/run/traces.ts';
import {load} from '../engine/load.ts';
import {takeSnapshot} from '../pages/base/pageSnapshot.ts';
import {cases, corpusOf, LONGEST_MS} from './fuzz.ts';

// This fuzzer gives trace files with a valid checksum and changed content to all code that reads traces.

const page = takeSnapshot(
  syntheticPage({indexBytes: 2000, objects: 2, objectBytes: 6000, headerBytes: 250, requestBytes: 200}),
  [],
);
const bases: readonly Run[] = ['tcp', 'sctp', 'h3', 'catp'].map(pipeline => {
  const parsed = parseScenario({page: {synthetic: {}}, path: {loss: 0.2}, panes: [{pipeline}], seed: 3});
  if (!parsed.ok) throw new Error(parsed.problems[0]?.message);
  return load(page, parsed.scenario, 3);
});

const SOUND = {name: 'sound.trace', bytes: encodeRun(bases[0] ?? {scenario: {}, panes: []})};

/** A change of the value at a path. If there is a row, it changes one number of the column at that path. */
type Change = readonly [path: string, row: number | null, value: string];

/** Values that a change can name but JSON does not have. */
const NUMBERS: {readonly [name: string]: unknown} = {
  NaN: Number.NaN,
  Infinity: Number.POSITIVE_INFINITY,
  '-Infinity': Number.NEGATIVE_INFINITY,
  undefined,
};

/** Makes the file of a changed run, with a valid checksum. */
function fileOf(run: Run, changes: readonly Change[]): Uint8Array {
  const changed = structuredClone(run);
  for (const [path, row, value] of changes) {
    const keys = path.split('.');
    const last = keys.pop() ?? '';
    let node: unknown = changed;
    for (const key of keys) node = (node as {readonly [key: string]: unknown} | null)?.[key];
    if (typeof node !== 'object' || node === null || ArrayBuffer.isView(node)) continue;
    const place = node as {[key: string]: unknown};
    const given = value in NUMBERS ? NUMBERS[value] : JSON.parse(value);
    const column = place[last];
    if (row === null || !ArrayBuffer.isView(column)) place[last] = given;
    else (column as Uint8Array)[row % Math.max((column as Uint8Array).length, 1)] = given as number;
  }
  return encodeRun(changed);
}

/**
 * Reads a trace file with all code that reads traces, or checks that it is refused with a reason. Returns whether it
 * was read.
 */
function readAll(bytes: Uint8Array): boolean {
  hasNoScenario(bytes);
  expect(readFile(bytes)).toHaveProperty('ok');
  // the file is read together with a valid one, because panes are compared
  const read = panesOfFiles([{name: 'a.trace', bytes}, SOUND]);
  if (!read.ok) {
    expect(read.message).toMatch(/^a\.trace: /);
    expect(read.message).not.toMatch(/Cannot read|is not a function|is not iterable/);
    return false;
  }
  const panes = read.panes.map(pane => ({...pane, snapshot: page}));
  for (const format of ['table', 'csv', 'json'] as const)
    traceResult({traces: ['a.trace', 'sound.trace'], format}, panes);
  for (const {scenario, pane, data} of panes) {
    const trace = new Trace(data);
    paneMetrics({scenario, pane, data}, trace);
    for (const vantage of ['client', 'server'] as const)
      qlog(trace, {vantage, title: 'a', scenario: {} as Json, program: 'a'});
    const settings = scenario.panes[pane];
    if (settings !== undefined)
      har(trace, {page, pane: settings, isLive: false, title: 'a', version: '0', hasContent: true});
    captionsOf(trace);
    const run = {traces: [trace], names: ['a']};
    endSentence(run, null);
    for (const tNs of [0, 1, data.endNs / 2, data.endNs, Number.MAX_SAFE_INTEGER]) {
      leadSentence(run, null, tNs);
      [sightText(trace, null, tNs), lossText(trace, tNs)];
      for (const [i] of trace.objects.entries()) [trace.rangesAt(i, tNs), trace.percentAt(i, tNs)];
    }
    for (const {packet} of allLosses([trace]).slice(0, 20)) {
      trace.blockingOf(packet);
      const cause = causeOf(trace, packet);
      if (cause === undefined) continue;
      causeSentence(trace, cause);
      const endNs = endOfEffectNs(cause, trace);
      for (const tNs of [cause.lostNs, endNs]) [causeSentenceAt(trace, cause, tNs), causeMarksAt(trace, cause, tNs)];
    }
    for (const [i] of trace.objects.entries()) trace.blockedOf(i);
  }
  const joined = joinedRun(read.panes);
  if (joined !== undefined) encodeRun(joined);
  return true;
}

test('files that this program made are read', () => {
  for (const base of bases) expect(readAll(encodeRun(base))).toBe(true);
});

test.each(corpusOf<readonly Change[]>('traces'))('%s', {timeout: LONGEST_MS}, (_, changes) => {
  for (const base of bases) readAll(fileOf(base, changes));
});

/** Places within a run. A whole column counts as one place. */
function placesOf(node: unknown, path: string): readonly string[] {
  if (typeof node !== 'object' || node === null || ArrayBuffer.isView(node)) return [];
  return Object.entries(node).flatMap(([key, inner]) => {
    const own = path === '' ? key : `${path}.${key}`;
    return [own, ...placesOf(inner, own)];
  });
}

const PLACES = bases.map(base => placesOf(base, ''));
const VALUES = [
  'NaN',
  'Infinity',
  '-Infinity',
  'undefined',
  'null',
  'true',
  '""',
  '"a"',
  '[]',
  '{}',
  '[[]]',
  '-1',
  '0',
  '1',
  '2',
  '3',
  '255',
  '0.5',
  '1000000',
  '4294967295',
  '9007199254740991',
  '9007199254740992',
  '1e300',
  '-1e300',
  '{"$column": ["f64", 0, 1]}',
  '{"$column": ["f64", -8, 1e9]}',
  '{"$column": 7}',
];

test('a changed trace is refused with a reason, or read by all code that reads traces', {timeout: LONGEST_MS}, () => {
  const change = fc.record({
    at: fc.nat(),
    row: fc.option(fc.nat(), {freq: 4}),
    value: fc.constantFrom(...VALUES),
  });
  const made = fc.record({
    base: fc.nat(bases.length - 1),
    changes: fc.array(change, {minLength: 1, maxLength: 3}),
  });
  let wereRead = 0;
  fc.assert(
    fc.property(made, ({base, changes}) => {
      const [run, places = []] = [bases[base], PLACES[base]];
      if (run === undefined) return;
      const named = changes.map(({at, row, value}): Change => [places[at % places.length] ?? '', row, value]);
      if (readAll(fileOf(run, named))) wereRead += 1;
    }),
    cases(400),
  );
  expect(wereRead).toBeGreaterThan(0);
});
