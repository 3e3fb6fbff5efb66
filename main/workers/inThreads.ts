import {Worker} from 'node:worker_threads';

/** Work in pieces. Any thread can compute any piece, and each thread computes one piece at a time. */
export interface Pieces<P, A> {
  /** Returns the next piece. Undefined if there are no more. */
  readonly next: () => P | undefined;
  /** Called with the answer to each piece, in the order of the pieces. If it throws, the work fails. */
  readonly onAnswer: (answer: A) => void;
  /** The module that the threads run. It receives each piece as a message and answers with one message. */
  readonly worker: URL;
  readonly workerData: unknown;
  /** The maximum number of threads. */
  readonly threads: number;
  readonly signal?: AbortSignal;
}

/**
 * Computes all pieces on several threads. If a thread dies, another thread computes its piece. If the second thread
 * also dies, the work fails with the cause. An abort makes the work fail with the signal's reason.
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
  /** The index of the piece. */
  readonly number: number;
  readonly piece: P;
  /** How many threads have died while they computed the piece. */
  readonly deaths: number;
}

class Work<P, A> {
  readonly #pieces: Pieces<P, A>;
  readonly #resolve: () => void;
  readonly #reject: (error: unknown) => void;
  readonly #underWay = new Map<Worker, Numbered<P>>();
  readonly #idle: Worker[] = [];
  /** Pieces whose threads have died. They are computed before all others. */
  readonly #again: Numbered<P>[] = [];
  /** Answers that wait for the answer to an earlier piece, keyed by the indices of their pieces. */
  readonly #answers = new Map<number, A>();
  #started = 0;
  #reported = 0;
  #isEnded = false;

  constructor(pieces: Pieces<P, A>, resolve: () => void, reject: (error: unknown) => void) {
    this.#pieces = pieces;
    this.#resolve = resolve;
    this.#reject = reject;
  }

  /**
   * Sends pieces to threads until all threads are busy, no piece is left, or too many answers wait. Starts threads if
   * necessary. If nothing is left to do, ends the work.
   */
  begin(): void {
    while (!this.#isEnded) {
      const isFull = this.#underWay.size >= this.#pieces.threads;
      const piece = isFull || this.#isFarAhead() ? undefined : this.#next();
      if (piece === undefined) break;
      this.#ask(this.#idle.pop() ?? this.#start(), piece);
    }
    if (this.#underWay.size === 0 && !this.#isEnded) this.end(null);
  }

  /** Ends all threads and then the work. The work succeeds if `error` is null. */
  end(error: unknown): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    const threads = [...this.#underWay.keys(), ...this.#idle];
    // A thread may still fail before it has ended. Its event 'error' would end the program if it had no listener.
    for (const thread of threads) thread.removeAllListeners().on('error', () => {});
    const settle = error === null ? this.#resolve : () => this.#reject(error);
    void Promise.all(threads.map(thread => thread.terminate())).finally(settle);
  }

  /**
   * Whether no further piece should be sent, because too many answers wait for the answer to an earlier piece. This
   * bounds the memory for answers.
   */
  #isFarAhead(): boolean {
    return this.#answers.size >= MOST_HELD && this.#again.length === 0;
  }

  #next(): Numbered<P> | undefined {
    const again = this.#again.pop();
    if (again !== undefined) return again;
    const piece = this.#pieces.next();
    return piece === undefined ? undefined : {number: this.#started++, piece, deaths: 0};
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
      for (let next = this.#answers.get(this.#reported); next !== undefined; next = this.#answers.get(this.#reported)) {
        this.#answers.delete(this.#reported++);
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
