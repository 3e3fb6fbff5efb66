import {join} from 'node:path';
import {CALLS, type HostCalls, type HostEvents, type OpenedDocument} from '../../app/ipc/contract.ts';
import {Engine} from '../engine/engine.ts';

/** Told every event of the host. */
export type Listener = <E extends keyof HostEvents>(event: E, value: HostEvents[E]) => void;

export interface ShellOptions {
  readonly shell: 'electron' | 'web';
  /** The repository, or where the program is installed. */
  readonly root: string;
  readonly version: string;
  /** `engineWorker.ts`, bundled. */
  readonly worker: URL;
  /** What the program is started on. */
  readonly opened: OpenedDocument | null;
}

/** What both shells carry to the renderer: the contract's calls and events, by name. */
export class ShellHost {
  readonly #options: ShellOptions;
  readonly #engine: Engine;
  readonly #listeners = new Set<Listener>();
  #opened: OpenedDocument | null;

  constructor(options: ShellOptions) {
    this.#options = options;
    this.#opened = options.opened;
    this.#engine = new Engine({
      worker: options.worker,
      fixtures: join(options.root, 'fixtures/pages'),
      onState: state => this.#tell('engine', state),
    });
  }

  /** @throws TypeError if there is no such call. */
  async call(name: unknown, args: readonly unknown[]): Promise<unknown> {
    const call = CALLS.find(each => each === name);
    if (call === undefined) throw new TypeError(`no such call: ${String(name).slice(0, 50)}`);
    if (call === 'start') return this.#start();
    // the engine parses what it is given
    return this.#engine.call(call, ...(args.slice(0, 1) as Parameters<HostCalls[typeof call]>));
  }

  on(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** The window shows it: by an event, or from its `start()` when it is not there yet. */
  open(opened: OpenedDocument): void {
    this.#opened = opened;
    this.#tell('opened', opened);
  }

  close(): Promise<void> {
    return this.#engine.close();
  }

  #start(): ReturnType<HostCalls['start']> {
    const {shell, version} = this.#options;
    return {shell, version, opened: this.#opened, engine: this.#engine.state};
  }

  #tell<E extends keyof HostEvents>(event: E, value: HostEvents[E]): void {
    for (const listener of this.#listeners) listener(event, value);
  }
}
