import {Worker} from 'node:worker_threads';
import type {Json} from '../../app/base/json.ts';
import type {CaptureAnswer, LoadAnswer, PacketAnswer, Refusal, SeedRow} from '../../app/host/contract.ts';
import {type PageSnapshot, pageStamp} from '../../app/page/page.ts';
import {bytesOf} from '../pages/base/pageSnapshot.ts';

/** The calls that a thread of the engine answers. */
export interface ThreadCalls {
  pageNames(): readonly string[];
  /** Opens a page. `conversions` is not checked yet. */
  openPage(page: Json, conversions: unknown): OpenedPage | Refusal;
  /** Computes a run. `page` is null if the thread still has it from its previous load ({@link isKept}). */
  load(scenario: Json, page: PageSnapshot | null, assumption?: unknown): LoadAnswer;
  /**
   * Computes a run with `seed` instead of the scenario's seed, and returns the run's metrics. `eye` says how similar
   * each object looks to the complete object, depending on how many of its bytes have arrived (`Eye` in
   * app/run/quality/states.ts). If `eye` is null, no visual metrics are computed. If `hasCauses` is true, the causes of
   * the page's time are computed, too. `seed`, `eye` and `hasCauses` are not checked yet.
   */
  loadSeed(
    scenario: Json,
    page: PageSnapshot | null,
    seed: unknown,
    eye: unknown,
    hasCauses: unknown,
  ): SeedAnswer | Refusal;
  /** Decodes one packet of the run that {@link load} computes. `pane` and `row` are not checked yet. */
  packetParts(scenario: Json, page: PageSnapshot | null, pane: unknown, row: unknown): PacketAnswer;
  /** Returns all packets of one pane of the run that {@link load} computes. `pane` is not checked yet. */
  capture(scenario: Json, page: PageSnapshot | null, pane: unknown): CaptureAnswer;
}

export interface SeedAnswer {
  readonly ok: true;
  readonly row: SeedRow;
}

export interface OpenedPage {
  readonly ok: true;
  readonly page: PageSnapshot;
}

export type ThreadAnswer<K extends keyof ThreadCalls> = ReturnType<ThreadCalls[K]>;

export interface ThreadRequest {
  readonly call: keyof ThreadCalls;
  readonly args: readonly unknown[];
}

export interface EngineThreadOptions {
  /** URL of the bundle of `engineWorker.ts`. */
  readonly worker: URL;
  /** The folder with the pages that are included in the program. */
  readonly fixtures: string;
}

/** Whether a thread keeps this page for its next load. */
export function isKept(page: PageSnapshot): boolean {
  return bytesOf(page) <= MOST_KEPT_BYTES;
}

/** The calls that need a page. The page is their second argument. */
const LOADS: ReadonlySet<keyof ThreadCalls> = new Set(['load', 'loadSeed', 'packetParts', 'capture']);

/**
 * Largest size of a page that a thread keeps after a load, in bytes. The thread then needs about twice this memory,
 * because it also keeps the responses, which contain the page's bodies again.
 */
const MOST_KEPT_BYTES = 16_000_000;

/** One thread of the engine. It answers one call at a time. */
export class EngineThread {
  readonly #worker: Worker;
  #answer: ((value: unknown) => void) | null = null;
  /** Identifies the page that the thread keeps ({@link pageStamp}, as JSON). Null if it keeps none. */
  #kept: string | null = null;

  /** Starts the thread. `onDeath` is called with the cause if the thread ends other than by {@link end}. */
  constructor({worker, fixtures}: EngineThreadOptions, onDeath: (thread: EngineThread, cause: string) => void) {
    this.#worker = new Worker(worker, {workerData: {fixtures}});
    let cause = 'it ended';
    this.#worker.on('message', (value: unknown) => {
      const answer = this.#answer;
      this.#answer = null;
      answer?.(value);
    });
    this.#worker.on('error', error => {
      cause = (error as Error).message;
    });
    this.#worker.on('exit', () => onDeath(this, cause));
  }

  /** Whether the thread is working on a call. */
  get isBusy(): boolean {
    return this.#answer !== null;
  }

  /** Sends a call. @throws Error if the arguments cannot be sent to the thread. The thread is then not busy */
  ask(request: ThreadRequest, onAnswer: (value: unknown) => void): void {
    if (LOADS.has(request.call)) this.#askLoad(request);
    else this.#worker.postMessage(request);
    this.#answer = onAnswer;
  }

  /**
   * Sends a call that needs a page. The page is left out if the thread still has it. This saves time, because a page
   * has many bodies, and most loads use the same page as the previous load.
   */
  #askLoad({call, args}: ThreadRequest): void {
    const [scenario, page, ...others] = args as [Json, PageSnapshot, ...unknown[]];
    const stamp = JSON.stringify(pageStamp(page));
    const isThere = stamp === this.#kept;
    this.#worker.postMessage({call, args: isThere ? [scenario, null, ...others] : args});
    if (!isThere) this.#kept = isKept(page) ? stamp : null;
  }

  /** Ends the thread, even during a call. */
  async end(): Promise<void> {
    this.#worker.removeAllListeners('exit');
    this.#answer = null;
    await this.#worker.terminate();
  }
}
