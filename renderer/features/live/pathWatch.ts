import {createStore} from 'zustand/vanilla';
import type {Json} from '../../../app/base/json.ts';
import {isObject, type Problem} from '../../../app/base/schema.ts';
import type {Host} from '../../../app/host/contract.ts';
import {pathDocument} from '../../../app/run/scenario/document.ts';
import type {PathSettings} from '../../../app/run/scenario/path.ts';
import {type RunningPath, requestedChange} from '../../../app/run/scenario/runningPath.ts';
import type {FeatureState} from '../../session/extension.ts';

/** What the window knows about the emulated path in front of a live server. */
export interface PathWatchState {
  /**
   * The path's settings and counts. The settings include changes that the path has not confirmed yet. Null if no path
   * answers.
   */
  readonly running: RunningPath | null;
  /** Which setting was refused last and why; null if none was. */
  readonly refused: {readonly key: string; readonly problem: Problem} | null;
  /** Why the path does not answer, or did not apply a setting or hand over; null if there is no problem. */
  readonly failure: string | null;
}

/** The settings of a running path that the window can change. */
export type PathSetting = 'rateBps' | 'rttMs' | 'loss';

/** Watches and sets the emulated path in front of a live server. It asks the path repeatedly while the path answers. */
export class PathWatch {
  readonly store = createStore<PathWatchState>(() => NONE);
  readonly #host: Pick<Host, 'askPath'>;
  /**
   * The watched address; null for none. Each call of {@link watch} makes a new object. An answer is ignored if this
   * object was replaced while the path was asked.
   */
  #watched: {readonly live: string} | null = null;
  /** The address that was watched last. It stays when watching ends. */
  #live: string | null = null;
  /** The settings that have changed and have not been sent yet. */
  readonly #unsent = new Set<PathSetting>();
  #isAsking = false;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(host: Pick<Host, 'askPath'>) {
    this.#host = host;
  }

  /** Begins to watch. Returns a function that ends watching. */
  watch(live: string): () => void {
    this.#end();
    if (this.#live !== live) this.store.setState(NONE);
    const watched = {live};
    [this.#watched, this.#live] = [watched, live];
    void this.#ask();
    return () => {
      if (this.#watched === watched) this.#end();
    };
  }

  /**
   * Sets `value` for one direction or for both, written as in a scenario's path. `key` identifies the field of the
   * setting.
   */
  set(setting: PathSetting, value: Json, key: string = setting): void {
    const {running} = this.store.getState();
    if (running === null) return;
    const changed = requestedChange({[setting]: value}, running.path);
    if (!changed.ok) {
      this.store.setState({refused: {key, problem: changed.problems[0]}});
      return;
    }
    this.store.setState({running: {...running, path: changed.path}, refused: null});
    this.#unsent.add(setting);
    void this.#ask();
  }

  /** Moves the clients of the path to another path with the same settings. */
  async handOver(): Promise<void> {
    const watched = this.#watched;
    if (watched === null) return;
    const answer = await this.#host.askPath(watched.live, {handover: true}).catch(() => null);
    if (answer === null || watched !== this.#watched) return;
    if (answer.ok) this.#take(answer.running, true);
    else this.store.setState({failure: answer.message});
  }

  /** Clears the message about a refused value. */
  endEdit(): void {
    if (this.store.getState().refused !== null) this.store.setState({refused: null});
  }

  #end(): void {
    this.#watched = null;
    clearTimeout(this.#timer);
    this.#unsent.clear();
  }

  /** Asks the path, with one call at a time. Settings that change meanwhile are sent with the next call. */
  async #ask(): Promise<void> {
    const watched = this.#watched;
    if (this.#isAsking || watched === null) return;
    this.#isAsking = true;
    clearTimeout(this.#timer);
    const {running} = this.store.getState();
    const change = running === null || this.#unsent.size === 0 ? null : changeOf(running.path, this.#unsent);
    this.#unsent.clear();
    // if the host has ended, the window already shows a message about that
    const answer = await this.#host.askPath(watched.live, change).catch(() => null);
    this.#isAsking = false;
    if (watched !== this.#watched) return void this.#ask();
    if (answer === null) return this.store.setState(NONE);
    if (answer.ok) this.#take(answer.running, change !== null);
    else this.store.setState({failure: answer.message, ...(change === null ? {running: null} : {})});
    if (this.#unsent.size > 0) return this.#ask();
    if (answer.ok || change !== null) this.#timer = setTimeout(() => void this.#ask(), AGAIN_MS);
  }

  #take(received: RunningPath, isChanged: boolean): void {
    const {running, failure} = this.store.getState();
    const path = this.#unsent.size > 0 && running !== null ? running.path : received.path;
    this.store.setState({running: {...received, path}, failure: isChanged ? null : failure});
  }
}

function changeOf(path: PathSettings, settings: ReadonlySet<PathSetting>): Json {
  const document = pathDocument(path);
  const entries = isObject(document) ? Object.entries(document) : [];
  return Object.fromEntries(entries.filter(([key]) => settings.has(key as PathSetting))) as Json;
}

export const PATH_WATCH: FeatureState<PathWatch> = {create: ({host}) => new PathWatch(host)};

const NONE: PathWatchState = {running: null, refused: null, failure: null};
const AGAIN_MS = 1000;
