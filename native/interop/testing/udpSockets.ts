import {createSocket, type Socket} from 'node:dgram';
import {once} from 'node:events';

/** A UDP socket on a free port of loopback. */
export async function bindUdp(): Promise<Socket> {
  const socket = createSocket('udp4').bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return socket;
}

/** A UDP port that was free a moment ago. */
export async function freeUdpPort(): Promise<number> {
  const socket = await bindUdp();
  const {port} = socket.address();
  socket.close();
  await once(socket, 'close');
  return port;
}
