import {type ChildProcess, spawn, spawnSync} from 'node:child_process';
import {once} from 'node:events';
import {mkdtempSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {afterAll, beforeAll, describe, expect, it} from 'vitest';
import {bindUdp} from './nodePeer.ts';
import {buildOurPeer, startOurPeer} from './ourPeer.ts';

// What node-sctp cannot be asked (nodePeer.ts tells its faults): loss from the first packet on, and who closes.

const streams = 4;
const messages = 10;
const folder = mkdtempSync(join(tmpdir(), 'interleave-usrsctp-'));
const program = join(folder, 'usrsctp_peer');
const source = join(import.meta.dirname, 'usrsctp_peer.c');
const {status} = spawnSync('cc', ['-O1', '-o', program, source, '-lusrsctp', '-lpthread']);
const why = status === 0 ? '' : ' (skipped: there is no C compiler with libusrsctp)';

beforeAll(buildOurPeer, 600_000);
afterAll(() => rmSync(folder, {recursive: true, force: true}));

describe.skipIf(why !== '')(`our SCTP with libusrsctp, over UDP in real time${why}`, () => {
  it.each([
    {role: 'client', closer: 'us', loss: 0, chunks: 'data'},
    {role: 'client', closer: 'us', loss: 0.05, chunks: 'data'},
    {role: 'client', closer: 'them', loss: 0.05, chunks: 'data'},
    {role: 'server', closer: 'us', loss: 0.05, chunks: 'data'},
    {role: 'server', closer: 'them', loss: 0.05, chunks: 'data'},
    {role: 'client', closer: 'us', loss: 0.05, chunks: 'idata'},
    {role: 'server', closer: 'us', loss: 0.05, chunks: 'idata'},
  ] as const)(
    'exchanges $chunks as $role, with loss $loss from the first packet on; $closer shut down',
    async ({role, closer, loss, chunks}) => {
      const port = await freePort();
      const options = {role, port, streams, messages, loss, lossless: 'none', closer, chunks} as const;
      const end = {closer, chunks};
      const theirs = role === 'client' ? startTheirs('server', port, 0, end) : undefined;
      if (theirs !== undefined) await once(theirs.stdout as NonNullable<ChildProcess['stdout']>, 'data');
      const ours = startOurPeer(options);
      const peer = theirs ?? startTheirs('client', port, await ours.port, end);
      const ended = once(peer, 'exit');
      try {
        const counts = await ours.done;
        expect(counts).toContain(`${streams * messages} messages received`);
        expect(counts.endsWith(', 0 of I-DATA came')).toBe(chunks === 'data');
        if (loss > 0) expect(counts).not.toContain(' 0 dropped');
        // it checks its messages itself
        expect((await ended)[0]).toBe(0);
      } finally {
        ours.kill();
        peer.kill();
      }
    },
    120_000,
  );
});

interface Theirs {
  readonly closer: 'us' | 'them';
  readonly chunks: 'data' | 'idata';
}

function startTheirs(role: string, port: number, remotePort: number, {closer, chunks}: Theirs): ChildProcess {
  const numbers = [port, remotePort, streams, messages].map(String);
  return spawn(program, [role, ...numbers, closer === 'them' ? 'closes' : 'waits', chunks]);
}

/** A UDP port that was free a moment ago. */
async function freePort(): Promise<number> {
  const socket = await bindUdp();
  const {port} = socket.address();
  socket.close();
  await once(socket, 'close');
  return port;
}
