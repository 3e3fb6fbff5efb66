import {once} from 'node:events';
import {type AddressInfo, createServer, type Socket} from 'node:net';
import {afterEach, expect, test} from 'vitest';
import type {TransportEvent} from '../../../app/http/transports.ts';
import {startClock} from '../../net/clock.ts';
import {RealNetwork} from './realNetwork.ts';

const sockets = new Set<Socket>();
const server = createServer(socket => {
  sockets.add(socket);
  setTimeout(() => socket.write('H'), 30);
});

afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  server.close();
});

test('every connection to a silent server ends', async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const {port} = server.address() as AddressInfo;
  const network = new RealNetwork({host: '127.0.0.1', port, clock: startClock(), silenceMs: 50});
  const client = {profile: 'modern', sendBufferBytes: 1000} as const;
  const ends = [0, 1].map(() => network.openTcp({client}).client);
  for (const end of ends) network.connect(end);
  const events: TransportEvent[] = [];
  while (!events.some(({type}) => type === 'closed')) events.push(...(await network.advance(Number.POSITIVE_INFINITY)));
  expect(events.filter(({type}) => type === 'connected')).toHaveLength(2);
  // The server sent a byte after 30 ms, so the silence of 50 ms ends after 80 ms.
  expect(network.nowNs).toBeGreaterThan(80e6);
  expect(events.slice(-2)).toEqual(
    ends.map(endpoint => ({endpoint, type: 'closed', reason: `127.0.0.1:${port} was silent for 0.05 s`})),
  );
  network.close();
});
