import type {Clock} from '../../net/clock.ts';
import type {ServerLimits} from './serverLimits.ts';

/** What the server waits for: a request to begin, the rest of a request, or the peer to read an answer. */
type Phase = 'idle' | 'request' | 'answer';

/** The work of an HTTP connection's end. */
interface Work {
  /** Requests whose answers are not complete. */
  readonly waiting: number;
  /** Whether a part of a request has come, but not all of it. */
  readonly isReading: boolean;
}

/**
 * Measures how long a peer takes. Call {@link Patience.settle} after anything that changes the work of its connection.
 */
export class Patience {
  readonly #limits: ServerLimits;
  readonly #clock: Clock;
  #phase: Phase = 'idle';
  /** When this phase began, or when its last answer was complete. */
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

  /** Whether the server should read no more requests for now. */
  get isFull(): boolean {
    return this.#waiting >= this.#limits.waiting;
  }

  /** Starts measuring anew. */
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
