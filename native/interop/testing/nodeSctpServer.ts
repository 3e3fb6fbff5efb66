// Serves HTTP over SCTP in UDP with node-sctp 1.0.0, an implementation in JavaScript.
import type {Socket as UdpSocket} from 'node:dgram';
import sctp from 'sctp';
import {bindUdp} from './udpSockets.ts';

/** A server for one client. */
export interface NodeServer {
  /** The UDP port. */
  readonly port: number;
  close(): void;
}

/**
 * Serves on SCTP port 80. Each message must be a request. The response is the bytes that `answer` returns for the
 * request's URL, on the same stream.
 */
export async function serveByNode(answer: (url: string) => Uint8Array | undefined): Promise<NodeServer> {
  const udp = await bindUdp();
  const {port} = udp.address();
  udp.once('message', (init: Buffer, from) => {
    // node-sctp needs to know the peer before the first packet, and needs a connected UDP socket.
    udp.connect(from.port, from.address, () => {
      accept(udp, init.readUInt16BE(0), answer);
      setImmediate(() => udp.emit('message', init, from));
    });
  });
  return {port, close: () => void udp.close()};
}

function accept(udp: UdpSocket, peerPort: number, answer: (url: string) => Uint8Array | undefined): void {
  const own = {localPort: 80, OS: STREAMS, MIS: STREAMS};
  const socket = sctp.connect({...own, passive: true, port: peerPort, udpTransport: udp});
  // The server sends one message at a time, because of a fault of node-sctp that nodeSctpPeer.ts describes.
  let last: Promise<unknown> = Promise.resolve();
  socket.on('stream', (stream, id) => {
    stream.on('data', (request: Buffer) => {
      const [, url = ''] = /^GET (\S+) /.exec(request.toString('latin1')) ?? [];
      const bytes = answer(url) ?? new Uint8Array();
      for (let at = 0; at < bytes.length; at += MESSAGE_BYTES) {
        const piece = Buffer.from(bytes.subarray(at, at + MESSAGE_BYTES));
        last = last.then(() => written(socket.createStream(id), piece));
      }
    });
  });
  // The client ends the association with ABORT, which node-sctp reports as an error.
  socket.on('error', () => undefined);
  socket.resume();
}

function written(stream: NodeJS.WritableStream, bytes: Buffer): Promise<void> {
  return new Promise(resolve => stream.write(bytes, () => resolve()));
}

const STREAMS = 64;
const MESSAGE_BYTES = 1400;
