import {expect, test} from 'vitest';
import type {Json} from '../../../app/base/json.ts';
import type {Host} from '../../../app/host/contract.ts';
import {parseScenario} from '../../../app/run/scenario/scenario.ts';
import {encodeRun} from '../../../app/run/trace/runFile.ts';
import type {ShownRun} from '../../session/loads.ts';
import {sctpLoad, tcpLoad} from '../timeline/testing/handmadeLoads.ts';
import {interventionsIn, savedCauses} from './savedCauses.ts';
import {sideOf} from './whyTable.ts';

const MS = 1e6;
const parsed = parseScenario({seed: 3, serverThinkMs: 60, panes: [{pipeline: 'tcp'}, {pipeline: 'sctp'}]});
if (!parsed.ok) throw new Error('the scenario is not valid');
const {scenario} = parsed;
const run = {scenario, page: {hash: 'page'}, traces: [tcpLoad(), sctpLoad()]} as unknown as ShownRun;
const side = sideOf(run, 0, 'object', null, 2);

test('each intervention loads the page once, in this pane alone, and the saved time is the difference', async () => {
  const {host, loaded} = fakeHost();
  const saved = await savedCauses(host, run, [side]).saved;
  expect(saved.map(({name}) => name)).toEqual(interventionsIn(run, side).map(({name}) => name));
  const server = saved.find(({name}) => name === 'server');
  expect(server).toMatchObject({pane: 0, causes: ['server'], savedNs: side.totalNs - 470 * MS});
  expect(server?.attributedNs).toBeGreaterThan(0);
  expect(loaded).toContainEqual(expect.objectContaining({seed: 3, serverThinkMs: 0}));
  expect(loaded.every(document => (document as {panes: readonly Json[]}).panes.length === 1)).toBe(true);
});

test('a cause that no setting takes away is taken away by an assumption of the load', async () => {
  const {host, loaded, assumed} = fakeHost();
  const saved = await savedCauses(host, run, [side]).saved;
  expect(assumed).toEqual(saved.map(({assumption}) => assumption));
  const setUp = saved.findIndex(({name}) => name === 'set-up');
  expect(assumed[setUp]).toBe('free-set-up');
  expect(JSON.stringify(loaded[setUp])).not.toContain('free');
});

test('an intervention that needs another page is left out, and trace files have no interventions', () => {
  expect(interventionsIn(run, side).map(({name}) => name)).not.toContain('objects-first');
  expect(interventionsIn({...run, sources: []}, side)).toEqual([]);
});

test('a search that is cancelled loads nothing more, and a refusal is reported', async () => {
  const {host, loaded, cancelled} = fakeHost();
  const search = savedCauses(host, run, [side]);
  search.cancel();
  await expect(search.saved).resolves.toEqual([]);
  expect([loaded.length, cancelled.length]).toEqual([1, 1]);
  const refused: Host['load'] = async () => ({ok: false, problems: [], message: 'no engine'});
  await expect(savedCauses({...host, load: refused}, run, [side]).saved).rejects.toThrow('no engine');
});

/** A host that answers every load with the same load. */
function fakeHost() {
  const loaded: Json[] = [];
  const cancelled: string[] = [];
  const assumed: unknown[] = [];
  const load: Host['load'] = async (document, _hash, _run, assumption) => {
    loaded.push(document);
    assumed.push(assumption);
    const answered = {scenario: document, page: {hash: 'page', leftOut: []}, panes: [sctpLoad().data]};
    return {ok: true, run: encodeRun(answered)};
  };
  const cancelLoad: Host['cancelLoad'] = async name => {
    cancelled.push(name);
  };
  return {host: {load, cancelLoad}, loaded, assumed, cancelled};
}
