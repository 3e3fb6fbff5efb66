import {randomInt} from 'node:crypto';
import type {RemoteInfo} from 'node:dgram';
import {TcpConnection} from '../../../native/addon/index.js';
import {Places} from '../../net/clientPlaces.ts';
import {profileAt, type SegmentHeader, segmentHeader} from '../base/tcpInUdp.ts';
import {encapsulatedMtuBytes, ServerSocket, senderOf} from '../base/udpSocket.ts';
import type {Served} from './httpEnd.ts';
import {Rate} from './rate.ts';
import {TcpInUdpPeer} from './tcpInUdpPeer.ts';

/** Serves HTTP/1.1 over the program's own TCP, which is carried in UDP. */
export class TcpInUdpServer {
  readonly #served: Served;
  readonly #socket: ServerSocket;
  /** The peers whose handshake is complete, keyed by sender and TCP ports. */
  readonly #open = new Map<string, TcpInUdpPeer>();
  /** The peers whose handshake is not complete, keyed by sender and TCP ports. */
  readonly #halfOpen = new Map<string, TcpInUdpPeer>();
  readonly #places: {readonly open: Places<TcpInUdpPeer>; readonly halfOpen: Places<TcpInUdpPeer>};
  readonly #syns: Rate;

  constructor(served: Served, host: string) {
    this.#served = served;
    const {peers, halfOpen, handshakeRate} = served.limits;
    this.#places = {open: new Places(peers), halfOpen: new Places(halfOpen)};
    this.#syns = new Rate(handshakeRate.ofOne, handshakeRate.ofAll);
    this.#socket = new ServerSocket({host, onPacket: (segment, from) => this.#take(segment, from)});
  }

  /** @throws what `node:dgram` throws if it cannot listen */
  listen(port: number): Promise<number> {
    return this.#socket.listen(port);
  }

  get peers(): number {
    return this.#open.size;
  }

  get halfOpen(): number {
    return this.#halfOpen.size;
  }

  /** Closes or aborts the connections of peers that take too long. */
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
    else {
      this.#places.open.touch(peer);
      peer.handleSegment(segment, header.hasData);
    }
  }

  /**
   * Answers a segment that belongs to no known connection. A SYN starts a handshake, unless it exceeds the limits. A
   * segment with ACK is answered with a RST, which never has more bytes than the segment. A RST, a damaged segment and
   * a segment to a port on which no TCP profile listens get no answer.
   */
  #answer(key: string, header: SegmentHeader, segment: Buffer, from: RemoteInfo): void {
    const {source, destination, isFirst} = header;
    const {bufferBytes, receiveBytes} = this.#served.limits;
    const profile = profileAt(destination);
    if (profile === undefined) return;
    if (isFirst && !this.#places.open.hasRoomFor(from.address)) return;
    if (isFirst && !this.#syns.allows(from.address, this.#served.clock())) return;
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

  /**
   * Starts a handshake. If there are too many half-open connections, the new one replaces another: the oldest one of
   * the address group that has the most half-open connections. An address group is an IPv4 address or an IPv6 /64
   * network. In a flood of SYNs the newest handshake is the most likely to complete.
   */
  #begin(key: string, connection: TcpConnection, from: RemoteInfo): void {
    const {open, halfOpen} = this.#places;
    const peer = new TcpInUdpPeer(connection, this.#served, {
      address: from.address,
      send: segments => this.#socket.send(segments, from),
      onOpen: () => {
        this.#halfOpen.delete(key);
        halfOpen.delete(peer);
        if (!open.makeRoom(from.address)) return peer.abort();
        this.#open.set(key, peer);
        open.add(peer, from.address);
      },
      onEnd: () => {
        this.#halfOpen.delete(key);
        halfOpen.delete(peer);
        this.#open.delete(key);
        open.delete(peer);
      },
    });
    // This cannot fail: every half-open peer counts as idle, and `makeRoom` can always replace an idle peer of the
    // largest address group.
    halfOpen.makeRoom(from.address);
    this.#halfOpen.set(key, peer);
    halfOpen.add(peer, from.address);
    peer.go();
  }
}
