/**
 * Replaces `node:worker_threads` in the web edition, for the parts that the engine uses. A Web Worker gets the compiled
 * network core (native/wasm) with its first message, so that the page downloads and compiles the core only once.
 */
type Listener = (value: never) => void;

/** The first message to a worker. */
export interface WorkerStart {
  readonly workerData: unknown;
  /** The compiled network core. */
  readonly core: WebAssembly.Module;
}

/** What a worker sends: an answer, or the cause of its end. */
type FromWorker = {readonly answer: unknown} | {readonly death: string};

let core: Promise<WebAssembly.Module> | undefined;

/** Sets the compiled network core of all workers that are started later. */
export function setCore(compiled: Promise<WebAssembly.Module>): void {
  core = compiled;
}

/** A thread, with the events of Node's class `Worker`. */
export class Worker {
  readonly #worker: globalThis.Worker;
  readonly #listeners = new Map<string, Set<Listener>>();
  /** Messages that wait for the network core. Null if the worker has it. */
  #waiting: unknown[] | null = [];

  constructor(url: URL, {workerData}: {readonly workerData: unknown}) {
    this.#worker = new globalThis.Worker(url, {type: 'module'});
    this.#worker.onmessage = ({data}: MessageEvent<FromWorker>) => {
      if ('answer' in data) this.#emit('message', data.answer);
      else this.#die(new Error(data.death));
    };
    this.#worker.onerror = event => {
      event.preventDefault();
      this.#die(new Error(event.message ?? 'its script cannot be loaded'));
    };
    void this.#begin(workerData).catch((error: unknown) => this.#die(error));
  }

  on(event: 'message' | 'error' | 'exit', listener: Listener): this {
    const all = this.#listeners.get(event) ?? new Set();
    this.#listeners.set(event, all.add(listener));
    return this;
  }

  removeAllListeners(event?: string): this {
    if (event === undefined) this.#listeners.clear();
    else this.#listeners.delete(event);
    return this;
  }

  /**
   * Sends a copy of a message, or keeps the copy until the worker has the network core.
   * @throws DataCloneError if the message cannot be copied
   */
  postMessage(message: unknown): void {
    if (this.#waiting === null) this.#worker.postMessage(message);
    else this.#waiting.push(structuredClone(message));
  }

  terminate(): Promise<void> {
    this.#worker.terminate();
    return Promise.resolve();
  }

  async #begin(workerData: unknown): Promise<void> {
    if (core === undefined) throw new Error('the network core is not set');
    const start: WorkerStart = {workerData, core: await core};
    this.#worker.postMessage(start);
    const waiting = this.#waiting ?? [];
    this.#waiting = null;
    for (const message of waiting) this.#worker.postMessage(message);
  }

  #die(cause: unknown): void {
    this.#worker.terminate();
    this.#emit('error', cause);
    this.#emit('exit', 1);
  }

  #emit(event: string, value: unknown): void {
    for (const listener of this.#listeners.get(event) ?? []) (listener as (value: unknown) => void)(value);
  }
}

/** The data that the worker was started with. Undefined outside of workers. */
export let workerData: unknown;

/** The port over which code in a worker exchanges messages with its {@link Worker} object. */
export const parentPort = {
  on(_event: 'message', listener: (message: never) => unknown): void {
    addEventListener('message', ({data}: MessageEvent) => void answer(data, listener));
    for (const message of early.splice(0)) void answer(message, listener);
    removeEventListener('message', keepEarly);
  },
  postMessage(answer: unknown, transfer: Transferable[] = []): void {
    postToPage({answer}, transfer);
  },
};

/** Messages that arrived before there was a listener. */
const early: unknown[] = [];

function keepEarly({data}: MessageEvent): void {
  early.push(data);
}

/** Waits for the first message to this worker, and keeps all others until there is a listener. */
export async function startOfWorker(): Promise<WorkerStart> {
  const start = await new Promise<WorkerStart>(resolve => {
    addEventListener(
      'message',
      ({data}: MessageEvent<WorkerStart>) => {
        addEventListener('message', keepEarly);
        resolve(data);
      },
      {once: true},
    );
  });
  ({workerData} = start);
  return start;
}

/** Calls the listener. An error of the listener ends the worker, as it does in Node. */
async function answer(message: unknown, listener: (message: never) => unknown): Promise<void> {
  try {
    await listener(message as never);
  } catch (error) {
    endWorker(error);
  }
}

/** Reports the error that ends this worker. */
export function endWorker(error: unknown): void {
  postToPage({death: error instanceof Error ? error.message : String(error)});
}

function postToPage(message: FromWorker, transfer: Transferable[] = []): void {
  postMessage(message, {transfer});
}
