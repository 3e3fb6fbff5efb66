import type {Framing} from '../../../app/http/h1/h1Wire.ts';
import type {AppEvent, Association} from '../../../native/addon/index.js';
import {isOnlySack} from '../base/sctpInUdp.ts';
import {HttpEnd, type Served} from './httpEnd.ts';
import {PeerEnd} from './peerEnd.ts';

export interface SctpPeerOptions {
  /** The verification tag of this association, which all packets from the peer contain. */
  readonly tag: number;
  /** The peer's address. */
  readonly address: string;
  readonly send: (packets: readonly Uint8Array[]) => void;
  readonly onEnd: () => void;
}

/** The server's end of one association. After creating it, call {@link SctpPeer.go}. */
export class SctpPeer {
  readonly #association: Association;
  readonly #served: Served;
  readonly #options: SctpPeerOptions;
  readonly #end: HttpEnd;
  readonly #transport: PeerEnd;
  #isClosing = false;
  /** How many packets have come that may occupy memory for as long as the association exists. */
  #packets = 0;

  constructor(association: Association, served: Served, options: SctpPeerOptions) {
    this.#association = association;
    this.#served = served;
    this.#options = options;
    const framing = {...FRAMING, pieceBytes: association.maxMessageInPacketBytes()};
    const send = (stream: number, bytes: Uint8Array): number =>
      !this.#isClosing && association.send(stream, bytes) ? bytes.length : 0;
    // There is no isLast: a stream can be used again after any request, as RFC 9112 §9 is about connections only.
    this.#end = new HttpEnd(served, {framing, send, address: options.address, giveUp: () => this.abort()});
    this.#transport = new PeerEnd(association, {
      clock: served.clock,
      send: options.send,
      onEnd: () => this.#forget(),
      onEvent: event => this.#handle(event),
      write: () => {
        if (!this.#isClosing) this.#end.write();
      },
    });
  }

  get isIdle(): boolean {
    return this.#end.patience.isIdle;
  }

  get tag(): number {
    return this.#options.tag;
  }

  handlePacket(packet: Uint8Array): void {
    if (!isOnlySack(packet)) this.#packets += 1;
    if (this.#packets > this.#served.limits.packets) this.abort();
    this.#transport.handlePacket(packet);
  }

  go(): void {
    this.#transport.go();
  }

  /** Shuts down an idle association, which then has the same time again to finish. */
  sweep(): void {
    if (!this.#end.patience.isLate) return;
    if (this.#isClosing || !this.#end.patience.isIdle) this.abort();
    else this.#close();
  }

  abort(): void {
    this.#transport.call(() => this.#abort());
  }

  end(): void {
    this.#transport.end();
  }

  #forget(): void {
    this.#end.forget();
    this.#options.onEnd();
  }

  #close(): void {
    this.#isClosing = true;
    this.#end.patience.restart();
    this.#transport.call(() => this.#association.close());
  }

  #handle(event: AppEvent): void {
    if (event.type === 'peer-closed') this.#isClosing = true;
    if (event.type !== 'message' || this.#isClosing) return;
    this.#end.handleBytes(event.stream, event.bytes);
    // unlike with TCP, requests that have come cannot be left in the peer's buffer
    if (this.#end.patience.isFull) this.#abort();
  }

  /** Aborts the association. Waiting answers are dropped, because an aborted association only sends its ABORT. */
  #abort(): void {
    this.#isClosing = true;
    this.#association.abort();
  }
}

/** Every response is written in order on its stream, one packet at a time. */
const FRAMING: Framing = {
  mode: 'sequential',
  isTagged: false,
  pieceBytes: 0,
  largestPieceBytes: Number.POSITIVE_INFINITY,
};
