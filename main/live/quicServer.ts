import {randomBytes} from 'node:crypto';
import {createSocket, type RemoteInfo, type Socket} from 'node:dgram';
import {once} from 'node:events';
import {isIPv6} from 'node:net';
import {AHEAD_BYTES} from '../../app/http/room.ts';
import {QuicListener} from '../../native/addon/index.js';
import {sendAll, senderOf} from './encapsulation.ts';
import type {Served} from './httpEnd.ts';
import {addresseeOf, beforeRetry, quicMtuBytes} from './quicDatagram.ts';
import {QuicPeer} from './quicPeer.ts';

/** HTTP/3 over QUIC with TLS. */
export class QuicServer {
  readonly #served: Served;
  readonly #socket: Socket;
  readonly #listener: QuicListener;
  /** By the numbers that their ids begin with. */
  readonly #peers = new Map<number, QuicPeer>();
  /** By the ids that their peers made up, as long as these do not know the number. */
  readonly #named = new Map<string, QuicPeer>();
  /** Of those whose handshake is not done. */
  #halfOpen = 0;

  constructor(served: Served, host: string) {
    this.#served = served;
    const family = isIPv6(host) ? 'IPv6' : 'IPv4';
    this.#socket = createSocket({
      ...{type: family === 'IPv6' ? 'udp6' : 'udp4', recvBufferSize: RECEIVE_BYTES},
      // peers are addresses: a datagram leaves at once, also the last before the socket is closed
      lookup: (address, _, found) => found(null, address, family === 'IPv6' ? 6 : 4),
    });
    const {bufferBytes, receiveBytes} = served.limits;
    const quic = {profile: 'modern', sendBufferBytes: bufferBytes, aheadBytes: AHEAD_BYTES} as const;
    const options = {quic, receiveBytes, mtuBytes: quicMtuBytes(family), names: ['localhost', host]};
    this.#listener = new QuicListener(JSON.stringify(options), randomBytes(KEY_BYTES));
    this.#socket.on('message', (datagram, from) => this.#take(beforeRetry(datagram), from));
  }

  /** @throws what `node:dgram` does where it cannot listen */
  async listen(host: string, port: number): Promise<number> {
    const listening = once(this.#socket, 'listening');
    this.#socket.bind(port, host);
    await listening;
    // what comes of a datagram that was sent is no reason to end
    this.#socket.on('error', () => undefined);
    return this.#socket.address().port;
  }

  /** SHA-256 of its certificate, which is made with it. */
  get fingerprint(): string {
    return this.#listener.fingerprint;
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
    const closed = once(this.#socket, 'close');
    this.#socket.close();
    await closed;
  }

  #take(datagram: Buffer, from: RemoteInfo): void {
    const sender = senderOf(from);
    const addressee = addresseeOf(datagram, sender, number => this.#peers.has(number));
    if (addressee.kind === 'nobody') return;
    const peer =
      addressee.kind === 'number' ? this.#peers.get(addressee.number) : this.#named.get(addressee.name);
    if (peer !== undefined) peer.handlePacket(datagram);
    else if (addressee.kind === 'name') this.#begin(addressee.name, datagram, from);
  }

  /** Where many begin and do not go on, each has to show first that it is where it says. */
  #begin(name: string, datagram: Buffer, from: RemoteInfo): void {
    const {limits, clock} = this.#served;
    if (this.#peers.size >= limits.peers) return;
    const validates = this.#halfOpen >= limits.halfOpen;
    const answer = this.#listener.handlePacket(senderOf(from), datagram, clock(), validates);
    if (answer.send !== undefined) sendAll(this.#socket, [answer.send], from);
    const {connection, number} = answer;
    if (connection === undefined || number === undefined) return;
    this.#halfOpen += 1;
    const peer = new QuicPeer(connection, this.#served, {
      send: datagrams => sendAll(this.#socket, datagrams, from),
      onConnected: () => {
        this.#halfOpen -= 1;
      },
      onEnd: () => {
        if (!peer.isConnected) this.#halfOpen -= 1;
        this.#peers.delete(number);
        this.#named.delete(name);
      },
    });
    this.#peers.set(number, peer);
    this.#named.set(name, peer);
    peer.go();
  }
}

const KEY_BYTES = 64;
/** Of the socket, if the system allows it: bursts of many peers. */
const RECEIVE_BYTES = 4 * 1024 * 1024;
