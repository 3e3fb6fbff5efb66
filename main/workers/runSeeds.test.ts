import {join} from 'node:path';
import {pathToFileURL} from 'node:url';
import {beforeAll, describe, expect, test, vi} from 'vitest';
import {syntheticPage} from '../../app/page/synthetic.ts';
import {parseScenario, type Scenario} from '../../app/run/scenario/scenario.ts';
import {takeSnapshot} from '../pages/base/pageSnapshot.ts';
import {bundleMain, bundles} from '../setup/bundle.mjs';
import {runSeeds, type SeedRuns} from './runSeeds.ts';

const source = {kind: 'synthetic', indexBytes: 800, objects: 2, objectBytes: 3000} as const;
const seeds = Array.from({length: 12}, (_, i) => (i * 7) % 12);
beforeAll(bundleMain);

describe('runs of many seeds', () => {
  test('are the same, in the same order, with threads and without', async () => {
    const [alone, onProgress] = [await runs({threads: 1}), vi.fn()];
    expect(alone.map(({seed}) => seed)).toEqual(seeds);
    expect(new Set(alone.map(({panes}) => JSON.stringify(panes))).size).toBeGreaterThan(6);
    expect(await runs({threads: 3, nowMs: slow(600), onProgress})).toEqual(alone);
    expect(onProgress.mock.calls.map(([done]) => done)).toEqual(seeds.map((_, i) => i + 1));
  });

  test('start threads only if the remaining time is long enough', async () => {
    const worker = new URL('file:///no/such/worker.mjs');
    for (const runMs of [150, 220]) await runs({threads: 2, nowMs: slow(runMs), worker});
    await expect(runs({threads: 2, nowMs: slow(600), worker})).rejects.toThrow('no/such/worker.mjs');
  });

  test('start one thread per second of remaining time, but at most `threads`', async () => {
    const worker = new URL(`data:text/javascript,${NAMES_ITSELF}`);
    const threads = async (options: Partial<SeedRuns>) => {
      const answers: readonly {readonly panes: unknown}[] = await runs({
        nowMs: slow(250),
        worker,
        ...options,
      });
      return new Set(answers.map(({panes}) => panes).filter(panes => typeof panes === 'number')).size;
    };
    expect(await threads({threads: 64})).toBe(2);
    expect(await threads({threads: 64, seeds: Array.from({length: 16}, (_, i) => i)})).toBe(3);
    expect(await threads({threads: 2, seeds: Array.from({length: 16}, (_, i) => i)})).toBe(2);
  });

  test('are complete even if a pane cannot be computed, which has the outcome error', async () => {
    // The page lacks the WebP versions of its pictures, which `openPage` should have created.
    const panes = [{pipeline: 'tcp'}, {pipeline: 'sctp', conversion: 'webp'}];
    const parsed = parseScenario({page: {synthetic: {}}, panes});
    if (!parsed.ok) throw new Error(parsed.problems[0]?.message);
    const answers = await runs({scenario: parsed.scenario});
    expect(answers.map(({seed}) => seed)).toEqual(seeds);
    const unknown = {down: Number.NaN, up: Number.NaN};
    for (const {panes} of answers) {
      expect(panes).toMatchObject([
        {outcome: 'complete', reason: null},
        {outcome: 'error', reason: 'the page synthetic was opened without its webp pictures', packets: unknown},
      ]);
      const untimed = {pageTimeMs: null, silentMs: null, pPageMs: {100: null}};
      expect(panes[1]).toMatchObject({pipeline: 'sctp', ...untimed});
      expect(panes[1]?.objects.map(({url, completeMs}) => [url, completeMs])).toEqual([
        ['/', null],
        ['/o/1', null],
        ['/o/2', null],
      ]);
    }
  });

  test('fail with the error of a thread that died', async () => {
    const worker = new URL('data:text/javascript,throw new Error("why")');
    await expect(runs({threads: 2, nowMs: slow(600), worker})).rejects.toThrow('why');
  });
});

function runs(options: Partial<SeedRuns>) {
  const parsed = parseScenario({page: {synthetic: {}}, path: {loss: 0.1}});
  if (!parsed.ok) throw new Error(parsed.problems[0]?.message);
  const scenario: Scenario = parsed.scenario;
  const worker = pathToFileURL(join(bundles, 'worker.mjs'));
  const page = takeSnapshot(syntheticPage({...source, headerBytes: 250, requestBytes: 200}), []);
  return runSeeds({page, scenario, seeds, worker, onProgress: () => {}, ...options});
}

/** A worker that answers with its thread's number. */
const NAMES_ITSELF = `
  import {parentPort, threadId} from 'node:worker_threads';
  parentPort.on('message', seed => setTimeout(() => parentPort.postMessage({seed, panes: threadId}), 20));
`;

/** A clock with which each run takes about `runMs`. */
function slow(runMs: number): () => number {
  let ms = 0;
  return () => {
    ms += runMs / 2;
    return ms;
  };
}
