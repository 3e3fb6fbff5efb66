import {mkdtempSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {pathToFileURL} from 'node:url';
import {afterAll, afterEach, describe, expect, test} from 'vitest';
import type {Json} from '../../app/base/json.ts';
import type {EngineState} from '../../app/host/contract.ts';
import {Engine} from './engine.ts';

// These tests run the engine with fake threads that answer, die, hang or never start. realEngine.test.ts uses real
// threads.

const folder = mkdtempSync(join(tmpdir(), 'interleave-engine-'));
afterAll(() => rmSync(folder, {recursive: true, force: true}));

let engine: Engine | undefined;
const states: EngineState[] = [];
afterEach(async () => {
  await engine?.close();
  states.length = 0;
});

/**
 * A fake thread. It opens any hash as a page, and answers a load with its thread's number and the page's hash. A
 * scenario can make it die or hang.
 */
const obedient = thread(
  'obedient',
  `import {parentPort, threadId, workerData} from 'node:worker_threads';
  let kept;
  const answers = {
    pageNames: () => [workerData.fixtures, threadId],
    openPage: hash => ({ok: true, page: {hash, objects: []}}),
    load: (scenario, page) => {
      if (scenario.dies) throw new Error('index out of range');
      while (scenario.hangs);
      kept = page ?? kept;
      return {ok: true, run: [threadId, kept.hash]};
    },
    loadSeed: (scenario, page, seed, eye) => {
      if (seed === scenario.dies) throw new Error('index out of range');
      kept = page ?? kept;
      return {ok: true, row: [seed, threadId, kept.hash, eye]};
    },
  };
  parentPort.on('message', ({call, args}) => parentPort.postMessage(answers[call](...args)));`,
);

describe('an engine', () => {
  test('answers calls on its thread', async () => {
    engine = open();
    expect(await engine.pageNames()).toEqual(['fixtures', expect.any(Number)]);
    expect(engine.state).toEqual({state: 'ready'});
  });

  test('whose thread dies reports this, refuses the call, and answers others on a new thread', async () => {
    engine = await openWithPage();
    const [died, waiting] = await Promise.all([load({dies: true}), load({})]);
    expect(died).toMatchObject({ok: false, message: expect.stringContaining('index out of range')});
    expect(waiting).toMatchObject({ok: true});
    expect(states).toEqual([{state: 'restarted', message: expect.stringContaining('index out of range')}]);
  });

  test('with a restarted thread is ready for new windows', async () => {
    engine = await openWithPage();
    await load({dies: true});
    expect(states).toHaveLength(1);
    expect(engine.state).toEqual({state: 'ready'});
  });

  test('with several threads still answers when one dies', async () => {
    engine = await openWithPage(2);
    const [died, other] = await Promise.all([load({dies: true}), load({})]);
    expect(died).toMatchObject({ok: false, message: expect.stringContaining('index out of range')});
    expect(other).toMatchObject({ok: true});
    expect(await Promise.all([load({}), load({})])).toEqual(Array(2).fill(expect.objectContaining({ok: true})));
    expect(states).toHaveLength(1);
  });

  test('answers several calls on different threads', async () => {
    engine = await openWithPage(2);
    const [first, second] = await Promise.all([load({}), load({})]);
    expect(first).not.toEqual(second);
  });

  test('that cannot start reports what to do, and does not try again', async () => {
    engine = open(2, thread('unbuilt', `throw new Error("Cannot find module './index.node'");`));
    const waiting = engine.pageNames();
    const failed = {
      state: 'failed',
      message: expect.stringMatching(/index\.node.*npm start or npm test builds the engine’s native addon/),
    };
    await expect.poll(() => states).toEqual([failed]);
    expect(engine.state).toEqual(failed);
    expect(await waiting).toMatchObject({ok: false, problems: []});
    expect(await engine.pageNames()).toMatchObject({ok: false, problems: []});
  });

  test('whose addon was refused reports only once what to do', async () => {
    engine = open(2, thread('unpatched', 'throw new Error("index.node is stock: npm start builds it");'));
    const failed = {
      state: 'failed',
      message: 'The engine cannot start: index.node is stock: npm start builds it.',
    };
    await expect.poll(() => states).toEqual([failed]);
  });

  test('that is closed refuses all calls', async () => {
    engine = await openWithPage();
    const [hanging, waiting] = [load({hangs: true}), load({})];
    await engine.close();
    const ended = {ok: false, message: 'the program is ending'};
    expect([await hanging, await waiting]).toMatchObject([ended, ended]);
  });

  test('refuses arguments that cannot be sent to a thread, and answers other calls', async () => {
    engine = await openWithPage();
    let deep: Json = [];
    for (let i = 0; i < 200_000; i++) deep = [deep];
    expect(await load({deep})).toMatchObject({
      ok: false,
      message: 'the computation cannot start: Maximum call stack size exceeded',
    });
    expect(await load({})).toMatchObject({ok: true});
    expect(states).toEqual([]);
  });
});

describe('a call', () => {
  test('that exceeds the deadline is refused, while the other thread answers calls', async () => {
    engine = await openWithPage(2, 3000);
    const hanging = load({hangs: true});
    for (let i = 0; i < 5; i++) expect(await load({})).toMatchObject({ok: true});
    expect(await hanging).toEqual({
      ok: false,
      problems: [],
      message: 'the computation exceeded the deadline of 3 s and was ended',
    });
    expect(states).toEqual([]);
    // There are two threads again.
    const [first, second] = await Promise.all([load({}), load({})]);
    expect(first).toMatchObject({ok: true});
    expect(second).toMatchObject({ok: true});
    expect(first).not.toEqual(second);
  });

  test('has its deadline counted from its start on a thread, not from when it waits', async () => {
    engine = await openWithPage(1, 3000);
    const hanging = load({hangs: true});
    const waiting = load({});
    expect(await hanging).toMatchObject({ok: false});
    expect(await waiting).toMatchObject({ok: true});
  });

  test('for a cancelled run is refused, and other calls use its thread', async () => {
    engine = await openWithPage(2);
    const old = [load({hangs: true}, 'old'), load({hangs: true}, 'old'), load({}, 'old')];
    const newest = load({}, 'new');
    engine.cancelLoad('old');
    const overtaken = {ok: false, problems: [], message: 'another load has replaced this one'};
    expect(await Promise.all(old)).toEqual([overtaken, overtaken, overtaken]);
    expect(await newest).toMatchObject({ok: true});
    expect(states).toEqual([]);
  });

  test('for another run is not affected by a cancellation', async () => {
    engine = await openWithPage(2);
    const [kept, waiting] = [load({}, 'kept'), load({}, 'kept')];
    engine.cancelLoad('old');
    expect(await kept).toMatchObject({ok: true});
    expect(await waiting).toMatchObject({ok: true});
  });
});

describe('runs of many seeds', () => {
  const rowsOf = async (...args: Parameters<typeof loadSeeds>) => {
    const answer = await loadSeeds(...args);
    if (!answer.ok) throw new Error(answer.message);
    return answer.rows as readonly unknown[] as readonly (readonly unknown[])[];
  };

  test('are in the order of the seeds, and load the opened page', async () => {
    engine = await openWithPage(3);
    expect((await rowsOf([7, 2, 9])).map(([seed, , page]) => [seed, page])).toEqual([
      [7, 'page'],
      [2, 'page'],
      [9, 'page'],
    ]);
    expect(await engine.loadSeeds({}, 'never', [1], '')).toMatchObject({isPageGone: true});
  });

  test('let urgent calls be answered first', async () => {
    engine = await openWithPage(1);
    const done: string[] = [];
    const many = Array.from({length: 50}, (_, i) => rowsOf([i]).then(() => done.push('seed')));
    await Promise.all([...many, load({}).then(() => done.push('load'))]);
    // At most one seed was computed before the load.
    expect(done.indexOf('load')).toBeLessThanOrEqual(1);
  });

  test('leave one thread free for urgent calls, unless there is only one', async () => {
    engine = await openWithPage(3);
    const seeds = Array.from({length: 40}, (_, i) => i);
    expect(new Set((await rowsOf(seeds)).map(([, thread]) => thread)).size).toBe(2);
    await engine.close();
    engine = await openWithPage(1);
    expect(await rowsOf(seeds)).toHaveLength(40);
  });

  test('are refused if a thread dies during one, and can be requested again', async () => {
    engine = await openWithPage(2);
    expect(await loadSeeds([1, 2, 3], '', {dies: 2})).toMatchObject({
      ok: false,
      message: expect.stringContaining('index out of range'),
    });
    expect(await rowsOf([1, 2, 3])).toHaveLength(3);
  });

  test('that are cancelled are refused and no longer computed', async () => {
    engine = await openWithPage(1);
    const answers = Array.from({length: 20}, () => loadSeeds([1, 2, 3, 4], 'old'));
    engine.cancelLoad('old');
    expect(new Set((await Promise.all(answers)).map(({ok}) => ok))).toEqual(new Set([false]));
    expect(await rowsOf([5])).toHaveLength(1);
  });

  test('are refused if the seeds are not a list or too many', async () => {
    engine = await openWithPage();
    const limit = {ok: false, message: 'seeds must be a list of at most 100'};
    for (const seeds of [null, 'all', {length: 3}, Array(101).fill(1)]) {
      expect(await engine.loadSeeds({}, 'page', seeds, '')).toMatchObject(limit);
    }
  });
});

describe('a page', () => {
  test('that was opened is sent with every load that names its hash', async () => {
    engine = await openWithPage(2);
    await engine.openPage('newer', '');
    expect(await Promise.all([load({}, '', 'page'), load({}, '', 'newer')])).toMatchObject([
      {run: [expect.any(Number), 'page']},
      {run: [expect.any(Number), 'newer']},
    ]);
    expect(engine.heldPage('page')).toMatchObject({ok: true, page: {hash: 'page'}});
  });

  test('that is not held is refused with isPageGone', async () => {
    engine = await openWithPage();
    const gone = {
      ok: false,
      problems: [],
      message: 'the page that was opened for this run is no longer in memory: load it again',
      isPageGone: true,
    };
    expect(await load({}, '', 'never')).toEqual(gone);
    expect(engine.heldPage('never')).toEqual(gone);
    expect(engine.heldPage({hash: 'page'})).toEqual(gone);
  });
});

function open(threads = 1, worker = obedient, deadlineMs = 60_000): Engine {
  const onState = (state: EngineState) => states.push(state);
  return new Engine({worker, fixtures: 'fixtures', threads, deadlineMs, onState});
}

/** Opens an engine and a page. All threads have answered a call. */
async function openWithPage(threads = 1, deadlineMs = 60_000): Promise<Engine> {
  const opened = open(threads, obedient, deadlineMs);
  await Promise.all(Array.from({length: threads}, () => opened.openPage('page', '')));
  return opened;
}

function load(scenario: Json, run = '', hash = 'page') {
  if (engine === undefined) throw new Error('no engine');
  return engine.load(scenario, hash, run);
}

function loadSeeds(seeds: readonly number[], run = '', scenario: Json = {}) {
  if (engine === undefined) throw new Error('no engine');
  return engine.loadSeeds(scenario, 'page', seeds, run, null);
}

function thread(name: string, text: string): URL {
  const file = join(folder, `${name}.mjs`);
  writeFileSync(file, text);
  return pathToFileURL(file);
}
