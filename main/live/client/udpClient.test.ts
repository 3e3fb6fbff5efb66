import {createSocket} from 'node:dgram';
import {once} from 'node:events';
import {expect, test, vi} from 'vitest';
import {startClock} from '../../net/clock.ts';
import {UdpClient} from './udpClient.ts';

test.each(['a packet', 'a timer'])(
  'a client ends and reports an error if its transport throws because of %s',
  async by => {
    const server = createSocket('udp4');
    server.on('message', (_, from) => server.send('x', from.port, from.address));
    server.bind(0, '127.0.0.1');
    await once(server, 'listening');
    let sent = 0;
    const end = {
      connect: vi.fn(),
      handlePacket: by === 'a packet' ? failing : vi.fn(),
      handleTimeout: by === 'a timer' ? failing : vi.fn(),
      pollTransmit: () => (sent++ === 0 ? [Buffer.from('hello')] : []),
      pollEvents: () => [],
      nextTimeoutNs: by === 'a timer' ? 0 : Number.POSITIVE_INFINITY,
      abort: failing,
    };
    const {port} = server.address();
    const error = await new Promise<Error>(onError => {
      const at = {host: '127.0.0.1', port, clock: startClock()};
      const client = new UdpClient(end, {
        ...at,
        onEvents: vi.fn(),
        onError: told => {
          // Calls after the end do nothing.
          client.close();
          client.go();
          onError(told);
        },
      });
      client.connect();
    });
    expect(error.message).toBe('netsim panicked');
    server.close();
  },
);

test('a client reports an error and sends nothing if the system forbids the server’s address', async () => {
  const end = {
    connect: vi.fn(),
    handlePacket: vi.fn(),
    handleTimeout: vi.fn(),
    abort: vi.fn(),
    pollTransmit: vi.fn(() => []),
    pollEvents: () => [],
    nextTimeoutNs: Number.POSITIVE_INFINITY,
  };
  const told = await new Promise<Error>(onError => {
    // The system forbids the broadcast address for sockets without SO_BROADCAST (EACCES).
    const at = {host: '255.255.255.255', port: 9899, clock: startClock()};
    const client = new UdpClient(end, {...at, onEvents: vi.fn(), onError});
    client.connect();
  });
  expect(told).toMatchObject({code: 'EACCES'});
  expect(end.pollTransmit).not.toHaveBeenCalled();
});

function failing(): never {
  throw new Error('netsim panicked');
}
