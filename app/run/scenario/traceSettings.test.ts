import {describe, expect, test} from 'vitest';
import type {Json} from '../../base/json.ts';
import {packedTrace} from '../link/packedTrace.ts';
import {scenarioDocument} from './document.ts';
import {applyOverride} from './override.ts';
import {parseScenario, pathAt, type Scenario} from './scenario.ts';
import {startMsOf, type TraceSettings, traceOf} from './traceSettings.ts';

function parsed(document: Json): Scenario {
  const answer = parseScenario(document);
  if (!answer.ok) throw new Error(answer.problems[0]?.message);
  return answer.scenario;
}

function problem(trace: unknown, key = 'trace'): string {
  const answer = parseScenario({path: {down: {[key]: trace}}});
  return answer.ok ? 'accepted' : (answer.problems[0]?.message ?? '');
}

const PACKED = packedTrace({kind: 'steps', rows: [[0, 1e6]], periodMs: 500});

describe('path.down.trace', () => {
  test('is the name of a shipped trace, or contains a packed trace', () => {
    expect(parsed({path: {down: {trace: 'starlink', delayTrace: 'starlink'}}}).path.down).toEqual({
      trace: {name: 'starlink', startMs: 0, repeats: true},
      delayTrace: {name: 'starlink', startMs: 0, repeats: true},
    });
    const trace = {name: 'mine.csv', packed: PACKED, startMs: 499, repeats: false};
    const scenario = parsed({path: {up: {trace}}});
    expect(scenario.path.up?.trace).toEqual(trace);
    expect(parsed(scenarioDocument(scenario))).toEqual(scenario);
  });

  test('is absent from documents of scenarios without traces', () => {
    expect(Object.keys(scenarioDocument(parsed({}))['path'] as object)).not.toContain('down');
    expect(parsed({path: {down: {trace: null}}})).toEqual(parsed({}));
  });

  test('is refused if it is not valid, and the message says what is allowed', () => {
    expect(problem('lte-drivin')).toContain('did you mean "lte-driving"?');
    expect(problem('mine.csv')).toContain('for a file, write {"file": "NAME"}');
    expect(problem('lte-driving', 'delayTrace')).toContain('must be "starlink"');
    expect(problem({name: 'nothing'})).toContain('path.down.trace.name is "nothing"');
    expect(problem({file: 'mine.csv'})).toContain('are read if the scenario is opened as a file');
    expect(problem({name: 'x', packed: 'damaged'})).toContain('path.down.trace.packed is "damaged"');
    expect(problem({name: 'x', packed: PACKED, startMs: 500})).toContain('must be less than 500');
    expect(problem({name: 'starlink', startMs: 'soon'})).toContain('must be "random", or a time');
    expect(problem(5)).toContain('path.down.trace is 5');
  });

  test('a change of the path can replace and end a trace', () => {
    const scenario = parsed({
      path: {down: {trace: 'starlink', delayTrace: 'starlink'}},
      changes: [
        {atMs: 1000, path: {down: {trace: 'lte-driving'}}},
        {atMs: 2000, path: {down: {trace: null, delayTrace: null}, up: {trace: 'starlink'}}},
      ],
    });
    const names = (atNs: number): unknown => {
      const {down, up} = pathAt(scenario, atNs);
      return [down?.trace?.name, down?.delayTrace?.name, up?.trace?.name];
    };
    expect(names(0)).toEqual(['starlink', 'starlink', undefined]);
    expect(names(1e9)).toEqual(['lte-driving', 'starlink', undefined]);
    expect(names(2e9)).toEqual([undefined, undefined, 'starlink']);
    expect(parsed(scenarioDocument(scenario))).toEqual(scenario);
  });

  test('--set sets the trace of one direction and leaves all other settings alone', () => {
    const set = (document: Json, ...overrides: string[]): Json => overrides.reduce(applyOverride, document);
    expect(set({path: {rateBps: 5}}, 'path.down.trace=lte-driving', 'path.rateBps.up=7', 'path.rttMs=3')).toEqual({
      path: {rateBps: {down: 5, up: 7}, down: {trace: 'lte-driving'}, rttMs: 3},
    });
    expect(set({}, 'path.up.trace.file=a.csv')).toEqual({path: {up: {trace: {file: 'a.csv'}}}});
    expect(
      set({changes: [{atMs: 1, path: {}}]}, 'changes[0].path.down.trace=starlink', 'changes[0].path.loss=0'),
    ).toEqual({changes: [{atMs: 1, path: {down: {trace: 'starlink'}, loss: 0}}]});
  });
});

describe('a random start', () => {
  const settings: TraceSettings = {name: 'starlink', startMs: 'random', repeats: true};
  const trace = traceOf(settings, 'capacity', 'down');

  test('depends on the seed only, and on all its digits', () => {
    const starts = Array.from({length: 1000}, (_, seed) => startMsOf(settings, trace, seed));
    expect(startMsOf(settings, traceOf(settings, 'capacity', 'up'), 7)).toBe(starts[7]);
    expect(Math.min(...starts)).toBeGreaterThanOrEqual(0);
    expect(Math.max(...starts)).toBeLessThan(60_000);
    // a uniform start: each quarter of the minute has about 250 of 1000
    for (const quarter of [0, 1, 2, 3]) {
      const count = starts.filter(start => Math.floor(start / 15_000) === quarter).length;
      expect(Math.abs(count - 250)).toBeLessThan(60);
    }
    expect(startMsOf(settings, trace, 7 + 2 ** 40)).not.toBe(starts[7]);
  });
});
