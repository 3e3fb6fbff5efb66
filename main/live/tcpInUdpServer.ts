import {randomInt} from 'node:crypto';
import {createSocket, type RemoteInfo, type Socket} from 'node:dgram';
import {once} from 'node:events';
import {isIPv6} from 'node:net';
import {TcpConnection} from '../../native/addon/index.js';
import {encapsulatedMtuBytes, sendAll, senderOf} from './encapsulation.ts';
import type {Served} from './httpEnd.ts';
import {profileAt, type SegmentHeader, segmentHeader} from './tcpInUdp.ts';
import {TcpInUdpPeer} from './tcpInUdpPeer.ts';

/** HTTP/1.1 on our TCP, in UDP. */
export class TcpInUdpServer {
  readonly #served: Served;
  readonly #family: 'IPv4' | 'IPv6';
  readonly #socket: Socket;
  /** By sender and TCP's ports; those whose handshake is done. */
  readonly #open = new Map<string, TcpInUdpPeer>();
  /** The others, the oldest first. */
  readonly #halfOpen = new Map<string, TcpInUdpPeer>();

  constructor(served: Served, host: string) {
    this.#served = served;
    this.#family = isIPv6(host) ? 'IPv6' : 'IPv4';
    this.#socket = createSocket({
      ...{type: this.#family === 'IPv6' ? 'udp6' : 'udp4', recvBufferSize: RECEIVE_BYTES},
      // peers are addresses: a packet leaves at once, also the last before the socket is closed
      lookup: (address, _, found) => found(null, address, this.#family === 'IPv6' ? 6 : 4),
    });
    this.#socket.on('message', (segment, from) => this.#take(segment, from));
  }

  /** @throws what `node:dgram` does where it cannot listen */
  async listen(host: string, port: number): Promise<void> {
    const listening = once(this.#socket, 'listening');
    this.#socket.bind(port, host);
    await listening;
    // what comes of a packet that was sent is no reason to end
    this.#socket.on('error', () => undefined);
  }

  get peers(): number {
    return this.#open.size;
  }

  get halfOpen(): number {
    return this.#halfOpen.size;
  }

  /** Gives up those that take too long. */
  sweep(): void {
    for (const peer of [...this.#open.values(), ...this.#halfOpen.values()]) peer.sweep();
  }

  async close(): Promise<void> {
    for (const peer of [...this.#open.values(), ...this.#halfOpen.values()]) peer.abort();
    const closed = once(this.#socket, 'close');
    this.#socket.close();
    await closed;
  }

  #take(segment: Buffer, from: RemoteInfo): void {
    const header = segmentHeader(segment);
    if (header === undefined || header.source === 0) return;
    const key = `${senderOf(from)} ${header.source} ${header.destination}`;
    const peer = this.#open.get(key) ?? this.#halfOpen.get(key);
    if (peer === undefined) this.#answer(key, header, segment, from);
    else peer.handleSegment(segment, header.hasData);
  }

  /** A segment of nobody's. One that is damaged has no answer; what is no SYN has RST, which is no longer than it. */
  #answer(key: string, header: SegmentHeader, segment: Buffer, from: RemoteInfo): void {
    const {source, destination, isFirst} = header;
    const {bufferBytes, receiveBytes, peers} = this.#served.limits;
    const profile = profileAt(destination);
    if (profile === undefined || (isFirst && this.#open.size >= peers)) return;
    const tcp = {profile, sendBufferBytes: bufferBytes, receiveBufferBytes: receiveBytes};
    const ports = {port: destination, peerPort: source, mtuBytes: encapsulatedMtuBytes(this.#family)};
    const seed = randomInt(2 ** 48 - 1);
    const connection = new TcpConnection(JSON.stringify({role: 'server', tcp, ...ports, seed}));
    connection.handlePacket(segment, this.#served.clock());
    const answers = connection.pollTransmit(this.#served.clock());
    sendAll(this.#socket, answers, from);
    if (isFirst && answers.length > 0) this.#begin(key, connection, from);
    else connection.free();
  }

  /** The newest is the likeliest to open: of those that come by the thousands none does. */
  #begin(key: string, connection: TcpConnection, from: RemoteInfo): void {
    const peer = new TcpInUdpPeer(connection, this.#served, {
      send: segments => sendAll(this.#socket, segments, from),
      onOpen: () => {
        this.#halfOpen.delete(key);
        if (this.#open.size >= this.#served.limits.peers) peer.abort();
        else this.#open.set(key, peer);
      },
      onEnd: () => {
        this.#halfOpen.delete(key);
        this.#open.delete(key);
      },
    });
    const [oldest] = this.#halfOpen.values();
    if (this.#halfOpen.size >= this.#served.limits.halfOpen) oldest?.end();
    this.#halfOpen.set(key, peer);
    peer.go();
  }
}

/** Of the socket, if the system allows it: bursts of many peers. */
const RECEIVE_BYTES = 4 * 1024 * 1024;
