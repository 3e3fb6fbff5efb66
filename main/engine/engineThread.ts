import {Worker} from 'node:worker_threads';
import type {LoadAnswer, Refusal, SeedRow} from '../../app/ipc/contract.ts';
import type {PageSnapshot} from '../../app/page/page.ts';
import type {Json} from '../../app/scenario/document.ts';

/** What an engine's thread answers. */
export interface ThreadCalls {
  pageNames(): readonly string[];
  openPage(page: Json): OpenedPage | Refusal;
  load(scenario: Json, page: PageSnapshot): LoadAnswer;
  /** Of another seed than the scenario's; `eye` as `loadSeeds` is given it, or anything else. */
  loadSeed(scenario: Json, page: PageSnapshot, seed: unknown, eye: unknown): SeedAnswer | Refusal;
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

/** One thread of the engine: answers one call after the other, until it dies or is ended. */
export class EngineThread {
  readonly #worker: Worker;
  #answer: ((value: unknown) => void) | null = null;

  /** `onDeath` is told why, unless it was ended. */
  constructor(
    {worker, fixtures}: EngineThreadOptions,
    onDeath: (thread: EngineThread, cause: string) => void,
  ) {
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
    this.#worker.postMessage(request);
    this.#answer = onAnswer;
  }

  /** Ends it, whatever it does. */
  async end(): Promise<void> {
    this.#worker.removeAllListeners('exit');
    this.#answer = null;
    await this.#worker.terminate();
  }
}
