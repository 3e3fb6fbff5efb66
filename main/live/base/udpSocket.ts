import {createSocket, type RemoteInfo, type Socket} from 'node:dgram';
import {once} from 'node:events';
import {isIPv6} from 'node:net';

export interface ServerSocketOptions {
  /** An address of this machine. */
  readonly host: string;
  /** Size of the receive buffer, if the system allows it. By default it has room for bursts of many peers. */
  readonly receiveBytes?: number;
  readonly onPacket: (packet: Buffer, from: RemoteInfo) => void;
  /** Called if the system refuses to send a packet. By default such a packet counts as lost, and nothing is called. */
  readonly onRefused?: () => void;
}

/** A UDP socket that a server listens on. */
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

  /**
   * Listens on the port, or on a free one if it is 0, and returns it. @throws what `node:dgram` throws if it cannot
   * listen
   */
  async listen(port: number): Promise<number> {
    const listening = once(this.#socket, 'listening');
    this.#socket.bind(port, this.#host);
    await listening;
    // an error because of a sent packet is no reason to end the server
    this.#socket.on('error', this.#onRefused);
    return this.#socket.address().port;
  }

  /** Sends the packets, as many as the system accepts. */
  send(packets: readonly Uint8Array[], to: RemoteInfo): void {
    for (const packet of packets) this.#socket.send(packet, to.port, to.address, error => error && this.#onRefused());
  }

  async close(): Promise<void> {
    const closed = once(this.#socket, 'close');
    this.#socket.close();
    await closed;
  }
}

/** A UDP socket of the address family of `host`. */
export function udpSocket(host: string, receiveBytes: number): Socket {
  const family = isIPv6(host) ? 6 : 4;
  return createSocket({
    type: family === 6 ? 'udp6' : 'udp4',
    recvBufferSize: receiveBytes,
    // The destination is always an address. Without a lookup a packet is sent at once, even the last one before the
    // socket is closed.
    lookup: (address, _, found) => found(null, address, family),
  });
}

function ignore(): void {}

const RECEIVE_BYTES = 4 * 1024 * 1024;

/** Where a packet came from: address and UDP port (RFC 6951 §5.2). */
export function senderOf({address, port}: RemoteInfo): string {
  return `${address} ${port}`;
}

/** Dynamic ports (RFC 6335 §6). A client of a transport in UDP draws its own port from them. */
export const OWN_PORTS = [49_152, 65_536] as const;

/**
 * The largest IP packet that an SCTP association or TCP connection of ours may assume when it runs in UDP. The UDP
 * header is between it and the IP header (RFC 6951 §5.1), and the header of IPv6 is 20 bytes longer than the stack
 * assumes.
 */
export function encapsulatedMtuBytes(family: 'IPv4' | 'IPv6'): number {
  return ETHERNET_MTU_BYTES - UDP_HEADER_BYTES - (family === 'IPv6' ? IPV6_MORE_BYTES : 0);
}

/** MTU of Ethernet (RFC 894). */
const ETHERNET_MTU_BYTES = 1500;
/** Length of the UDP header (RFC 768). */
const UDP_HEADER_BYTES = 8;
/** How much longer the header of IPv6 is than that of IPv4. */
const IPV6_MORE_BYTES = 20;
