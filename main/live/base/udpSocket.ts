import {createSocket, type RemoteInfo, type Socket} from 'node:dgram';
import {once} from 'node:events';
import {isIPv6} from 'node:net';

export interface ServerSocketOptions {
  /** The address of this machine to listen on. */
  readonly host: string;
  /** Size of the receive buffer to request from the system. The default has room for bursts of many peers. */
  readonly receiveBytes?: number;
  readonly onPacket: (packet: Buffer, from: RemoteInfo) => void;
  /** Called if the system refuses to send a packet. Such a packet is lost, with or without this callback. */
  readonly onRefused?: () => void;
}

/** The UDP socket on which a server listens. */
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
   * Listens on the port, or on a free port if `port` is 0. Returns the port. @throws what `node:dgram` throws if it
   * cannot listen
   */
  async listen(port: number): Promise<number> {
    const listening = once(this.#socket, 'listening');
    this.#socket.bind(port, this.#host);
    await listening;
    // Without a listener, an error about a sent packet would end the server.
    this.#socket.on('error', this.#onRefused);
    return this.#socket.address().port;
  }

  /** Sends packets. Packets that the system does not accept are lost. */
  send(packets: readonly Uint8Array[], to: RemoteInfo): void {
    for (const packet of packets) this.#socket.send(packet, to.port, to.address, error => error && this.#onRefused());
  }

  async close(): Promise<void> {
    const closed = once(this.#socket, 'close');
    this.#socket.close();
    await closed;
  }
}

/** Creates a UDP socket of the address family of `host`. */
export function udpSocket(host: string, receiveBytes: number): Socket {
  const family = isIPv6(host) ? 6 : 4;
  return createSocket({
    type: family === 6 ? 'udp6' : 'udp4',
    recvBufferSize: receiveBytes,
    // The destination is always an IP address, so no lookup is necessary. This function calls back immediately. Node's
    // own lookup would delay every packet, and the last packet before `close` would not be sent.
    lookup: (address, _, found) => found(null, address, family),
  });
}

function ignore(): void {}

const RECEIVE_BYTES = 4 * 1024 * 1024;

/** Identifies a packet's sender by address and UDP port (RFC 6951 §5.2). */
export function senderOf({address, port}: RemoteInfo): string {
  return `${address} ${port}`;
}

/**
 * The range of dynamic ports (RFC 6335 §6). The second number is not part of the range. A client of SCTP or TCP in UDP
 * draws its own SCTP or TCP port from this range.
 */
export const OWN_PORTS = [49_152, 65_536] as const;

/**
 * The MTU to configure for SCTP or TCP in UDP, in bytes of an IPv4 packet. It leaves room for the UDP header (RFC 6951
 * §5.1). Over IPv6 it is smaller still, because the stack always counts an IPv4 header, which is 20 bytes shorter than
 * IPv6's.
 */
export function encapsulatedMtuBytes(family: 'IPv4' | 'IPv6'): number {
  return ETHERNET_MTU_BYTES - UDP_HEADER_BYTES - (family === 'IPv6' ? IPV6_MORE_BYTES : 0);
}

/** MTU of Ethernet (RFC 894). */
const ETHERNET_MTU_BYTES = 1500;
/** Length of the UDP header (RFC 768). */
const UDP_HEADER_BYTES = 8;
/** How many bytes longer the IPv6 header is than the IPv4 header. */
const IPV6_MORE_BYTES = 20;
