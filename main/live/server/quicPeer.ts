import type {RemoteInfo} from 'node:dgram';
import type {AppEvent, QuicConnection} from '../../../native/addon/index.js';
import {senderOf} from '../base/udpSocket.ts';
import {H3End} from './h3End.ts';
import type {Served} from './httpEnd.ts';
import {PeerEnd} from './peerEnd.ts';

export interface QuicPeerOptions {
  /** The peer's address when the connection began. */
  readonly from: RemoteInfo;
  readonly send: (datagram: Uint8Array, to: RemoteInfo) => void;
  /** Called when the handshake is complete. The peer has then proved its address. */
  readonly onConnected: () => void;
  readonly onEnd: () => void;
}

/** The server's end of one QUIC connection. Call {@link QuicPeer.go} after creating it. */
export class QuicPeer {
  readonly #connection: QuicConnection;
  readonly #served: Served;
  readonly #options: QuicPeerOptions;
  readonly #end: H3End;
  readonly #transport: PeerEnd;
  readonly #sinceNs: number;
  /** The addresses from which datagrams came. The connection names an address by its index in this list. */
  readonly #senders: RemoteInfo[];
  /** The destinations of the datagrams that were polled last, in order, as indices in `#senders`. */
  #addresses: readonly number[] = [];
  #isConnected = false;
  #isClosing = false;
  /**
   * Bytes that were received on streams, plus {@link STREAM_BYTES} for each stream that the peer has finished or reset.
   */
  #bytes = 0;

  constructor(connection: QuicConnection, served: Served, options: QuicPeerOptions) {
    this.#connection = connection;
    this.#served = served;
    this.#options = options;
    this.#senders = [options.from];
    this.#end = new H3End(served, connection, {address: options.from.address, giveUp: () => this.abort()});
    this.#transport = new PeerEnd(this.#sendingTo(connection), {
      clock: served.clock,
      send: datagrams => this.#send(datagrams),
      onEnd: () => this.#forget(),
      onEvent: event => this.#handle(event),
      write: () => {
        if (this.#isConnected && !this.#isClosing) this.#end.write();
      },
    });
    this.#sinceNs = served.clock();
  }

  get isConnected(): boolean {
    return this.#isConnected;
  }

  get isIdle(): boolean {
    return this.#end.patience.isIdle;
  }

  giveUp(): void {
    this.abort();
  }

  /** Handles a datagram. A client may change its address (RFC 9000 §9). */
  handlePacket(datagram: Uint8Array, from: RemoteInfo): void {
    const sender = senderOf(from);
    const known = this.#senders.findIndex(each => senderOf(each) === sender);
    if (known < 0 && this.#senders.length >= MOST_ADDRESSES) return;
    const address = known < 0 ? this.#senders.push(from) - 1 : known;
    this.#transport.call(() => this.#connection.handlePacketFrom(datagram, this.#served.clock(), address));
  }

  go(): void {
    this.#transport.go();
  }

  /**
   * Closes a connection that has been idle for `idleMs`. The peer then has `idleMs` once more to finish. A connection
   * that exceeds any other time limit is aborted.
   */
  sweep(): void {
    const {clock, limits} = this.#served;
    const isSlow = !this.#isConnected && clock() - this.#sinceNs > limits.handshakeMs * 1e6;
    const {isLate, isIdle} = this.#end.patience;
    if (isSlow || (isLate && (this.#isClosing || !isIdle))) this.abort();
    else if (isLate) this.#close();
  }

  abort(): void {
    this.#transport.abort();
  }

  /** Wraps the connection, so that `#addresses` is set whenever datagrams are polled. */
  #sendingTo(connection: QuicConnection): ConstructorParameters<typeof PeerEnd>[0] {
    const pollTransmit = (nowNs: number): Uint8Array[] => {
      const {packets, addresses} = connection.pollTransmitTo(nowNs);
      this.#addresses = addresses;
      return packets;
    };
    return {
      handlePacket: (datagram, nowNs) => connection.handlePacket(datagram, nowNs),
      handleTimeout: nowNs => connection.handleTimeout(nowNs),
      pollEvents: () => connection.pollEvents(),
      pollTransmit,
      get nextTimeoutNs() {
        return connection.nextTimeoutNs;
      },
      abort: () => connection.abort(),
      free: () => connection.free(),
    };
  }

  #send(datagrams: readonly Uint8Array[]): void {
    const {from, send} = this.#options;
    for (const [index, datagram] of datagrams.entries())
      send(datagram, this.#senders[this.#addresses[index] ?? 0] ?? from);
  }

  #forget(): void {
    this.#end.forget();
    this.#options.onEnd();
  }

  #close(): void {
    this.#isClosing = true;
    this.#end.patience.restart();
    this.#transport.call(() => {
      if (this.#isConnected) this.#end.goAway();
      this.#connection.close();
    });
  }

  #handle(event: AppEvent): void {
    if (event.type === 'connected') {
      this.#isConnected = true;
      this.#options.onConnected();
    }
    if (event.type === 'peer-closed') this.#isClosing = true;
    if (this.#isClosing) return;
    const {streamBytes} = this.#served.limits;
    this.#bytes += this.#end.handle(event);
    if (event.type === 'finished' || event.type === 'reset') this.#bytes += STREAM_BYTES;
    if (this.#end.isBroken || this.#end.patience.isOverfull || this.#bytes > streamBytes) this.#connection.abort();
  }
}

/** Roughly how many bytes of memory a finished stream still occupies. */
const STREAM_BYTES = 256;
/**
 * Largest number of addresses from which one connection accepts datagrams. The limit bounds the list of addresses:
 * anybody who has seen a datagram of the connection can send datagrams to it from any address. The connection answers
 * only authentic datagrams.
 */
const MOST_ADDRESSES = 32;
