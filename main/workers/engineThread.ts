import {Worker} from 'node:worker_threads';
import type {Json} from '../../app/base/json.ts';
import type {CaptureAnswer, LoadAnswer, PacketAnswer, Refusal, SeedRow} from '../../app/host/contract.ts';
import {type PageSnapshot, pageStamp} from '../../app/page/page.ts';
import {bytesOf} from '../pages/base/pageSnapshot.ts';

/** The calls that a thread of the engine answers. */
export interface ThreadCalls {
  pageNames(): readonly string[];
  /** Opens a page. `conversions` is what `openPage` received, which may be anything. */
  openPage(page: Json, conversions: unknown): OpenedPage | Refusal;
  /** Computes a run. `page` is null if it is the page of the last load and {@link isKept}. */
  load(scenario: Json, page: PageSnapshot | null): LoadAnswer;
  /**
   * Like {@link load}, with another seed than the scenario's. `seed` and `eye` are what `loadSeeds` received, which may
   * be anything.
   */
  loadSeed(scenario: Json, page: PageSnapshot | null, seed: unknown, eye: unknown): SeedAnswer | Refusal;
  /**
   * Decodes a packet of the run from {@link load}. `pane` and `row` are what `packetParts` received, which may be
   * anything.
   */
  packetParts(scenario: Json, page: PageSnapshot | null, pane: unknown, row: unknown): PacketAnswer;
  /**
   * Returns all packets of a pane in the run from {@link load}. `pane` is what `capture` received, which may be
   * anything.
   */
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
  /** `engineWorker.ts`, bundled. */
  readonly worker: URL;
  /** Folder of the pages that come with the program. */
  readonly fixtures: string;
}

/** Whether a thread still has the page of its load when the next load begins. */
export function isKept(page: PageSnapshot): boolean {
  return bytesOf(page) <= MOST_KEPT_BYTES;
}

/** Calls that need a page. It is the second argument of each. */
const LOADS: ReadonlySet<keyof ThreadCalls> = new Set(['load', 'loadSeed', 'packetParts', 'capture']);

/**
 * Most bytes of a page that a thread does not free after a load. A thread needs twice as much memory, because it also
 * holds the bodies as responses.
 */
const MOST_KEPT_BYTES = 16_000_000;

/** One thread of the engine. It answers one call at a time, until it dies or is ended. */
export class EngineThread {
  readonly #worker: Worker;
  #answer: ((value: unknown) => void) | null = null;
  /** Stamp of the page that the thread still has. Null if it has none. */
  #kept: string | null = null;

  /** Starts the thread. If the thread dies without having been ended, `onDeath` is called with the cause. */
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

  /** Whether the thread has yet to answer its call. */
  get isBusy(): boolean {
    return this.#answer !== null;
  }

  /** Sends a call. @throws Error if the arguments cannot be sent to the thread, which then stays free */
  ask(request: ThreadRequest, onAnswer: (value: unknown) => void): void {
    if (LOADS.has(request.call)) this.#askLoad(request);
    else this.#worker.postMessage(request);
    this.#answer = onAnswer;
  }

  /**
   * Sends a call with its page. The page is left out if the thread has it already: a page has many bodies, and most
   * loads use the same page as the last one.
   */
  #askLoad({call, args}: ThreadRequest): void {
    const [scenario, page, ...others] = args as [Json, PageSnapshot, ...unknown[]];
    const stamp = JSON.stringify(pageStamp(page));
    const isThere = stamp === this.#kept;
    this.#worker.postMessage({call, args: isThere ? [scenario, null, ...others] : args});
    if (!isThere) this.#kept = isKept(page) ? stamp : null;
  }

  /** Ends the thread, whatever it is doing. */
  async end(): Promise<void> {
    this.#worker.removeAllListeners('exit');
    this.#answer = null;
    await this.#worker.terminate();
  }
}
