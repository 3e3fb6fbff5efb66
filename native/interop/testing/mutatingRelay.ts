// Relays UDP datagrams between a client and a server, and adds damaged copies.
import {createSocket, type RemoteInfo} from 'node:dgram';
import {once} from 'node:events';
import {bindUdp} from './udpSockets.ts';

export interface MutatingRelay {
  /** The UDP port to which the client connects. */
  readonly port: number;
  close(): void;
}

/**
 * Relays datagrams unchanged between one client and the server at `port`. Before each datagram it sends the copies that
 * `mutantsOf` returns.
 */
export async function relayWithMutants(
  port: number,
  mutantsOf: (packet: Uint8Array) => readonly Uint8Array[],
): Promise<MutatingRelay> {
  const [near, far] = [await bindUdp(), createSocket('udp4')];
  far.connect(port, '127.0.0.1');
  await once(far, 'connect');
  let client: RemoteInfo | undefined;
  near.on('message', (packet, from) => {
    client = from;
    for (const each of [...mutantsOf(packet), packet]) far.send(each);
  });
  far.on('message', packet => {
    if (client === undefined) return;
    for (const each of [...mutantsOf(packet), packet]) near.send(each, client.port, client.address);
  });
  // One end may have closed its socket already.
  for (const socket of [near, far]) socket.on('error', () => undefined);
  return {
    port: near.address().port,
    close: () => {
      near.close();
      far.close();
    },
  };
}
