import {once} from 'node:events';
import {type AddressInfo, createServer} from 'node:net';
import {setImmediate as turn} from 'node:timers/promises';
import {afterEach, describe, expect, test} from 'vitest';
import {parseScenario, type Scenario} from '../../../app/run/scenario/scenario.ts';
import {decodeRun, encodeRun, type Run} from '../../../app/run/trace/runFile.ts';
import {openPage} from '../../pages/openPage.ts';
import {type LiveServer, startServer} from '../server/liveServer.ts';
import {LiveLoad} from './liveLoad.ts';

const page = await openPage({kind: 'named', name: 'gallery'}, 'fixtures/pages');
const other = await openPage({kind: 'named', name: 'text-10k'}, 'fixtures/pages');
const {signal} = new AbortController();
const servers: LiveServer[] = [];

afterEach(async () => {
  await Promise.all(servers.splice(0).map(server => server.close()));
});

async function serve(served = page, token?: string): Promise<string> {
  const server = await startServer({page: served, host: '127.0.0.1', port: 0, token});
  servers.push(server);
  return `127.0.0.1:${server.port}`;
}

function scenarioOf(path: object, panes: readonly object[] = [tcp, sctp]): Scenario {
  const parsed = parseScenario({path, panes});
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems));
  return parsed.scenario;
}

const tcp = {pipeline: 'tcp'};
const sctp = {pipeline: 'sctp', streams: 4};

/** Runs a load. Returns the unfinished runs that were read in the meantime, and the final run. */
async function watched(load: LiveLoad): Promise<{readonly seen: readonly Run[]; readonly run: Run}> {
  const seen: Run[] = [load.soFar()];
  let run: Run | undefined;
  const running = load.run().then(whole => {
    run = whole;
  });
  for (; run === undefined; await turn()) seen.push(load.soFar());
  await running;
  return {seen, run};
}

describe('a live load in progress', () => {
  test('has traces that only grow, and a time that never decreases', async () => {
    const load = new LiveLoad(page, scenarioOf({live: await serve()}), {signal});
    const {seen, run} = await watched(load);
    for (const number of run.panes.keys()) {
      const [whole, parts] = [run.panes[number], seen.map(each => each.panes[number])];
      expect(whole?.outcome).toBe('complete');
      const growing = parts.filter(part => part?.outcome === 'loading' && part.reason === null);
      expect(new Set(growing.map(part => part?.deliveries.atNs.length)).size).toBeGreaterThan(1);
      let endNs = 0;
      for (const part of growing) {
        const rows = part?.deliveries.atNs.length ?? 0;
        expect(part?.deliveries.bytes).toEqual(whole?.deliveries.bytes.slice(0, rows));
        expect(part?.endNs).toBeGreaterThanOrEqual(endNs);
        endNs = part?.endNs ?? 0;
      }
      expect(endNs).toBeGreaterThan(0);
    }
    const last = seen.at(-2);
    expect(last && decodeRun(encodeRun(last))).toMatchObject({ok: true});
  });

  test('has a clock that goes on while nothing arrives', async () => {
    const silent = createServer(socket => socket.on('error', () => undefined).resume());
    silent.listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const {port} = silent.address() as AddressInfo;
    const ending = new AbortController();
    const load = new LiveLoad(page, scenarioOf({live: `127.0.0.1:${port}`}, [tcp]), ending);
    const running = load.run();
    const endNs = () => load.soFar().panes[0]?.endNs ?? 0;
    await expect.poll(() => load.soFar().panes[0]?.setupNs).toBeGreaterThan(0);
    const before = endNs();
    await expect.poll(endNs).toBeGreaterThan(before);
    ending.abort(new Error('enough'));
    await expect(running).rejects.toThrow('enough');
    silent.close();
  });

  test('leaves no timer behind after an abort', async () => {
    const silent = createServer(socket => socket.on('error', () => undefined).resume());
    silent.listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const {port} = silent.address() as AddressInfo;
    const timers = () => process.getActiveResourcesInfo().filter(name => name === 'Timeout').length;
    const before = timers();
    for (let count = 0; count < ENDED_LOADS; count++) {
      const ending = new AbortController();
      const load = new LiveLoad(page, scenarioOf({live: `127.0.0.1:${port}`}, [tcp]), ending);
      const running = load.run();
      while ((load.soFar().panes[0]?.setupNs ?? null) === null) await turn();
      ending.abort(new Error('enough'));
      await expect(running).rejects.toThrow('enough');
    }
    for (let turns = 0; turns < 20; turns++) await turn();
    // The test runner itself has one or two timers.
    expect(timers()).toBeLessThan(before + ENDED_LOADS - 2);
    silent.close();
  });

  test('loads one pane after the other, and shows that the others wait for their turn', async () => {
    const load = new LiveLoad(page, scenarioOf({live: await serve()}), {signal});
    const {seen} = await watched(load);
    for (const {panes} of seen) {
      const [first, second] = panes;
      if (first?.outcome === 'loading')
        expect(second).toMatchObject({outcome: 'loading', reason: 'waits for its turn'});
    }
  });

  test('loads all panes at once if the path has atOnce', async () => {
    const load = new LiveLoad(page, scenarioOf({live: await serve(), atOnce: true}), {signal});
    const {seen, run} = await watched(load);
    const both = seen.filter(({panes}) => panes.every(pane => pane.outcome === 'loading' && pane.reason === null));
    expect(both.length).toBeGreaterThan(0);
    expect(run.panes.map(({outcome}) => outcome)).toEqual(['complete', 'complete']);
  });

  test('loads each pane from the server that it names', async () => {
    const [live, own, gone] = [await serve(), await serve(), await serve()];
    await servers.pop()?.close();
    const panes = [tcp, {...tcp, path: {live: own}}, {...sctp, path: {live: gone}}];
    const {panes: loaded} = await new LiveLoad(page, scenarioOf({live}, panes), {signal}).run();
    expect(loaded.map(({outcome}) => outcome)).toEqual(['complete', 'complete', 'aborted']);
    expect(loaded[2]?.reason).toBe(`nobody listens at ${gone}`);
    await servers.shift()?.close();
    const without = await new LiveLoad(page, scenarioOf({live}, panes), {signal}).run();
    expect(without.panes.map(({outcome}) => outcome)).toEqual(['aborted', 'complete', 'aborted']);
  });
});

describe('a server with another page', () => {
  test.each<[string, object]>([
    ['TCP', tcp],
    ['SCTP', sctp],
  ])('leads to a partial load over %s, in which every object of the expected page has failed', async (_, pane) => {
    const live = await serve(other);
    const {panes} = await new LiveLoad(page, scenarioOf({live}, [pane]), {signal}).run();
    const [data] = panes;
    const {length} = page.objects;
    expect(data?.outcome).toBe('partial');
    expect(data?.reason).toMatch(
      new RegExp(`^${length} of \\d+ objects failed: differs from the expected object, beginning at byte`),
    );
    const [index, ...objects] = data?.objects.slice(0, length) ?? [];
    expect(index?.failure).toEqual({
      kind: 'differs',
      atByte: expect.any(Number),
      ofBytes: page.objects[0]?.body?.length,
    });
    for (const {failure, completeNs} of objects) expect([failure, completeNs]).toEqual([{kind: 'unnamed'}, null]);
    const saved = await new LiveLoad(page, scenarioOf({live}, [pane]), {signal}).run();
    expect(decodeRun(encodeRun(saved))).toMatchObject({ok: true});
    // The expected page has one object here, and the server's page has more. The additional objects arrive, although
    // they belong to no expected object.
    const longer = await new LiveLoad(other, scenarioOf({live: await serve()}, [pane]), {signal}).run();
    expect(longer.panes[0]?.objects.map(({failure}) => failure?.kind ?? 'whole')).toEqual([
      'differs',
      ...page.objects.slice(1).map(() => 'whole'),
    ]);
  });

  test('that has the same document leads to failures that name missing and different pictures', async () => {
    const [index, first, second, third, ...rest] = page.objects;
    if (!index || !first?.body || !second?.body || !third?.body) throw new Error('a page of four objects');
    const changed = Uint8Array.from(first.body);
    changed[7] = 255 - (changed[7] ?? 0);
    const objects = [
      index,
      {...first, body: changed},
      {...second, body: null},
      {...third, body: third.body.slice(0, -5)},
      ...rest,
    ];
    const live = await serve({...page, hash: page.hash, objects});
    const {panes} = await new LiveLoad(page, scenarioOf({live}), {signal}).run();
    for (const {outcome, objects, deliveries} of panes) {
      expect(outcome).toBe('partial');
      // No byte of the changed picture is delivered.
      expect(deliveries.object).not.toContain(1);
      const failures = objects.map(({failure}) => failure);
      expect(failures.slice(0, 4)).toEqual([
        null,
        {kind: 'differs', atByte: 7, ofBytes: first.body.length},
        {kind: 'absent', status: 404},
        {kind: 'differs', atByte: third.body.length - 5, ofBytes: third.body.length},
      ]);
      expect(failures.slice(4).every(failure => failure === null)).toBe(true);
    }
  });

  test('is reported once, but a server with the expected page or without an answer is not reported', async () => {
    const notes: string[] = [];
    const load = async (live: string, token?: string) => {
      await new LiveLoad(page, scenarioOf({live}, [tcp, tcp]), {
        signal,
        tokenFor: asked => (asked === live ? token : undefined),
        onNote: note => notes.push(note),
      }).run();
    };
    await load(await serve());
    expect(notes).toEqual([]);
    const live = await serve(other, 'T');
    await load(live, 'wrong');
    expect(notes).toEqual([]);
    await load(live, 'T');
    expect(notes).toEqual([expect.stringContaining(`${live} serves text-10k, not gallery`)]);
    await servers.pop()?.close();
    await load(live);
    expect(notes).toHaveLength(1);
  });
});

const ENDED_LOADS = 6;
