import type {EngineState, Refusal} from '../../app/ipc/contract.ts';
import {type EngineCalls, EngineThread, type EngineThreadOptions} from './engineThread.ts';

export interface EngineOptions extends EngineThreadOptions {
  /** At least 1. */
  readonly threads: number;
  readonly onState: (state: EngineState) => void;
}

/**
 * Computes runs on threads of its own: each call on the one that has the least to do. When a thread dies, what
 * it had under way is answered with a refusal; the others go on, and the next call that needs it starts another.
 */
export class Engine {
  readonly #options: EngineOptions;
  readonly #threads: EngineThread[] = [];
  #hasAnswered = false;
  #state: EngineState = {state: 'ready'};

  constructor(options: EngineOptions) {
    this.#options = options;
    // all at once, while the window opens
    for (let i = 0; i < options.threads; i++) this.#start();
  }

  get state(): EngineState {
    return this.#state;
  }

  call<K extends keyof EngineCalls>(
    call: K,
    ...args: Parameters<EngineCalls[K]>
  ): Promise<ReturnType<EngineCalls[K]> | Refusal> {
    if (this.#state.state === 'failed') return Promise.resolve(refusal(this.#state.message));
    return this.#freest().call(call, args);
  }

  /** Ends the threads. */
  async close(): Promise<void> {
    await Promise.all(this.#threads.map(thread => thread.close()));
  }

  #freest(): EngineThread {
    const [freest] = [...this.#threads].sort((a, b) => a.underWay - b.underWay);
    const isFull = this.#threads.length === this.#options.threads;
    return freest !== undefined && (isFull || freest.underWay === 0) ? freest : this.#start();
  }

  #start(): EngineThread {
    const thread = new EngineThread(this.#options, (dead, cause) => this.#handleDeath(dead, cause));
    this.#threads.push(thread);
    return thread;
  }

  #handleDeath(dead: EngineThread, cause: string): void {
    this.#threads.splice(this.#threads.indexOf(dead), 1);
    this.#hasAnswered ||= [dead, ...this.#threads].some(thread => thread.hasAnswered);
    // where none ever answered, another would die too
    const state: EngineState = this.#hasAnswered
      ? {state: 'restarted', message: `The engine died (${cause}) and was started again.`}
      : {state: 'failed', message: failure(cause)};
    dead.refuse(refusal(state.message));
    if (this.#state.state === 'failed') return;
    this.#state = state;
    this.#options.onState(state);
  }
}

function failure(cause: string): string {
  const hint = /index\.node|addon/.test(cause) ? ' npm test builds its native addon.' : '';
  return `The engine cannot start: ${cause}.${hint}`;
}

function refusal(message: string): Refusal {
  return {ok: false, problems: [], message};
}
