import {performance} from 'node:perf_hooks';

/**
 * Repeats a thread's first loads while the thread is idle. V8 optimizes the code of loads only after it has run several
 * times, so the first loads take about four times as long as later ones. Without repetitions a user would notice this
 * when a slider is dragged for the first time.
 */
export class WarmUp {
  readonly #nowMs: () => number;
  #left = REPETITIONS;
  #load: (() => unknown) | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(nowMs = () => performance.now()) {
    this.#nowMs = nowMs;
  }

  /** Calls `load` and returns its result. {@link resume} repeats the newest load, unless it took long. */
  run<T>(load: () => T): T {
    const startMs = this.#nowMs();
    const result = load();
    this.#load = this.#nowMs() - startMs <= LONGEST_MS ? load : undefined;
    return result;
  }

  /** Must be called when the thread receives a call, because it is no longer idle. */
  pause(): void {
    clearTimeout(this.#timer);
  }

  /** Must be called when the thread has answered a call. */
  resume(): void {
    this.#repeatAfter(REST_MS);
  }

  #repeatAfter(restMs: number): void {
    this.pause();
    if (this.#left === 0) this.#load = undefined;
    if (this.#load === undefined) return;
    this.#timer = setTimeout(() => {
      this.#left--;
      this.#load?.();
      this.#repeatAfter(PAUSE_MS);
    }, restMs);
  }
}

/** How often a thread repeats loads in all. After about forty loads, they hardly become faster any more. */
const REPETITIONS = 40;
/** Loads that take longer than this are not repeated, ms. A call must wait while a repetition is under way. */
const LONGEST_MS = 200;
/** The thread counts as idle if no call has arrived for this time, ms. */
const REST_MS = 100;
/** The time between two repetitions, ms. The window needs the processor, too. */
const PAUSE_MS = 5;
