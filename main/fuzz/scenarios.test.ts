import fc from 'fast-check';
import {expect, test} from 'vitest';
import type {Json} from '../../app/base/json.ts';
import {syntheticPage} from '../../app/page/synthetic.ts';
import {measure} from '../../app/run/metrics/metrics.ts';
import {parseScenario} from '../../app/run/scenario/scenario.ts';
import {anyScenario} from '../../app/run/scenario/testing/anyScenario.ts';
import {panesOfFiles} from '../../app/run/trace/joinRuns.ts';
import {encodeRun} from '../../app/run/trace/runFile.ts';
import {load} from '../engine/load.ts';
import {takeSnapshot} from '../pages/base/pageSnapshot.ts';
import {cases, corpusOf, LONGEST_MS} from './fuzz.ts';

// This fuzzer runs scenarios to their end.

/**
 * Limits that are lower than usual, so that a machine with two cores can run many scenarios. 5,000,000 steps would take
 * seconds.
 */
const LIMITS = {packets: 20_000, steps: 200_000};

/**
 * Runs a scenario that `parseScenario` accepts, unless it is live, and checks that the run's file can be read. For any
 * other document, checks that `parseScenario` reports problems.
 */
function runOf(document: Json): void {
  const parsed = parseScenario(document);
  if (!parsed.ok) {
    for (const {message} of parsed.problems) expect(message).not.toBe('');
    return;
  }
  const {scenario} = parsed;
  if (scenario.path.live !== undefined) return;
  const size = {indexBytes: 3000, objects: 4, objectBytes: 9000, headerBytes: 250, requestBytes: 200};
  const page = takeSnapshot(syntheticPage(scenario.page.kind === 'synthetic' ? scenario.page : size), []);
  const run = load(page, {...scenario, panes: scenario.panes.map(plain)}, scenario.seed, {limits: LIMITS});
  for (const trace of run.panes) {
    expect(trace.outcome).toMatch(/^(complete|partial|aborted|time-limit|work-limit)$/);
    expect(trace.packets.bytes.length).toBeLessThanOrEqual(LIMITS.packets);
    expect(measure(trace).outcome).toBe(trace.outcome);
  }
  expect(panesOfFiles([{name: 'a.trace', bytes: encodeRun(run)}])).toMatchObject({ok: true});
}

/** Removes the conversion of a pane, because the converted page does not exist here. */
function plain<P extends {readonly conversion?: unknown}>({conversion: _, ...pane}: P): P {
  return pane as P;
}

test.each(corpusOf<Json>('scenarios'))('%s', {timeout: LONGEST_MS}, (_, document) => runOf(document));

test('any valid scenario ends, and its file can be read', {timeout: LONGEST_MS}, () => {
  fc.assert(fc.property(anyScenario, runOf), cases(40));
});

const number = fc.oneof(
  fc.constantFrom(0, -0, -1, 1, 2 ** 31, 2 ** 32, 2 ** 53, 1e300, 1e-300, 0.999999999999),
  fc.double(),
  fc.integer(),
);
const value = fc.oneof(number, fc.boolean(), fc.constant(null), fc.string(), fc.constant([]), fc.constant({}));
const KEYS = ['down', 'up', 'loss', 'rate', 'p', 'r', 'h', 'k', 'packets', 'bytes', 'objects', 'applies'];

test('a scenario in which some values are replaced is refused with a reason, or ends', {timeout: LONGEST_MS}, () => {
  const change = fc.record({
    at: fc.nat(),
    value: fc.oneof(value, fc.dictionary(fc.constantFrom(...KEYS), value)),
  });
  const changed = fc.tuple(anyScenario, fc.array(change, {minLength: 1, maxLength: 3})).map(([document, changes]) => {
    const copy = structuredClone(document) as object;
    for (const {at, value} of changes) replaceAt(copy, at, value);
    return copy as Json;
  });
  fc.assert(fc.property(changed, runOf), cases(150));
});

/** Replaces one value of a document. */
function replaceAt(root: object, at: number, value: unknown): void {
  const places: (readonly [object, string])[] = [];
  const collect = (node: object): void => {
    for (const [key, inner] of Object.entries(node)) {
      places.push([node, key]);
      if (typeof inner === 'object' && inner !== null) collect(inner);
    }
  };
  collect(root);
  const place = places[at % Math.max(places.length, 1)];
  if (place !== undefined) (place[0] as {[key: string]: unknown})[place[1]] = value;
}
