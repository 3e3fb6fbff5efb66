import {once} from 'node:events';
import {createServer, type Server, type ServerResponse} from 'node:http';
import {type AddressInfo, connect, type Socket} from 'node:net';
import {afterEach, beforeEach, expect, test} from 'vitest';
import {limitConnections} from './limitConnections.ts';

const MOST = 3;
let server: Server;
let waiting: ServerResponse[] = [];
let sockets: Socket[] = [];

beforeEach(async () => {
  server = createServer();
  // The tests answer these requests later.
  server.on('request', (_, response) => waiting.push(response));
  server.on('checkContinue', (_, response) => waiting.push(response));
  server.on('connect', (_, client) => client.write('HTTP/1.1 200 Yes\r\n\r\n'));
  limitConnections(server, MOST);
  await once(server.listen(0, '127.0.0.1'), 'listening');
});

afterEach(() => {
  for (const socket of sockets) socket.destroy();
  [sockets, waiting] = [[], []];
  server.closeAllConnections();
  server.close();
});

async function opened(): Promise<Socket & {isGone?: boolean}> {
  const socket: Socket & {isGone?: boolean} = connect((server.address() as AddressInfo).port, '127.0.0.1');
  sockets.push(socket);
  socket.on('error', () => undefined).on('close', () => (socket.isGone = true));
  socket.resume();
  await once(socket, 'connect');
  return socket;
}

async function ask(socket: Socket): Promise<void> {
  const asked = once(server, 'request');
  socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
  await asked;
}

test('at the limit, a new connection replaces the oldest silent connection', async () => {
  const busy = await opened();
  await ask(busy);
  const silent = [await opened(), await opened()];
  const closed = once(silent[0] as Socket, 'close');
  const another = await opened();
  await ask(another);
  await closed;
  expect([busy, ...silent, another].map(({isGone = false}) => isGone)).toEqual([false, true, false, false]);
  waiting[1]?.end('hello');
  expect(waiting[1]?.writableEnded).toBe(true);
});

test('a connection is closed at once if busy connections of its own address have reached the limit', async () => {
  for (let count = 0; count < MOST; count++) await ask(await opened());
  const further = await opened();
  if (!further.isGone) await once(further, 'close');
  expect(sockets.slice(0, MOST).some(socket => 'isGone' in socket)).toBe(false);
  // A connection whose request was answered is idle.
  const [first] = sockets;
  waiting[0]?.end('hello');
  await once(first as Socket, 'data');
  await ask(await opened());
});

test('a connection with a tunnel, or with a request that waits for a 100, is not idle', async () => {
  const [tunnel, expecting] = [await opened(), await opened()];
  tunnel.write('CONNECT a:443 HTTP/1.1\r\nHost: a:443\r\n\r\n');
  await once(tunnel, 'data');
  const asked = once(server, 'checkContinue');
  expecting.write('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nExpect: 100-continue\r\n\r\n');
  await asked;
  const silent = await opened();
  const closed = once(silent, 'close');
  await ask(await opened());
  await closed;
  expect([tunnel, expecting].map(({isGone = false}) => isGone)).toEqual([false, false]);
});
