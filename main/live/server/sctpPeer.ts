import type {Framing} from '../../../app/http/wire.ts';
import type {AppEvent, Association} from '../../../native/addon/index.js';
import {isOnlySack} from '../../net/encapsulation.ts';
import {HttpEnd, type Served} from './httpEnd.ts';
import {PeerEnd} from './peerEnd.ts';

export interface SctpPeerOptions {
  /** The association's own, by which the peer calls it. */
  readonly tag: number;
  /** The peer's. */
  readonly address: string;
  readonly send: (packets: readonly Uint8Array[]) => void;
  readonly onEnd: () => void;
}

/** A server's end of one association. After it was made, call {@link SctpPeer.go}. */
export class SctpPeer {
  readonly #association: Association;
  readonly #served: Served;
  readonly #options: SctpPeerOptions;
  readonly #end: HttpEnd;
  readonly #transport: PeerEnd;
  #isClosing = false;
  /** That came, and may leave something behind. */
  #packets = 0;

  constructor(association: Association, served: Served, options: SctpPeerOptions) {
    this.#association = association;
    this.#served = served;
    this.#options = options;
    const framing = {...FRAMING, pieceBytes: association.maxMessageInPacketBytes()};
    const send = (stream: number, bytes: Uint8Array): number =>
      !this.#isClosing && association.send(stream, bytes) ? bytes.length : 0;
    // a stream goes on for whoever asks next: RFC 9112 §9 is about connections
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

  /** One that is idle is shut down, and has as long again for that. */
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
    // requests that came cannot be left at the peer, as TCP leaves them
    if (this.#end.patience.isFull) this.#abort();
  }

  /** Answers that wait are not written: an association that was aborted takes none, and has an ABORT to send. */
  #abort(): void {
    this.#isClosing = true;
    this.#association.abort();
  }
}

/** A response in order on its stream, a packet at a time. */
const FRAMING: Framing = {
  mode: 'sequential',
  isTagged: false,
  pieceBytes: 0,
  largestPieceBytes: Number.POSITIVE_INFINITY,
};
