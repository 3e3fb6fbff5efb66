import {createSocket, type Socket} from 'node:dgram';
import {once} from 'node:events';

/** Opens a UDP socket on a free port of 127.0.0.1. */
export async function bindUdp(): Promise<Socket> {
  const socket = createSocket('udp4').bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return socket;
}

/** Returns a UDP port that was free just now. */
export async function freeUdpPort(): Promise<number> {
  const socket = await bindUdp();
  const {port} = socket.address();
  socket.close();
  await once(socket, 'close');
  return port;
}
