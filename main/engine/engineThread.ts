import {Worker} from 'node:worker_threads';
import type {HostCalls, Refusal} from '../../app/ipc/contract.ts';

/** What an engine's thread answers. */
export type EngineCalls = Pick<HostCalls, 'pageNames' | 'openPage' | 'load'>;

export interface EngineRequest {
  readonly id: number;
  readonly call: keyof EngineCalls;
  readonly args: readonly unknown[];
}

export interface EngineAnswer {
  readonly id: number;
  readonly value: unknown;
}

export interface EngineThreadOptions {
  /** `engineWorker.ts`, bundled. */
  readonly worker: URL;
  /** Folder of the pages that come with the program. */
  readonly fixtures: string;
}

/** One thread of the engine: answers calls in their order, until it dies. */
export class EngineThread {
  readonly #worker: Worker;
  readonly #answers = new Map<number, (value: never) => void>();
  #nextId = 0;
  #hasAnswered = false;

  /** `onDeath` is told why, unless it was closed; what is under way is then to be refused. */
  constructor(
    {worker, fixtures}: EngineThreadOptions,
    onDeath: (thread: EngineThread, cause: string) => void,
  ) {
    this.#worker = new Worker(worker, {workerData: {fixtures}});
    let cause = 'it ended';
    this.#worker.on('message', ({id, value}: EngineAnswer) => {
      this.#hasAnswered = true;
      this.#answers.get(id)?.(value as never);
      this.#answers.delete(id);
    });
    this.#worker.on('error', error => {
      cause = (error as Error).message;
    });
    this.#worker.on('exit', () => onDeath(this, cause));
  }

  /** It has answered a call: it could start. */
  get hasAnswered(): boolean {
    return this.#hasAnswered;
  }

  /** Calls that it has not answered yet. */
  get underWay(): number {
    return this.#answers.size;
  }

  call<K extends keyof EngineCalls>(
    call: K,
    args: Parameters<EngineCalls[K]>,
  ): Promise<ReturnType<EngineCalls[K]> | Refusal> {
    const request: EngineRequest = {id: this.#nextId++, call, args};
    return new Promise(resolve => {
      this.#answers.set(request.id, resolve);
      this.#worker.postMessage(request);
    });
  }

  /** Answers what is under way. */
  refuse(refusal: Refusal): void {
    for (const resolve of this.#answers.values()) resolve(refusal as never);
    this.#answers.clear();
  }

  async close(): Promise<void> {
    this.#worker.removeAllListeners('exit');
    await this.#worker.terminate();
  }
}
