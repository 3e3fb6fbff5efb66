import type {Framing} from '../../app/http/wire.ts';
import type {AppEvent, Association} from '../../native/addon/index.js';
import {isOnlySack} from './encapsulation.ts';
import {HttpEnd, type Served} from './httpEnd.ts';

export interface SctpPeerOptions {
  /** The association's own, by which the peer calls it. */
  readonly tag: number;
  readonly send: (packets: readonly Uint8Array[]) => void;
  readonly onEnd: () => void;
}

/** A server's end of one association, with its timer. After it was made, call {@link SctpPeer.go}. */
export class SctpPeer {
  readonly #association: Association;
  readonly #served: Served;
  readonly #options: SctpPeerOptions;
  readonly #end: HttpEnd;
  #timer: NodeJS.Timeout | undefined;
  #isClosing = false;
  #hasEnded = false;
  /** That came, and may leave something behind. */
  #packets = 0;

  constructor(association: Association, served: Served, options: SctpPeerOptions) {
    this.#association = association;
    this.#served = served;
    this.#options = options;
    const framing = {...FRAMING, pieceBytes: association.maxMessageInPacketBytes()};
    this.#end = new HttpEnd(served, framing, (stream, bytes) =>
      !this.#isClosing && association.send(stream, bytes) ? bytes.length : 0,
    );
  }

  get tag(): number {
    return this.#options.tag;
  }

  handlePacket(packet: Uint8Array): void {
    if (!isOnlySack(packet)) this.#packets += 1;
    if (this.#packets > this.#served.limits.packets) this.abort();
    this.#call(() => this.#association.handlePacket(packet, this.#served.clock()));
  }

  /** Does what is to be done now, and again when a timer has run off. */
  go(): void {
    this.#call(() => undefined);
  }

  /** One that is idle is shut down, and has as long again for that. */
  sweep(): void {
    if (!this.#end.patience.isLate) return;
    if (this.#isClosing || !this.#end.patience.isIdle) this.abort();
    else this.#close();
  }

  abort(): void {
    this.#call(() => this.#abort());
  }

  /** Without a word to the peer. */
  end(): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    clearTimeout(this.#timer);
    this.#options.onEnd();
    this.#association.free();
  }

  #close(): void {
    this.#isClosing = true;
    this.#end.patience.restart();
    this.#call(() => this.#association.close());
  }

  /** An association that fails is given up, and no other with it. */
  #call(call: () => void): void {
    if (this.#hasEnded) return;
    try {
      call();
      this.#settle();
    } catch {
      this.end();
    }
  }

  #settle(): void {
    const {clock} = this.#served;
    for (let isLeft = true; isLeft; ) {
      const events = this.#association.pollEvents();
      for (const event of events) this.#handle(event);
      if (!this.#isClosing) this.#end.write();
      const packets = this.#association.pollTransmit(clock());
      this.#options.send(packets);
      isLeft = events.length + packets.length > 0;
      if (events.some(({type}) => type === 'closed')) this.end();
      if (this.#hasEnded) return;
    }
    this.#schedule();
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

  #schedule(): void {
    clearTimeout(this.#timer);
    const {nextTimeoutNs} = this.#association;
    if (nextTimeoutNs === Number.POSITIVE_INFINITY) return;
    const waitMs = Math.max(0, Math.ceil((nextTimeoutNs - this.#served.clock()) / 1e6));
    this.#timer = setTimeout(() => {
      this.#call(() => this.#association.handleTimeout(this.#served.clock()));
    }, waitMs);
  }
}

/** A response in order on its stream, a packet at a time. */
const FRAMING: Framing = {
  ...{mode: 'sequential', isTagged: false},
  ...{pieceBytes: 0, largestPieceBytes: Number.POSITIVE_INFINITY},
};
