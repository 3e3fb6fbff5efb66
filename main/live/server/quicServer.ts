import {randomBytes} from 'node:crypto';
import type {RemoteInfo} from 'node:dgram';
import {AHEAD_BYTES} from '../../../app/http/room.ts';
import {QuicListener} from '../../../native/addon/index.js';
import {Places} from '../../net/clientPlaces.ts';
import {addresseeOf, beforeRetry, quicMtuBytes} from '../base/quicDatagram.ts';
import {ServerSocket, senderOf} from '../base/udpSocket.ts';
import type {Served} from './httpEnd.ts';
import {QuicPeer} from './quicPeer.ts';
import type {TlsIdentity} from './tcpServer.ts';

/** Serves HTTP/3 over QUIC with TLS. */
export class QuicServer {
  readonly #served: Served;
  readonly #socket: ServerSocket;
  readonly #listener: QuicListener;
  /** The peers, keyed by number. The connection ids that the server chose for a peer begin with the peer's number. */
  readonly #peers = new Map<number, QuicPeer>();
  readonly #places: Places<QuicPeer>;
  /**
   * The peers, keyed by the client's address and the connection id that the client made up. A client uses this id until
   * it knows an id that the server chose.
   */
  readonly #named = new Map<string, QuicPeer>();
  /** How many peers have not finished their handshake. */
  #halfOpen = 0;

  constructor(served: Served, host: string) {
    this.#served = served;
    this.#places = new Places(served.limits.peers);
    this.#socket = new ServerSocket({
      host,
      onPacket: (datagram, from) => this.#take(beforeRetry(datagram), from),
    });
    const {bufferBytes, receiveBytes} = served.limits;
    const quic = {profile: 'modern', migration: true, sendBufferBytes: bufferBytes, aheadBytes: AHEAD_BYTES} as const;
    const options = {
      quic,
      receiveBytes,
      mtuBytes: quicMtuBytes(this.#socket.family),
      names: ['localhost', host],
    };
    this.#listener = new QuicListener(JSON.stringify(options), randomBytes(KEY_BYTES));
  }

  /** @throws what `node:dgram` throws if it cannot listen */
  listen(port: number): Promise<number> {
    return this.#socket.listen(port);
  }

  /** The certificate and private key of this server. TLS over TCP uses the same pair. */
  get identity(): TlsIdentity {
    const {certificate, privateKey} = this.#listener;
    return {certificate: pem('CERTIFICATE', certificate), privateKey: pem('PRIVATE KEY', privateKey)};
  }

  /** SHA-256 of the certificate. Each server creates its own certificate. */
  get fingerprint(): string {
    return this.#listener.fingerprint;
  }

  get peers(): number {
    return this.#peers.size;
  }

  /** Closes or aborts the connections of peers that take too long. */
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
      peer.handlePacket(datagram, from);
    } else if (addressee.kind === 'name') this.#begin(addressee.name, datagram, from);
  }

  /**
   * Starts a connection if there is room for it. If too many handshakes are unfinished, the client must first prove its
   * address.
   */
  #begin(name: string, datagram: Buffer, from: RemoteInfo): void {
    const {limits, clock} = this.#served;
    if (!this.#places.hasRoomFor(from.address)) return;
    // A client must also prove its address if its connection would replace the connection of another client.
    const validates = this.#halfOpen >= limits.halfOpen || this.#peers.size >= limits.peers;
    const answer = this.#listener.handlePacket(senderOf(from), datagram, clock(), validates);
    if (answer.send !== undefined) this.#socket.send([answer.send], from);
    const {connection, number} = answer;
    if (connection === undefined || number === undefined) return;
    if (!this.#places.makeRoom(from.address)) return void connection.free();
    this.#halfOpen += 1;
    const peer = new QuicPeer(connection, this.#served, {
      from,
      send: (datagram, to) => this.#socket.send([datagram], to),
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

/** Encodes DER as PEM (RFC 7468 §2). */
function pem(label: string, der: Uint8Array): string {
  const lines =
    Buffer.from(der)
      .toString('base64')
      .match(/.{1,64}/g) ?? [];
  return [`-----BEGIN ${label}-----`, ...lines, `-----END ${label}-----`, ''].join('\n');
}

const KEY_BYTES = 64;
