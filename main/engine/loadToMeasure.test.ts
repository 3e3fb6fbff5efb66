import {expect, test} from 'vitest';
import {syntheticPage} from '../../app/page/synthetic.ts';
import {measure} from '../../app/run/metrics/metrics.ts';
import {parseScenario} from '../../app/run/scenario/scenario.ts';
import {takeSnapshot} from '../pages/base/pageSnapshot.ts';
import {load, loadToMeasure} from './load.ts';

test('loadToMeasure returns the same trace as load, but without samples, so the metrics are the same', () => {
  const source = {kind: 'synthetic', indexBytes: 800, objects: 3, objectBytes: 9000} as const;
  const page = takeSnapshot(syntheticPage({...source, headerBytes: 250, requestBytes: 200}), []);
  const panes = ['tcp', 'h2', 'h3', 'sctp', 'udp'].map(pipeline => ({pipeline}));
  const parsed = parseScenario({page: {synthetic: {}}, path: {loss: 0.1}, panes});
  if (!parsed.ok) throw new Error(parsed.problems[0]?.message);
  for (const seed of [1, 2]) {
    const traces = panes.map((_, pane) => loadToMeasure(page, parsed.scenario, seed, pane));
    const whole = load(page, parsed.scenario, seed).panes;
    expect(traces.map(trace => measure(trace))).toEqual(whole.map(trace => measure(trace)));
    expect(traces.map(trace => trace.samples.atNs.length)).toEqual(panes.map(() => 0));
    expect(traces.map(trace => ({...trace, samples: null}))).toEqual(whole.map(trace => ({...trace, samples: null})));
  }
});
