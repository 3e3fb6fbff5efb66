import type {StartRules} from './serverRules.ts';

/** How long a server thinks before each answer. */
export interface ThinkOptions {
  /** The think time before each answer. */
  readonly thinkNs: number;
  /**
   * Whether the server begins to think about a request only when it has thought about all earlier requests of the
   * connection. Otherwise it thinks about all requests at the same time. The default is false.
   */
  readonly thinksInTurn?: boolean | undefined;
  /** Further delays of the server after the think time. Absent if there are none. */
  readonly starts?: StartRules | undefined;
}

/** The think times of a server on one connection. */
export class ThinkTimes {
  readonly #options: ThinkOptions;
  /** The time at which the server will have thought about all requests that have arrived. */
  #freeNs = 0;
  /** The earliest time at which the next answer can be written. */
  #nextNs = 0;

  constructor(options: ThinkOptions) {
    this.#options = options;
  }

  /** Returns the time at which the answer to a request that arrives now is ready. Call it once for each request. */
  readyNs(nowNs: number): number {
    const {thinkNs, thinksInTurn, starts} = this.#options;
    this.#freeNs = (thinksInTurn ? Math.max(nowNs, this.#freeNs) : nowNs) + thinkNs;
    if (starts === undefined) return this.#freeNs;
    const readyNs = Math.max(this.#freeNs + starts.afterNs, this.#nextNs);
    this.#nextNs = readyNs + starts.apartNs;
    return readyNs;
  }
}
