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
  /** Writes as much as the end accepts. This is not called after the end has closed. */
  readonly write: () => void;
  /** Called once, when the end no longer exists. */
  readonly onEnd: () => void;
}

/**
 * What the server's ends of all transports in UDP have in common: the packets that calls result in are sent, and the
 * end's timer is kept.
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

  /** Makes a call to the transport's end and handles the results. If the end fails, only this peer is given up. */
  call(call: () => void): void {
    if (this.#hasEnded) return;
    try {
      call();
      this.#settle();
    } catch {
      this.end();
    }
  }

  /** Ends this peer as soon as everything that is due now has been sent. */
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
      // `free` throws if the end has panicked; there is then nothing left to free
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
