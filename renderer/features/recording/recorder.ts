import {createStore, type StoreApi} from 'zustand/vanilla';
import {base64} from '../../../app/base/bytes.ts';
import type {Json} from '../../../app/base/json.ts';
import {messageOf} from '../../../app/base/text.ts';
import {type Host, LARGEST_PIECE_BYTES, type PictureRequest, type RecordingState} from '../../../app/host/contract.ts';
import {scenarioDocument} from '../../../app/run/scenario/document.ts';
import type {Scenario} from '../../../app/run/scenario/scenario.ts';
import {encodeRun, type Run} from '../../../app/run/trace/runFile.ts';
import {heldRunDocument} from '../../../app/telling/movie/movieStage.ts';
import {type Look, lookDocument, type MovieOptions, movieDocument} from '../../../app/telling/movie/options.ts';
import type {Story} from '../../../app/telling/story/story.ts';
import {storyDocument} from '../../../app/telling/story/storyDocument.ts';
import type {FeatureState} from '../../session/extension.ts';
import {nonRepeatableRun} from '../../session/traceFiles.ts';

/** Asks the host for movies and pictures of scenarios. Its store contains the progress of the recording. */
class Recorder {
  readonly store: StoreApi<RecordingState> = createStore(() => IDLE);
  readonly #host: Host;
  readonly #nonRepeatableRun: (scenario: Scenario) => Run | undefined;

  /**
   * `nonRepeatableRun` returns a scenario's run if it cannot be computed again from the scenario, otherwise undefined.
   */
  constructor(host: Host, nonRepeatableRun: (scenario: Scenario) => Run | undefined = () => undefined) {
    this.#host = host;
    this.#nonRepeatableRun = nonRepeatableRun;
    host.on('recording', state => this.show(state));
  }

  /** Replaces the state in the store. */
  show(state: RecordingState): void {
    this.store.setState(state, true);
  }

  /**
   * Records a movie of the scenario, or of the story if there is one. `name` is the file's name without its extension.
   */
  async record(scenario: Scenario, story: Story | null, movie: MovieOptions, name: string): Promise<void> {
    await this.#attempt(async () => {
      const request = {
        scenario: await this.#documentOf(scenario),
        story: story === null ? null : storyDocument(story),
        movie: movieDocument(movie),
        name,
      };
      const answer = await this.#host.record(request);
      if (!answer.ok) this.show({kind: 'failed', message: answer.message});
    });
  }

  /**
   * Makes a PNG. A still has one time and shows the whole presentation. A filmstrip has a row of panes for each of its
   * times. Returns undefined if this failed; the store then contains the reason.
   */
  async takePicture(
    scenario: Scenario,
    look: Look,
    {kind, timesNs, scale}: Pick<PictureRequest, 'kind' | 'timesNs' | 'scale'>,
  ): Promise<Uint8Array | undefined> {
    this.show({kind: 'busy', done: 0, frames: 0, leftMs: null});
    return this.#attempt(async () => {
      const request = {scenario: await this.#documentOf(scenario), look: lookDocument(look), kind, timesNs, scale};
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

  /**
   * The document to send to the host. Usually this is the scenario's own document. A run that cannot be computed again
   * is sent to the host first, and the document then refers to that run.
   */
  async #documentOf(scenario: Scenario): Promise<Json> {
    const run = this.#nonRepeatableRun(scenario);
    if (run === undefined) return scenarioDocument(scenario);
    const [name, bytes] = [crypto.getRandomValues(new Uint32Array(4)).join('-'), encodeRun(run)];
    for (let at = 0; at < bytes.length; at += LARGEST_PIECE_BYTES)
      await this.#host.sendPiece(name, 'run.trace', base64(bytes.subarray(at, at + LARGEST_PIECE_BYTES)));
    const held = await this.#host.holdRun(name);
    if (!held.ok) throw new Error(held.message);
    return heldRunDocument(held.run);
  }

  /** Calls the host. If `ask` throws, for example because the host has ended, the store gets the error's message. */
  async #attempt<T>(ask: () => Promise<T>): Promise<T | undefined> {
    try {
      return await ask();
    } catch (error) {
      this.show({kind: 'failed', message: messageOf(error)});
      return undefined;
    }
  }
}

const IDLE: RecordingState = {kind: 'idle'};

export const RECORDER: FeatureState<Recorder> = {
  create: session => {
    const recorder = new Recorder(session.host, scenario => nonRepeatableRun(session.store.getState().run, scenario));
    session.extend({
      // a recording that ended before this window opened was not requested here, so its result is not shown
      started: ({recording}) => {
        if (recording.kind === 'busy') recorder.show(recording);
      },
    });
    return recorder;
  },
};
