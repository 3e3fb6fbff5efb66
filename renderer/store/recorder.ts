import {createStore, type StoreApi} from 'zustand/vanilla';
import type {Host, RecordingState} from '../../app/ipc/contract.ts';
import {type Look, lookDocument, type MovieOptions, movieDocument} from '../../app/movie/options.ts';
import {scenarioDocument} from '../../app/scenario/document.ts';
import type {Scenario} from '../../app/scenario/scenario.ts';
import {storyDocument} from '../../app/story/document.ts';
import type {Story} from '../../app/story/story.ts';

/** Asks the host for movies and pictures of scenarios; its store says how they go. */
export class Recorder {
  readonly store: StoreApi<RecordingState> = createStore(() => IDLE);
  readonly #host: Host;

  constructor(host: Host) {
    this.#host = host;
    host.on('recording', state => this.show(state));
  }

  /** What the host told. */
  show(state: RecordingState): void {
    this.store.setState(state, true);
  }

  /** `name` is the file's, without its ending. A story is told instead of the scenario. */
  async record(scenario: Scenario, story: Story | null, movie: MovieOptions, name: string): Promise<void> {
    const request = {
      scenario: scenarioDocument(scenario),
      story: story === null ? null : storyDocument(story),
      ...{movie: movieDocument(movie), name},
    };
    await this.#attempt(async () => {
      const answer = await this.#host.record(request);
      if (!answer.ok) this.show({kind: 'failed', message: answer.message});
    });
  }

  /** PNG of the presentation at one time, or of the panes at several. Undefined if it failed, which is told. */
  async takePicture(
    scenario: Scenario,
    look: Look,
    timesNs: readonly number[],
    scale: number,
  ): Promise<Uint8Array | undefined> {
    const request = {scenario: scenarioDocument(scenario), look: lookDocument(look), timesNs, scale};
    this.show({kind: 'busy', done: 0, frames: 0, leftMs: null});
    return this.#attempt(async () => {
      const answer = await this.#host.takePicture(request);
      this.show(answer.ok ? IDLE : {kind: 'failed', message: answer.message});
      return answer.ok ? answer.png : undefined;
    });
  }

  cancel(): void {
    void this.#host.cancelRecording();
  }

  showFile(path: string): void {
    void this.#host.showRecorded(path);
  }

  dismiss(): void {
    this.show(IDLE);
  }

  /** The host may be gone. */
  async #attempt<T>(ask: () => Promise<T>): Promise<T | undefined> {
    try {
      return await ask();
    } catch (error) {
      this.show({kind: 'failed', message: error instanceof Error ? error.message : String(error)});
      return undefined;
    }
  }
}

const IDLE: RecordingState = {kind: 'idle'};
