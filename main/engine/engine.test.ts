import {mkdtempSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {pathToFileURL} from 'node:url';
import {afterAll, afterEach, describe, expect, test} from 'vitest';
import type {EngineState} from '../../app/ipc/contract.ts';
import {Engine} from './engine.ts';

// The engine around threads that behave, die, and never start; e2e/ has it around the real one.

const folder = mkdtempSync(join(tmpdir(), 'interleave-engine-'));
afterAll(() => rmSync(folder, {recursive: true, force: true}));

let engine: Engine | undefined;
const states: EngineState[] = [];
afterEach(async () => {
  await engine?.close();
  states.length = 0;
});

describe('an engine', () => {
  const mortal = thread(
    'mortal',
    `import {parentPort, workerData} from 'node:worker_threads';
    parentPort.on('message', ({id, call}) => {
      if (call === 'load') throw new Error('index out of range');
      parentPort.postMessage({id, value: [workerData.fixtures]});
    });`,
  );

  const named = thread(
    'named',
    `import {parentPort, threadId} from 'node:worker_threads';
    parentPort.on('message', ({id}) => parentPort.postMessage({id, value: [threadId]}));`,
  );

  test('answers calls on its thread', async () => {
    engine = open(mortal);
    expect(await engine.call('pageNames')).toEqual(['fixtures']);
    expect(engine.state).toEqual({state: 'ready'});
  });

  test('whose thread dies says so, refuses what was under way, and goes on with another', async () => {
    engine = open(mortal);
    await engine.call('pageNames');
    const [load, openPage] = await Promise.all([engine.call('load', {}), engine.call('openPage', 'gallery')]);
    expect([load, openPage]).toEqual([
      expect.objectContaining({ok: false, message: expect.stringContaining('index out of range')}),
      expect.objectContaining({ok: false}),
    ]);
    expect(states).toEqual([{state: 'restarted', message: expect.stringContaining('index out of range')}]);
    expect(await engine.call('pageNames')).toEqual(['fixtures']);
  });

  test('of several threads goes on with the others when one dies', async () => {
    engine = open(mortal, 2);
    await engine.call('pageNames');
    const [load, openPage] = await Promise.all([engine.call('load', {}), engine.call('openPage', 'gallery')]);
    expect(load).toMatchObject({ok: false, message: expect.stringContaining('index out of range')});
    expect(openPage).toEqual(['fixtures']);
    expect(await Promise.all([engine.call('pageNames'), engine.call('pageNames')])).toHaveLength(2);
    expect(states).toHaveLength(1);
  });

  test('gives each of several calls a thread of its own', async () => {
    engine = open(named, 2);
    const calls = [engine.call('pageNames'), engine.call('pageNames')];
    const [first, second] = await Promise.all(calls);
    expect(first).not.toEqual(second);
  });

  test('that cannot start says what to do, and does not try forever', async () => {
    engine = open(thread('unbuilt', `throw new Error("Cannot find module './index.node'");`), 2);
    await expect
      .poll(() => states)
      .toEqual([
        {state: 'failed', message: expect.stringMatching(/index\.node.*npm test builds its native addon/)},
      ]);
    expect(await engine.call('load', {})).toMatchObject({ok: false, problems: []});
  });
});

function open(worker: URL, threads = 1): Engine {
  return new Engine({worker, fixtures: 'fixtures', threads, onState: state => states.push(state)});
}

function thread(name: string, text: string): URL {
  const file = join(folder, `${name}.mjs`);
  writeFileSync(file, text);
  return pathToFileURL(file);
}
