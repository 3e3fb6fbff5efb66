import {setTimeout as wait} from 'node:timers/promises';
import {afterEach, describe, expect, test} from 'vitest';
import type {LiveAnswer, PageAnswer} from '../../app/host/contract.ts';
import {decodeRun} from '../../app/run/trace/runFile.ts';
import {type LiveServer, startServer} from '../live/server/liveServer.ts';
import {openPage} from '../pages/openPage.ts';
import {WindowLiveLoads} from './windowLiveLoads.ts';

const page = await openPage({kind: 'named', name: 'gallery'}, 'fixtures/pages');
const gone: PageAnswer = {ok: false, problems: [], message: 'gone', isPageGone: true};
const pageOf = (hash: unknown): PageAnswer => (hash === page.hash ? {ok: true, page} : gone);
let server: LiveServer | undefined;
const all: WindowLiveLoads[] = [];

afterEach(async () => {
  for (const loads of all.splice(0)) loads.close();
  await server?.close();
  server = undefined;
});

async function serve(token?: string): Promise<string> {
  server = await startServer({page, host: '127.0.0.1', port: 0, token});
  return `127.0.0.1:${server.port}`;
}

function liveLoads(patienceMs = 5000): WindowLiveLoads {
  const loads = new WindowLiveLoads({open: () => import('../live/client/liveLoad.ts'), pageOf, patienceMs});
  all.push(loads);
  return loads;
}

function scenarioOf(live: string, more: object = {}): object {
  return {path: {live, ...more}, panes: [{pipeline: 'sctp', streams: 4}, {pipeline: 'tcp'}]};
}

function outcomes(answer: LiveAnswer): readonly string[] {
  const decoded = answer.ok ? decodeRun(answer.run) : answer;
  if (!decoded.ok) throw new Error(decoded.message);
  return decoded.run.panes.map(({outcome}) => outcome);
}

/** A server that accepts connections and never answers. */
async function silent(): Promise<{readonly live: string; readonly peers: () => number; close(): void}> {
  const {createServer} = await import('node:net');
  let peers = 0;
  const listening = createServer(socket => {
    peers += 1;
    socket.on('error', () => undefined).on('close', () => (peers -= 1));
    socket.resume();
  });
  await new Promise<void>(resolve => listening.listen(0, '127.0.0.1', resolve));
  const address = listening.address();
  const port = typeof address === 'object' ? address?.port : 0;
  return {live: `127.0.0.1:${port}`, peers: () => peers, close: () => listening.close()};
}

describe('a live load that a window asks for', () => {
  test('is reported until it has finished, and then forgotten', async () => {
    const loads = liveLoads();
    const scenario = scenarioOf(await serve());
    let answer = await loads.load(scenario, page.hash, 'r');
    expect(outcomes(answer)).toEqual(['loading', 'loading']);
    while (answer.ok && !answer.isOver) answer = await loads.load(scenario, page.hash, 'r');
    expect(outcomes(answer)).toEqual(['complete', 'complete']);
    // the load of that name was forgotten, so it begins again
    expect(outcomes(await loads.load(scenario, page.hash, 'r'))).toEqual(['loading', 'loading']);
  });

  test.each(['cancelled', 'not asked for any more', 'part of a program that ends'])(
    'closes its sockets when it is %s',
    async how => {
      const nobody = await silent();
      const loads = liveLoads(how === 'not asked for any more' ? 20 : 5000);
      const scenario = {path: {live: nobody.live}, panes: [{pipeline: 'tcp'}]};
      await loads.load(scenario, page.hash, 'r');
      const peers = expect.poll(nobody.peers);
      if (how !== 'not asked for any more') await peers.toBe(1);
      const asking = how === 'not asked for any more' ? undefined : loads.load(scenario, page.hash, 'r');
      if (how === 'cancelled') loads.cancel('r');
      if (how === 'part of a program that ends') loads.close();
      if (asking !== undefined) expect(await asking).toMatchObject({ok: false, message: 'the load was ended'});
      await wait(50);
      await expect.poll(nobody.peers).toBe(0);
      nobody.close();
    },
  );

  test('is refused if its arguments are invalid, or if there are too many loads', async () => {
    const loads = liveLoads();
    const live = await serve();
    expect(await loads.load({path: {live: 'a'}}, page.hash, 'r')).toMatchObject({
      ok: false,
      problems: [{path: 'path.live', value: 'a'}],
    });
    expect(await loads.load({}, page.hash, 'r')).toMatchObject({ok: false});
    expect(await loads.load(scenarioOf(live), 'another', 'r')).toMatchObject({isPageGone: true});
    expect(await loads.load(7, page.hash, 'r')).toMatchObject({ok: false});
    const many = Array.from({length: 9}, (_, i) => loads.load(scenarioOf(live), page.hash, i));
    const answers = await Promise.all(many);
    expect(answers.map(({ok}) => ok)).toEqual([...Array(8).fill(true), false]);
  });

  test('ends with an error if a host name is unknown', async () => {
    const loads = liveLoads();
    const scenario = scenarioOf('no.such.host.invalid:80');
    let answer = await loads.load(scenario, page.hash, 'r');
    while (answer.ok && !answer.isOver) answer = await loads.load(scenario, page.hash, 'r');
    expect(answer).toMatchObject({
      ok: false,
      message: expect.stringContaining('no.such.host.invalid:80 cannot be found'),
    });
  });
});
