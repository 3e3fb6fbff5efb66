import {expect, test} from 'vitest';
import {RUN_LIMITS} from '../../app/engine/openSimulation.ts';
import {syntheticPage} from '../../app/page/synthetic.ts';
import {measure} from '../../app/run/metrics/metrics.ts';
import {LAST_PACKET} from '../../app/run/scenario/paneDrops.ts';
import {parseScenario} from '../../app/run/scenario/scenario.ts';
import {decodeRun, encodeRun} from '../../app/run/trace/runFile.ts';
import {takeSnapshot} from '../pages/base/pageSnapshot.ts';
import {load} from './load.ts';

// The work of a load is bounded for every valid scenario.

const page = takeSnapshot(
  syntheticPage({indexBytes: 3000, objects: 20, objectBytes: 20_000, headerBytes: 250, requestBytes: 200}),
  [],
);
const PANES = ['tcp', 'h2', 'h3', 'sctp', 'udp', 'catp'].map(pipeline => ({pipeline}));
const parsed = parseScenario({page: {synthetic: {}}, path: {loss: 0.05}, panes: PANES, timeLimitMs: 864e6});
if (!parsed.ok) throw new Error(parsed.problems[0]?.message);
const {scenario} = parsed;

test('a pane can drop any packet that a load sends, and no later one', () => {
  expect(LAST_PACKET).toBe(RUN_LIMITS.packets - 1);
});

test('a load that reaches the limit of packets ends with the outcome work-limit, and is reproducible', () => {
  const run = load(page, scenario, 7, {limits: {packets: 300, steps: 1e6}});
  for (const trace of run.panes) {
    const reason = 'not complete after 300 packets, which is the limit of a load';
    expect(trace).toMatchObject({outcome: 'work-limit', reason});
    expect(trace.packets.bytes).toHaveLength(300);
    expect(trace.objects.some(({failure}) => failure?.kind === 'work-limit')).toBe(true);
    expect(measure(trace)).toMatchObject({outcome: 'work-limit', pageTimeMs: null, silentMs: null});
  }
  const file = encodeRun(run);
  expect(encodeRun(load(page, scenario, 7, {limits: {packets: 300, steps: 1e6}}))).toEqual(file);
  expect(decodeRun(file)).toEqual({ok: true, run});
});

test('a load that reaches the limit of steps ends with the outcome work-limit', () => {
  for (const trace of load(page, scenario, 7, {limits: {packets: 1e6, steps: 500}}).panes) {
    const reason = 'not complete after 500 steps of the simulation, which is the limit of a load';
    expect(trace).toMatchObject({outcome: 'work-limit', reason});
    expect(trace.packets.bytes.length).toBeLessThan(300);
  }
});

test('a load below the limits is the same as with other limits', {tags: ['long']}, () => {
  const run = load(page, scenario, 7);
  expect(run.panes.map(({outcome}) => outcome)).toEqual(PANES.map(() => 'complete'));
  const packets = Math.max(...run.panes.map(trace => trace.packets.bytes.length)) + 1;
  expect(encodeRun(load(page, scenario, 7, {limits: {packets, steps: 50_000}}))).toEqual(encodeRun(run));
});
