import {randomBytes} from 'node:crypto';
import type {RemoteInfo} from 'node:dgram';
import {type Association, Listener} from '../../native/addon/index.js';
import {
  COOKIE_ECHO,
  encapsulatedMtuBytes,
  firstChunk,
  INIT,
  SCTP_HTTP_PORT,
  senderOf,
  sourcePort,
  verificationTag,
} from './encapsulation.ts';
import type {Served} from './httpEnd.ts';
import type {SctpPeerOptions} from './sctpPeer.ts';
import {ServerSocket} from './serverSocket.ts';

/** A server's end of one association. After it was made, it is to go. */
export interface ServedPeer {
  /** The association's own, by which the peer calls it. */
  readonly tag: number;
  handlePacket(packet: Uint8Array): void;
  go(): void;
  /** Gives itself up if its peer takes too long. */
  sweep(): void;
  abort(): void;
  /** Without a word to the peer. */
  end(): void;
}

/** What a new association is for. */
export type OpenPeer = (association: Association, options: SctpPeerOptions) => ServedPeer;

/** Associations that others begin, in UDP (RFC 6951). */
export class SctpServer {
  readonly #served: SctpServed;
  readonly #open: OpenPeer;
  readonly #socket: ServerSocket;
  readonly #listener: Listener;
  /** By sender and SCTP port. */
  readonly #peers = new Map<string, ServedPeer>();

  constructor(served: SctpServed, host: string, open: OpenPeer) {
    this.#served = served;
    this.#open = open;
    this.#socket = new ServerSocket({host, onPacket: (packet, from) => this.#take(packet, from)});
    const {bufferBytes, receiveBytes} = served.limits;
    const buffers = {sendBufferBytes: bufferBytes, receiveBufferBytes: receiveBytes};
    const sctp = {profile: 'modern', streams: STREAMS, ...buffers} as const;
    const options = {sctp, mtuBytes: encapsulatedMtuBytes(this.#socket.family), port: SCTP_HTTP_PORT};
    this.#listener = new Listener(JSON.stringify(options), randomBytes(KEY_BYTES));
  }

  /** @throws what `node:dgram` does where it cannot listen */
  listen(port: number): Promise<number> {
    return this.#socket.listen(port);
  }

  get peers(): number {
    return this.#peers.size;
  }

  /** Gives up those that take too long. */
  sweep(): void {
    for (const peer of this.#peers.values()) peer.sweep();
  }

  async close(): Promise<void> {
    for (const peer of [...this.#peers.values()]) peer.abort();
    await this.#socket.close();
  }

  #take(packet: Buffer, from: RemoteInfo): void {
    const port = sourcePort(packet);
    if (port === undefined) return;
    const key = `${senderOf(from)} ${port}`;
    const peer = this.#peers.get(key);
    const first = firstChunk(packet);
    if (peer === undefined || first === INIT) this.#begin(key, packet, from);
    else if (first !== COOKIE_ECHO) peer.handlePacket(packet);
    // of another association than there is, from the same place: the peer has started over (RFC 9260 §5.2.4)
    else if (verificationTag(packet) !== peer.tag) this.#begin(key, packet, from);
    else peer.handlePacket(this.#listener.unsealed(senderOf(from), packet) ?? packet);
  }

  /** Nothing is kept of a packet that does not begin an association. */
  #begin(key: string, packet: Buffer, from: RemoteInfo): void {
    if (this.#peers.size >= this.#served.limits.peers && !this.#peers.has(key)) return;
    const answer = this.#listener.handlePacket(senderOf(from), packet, this.#served.clock());
    if (answer.send !== undefined) this.#socket.send([answer.send], from);
    const {association} = answer;
    if (association === undefined) return;
    this.#peers.get(key)?.end();
    const peer = this.#open(association, {
      ...{tag: verificationTag(packet), address: from.address},
      send: packets => this.#socket.send(packets, from),
      onEnd: () => {
        if (this.#peers.get(key) === peer) this.#peers.delete(key);
      },
    });
    this.#peers.set(key, peer);
    peer.go();
  }
}

type SctpServed = Pick<Served, 'limits' | 'clock'>;

/** As many as a pane may ask for. */
const STREAMS = 64;
const KEY_BYTES = 64;
