import {randomBytes} from 'node:crypto';
import type {RemoteInfo} from 'node:dgram';
import {AHEAD_BYTES} from '../../../app/http/room.ts';
import {QuicListener} from '../../../native/addon/index.js';
import {senderOf} from '../../net/encapsulation.ts';
import {Places} from '../../net/places.ts';
import {addresseeOf, beforeRetry, quicMtuBytes} from '../../net/quicDatagram.ts';
import {ServerSocket} from '../../net/serverSocket.ts';
import type {Served} from './httpEnd.ts';
import {QuicPeer} from './quicPeer.ts';
import type {TlsIdentity} from './tcpServer.ts';

/** HTTP/3 over QUIC with TLS. */
export class QuicServer {
  readonly #served: Served;
  readonly #socket: ServerSocket;
  readonly #listener: QuicListener;
  /** By the numbers that their ids begin with. */
  readonly #peers = new Map<number, QuicPeer>();
  readonly #places: Places<QuicPeer>;
  /** By the ids that their peers made up, as long as these do not know the number. */
  readonly #named = new Map<string, QuicPeer>();
  /** Of those whose handshake is not done. */
  #halfOpen = 0;

  constructor(served: Served, host: string) {
    this.#served = served;
    this.#places = new Places(served.limits.peers);
    this.#socket = new ServerSocket({
      host,
      onPacket: (datagram, from) => this.#take(beforeRetry(datagram), from),
    });
    const {bufferBytes, receiveBytes} = served.limits;
    const quic = {profile: 'modern', sendBufferBytes: bufferBytes, aheadBytes: AHEAD_BYTES} as const;
    const options = {
      quic,
      receiveBytes,
      mtuBytes: quicMtuBytes(this.#socket.family),
      names: ['localhost', host],
    };
    this.#listener = new QuicListener(JSON.stringify(options), randomBytes(KEY_BYTES));
  }

  /** @throws what `node:dgram` does where it cannot listen */
  listen(port: number): Promise<number> {
    return this.#socket.listen(port);
  }

  /** Of the same server, for TLS over TCP. */
  get identity(): TlsIdentity {
    const {certificate, privateKey} = this.#listener;
    return {certificate: pem('CERTIFICATE', certificate), privateKey: pem('PRIVATE KEY', privateKey)};
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
    await this.#socket.close();
  }

  #take(datagram: Buffer, from: RemoteInfo): void {
    const sender = senderOf(from);
    const addressee = addresseeOf(datagram, sender, number => this.#peers.has(number));
    if (addressee.kind === 'nobody') return;
    const peer = addressee.kind === 'number' ? this.#peers.get(addressee.number) : this.#named.get(addressee.name);
    if (peer !== undefined) {
      this.#places.touch(peer);
      peer.handlePacket(datagram);
    } else if (addressee.kind === 'name') this.#begin(addressee.name, datagram, from);
  }

  /** Where many begin and do not go on, each has to show first that it is where it says. */
  #begin(name: string, datagram: Buffer, from: RemoteInfo): void {
    const {limits, clock} = this.#served;
    if (!this.#places.hasRoomFor(from.address)) return;
    // and so has whoever takes another's place
    const validates = this.#halfOpen >= limits.halfOpen || this.#peers.size >= limits.peers;
    const answer = this.#listener.handlePacket(senderOf(from), datagram, clock(), validates);
    if (answer.send !== undefined) this.#socket.send([answer.send], from);
    const {connection, number} = answer;
    if (connection === undefined || number === undefined) return;
    if (!this.#places.makeRoom(from.address)) return void connection.free();
    this.#halfOpen += 1;
    const peer = new QuicPeer(connection, this.#served, {
      address: from.address,
      send: datagrams => this.#socket.send(datagrams, from),
      onConnected: () => {
        this.#halfOpen -= 1;
      },
      onEnd: () => {
        if (!peer.isConnected) this.#halfOpen -= 1;
        this.#places.delete(peer);
        this.#peers.delete(number);
        this.#named.delete(name);
      },
    });
    this.#places.add(peer, from.address);
    this.#peers.set(number, peer);
    this.#named.set(name, peer);
    peer.go();
  }
}

/** RFC 7468 §2. */
function pem(label: string, der: Uint8Array): string {
  const lines =
    Buffer.from(der)
      .toString('base64')
      .match(/.{1,64}/g) ?? [];
  return [`-----BEGIN ${label}-----`, ...lines, `-----END ${label}-----`, ''].join('\n');
}

const KEY_BYTES = 64;
