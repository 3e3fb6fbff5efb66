import {encode} from '@msgpack/msgpack';
import {afterEach, beforeEach, describe, expect, test, vi} from 'vitest';
import {WebSocket, WebSocketServer} from 'ws';
import type {Host} from '../../app/host/contract.ts';
import {connectWebHost} from './webHost.ts';

let server: WebSocketServer;
/** The answers to calls, by the name of the call. A call that is not listed gets no answer. */
let answers: {readonly [name: string]: unknown} = {};

beforeEach(async () => {
  vi.stubGlobal('WebSocket', WebSocket);
  server = new WebSocketServer({port: 0, host: '127.0.0.1'});
  server.on('connection', socket =>
    socket.on('message', text => {
      const [id, name] = JSON.parse(String(text)) as [number, string];
      if (name in answers) socket.send(encode([id, null, answers[name]]));
    }),
  );
  await new Promise(resolve => server.on('listening', resolve));
});

afterEach(() => {
  vi.unstubAllGlobals();
  for (const socket of server.clients) socket.terminate();
  server.close();
});

const connect = (): Promise<Host> => {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return connectWebHost(`ws://127.0.0.1:${address.port}/`, 'key');
};

describe('the host of the web shell', () => {
  test('answers calls', async () => {
    answers = {pageNames: ['gallery', 'r02']};
    expect(await (await connect()).pageNames()).toEqual(['gallery', 'r02']);
  });

  test('rejects every call when the connection is closed, also later calls', async () => {
    answers = {};
    const host = await connect();
    const states: unknown[] = [];
    host.on('engine', state => states.push(state));
    const waiting = host.pageNames();
    for (const socket of server.clients) socket.terminate();
    await expect(waiting).rejects.toThrow('the program behind this window has ended');
    await expect(host.pageNames()).rejects.toThrow('the program behind this window has ended');
    expect(states).toMatchObject([{state: 'failed'}]);
  });
});
