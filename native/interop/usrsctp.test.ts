// @module-tag long
// Our SCTP exchanges messages with Debian's libusrsctp, which is FreeBSD's SCTP in user space. These tests lose packets
// from the first one on, and shut down from either end. node-sctp cannot do this because of the faults that
// testing/nodeSctpPeer.ts describes.
import {type ChildProcess, spawn} from 'node:child_process';
import {once} from 'node:events';
import {mkdtempSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {afterAll, beforeAll, describe, expect, it} from 'vitest';
import {buildOurPeer, startOurPeer} from './testing/ourSctpPeer.ts';
import {freeUdpPort} from './testing/udpSockets.ts';
import {compileUsrsctp} from './testing/usrsctpPeer.ts';

const streams = 4;
const messages = 10;
const folder = mkdtempSync(join(tmpdir(), 'interleave-usrsctp-'));
const program = compileUsrsctp('usrsctp_peer', folder);

beforeAll(buildOurPeer, 600_000);
afterAll(() => rmSync(folder, {recursive: true, force: true}));

const {missing} = program;

describe.skipIf(missing !== '')(`our SCTP with libusrsctp, over UDP in real time${missing}`, () => {
  const cases = [
    {role: 'client', closer: 'them', loss: 0.05, chunks: 'data'},
    {role: 'server', closer: 'us', loss: 0.05, chunks: 'idata'},
    {role: 'client', closer: 'us', loss: 0, chunks: 'data'},
    {role: 'client', closer: 'us', loss: 0.05, chunks: 'data'},
    {role: 'server', closer: 'us', loss: 0.05, chunks: 'data'},
    {role: 'server', closer: 'them', loss: 0.05, chunks: 'data'},
    {role: 'client', closer: 'us', loss: 0.05, chunks: 'idata'},
  ] as const;
  const exchanges = 'exchanges $chunks as $role with loss $loss from the first packet on (shut down by $closer)';
  it.each(cases.slice(0, 2))(exchanges, testExchange, 120_000);
  it.each(cases.slice(2))(exchanges, {tags: ['long'], timeout: 120_000}, testExchange);

  async function testExchange({role, closer, loss, chunks}: (typeof cases)[number]): Promise<void> {
    const port = await freeUdpPort();
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
      expect(counts.endsWith(', 0 packets with I-DATA received')).toBe(chunks === 'data');
      if (loss > 0) expect(counts).not.toContain(' 0 dropped');
      // usrsctp_peer checks the messages that it receives, and fails if they are wrong.
      expect((await ended)[0]).toBe(0);
    } finally {
      ours.kill();
      peer.kill();
    }
  }
});

interface Theirs {
  readonly closer: 'us' | 'them';
  readonly chunks: 'data' | 'idata';
}

function startTheirs(role: string, port: number, remotePort: number, {closer, chunks}: Theirs): ChildProcess {
  const numbers = [port, remotePort, streams, messages].map(String);
  return spawn(program.path, [role, ...numbers, closer === 'them' ? 'closes' : 'waits', chunks]);
}
