// Runs one end of an SCTP association on node-sctp 1.0.0, an implementation in JavaScript, over UDP.
import type {Socket as UdpSocket} from 'node:dgram';
import {once} from 'node:events';
import sctp, {type SctpSocket} from 'sctp';
import {message} from './sctpMessages.ts';

interface NodeOptions {
  role: 'client' | 'server';
  streams: number;
  /** How many messages each stream carries. */
  messages: number;
}

/**
 * Runs node-sctp's end over `udp`, with the peer at `peerPort`. This end sends its messages and waits until the peer
 * has shut down the association. Returns the messages that this end received on each stream.
 *
 * Three faults of node-sctp 1.0.0 limit what can be tested:
 * - A write while its window is full is an error, and only the last of several writers is woken (lib/association.js,
 *   `SEND`, `drainCallback`). So this end sends one message at a time.
 * - A receiver assumes that the first SSN that it receives on a stream is the stream's first (lib/reassembly.js,
 *   `reassemble`). So the peer drops no packet before each stream has received its first message.
 * - Its SHUTDOWN does not wait for data in flight (`SHUTDOWN`). So the peer shuts down the association.
 */
export async function exchange(udp: UdpSocket, peerPort: number, options: NodeOptions): Promise<Buffer[][]> {
  udp.connect(peerPort, '127.0.0.1');
  await once(udp, 'connect');
  sctp.defaults({rto_initial: 500, rto_min: 500});
  const {role, streams} = options;
  const socket = sctp.connect({
    passive: role === 'server',
    localPort: 5000,
    port: 5000,
    OS: streams,
    MIS: streams,
    udpTransport: udp,
  });
  const received: Buffer[][] = Array.from({length: streams}, () => []);
  socket.on('stream', (stream, id) => stream.on('data', (bytes: Buffer) => received[id]?.push(bytes)));
  socket.resume();
  const ended = new Promise<void>((resolve, reject) => {
    socket.on('end', resolve);
    socket.on('error', error => reject(error ?? new Error('node-sctp: communication error')));
  });
  await Promise.race([once(socket, 'connect'), ended]);
  await Promise.all([send(socket, options), ended]);
  return received;
}

async function send(socket: SctpSocket, {streams, messages}: NodeOptions): Promise<void> {
  const writers = Array.from({length: streams}, (_, stream) => socket.createStream(stream));
  for (let number = 0; number < messages; number++) {
    for (const [stream, writer] of writers.entries()) {
      await new Promise<void>((resolve, reject) => {
        writer.write(message(stream, number), error => (error ? reject(error) : resolve()));
      });
    }
  }
}
