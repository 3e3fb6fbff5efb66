import {Worker} from 'node:worker_threads';
import type {EngineState, HostCalls, Refusal} from '../../app/ipc/contract.ts';

/** What the engine's thread answers. */
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

export interface EngineOptions {
  /** `engineWorker.ts`, bundled. */
  readonly worker: URL;
  /** Folder of the pages that come with the program. */
  readonly fixtures: string;
  readonly onState: (state: EngineState) => void;
}

interface Call {
  readonly resolve: (value: never) => void;
}

/**
 * Computes runs on a thread of its own, in the order of the calls. When the thread dies another one takes its
 * place; what was under way is answered with a refusal.
 */
export class Engine {
  readonly #options: EngineOptions;
  readonly #calls = new Map<number, Call>();
  #worker: Worker;
  #nextId = 0;
  #state: EngineState = {state: 'ready'};
  #isClosed = false;

  constructor(options: EngineOptions) {
    this.#options = options;
    this.#worker = this.#start();
  }

  get state(): EngineState {
    return this.#state;
  }

  call<K extends keyof EngineCalls>(
    call: K,
    ...args: Parameters<EngineCalls[K]>
  ): Promise<ReturnType<EngineCalls[K]> | Refusal> {
    if (this.#state.state === 'failed') return Promise.resolve(refusal(this.#state.message));
    const id = this.#nextId++;
    const request: EngineRequest = {id, call, args};
    return new Promise(resolve => {
      this.#calls.set(id, {resolve});
      this.#worker.postMessage(request);
    });
  }

  /** Ends the thread. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#worker.terminate();
  }

  #start(): Worker {
    const worker = new Worker(this.#options.worker, {workerData: {fixtures: this.#options.fixtures}});
    let cause = 'it ended';
    let hasAnswered = false;
    worker.on('message', ({id, value}: EngineAnswer) => {
      hasAnswered = true;
      this.#calls.get(id)?.resolve(value as never);
      this.#calls.delete(id);
    });
    worker.on('error', error => {
      cause = (error as Error).message;
    });
    worker.on('exit', () => {
      if (!this.#isClosed) this.#handleDeath(cause, hasAnswered);
    });
    return worker;
  }

  #handleDeath(cause: string, hasAnswered: boolean): void {
    // one that never answered would die again
    this.#state = hasAnswered
      ? {state: 'restarted', message: `The engine died (${cause}) and was started again.`}
      : {state: 'failed', message: failure(cause)};
    if (hasAnswered) this.#worker = this.#start();
    for (const {resolve} of this.#calls.values()) resolve(refusal(this.#state.message) as never);
    this.#calls.clear();
    this.#options.onState(this.#state);
  }
}

function failure(cause: string): string {
  const hint = /index\.node|addon/.test(cause) ? ' npm test builds its native addon.' : '';
  return `The engine cannot start: ${cause}.${hint}`;
}

function refusal(message: string): Refusal {
  return {ok: false, problems: [], message};
}
