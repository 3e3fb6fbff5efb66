import {randomBytes} from 'node:crypto';
import type {RemoteInfo} from 'node:dgram';
import {type Association, Listener} from '../../../native/addon/index.js';
import {type Placed, Places} from '../../net/clientPlaces.ts';
import {COOKIE_ECHO, firstChunk, INIT, SCTP_HTTP_PORT, sourcePort, verificationTag} from '../base/sctpInUdp.ts';
import {encapsulatedMtuBytes, ServerSocket, senderOf} from '../base/udpSocket.ts';
import type {Served} from './httpEnd.ts';
import {Rate} from './rate.ts';
import type {SctpPeerOptions} from './sctpPeer.ts';

/** The server's end of one association. Call `go` after creating it. */
export interface ServedPeer {
  /** The verification tag that packets of this association from the peer contain (RFC 9260 §8.5). */
  readonly tag: number;
  /** Whether no request is being received or answered. */
  readonly isIdle: boolean;
  handlePacket(packet: Buffer): void;
  go(): void;
  /** Closes or aborts the association if its peer takes too long. */
  sweep(): void;
  abort(): void;
  /** Ends the association without sending the peer anything. */
  end(): void;
}

/** Creates the server's end of a new association. */
export type OpenPeer = (association: Association, options: SctpPeerOptions) => ServedPeer;

/** Accepts SCTP associations in UDP (RFC 6951). */
export class SctpServer {
  readonly #served: SctpServed;
  readonly #open: OpenPeer;
  readonly #socket: ServerSocket;
  readonly #listener: Listener;
  /** The peers, keyed by sender ({@link senderOf}) and SCTP port. */
  readonly #peers = new Map<string, PlacedPeer>();
  readonly #places: Places<PlacedPeer>;
  readonly #inits: Rate;

  constructor(served: SctpServed, host: string, open: OpenPeer) {
    this.#served = served;
    this.#places = new Places(served.limits.peers);
    this.#inits = new Rate(served.limits.handshakeRate.ofOne, served.limits.handshakeRate.ofAll);
    this.#open = open;
    this.#socket = new ServerSocket({host, onPacket: (packet, from) => this.#take(packet, from)});
    const {bufferBytes, receiveBytes} = served.limits;
    const buffers = {sendBufferBytes: bufferBytes, receiveBufferBytes: receiveBytes};
    const sctp = {profile: 'modern', streams: STREAMS, ...buffers} as const;
    const options = {sctp, mtuBytes: encapsulatedMtuBytes(this.#socket.family), port: SCTP_HTTP_PORT};
    this.#listener = new Listener(JSON.stringify(options), randomBytes(KEY_BYTES));
  }

  /** @throws what `node:dgram` throws if it cannot listen */
  listen(port: number): Promise<number> {
    return this.#socket.listen(port);
  }

  get peers(): number {
    return this.#peers.size;
  }

  /** Closes or aborts the associations of peers that take too long. */
  sweep(): void {
    for (const {peer} of this.#peers.values()) peer.sweep();
  }

  async close(): Promise<void> {
    for (const {peer} of [...this.#peers.values()]) peer.abort();
    await this.#socket.close();
  }

  #take(packet: Buffer, from: RemoteInfo): void {
    const port = sourcePort(packet);
    if (port === undefined) return;
    const key = `${senderOf(from)} ${port}`;
    const placed = this.#peers.get(key);
    const first = firstChunk(packet);
    if (first === INIT && !this.#inits.allows(from.address, this.#served.clock())) return;
    if (placed !== undefined) this.#places.touch(placed);
    const peer = placed?.peer;
    if (peer === undefined || first === INIT) this.#begin(key, packet, from);
    else if (first !== COOKIE_ECHO) peer.handlePacket(packet);
    // The COOKIE ECHO belongs to another association from the same sender: the peer has restarted (RFC 9260 §5.2.4).
    else if (verificationTag(packet) !== peer.tag) this.#begin(key, packet, from);
    else peer.handlePacket(Buffer.from(this.#listener.unsealed(senderOf(from), packet) ?? packet));
  }

  /**
   * Answers a packet that belongs to no known association, or that may restart one. The server stores something only if
   * the packet completes the handshake of a new association.
   */
  #begin(key: string, packet: Buffer, from: RemoteInfo): void {
    if (!this.#peers.has(key) && !this.#places.hasRoomFor(from.address)) return;
    const answer = this.#listener.handlePacket(senderOf(from), packet, this.#served.clock());
    if (answer.send !== undefined) this.#socket.send([answer.send], from);
    const {association} = answer;
    if (association === undefined) return;
    this.#peers.get(key)?.peer.end();
    // The peer has proved its address by returning the cookie, so it may replace another peer.
    if (!this.#places.makeRoom(from.address)) return void association.free();
    const peer = this.#open(association, {
      tag: verificationTag(packet),
      address: from.address,
      send: packets => this.#socket.send(packets, from),
      onEnd: () => {
        this.#places.delete(placed);
        if (this.#peers.get(key) === placed) this.#peers.delete(key);
      },
    });
    const placed = new PlacedPeer(peer);
    this.#peers.set(key, placed);
    this.#places.add(placed, from.address);
    peer.go();
  }
}

class PlacedPeer implements Placed {
  readonly peer: ServedPeer;

  constructor(peer: ServedPeer) {
    this.peer = peer;
  }

  get isIdle(): boolean {
    return this.peer.isIdle;
  }

  giveUp(): void {
    this.peer.abort();
  }
}

type SctpServed = Pick<Served, 'limits' | 'clock'>;

/** Largest number of streams of an association. No pane requests more. */
const STREAMS = 64;
const KEY_BYTES = 64;
