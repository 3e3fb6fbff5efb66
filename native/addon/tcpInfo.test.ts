import {once} from 'node:events';
import {closeSync, openSync} from 'node:fs';
import {connect, createServer, type Server, type Socket} from 'node:net';
import {afterEach, describe, expect, test} from 'vitest';
import {tcpInfo} from './index.js';

const isLinux = process.platform === 'linux';
const sockets: Socket[] = [];
let server: Server | undefined;

afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
  server?.close();
  server = undefined;
});

/** Both ends of a connection. */
async function connected(): Promise<{client: Socket; peer: Socket}> {
  server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('not listening');
  const client = connect(address.port, '127.0.0.1');
  const [[peer]] = await Promise.all([once(server, 'connection'), once(client, 'connect')]);
  sockets.push(client, peer);
  return {client, peer};
}

function fdOf(socket: Socket): number {
  return (socket as {_handle?: {fd: number}})._handle?.fd ?? -1;
}

describe.runIf(isLinux)('what the kernel tells of a TCP connection', () => {
  test('is its congestion window in segments, and what round trips took', async () => {
    const {client, peer} = await connected();
    const idle = tcpInfo(fdOf(client));
    // RFC 6928: ten segments; 1 is slow start
    expect(idle).toMatchObject({state: 1, ssthreshBytes: Number.POSITIVE_INFINITY, flightBytes: 0});
    expect(idle).toMatchObject({timeouts: expect.toBeOneOf([0, null]), retransmittedSegments: 0});
    const segmentBytes = (idle?.cwndBytes ?? 0) / 10;
    expect(segmentBytes).toBeGreaterThan(500);
    client.write('of the client');
    await once(peer, 'data');
    const {srttNs = 0, rtoNs = 0} = tcpInfo(fdOf(client)) ?? {};
    expect(srttNs).toBeGreaterThan(0);
    // the least that Linux has, behind SRTT
    expect(rtoNs).toBeGreaterThanOrEqual(srttNs + 200e6);
  });

  test('is nothing of what is no TCP socket, or closed', async () => {
    const {client} = await connected();
    const fd = fdOf(client);
    client.destroy();
    await once(client, 'close');
    expect(tcpInfo(fd)).toBeNull();
    const file = openSync('/dev/null', 'r');
    expect([tcpInfo(file), tcpInfo(2 ** 31 - 1)]).toEqual([null, null]);
    closeSync(file);
  });
});

test('a descriptor is a whole number that one can be', () => {
  for (const fd of [-1, 0.5, Number.NaN, 2 ** 31, 2 ** 53])
    expect(() => tcpInfo(fd)).toThrow(`invalid fd: ${fd} (must be a whole number, 0–2147483647)`);
  for (const fd of ['1', null, undefined, {}, 1n]) {
    expect(() => tcpInfo(fd as number)).toThrow('invalid fd: not a number');
  }
});
