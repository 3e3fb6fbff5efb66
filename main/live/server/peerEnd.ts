import type {AppEvent} from '../../../native/addon/index.js';
import type {Clock} from '../../net/clock.ts';

/** A server's end of a transport: of the addon's classes. */
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
  /** Gives the end what it takes. Not called once that is closed. */
  readonly write: () => void;
  /** Called once, when the end is no more. */
  readonly onEnd: () => void;
}

/** What servers' ends of all transports in UDP have in common: what a call brings about is done, and the timer is set. */
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

  /** Does what is to be done now, and again when a timer has run off. */
  go(): void {
    this.call(() => undefined);
  }

  abort(): void {
    this.call(() => this.#end.abort());
  }

  /** Of the end, and what comes of it. An end that fails is given up, and no other with it. */
  call(call: () => void): void {
    if (this.#hasEnded) return;
    try {
      call();
      this.#settle();
    } catch {
      this.end();
    }
  }

  /** Ends when what there is to send now is sent. */
  finish(): void {
    this.#isFinishing = true;
  }

  /** Without a word to the peer. */
  end(): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    clearTimeout(this.#timer);
    try {
      this.#end.free();
    } catch {
      // one that has panicked holds nothing any more, and says so
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
