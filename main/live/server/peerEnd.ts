import type {AppEvent} from '../../../native/addon/index.js';
import type {Clock} from '../../net/clock.ts';

/** The server's end of one connection or association. The addon's transport classes implement this. */
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
  /** Writes as much as the transport accepts. This is not called after the transport has closed. */
  readonly write: () => void;
  /** Called once, after the transport's memory has been freed. */
  readonly onEnd: () => void;
}

/**
 * Runs the server's end of any transport in UDP. After every call it reports events, sends the packets that are due,
 * and sets the timer.
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

  /** Reports all events, sends all packets that are due, and sets the timer for the next timeout. */
  go(): void {
    this.call(() => undefined);
  }

  abort(): void {
    this.call(() => this.#end.abort());
  }

  /** Calls `call`, then reports events and sends packets. If anything throws, only this peer ends. */
  call(call: () => void): void {
    if (this.#hasEnded) return;
    try {
      call();
      this.#settle();
    } catch {
      this.end();
    }
  }

  /** Ends this peer as soon as all packets that are due have been sent. */
  finish(): void {
    this.#isFinishing = true;
  }

  /** Ends this peer without sending it anything. */
  end(): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    clearTimeout(this.#timer);
    try {
      this.#end.free();
    } catch {
      // `free` throws if the Rust code behind the addon has panicked. Then nothing is left to free.
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
