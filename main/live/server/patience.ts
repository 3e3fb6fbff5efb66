import type {Clock} from '../../net/clock.ts';
import type {ServerLimits} from './limits.ts';

/** What a peer keeps an end waiting for. */
type Phase = 'idle' | 'request' | 'answer';

/** What an end of HTTP has to do. */
interface Work {
  /** Requests that are not answered whole. */
  readonly waiting: number;
  /** A request has come in part. */
  readonly isReading: boolean;
}

/** How long a peer takes. After anything that changes its work, call {@link Patience.settle}. */
export class Patience {
  readonly #limits: ServerLimits;
  readonly #clock: Clock;
  #phase: Phase = 'idle';
  /** In this phase, or since an answer of it was taken whole. */
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

  /** No more requests should be read. */
  get isFull(): boolean {
    return this.#waiting >= this.#limits.waiting;
  }

  /** From now on it counts how long the peer takes. */
  restart(): void {
    this.#sinceNs = this.#clock();
  }

  /** The peer has taken too long. */
  get isLate(): boolean {
    const {idleMs, requestMs, answerMs} = this.#limits;
    const most = {idle: idleMs, request: requestMs, answer: answerMs};
    return this.#clock() - this.#sinceNs > most[this.#phase] * 1e6;
  }
}
