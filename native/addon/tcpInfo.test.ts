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

/** Makes a connection and returns both ends. */
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

describe.runIf(isLinux)('tcpInfo', () => {
  test('returns the congestion window in segments and the measured round trips', async () => {
    const {client, peer} = await connected();
    const idle = tcpInfo(fdOf(client));
    // RFC 6928: the window has ten segments; the state 1 is slow start
    expect(idle).toMatchObject({state: 1, ssthreshBytes: Number.POSITIVE_INFINITY, flightBytes: 0});
    expect(idle).toMatchObject({timeouts: expect.toBeOneOf([0, null]), retransmittedSegments: 0});
    const segmentBytes = (idle?.cwndBytes ?? 0) / 10;
    expect(segmentBytes).toBeGreaterThan(500);
    client.write('of the client');
    await once(peer, 'data');
    const {srttNs = 0, rtoNs = 0} = tcpInfo(fdOf(client)) ?? {};
    expect(srttNs).toBeGreaterThan(0);
    // the minimum that Linux adds to SRTT
    expect(rtoNs).toBeGreaterThanOrEqual(srttNs + 200e6);
  });

  test('returns null for a closed descriptor or one that is not a TCP socket', async () => {
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

test('tcpInfo refuses a descriptor that is not a whole number within its limits', () => {
  for (const fd of [-1, 0.5, Number.NaN, 2 ** 31, 2 ** 53])
    expect(() => tcpInfo(fd)).toThrow(`invalid fd: ${fd} (must be a whole number, 0–2147483647)`);
  for (const fd of ['1', null, undefined, {}, 1n]) {
    expect(() => tcpInfo(fd as number)).toThrow('invalid fd: not a number');
  }
});
