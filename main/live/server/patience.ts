import type {Clock} from '../../net/clock.ts';
import type {ServerLimits} from './serverLimits.ts';

/**
 * What the server waits for. In 'idle' it waits for a request to begin, in 'request' for the rest of a request, and in
 * 'answer' until the peer has read an answer.
 */
type Phase = 'idle' | 'request' | 'answer';

/** The requests that a server's end of an HTTP connection is working on. */
interface Work {
  /** How many requests have no complete answer yet. */
  readonly waiting: number;
  /** Whether a request has been received in part. */
  readonly isReading: boolean;
}

/**
 * Measures how long a peer takes to begin a request, to send the rest of it, or to read an answer. Call {@link
 * Patience.settle} after anything that may change the connection's {@link Work}.
 */
export class Patience {
  readonly #limits: ServerLimits;
  readonly #clock: Clock;
  #phase: Phase = 'idle';
  /**
   * The latest of three times: the beginning of this phase, the completion of an answer in this phase, and a call of
   * `restart`.
   */
  #sinceNs: number;
  #waiting = 0;

  constructor(limits: ServerLimits, clock: Clock) {
    this.#limits = limits;
    this.#clock = clock;
    this.#sinceNs = clock();
  }

  settle({waiting, isReading}: Work): void {
    const phase = waiting > 0 ? 'answer' : isReading ? 'request' : 'idle';
    const hasAnswered = waiting < this.#waiting;
    this.#waiting = waiting;
    if (phase === this.#phase && !hasAnswered) return;
    this.#phase = phase;
    this.restart();
  }

  get isIdle(): boolean {
    return this.#phase === 'idle';
  }

  /** Whether so many requests wait that the server should not read more now. */
  get isFull(): boolean {
    return this.#waiting >= this.#limits.waiting;
  }

  /** Whether more requests wait than the limit allows. */
  get isOverfull(): boolean {
    return this.#waiting > this.#limits.waiting;
  }

  /** Restarts the measurement at 0. */
  restart(): void {
    this.#sinceNs = this.#clock();
  }

  /** Whether the peer has taken too long. */
  get isLate(): boolean {
    const {idleMs, requestMs, answerMs} = this.#limits;
    const most = {idle: idleMs, request: requestMs, answer: answerMs};
    return this.#clock() - this.#sinceNs > most[this.#phase] * 1e6;
  }
}
