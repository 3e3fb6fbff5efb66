import {expect, test} from 'vitest';
import type {Json} from '../../../app/base/json.ts';
import type {Host, LoadAnswer} from '../../../app/host/contract.ts';
import {measure} from '../../../app/run/metrics/metrics.ts';
import {parseScenario, type Scenario} from '../../../app/run/scenario/scenario.ts';
import {encodeRun} from '../../../app/run/trace/runFile.ts';
import {smallTrace} from '../../../app/run/trace/testing/smallTrace.ts';
import {Trace} from '../../../app/run/trace/trace.ts';
import type {TraceData} from '../../../app/run/trace/traceData.ts';
import type {ShownRun} from '../../session/loads.ts';
import {tryMoreStreams} from './moreStreams.ts';

const scenarioOf = (document: Json): Scenario => {
  const parsed = parseScenario(document);
  if (!parsed.ok) throw new Error('not valid');
  return parsed.scenario;
};
const FEW = {page: 'gallery', panes: [{pipeline: 'tcp'}, {pipeline: 'sctp', streams: 1}]};

test('a pane with too few streams is loaded again with the same seed and a stream per embedded object', async () => {
  const {host, loaded} = fakeHost({endNs: 50e6});
  const search = tryMoreStreams(host, runOf(scenarioOf({...FEW, seed: 7})));
  await expect(search?.text).resolves.toBe(
    'With 2 streams instead of 1, HTTP over SCTP would be complete 0.020 s sooner.',
  );
  expect(loaded).toMatchObject([{scenario: {seed: 7, panes: [{pipeline: 'sctp', streams: 2}]}, hash: 'page'}]);
});

test('nothing is loaded if each embedded object has a stream, or if the run is a live load or a trace file', () => {
  const {host, loaded} = fakeHost({});
  const few = runOf(scenarioOf(FEW));
  expect(tryMoreStreams(host, runOf(scenarioOf({...FEW, panes: [{pipeline: 'sctp', streams: 2}]})))).toBeNull();
  expect(tryMoreStreams(host, {...few, sources: []})).toBeNull();
  const live = scenarioOf({...FEW, path: {live: '127.0.0.1:4433'}});
  expect(tryMoreStreams(host, runOf(live))).toBeNull();
  expect(loaded).toEqual([]);
});

test('a load that is refused says nothing, and a search can be cancelled', async () => {
  const refused = {load: async (): Promise<LoadAnswer> => ({ok: false, problems: [], message: 'no engine'})};
  const {host, cancelled} = fakeHost({});
  const search = tryMoreStreams({...host, ...refused}, runOf(scenarioOf(FEW)));
  await expect(search?.text).resolves.toBe('');
  search?.cancel();
  expect(cancelled).toHaveLength(1);
});

function runOf(scenario: Scenario): ShownRun {
  const [html, image] = smallTrace().objects;
  const objects = [html, image, image].flatMap(object => object ?? []);
  const traces = scenario.panes.map(() => new Trace({...smallTrace(), objects}));
  const metrics = traces.map(({data}) => measure(data));
  return {scenario, page: {name: 'page', html: '', objects: [], hash: 'page'} as never, traces, metrics};
}

function fakeHost(data: Partial<TraceData>) {
  const loaded: {scenario: Json; hash: string}[] = [];
  const cancelled: string[] = [];
  const load: Host['load'] = async (scenario, hash) => {
    loaded.push({scenario, hash});
    const panes = [{...smallTrace(), pipeline: 'sctp' as const, ...data}];
    return {ok: true, run: encodeRun({scenario, page: {hash, leftOut: []}, panes})};
  };
  const cancelLoad: Host['cancelLoad'] = async run => {
    cancelled.push(run);
  };
  return {host: {load, cancelLoad}, loaded, cancelled};
}
