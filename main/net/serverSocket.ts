import {createSocket, type RemoteInfo, type Socket} from 'node:dgram';
import {once} from 'node:events';
import {isIPv6} from 'node:net';

export interface ServerSocketOptions {
  /** An address of this machine. */
  readonly host: string;
  /** Of its buffer, if the system allows it; by default for bursts of many peers. */
  readonly receiveBytes?: number;
  readonly onPacket: (packet: Buffer, from: RemoteInfo) => void;
  /** What was sent was not taken. By default it is a packet lost. */
  readonly onRefused?: () => void;
}

/** Where a server is reached in UDP. */
export class ServerSocket {
  readonly family: 'IPv4' | 'IPv6';
  readonly #host: string;
  readonly #socket: Socket;
  readonly #onRefused: () => void;

  constructor({host, receiveBytes = RECEIVE_BYTES, onPacket, onRefused = ignore}: ServerSocketOptions) {
    this.family = isIPv6(host) ? 'IPv6' : 'IPv4';
    this.#host = host;
    this.#onRefused = onRefused;
    this.#socket = udpSocket(host, receiveBytes);
    this.#socket.on('message', onPacket);
  }

  /** Gives the port; 0: one that is free. @throws what `node:dgram` does where it cannot listen */
  async listen(port: number): Promise<number> {
    const listening = once(this.#socket, 'listening');
    this.#socket.bind(port, this.#host);
    await listening;
    // what comes of a packet that was sent is no reason to end
    this.#socket.on('error', this.#onRefused);
    return this.#socket.address().port;
  }

  /** Each, as far as the system takes it. */
  send(packets: readonly Uint8Array[], to: RemoteInfo): void {
    for (const packet of packets) this.#socket.send(packet, to.port, to.address, error => error && this.#onRefused());
  }

  async close(): Promise<void> {
    const closed = once(this.#socket, 'close');
    this.#socket.close();
    await closed;
  }
}

/** Of an address's family, from which others of that family are sent to. */
export function udpSocket(host: string, receiveBytes: number): Socket {
  const family = isIPv6(host) ? 6 : 4;
  return createSocket({
    type: family === 6 ? 'udp6' : 'udp4',
    recvBufferSize: receiveBytes,
    // whoever is sent to is an address: a packet leaves at once, also the last before the socket is closed
    lookup: (address, _, found) => found(null, address, family),
  });
}

function ignore(): void {}

const RECEIVE_BYTES = 4 * 1024 * 1024;
