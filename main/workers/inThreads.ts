import {Worker} from 'node:worker_threads';

/** Work that is cut into pieces for threads. Each thread can compute any piece, and computes one at a time. */
export interface Pieces<P, A> {
  /** The next piece. Undefined if there is none left. */
  readonly next: () => P | undefined;
  /**
   * Called with each answer. The order is that of the pieces, whichever thread computed them. If this throws, the work
   * ends.
   */
  readonly onAnswer: (answer: A) => void;
  /** The worker's module. A message to the worker is a piece, and the worker answers each with one message. */
  readonly worker: URL;
  readonly workerData: unknown;
  /** Most threads. */
  readonly threads: number;
  readonly signal?: AbortSignal;
}

/**
 * Computes all pieces. If a thread dies, it is replaced, and its piece is computed again. If a second thread dies while
 * it computes the same piece, the work fails with the cause. An abort ends the work with the signal's reason.
 */
export async function inThreads<P, A>(pieces: Pieces<P, A>): Promise<void> {
  const {signal} = pieces;
  signal?.throwIfAborted();
  let cancel = (): void => {};
  try {
    await new Promise<void>((resolve, reject) => {
      const work = new Work(pieces, resolve, reject);
      cancel = () => work.end(signal?.reason);
      signal?.addEventListener('abort', cancel);
      work.begin();
    });
  } finally {
    signal?.removeEventListener('abort', cancel);
  }
}

interface Numbered<P> {
  readonly number: number;
  readonly piece: P;
  readonly deaths: number;
}

class Work<P, A> {
  readonly #pieces: Pieces<P, A>;
  readonly #resolve: () => void;
  readonly #reject: (error: unknown) => void;
  readonly #underWay = new Map<Worker, Numbered<P>>();
  readonly #idle: Worker[] = [];
  /** Pieces whose threads have died. These are computed before any others. */
  readonly #again: Numbered<P>[] = [];
  /** Answers by number, which cannot be reported before an earlier one. */
  readonly #answers = new Map<number, A>();
  #asked = 0;
  #told = 0;
  #isEnded = false;

  constructor(pieces: Pieces<P, A>, resolve: () => void, reject: (error: unknown) => void) {
    this.#pieces = pieces;
    this.#resolve = resolve;
    this.#reject = reject;
  }

  /** Starts as many threads as there are pieces for. */
  begin(): void {
    while (!this.#isEnded) {
      const isFull = this.#underWay.size >= this.#pieces.threads;
      const piece = isFull || this.#isFarAhead() ? undefined : this.#next();
      if (piece === undefined) break;
      this.#ask(this.#idle.pop() ?? this.#start(), piece);
    }
    if (this.#underWay.size === 0 && !this.#isEnded) this.end(null);
  }

  /** Ends all threads, then the work. The work succeeds if `error` is null. */
  end(error: unknown): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    const threads = [...this.#underWay.keys(), ...this.#idle];
    // until it has ended a thread may still die, and an 'error' event without a listener would end the program
    for (const thread of threads) thread.removeAllListeners().on('error', () => {});
    const settle = error === null ? this.#resolve : () => this.#reject(error);
    void Promise.all(threads.map(thread => thread.terminate())).finally(settle);
  }

  /**
   * Whether so many answers wait for an earlier one that no further piece should begin. This bounds the memory for
   * them.
   */
  #isFarAhead(): boolean {
    return this.#answers.size >= MOST_HELD && this.#again.length === 0;
  }

  #next(): Numbered<P> | undefined {
    const again = this.#again.pop();
    if (again !== undefined) return again;
    const piece = this.#pieces.next();
    return piece === undefined ? undefined : {number: this.#asked++, piece, deaths: 0};
  }

  #start(): Worker {
    const {worker, workerData} = this.#pieces;
    const thread = new Worker(worker, {workerData});
    let cause: unknown;
    thread.on('message', (answer: A) => this.#handleAnswer(thread, answer));
    thread.on('error', error => {
      cause = error;
    });
    thread.on('exit', code => this.#handleDeath(thread, cause ?? new Error(`a worker ended with exit code ${code}`)));
    return thread;
  }

  #ask(thread: Worker, piece: Numbered<P>): void {
    this.#underWay.set(thread, piece);
    thread.postMessage(piece.piece);
  }

  #handleAnswer(thread: Worker, answer: A): void {
    const {number = 0} = this.#underWay.get(thread) ?? {};
    this.#underWay.delete(thread);
    this.#idle.push(thread);
    this.#answers.set(number, answer);
    try {
      for (let next = this.#answers.get(this.#told); next !== undefined; next = this.#answers.get(this.#told)) {
        this.#answers.delete(this.#told++);
        this.#pieces.onAnswer(next);
      }
    } catch (error) {
      this.end(error);
    }
    this.begin();
  }

  #handleDeath(thread: Worker, cause: unknown): void {
    const piece = this.#underWay.get(thread);
    this.#underWay.delete(thread);
    if (piece === undefined) this.#idle.splice(this.#idle.indexOf(thread), 1);
    else if (piece.deaths > 0) this.end(cause);
    else this.#again.push({...piece, deaths: 1});
    this.begin();
  }
}

const MOST_HELD = 1000;
