import {once} from 'node:events';
import {type AddressInfo, connect, createServer, type Server} from 'node:net';
import {afterAll, afterEach, beforeAll, expect, test, vi} from 'vitest';
import {Gateways} from '../../live/shim/gateways.ts';
import {SctpSource} from './sctpSource.ts';

/** A server of HTTP. Its connections stand in for the streams of an association. */
let server: Server;
let answer = '';
beforeAll(async () => {
  server = createServer(socket => socket.once('data', () => socket.end(answer))).listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterAll(() => server.close());
afterEach(() => vi.restoreAllMocks());

async function get(): Promise<Response> {
  const {port} = server.address() as AddressInfo;
  const lane = connect(port, '127.0.0.1') as unknown as Awaited<ReturnType<Gateways['begin']>>['lane'];
  vi.spyOn(Gateways.prototype, 'begin').mockResolvedValue({lane} as Awaited<ReturnType<Gateways['begin']>>);
  const source = new SctpSource({resolve: () => undefined, mayReach: () => true, userAgent: 'test'});
  return (await source.get(new URL('sctp://127.0.0.1/'), new AbortController().signal)) as unknown as Response;
}

test.each(['042', '600', '999'])('the status %s is refused, because no response of fetch can have it', async status => {
  answer = `HTTP/1.1 ${status} Odd\r\nContent-Length: 4\r\n\r\nbody`;
  await expect(get()).rejects.toMatchObject({name: 'FetchError', message: `the server answers ${Number(status)}`});
});

test('the statuses 200, 204 and 599 are answered', async () => {
  for (const status of [200, 204, 599]) {
    answer = `HTTP/1.1 ${status} Odd\r\nContent-Length: 0\r\n\r\n`;
    expect((await get()).status).toBe(status);
  }
});
