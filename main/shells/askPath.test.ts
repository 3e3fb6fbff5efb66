import {once} from 'node:events';
import {createServer, type RequestListener} from 'node:http';
import type {AddressInfo} from 'node:net';
import {afterEach, expect, test, vi} from 'vitest';
import {DEFAULT_PATH} from '../../app/run/scenario/path.ts';
import {runningPathDocument} from '../../app/run/scenario/runningPath.ts';
import {NO_COUNTS} from '../../app/run/scenario/testing/noCounts.ts';
import {startPath} from '../live/path/livePath.ts';
import {REFUSED_TOKEN} from '../net/token.ts';
import {askPath} from './askPath.ts';

const ends: (() => unknown)[] = [];

afterEach(async () => {
  vi.unstubAllEnvs();
  for (const end of ends.splice(0)) await end();
});

async function path(token?: string): Promise<string> {
  const to = {host: '127.0.0.1', port: 1};
  const began = await startPath({settings: DEFAULT_PATH, seed: 1, host: '127.0.0.1', port: 0, to, token});
  ends.push(() => began.close());
  return `127.0.0.1:${began.port}`;
}

/** Starts a server that answers instead of a path. */
async function somebody(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  ends.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return `127.0.0.1:${(server.address() as AddressInfo).port - 3}`;
}

test('a path describes itself, also after a change', async () => {
  const live = await path();
  const zero = {handOvers: 0, clients: 0, refused: 0};
  const running = {path: DEFAULT_PATH, seed: 1, counts: {down: NO_COUNTS, up: NO_COUNTS}, traffic: [], ...zero};
  expect(await askPath(live, null)).toEqual({ok: true, running});
  const rttMs = {down: 8, up: 8};
  expect(await askPath(live, {rttMs: 8})).toEqual({
    ok: true,
    running: {...running, path: {...DEFAULT_PATH, rttMs}},
  });
  expect(await askPath(live, {loss: 2})).toMatchObject({ok: false, message: expect.stringContaining('loss')});
});

const TOKEN = '0123456789abcdef';

test('a path is asked with the token of live loads', async () => {
  const live = await path(TOKEN);
  expect(await askPath(live, null)).toMatchObject({ok: false, message: REFUSED_TOKEN});
  // a token that is not bound to this path is not sent to it
  vi.stubEnv('INTERLEAVE_TOKEN', TOKEN);
  expect(await askPath(live, null)).toMatchObject({ok: false, message: REFUSED_TOKEN});
  vi.stubEnv('INTERLEAVE_TOKEN', `${live}=short`);
  expect(await askPath(live, null)).toMatchObject({
    ok: false,
    message: expect.stringContaining('5 characters'),
  });
  vi.stubEnv('INTERLEAVE_TOKEN', `${live}=${TOKEN}`);
  expect(await askPath(live, null)).toMatchObject({ok: true});
});

test('a server of another kind is not regarded as a path, and a change without an answer is reported', async () => {
  for (const [status, body] of [
    [404, ''],
    [200, 'hello'],
    [200, '{}'],
    [200, '['.repeat(1000)],
    [200, 'x'.repeat(3 * 1024 * 1024)],
    [500, '{"error": 7}'],
  ] as const) {
    const live = await somebody((_, response) => void response.writeHead(status).end(body));
    expect(await askPath(live, null)).toBeNull();
  }
  const gone = await somebody((_, response) => void response.destroy());
  expect(await askPath(gone, null)).toBeNull();
  expect(await askPath(gone, {loss: 0})).toMatchObject({
    ok: false,
    message: 'the path does not answer: is the command interleave path running there?',
  });
});

test('an answer of more than 2 MiB is not accepted as the answer of a path', async () => {
  const live = await path();
  const answer = await askPath(live, null);
  if (!answer?.ok) throw new Error('no path');
  const document = JSON.stringify(runningPathDocument(answer.running));
  for (const [blanks, isPath] of [
    [1024 * 1024, true],
    [2 * 1024 * 1024, false],
  ] as const) {
    const other = await somebody((_, response) => void response.end(document + ' '.repeat(blanks)));
    expect((await askPath(other, null)) !== null).toBe(isPath);
  }
});

test('an invalid address is refused, and a path whose control port would be too large does not answer', async () => {
  for (const live of [undefined, 7, 'nowhere', '127.0.0.1:0', 'a b:1'])
    expect(await askPath(live, null)).toMatchObject({ok: false});
  expect(await askPath('127.0.0.1:65535', null)).toBeNull();
});
