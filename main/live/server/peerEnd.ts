import type {AppEvent} from '../../../native/addon/index.js';
import type {Clock} from '../../net/clock.ts';

/** A server's end of a transport: one of the addon's classes. */
interface TransportEnd {
  handlePacket(packet: Uint8Array, nowNs: number): void;
  handleTimeout(nowNs: number): void;
  pollEvents(): AppEvent[];
  pollTransmit(nowNs: number): Uint8Array[];
  readonly nextTimeoutNs: number;
  abort(): void;
  free(): void;
}

export interface PeerEndOptions {
  readonly clock: Clock;
  readonly send: (packets: readonly Uint8Array[]) => void;
  readonly onEvent: (event: AppEvent) => void;
  /** Writes to the end what it takes. It is not called after the end has closed. */
  readonly write: () => void;
  /** Called once, when the end is no more. */
  readonly onEnd: () => void;
}

/**
 * What the server's ends of all transports in UDP have in common: it sends what calls bring about, and keeps the timer.
 */
export class PeerEnd {
  readonly #end: TransportEnd;
  readonly #options: PeerEndOptions;
  #timer: NodeJS.Timeout | undefined;
  #isFinishing = false;
  #hasEnded = false;

  constructor(end: TransportEnd, options: PeerEndOptions) {
    this.#end = end;
    this.#options = options;
  }

  handlePacket(packet: Uint8Array): void {
    this.call(() => this.#end.handlePacket(packet, this.#options.clock()));
  }

  /** Sends and reports all that is due now, and sets the timer for what is due later. */
  go(): void {
    this.call(() => undefined);
  }

  abort(): void {
    this.call(() => this.#end.abort());
  }

  /** Calls the end and handles the results. An end that fails is given up by itself, without harm to others. */
  call(call: () => void): void {
    if (this.#hasEnded) return;
    try {
      call();
      this.#settle();
    } catch {
      this.end();
    }
  }

  /** Ends as soon as everything due now is sent. */
  finish(): void {
    this.#isFinishing = true;
  }

  /** Ends without telling the peer. */
  end(): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    clearTimeout(this.#timer);
    try {
      this.#end.free();
    } catch {
      // an end that has panicked reports an error, and holds nothing any more
    }
    this.#options.onEnd();
  }

  #settle(): void {
    const {clock, send, onEvent, write} = this.#options;
    for (let isLeft = true; isLeft; ) {
      const events = this.#end.pollEvents();
      for (const event of events) onEvent(event);
      if (this.#hasEnded) return;
      const isClosed = events.some(({type}) => type === 'closed');
      if (!isClosed) write();
      const packets = this.#end.pollTransmit(clock());
      send(packets);
      isLeft = events.length + packets.length > 0;
      if (isClosed || this.#isFinishing) this.end();
      if (this.#hasEnded) return;
    }
    this.#schedule();
  }

  #schedule(): void {
    clearTimeout(this.#timer);
    const {nextTimeoutNs} = this.#end;
    if (nextTimeoutNs === Number.POSITIVE_INFINITY) return;
    const {clock} = this.#options;
    const waitMs = Math.max(0, Math.ceil((nextTimeoutNs - clock()) / 1e6));
    this.#timer = setTimeout(() => this.call(() => this.#end.handleTimeout(clock())), waitMs);
  }
}
