import {createSocket, type Socket} from 'node:dgram';
import {once} from 'node:events';
import {setImmediate as turn} from 'node:timers/promises';
import {afterEach, expect, test, vi} from 'vitest';
import {ServerSocket} from './udpSocket.ts';

const HOST = '127.0.0.1';
const ends: (() => unknown)[] = [];

afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

async function client(): Promise<Socket> {
  const socket = createSocket('udp4');
  ends.push(() => socket.close());
  socket.bind(0, HOST);
  await once(socket, 'listening');
  return socket;
}

function at(socket: Socket) {
  return {address: HOST, family: 'IPv4', port: socket.address().port, size: 0} as const;
}

test('a packet that is sent just before closing arrives', async () => {
  const one = await client();
  const server = new ServerSocket({host: HOST, onPacket: vi.fn()});
  await server.listen(0);
  const said = once(one, 'message');
  server.send([Buffer.from('last')], at(one));
  await server.close();
  expect(String((await said)[0])).toBe('last');
});

test('a packet that the system refuses is lost and reported', async () => {
  const one = await client();
  const onRefused = vi.fn();
  for (const asked of [{}, {onRefused}]) {
    const server = new ServerSocket({host: HOST, onPacket: vi.fn(), ...asked});
    await server.listen(0);
    ends.push(() => server.close());
    const said = once(one, 'message');
    // With both headers, this is one byte more than the total length field of IPv4 allows (RFC 791 §3.1).
    server.send([Buffer.alloc(65_508), Buffer.from('next')], at(one));
    expect(String((await said)[0])).toBe('next');
    await turn();
  }
  expect(onRefused).toHaveBeenCalledTimes(1);
});

test('listening on a port that is in use fails', async () => {
  const {port} = at(await client());
  const server = new ServerSocket({host: HOST, onPacket: vi.fn()});
  await expect(server.listen(port)).rejects.toThrow('EADDRINUSE');
  await server.close();
});

test('an IPv6 address gives a socket of family IPv6', async () => {
  const server = new ServerSocket({host: '::1', onPacket: vi.fn()});
  expect(server.family).toBe('IPv6');
  await server.close();
});
