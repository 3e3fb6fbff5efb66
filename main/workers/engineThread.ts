import {Worker} from 'node:worker_threads';
import type {Json} from '../../app/base/json.ts';
import type {CaptureAnswer, LoadAnswer, PacketAnswer, Refusal, SeedRow} from '../../app/host/contract.ts';
import {type PageSnapshot, pageStamp} from '../../app/page/page.ts';
import {bytesOf} from '../pages/base/snapshot.ts';

/** What an engine's thread answers. */
export interface ThreadCalls {
  pageNames(): readonly string[];
  /** `conversions` as `openPage` is given them, or anything else. */
  openPage(page: Json, conversions: unknown): OpenedPage | Refusal;
  /** `page` is null for that of the load before, where that {@link isKept}. */
  load(scenario: Json, page: PageSnapshot | null): LoadAnswer;
  /** As {@link load}, of another seed than the scenario's; `eye` as `loadSeeds` is given it, or anything else. */
  loadSeed(scenario: Json, page: PageSnapshot | null, seed: unknown, eye: unknown): SeedAnswer | Refusal;
  /** As {@link load}; `pane` and `row` as `packetParts` is given them, or anything else. */
  packetParts(scenario: Json, page: PageSnapshot | null, pane: unknown, row: unknown): PacketAnswer;
  /** As {@link load}; `pane` as `capture` is given it, or anything else. */
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

/** Whether a thread keeps the page of its load for the next one. */
export function isKept(page: PageSnapshot): boolean {
  return bytesOf(page) <= MOST_KEPT_BYTES;
}

/** What is asked of a page, which comes second. */
const LOADS: ReadonlySet<keyof ThreadCalls> = new Set(['load', 'loadSeed', 'packetParts', 'capture']);

/** A thread has them twice, as bodies and in responses: what larger pages need is let go. */
const MOST_KEPT_BYTES = 16_000_000;

/** One thread of the engine: answers one call after the other, until it dies or is ended. */
export class EngineThread {
  readonly #worker: Worker;
  #answer: ((value: unknown) => void) | null = null;
  /** The stamp of the page that it keeps. */
  #kept: string | null = null;

  /** `onDeath` is told why, unless it was ended. */
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

  /** It has not answered its call. */
  get isBusy(): boolean {
    return this.#answer !== null;
  }

  /** `onAnswer` is told the value. @throws Error if the arguments cannot be handed over; it is free then. */
  ask(request: ThreadRequest, onAnswer: (value: unknown) => void): void {
    if (LOADS.has(request.call)) this.#askLoad(request);
    else this.#worker.postMessage(request);
    this.#answer = onAnswer;
  }

  /** A page has many bodies, and most loads are of the one before. */
  #askLoad({call, args}: ThreadRequest): void {
    const [scenario, page, ...others] = args as [Json, PageSnapshot, ...unknown[]];
    const stamp = JSON.stringify(pageStamp(page));
    const isThere = stamp === this.#kept;
    this.#worker.postMessage({call, args: isThere ? [scenario, null, ...others] : args});
    if (!isThere) this.#kept = isKept(page) ? stamp : null;
  }

  /** Ends it, whatever it does. */
  async end(): Promise<void> {
    this.#worker.removeAllListeners('exit');
    this.#answer = null;
    await this.#worker.terminate();
  }
}
