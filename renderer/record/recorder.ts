import {createStore, type StoreApi} from 'zustand/vanilla';
import type {Host} from '../../app/ipc/contract.ts';
import type {Look, MovieOptions} from '../../app/movie/options.ts';
import {scenarioDocument} from '../../app/scenario/document.ts';
import type {Scenario} from '../../app/scenario/scenario.ts';

/** What is recorded, or was last. */
export type RecorderState =
  | {readonly kind: 'idle'}
  /** `frames` is 0 until the first one is there. */
  | {readonly kind: 'busy'; readonly done: number; readonly frames: number; readonly leftMs: number}
  | {readonly kind: 'done'; readonly path: string}
  | {readonly kind: 'failed'; readonly message: string};

/** Asks the host for movies and pictures of scenarios. */
export class Recorder {
  readonly store: StoreApi<RecorderState> = createStore(() => IDLE);
  readonly #host: Host;

  constructor(host: Host) {
    this.#host = host;
    host.on('recording', progress => {
      if (this.store.getState().kind === 'busy') this.#set({kind: 'busy', ...progress});
    });
  }

  /** `name` is the file's, without its ending. */
  async record(scenario: Scenario, movie: MovieOptions, name: string): Promise<void> {
    this.#set({kind: 'busy', done: 0, frames: 0, leftMs: 0});
    try {
      const request = {
        scenario: scenarioDocument(scenario),
        movie: {...movie, look: lookDocument(movie.look)},
        name,
      };
      const answer = await this.#host.record(request);
      this.#set(answer.ok ? {kind: 'done', path: answer.path} : {kind: 'failed', message: answer.message});
    } catch (error) {
      this.#set({kind: 'failed', message: messageOf(error)});
    }
  }

  /** PNG of the presentation at one time, or of the panes at several. Undefined if it failed, which is told. */
  async takePicture(
    scenario: Scenario,
    look: Look,
    timesNs: readonly number[],
    scale: number,
  ): Promise<Uint8Array | undefined> {
    this.#set({kind: 'busy', done: 0, frames: 0, leftMs: 0});
    try {
      const request = {scenario: scenarioDocument(scenario), look: lookDocument(look), timesNs, scale};
      const answer = await this.#host.takePicture(request);
      this.#set(answer.ok ? IDLE : {kind: 'failed', message: answer.message});
      return answer.ok ? answer.png : undefined;
    } catch (error) {
      this.#set({kind: 'failed', message: messageOf(error)});
      return undefined;
    }
  }

  cancel(): void {
    void this.#host.cancelRecording();
  }

  showFile(path: string): void {
    void this.#host.showRecorded(path);
  }

  dismiss(): void {
    this.#set(IDLE);
  }

  #set(state: RecorderState): void {
    this.store.setState(state, true);
  }
}

const IDLE: RecorderState = {kind: 'idle'};

function lookDocument(look: Look) {
  return {...look, size: {...look.size}};
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
