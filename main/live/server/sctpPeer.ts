import type {Framing} from '../../../app/http/h1/h1Wire.ts';
import type {AppEvent, Association} from '../../../native/addon/index.js';
import {isOnlySack} from '../base/sctpInUdp.ts';
import {HttpEnd, type Served} from './httpEnd.ts';
import {PeerEnd} from './peerEnd.ts';

export interface SctpPeerOptions {
  /** The verification tag that packets of this association from the peer contain (RFC 9260 §8.5). */
  readonly tag: number;
  /** The peer's address. */
  readonly address: string;
  readonly send: (packets: readonly Uint8Array[]) => void;
  readonly onEnd: () => void;
}

/** The server's end of one association. Call {@link SctpPeer.go} after creating it. */
export class SctpPeer {
  readonly #association: Association;
  readonly #served: Served;
  readonly #options: SctpPeerOptions;
  readonly #end: HttpEnd;
  readonly #transport: PeerEnd;
  #isClosing = false;
  /** How many packets were received that may occupy memory until the association ends. */
  #packets = 0;

  constructor(association: Association, served: Served, options: SctpPeerOptions) {
    this.#association = association;
    this.#served = served;
    this.#options = options;
    const framing = {...FRAMING, pieceBytes: association.maxMessageInPacketBytes()};
    const send = (stream: number, bytes: Uint8Array): number =>
      !this.#isClosing && association.send(stream, bytes) ? bytes.length : 0;
    // The option isLast is left out: no request ends an association, because RFC 9112 §9 applies to connections only.
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

  /**
   * Shuts down an association that has been idle for `idleMs`. The peer then has `idleMs` once more to finish. An
   * association that exceeds any other time limit is aborted.
   */
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
    // Over TCP, further requests would wait in the peer's send buffer. Over SCTP they have been received already.
    if (this.#end.patience.isOverfull) this.#abort();
  }

  /** Aborts the association. It then sends nothing but the ABORT, so waiting answers are dropped. */
  #abort(): void {
    this.#isClosing = true;
    this.#association.abort();
  }
}

/**
 * Responses are written in order on their stream, in pieces that fit in one packet. The constructor of {@link SctpPeer}
 * replaces `pieceBytes`, because the size of a packet depends on the association.
 */
const FRAMING: Framing = {
  mode: 'sequential',
  isTagged: false,
  pieceBytes: 0,
  largestPieceBytes: Number.POSITIVE_INFINITY,
};
