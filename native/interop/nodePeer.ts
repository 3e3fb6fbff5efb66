import {createSocket, type Socket as UdpSocket} from 'node:dgram';
import {once} from 'node:events';
import sctp, {type SctpSocket} from 'sctp';
import {message} from './message.ts';

interface NodeOptions {
  role: 'client' | 'server';
  streams: number;
  /** Per stream. */
  messages: number;
}

/** A UDP socket on loopback for {@link exchange}. */
export async function bindUdp(): Promise<UdpSocket> {
  const socket = createSocket('udp4').bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return socket;
}

/**
 * Runs node-sctp's end over `udp` with the peer at `peerPort`: sends its messages and gives those that
 * arrived, per stream, once the peer has shut the association down.
 *
 * Two faults of node-sctp 1.0.0 set the manner. A write while its window is full is an error, and only the
 * last of several writers is woken (lib/association.js, `SEND`, `drainCallback`): so one message at a time.
 * And a receiver takes the first SSN that it sees on a stream for the stream's start (lib/reassembly.js,
 * `reassemble`), so that a stream's first message must not be lost: the other end loses none until every
 * stream has had one. A third is avoided by who closes: its own SHUTDOWN does not wait for data in flight
 * (`SHUTDOWN`), so the other end shuts down.
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
