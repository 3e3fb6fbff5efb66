import {randomInt} from 'node:crypto';
import type {RemoteInfo} from 'node:dgram';
import {TcpConnection} from '../../native/addon/index.js';
import {encapsulatedMtuBytes, senderOf} from './encapsulation.ts';
import type {Served} from './httpEnd.ts';
import {ServerSocket} from './serverSocket.ts';
import {profileAt, type SegmentHeader, segmentHeader} from './tcpInUdp.ts';
import {TcpInUdpPeer} from './tcpInUdpPeer.ts';

/** HTTP/1.1 on our TCP, in UDP. */
export class TcpInUdpServer {
  readonly #served: Served;
  readonly #socket: ServerSocket;
  /** By sender and TCP's ports; those whose handshake is done. */
  readonly #open = new Map<string, TcpInUdpPeer>();
  /** The others, the oldest first. */
  readonly #halfOpen = new Map<string, TcpInUdpPeer>();

  constructor(served: Served, host: string) {
    this.#served = served;
    this.#socket = new ServerSocket({host, onPacket: (segment, from) => this.#take(segment, from)});
  }

  /** @throws what `node:dgram` does where it cannot listen */
  listen(port: number): Promise<number> {
    return this.#socket.listen(port);
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
    await this.#socket.close();
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
    const ports = {port: destination, peerPort: source, mtuBytes: encapsulatedMtuBytes(this.#socket.family)};
    const seed = randomInt(2 ** 48 - 1);
    const connection = new TcpConnection(JSON.stringify({role: 'server', tcp, ...ports, seed}));
    connection.handlePacket(segment, this.#served.clock());
    const answers = connection.pollTransmit(this.#served.clock());
    this.#socket.send(answers, from);
    if (isFirst && answers.length > 0) this.#begin(key, connection, from);
    else connection.free();
  }

  /** The newest is the likeliest to open: of those that come by the thousands none does. */
  #begin(key: string, connection: TcpConnection, from: RemoteInfo): void {
    const peer = new TcpInUdpPeer(connection, this.#served, {
      address: from.address,
      send: segments => this.#socket.send(segments, from),
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
